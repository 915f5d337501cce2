"""Which lines of a worksheet are others than before, on the terms that are being thought about."""

from collections.abc import Iterator, Sequence

from bindery.domain.quote.quote import Quote
from bindery.domain.quote.underwriting import from_record
from bindery.web.shown.option import shown_number

Line = tuple[str, str]
"""The title of a part and the label of one of its lines."""


def changed_lines(stored: Sequence[Quote], priced: Sequence[Quote], *, number: int) -> frozenset[Line]:
    """Return the lines of an option whose factor is not the stored one; none where it had no price."""
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
