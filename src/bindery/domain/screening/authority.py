from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from bindery.base.numbers import in_dollars
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.screening.case import Case, Reason, Recommendation


@dataclass(frozen=True, slots=True)
class Authority:
    """The largest limit and revenue quoted automatically; None where there is no bound."""

    limit: int
    revenue: int | None = None
    advise_decline_above: int | None = None

    @property
    def rules(self) -> tuple["AuthorityRule", ...]:
        bounds_revenue = (revenue_above_authority,) if self.revenue is not None else ()
        return (limit_above_authority, *bounds_revenue)


AuthorityRule = Callable[[Authority, int, int], Reason | None]


def limit_above_authority(authority: Authority, limit: int, _revenue: int) -> Reason | None:
    """Refer limits that are not quoted automatically."""
    if limit <= authority.limit:
        return None
    return Reason(
        "limit_above_authority",
        f"The aggregate limit of {in_dollars(limit)} is above the {in_dollars(authority.limit)} "
        "that is quoted automatically",
        status=QuoteStatus.AUTHORITY_FAILED,
    )


def revenue_above_authority(authority: Authority, _limit: int, revenue: int) -> Reason | None:
    """Refer firms that are too large to be quoted automatically."""
    if authority.revenue is None or revenue <= authority.revenue:
        return None
    decline_above = authority.advise_decline_above
    too_large = decline_above is not None and revenue > decline_above
    return Reason(
        "revenue_above_authority",
        f"The revenue of {in_dollars(revenue)} is above the {in_dollars(authority.revenue)} "
        "that is quoted automatically",
        recommendation=Recommendation.DECLINE if too_large else Recommendation.REFER,
        status=QuoteStatus.AUTHORITY_FAILED,
    )


def authority_reasons(authority: Authority, limit: int, revenue: int) -> tuple[Reason, ...]:
    found = (rule(authority, limit, revenue) for rule in authority.rules)
    return tuple(reason for reason in found if reason is not None)


def retention_above_share(case: Case) -> Reason | None:
    """Refer a requested retention that is too large a part of its limit."""
    if case.retention_above_share:
        return Reason("retention_above_share", "The requested retention is above 25% of the aggregate limit")
    return None


def limit_too_small(case: Case) -> Reason | None:
    """Refer limits of which the firm's lowest retention would be too large a part."""
    if case.limit_too_small:
        return Reason(
            "limit_too_small",
            "The limit is too small for the firm: its lowest retention is above 25% of the aggregate limit",
        )
    return None


def no_cover_per_claim(case: Case) -> Reason | None:
    """Refer options whose retention uses up the per-claim limit."""
    if case.no_cover_per_claim:
        return Reason(
            "no_cover_per_claim", "The retention reaches the per-claim limit, so that no claim would be paid"
        )
    return None


def broker_conflict(case: Case) -> Reason | None:
    """Refer companies that another broker of the partner has on file."""
    if case.broker_conflict:
        return Reason(
            "broker_conflict",
            "The company is on file with another broker",
            status=QuoteStatus.BROKER_CONFLICT_REFERRAL,
        )
    return None


def pricing_failed(case: Case) -> Reason | None:
    """Refer options that could not be priced."""
    if case.pricing_failed:
        return Reason("pricing_failed", "The option could not be priced", status=QuoteStatus.CALC_FAILED)
    return None


RENEWAL_HELD: Final = Reason(
    "renewal_held", "An underwriter looks at the renewal before it is offered or bound by itself"
)


def renewal_held(case: Case) -> Reason | None:
    """Refer renewals that an underwriter has held."""
    return RENEWAL_HELD if case.renewal_held else None


def outside_binder(case: Case) -> Reason | None:
    """Refer options that no binder in force on their first day covers."""
    return Reason("outside_binder", case.outside_binder) if case.outside_binder else None


RULES: Final = (
    pricing_failed,
    broker_conflict,
    renewal_held,
    outside_binder,
    retention_above_share,
    limit_too_small,
    no_cover_per_claim,
)
