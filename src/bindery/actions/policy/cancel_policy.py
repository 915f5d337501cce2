from datetime import date

from bindery.actions.documents.write_mails import write_notice
from bindery.actions.quote.advance_quote import advance_quote, policy_of
from bindery.contract.events import PolicyCanceled, QuoteRevoked
from bindery.domain.business_rules import BusinessRules
from bindery.domain.documents.notices import Canceled
from bindery.domain.policy.ending import decide_cancel
from bindery.domain.policy.policy import Policy
from bindery.domain.quote.lifecycle import Trigger, sources_of
from bindery.domain.quote.quote import Quote
from bindery.storage.database import Tx
from bindery.storage.policy import policies
from bindery.storage.submission import submissions


async def cancel_policy(
    tx: Tx, rules: BusinessRules, quote: Quote, *, on: date | None, reason: str, actor: str
) -> None:
    """Cancel a policy as of a day and work out what is returned.

    Raises:
        WrongState: there is no active policy.
        InvalidRequest: the day is outside the policy's term.
    """
    policy = await policy_of(tx, quote)
    cancellation = decide_cancel(quote, policy, on=on, today=tx.today)
    day, returned = cancellation.on, cancellation.returned_premium
    # Before the policy's own row is written: whoever offers a renewal takes the two in that order.
    await _withdraw_renewal(tx, policy, actor=actor)
    await policies.end(tx, policy, on=day, because=reason or "canceled", returned_premium=returned)
    said = PolicyCanceled(reason=reason, effective=day, returned_premium=returned)
    canceled = await advance_quote(tx, quote, Trigger.CANCEL, actor=actor, said=said)
    happened = Canceled(on=tx.today, effective=day, reason=reason, returned_premium=returned)
    await write_notice(tx, rules, canceled, happened)


async def _withdraw_renewal(tx: Tx, policy: Policy, *, actor: str) -> None:
    """Revoke the renewal of a canceled policy, wherever it stands, also where its bind is requested."""
    if policy.renewal_submission_id is None:
        return
    key, revocable = policy.renewal_submission_id, sources_of(Trigger.REVOKE)
    for renewal in (await submissions.lock_options(tx, [key], revocable))[key]:
        said = QuoteRevoked(reason="policy_canceled")
        await advance_quote(tx, renewal, Trigger.REVOKE, actor=actor, said=said)
        await policies.forget_renewal(tx, policy.quote_id)
