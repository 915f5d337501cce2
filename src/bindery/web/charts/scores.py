import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from markupsafe import Markup

from bindery.domain.scan.scan import HIGHEST_SCORE

WIDTH: Final = 320
HEIGHT: Final = 90
MARGIN: Final = 12


@dataclass(frozen=True, slots=True)
class Dot:
    at: datetime
    score: int
    text: str


def timeline(dots: Sequence[Dot]) -> Markup:
    start, end = dots[0].at, dots[-1].at
    span = (end - start).total_seconds() or 1
    places = [
        (
            MARGIN + (WIDTH - 2 * MARGIN) * (dot.at - start).total_seconds() / span,
            HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * dot.score / HIGHEST_SCORE,
        )
        for dot in dots
    ]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    marks = Markup().join(
        Markup('<circle class="line-dot" cx="{:.1f}" cy="{:.1f}" r="4"><title>{}</title></circle>').format(
            x, y, dot.text
        )
        for (x, y), dot in zip(places, dots, strict=True)
    )
    return Markup(
        '<svg class="timeline" viewBox="0 0 {} {}" role="img" aria-label="{}">'
        '<line class="line-ground" x1="0" y1="{}" x2="{}" y2="{}"/>'
        '<polyline class="line-value" points="{}"/>{}</svg>'
    ).format(
        WIDTH,
        HEIGHT,
        f"Scores over time: {dots[0].text} to {dots[-1].text}",
        HEIGHT - MARGIN,
        WIDTH,
        HEIGHT - MARGIN,
        path,
        marks,
    )


def dial(score: int) -> Markup:
    angle = math.pi * (1 - score / 100)
    x, y = 60 + 50 * math.cos(angle), 60 - 50 * math.sin(angle)
    return Markup(
        '<svg viewBox="0 0 120 70" role="img" aria-label="Score {0} of 100">'
        '<path class="dial-track" d="M10 60 A50 50 0 0 1 110 60"/>'
        '<path class="dial-value" d="M10 60 A50 50 0 0 1 {1:.1f} {2:.1f}"/>'
        '<text x="60" y="58" font-size="22">{0}</text></svg>'
    ).format(score, x, y)
