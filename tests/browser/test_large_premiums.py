"""Premiums of eight figures have room in every table and in every column of options."""

import asyncio
import json
from typing import Any, Final

import pytest
from playwright.async_api import Page
from tools.demo_book import EXAMPLES

from bindery.domain.access.users import Role
from support.browser import Desk, overflow

pytestmark = pytest.mark.asyncio(loop_scope="session")

NAME: Final = "Colossus Dental Holdings"
PREMIUM: Final = 10_000_000
SHOWN: Final = "$10,000,000"
NO_ROOM: Final = """() => [...document.querySelectorAll("main :is(th, td, dd, .figure, .money, .what, .end)")]
    .filter((cell) => cell.checkVisibility() && getComputedStyle(cell).position !== "absolute"
        && cell.scrollWidth > cell.clientWidth + 1 && getComputedStyle(cell).display !== "inline")
    .map((cell) => `${cell.className}: ${cell.innerText}`)"""
BROKEN: Final = """(amount) => [...document.querySelectorAll("main *")]
    .filter((one) => one.checkVisibility() && [...one.childNodes].some((node) => node.data?.includes(amount)))
    .filter((one) => {
        const range = document.createRange();
        const text = [...one.childNodes].find((node) => node.data?.includes(amount));
        const at = text.data.indexOf(amount);
        range.setStart(text, at);
        range.setEnd(text, at + amount.length);
        return new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size > 1;
    }).map((one) => one.outerHTML.slice(0, 120))"""


async def flaws(page: Page, address: str) -> list[Any]:
    found: list[Any] = []
    await page.goto(address)
    assert SHOWN in await page.locator("main").inner_text(), address
    for width in (1280, 390):
        await page.set_viewport_size({"width": width, "height": 900})
        found += [(address, width, "too wide", wider) for wider in [await overflow(page)] if wider]
        found += [(address, width, "no room", cell) for cell in await page.evaluate(NO_ROOM)]
        found += [(address, width, "broken", cell) for cell in await page.evaluate(BROKEN, SHOWN)]
    return found


async def test_a_premium_of_eight_figures_has_room_everywhere(desk: Desk) -> None:
    partner = desk.partner
    body = json.loads((EXAMPLES / "red-flags.json").read_text("utf-8"))
    body["client"]["name"] = NAME
    body["policy"]["quotes"] = [{"aggregate_limit": limit} for limit in (1_000_000, 2_000_000, 5_000_000)]
    receipt = await asyncio.to_thread(partner.post, "/v2/quotes", body)
    numbers = [quote["quote_identifier"] for quote in receipt["quotes"]]
    terms = {"decision": "approve", "reason": "As agreed", "terms": {"premium": PREMIUM}}
    for number in numbers:
        await asyncio.to_thread(partner.read, number)
        await asyncio.to_thread(partner.post, f"/v2/demo/quotes/{number}/review", terms)
    company = f"/company/{receipt['company_id']}"

    found: list[Any] = []
    async with desk.person(Role.BROKER) as broker:
        for address in (company, f"/quote/{numbers[0]}/bind", "/companies?q=Colossus"):
            found += await flaws(broker.page, address)
    async with desk.person(Role.UNDERWRITER) as underwriter:
        await underwriter.open(company)
        await underwriter.page.get_by_role("link", name="Open as a case").click()
        await underwriter.page.wait_for_url("**/desk/case/**")
        found += await flaws(underwriter.page, underwriter.page.url)

    assert found == []
