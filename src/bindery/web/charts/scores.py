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
        Markup('<circle class="f1" cx="{:.1f}" cy="{:.1f}" r="4"><title>{}</title></circle>').format(
            x, y, dot.text
        )
        for (x, y), dot in zip(places, dots, strict=True)
    )
    return Markup(
        '<svg viewBox="0 0 {0} {1}" width="100%" height="{1}" preserveAspectRatio="xMinYMid" role="img"'
        ' aria-label="{2}"><path stroke="var(--line-2)" d="M0 {3}H{0}"/>'
        '<polyline fill="none" stroke="var(--s1)" stroke-width="2" points="{4}"/>{5}</svg>'
    ).format(
        *(WIDTH, HEIGHT, f"Scores over time: {dots[0].text} to {dots[-1].text}"),
        *(HEIGHT - MARGIN, path, marks),
    )
