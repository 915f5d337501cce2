"""The page of components: everything that the stylesheet can draw, in the demo only."""

import re
from zoneinfo import ZoneInfo

from msgspec import structs

from bindery.domain.access.users import Role
from bindery.web.demo.components import NOW, invented
from bindery.web.frame.render import TEMPLATES, PageFrame
from bindery.web.frame.static_files import address_of
from bindery.web.pages import DEMO_ONLY, EVERYWHERE
from bindery.web.shown.links import ViewLink
from bindery.web.shown.words import STATUS_WORDS, StatusDot, Times
from support.source_tree import ROOT

STYLES = ROOT / "src" / "bindery" / "web" / "static"
ELSEWHERE = {"bottom", "center"}
"""Layouts that the page of components cannot have inside its own."""
SIGNED_OUT = PageFrame("", "", "system", (), "", is_demo=True, query="")
FRAME = PageFrame(
    "Uma Underwriter",
    Role.UNDERWRITER,
    "system",
    (ViewLink(address="/desk", text="Queue", is_here=True, count="27", key="g q"),),
    banner="Published at $1,758.",
    is_demo=True,
    query="",
    alarm="No worker is running.",
    browser_key="one",
    has_keys=True,
)


def page_of(frame: PageFrame) -> str:
    times = Times(ZoneInfo("America/New_York"), NOW)
    return TEMPLATES.get_template("demo/components.html").render(frame=frame, **invented(times))


def classes_in(page: str) -> set[str]:
    return {name for found in re.findall(r'class="([^"]*)"', page) for name in found.split()}


def classes_of(styles: str) -> set[str]:
    rules = re.sub(r"/\*.*?\*/|\{[^{}]*\}", " ", styles, flags=re.DOTALL)
    return set(re.findall(r"\.([a-z][\w-]*)", rules))


def styled() -> set[str]:
    """Return the classes of the components; a page's own section belongs to that page."""
    return classes_of((STYLES / "app.css").read_text("utf-8").partition("@layer pages{")[0])


def test_the_page_shows_every_class_that_components_have() -> None:
    assert styled() - classes_in(page_of(FRAME)) == ELSEWHERE


def test_the_page_shows_every_class_of_the_steps_of_a_draft_and_loads_their_styles() -> None:
    page = page_of(FRAME)

    drafts = classes_of((STYLES / "draft.css").read_text("utf-8"))
    assert {"three", "matrix", "for-TEO", "then"} < drafts
    assert drafts - classes_in(page) == set()
    assert address_of("draft.css") in page


def test_every_status_has_a_dot_of_a_family_that_the_page_shows_and_its_word() -> None:
    page = page_of(FRAME)

    for word in STATUS_WORDS.values():
        assert f'<span class="is {word.dot}">{word.text}</span>' in page
    assert {word.dot for word in STATUS_WORDS.values()} <= set(StatusDot)
    assert set(StatusDot) - {"open"} <= styled()


def test_a_status_and_a_tag_are_never_told_by_color_alone() -> None:
    page = page_of(FRAME)

    assert re.findall(r'<span class="(?:is|tag)[^"]*">\s*</span>', page) == []


def test_the_bar_belongs_to_those_who_are_signed_in_and_hints_of_keys_to_those_who_use_them() -> None:
    assert 'class="bar"' not in page_of(SIGNED_OUT)
    with_bar = page_of(FRAME)
    assert (
        '<span class="face" aria-hidden="true">UU</span><span class="name">Uma Underwriter</span>' in with_bar
    )
    assert '<ul class="keys">' in with_bar
    assert '<ul class="keys">' not in page_of(structs.replace(FRAME, has_keys=False))


def test_the_page_is_in_the_demo_only() -> None:
    assert "/demo/components" in {row.path for row in DEMO_ONLY}
    assert not any(row.path.startswith("/demo") for row in EVERYWHERE)
