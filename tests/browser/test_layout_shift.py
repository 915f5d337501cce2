"""Nothing moves by itself: neither while the result of a quote fills in nor when news comes."""

import asyncio
import json
from typing import Any, Final

import pytest
from playwright.async_api import Page, expect
from tools.demo_book import EXAMPLES

from bindery.domain.access.users import Role
from support.browser import Desk
from support.stories import submitted

pytestmark = pytest.mark.asyncio(loop_scope="session")

WATCH: Final = """() => {
    window.moved = [];
    new PerformanceObserver((list) => {
        for (const { value, sources } of list.getEntries())
            window.moved.push([value, ...sources.map(({ node }) => node?.outerHTML?.slice(0, 80) ?? "")]);
    }).observe({ type: "layout-shift" });
}"""
MOVE_SOMETHING: Final = """() => {
    const first = document.createElement("p");
    first.textContent = "Something new on top of everything";
    document.querySelector("main").prepend(first);
}"""
SHOWN: Final = "() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 200)))"
SCANNED_WITHIN_MS: Final = 120_000


async def watch(page: Page) -> None:
    await page.evaluate("() => document.fonts.ready")
    await page.evaluate(WATCH)


async def moved(page: Page) -> list[Any]:
    await page.evaluate(SHOWN)
    found: list[Any] = await page.evaluate("() => window.moved")
    return found


async def test_news_moves_nothing(desk: Desk) -> None:
    async with desk.person(Role.UNDERWRITER) as underwriter, desk.person(Role.UNDERWRITER) as other:
        pages = [underwriter.page, other.page]
        await other.page.set_viewport_size({"width": 390, "height": 844})
        for page in pages:
            await page.goto("/desk")
            await watch(page)

        await submitted(desk, "red-flags", "Meadowlark Pianos")

        for page in pages:
            await expect(page.locator("#news")).to_contain_text("changed · show")
            assert await moved(page) == []
        # The measure can tell.
        await underwriter.page.evaluate(MOVE_SOMETHING)
        assert await moved(underwriter.page) != []


@pytest.mark.long
async def test_a_live_result_fills_in_and_moves_nothing(desk: Desk) -> None:
    body = json.loads((EXAMPLES / "cyb.json").read_text("utf-8"))
    body["client"].update(name="Slow Lane Bakery", domains=["slow.example.com"])
    # The last is above what is published without an underwriter.
    body["policy"]["quotes"] = [{"aggregate_limit": limit} for limit in (1_000_000, 2_000_000, 5_000_000)]
    receipt = await asyncio.to_thread(desk.partner.post, "/v2/quotes", body)

    async with desk.person(Role.BROKER) as broker, desk.person(Role.BROKER) as other:
        pages = [broker.page, other.page]
        await other.page.set_viewport_size({"width": 390, "height": 844})
        for page in pages:
            await page.goto(f"/company/{receipt['company_id']}")
            await expect(page.locator("main[data-busy]")).to_have_count(1)
            await watch(page)

        for page in pages:
            await expect(page.locator("main[data-busy]")).to_have_count(0, timeout=SCANNED_WITHIN_MS)
            await expect(page.locator("main")).to_contain_text("With an underwriter")
            assert await moved(page) == []
