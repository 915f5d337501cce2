"""What an underwriter decides about a bind: approve the request, add and close contingencies."""

import uuid

from bindery.actions.advance_quote import advance_quote
from bindery.actions.bind_quote import AFTER_BIND, put_in_force
from bindery.actions.review_quote import lock_quote
from bindery.base.errors import InvalidRequest, Problem, WrongState
from bindery.contract.vocabulary import ContingencyType, QuoteStatus
from bindery.domain.contingencies import Contingency, ContingencyKind, DraftContingency
from bindery.domain.lifecycle import Trigger
from bindery.domain.policy import BINDER_LAPSES_AFTER
from bindery.domain.quote import Quote
from bindery.runtime import Runtime
from bindery.storage import contingencies, policies, queue
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


async def add_contingency(
    runtime: Runtime, quote_id: uuid.UUID, draft: DraftContingency, *, actor: str
) -> None:
    """Make the quote subject to something more.

    Raises:
        WrongState: it is past the point where anything can be asked for.
    """
    async with runtime.database.transaction() as tx:
        quote = await lock_quote(tx, quote_id)
        await _tell(tx, quote, actor=actor, data={"added": {"type": draft.type, "text": draft.text}})
        await contingencies.add(tx, quote_id, [draft])


async def close_contingency(
    runtime: Runtime, quote_id: uuid.UUID, contingency_id: str, *, actor: str
) -> None:
    """Close a contingency; when the last one of a conditional binder closes, the policy is issued.

    Raises:
        InvalidRequest: the quote has no such contingency.
        WrongState: it is past the point where that matters.
    """
    async with runtime.database.transaction() as tx:
        quote = await lock_quote(tx, quote_id)
        owed = await contingencies.of_quote(tx, quote_id)
        _require(owed, contingency_id)
        quote = await _tell(tx, quote, actor=actor, data={"closed": contingency_id})
        await contingencies.set_status(tx, quote_id, contingency_id, is_open=False)
        others_open = any(one.is_open and one.contingency_id != contingency_id for one in owed)
        policy = await policies.find(tx, quote_id)
        if policy is not None and policy.in_force and not policy.is_issued and not others_open:
            await policies.issue(tx, quote_id, issued_on=runtime.business_day(tx.now))
            data = {"policy_number": policy.policy_number, "premium": quote.premium}
            await advance_quote(tx, quote, Trigger.ISSUE, actor=actor, data=data)
            await queue.enqueue(tx, AFTER_BIND, [str(quote_id)])


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
        _require(await contingencies.of_quote(tx, quote_id), contingency_id)
        await _tell(tx, quote, actor=actor, data={"reopened": contingency_id})
        await contingencies.set_status(tx, quote_id, contingency_id, is_open=True)


async def _tell(tx: Tx, quote: Quote, *, actor: str, data: dict[str, object]) -> Quote:
    return await advance_quote(tx, quote, Trigger.CHANGE_CONTINGENCIES, actor=actor, data=data)


def _require(owed: list[Contingency], contingency_id: str) -> None:
    if not any(one.contingency_id == contingency_id for one in owed):
        flaw = Problem("contingency_id", "unknown_contingency", "names no contingency of this quote")
        raise InvalidRequest.because([flaw])
