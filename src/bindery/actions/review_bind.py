"""What an underwriter decides about a bind: approve the request, add and close contingencies."""

import uuid

from bindery.actions.advance_quote import advance_quote
from bindery.actions.bind_quote import pass_over_siblings
from bindery.actions.put_in_force import issue_policy, put_in_force
from bindery.actions.review_quote import lock_quote
from bindery.base.errors import InvalidRequest, Problem, WrongState
from bindery.contract.vocabulary import ContingencyType, QuoteStatus
from bindery.domain.contingencies import Contingency, ContingencyKind, DraftContingency
from bindery.domain.lifecycle import CONTINGENT, Trigger, find_move
from bindery.domain.policy import BINDER_LAPSES_AFTER
from bindery.domain.quote import Quote
from bindery.runtime import Runtime
from bindery.storage import contingencies, policies
from bindery.storage.database import Tx


async def approve_bind(runtime: Runtime, quote_id: uuid.UUID, *, actor: str, reason: str = "") -> None:
    """Issue the policy asked for, or a conditional binder where post-bind contingencies are still open.

    Raises:
        WrongState: no bind of it waits for a decision.
        AlreadyBound: the company is covered in that period by now.
    """
    async with runtime.database.transaction() as tx:
        quote = await lock_quote(tx, quote_id)
        if quote.status is not QuoteStatus.QUOTE_BIND_REQUESTED:
            raise WrongState(
                f"No bind of a quote that is {quote.status} waits for a decision.",
                available_statuses=[QuoteStatus.QUOTE_BIND_REQUESTED],
            )
        policy = await policies.find(tx, quote_id)
        assert policy is not None, "a requested bind was recorded"
        # Approving says that what had to be there before the bind is there, and an attested paper is in.
        await contingencies.close_type(tx, quote_id, ContingencyType.PRE_BIND)
        if policy.attested:
            await contingencies.close_kind(tx, quote_id, ContingencyKind.SIGNATURE)
        still_open = any(one.is_open for one in await contingencies.of_quote(tx, quote_id))
        today = runtime.business_day(tx.now)
        fulfil_by = today + BINDER_LAPSES_AFTER if still_open else None
        await put_in_force(runtime, tx, quote, fulfil_by=fulfil_by, actor=actor, reason=reason)
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
        if policy is not None and policy.is_issued:
            raise WrongState(
                "The policy is issued: nothing more can be asked for.", available_statuses=CONTINGENT
            )
        if policy is not None and policy.in_force and draft.type is ContingencyType.PRE_BIND:
            flaw = Problem("contingency.type", "already_bound", "must be post_bind: the quote is bound")
            raise InvalidRequest.because([flaw])
        await _tell(tx, quote, actor=actor, data={"added": {"type": draft.type, "text": draft.text}})
        await contingencies.add(tx, quote_id, [draft])


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
            raise WrongState(f"The binder lapsed after {policy.fulfil_by}.", available_statuses=CONTINGENT)
        if not _one(owed, contingency_id).is_open:
            return
        quote = await _tell(tx, quote, actor=actor, data={"closed": contingency_id})
        await contingencies.set_status(tx, quote_id, contingency_id, is_open=False)
        others_open = any(one.is_open and one.contingency_id != contingency_id for one in owed)
        if policy is not None and policy.in_force and not policy.is_issued and not others_open:
            await issue_policy(runtime, tx, quote, actor=actor)


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
        policy = await policies.find(tx, quote_id)
        if policy is not None and policy.is_issued:
            raise WrongState("The policy is issued: nothing is owed any more.", available_statuses=CONTINGENT)
        find_move(quote.status, Trigger.CHANGE_CONTINGENCIES)
        if _one(await contingencies.of_quote(tx, quote_id), contingency_id).is_open:
            return
        await _tell(tx, quote, actor=actor, data={"reopened": contingency_id})
        await contingencies.set_status(tx, quote_id, contingency_id, is_open=True)


async def _tell(tx: Tx, quote: Quote, *, actor: str, data: dict[str, object]) -> Quote:
    return await advance_quote(tx, quote, Trigger.CHANGE_CONTINGENCIES, actor=actor, data=data)


def _one(owed: list[Contingency], contingency_id: str) -> Contingency:
    for contingency in owed:
        if contingency.contingency_id == contingency_id:
            return contingency
    flaw = Problem("contingency_id", "unknown_contingency", "names no contingency of this quote")
    raise InvalidRequest.because([flaw])
