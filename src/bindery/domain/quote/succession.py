"""What took the place of a quote: a changed submission, another option that was bound, a renewal."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from bindery.contract.lists import SupersededBecause
from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.applicant.risk import OptionAsk


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    quote_id: uuid.UUID
    submission_id: uuid.UUID
    product: InsuranceProduct
    ask: OptionAsk
    passed_over_for: uuid.UUID | None
    renewed_by: uuid.UUID | None
    is_renewal: bool
    was_outdated: bool


Successors = Mapping[uuid.UUID, tuple[uuid.UUID, SupersededBecause]]


def successors(quotes: Iterable[Candidate]) -> Successors:
    """Return the quote that replaced each one, where any did; the newest submission comes first."""
    found: dict[uuid.UUID, tuple[uuid.UUID, SupersededBecause]] = {}
    newer: dict[InsuranceProduct, list[Candidate]] = {}
    for _, options in groupby(quotes, lambda quote: quote.submission_id):
        submission = list(options)
        product = submission[0].product
        for quote in submission:
            if quote.passed_over_for is not None:
                found[quote.quote_id] = (quote.passed_over_for, SupersededBecause.OTHER_OPTION_BOUND)
            elif quote.renewed_by is not None:
                found[quote.quote_id] = (quote.renewed_by, SupersededBecause.RENEWED)
            elif quote.was_outdated and product in newer:
                heir = _like(quote, newer[product])
                found[quote.quote_id] = (heir.quote_id, SupersededBecause.SUBMISSION_CHANGED)
        if not submission[0].is_renewal:
            newer[product] = submission
    return found


def _like(quote: Candidate, others: Sequence[Candidate]) -> Candidate:
    return next((other for other in others if other.ask == quote.ask), others[0])
