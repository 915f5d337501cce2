"""Amounts as bars one below the other; labels and figures are text, only the bar is drawn."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

WHOLE: Final = 100.0
LEAST: Final = 0.5
"""Percent; bars are drawn at least this long, so that one in thousands is seen."""
APART: Final = 0.4
"""Percent between the parts of a bar."""
SPARK_HEIGHT: Final = 24
SPARK_STEP: Final = 6
SPARK_WIDTH: Final = 4


@dataclass(frozen=True, slots=True)
class BarPart:
    amount: float
    tone: str = "f1"


@dataclass(frozen=True, slots=True)
class LabeledBar:
    label: str
    figure: str
    parts: tuple[BarPart, ...]

    @property
    def amount(self) -> float:
        return sum(part.amount for part in self.parts)


def bars(drawn: Sequence[LabeledBar], *, caption: str = "", is_roomy: bool = False) -> Markup:
    most = max((bar.amount for bar in drawn), default=0) or 1
    rows = (_row(bar.label, bar.figure, _parts(bar, most)) for bar in drawn)
    return _table(rows, caption, "falls roomy" if is_roomy else "falls")


@dataclass(frozen=True, slots=True)
class Span:
    """A bar that begins where it does on a common scale; what ends after the scale is cut there."""

    label: str
    figure: str
    start: float
    length: float
    tone: str = "f1"


def spans(drawn: Sequence[Span], *, until: float, caption: str) -> Markup:
    whole = until or 1

    def bar_of(span: Span) -> Markup:
        x = min(span.start / whole * WHOLE, WHOLE - LEAST)
        return _rect(span.tone, x, min(max(span.length / whole * WHOLE, LEAST), WHOLE - x))

    return _table((_row(span.label, span.figure, bar_of(span)) for span in drawn), caption, "falls roomy")


def _parts(bar: LabeledBar, most: float) -> Markup:
    x, drawn = 0.0, []
    for part in bar.parts:
        if part.amount <= 0:
            continue
        width = max(part.amount / most * WHOLE, LEAST)
        drawn.append(_rect(part.tone, min(x, WHOLE - LEAST), max(width - (APART if x else 0), LEAST)))
        x += width + (0 if x else APART)
    return Markup().join(drawn)


def _table(rows: Iterable[Markup], caption: str, style: str) -> Markup:
    named = Markup('<caption class="sr">%s</caption>') % caption if caption else ""
    return Markup('<table class="%s">%s<tbody>%s</tbody></table>') % (style, named, Markup().join(rows))


_ROW: Final = Markup(
    '<tr><th scope="row">%s</th>'
    '<td class="bar-cell"><svg aria-hidden="true"><rect class="f-track" width="100%%" height="100%%" rx="2"/>'
    '%s</svg></td><td class="money">%s</td></tr>'
)
_RECT: Final = Markup('<rect class="%s" x="%.2f%%" width="%.2f%%" height="100%%" rx="2"/>')


def _row(label: str, figure: str, drawn: Markup) -> Markup:
    return _ROW % (label, drawn, figure)


def _rect(tone: str, x: float, width: float) -> Markup:
    return _RECT % (tone, x, width)


def spark(outcomes: Sequence[tuple[int, int]], words: str) -> Markup:
    most = max((good + bad for good, bad in outcomes), default=0) or 1
    parts = []
    for place, (good, bad) in enumerate(outcomes):
        x = place * SPARK_STEP
        if not good + bad:
            parts.append(
                Markup('<rect class="f-track" x="{}" y="{}" width="{}" height="2"/>').format(
                    x, SPARK_HEIGHT - 2, SPARK_WIDTH
                )
            )
            continue
        whole = max((good + bad) / most * SPARK_HEIGHT, 2.0)
        failed = max(whole * bad / (good + bad), 2.0) if bad else 0.0
        parts.append(
            Markup(
                '<rect class="f1" x="{0}" y="{1:.1f}" width="{2}" height="{3:.1f}"/>'
                '<rect class="f-bad" x="{0}" y="{1:.1f}" width="{2}" height="{4:.1f}"/>'
            ).format(x, SPARK_HEIGHT - whole, SPARK_WIDTH, whole, failed)
        )
    return Markup('<svg class="spark" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>').format(
        len(outcomes) * SPARK_STEP, SPARK_HEIGHT, words, Markup().join(parts)
    )
