"""What templates, scripts and the stylesheet of the platform must not have, and how large they may be."""

import re
from pathlib import Path

import pytest

import bindery
from bindery.web.frame.static_files import bytes_sent
from support.source_tree import ROOT

WEB = Path(bindery.__file__).parent / "web"
TEMPLATES = sorted(WEB.rglob("*.html"))
PERFORMANCE = (ROOT / "docs" / "performance.md").read_text("utf-8")
SIZES = {
    ("app.css", 30): "`app.css`",
    # Loaded by the pages of a quote that is entered by hand, and by no other.
    ("draft.css", 4): "`draft.css`",
    # Loaded by the pages of the desk.
    ("desk.css", 4): "`desk.css`",
    (".woff2", 60): "the font",
    (".js", 12): "JavaScript",
}
"""What is sent, the most kilobytes that it may have, and its name in the guide."""
SCRIPTS = sorted((WEB / "static").glob("*.js"))
FORBIDDEN = {
    "a style of its own": re.compile(r"\sstyle\s*="),
    "a handler in an attribute": re.compile(r"<[^>]*\son[a-z]+=\""),
    "text that is not escaped": re.compile(r"\|\s*safe\b|autoescape"),
    "a script in the page": re.compile(r"<script(?![^>]*\ssrc=)"),
    "something from elsewhere": re.compile(r"(?:src|href)=\"(?:https?:)?//"),
}


@pytest.mark.parametrize("file", TEMPLATES, ids=lambda file: file.name)
def test_a_template_has_nothing_that_the_policy_of_the_pages_forbids(file: Path) -> None:
    source = file.read_text("utf-8")

    assert [name for name, pattern in FORBIDDEN.items() if pattern.search(source)] == []


def test_scripts_are_three_small_modules_that_write_no_markup() -> None:
    assert [file.name for file in SCRIPTS] == ["keys.js", "live.js", "preview.js"]
    for file in SCRIPTS:
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b", file.read_text("utf-8")
        ), file.name


@pytest.mark.parametrize(("name", "most_kb"), SIZES)
def test_what_is_sent_is_small_and_the_guide_to_performance_says_how_small(name: str, most_kb: int) -> None:
    said = re.search(rf"{SIZES[name, most_kb]} ([\d.]+)(?: KB)? of {most_kb}\b", PERFORMANCE)

    assert bytes_sent(name) <= most_kb * 1_024
    assert said is not None
    assert said[1] == f"{bytes_sent(name) / 1_024:.1f}"
