from bindery.actions.policy.issue_policy import issue_policy
from bindery.actions.quote.change_contingencies import change_contingencies
from bindery.domain.business_rules import BusinessRules
from bindery.domain.policy.binding import fulfills_binder
from bindery.domain.policy.contingencies import find_contingency
from bindery.domain.policy.policy import check_not_lapsed
from bindery.domain.quote.lifecycle import Trigger, find_move
from bindery.domain.quote.quote import Quote
from bindery.storage.database import Tx
from bindery.storage.policy import policies
from bindery.storage.quote import contingencies


async def close_contingency(
    tx: Tx, rules: BusinessRules, quote: Quote, contingency_id: str, *, actor: str
) -> None:
    """Close a contingency; when the last one of a conditional binder closes, the policy is issued.

    One that is closed already stays so, and nobody is notified again.

    Raises:
        InvalidRequest: the quote has no such contingency.
        WrongState: it is past the point where that matters.
    """
    owed = await contingencies.of_quote(tx, quote.quote_id)
    find_move(quote.status, Trigger.CHANGE_CONTINGENCIES)
    policy = await policies.find(tx, quote.quote_id)
    check_not_lapsed(quote, policy, tx.today)
    contingency = find_contingency(owed, contingency_id)
    if not contingency.is_open:
        return
    quote = await change_contingencies(tx, quote, close=[contingency], actor=actor)
    if fulfills_binder(contingency, policy, owed):
        await issue_policy(tx, rules, quote, actor=actor)
