"""What is taken though it does not fit: the quote names it in `corrections`, `validate` in `warnings`."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta

from bindery.contract.quotes import Address
from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.applicant.industries import find_industry
from bindery.domain.applicant.us_states import state_of_zip
from bindery.domain.policy.binding import EARLIEST, LATEST
from bindery.domain.products import IndustryUse, record_of
from bindery.domain.quote.corrections import (
    INDUSTRY_MISSING,
    NO_LONGER_BINDABLE,
    NOT_BINDABLE_YET,
    UNKNOWN_INDUSTRY,
    ZIP_OUTSIDE_STATE,
    Correction,
)
from bindery.domain.rating.tariff import Tariff
from bindery.domain.rating.terms import settle_terms
from bindery.domain.submission.value import Submission

FAR_AHEAD = timedelta(days=365)
EFFECTIVE = "policy.dates.effective"
INDUSTRY = "client.industry"


def zip_outside_state(address: Address, state: str) -> Iterator[Correction]:
    zip_code = address.zip.strip()
    by_zip = state_of_zip(zip_code)
    if by_zip is not None and by_zip != state:
        text = f"The ZIP {zip_code} belongs to {by_zip}, but the address names {state}, which was quoted"
        yield Correction("client.address.zip", zip_code, None, text, ZIP_OUTSIDE_STATE)


def unlisted_industry(code: str | None, product: InsuranceProduct) -> Iterator[Correction]:
    """Name an industry that is missing or unlisted, and how it is rated, where one is asked for."""
    if record_of(product).industry is IndustryUse.NOT_ASKED:
        return
    industry = find_industry(code)
    if code is None:
        text = f"No industry was given; {_rated_by(product, None)}"
        yield Correction(INDUSTRY, None, None, text, INDUSTRY_MISSING)
    elif industry.title is None:
        text = f"{code} is not a NAICS 2022 code; {_rated_by(product, industry.matched)}"
        yield Correction(INDUSTRY, code, industry.matched, text, UNKNOWN_INDUSTRY)


def _rated_by(product: InsuranceProduct, prefix: str | None) -> str:
    if record_of(product).industry is IndustryUse.NOT_RATED:
        return f"{product} is rated by its answers, without an industry"
    return f"it is rated by its prefix {prefix}" if prefix else "it is rated as an industry of middle hazard"


def out_of_reach(effective: date, today: date) -> Iterator[Correction]:
    """Name an effective date that is quoted and cannot be bound, ever or for a long time."""
    if effective < today - EARLIEST:
        text = (
            f"The effective date {effective} can no longer be bound: a bind accepts one up to "
            f"{EARLIEST.days} days before today, {today}"
        )
        yield Correction(EFFECTIVE, str(effective), None, text, NO_LONGER_BINDABLE)
    elif effective > today + FAR_AHEAD:
        text = (
            f"The effective date {effective} cannot be bound before {effective - LATEST}: a bind accepts "
            f"one up to {LATEST.days} days ahead"
        )
        yield Correction(EFFECTIVE, str(effective), None, text, NOT_BINDABLE_YET)


def raised_terms(submission: Submission, tariff: Tariff) -> Iterator[Correction]:
    """Name the terms that differ from those requested."""
    for number, ask in enumerate(submission.options):
        for correction in settle_terms(tariff, submission.revenue, submission.product, ask).corrections:
            yield replace(correction, field=f"policy.quotes[{number}].{correction.field}")
