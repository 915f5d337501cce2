from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from msgspec import Struct

from bindery.base.numbers import to_whole_dollars
from bindery.domain.quote.price_explanation import moves_of
from bindery.domain.rating.worksheet import EXACT, ONE, Part, Worksheet, WorksheetStep
from bindery.web.shown.words import cents, money

MINUS: Final = "\N{MINUS SIGN}"
TIMES: Final = "\N{MULTIPLICATION SIGN}"
LEAST_WIDTH: Final = 0.5
MOST_NAMED: Final = 2
MOST_WITH_REASONS: Final = 8


class ShownStep(Struct, frozen=True):
    label: str
    because: str
    factor: str
    amount: str
    components: tuple[str, ...]
    is_neutral: bool


class ShownPart(Struct, frozen=True):
    """One product of factors with its amount to the cent: parts are added before they are rounded."""

    title: str
    steps: tuple[ShownStep, ...]
    amount: str


class Fall(Struct, frozen=True):
    """A bar of the waterfall; `start` and `width` are percent of the widest one."""

    part: str
    label: str
    why: str
    figure: str
    start: float
    width: float
    kind: str
    """`ink` for a sum, `up` and `down` for what raises and lowers it."""


class Waterfall(Struct, frozen=True):
    falls: tuple[Fall, ...]
    is_long: bool
    """Whether there are so many bars that their reasons would push everything else off the screen."""


class ShownWorksheet(Struct, frozen=True):
    premium: str
    amount: str
    sentence: str
    edition: str
    note: str
    """What a reader must know of the premium before anything else; empty if it is the tariff's."""
    waterfall: Waterfall
    idle: str
    """The lines that change nothing, in a sentence."""
    parts: tuple[ShownPart, ...]


def shown_worksheet(worksheet: Worksheet, *, premium: int) -> ShownWorksheet:
    """Show how a premium was calculated; `premium` is the one charged, by the tariff or by a person."""
    edition, minimum = worksheet.tariff_edition, money(worksheet.minimum)
    note = "The minimum premium applies." if worksheet.minimum_applied else ""
    sentence = f"By the tariff, edition {edition}. Minimum premium {minimum}. {note}".strip()
    if premium != worksheet.premium:
        share = Decimal(premium - worksheet.premium) * 100 / worksheet.premium
        note = sentence = (
            f"Set by an underwriter: {_signed(share)} % compared with the tariff's "
            f"{money(worksheet.premium)}, edition {edition}."
        )
    return ShownWorksheet(
        premium=money(premium),
        amount=cents(worksheet.amount) if len(worksheet.parts) > 1 else "",
        sentence=sentence,
        edition=f"tariff {edition}, minimum {minimum}",
        note=note,
        waterfall=waterfall_of(worksheet, premium),
        idle=_idle(worksheet),
        parts=tuple(_part(part) for part in worksheet.parts),
    )


def waterfall_of(worksheet: Worksheet, premium: int) -> Waterfall:
    falls = _falls([*_bars(worksheet, premium), _premium_bar(worksheet, premium)])
    return Waterfall(falls, is_long=len(falls) > MOST_WITH_REASONS)


class _Bar(Struct, frozen=True):
    part: str
    label: str
    why: str
    figure: str
    start: Decimal
    end: Decimal
    is_sum: bool = False


def _bars(worksheet: Worksheet, premium: int) -> Iterator[_Bar]:
    """Return a bar for each step that has an effect; the figures of all add up to the premium."""
    for move in moves_of(worksheet, premium):
        step = move.step
        if move.part is None or step is None:
            figure = f"{'+' if move.dollars > 0 else MINUS}{money(abs(move.dollars))}"
            yield _Bar("", move.label, "", figure, move.start, move.end)
        elif move.is_base:
            title = step.label if len(worksheet.parts) == 1 else f"{move.part.title}: {_lowered(step.label)}"
            why = _lowered(step.reason)
            yield _Bar(move.part.title, title, why, money(move.dollars), move.start, move.end, is_sum=True)
        elif step.factor != ONE:
            figure = f"{'+' if step.factor > ONE else MINUS}{money(abs(move.dollars))}"
            why = f"{_because(step)}, {TIMES} {_rounded(step.factor)}"
            yield _Bar(move.part.title, step.label, why, figure, move.start, move.end)


def _because(step: WorksheetStep) -> str:
    """Return the reason of a step; for a group of answers, those that have an effect."""
    moved = [component.label for component in step.components if component.value != ONE]
    if not moved:
        return _lowered(step.reason)
    named = ", ".join(map(_lowered, moved[:MOST_NAMED]))
    return f"{named} and {len(moved) - MOST_NAMED} more" if len(moved) > MOST_NAMED else named


def _premium_bar(worksheet: Worksheet, premium: int) -> _Bar:
    if premium != worksheet.premium:
        why = "set by an underwriter"
    else:
        why = "the minimum premium" if worksheet.minimum_applied else "by the tariff"
    return _Bar("", "Premium", why, money(premium), Decimal(0), Decimal(premium), is_sum=True)


def _falls(bars: list[_Bar]) -> tuple[Fall, ...]:
    most = max(max(bar.start, bar.end) for bar in bars) or ONE
    return tuple(
        Fall(
            part=bar.part,
            label=bar.label,
            why=bar.why,
            figure=bar.figure,
            start=round(float(min(bar.start, bar.end) / most * 100), 2),
            width=max(round(float(abs(bar.end - bar.start) / most * 100), 2), LEAST_WIDTH),
            kind="ink" if bar.is_sum else "up" if bar.end > bar.start else "down",
        )
        for bar in bars
    )


def _idle(worksheet: Worksheet) -> str:
    steps = (step for part in worksheet.parts for step in part.steps[1:] if step.factor == ONE)
    labels = list(dict.fromkeys(_lowered(step.label) for step in steps))
    return f"No effect: {', '.join(labels)}." if labels else ""


def _lowered(text: str) -> str:
    """Return a text that goes on a sentence; a word of capitals, such as a state, keeps them."""
    is_word = text[1:2].islower() or text[1:2] == " "
    return f"{text[0].lower()}{text[1:]}" if is_word else text


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


def _rounded(factor: Decimal) -> str:
    """Return four digits of a factor: the full ones are in the lines of the worksheet."""
    return f"{round(factor, 4).normalize():f}"


def _plain(factor: Decimal) -> str:
    """Return every digit of a factor, so that multiplying the factors shown gives the premium."""
    return f"{factor.normalize(EXACT):,f}"
