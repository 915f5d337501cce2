"""Rules about one option and the way it came in."""

from typing import Final

from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.screening.case import Case, Reason


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


RULES: Final = (
    pricing_failed,
    broker_conflict,
    retention_above_share,
    limit_too_small,
    no_cover_per_claim,
)
