"""How far the service may quote by itself."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from bindery.base.money import in_dollars
from bindery.contract.vocabulary import InsuranceProduct, QuoteStatus
from bindery.domain.screening.case import Reason, Recommendation


@dataclass(frozen=True, slots=True)
class Authority:
    """The largest limit and revenue quoted automatically; None where there is no bound."""

    limit: int
    revenue: int | None = None
    advise_decline_above: int | None = None


AUTHORITY: Final[Mapping[InsuranceProduct, Authority]] = {
    InsuranceProduct.CYB: Authority(limit=3_000_000),
    InsuranceProduct.TEO: Authority(limit=3_000_000, revenue=25_000_000),
    InsuranceProduct.MPL: Authority(
        limit=2_000_000, revenue=50_000_000, advise_decline_above=100_000_000
    ),
}  # fmt: skip

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


AUTHORITY_RULES: Final[Mapping[InsuranceProduct, tuple[AuthorityRule, ...]]] = {
    InsuranceProduct.CYB: (limit_above_authority,),
    InsuranceProduct.TEO: (limit_above_authority, revenue_above_authority),
    InsuranceProduct.MPL: (limit_above_authority, revenue_above_authority),
}


def authority_reasons(product: InsuranceProduct, limit: int, revenue: int) -> tuple[Reason, ...]:
    """Return why an option is outside automatic authority; nothing when it is inside."""
    found = (rule(AUTHORITY[product], limit, revenue) for rule in AUTHORITY_RULES[product])
    return tuple(reason for reason in found if reason is not None)
