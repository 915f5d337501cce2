"""The few shapes our pictures are made of."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

INK: Final = "#12263f"
ACCENT: Final = "#0f766e"
SOFT: Final = "#f1f5f9"
LINE: Final = "#cbd5e1"
QUIET: Final = "#6c7888"
"""Ink at three fifths, for lines that are not the main way."""

FONT: Final = "Inter, 'Segoe UI', 'Helvetica Neue', Arial, 'Liberation Sans', sans-serif"
CORNER: Final = 8

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle by its middle and its size."""

    x: float
    y: float
    width: float
    height: float

    @property
    def left(self) -> float:
        """Return the left edge."""
        return self.x - self.width / 2

    @property
    def right(self) -> float:
        """Return the right edge."""
        return self.x + self.width / 2

    @property
    def top(self) -> float:
        """Return the upper edge."""
        return self.y - self.height / 2

    @property
    def bottom(self) -> float:
        """Return the lower edge."""
        return self.y + self.height / 2


def picture(width: int, height: int, title: str, parts: Sequence[str]) -> str:
    """Put shapes together on a white card that also reads on a dark page."""
    markers = "".join(_head(name, colour) for name, colour in (("quiet", QUIET), ("accent", ACCENT)))
    card = Box(width / 2, height / 2, width - 1, height - 1)
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" aria-label="{escape(title)}" font-family="{escape(FONT)}">'
    )
    return "\n".join(
        [
            opening,
            f"<title>{escape(title)}</title>",
            f"<defs>{markers}</defs>",
            rectangle(card, fill="#fff", stroke=LINE, radius=12),
            *parts,
            "</svg>\n",
        ]
    )


def _head(name: str, colour: str) -> str:
    return (
        f'<marker id="arrow-{name}" viewBox="0 0 10 10" refX="8.5" refY="5" markerWidth="10" '
        f'markerHeight="10" markerUnits="userSpaceOnUse" orient="auto">'
        f'<path d="M0 1 L9 5 L0 9 z" fill="{colour}"/></marker>'
    )


def rectangle(box: Box, *, fill: str, stroke: str, radius: float = CORNER, width: float = 1) -> str:
    """Draw a box."""
    return (
        f'<rect x="{box.left:g}" y="{box.top:g}" width="{box.width:g}" height="{box.height:g}" '
        f'rx="{radius:g}" fill="{fill}" stroke="{stroke}" stroke-width="{width:g}"/>'
    )


def text(
    at: Point,
    words: str,
    *,
    size: float = 12,
    colour: str = INK,
    weight: int = 400,
    anchor: str = "middle",
    opacity: float = 1,
) -> str:
    """Write words; `at` is where their middle line stands."""
    faint = f' opacity="{opacity:g}"' if opacity < 1 else ""
    return (
        f'<text x="{at[0]:g}" y="{at[1] + size * 0.35:g}" font-size="{size:g}" font-weight="{weight}" '
        f'fill="{colour}" text-anchor="{anchor}"{faint}>{escape(words)}</text>'
    )


def label(at: Point, words: str, *, colour: str = INK, anchor: str = "middle", size: float = 11) -> str:
    """Write words beside a line, with a white edge that keeps them readable where they touch something."""
    return (
        f'<text x="{at[0]:g}" y="{at[1] + size * 0.35:g}" font-size="{size:g}" fill="{colour}" '
        f'text-anchor="{anchor}" stroke="#fff" stroke-width="4" stroke-linejoin="round" '
        f'paint-order="stroke">{escape(words)}</text>'
    )


def line(points: Sequence[Point], *, colour: str = QUIET, arrow: bool = True, width: float = 1.4) -> str:
    """Draw a line through the points with rounded corners, and a head at its end."""
    head = f' marker-end="url(#arrow-{"accent" if colour == ACCENT else "quiet"})"' if arrow else ""
    return f'<path d="{_rounded(points)}" fill="none" stroke="{colour}" stroke-width="{width:g}"{head}/>'


def _rounded(points: Sequence[Point]) -> str:
    path = f"M{points[0][0]:g} {points[0][1]:g}"
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        near, far = _towards(corner, before), _towards(corner, after)
        path += f" L{near[0]:g} {near[1]:g} Q{corner[0]:g} {corner[1]:g} {far[0]:g} {far[1]:g}"
    return f"{path} L{points[-1][0]:g} {points[-1][1]:g}"


def _towards(start: Point, goal: Point) -> Point:
    """Step from a corner along one of its two straight lines, at most half way."""
    across, down = goal[0] - start[0], goal[1] - start[1]
    length = abs(across) + abs(down)
    step = min(CORNER, length / 2) / length if length else 0
    return start[0] + across * step, start[1] + down * step
