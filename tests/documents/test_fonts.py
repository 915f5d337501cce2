"""The fonts that are shipped: whose they are, as their own tables and the license next to them say."""

import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from bindery.documents.plain_text import FONTS

SHIPPED: Final = sorted([*FONTS.glob("*.ttf"), *FONTS.glob("*.otf")])
COPYRIGHT: Final = 0
FAMILY: Final = 1
LICENSE: Final = 13
WINDOWS: Final = 3


def names_of(font: Path) -> Iterator[tuple[int, str]]:
    """Read the table of names of a font: what each is the name of, and the name."""
    content = font.read_bytes()
    (count,) = struct.unpack_from(">H", content, 4)
    tables = {
        tag: offset
        for tag, _, offset, _ in (struct.unpack_from(">4s3I", content, 12 + 16 * n) for n in range(count))
    }
    start = tables[b"name"]
    _, names, texts = struct.unpack_from(">3H", content, start)
    for number in range(names):
        platform, _, _, what, length, offset = struct.unpack_from(">6H", content, start + 6 + 12 * number)
        if platform == WINDOWS:
            at = start + texts + offset
            yield what, content[at : at + length].decode("utf-16-be")


def owner_of(line: str) -> tuple[str, str]:
    """Take the years and the holder from a line of copyright."""
    found = re.search(r"(\d{4}(?:-\d{4})?),? ([^,.]+(?:\([^)]*\))?)", line)
    assert found is not None, line
    return found[1], found[2].split(" (")[0].strip()


@pytest.mark.parametrize("font", SHIPPED, ids=lambda font: font.stem)
def test_the_license_names_the_holder_that_the_font_itself_names(font: Path) -> None:
    names = dict(names_of(font))
    license_text = (FONTS / "OFL.txt").read_text("utf-8")

    (line,) = (line for line in license_text.splitlines() if line.startswith(f"{names[FAMILY]}, "))

    assert "SIL Open Font License, Version 1.1" in names[LICENSE]
    assert owner_of(line) == owner_of(names[COPYRIGHT])


def test_every_font_is_looked_at() -> None:
    assert len(SHIPPED) == 4
    assert owner_of("Copyright 2013-2026 Google LLC") == ("2013-2026", "Google LLC")
    assert owner_of("(c) 1994-2026, SIL Global (https://www.sil.org/), with") == ("1994-2026", "SIL Global")
