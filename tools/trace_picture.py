"""`docs/trace.svg`: one trace across all processes, played by real ones and drawn from what they sent.

`python -m tools.trace_picture` draws it again; its times are those of that run.
"""

import asyncio
import sys
import tempfile
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from support.collector import SeenSpan

FILE: Final = Path(__file__).parents[1] / "docs" / "trace.svg"
COLORS: Final = {"serve": "#0f766e", "work": "#12263f"}
LABELS: Final = {"serve": "bindery serve", "work": "bindery work"}
CALLING, CALLS = "bindery work calls the partner", "#b45309"
SOFT: Final = "#475569"
CLIENT_KIND: Final = 3
WIDTH, LEFT, RIGHT, ROW, TOP = 960, 300, 90, 24, 74
NS_PER_MS: Final = 1_000_000
QUIET_MS: Final = 60
"""What nobody worked on for longer is drawn this long, and broken."""


def drawn(spans: "Sequence[SeenSpan]") -> str:
    """Return the trace as an SVG: a row for each span below the one that led to it, colored by process."""
    rows = list(_in_order(spans))
    place = _Timeline([(span.began, span.ended) for span, _ in rows])
    scale = (WIDTH - LEFT - RIGHT) / max(place(span.ended) for span, _ in rows)
    height = TOP + ROW * len(rows) + 16
    parts = [_head(height), *_legend()]
    for number, (span, depth) in enumerate(rows):
        y = TOP + ROW * number
        start, end = place(span.began) * scale, place(span.ended) * scale
        color = CALLS if span.kind == CLIENT_KIND else COLORS[span.process]
        if number % 2 == 0:
            parts.append(_box(12, y, WIDTH - 24, ROW, "#f1f5f9"))
        parts.append(_text(24 + depth * 16, y + 16, span.name))
        parts.append(_box(LEFT + start, y + 6, max(end - start, 2), 12, color))
        parts.append(_text(LEFT + max(end, start + 2) + 6, y + 16, _milliseconds(span), SOFT))
    return "\n".join([*parts, "</svg>\n"])


def _head(height: int) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        'aria-label="One trace: a request, its job, the parts of the work, deliveries and a document" '
        'font-family="system-ui, sans-serif" font-size="13">'
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>'
        '<text x="24" y="30" font-size="16" font-weight="600" fill="#12263f">'
        "One trace, from the partner to the partner</text>"
    )


def _box(x: float, y: float, width: float, height: float, color: str) -> str:
    return f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{height}" rx="2" fill="{color}"/>'


def _text(x: float, y: float, text: str, color: str = "#12263f") -> str:
    return f'<text x="{x:.1f}" y="{y}" fill="{color}">{escape(text)}</text>'


def _legend() -> Iterator[str]:
    x = 24
    for label, color in (*((LABELS[process], color) for process, color in COLORS.items()), (CALLING, CALLS)):
        yield _box(x, 46, 12, 12, color)
        yield _text(x + 18, 57, label, SOFT)
        x += 40 + 8 * len(label)


def _in_order(spans: "Sequence[SeenSpan]") -> "Iterator[tuple[SeenSpan, int]]":
    """Return each span after the one that led to it, with how many led there."""
    ids = {span.span_id for span in spans}
    below: dict[str, list[SeenSpan]] = {}
    for span in sorted(spans, key=lambda span: span.began):
        below.setdefault(span.parent_id if span.parent_id in ids else "", []).append(span)

    def walk(parent: str, depth: int) -> "Iterator[tuple[SeenSpan, int]]":
        for span in below.get(parent, []):
            yield span, depth
            yield from walk(span.span_id, depth + 1)

    return walk("", 0)


class _Timeline:
    """Turns moments into milliseconds of the picture, in which long silences are short."""

    def __init__(self, busy: Sequence[tuple[int, int]]) -> None:
        self._cuts: list[tuple[int, int]] = []
        self._first = min(began for began, _ in busy)
        until = self._first
        for began, ended in sorted(busy):
            quiet = (began - until) // NS_PER_MS
            if quiet > QUIET_MS:
                self._cuts.append((began, quiet - QUIET_MS))
            until = max(until, ended)

    def __call__(self, moment: int) -> float:
        skipped = sum(length for at, length in self._cuts if at <= moment)
        return (moment - self._first) / NS_PER_MS - skipped


def _milliseconds(span: "SeenSpan") -> str:
    return f"{(span.ended - span.began) / NS_PER_MS:,.1f} ms"


async def _play() -> "Sequence[SeenSpan]":
    sys.path.append(str(Path(__file__).parents[1] / "tests"))
    from bindery.outside import embedded_postgres  # noqa: PLC0415 - a test imports only what draws
    from bindery.storage.migrate import migrate  # noqa: PLC0415
    from support.traced_story import play  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        dsn = (await asyncio.to_thread(embedded_postgres.ensure_running, folder)).dsn
        try:
            await migrate(dsn)
            spans, _ = await play(dsn, folder)
        finally:
            embedded_postgres.stop(folder)
    return spans


if __name__ == "__main__":
    FILE.write_text(drawn(asyncio.run(_play())), "utf-8")
