"""What drawings over time share: a frame with ticks, drawn once for wide pages and once for narrow ones."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from bindery.web.charts.scale import Scale, scale_to, spread

Figure = Callable[[float], str]


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


WIDE: Final = Size("wide", 640, 220, 56, 92, 6)
NARROW: Final = Size("small", 340, 200, 48, 74, 3)
SIZES: Final = (WIDE, NARROW)
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
    return Markup().join(_drawing(size, key, labels, most, figure, inside) for size in SIZES)


def _drawing(
    size: Size,
    key: str,
    labels: Sequence[str],
    most: float,
    figure: Figure,
    inside: Callable[[PlotFrame], Markup],
) -> Markup:
    frame = PlotFrame(size, scale_to(most, start=size.height - FOOT, end=TOP), len(labels))
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
        *(Markup().join(rules), Markup().join(days), inside(frame)),
    )
