"""The structure of a finished file: what is seen of it stays as it is.

The first cell of a table's row becomes its header for people who listen to the table: typst marks the heads
of columns, and those of rows only behind a switch that its Python package does not have. And the entry that
the structure is not suspect is left out, which readers of older versions take for a wrong type. Typst writes
its objects plainly, each on a line, and with every cell what it is in its table, which is all that is relied
on here.
"""

import re
from bisect import bisect
from collections.abc import Iterator
from itertools import accumulate
from typing import Final

# It begins with something that no stream holds accidentally, which is found fast.
_ELEMENT: Final = re.compile(rb"<</Type/StructElem/S/T([RD])(/[^\n]*)>>\nendobj")
_KIDS: Final = re.compile(rb"/K\[([^\]]*)\]")
_NO_KIDS: Final = re.compile(rb"/K\[\s*\]")
_REFERENCE: Final = re.compile(rb"(\d+) 0 R")
_OWNER: Final = b"<</O/Table"
_SCOPE: Final = b"/Scope/Row"
# Cells that name their headers one by one have no others, so that a row's would be left out.
_NAMED_HEADERS: Final = re.compile(rb"/Headers\[[^\]]*\]")
_TABLE_OF_OBJECTS: Final = re.compile(rb"xref\n0 (\d+)\n")
_LINE: Final = len(b"0000000016 00000 n \n")
_IN_USE: Final = b"n"
_NOT_SUSPECT: Final = b"/Suspects false"

Change = tuple[int, int, bytes]
"""From where to where in the file, and what to put there instead."""


def with_clean_structure(pdf: bytes) -> bytes:
    rows: list[bytes] = []
    cells: dict[int, re.Match[bytes]] = {}
    for found in _ELEMENT.finditer(pdf):
        if found[1] == b"R":
            rows.append(found[2])
        else:
            cells[_number(pdf, found.start())] = found
    changes = sorted(change for row in rows for change in _changes(row, cells))
    # The catalog ends the file.
    if (at := pdf.rfind(_NOT_SUSPECT)) > 0:
        changes.append((at, at + len(_NOT_SUSPECT), b""))
    return _rewritten(pdf, changes) if changes else pdf


def _number(pdf: bytes, start: int) -> int:
    """Return the number of the object that begins there: it is in the line before."""
    line = pdf[pdf.rindex(b"\n", 0, start - 1) + 1 : start]
    return int(line.split()[0])


def _changes(row: bytes, cells: dict[int, re.Match[bytes]]) -> Iterator[Change]:
    """Make a header of the first cell that holds something; cells that hold rows together are empty."""
    kids = _KIDS.search(row)
    own = [cells.get(int(number)) for number in _REFERENCE.findall(kids[1])] if kids else []
    if None in own:
        # A row of heads of columns.
        return
    spoken = [cell for cell in own if cell and _holds_something(cell[2])]
    for place, cell in enumerate(spoken):
        attributes = _NAMED_HEADERS.sub(b"", cell[2])
        instead = b"D" + attributes if place else b"H" + attributes.replace(_OWNER, _OWNER + _SCOPE, 1)
        yield cell.start(2) - 1, cell.end(2), instead


def _holds_something(attributes: bytes) -> bool:
    return b"/K" in attributes and not _NO_KIDS.search(attributes)


def _rewritten(pdf: bytes, changes: list[Change]) -> bytes:
    """Put the changes in, and update the offsets in the table of the file's objects."""
    end = pdf.rindex(b"startxref")
    at = int(pdf[end:].split()[1])
    table = _TABLE_OF_OBJECTS.match(pdf, at)
    assert table is not None, "typst ends a file with a table of its objects"
    body = b"".join(_pieces(pdf[:at], changes))
    lines_end = table.end() + int(table[1]) * _LINE
    lines = b"".join(_moved(pdf[table.end() : lines_end], changes))
    return b"".join((body, table[0], lines, pdf[lines_end:end], b"startxref\n%d\n%%%%EOF" % len(body)))


def _pieces(body: bytes, changes: list[Change]) -> Iterator[bytes]:
    at = 0
    for begin, end, instead in changes:
        yield body[at:begin]
        yield instead
        at = end
    yield body[at:]


def _moved(lines: bytes, changes: list[Change]) -> Iterator[bytes]:
    ends = [end for _, end, _ in changes]
    grown = [0, *accumulate(len(instead) - (end - begin) for begin, end, instead in changes)]
    for start in range(0, len(lines), _LINE):
        place, generation, use = lines[start : start + _LINE].split()
        moved = grown[bisect(ends, int(place))] if use == _IN_USE else 0
        yield b"%010d %s %s \n" % (int(place) + moved, generation, use)
