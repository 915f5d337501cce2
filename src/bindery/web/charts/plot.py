"""Lines and columns by day, each drawn once for wide pages and once for narrow ones."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

STEPS: Final = (1.0, 2.0, 2.5, 5.0, 10.0)
TICKS: Final = 4
APART: Final = 14.0
"""The least distance between the names at the ends of lines."""
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


SIZES: Final = (Size("wide", 640, 220, 56, 92, 6), Size("small", 340, 200, 48, 74, 3))
TOP: Final = 12
FOOT: Final = 28


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


def draw(
    key: str, labels: Sequence[str], most: float, figure: Figure, inside: Callable[[PlotFrame], Markup]
) -> Markup:
    """Draw a frame with ticks at both sizes; `key` begins the ids of its title and its sentence."""
    ticks, count = nice_ticks(most), len(labels)
    frames = [PlotFrame(size, Scale(ticks, size.height - FOOT, TOP), count) for size in SIZES]
    return Markup().join(_drawing(frame, key, labels, figure, inside(frame)) for frame in frames)


def _drawing(frame: PlotFrame, key: str, labels: Sequence[str], figure: Figure, inside: Markup) -> Markup:
    size = frame.size
    rules = [
        Markup(
            '<line class="rule" x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}"/>'
            '<text class="tick" x="{}" y="{:.1f}">{}</text>'
        ).format(
            *(size.left, size.width - size.right, frame.scale.place(tick), frame.scale.place(tick)),
            *(size.left - 8, frame.scale.place(tick) + 4, figure(tick)),
        )
        for tick in frame.scale.ticks
    ]
    days = [
        Markup('<text class="day" x="{:.1f}" y="{}">{}</text>').format(
            frame.x(place), size.height - 8, labels[place]
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
class ChartLine:
    name: str
    values: tuple[float | None, ...]


def lines(key: str, days: Sequence[str], drawn: Sequence[ChartLine], figure: Figure) -> Markup:
    most = max((value for line in drawn for value in line.values if value is not None), default=0.0)

    def inside(frame: PlotFrame) -> Markup:
        parts = [_line(frame, number, line) for number, line in enumerate(drawn, start=1)]
        return Markup().join([*parts, *_names(frame, drawn)])

    return draw(key, days, most, figure, inside)


def _line(frame: PlotFrame, number: int, line: ChartLine) -> Markup:
    parts = []
    for run in _runs(line.values):
        points = " ".join(f"{frame.x(place):.1f},{frame.scale.place(value):.1f}" for place, value in run)
        if len(run) > 1:
            parts.append(Markup('<polyline class="line s{}" points="{}"/>').format(number, points))
        else:
            x, _, y = points.partition(",")
            parts.append(Markup('<circle class="dot s{}" cx="{}" cy="{}" r="3"/>').format(number, x, y))
    return Markup().join(parts)


def _runs(values: Sequence[float | None]) -> Iterator[list[tuple[int, float]]]:
    run: list[tuple[int, float]] = []
    for place, value in enumerate(values):
        if value is not None:
            run.append((place, value))
        elif run:
            yield run
            run = []
    if run:
        yield run


def _names(frame: PlotFrame, drawn: Sequence[ChartLine]) -> Iterator[Markup]:
    ends = []
    for number, line in enumerate(drawn, start=1):
        last = next((value for value in reversed(line.values) if value is not None), None)
        if last is not None:
            ends.append((frame.scale.place(last), number, line.name))
    lowest = float("inf")
    for y, number, name in sorted(ends, reverse=True):
        lowest = min(y, lowest - APART)
        yield Markup('<text class="name s{}" x="{}" y="{:.1f}">{}</text>').format(
            number, frame.size.width - frame.size.right + 6, lowest + 4, name
        )


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
