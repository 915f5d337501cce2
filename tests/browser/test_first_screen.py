"""What fits on a laptop: eighteen cases or companies, and of a case everything up to the decision."""

import asyncio
import json
from typing import Any

import pytest
from playwright.async_api import Locator, expect
from tools.demo_book import EXAMPLES, Partner

from support.browser import Desk
from support.stories import open_case, quote_of

pytestmark = pytest.mark.asyncio(loop_scope="session")
HEIGHT = 900
NAME = "Foxglove Ropes"
LIMITS = (500_000, 1_000_000, 2_000_000, 3_000_000, 4_000_000, 5_000_000)
WORST = {"Q2300": False, "Q2301": False, "Q2146": True}
WHAT_HAPPENED = "Ransomware encrypted two file servers in March; $86,000 was paid for the recovery."


def submit_worst(partner: Partner) -> dict[str, Any]:
    """Submit six options of a firm with open ports, no MFA and a loss, and return the first."""
    body = json.loads((EXAMPLES / "red-flags.json").read_text("utf-8"))
    body["client"]["name"] = NAME
    body["policy"]["quotes"] = [{"aggregate_limit": limit} for limit in LIMITS]
    for question in body["questions"]:
        question["value"] = WORST.get(question["id"], question["value"])
    body["questions"].append({"id": "Q2124", "value": WHAT_HAPPENED})
    receipt = partner.post("/v2/quotes", body)
    return partner.read(receipt["quotes"][0]["quote_identifier"])


async def top_of(part: Locator) -> float:
    box = await part.bounding_box()
    assert box is not None
    return box["y"]


async def height_of(part: Locator) -> float:
    box = await part.bounding_box()
    assert box is not None
    return box["height"]


async def bottom_of(part: Locator) -> float:
    return await top_of(part) + await height_of(part)


async def test_the_decision_is_in_the_first_screen_with_three_reasons_and_six_options(desk: Desk) -> None:
    quote = await asyncio.to_thread(submit_worst, desk.partner)
    assert len(quote["referral_reasons"]) >= 3

    async with desk.person("underwriter") as underwriter:
        await open_case(underwriter, NAME)
        page = underwriter.page
        approve = page.get_by_role("button", name="Approve 1 option")
        assert await page.evaluate("() => scrollY") == 0
        assert await bottom_of(approve) <= HEIGHT
        assert await bottom_of(page.locator("#outcome")) <= HEIGHT
        assert await bottom_of(page.locator("#worksheet .figure")) <= HEIGHT
        assert await bottom_of(page.get_by_text(WHAT_HAPPENED).first) <= HEIGHT

        # The button and the outcome follow what is ticked; Enter works out the price and sends nothing.
        await page.get_by_label("Option 2 ·").check()
        await expect(page.get_by_role("button", name="Approve 2 options")).to_be_visible()
        await expect(page.locator("#outcome")).to_contain_text("Publishes options 1 and 2 at $")
        await page.locator("#decide [name=premium]").fill("9,000")
        await page.locator("#decide [name=premium]").press("Enter")
        await expect(page.locator("#outcome")).to_contain_text("Publishes options 1 and 2 at $9,000 each")
        await page.get_by_role("button", name="All 6").click()
        await expect(page.get_by_role("button", name="Approve 6 options")).to_be_visible()
        assert await page.locator("#decide [name=premium]").input_value() == "9,000"

    assert (await quote_of(desk, quote))["quote_status"] == "quote_referred"


async def test_eighteen_cases_fit_on_a_laptop_and_picking_one_brings_the_action_bar(desk: Desk) -> None:
    async with desk.person("underwriter") as underwriter:
        await underwriter.open("/desk")
        page = underwriter.page
        rows, heads = page.locator("tbody tr:has(a)"), page.locator("tbody tr.group")
        filters = page.locator("form.tools")
        assert await top_of(filters) < await bottom_of(page.get_by_role("navigation", name="Views"))
        top, row, head = await top_of(heads.first), await height_of(rows.first), await height_of(heads.first)

        # Late, today and tomorrow: three heads, whatever the demo has at this hour.
        assert top + 3 * head + 18 * row <= HEIGHT

        bar = page.get_by_role("group", name="Picked cases")
        await expect(bar).to_be_hidden()
        await rows.first.get_by_role("checkbox").check()
        await expect(bar).to_be_visible()
        await bar.get_by_role("button", name="Clear").click()
        await expect(bar).to_be_hidden()


async def test_eighteen_companies_fit_on_a_laptop(desk: Desk) -> None:
    async with desk.person("broker") as broker:
        await broker.open("/companies")
        rows = broker.page.locator("tbody tr:has(a)")

        assert await top_of(rows.first) + 18 * await height_of(rows.first) <= HEIGHT
