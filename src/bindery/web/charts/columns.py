"""Counts by day as columns, the parts of a day on top of each other."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from bindery.web.charts.plot import Figure, PlotFrame, draw

WIDEST: Final = 24.0
LEAST: Final = 1.5
"""Parts are drawn at least this high, so that one failure in thousands is seen."""


@dataclass(frozen=True, slots=True)
class Layer:
    name: str
    tone: str
    counts: tuple[int, ...]


def columns(key: str, days: Sequence[str], layers: Sequence[Layer], figure: Figure) -> Markup:
    most = max((sum(parts) for parts in zip(*(layer.counts for layer in layers), strict=True)), default=0)

    def inside(frame: PlotFrame) -> Markup:
        width = min(frame.step * 0.7, WIDEST)
        parts = []
        for place in range(len(days)):
            y = frame.scale.place(0)
            for layer in layers:
                if not layer.counts[place]:
                    continue
                height = max(frame.scale.place(0) - frame.scale.place(layer.counts[place]), LEAST)
                y -= height
                parts.append(
                    Markup(
                        '<rect class="part {}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>'
                    ).format(layer.tone, frame.x(place) - width / 2, y, width, height)
                )
        return Markup().join(parts)

    return draw(key, days, most, figure, inside)


def legend(layers: Sequence[tuple[str, str]]) -> Markup:
    items = Markup().join(
        Markup(
            '<li><svg viewBox="0 0 9 9" aria-hidden="true"><rect class="part {}" width="9" height="9"/></svg>'
            " {}</li>"
        ).format(tone, name)
        for name, tone in layers
    )
    return Markup('<ul class="legend">{}</ul>').format(items)
