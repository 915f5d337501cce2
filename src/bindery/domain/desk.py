"""What an underwriter has to decide."""

from typing import Final

from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.lifecycle import Trigger
from bindery.domain.quote import Walk

WAITING: Final = frozenset({QuoteStatus.QUOTE_REFERRED, QuoteStatus.QUOTE_BIND_REQUESTED})
"""Statuses that a person has to decide about."""

MAY_HAVE_PAPERS: Final = frozenset(
    {
        QuoteStatus.PUBLISHED,
        QuoteStatus.OFFER_EMAIL,
        QuoteStatus.QUOTE_BIND_REQUESTED,
        QuoteStatus.POLICY_ACTIVE,
    }
)
"""Statuses in which an uploaded paper is worth a person's look."""


def concerns_desk(walk: Walk) -> bool:
    """Whether a walk may change what waits on the desk.

    A quote that is published straight from the pipeline does not: nothing was uploaded for it yet.
    """
    before, after = walk.quote.status, walk.ends_at
    if before in WAITING or after in WAITING:
        return True
    if any(step.trigger is Trigger.CHANGE_CONTINGENCIES for step in walk.steps):
        return True
    # A paper waits no longer once there is nothing left that it could be for.
    return before in MAY_HAVE_PAPERS and after not in MAY_HAVE_PAPERS
