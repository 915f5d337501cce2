"""Where the lines of a paper stand: how full its pages are, and what a page break tears apart."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import pypdfium2

from documents.reading import BOTTOM, HEAD, TOP

FEWEST_LINES: Final = 6
LEAST_FILLED: Final = 0.5
FEWEST_ROWS: Final = 3
ROW_GOES_ON: Final = ("subject to END", "END ", "$")
ONE_LINE: Final = 4.0
"""Texts whose middles are nearer than this, in points, stand on one line."""


@dataclass(frozen=True)
class Page:
    """The lines of a page without head and foot, from the top, and how much of its height they take."""

    lines: tuple[str, ...]
    filled: float
    form: str


def pages_of_lines(pdf: bytes) -> list[Page]:
    """Read where the lines of each page stand."""
    return [_page(page) for page in pypdfium2.PdfDocument(pdf)]


def flaws(pdf: bytes, *, rows: Sequence[str] = ()) -> Iterator[str]:
    """Name every page that is torn badly; `rows` begin the rows of long tables."""
    titles = {" ".join(entry.get_title().split()) for entry in pypdfium2.PdfDocument(pdf).get_toc()}
    pages = pages_of_lines(pdf)
    for number, page in enumerate(pages, start=1):
        ends_here = number == len(pages) or pages[number].form != page.form
        begins_here = number == 1 or pages[number - 2].form != page.form
        if page.lines[-1] in titles:
            yield f"page {number} ends with the heading {page.lines[-1]!r}"
        if not ends_here and page.filled < LEAST_FILLED:
            yield f"page {number} is filled to {page.filled:.0%} only"
        if ends_here and not begins_here and len(page.lines) < FEWEST_LINES:
            yield f"page {number}, a last one, has {len(page.lines)} lines"
        if not ends_here:
            yield from _torn_table(number, page, pages[number], rows)


def _torn_table(number: int, page: Page, following: Page, rows: Sequence[str]) -> Iterator[str]:
    """Find a table with one or two rows on either side of a break; its head is repeated after it."""
    before = _run(reversed(page.lines), rows)
    after = _run(following.lines[1:], rows)
    if before and after and min(before, after) < FEWEST_ROWS:
        yield f"page {number} parts a table {before} to {after}"


def _run(lines: Iterator[str] | Sequence[str], rows: Sequence[str]) -> int:
    count = 0
    for line in lines:
        # Not the first line of its row.
        if line.startswith(ROW_GOES_ON):
            continue
        if not line.startswith(tuple(rows)):
            break
        count += 1
    return count


def _page(page: pypdfium2.PdfPage) -> Page:
    text = page.get_textpage()
    top = page.get_height() - HEAD
    found = sorted(placed_texts(text, top), key=lambda placed: (-placed[0], placed[1]))
    lines: list[tuple[float, list[tuple[float, str]]]] = []
    for middle, left, said in found:
        if lines and abs(lines[-1][0] - middle) < ONE_LINE:
            lines[-1][1].append((left, said))
        else:
            lines.append((middle, [(left, said)]))
    foot = " ".join(text.get_text_bounded(0, 0, page.get_width(), BOTTOM).split())
    lowest = lines[-1][0] if lines else top
    return Page(
        lines=tuple(" ".join(said for _, said in sorted(parts)) for _, parts in lines),
        filled=(top - lowest) / (top - BOTTOM),
        form=foot.split(" Page ")[0],
    )


def placed_texts(text: pypdfium2.PdfTextPage, top_of_page: float = TOP) -> Iterator[tuple[float, float, str]]:
    """Read the texts of a page without head and foot, each with its middle and its left end."""
    for place in range(text.count_rects()):
        left, bottom, right, top = text.get_rect(place)
        middle = (bottom + top) / 2
        if BOTTOM < middle < top_of_page:
            said = " ".join(text.get_text_bounded(left, bottom, right, top).split())
            if said:
                yield middle, left, said
