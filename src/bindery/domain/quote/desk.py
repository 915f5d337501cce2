"""What an underwriter has to decide."""

import uuid
from collections.abc import Collection, Iterable, Sequence
from typing import Final

from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.quote.lifecycle import AT_THE_DESK, NOT_READY, TAKES_PAPERS, WERE_BOUND, Trigger, may
from bindery.domain.quote.quote import JournalEntry, Quote, Walk

_CHANGE_WHAT_WAITS: Final = frozenset(
    {Trigger.CHANGE_CONTINGENCIES, Trigger.REQUEST_CANCELLATION, Trigger.DECLINE_CANCELLATION}
)
"""Steps that change the desk without moving a status."""
_DECISIONS: Final = (Trigger.APPROVE_REFERRAL, Trigger.DECLINE, Trigger.CANCEL, Trigger.REINSTATE)
"""An approved bind could also be declined, so that its approval needs no entry."""


def are_decided_together(status: QuoteStatus, other: QuoteStatus) -> bool:
    """Whether quotes of these statuses are open to the same decisions, and to any at all."""
    mine, theirs = ([may(at, decision) for decision in _DECISIONS] for at in (status, other))
    return any(mine) and mine == theirs


def first_to_look_at(quotes: Sequence[Quote], with_papers: Collection[uuid.UUID]) -> Quote:
    """Return the quote with something waiting, else the one with the policy, else the first.

    `with_papers` are the quotes with uploaded files that nobody has settled yet.
    """
    waiting = [quote for quote in quotes if quote.status in AT_THE_DESK]
    waiting += [quote for quote in quotes if quote.quote_id in with_papers and quote.status in TAKES_PAPERS]
    policies = [quote for quote in quotes if quote.status in WERE_BOUND]
    return (*waiting, *policies, *quotes)[0]


def last_step(entries: Iterable[JournalEntry], quote_id: uuid.UUID) -> int:
    """Return the number of the last entry that a decision has to know of.

    Documents are made at any time and change nothing about it.
    """
    return max(
        (
            entry.entry
            for entry in entries
            if entry.quote_id == quote_id and entry.trigger != Trigger.MAKE_DOCUMENTS
        ),
        default=0,
    )


def concerns_desk(walk: Walk) -> bool:
    """Whether a walk may change the items on the desk.

    A quote that is published straight from the pipeline does not: nothing was uploaded for it yet.
    """
    before, after = walk.quote.status, walk.ends_at
    if before in AT_THE_DESK or after in AT_THE_DESK:
        return True
    if any(step.trigger in _CHANGE_WHAT_WAITS for step in walk.steps):
        return True
    # A paper waits no longer once there is nothing left that it could be for, and again once there is.
    return before not in NOT_READY and (before in TAKES_PAPERS) != (after in TAKES_PAPERS)
