"""Plots for the documentation, as SVG that needs nothing to be shown."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

INK: Final = "#12263f"
LINE: Final = "#cbd5e1"
COLORS: Final = ("#0f766e", "#b45309", "#4338ca")
WIDTH, HEIGHT = 720, 320
LEFT, RIGHT, TOP, BOTTOM = 64, 150, 40, 44


@dataclass(frozen=True)
class Curve:
    """How often something had happened by each moment: the moments, in seconds, in their order."""

    name: str
    moments: Sequence[float]


def draw_curves(title: str, unit: str, curves: Sequence[Curve]) -> str:
    """Draw how counts grow over time."""
    most = max(len(curve.moments) for curve in curves)
    longest = max(curve.moments[-1] for curve in curves)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'font-family="system-ui, sans-serif" font-size="12" fill="{INK}" role="img" '
        f'aria-label="{escape(title)}">'
    )
    parts = [
        head,
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        f'<text x="{LEFT}" y="22" font-size="14" font-weight="600">{escape(title)}</text>',
    ]
    for share in (0, 0.25, 0.5, 0.75, 1):
        y = _y(most * share, most)
        parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="{LINE}"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{most * share:,.0f}</text>')
        x = _x(longest * share, longest)
        parts.append(
            f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">'
            f"{longest * share:.1f} s</text>"
        )
    for curve, color in zip(curves, COLORS, strict=False):
        parts.append(
            f'<path d="{_path(curve, most, longest)}" fill="none" stroke="{color}" stroke-width="2"/>'
        )
    for number, (curve, color) in enumerate(zip(curves, COLORS, strict=False)):
        y = TOP + 8 + number * 20
        parts.append(f'<rect x="{WIDTH - RIGHT + 16}" y="{y - 9}" width="12" height="4" fill="{color}"/>')
        parts.append(f'<text x="{WIDTH - RIGHT + 34}" y="{y - 2}">{escape(curve.name)}</text>')
    parts.append(f'<text x="{LEFT}" y="{HEIGHT - 8}">{escape(unit)} over seconds</text></svg>')
    return "\n".join(parts) + "\n"


def _x(moment: float, longest: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * moment / longest


def _y(count: float, most: float) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * count / most


def _path(curve: Curve, most: int, longest: float) -> str:
    every = max(1, len(curve.moments) // 200)
    points = [(0.0, 0), *((curve.moments[n], n + 1) for n in range(0, len(curve.moments), every))]
    points.append((curve.moments[-1], len(curve.moments)))
    return "M" + "L".join(f"{_x(moment, longest):.1f} {_y(count, most):.1f}" for moment, count in points)
