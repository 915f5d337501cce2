"""What the options of a case cost on the terms that are being thought about."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from bindery.domain.quote.desk import are_decided_together
from bindery.domain.quote.quote import Quote
from bindery.domain.quote.underwriting import from_record
from bindery.domain.rating.worksheet import worksheet_from_plain
from bindery.web.case.by_hand import ShownByHand, shown_by_hand
from bindery.web.shown.charges import ShownCharges, shown_charges
from bindery.web.shown.option import shown_number
from bindery.web.shown.words import STATUS_WORDS, money
from bindery.web.shown.worksheet import ShownWorksheet, shown_worksheet


@dataclass(frozen=True, slots=True)
class PricedOption:
    """What an option costs on the terms of the form; it may be picked if the current one's decisions suit."""

    quote_id: str
    number: int
    premium: str
    shown_premium: str
    status: str
    may_be_picked: bool
    is_picked: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownPrices:
    """The prices of all options, and how that of the current one was worked out."""

    number: int
    worksheet: ShownWorksheet | None
    by_hand: ShownByHand | None
    charges: ShownCharges | None
    options: tuple[PricedOption, ...]
    problems: tuple[str, ...]


def shown_prices(
    priced: Sequence[Quote], *, number: int, picked: Collection[str], problems: Sequence[str]
) -> ShownPrices:
    """Show the prices of a case; `number` is that of the current option, `picked` are the options chosen."""
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
