"""Cases of other companies that are like one."""

from collections.abc import Iterable
from dataclasses import dataclass

from bindery.storage.earlier import SimilarCase
from bindery.web.shown.times import Times
from bindery.web.shown.words import NONE, STATUS_WORDS, Moment, StatusWord, money


@dataclass(frozen=True, slots=True)
class ShownSimilar:
    """One row."""

    address: str
    name: str
    revenue: str
    limit: str
    retention: str
    premium: str
    outcome: StatusWord
    who: str
    submitted: Moment


def shown_similar(cases: Iterable[SimilarCase], times: Times) -> tuple[ShownSimilar, ...]:
    """Return the rows, the nearest first."""
    return tuple(
        ShownSimilar(
            address=f"/desk/case/{case.submission_id}",
            name=case.name,
            revenue=money(case.revenue),
            limit=money(case.aggregate_limit),
            retention=money(case.retention),
            premium=money(case.premium),
            outcome=STATUS_WORDS[case.status],
            who=case.decided_by or NONE,
            submitted=times.at(case.submitted_at),
        )
        for case in cases
    )
