"""Success by the hour in a drawing as small as a word."""

from collections.abc import Sequence
from typing import Final

from markupsafe import Markup

HEIGHT: Final = 24
STEP: Final = 6
WIDTH: Final = 4


def spark(outcomes: Sequence[tuple[int, int]], words: str) -> Markup:
    """Draw successes and failures by the hour, the newest at the right; `words` say the same."""
    most = max((good + bad for good, bad in outcomes), default=0) or 1
    parts = []
    for place, (good, bad) in enumerate(outcomes):
        x = place * STEP
        if not good + bad:
            parts.append(
                Markup('<rect class="bar-track" x="{}" y="{}" width="{}" height="1"/>').format(
                    x, HEIGHT - 1, WIDTH
                )
            )
            continue
        whole = max((good + bad) / most * HEIGHT, 2.0)
        failed = max(whole * bad / (good + bad), 2.0) if bad else 0.0
        parts.append(
            Markup(
                '<rect class="part good" x="{0}" y="{1:.1f}" width="{2}" height="{3:.1f}"/>'
                '<rect class="part bad" x="{0}" y="{1:.1f}" width="{2}" height="{4:.1f}"/>'
            ).format(x, HEIGHT - whole, WIDTH, whole, failed)
        )
    return Markup('<svg class="spark" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>').format(
        len(outcomes) * STEP, HEIGHT, words, Markup().join(parts)
    )
