"""Decided cases like this one: what they cost by limit and revenue, and where this one lies among them."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from msgspec import Struct

from bindery.base.numbers import to_whole_dollars
from bindery.storage.submission.earlier import ENOUGH, Likeness, SimilarCase
from bindery.web.shown.words import STATUS_WORDS, Moment, StatusWord, Times, counted, money

MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownSimilar:
    address: str
    name: str
    submitted: Moment
    revenue: str
    limit: str
    retention: str
    premium: str
    by_limit: str
    by_revenue: str
    outcome: StatusWord
    decided_by: str


class Comparables(Struct, frozen=True, kw_only=True):
    """The cases, in what they are alike, and where this one lies; `lies` is empty without a price."""

    cases: tuple[ShownSimilar, ...]
    alike: str
    lies: str
    this_by_limit: str = ""
    this_by_revenue: str = ""


def shown_comparables(
    similar: Sequence[SimilarCase], times: Times, *, premium: int | None, limit: int | None, revenue: int
) -> Comparables:
    """Show comparable cases; `premium` and `limit` are those of the option that is looked at."""
    by_limit = [rate for case in similar if (rate := per_million(case.premium, case.aggregate_limit))]
    by_revenue = [rate for case in similar if (rate := per_million(case.premium, case.revenue))]
    this_by_limit, this_by_revenue = per_million(premium, limit), per_million(premium, revenue)
    places = (
        _place(this_by_limit, by_limit, "$1M of limit"),
        _place(this_by_revenue, by_revenue, "$1M of revenue"),
    )
    return Comparables(
        cases=tuple(_shown(case, times) for case in similar),
        alike=_alike(similar),
        lies=" ".join(place for place in places if place),
        this_by_limit=_dollars(this_by_limit),
        this_by_revenue=_dollars(this_by_revenue),
    )


def per_million(premium: int | None, amount: int | None) -> int | None:
    """Return what a million of a limit or of revenue costs, in whole dollars."""
    if not premium or not amount:
        return None
    return to_whole_dollars(Decimal(premium) * MILLION / amount)


def _dollars(rate: int | None) -> str:
    return "" if rate is None else money(rate)


def _place(this: int | None, others: Sequence[int], unit: str) -> str:
    if this is None or not others:
        return ""
    below = sum(other < this for other in others)
    return f"{money(this)} per {unit}: above {below} of {len(others)}."


def _alike(similar: Sequence[SimilarCase]) -> str:
    kinds = {case.likeness for case in similar}
    near = sum(case.likeness is Likeness.NEAR for case in similar)
    if kinds <= {Likeness.NEAR}:
        return "decided, same product and sector, half to double the revenue"
    few = (
        f"only {counted(near, 'decided case')} from half to double the revenue"
        if near
        else ("no decided case from half to double the revenue")
    )
    wider = "other sectors follow" if Likeness.PRODUCT in kinds else "other sizes of the sector follow"
    assert near < ENOUGH, "others are looked for where there are too few"
    return f"{few}: {wider}"


def _shown(case: SimilarCase, times: Times) -> ShownSimilar:
    return ShownSimilar(
        address=f"/desk/case/{case.submission_id}",
        name=case.name,
        submitted=times.on(case.submitted_at),
        revenue=money(case.revenue),
        limit=money(case.aggregate_limit),
        retention=money(case.retention),
        premium=money(case.premium),
        by_limit=_dollars(per_million(case.premium, case.aggregate_limit)),
        by_revenue=_dollars(per_million(case.premium, case.revenue)),
        outcome=STATUS_WORDS[case.status],
        decided_by=case.decided_by or "the tariff",
    )
