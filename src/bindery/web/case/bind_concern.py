"""Why a bind goes to an underwriter, in words."""

from collections.abc import Iterable
from typing import assert_never

from bindery.domain.policy.binding import BindConcern
from bindery.domain.policy.contingencies import Contingency, in_the_way
from bindery.domain.text import listed


def concern_in_words(concern: BindConcern, owed: Iterable[Contingency]) -> str:
    """Return the clause that follows `because`; `owed` is what the quote is subject to."""
    match concern:
        case BindConcern.RETROACTIVE_DATE:
            return "the retroactive date reaches back further than quoted"
        case BindConcern.STILL_OPEN:
            still_open = [f"“{contingency.text}”" for contingency in in_the_way(owed)]
            return f"this is still open: {listed(still_open)}" if still_open else "something was still open"
        case _:
            assert_never(concern)
