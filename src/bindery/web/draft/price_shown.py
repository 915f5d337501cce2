"""The price range at the side of a draft: the indication of the API, with the answers given so far."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bindery.contract.vocabulary import DEFAULT_AGGREGATE_LIMIT
from bindery.domain.applicant.risk import OptionAsk
from bindery.domain.drafts.draft_applicant import DraftApplicant
from bindery.domain.drafts.option_grid import GridOption
from bindery.domain.products import record_of
from bindery.domain.rating.indication import Indication
from bindery.web.shown.words import counted, listed, money

NOT_ENOUGH: Final = "A price range comes once enough questions are answered."


@dataclass(frozen=True, slots=True)
class ShownPriceRange:
    """`figure` is empty while there is no range to show, and `says` then what is missing."""

    figure: str
    says: str
    assumes: tuple[str, ...] = ()


def range_in_words(low: int, high: int) -> str:
    return money(low) if low == high else f"{money(low)} to {money(high)}"


def shown_price(applicant: DraftApplicant) -> ShownPriceRange:
    """Return the price range of the usual option."""
    ranges = applicant.indications([OptionAsk(DEFAULT_AGGREGATE_LIMIT)])
    if not ranges:
        return _lacking(applicant)
    (found,) = ranges
    if not found.is_telling:
        return ShownPriceRange("", NOT_ENOUGH)
    retention = found.terms.per_claim_retention or found.terms.aggregate_retention
    says = f"premium for {money(DEFAULT_AGGREGATE_LIMIT)}, {money(retention)} retention"
    return ShownPriceRange(range_in_words(found.low, found.high), says, _assumed(applicant))


def shown_price_of_options(applicant: DraftApplicant, options: Sequence[GridOption]) -> ShownPriceRange:
    """Return the price range over the options that are ticked, or of the usual one while none is."""
    ranges = [option.range for option in options if option.range is not None]
    if not ranges:
        return shown_price(applicant)
    if not all(found.is_telling for found in ranges):
        return ShownPriceRange("", NOT_ENOUGH)
    says = (
        "premium of the option you chose" if len(ranges) == 1 else f"premium over {_your(ranges)} you chose"
    )
    low, high = min(found.low for found in ranges), max(found.high for found in ranges)
    return ShownPriceRange(range_in_words(low, high), says, _assumed(applicant))


def _your(ranges: Sequence[Indication]) -> str:
    return f"the {counted(len(ranges), 'option')}"


def _lacking(applicant: DraftApplicant) -> ShownPriceRange:
    facts = listed(list(applicant.missing_facts))
    return ShownPriceRange("", f"A price range needs the {facts} of the company.")


def _assumed(applicant: DraftApplicant) -> tuple[str, ...]:
    answered, required = len(applicant.answers.values), len(applicant.required)
    given = f"All {required} answers as given" if answered == required else "The answers so far as given"
    record = record_of(applicant.questions.product)
    return (
        given,
        *(() if answered == required else ("From the best to the worst for the rest",)),
        *(("From the best scan to the worst",) if record.is_scanned else ()),
    )
