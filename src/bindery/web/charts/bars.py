"""Amounts as bars one below the other; labels and figures are text, only the bar is drawn."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

WIDTH: Final = 1000
LEAST: Final = 3.0
SPARK_HEIGHT: Final = 24
SPARK_STEP: Final = 6
SPARK_WIDTH: Final = 4


@dataclass(frozen=True, slots=True)
class BarPart:
    amount: float
    tone: str = "one"


@dataclass(frozen=True, slots=True)
class LabeledBar:
    label: str
    figure: str
    parts: tuple[BarPart, ...]

    @property
    def amount(self) -> float:
        return sum(part.amount for part in self.parts)


def bars(drawn: Sequence[LabeledBar]) -> Markup:
    most = max((bar.amount for bar in drawn), default=0) or 1
    return Markup('<div class="bars">{}</div>').format(Markup().join(_bar(bar, most) for bar in drawn))


def _bar(bar: LabeledBar, most: float) -> Markup:
    x, parts = 0.0, []
    for part in bar.parts:
        if part.amount <= 0:
            continue
        width = max(part.amount / most * WIDTH, LEAST)
        parts.append(
            Markup('<rect class="part {}" x="{:.1f}" y="2" width="{:.1f}" height="16"/>').format(
                part.tone, min(x, WIDTH - LEAST), width
            )
        )
        x += width
    return Markup(
        "<span>{}</span>"
        '<svg viewBox="0 0 1000 20" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="bar-track" x="0" y="2" width="1000" height="16"/>{}</svg>'
        '<span class="num">{}</span>'
    ).format(bar.label, Markup().join(parts), bar.figure)


@dataclass(frozen=True, slots=True)
class Bar:
    label: str
    figure: str
    start: float
    end: float
    is_total: bool = False


def waterfall(drawn: Sequence[Bar]) -> Markup:
    most = max((max(bar.start, bar.end) for bar in drawn), default=0) or 1
    rows = []
    for bar in drawn:
        left, right = sorted((bar.start / most * WIDTH, bar.end / most * WIDTH))
        kind = "bar-total" if bar.is_total else "bar-up" if bar.end > bar.start else "bar-down"
        rows.append(
            Markup(
                "<span>%s</span>"
                '<svg viewBox="0 0 1000 20" preserveAspectRatio="none" aria-hidden="true">'
                '<rect class="%s" x="%.0f" y="2" width="%.0f" height="16"/></svg>'
                '<span class="num">%s</span>'
            )
            # `%` takes half as long as `format`.
            % (bar.label, kind, left, max(right - left, 3), bar.figure)
        )
    return Markup('<div class="bars">{}</div>').format(Markup().join(rows))


def spark(outcomes: Sequence[tuple[int, int]], words: str) -> Markup:
    most = max((good + bad for good, bad in outcomes), default=0) or 1
    parts = []
    for place, (good, bad) in enumerate(outcomes):
        x = place * SPARK_STEP
        if not good + bad:
            parts.append(
                Markup('<rect class="bar-track" x="{}" y="{}" width="{}" height="1"/>').format(
                    x, SPARK_HEIGHT - 1, SPARK_WIDTH
                )
            )
            continue
        whole = max((good + bad) / most * SPARK_HEIGHT, 2.0)
        failed = max(whole * bad / (good + bad), 2.0) if bad else 0.0
        parts.append(
            Markup(
                '<rect class="part good" x="{0}" y="{1:.1f}" width="{2}" height="{3:.1f}"/>'
                '<rect class="part bad" x="{0}" y="{1:.1f}" width="{2}" height="{4:.1f}"/>'
            ).format(x, SPARK_HEIGHT - whole, SPARK_WIDTH, whole, failed)
        )
    return Markup('<svg class="spark" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>').format(
        len(outcomes) * SPARK_STEP, SPARK_HEIGHT, words, Markup().join(parts)
    )
