from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Final

from msgspec import Struct, structs

from bindery.contract.quote import CorrectionBody, QuoteBody
from bindery.contract.vocabulary import ContingencyType, QuoteStatus
from bindery.domain.products import RetentionBasis, record_of
from bindery.domain.quote.lifecycle import AT_THE_DESK, BINDABLE, NOT_READY
from bindery.domain.submission.value import CHANGED_BY_UNDERWRITER
from bindery.web.shown.words import NONE, Times, day, money

NOT_QUOTED: Final = "not quoted yet"


class Cell(Struct, frozen=True):
    """The text of one option in one row; `differs` if the options of the row are not all alike.

    `more` says under what else the text holds. `changed` follows it where an underwriter approved another
    term than the one asked for.
    """

    text: str
    differs: bool = False
    changed: str = ""
    notes: tuple[str, ...] = ()
    corrections: tuple[str, ...] = ()
    more: str = ""

    @property
    def is_explained(self) -> bool:
        return bool(self.changed or self.notes or self.corrections)


class Row(Struct, frozen=True):
    title: str
    cells: tuple[Cell, ...]
    is_figure: bool = True
    is_total: bool = False
    term: str = ""

    @property
    def differs(self) -> bool:
        return any(cell.differs for cell in self.cells)

    @property
    def is_alike(self) -> bool:
        """Whether it says the same of several options, without anything to add for one of them."""
        return len(self.cells) > 1 and len(set(self.cells)) == 1 and not self.cells[0].is_explained


def comparison(
    bodies: Sequence[QuoteBody],
    waiting: tuple[datetime, datetime] | None,
    times: Times,
    *,
    coverages: Sequence[Row] = (),
) -> tuple[Row, ...]:
    basis = record_of(bodies[0].insurance_product).retention
    rows = [
        _term("Aggregate limit", "aggregate_limit", bodies),
        _per_claim_limit(bodies),
    ]
    if basis is RetentionBasis.PER_CLAIM:
        rows.append(_term("Per-claim retention", "per_claim_retention", bodies))
    if basis is RetentionBasis.AGGREGATE or any(body.aggregate_retention is not None for body in bodies):
        rows.append(_term("Retention", "aggregate_retention", bodies))
    rows += [
        *coverages,
        row_of(
            "Period",
            [f"{_unbroken(body.dates.effective)} to {_unbroken(body.dates.expiration)}" for body in bodies],
            is_figure=False,
        ),
        *_reaching_back(bodies),
        row_of("Premium", [_priced(body, money(body.premium)) for body in bodies]),
        Row(
            "Taxes and fees",
            tuple(
                Cell(
                    _priced(
                        body, _dollars(sum((Decimal(str(s.price)) for s in body.surcharges), Decimal(0)))
                    ),
                    notes=tuple(f"{s.title} {_dollars(Decimal(str(s.price)))}" for s in body.surcharges),
                )
                for body in bodies
            ),
        ),
        Row(
            "Total",
            tuple(Cell(_priced(body, _dollars(Decimal(str(body.total or 0))))) for body in bodies),
            is_total=True,
        ),
        row_of("Open until", [_open_until(body) for body in bodies]),
        Row("What is needed", tuple(Cell(_needs(body, waiting, times)) for body in bodies), is_figure=False),
    ]
    return tuple(rows)


PRICE: Final = ("Premium", "Taxes and fees", "Total")
ABOUT_THE_SUBMISSION: Final = frozenset({"Period", "Retroactive date", "Open until", "What is needed"})


def without_alike(rows: Sequence[Row]) -> tuple[tuple[Row, ...], tuple[Row, ...]]:
    """Part rows that tell options apart, the price last, from those in which all options are alike.

    A single option has in its table what options are told apart by.
    """
    is_single = len(rows[0].cells) == 1
    alike = tuple(
        row
        for row in rows
        if row.title not in PRICE
        and (
            row.title in ABOUT_THE_SUBMISSION and not row.cells[0].is_explained if is_single else row.is_alike
        )
    )
    shown = [row for row in rows if row not in alike]
    return tuple(sorted(shown, key=lambda row: row.title in PRICE)), alike


