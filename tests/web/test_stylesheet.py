"""The tokens of the stylesheet: what is read on what, and how well."""

import re

import pytest

from support.source_tree import ROOT

STYLES = (ROOT / "src" / "bindery" / "web" / "static" / "app.css").read_text("utf-8")
TOKENS = {
    name: (light, dark)
    for name, light, dark in re.findall(r"--([\w-]+):light-dark\((#\w+),(#\w+)\)", STYLES.replace(" ", ""))
}
TEXT, SHAPE = 4.5, 3.0
"""What WCAG asks of text, and of edges and dots."""
PAIRS = {
    ("ink", "surface"): (15.3, 14.7),
    ("ink", "ground"): (14.3, 15.9),
    ("ink", "accent-soft"): (13.7, 12.2),
    ("ink-2", "surface"): (7.5, 9.1),
    ("ink-2", "sunk"): (6.8, 8.2),
    ("ink-3", "surface"): (5.5, 6.7),
    ("ink-3", "ground"): (5.2, 7.2),
    ("ink-3", "sunk"): (5.0, 6.0),
    ("ink-3", "accent-soft"): (4.9, 5.5),
    ("accent", "surface"): (5.5, 9.2),
    ("accent", "ground"): (5.1, 10.0),
    ("accent", "accent-soft"): (4.9, 7.6),
    ("on-accent", "accent"): (5.5, 9.1),
    ("on-accent", "accent-deep"): (7.9, 11.4),
    ("bad", "bad-soft"): (6.0, 8.2),
    ("bad", "surface"): (6.6, 8.8),
    ("warn", "warn-soft"): (7.2, 9.6),
    ("warn", "surface"): (7.7, 11.1),
    ("good", "good-soft"): (7.0, 9.6),
    ("good", "surface"): (7.7, 11.3),
    ("focus", "surface"): (6.7, 9.5),
    ("focus", "ground"): (6.3, 10.3),
    ("s1", "surface"): (5.5, 9.2),
    ("s2", "surface"): (5.2, 10.1),
    ("s3", "surface"): (7.9, 8.6),
    ("surface", "ink"): (15.3, 14.7),
}
SHAPES = {
    ("edge", "surface"): (3.7, 4.6),
    ("edge", "ground"): (3.5, 5.1),
    ("good-dot", "surface"): (4.1, 8.9),
    ("warn-dot", "surface"): (3.9, 9.2),
    ("bad-dot", "surface"): (4.8, 6.1),
}


def luminance(color: str) -> float:
    digits = color[1:] if len(color) == 7 else "".join(digit * 2 for digit in color[1:])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_the_contrast_is_that_of_black_and_white() -> None:
    assert contrast("#fff", "#000000") == pytest.approx(21)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("pair", [*PAIRS, *SHAPES], ids=" on ".join)
def test_tokens_are_read_well_on_each_other(pair: tuple[str, str], scheme: int) -> None:
    front, back = (TOKENS[name][scheme] for name in pair)

    found = contrast(front, back)

    assert found >= (TEXT if pair in PAIRS else SHAPE)
    assert found == pytest.approx({**PAIRS, **SHAPES}[pair][scheme], abs=0.06)


def test_every_color_is_a_token_with_a_light_and_a_dark_value() -> None:
    rules = STYLES.partition("@layer base{")[2].partition("@layer print{")[0]
    direct = re.findall(r"#[0-9a-f]{3,8}\b", rules)

    # The bars of sums, between two inks, and the veil behind a dialog.
    assert sorted(direct) == ["#0009", "#33475f", "#b7c4d5"]


def test_sizes_of_text_are_relative_so_that_they_grow_with_the_readers_own() -> None:
    sizes = re.findall(r"font(?:-size)?:[^;}]*?(\d[\d.]*px)", STYLES)

    # Inside a drawing, which grows with its width.
    assert sizes == ["11px"]


def test_pages_have_sections_of_their_own_at_the_end() -> None:
    own = STYLES.partition("@layer pages{")[2]

    assert re.findall(r"/\* page: (\w+) \*/", own) == [
        "today", "companies", "company", "bind", "desk", "ops", "account",
    ]  # fmt: skip
