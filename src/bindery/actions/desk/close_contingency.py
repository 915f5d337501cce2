from bindery.actions.policy.put_in_force import issue_policy
from bindery.actions.quote.advance_quote import change_contingencies
from bindery.base.errors import InvalidRequest, Problem
from bindery.contract.vocabulary import ContingencyType
from bindery.domain.business_rules import BusinessRules
from bindery.domain.policy.binding import fulfills_binder
from bindery.domain.policy.contingencies import (
    FULFILLED,
    Closing,
    DraftContingency,
    check_closing,
    find_contingency,
    first_files,
)
from bindery.domain.policy.policy import check_not_issued, check_not_lapsed
from bindery.domain.quote.lifecycle import Trigger, find_move
from bindery.domain.quote.quote import Quote
from bindery.storage.database import Tx
from bindery.storage.policy import policies
from bindery.storage.quote import contingencies


async def close_contingency(
    tx: Tx,
    rules: BusinessRules,
    quote: Quote,
    contingency_id: str,
    closing: Closing = FULFILLED,
    *,
    actor: str,
) -> None:
    """Close a contingency as fulfilled or waived; the last one of a conditional binder issues the policy.

    One that is closed already stays so, and nobody is notified again.
    """
    check_closing(closing)
    owed = await contingencies.of_quote(tx, quote.quote_id)
    find_move(quote.status, Trigger.CHANGE_CONTINGENCIES)
    policy = await policies.find(tx, quote.quote_id)
    check_not_lapsed(quote, policy, tx.today)
    contingency = find_contingency(owed, contingency_id)
    if not contingency.is_open:
        return
    quote = await change_contingencies(tx, quote, close=[(contingency, closing)], actor=actor)
    if fulfills_binder(contingency, policy, owed):
        await issue_policy(tx, rules, quote, actor=actor)


async def add_contingency(tx: Tx, quote: Quote, draft: DraftContingency, *, actor: str) -> None:
    """Make the quote subject to something more; once it is bound, only after the bind."""
    policy = await policies.find(tx, quote.quote_id)
    check_not_issued(quote, policy, "nothing more can be required")
    check_not_lapsed(quote, policy, tx.today)
    if policy is not None and policy.in_force and draft.type is ContingencyType.PRE_BIND:
        flaw = Problem("contingency.type", "already_bound", "must be post_bind: the quote is bound")
        raise InvalidRequest.because([flaw])
    await change_contingencies(tx, quote, add=[draft], actor=actor)


async def reopen_contingency(
    tx: Tx, quote: Quote, contingency_id: str, *, actor: str, reason: str = ""
) -> None:
    """Ask again for what was closed, or for a file in place of the one that came in, and say why."""
    policy = await policies.find(tx, quote.quote_id)
    check_not_issued(quote, policy, "nothing is owed any more")
    check_not_lapsed(quote, policy, tx.today)
    find_move(quote.status, Trigger.CHANGE_CONTINGENCIES)
    contingency = find_contingency(await contingencies.of_quote(tx, quote.quote_id), contingency_id)
    came = first_files(await contingencies.files_of(tx, quote.quote_id))
    if not contingency.is_open or contingency_id in came:
        await change_contingencies(tx, quote, reopen=[contingency], actor=actor, because=reason)
