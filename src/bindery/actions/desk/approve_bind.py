from bindery.actions.policy.put_in_force import put_in_force
from bindery.actions.quote.change_contingencies import change_contingencies, pass_over_siblings
from bindery.base.errors import WrongState
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.business_rules import BusinessRules
from bindery.domain.policy.binding import decide_approval
from bindery.domain.quote.quote import Quote
from bindery.storage.database import Tx
from bindery.storage.policy import policies
from bindery.storage.quote import contingencies


async def approve_bind(tx: Tx, rules: BusinessRules, quote: Quote, *, actor: str, reason: str) -> None:
    """Issue the policy asked for, or a conditional binder where post-bind contingencies are still open.

    `reason` is told to the partner.

    Raises:
        WrongState: it has no bind waiting for a decision.
        AlreadyBound: the company is covered in that period by now.
    """
    if quote.status is not QuoteStatus.QUOTE_BIND_REQUESTED:
        raise WrongState(
            f"The quote is {quote.status}: it has no bind waiting for a decision.",
            status=quote.status,
            available_statuses=[QuoteStatus.QUOTE_BIND_REQUESTED],
        )
    policy = await policies.get(tx, quote.quote_id)
    owed = await contingencies.of_quote(tx, quote.quote_id)
    approval = decide_approval(owed, attested=policy.attested, today=tx.today)
    quote = await change_contingencies(tx, quote, close=approval.closes, actor=actor)
    await put_in_force(tx, rules, quote, fulfil_by=approval.fulfil_by, actor=actor, reason=reason)
    # Others may have been opened since the bind was asked for.
    await pass_over_siblings(tx, quote, actor=actor)
