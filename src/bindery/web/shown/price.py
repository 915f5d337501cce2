"""Why an option costs what it costs, for the reader of a company's page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, assert_never

from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.quote.lifecycle import BINDABLE
from bindery.domain.quote.price_explanation import (
    BY_HAND,
    MINIMUM,
    BetterAnswer,
    Lever,
    PriceExplanation,
    PriceMove,
    levers_of,
    moves_of,
)
from bindery.domain.quote.price_levers import ClosedFindings, OtherRetention
from bindery.domain.quote.quote import Quote
from bindery.domain.quote.underwriting import from_record
from bindery.domain.rating.tariff import tariff_in_force
from bindery.domain.rating.worksheet import ONE, Worksheet, worksheet_from_plain
from bindery.domain.screening.rules import applicant_of
from bindery.storage.submission.submissions import StoredSubmission
from bindery.web.shown.words import money
from bindery.web.shown.worksheet import ShownWorksheet, shown_worksheet

MINUS: Final = "\N{MINUS SIGN}"
MOST_MOVES: Final = 4


@dataclass(frozen=True, slots=True)
class ShownMove:
    """`figure` is in dollars with its sign; `why` goes on the sentence after it."""

    figure: str
    why: str
    is_less: bool


@dataclass(frozen=True, slots=True)
class ShownSaving:
    what: str
    figure: str
    premium: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownExplanation:
    number: int
    premium: str
    base: str
    moves: tuple[ShownMove, ...]
    rest: str
    """What the steps that are not listed come to together; empty where all are."""
    savings: tuple[ShownSaving, ...]
    note: str
    full: ShownWorksheet | None
    """Every step with its factor, where the reader may see those."""


def is_explained(quote: Quote, level: PriceExplanation) -> bool:
    is_open = quote.status in {*BINDABLE, QuoteStatus.QUOTE_BIND_REQUESTED}
    return level is not PriceExplanation.NONE and is_open and quote.premium is not None


def explained_price(
    quote: Quote, stored: StoredSubmission, level: PriceExplanation, *, number: int, today: date
) -> ShownExplanation | None:
    """Explain the price of an open option; None where nothing is kept of how it came about."""
    record = from_record(quote.assessment) if quote.assessment is not None else None
    if record is None or record.worksheet is None or quote.premium is None or quote.terms is None:
        return None
    worksheet = worksheet_from_plain(record.worksheet)
    moves = moves_of(worksheet, quote.premium)
    base, listed, rest = _told(moves)
    levers = levers_of(
        applicant_of(stored.submission, scan=stored.scan), quote.terms, tariff_in_force(today), stored.scan
    )
    return ShownExplanation(
        number=number,
        premium=money(quote.premium),
        base=money(base),
        moves=listed,
        rest=_signed(rest) if rest else "",
        savings=tuple(_saving(lever, levers.rated) for lever in levers.found) if levers is not None else (),
        note=_note(worksheet, quote.premium),
        full=shown_worksheet(worksheet, premium=quote.premium) if level is PriceExplanation.FULL else None,
    )


def _told(moves: Sequence[PriceMove]) -> tuple[int, tuple[ShownMove, ...], int]:
    """Return the base, the largest moves, and what all others come to; the three add up to the price.

    What is not the tariff's is always told.
    """
    base = sum(move.dollars for move in moves if move.is_base)
    others = [move for move in moves if not move.is_base and move.dollars]
    largest = sorted(others, key=lambda move: (move.step is not None, -abs(move.dollars)))[:MOST_MOVES]
    listed = [move for move in others if move in largest]
    rest = sum(move.dollars for move in others if move not in largest)
    has_parts = len({move.part.title for move in moves if move.part is not None}) > 1
    return base, tuple(_shown(move, has_parts=has_parts) for move in listed), rest


def _shown(move: PriceMove, *, has_parts: bool) -> ShownMove:
    part = f" ({move.part.title})" if has_parts and move.part is not None else ""
    return ShownMove(_signed(move.dollars), _why(move) + part, is_less=move.dollars < 0)


_BECAUSE: Final[Mapping[str, str]] = {
    "Hazard": "for the industry",
    "Records held": "for the data that is held",
    "Events and claims": "because of past events and claims",
    "Shared aggregate": "because both parts share one limit",
    "Prior acts": "for prior acts",
    "Cap on retentions": "for the cap on retentions",
    MINIMUM: "up to the minimum premium",
    BY_HAND: "by the underwriter",
}


def _why(move: PriceMove) -> str:  # noqa: PLR0911 - one line a step
    step = move.step
    if step is None or move.label in _BECAUSE:
        return _BECAUSE[move.label]
    match move.label:
        case "Scan" if step.reason.startswith("Score of "):
            return f"because the scan scored {step.reason.removeprefix('Score of ')}"
        case "Scan":
            return "because nothing could be scanned"
        case "State":
            return f"for {step.reason}"
        case "Term":
            return f"for a term of {step.reason}"
        case "Limit" | "Retention":
            return f"for the {move.label.lower()} of {step.reason}"
        case _:
            moved = [part.label for part in step.components if (part.value > ONE) == (move.dollars > 0)]
            named = ", ".join(moved[:2])
            return f"for {move.label.lower()}" + (f": {named}" if named else "")


def _saving(lever: Lever, rated: int) -> ShownSaving:
    return ShownSaving(_what(lever), _signed(lever.premium - rated), money(lever.premium))


def _what(lever: Lever) -> str:
    match lever:
        case ClosedFindings(titles=titles):
            return f"Closing {titles[0]}"
        case OtherRetention(retention=retention):
            return f"A retention of {money(retention)}"
        case BetterAnswer(label=label, answer=answer):
            return f"{label}: {'yes' if answer else 'no'}"
        case _:
            assert_never(lever)


def _note(worksheet: Worksheet, premium: int) -> str:
    if premium != worksheet.premium:
        return f"An underwriter set the premium; these are compared with {money(worksheet.premium)}."
    return "Each is worked out again by the tariff; an underwriter may have to see it first."


def _signed(dollars: int) -> str:
    return f"{'+' if dollars > 0 else MINUS}{money(abs(dollars))}"
