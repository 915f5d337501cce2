"""Whether the record of a quote still gives its price, and what is said where it does not."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from bindery.domain.quote.quote import Quote
from bindery.domain.quote.reproduction import Difference, Reproduction, reproduce
from bindery.domain.rating.tariff import TARIFFS
from support.applicants import SUBMISSION, assessed

Record = dict[str, Any]
NOT_RATED = "The premium has no worksheet, and nobody set it"
PREMIUM = 1_362


def bent(quote: Quote, bend: Callable[[Record], object]) -> Quote:
    """Return a quote with something else in its stored assessment."""
    assert quote.assessment is not None
    record = msgspec.json.decode(quote.assessment)
    bend(record)
    return replace(quote, assessment=msgspec.json.encode(record).decode())


def reproduced(quote: Quote) -> Reproduction:
    return reproduce(quote, SUBMISSION, None, SUBMISSION.term)


def test_a_record_that_nobody_touched_gives_its_price_again() -> None:
    found = reproduced(assessed())

    assert (found.charged, found.rated, found.computed) == (PREMIUM, PREMIUM, PREMIUM)
    assert found.multiplies_out
    assert found.difference is None


def test_a_quote_that_was_never_assessed_has_nothing_to_reproduce() -> None:
    quote = replace(assessed(), premium=None, terms=None, assessment=None)

    assert reproduced(quote) == Reproduction(charged=None)


def test_a_premium_without_a_worksheet_needs_somebody_who_set_it() -> None:
    unpriced = replace(assessed(breaks_pricing=True), premium=4_200)
    by_hand = bent(unpriced, lambda record: record.update(override={"by": "una@example.com"}))

    assert reproduced(unpriced) == Reproduction(charged=4_200, difference=Difference(NOT_RATED))
    assert reproduced(by_hand) == Reproduction(charged=4_200, set_by="una@example.com")


@pytest.mark.parametrize(
    ("bend", "difference"),
    [
        (
            lambda sheet: sheet.update(tariff_edition="1999.1"),
            Difference("There is no tariff edition '1999.1'"),
        ),
        (
            lambda sheet: sheet.update(tariff_fingerprint="f00d"),
            Difference(
                "Tariff 2026.1 is not the one that it was rated with",
                "f00d",
                TARIFFS.named("2026.1").fingerprint,
            ),
        ),
        (
            lambda sheet: sheet["parts"][0]["steps"][0].update(running="1"),
            Difference("The stored worksheet does not multiply out"),
        ),
        (
            lambda sheet: sheet["parts"][0]["steps"][0].update(label="Basis"),
            Difference("Cyber has other lines"),
        ),
    ],
    ids=["edition", "fingerprint", "factors", "lines"],
)
def test_a_bent_worksheet_is_found_and_named(
    bend: Callable[[Record], object], difference: Difference
) -> None:
    quote = bent(assessed(), lambda record: bend(record["worksheet"]))

    found = reproduced(quote)

    assert found.difference == difference
    assert (found.charged, found.rated) == (PREMIUM, PREMIUM)


def test_a_worksheet_with_other_parts_is_found() -> None:
    """One of another product, say, that multiplies out all the same."""

    def add_nothing(record: Record) -> None:
        nothing = {"label": "Nothing", "reason": "", "factor": "0", "running": "0", "components": []}
        record["worksheet"]["parts"].append({"title": "More", "terrorism_share": "0", "steps": [nothing]})

    found = reproduced(bent(assessed(), add_nothing))

    assert found.multiplies_out
    assert found.difference == Difference("The worksheet has other parts")


def test_terms_that_the_tariff_has_no_price_for_give_no_price_again() -> None:
    quote = assessed()
    assert quote.terms is not None

    found = reproduced(replace(quote, terms=replace(quote.terms, aggregate_retention=3)))

    assert (found.rated, found.computed) == (PREMIUM, None)
    assert found.difference == Difference("The tariff has no retention of $3")
