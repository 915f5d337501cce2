"""What templates, scripts and the stylesheet of the platform must not have, and how large they may be."""

import re
from pathlib import Path

import pytest

import bindery
from bindery.web.frame.static_files import bytes_sent

WEB = Path(bindery.__file__).parent / "web"
TEMPLATES = sorted(WEB.rglob("*.html"))
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
    assert bytes_sent(".js") <= 12 * 1_024
    for file in SCRIPTS:
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b", file.read_text("utf-8")
        ), file.name


def test_the_stylesheets_are_small() -> None:
    assert bytes_sent("app.css") <= 30_720
    # Loaded by the pages of a quote that is entered by hand, and by no other.
    assert bytes_sent("draft.css") <= 4_096
    # Loaded by the pages of the desk.
    assert bytes_sent("desk.css") <= 4_096