def terms_shown(rows: Sequence[Row]) -> frozenset[str]:
    """Return the fields of the request whose corrections are shown next to their values."""
    return frozenset(row.term for row in rows)


def _term(title: str, term: str, bodies: Sequence[QuoteBody]) -> Row:
    texts = [money(getattr(body, term)) for body in bodies]
    differs = len(set(texts)) > 1
    cells = tuple(
        Cell(
            text,
            differs,
            changed="".join(
                _changed(correction) for correction in body.corrections if correction.field == term
            ),
            corrections=tuple(
                correction.text
                for correction in body.corrections
                if correction.field == term and correction.code != CHANGED_BY_UNDERWRITER
            ),
        )
        for text, body in zip(texts, bodies, strict=True)
    )
    return Row(title, cells, term=term)


def _per_claim_limit(bodies: Sequence[QuoteBody]) -> Row:
    row = _term("Per-claim limit", "per_claim_limit", bodies)
    is_whole = all(body.per_claim_limit == body.aggregate_limit for body in bodies)
    if len(bodies) == 1 or not is_whole or any(cell.is_explained for cell in row.cells):
        return row
    return structs.replace(row, cells=tuple(Cell("as the aggregate limit") for _ in bodies))


def _changed(correction: CorrectionBody) -> str:
    if correction.code != CHANGED_BY_UNDERWRITER:
        return ""
    asked = f"asked for {money(correction.asked)}" if isinstance(correction.asked, int) else ""
    return ": ".join(filter(None, (asked, correction.reason)))


def row_of(title: str, texts: Sequence[str], *, is_figure: bool = True, more: Sequence[str] = ()) -> Row:
    said = more or [""] * len(texts)
    differs = len(set(zip(texts, said, strict=True))) > 1
    cells = tuple(Cell(text, differs, more=also) for text, also in zip(texts, said, strict=True))
    return Row(title, cells, is_figure=is_figure)


def _reaching_back(bodies: Sequence[QuoteBody]) -> tuple[Row, ...]:
    rule = record_of(bodies[0].insurance_product).retroactive
    if rule is None:
        return ()
    return (row_of("Retroactive date", [reach_shown(getattr(body.dates, rule.field)) for body in bodies]),)


def reach_shown(reach: date | str | None) -> str:
    """Return a retroactive date; it is text for products that also offer full prior acts."""
    if not isinstance(reach, str):
        return day(reach)
    try:
        return day(date.fromisoformat(reach))
    except ValueError:
        return reach.replace("_", " ")


def _priced(body: QuoteBody, text: str) -> str:
    return (
        NOT_QUOTED
        if body.premium is None and body.quote_status in _UNPRICED
        else text
        if body.premium is not None
        else NONE
    )


_UNPRICED: Final = frozenset({*NOT_READY, QuoteStatus.QUOTE_REFERRED})


def _dollars(amount: Decimal) -> str:
    return f"${amount:,.2f}"


def _open_until(body: QuoteBody) -> str:
    return day(body.quote_expiration_date) if body.quote_status in BINDABLE else NONE


_WHEN: Final = {ContingencyType.PRE_BIND: "before the bind", ContingencyType.POST_BIND: "after the bind"}


def _needs(body: QuoteBody, waiting: tuple[datetime, datetime] | None, times: Times) -> str:
    owed = [
        f"{contingency.text.partition(',')[0]}, {_WHEN[contingency.type]}"
        for contingency in body.contingencies
        if contingency.status == "open"
        and (contingency.type is ContingencyType.PRE_BIND or body.quote_status not in AT_THE_DESK)
    ]
    if body.quote_status in AT_THE_DESK:
        answer = "an underwriter decides first"
        if waiting is not None:
            answer = f"an underwriter's answer, expected by {times.at(waiting[1]).text}"
        text = "; ".join([*owed, answer])
        return f"{text[0].upper()}{text[1:]}"
    if not owed or body.quote_status not in {*BINDABLE, QuoteStatus.POLICY_ACTIVE}:
        return NONE
    return "; ".join(owed)


def _unbroken(on: date) -> str:
    return day(on).replace(" ", "\N{NO-BREAK SPACE}")
