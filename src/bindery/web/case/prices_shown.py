"""What the options of a case cost on the terms that are being thought about."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from bindery.domain.quote.by_hand import is_set_by_hand
from bindery.domain.quote.desk import are_decided_together
from bindery.domain.quote.quote import Quote
from bindery.domain.quote.underwriting import from_record, total_of
from bindery.domain.rating.surcharges import Surcharge
from bindery.domain.rating.worksheet import worksheet_from_plain
from bindery.web.shown.option import shown_number
from bindery.web.shown.words import STATUS_WORDS, cents, money
from bindery.web.shown.worksheet import ShownWorksheet, shown_worksheet


@dataclass(frozen=True, slots=True)
class ShownCharges:
    premium: str
    lines: tuple[tuple[str, str], ...]
    total: str


def shown_charges(quote: Quote) -> ShownCharges | None:
    """Show the total for an option as priced; None if it has no price."""
    record = from_record(quote.assessment) if quote.assessment is not None else None
    if quote.premium is None or record is None or record.surcharges_effective_from is None:
        return None
    return ShownCharges(
        premium=cents(quote.premium), lines=_lines(record.surcharges), total=cents(total_of(quote, record))
    )


def _lines(surcharges: Sequence[Surcharge]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (
            f"{surcharge.title}, {surcharge.percentage.normalize():f} %"
            if surcharge.percentage
            else surcharge.title,
            cents(surcharge.price),
        )
        for surcharge in surcharges
    )


@dataclass(frozen=True, slots=True)
class ShownByHand:
    """A premium set by an underwriter; `who` and `why` are empty while it is only in the form."""

    premium: str
    who: str
    why: str


def shown_by_hand(quote: Quote) -> ShownByHand | None:
    """Show a premium without factors; None if the tariff has one."""
    record = from_record(quote.assessment) if quote.assessment is not None else None
    if record is None or record.override is None or not is_set_by_hand(record):
        return None
    return ShownByHand(money(quote.premium), record.override["by"], record.override["reason"])


@dataclass(frozen=True, slots=True)
class PricedOption:
    """The price of an option on the terms of the form.

    It may be picked if the decisions that the current option is open to suit it.
    """

    quote_id: str
    number: int
    premium: str
    shown_premium: str
    status: str
    may_be_picked: bool
    is_picked: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownPrices:
    number: int
    worksheet: ShownWorksheet | None
    by_hand: ShownByHand | None
    charges: ShownCharges | None
    options: tuple[PricedOption, ...]
    problems: tuple[str, ...]


def shown_prices(
    priced: Sequence[Quote], *, number: int, picked: Collection[str], problems: Sequence[str]
) -> ShownPrices:
    current = next((quote for quote in priced if shown_number(quote.option_number) == number), priced[0])
    worksheet = _worksheet(current)
    return ShownPrices(
        number=shown_number(current.option_number),
        worksheet=worksheet,
        by_hand=shown_by_hand(current) if worksheet is None else None,
        charges=shown_charges(current),
        options=tuple(
            PricedOption(
                quote_id=str(quote.quote_id),
                number=shown_number(quote.option_number),
                premium=money(quote.premium),
                shown_premium=str(quote.premium or ""),
                status=STATUS_WORDS[quote.status].text,
                may_be_picked=are_decided_together(current.status, quote.status),
                is_picked=str(quote.quote_id) in picked
                if picked
                else shown_number(quote.option_number) == number,
            )
            for quote in priced
        ),
        problems=tuple(problems),
    )


def _worksheet(quote: Quote) -> ShownWorksheet | None:
    record = from_record(quote.assessment) if quote.assessment is not None else None
    if record is None or record.worksheet is None:
        return None
    worksheet = worksheet_from_plain(record.worksheet)
    return shown_worksheet(worksheet, premium=quote.premium or worksheet.premium)


Line = tuple[str, str]
"""The title of a part and the label of one of its lines."""


def changed_lines(stored: Sequence[Quote], priced: Sequence[Quote], *, number: int) -> frozenset[Line]:
    """Return the lines of an option whose factor differs from the stored one; none if it had no price."""
    before, after = _option(stored, number), _option(priced, number)
    if before.assessment == after.assessment:
        return frozenset()
    factors = dict(_factors(before))
    return frozenset(line for line, factor in _factors(after) if factors and factors.get(line) != factor)


def _option(quotes: Sequence[Quote], number: int) -> Quote:
    return next((quote for quote in quotes if shown_number(quote.option_number) == number), quotes[0])


def _factors(quote: Quote) -> Iterator[tuple[Line, str]]:
    record = from_record(quote.assessment) if quote.assessment is not None else None
    if record is None or record.worksheet is None:
        return
    for part in record.worksheet["parts"]:
        for step in part["steps"]:
            yield (part["title"], step["label"]), step["factor"]
