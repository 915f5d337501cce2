"""What an underwriter decides about a bind: approve the request, add and close contingencies."""

import uuid

from bindery.actions.bind_quote import pass_over_siblings
from bindery.actions.change_contingencies import change_contingencies
from bindery.actions.put_in_force import issue_policy, put_in_force
from bindery.actions.review_quote import lock_quote
from bindery.base.errors import InvalidRequest, Problem, WrongState
from bindery.contract.vocabulary import ContingencyType, QuoteStatus
from bindery.domain.binding import decide_approval
from bindery.domain.contingencies import Contingency, DraftContingency
from bindery.domain.lifecycle import CONTINGENT, Trigger, find_move
from bindery.domain.policy import Policy
from bindery.domain.quote import Quote
from bindery.runtime import Runtime
from bindery.storage import contingencies, policies


async def approve_bind(runtime: Runtime, quote_id: uuid.UUID, *, actor: str, reason: str = "") -> None:
    """Issue the policy asked for, or a conditional binder where post-bind contingencies are still open.

    `reason` is told to the partner.

    Raises:
        WrongState: no bind of it waits for a decision.
        AlreadyBound: the company is covered in that period by now.
    """
    async with runtime.database.transaction() as tx:
        quote = await lock_quote(tx, quote_id)
        if quote.status is not QuoteStatus.QUOTE_BIND_REQUESTED:
            raise WrongState(
                f"The quote is {quote.status}: no bind of it waits for a decision.",
                status=quote.status,
                available_statuses=[QuoteStatus.QUOTE_BIND_REQUESTED],
            )
        policy = await policies.find(tx, quote_id)
        assert policy is not None, "a requested bind was recorded"
        approval = decide_approval(
            policy, await contingencies.of_quote(tx, quote_id), today=runtime.business_day(tx.now)
        )
        quote = await change_contingencies(tx, quote, close=approval.closes, actor=actor)
        await put_in_force(
            tx, runtime.practice, quote, fulfil_by=approval.fulfil_by, actor=actor, reason=reason
        )
        # Others may have been opened since the bind was asked for.
        await pass_over_siblings(tx, quote, actor=actor)


async def add_contingency(
    runtime: Runtime, quote_id: uuid.UUID, draft: DraftContingency, *, actor: str
) -> None:
    """Make the quote subject to something more.

    Raises:
        WrongState: it is past the point where anything can be asked for.
        InvalidRequest: it is bound, and something is asked for before the bind.
    """
    async with runtime.database.transaction() as tx:
        quote = await lock_quote(tx, quote_id)
        policy = await policies.find(tx, quote_id)
        _check_not_issued(quote, policy, "nothing more can be asked for")
        if policy is not None and policy.in_force and draft.type is ContingencyType.PRE_BIND:
            flaw = Problem("contingency.type", "already_bound", "must be post_bind: the quote is bound")
            raise InvalidRequest.because([flaw])
        await change_contingencies(tx, quote, add=[draft], actor=actor)


async def close_contingency(
    runtime: Runtime, quote_id: uuid.UUID, contingency_id: str, *, actor: str
) -> None:
    """Close a contingency; when the last one of a conditional binder closes, the policy is issued.

    One that is closed already stays so, and nobody is told again.

    Raises:
        InvalidRequest: the quote has no such contingency.
        WrongState: it is past the point where that matters.
    """
    async with runtime.database.transaction() as tx:
        quote = await lock_quote(tx, quote_id)
        owed = await contingencies.of_quote(tx, quote_id)
        find_move(quote.status, Trigger.CHANGE_CONTINGENCIES)
        policy = await policies.find(tx, quote_id)
        if policy is not None and policy.is_lapsed(runtime.business_day(tx.now)):
            raise WrongState(
                f"The conditional binder lapsed: it was to be fulfilled by {policy.fulfil_by}.",
                status=quote.status,
                available_statuses=CONTINGENT,
            )
        contingency = _one(owed, contingency_id)
        if not contingency.is_open:
            return
        quote = await change_contingencies(tx, quote, close=[contingency], actor=actor)
        others_open = any(other.is_open for other in owed if other != contingency)
        if policy is not None and policy.in_force and not policy.is_issued and not others_open:
            await issue_policy(tx, runtime.practice, quote, actor=actor)


async def reopen_contingency(
    runtime: Runtime, quote_id: uuid.UUID, contingency_id: str, *, actor: str
) -> None:
    """Open a closed contingency again.

    Raises:
        InvalidRequest: the quote has no such contingency.
        WrongState: it is past the point where that matters.
    """
    async with runtime.database.transaction() as tx:
        quote = await lock_quote(tx, quote_id)
        _check_not_issued(quote, await policies.find(tx, quote_id), "nothing is owed any more")
        find_move(quote.status, Trigger.CHANGE_CONTINGENCIES)
        contingency = _one(await contingencies.of_quote(tx, quote_id), contingency_id)
        if not contingency.is_open:
            await change_contingencies(tx, quote, reopen=[contingency], actor=actor)


def _check_not_issued(quote: Quote, policy: Policy | None, consequence: str) -> None:
    if policy is not None and policy.is_issued:
        raise WrongState(
            f"The policy {policy.policy_number} is issued: {consequence}.",
            status=quote.status,
            available_statuses=CONTINGENT,
        )


def _one(owed: list[Contingency], contingency_id: str) -> Contingency:
    for contingency in owed:
        if contingency.contingency_id == contingency_id:
            return contingency
    flaw = Problem("contingency_id", "unknown_contingency", "is not a contingency of this quote")
    raise InvalidRequest.because([flaw])
