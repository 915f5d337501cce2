"""Columns by day, drawn once for wide cards and once for narrow ones."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

STEPS: Final = (1.0, 2.0, 2.5, 5.0, 10.0)
TICKS: Final = 4
WIDEST: Final = 24.0
LEAST: Final = 1.5
"""Parts of columns are drawn at least this high, so that one failure in thousands is seen."""

Figure = Callable[[float], str]


@dataclass(frozen=True, slots=True)
class Scale:
    ticks: tuple[float, ...]
    start: float
    end: float

    def place(self, value: float) -> float:
        return self.start + (self.end - self.start) * value / self.ticks[-1]


def nice_ticks(most: float) -> tuple[float, ...]:
    """Return ticks from zero to the largest value or just above it, in steps that people count in."""
    if most <= 0:
        return (0.0, 1.0)
    power = 10.0 ** math.floor(math.log10(most / TICKS))
    step = next(power * step_size for step_size in STEPS if power * step_size * TICKS >= most * (1 - 1e-9))
    return tuple(step * number for number in range(math.ceil(most / step - 1e-9) + 1))


def spread(count: int, most: int) -> Sequence[int]:
    if count <= 0:
        return ()
    step = math.ceil(count / most)
    return tuple(reversed(range(count - 1, -1, -step)))


@dataclass(frozen=True, slots=True)
class Size:
    """A drawing; its units are pixels of the page, so that text is as large as elsewhere."""

    name: str
    width: int
    height: int
    left: int
    right: int
    labels: int

    @property
    def inner(self) -> int:
        return self.width - self.left - self.right


SIZES: Final = (Size("large", 680, 212, 52, 18, 6), Size("small", 360, 184, 48, 18, 3))
TOP: Final = 10
FOOT: Final = 26


@dataclass(frozen=True, slots=True)
class PlotFrame:
    size: Size
    scale: Scale
    count: int

    def x(self, place: float) -> float:
        return self.size.left + self.size.inner * (place + 0.5) / max(self.count, 1)

    @property
    def step(self) -> float:
        return self.size.inner / max(self.count, 1)


def _drawing(frame: PlotFrame, key: str, labels: Sequence[str], figure: Figure, inside: Markup) -> Markup:
    size = frame.size
    rules = [
        Markup(
            '<path class="rule" d="M{} {:.1f}H{}"/><text text-anchor="end" x="{}" y="{:.1f}">{}</text>'
        ).format(
            *(size.left, frame.scale.place(tick), size.width - size.right),
            *(size.left - 8, frame.scale.place(tick) + 4, figure(tick)),
        )
        for tick in frame.scale.ticks
    ]
    days = [
        Markup('<text text-anchor="middle" x="{:.1f}" y="{}">{}</text>').format(
            frame.x(place), size.height - 6, labels[place]
        )
        for place in spread(len(labels), size.labels)
    ]
    return Markup(
        '<svg class="plot {}" viewBox="0 0 {} {}" role="img" aria-labelledby="{}-title {}-words">{}{}{}</svg>'
    ).format(
        *(size.name, size.width, size.height, key, key),
        *(Markup().join(rules), Markup().join(days), inside),
    )


@dataclass(frozen=True, slots=True)
class Layer:
    """A part of each column, drawn on top of the parts before it; a day may have none."""

    name: str
    tone: str
    amounts: tuple[float, ...]


def columns(
    key: str, days: Sequence[str], layers: Sequence[Layer], figure: Figure, *, mark: float | None = None
) -> Markup:
    """Draw one column for each day at both sizes, with the key below; `key` begins the ids of its texts.

    `mark` is drawn across the columns where they come near it: a scale that always reached it would leave
    columns far below it too low to be told apart.
    """
    most = max((sum(parts) for parts in zip(*(layer.amounts for layer in layers), strict=True)), default=0)
    ticks = nice_ticks(most)
    frames = [PlotFrame(size, Scale(ticks, size.height - FOOT, TOP), len(days)) for size in SIZES]
    drawings = [
        _drawing(
            frame, key, days, figure, Markup().join([*_columns(frame, layers), _marked(frame, mark, figure)])
        )
        for frame in frames
    ]
    return Markup().join([*drawings, legend([(layer.name, layer.tone) for layer in layers])])


def _columns(frame: PlotFrame, layers: Sequence[Layer]) -> Iterator[Markup]:
    width = min(frame.step * 0.7, WIDEST)
    for place in range(frame.count):
        y = frame.scale.place(0)
        for layer in layers:
            if not layer.amounts[place]:
                continue
            height = max(frame.scale.place(0) - frame.scale.place(layer.amounts[place]), LEAST)
            y -= height
            yield Markup('<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>').format(
                layer.tone, frame.x(place) - width / 2, y, width, height
            )


def _marked(frame: PlotFrame, mark: float | None, figure: Figure) -> Markup:
    if mark is None or mark > frame.scale.ticks[-1]:
        return Markup()
    size, y = frame.size, frame.scale.place(mark)
    right = size.width - size.right
    return Markup(
        '<path stroke="currentColor" stroke-dasharray="5 4" d="M{} {:.1f}H{}"/>'
        '<text text-anchor="end" x="{}" y="{:.1f}">{} promised</text>'
    ).format(size.left, y, right, right, y - 4, figure(mark))


def legend(layers: Sequence[tuple[str, str]]) -> Markup:
    """Return the key of a picture: each name with the color it is drawn in."""
    items = Markup().join(
        Markup(
            '<li class="key"><svg viewBox="0 0 10 10" aria-hidden="true">'
            '<rect class="{}" width="10" height="10" rx="2"/></svg>{}</li>'
        ).format(tone, name)
        for name, tone in layers
    )
    return Markup('<ul class="row">{}</ul>').format(items)
