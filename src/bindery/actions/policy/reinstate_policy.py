from bindery.actions.documents.write_mails import write_notice
from bindery.actions.quote.advance_quote import advance_quote, policy_of
from bindery.contract.events import PolicyInForce
from bindery.domain.business_rules import BusinessRules
from bindery.domain.documents.notices import Reinstated
from bindery.domain.policy.ending import check_reinstatable
from bindery.domain.quote.lifecycle import Trigger
from bindery.domain.quote.quote import Quote
from bindery.storage.database import Tx
from bindery.storage.policy import policies
from bindery.storage.quote import journal


async def reinstate_policy(tx: Tx, rules: BusinessRules, quote: Quote, *, reason: str, actor: str) -> None:
    """Put a canceled policy back in force within 30 days of the day on which it was canceled.

    Raises:
        WrongState: it is not canceled, or was too long ago.
        AlreadyBound: the company has other cover by now.
    """
    policy = await policy_of(tx, quote)
    canceled_at = await journal.last_step_at(tx, quote.quote_id, Trigger.CANCEL)
    canceled_on = tx.calendar.day_of(canceled_at) if canceled_at is not None else None
    check_reinstatable(quote, canceled_on=canceled_on, today=tx.today)
    await policies.reinstate(tx, policy)
    said = PolicyInForce(
        policy_number=policy.number,
        effective=policy.term.effective,
        expiration=policy.term.expiration,
        premium=quote.premium,
        conditional=not policy.is_issued,
        reason=reason,
    )
    reinstated = await advance_quote(tx, quote, Trigger.REINSTATE, actor=actor, said=said)
    assert policy.ended_on is not None, "a canceled policy has an end"
    happened = Reinstated(
        on=tx.today,
        reason=reason,
        canceled_from=policy.ended_on,
        returned_premium=policy.returned_premium or 0,
    )
    await write_notice(tx, rules, reinstated, happened)
