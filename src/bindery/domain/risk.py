"""What is priced and screened: the applicant's facts, and the terms of one option."""

from dataclasses import dataclass
from datetime import date
from typing import Final, assert_never

from dateutil.relativedelta import relativedelta

from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.answers import Answers

FULL_PRIOR_ACTS: Final = "full_prior_acts"
"""The other thing an MPL retroactive date may say."""


@dataclass(frozen=True, slots=True)
class Term:
    """The policy period and how far back it reaches.

    `teo_retroactive` is None where the cover starts with the policy; `mpl_retroactive` is None where none was
    asked for, a date, or `FULL_PRIOR_ACTS`.
    """

    effective: date
    expiration: date
    teo_retroactive: date | None = None
    mpl_retroactive: date | str | None = None


def whole_months(start: date, end: date) -> int:
    """Count the months that fit between two days; a month that starts on the 31st ends on its last day.

    Months are added, not subtracted: 12 of them have passed in the year from February 29 to February 28.
    """
    months = (end.year - start.year) * 12 + end.month - start.month
    return months if start + relativedelta(months=months) <= end else months - 1


def retroactive_date(term: Term, product: InsuranceProduct) -> date | str | None:
    """Return the day from which acts are covered, or `FULL_PRIOR_ACTS`; None where there is no such day.

    Where none was asked for, the liability covers start with the policy.
    """
    match product:
        case InsuranceProduct.TEO:
            return term.teo_retroactive or term.effective
        case InsuranceProduct.MPL:
            return term.mpl_retroactive or term.effective
        case InsuranceProduct.CYB:
            return None
        case _:
            assert_never(product)


@dataclass(frozen=True, slots=True)
class Risk:
    """The facts that every option of a submission shares."""

    product: InsuranceProduct
    revenue: int
    state: str
    industry: str | None
    answers: Answers
    term: Term
    scan_score: int | None = None


@dataclass(frozen=True, slots=True)
class OptionAsk:
    """One requested option, as it was sent; None where nothing was asked."""

    aggregate_limit: int
    aggregate_retention: int | None = None
    per_claim_limit: int | None = None
    per_claim_retention: int | None = None


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms a quote carries.

    CYB and TEO have an `aggregate_retention`; MPL has a `per_claim_retention`, and an aggregate one only as a
    yearly cap that was asked for.
    """

    aggregate_limit: int
    per_claim_limit: int
    aggregate_retention: int | None
    per_claim_retention: int | None
