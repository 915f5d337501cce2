"""In colors that the reader's system forces, what has a meaning is still told by a word and a shape."""

from typing import Any, Final

import pytest
from playwright.async_api import expect

from bindery.domain.access.users import Role
from bindery.web.shown.words import STATUS_WORDS
from support.browser import Desk

pytestmark = pytest.mark.asyncio(loop_scope="session")

DOTS: Final = """() => [...document.querySelectorAll("main .is")].filter((word) => word.checkVisibility())
    .map((word) => {
        const dot = getComputedStyle(word, "::before");
        const ground = getComputedStyle(document.body).backgroundColor;
        const edge = ["Top", "Left"].map((side) => dot[`border${side}Color`]);
        return {
            kind: word.className,
            text: word.innerText.trim(),
            wide: parseFloat(dot.width), edged: parseFloat(dot.borderTopWidth) > 0,
            seen: edge.every((color) => color !== ground && color !== "rgba(0, 0, 0, 0)"),
            shape: [dot.borderRadius, dot.rotate, dot.backgroundImage === "none",
                dot.backgroundColor === "rgba(0, 0, 0, 0)",
                dot.borderRightColor === dot.borderLeftColor].join(),
        };
    })"""
OUTLINE: Final = "(cell) => getComputedStyle(cell).outlineStyle"
SYSTEMS: Final = ("light", "dark")


@pytest.mark.parametrize("scheme", SYSTEMS)
async def test_every_status_keeps_its_word_and_a_dot_that_is_seen(desk: Desk, scheme: Any) -> None:
    async with desk.person(Role.BROKER, forced_colors="active", color_scheme=scheme) as broker:
        await broker.open("/demo/components")
        assert await broker.page.evaluate("() => matchMedia('(forced-colors: active)').matches")
        dots: list[dict[str, Any]] = await broker.page.evaluate(DOTS)

    assert {word.text for word in STATUS_WORDS.values()} <= {dot["text"] for dot in dots}
    assert [dot for dot in dots if not dot["text"]] == []
    assert [dot for dot in dots if not (dot["wide"] >= 6 and dot["edged"] and dot["seen"])] == []
    shapes = {dot["kind"]: dot["shape"] for dot in dots}
    # Late and soon are told apart by their words; every other family has a shape of its own.
    assert len(set(shapes.values())) >= len(set(shapes)) - 2, shapes


async def test_the_option_that_is_selected_stands_out(desk: Desk) -> None:
    quote = desk.partner.quotes["Harborlight Bakery LLC"][1]

    async with desk.person(Role.BROKER, forced_colors="active") as broker:
        await broker.open(f"/company/{quote['company_id']}?option=2")
        picked = broker.page.locator("thead .pick[aria-current]")
        await expect(picked).to_contain_text("Selected")
        assert await picked.evaluate(OUTLINE) == "solid"
        others = broker.page.locator("thead:has([aria-current]) th[scope=col]:not(.pick)")
        assert {await other.evaluate(OUTLINE) for other in await others.all()} == {"none"}
