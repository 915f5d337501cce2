"""A score out of a hundred as a half circle."""

import math

from markupsafe import Markup


def dial(score: int) -> Markup:
    angle = math.pi * (1 - score / 100)
    x, y = 60 + 50 * math.cos(angle), 60 - 50 * math.sin(angle)
    return Markup(
        '<svg viewBox="0 0 120 70" role="img" aria-label="Score {0} of 100">'
        '<path class="dial-track" d="M10 60 A50 50 0 0 1 110 60"/>'
        '<path class="dial-value" d="M10 60 A50 50 0 0 1 {1:.1f} {2:.1f}"/>'
        '<text x="60" y="58" font-size="22">{0}</text></svg>'
    ).format(score, x, y)
