"""Amounts as bars one below the other; labels and figures are text, only the bar is drawn."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

WIDTH: Final = 1000
LEAST: Final = 3.0


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
