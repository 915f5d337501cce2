from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from markupsafe import Markup

from bindery.base.money import to_whole_dollars
from bindery.domain.rating.worksheet import EXACT, ONE, Part, Worksheet
from bindery.web.charts.bars import Bar, waterfall
from bindery.web.shown.words import cents, money

MINUS: Final = "\N{MINUS SIGN}"
TIMES: Final = "\N{MULTIPLICATION SIGN}"


@dataclass(frozen=True, slots=True)
class ShownStep:
    label: str
    because: str
    factor: str
    amount: str
    components: tuple[str, ...]
    is_neutral: bool


@dataclass(frozen=True, slots=True)
class ShownPart:
    """One product of factors with its amount to the cent: parts are added before they are rounded."""

    title: str
    steps: tuple[ShownStep, ...]
    amount: str


@dataclass(frozen=True, slots=True)
class ShownWorksheet:
    premium: str
    amount: str
    sentence: str
    picture: Markup
    parts: tuple[ShownPart, ...]


def shown_worksheet(worksheet: Worksheet, *, premium: int) -> ShownWorksheet:
    """Show how a premium was calculated; `premium` is the one charged, by the tariff or by a person."""
    sentence = (
        f"By the tariff, edition {worksheet.tariff_edition}. Minimum premium {money(worksheet.minimum)}."
    )
    if worksheet.minimum_applied:
        sentence += " The minimum premium applies."
    if premium != worksheet.premium:
        share = Decimal(premium - worksheet.premium) * 100 / worksheet.premium
        sentence = (
            f"Set by an underwriter: {_signed(share)} % compared with the tariff's "
            f"{money(worksheet.premium)}, "
            f"edition {worksheet.tariff_edition}."
        )
    return ShownWorksheet(
        premium=money(premium),
        amount=cents(worksheet.amount) if len(worksheet.parts) > 1 else "",
        sentence=sentence,
        picture=waterfall([*_bars(worksheet), Bar("Premium", money(premium), 0, premium, is_total=True)]),
        parts=tuple(_part(part) for part in worksheet.parts),
    )


def _bars(worksheet: Worksheet) -> Iterator[Bar]:
    """Draw a bar for each step; the figures of all steps add up to the last sum, each rounded from there."""
    start = Decimal(0)
    for part in worksheet.parts:
        before = Decimal(0)
        for number, step in enumerate(part.steps):
            change = to_whole_dollars(start + step.running) - to_whole_dollars(start + before)
            if number == 0:
                title = step.label if len(worksheet.parts) == 1 else f"{part.title}: {step.label}"
                yield Bar(title, money(change), float(start), float(start + step.running), is_total=not start)
            elif step.factor != ONE:
                figure = f"{'+' if step.factor > ONE else MINUS}{money(abs(change))}"
                yield Bar(step.label, figure, float(start + before), float(start + step.running))
            before = step.running
        start += part.amount


def _part(part: Part) -> ShownPart:
    return ShownPart(
        title=part.title,
        steps=tuple(
            ShownStep(
                label=step.label,
                because=step.reason,
                factor=f"${_plain(step.factor)}" if number == 0 else f"{TIMES} {_plain(step.factor)}",
                amount=_whole(step.running),
                components=tuple(
                    f"{component.label}: {component.reason}, {TIMES} {_plain(component.value)}"
                    for component in step.components
                ),
                is_neutral=step.factor == ONE,
            )
            for number, step in enumerate(part.steps)
        ),
        amount=cents(part.amount),
    )


def _signed(share: Decimal) -> str:
    return f"{share:+.1f}".replace("-", MINUS)


def _whole(amount: Decimal) -> str:
    return money(to_whole_dollars(amount))


def _plain(factor: Decimal) -> str:
    """Return every digit of a factor, so that multiplying the factors shown gives the premium."""
    return f"{factor.normalize(EXACT):,f}"
