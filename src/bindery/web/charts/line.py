"""Values over days as lines that differ by dash and by the name at their end."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from bindery.web.charts.plot import Figure, PlotFrame, draw

APART: Final = 14.0


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
