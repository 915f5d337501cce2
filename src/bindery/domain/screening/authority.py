"""How far the service may quote by itself."""

from collections.abc import Callable
from dataclasses import dataclass

from bindery.base.money import in_dollars
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.screening.case import Reason, Recommendation


@dataclass(frozen=True, slots=True)
class Authority:
    """The largest limit and revenue quoted automatically; None where there is no bound."""

    limit: int
    revenue: int | None = None
    advise_decline_above: int | None = None

    @property
    def rules(self) -> tuple["AuthorityRule", ...]:
        """The rules that it bounds something by."""
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
    """Return why an option is outside automatic authority; nothing when it is inside."""
    found = (rule(authority, limit, revenue) for rule in authority.rules)
    return tuple(reason for reason in found if reason is not None)
