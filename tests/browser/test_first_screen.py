"""What fits on a laptop: eighteen cases or companies, and of a case everything up to the decision."""

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from playwright.async_api import Locator, expect
from tools.demo_book import EXAMPLES, Partner

from support.browser import Desk
from support.stories import issued, open_case, quote_of, submitted

pytestmark = pytest.mark.asyncio(loop_scope="session")
HEIGHT = 900
NAME = "Foxglove Ropes"
LIMITS = (500_000, 1_000_000, 2_000_000, 3_000_000, 4_000_000, 5_000_000)
SIX = tuple({"aggregate_limit": limit} for limit in LIMITS)
FIFTEEN = tuple(
    {"aggregate_limit": limit, "aggregate_retention": retention}
    for limit in (1_000_000, 2_000_000, 5_000_000)
    for retention in (10_000, 15_000, 25_000, 50_000, 100_000)
)
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
WORST = {"Q2300": False, "Q2301": False, "Q2146": True}
UNDERWRITER = "underwriter@example.com"
WHAT_HAPPENED = "Ransomware encrypted two file servers in March; $86,000 was paid for the recovery."


def submit_worst(
    partner: Partner, name: str = NAME, options: Sequence[Mapping[str, int]] = SIX
) -> dict[str, Any]:
    """Submit options of a firm with open ports, no MFA and a loss, and return the first."""
    body = json.loads((EXAMPLES / "red-flags.json").read_text("utf-8"))
    body["client"]["name"] = name
    body["policy"]["quotes"] = [dict(option) for option in options]
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


async def test_the_decision_stays_in_the_first_screen_whatever_is_typed_about_fifteen_options(
    desk: Desk,
) -> None:
    quote = await asyncio.to_thread(submit_worst, desk.partner, "Fifteen Anchors", FIFTEEN)
    assert len(quote["referral_reasons"]) >= 3

    async with desk.person("underwriter") as underwriter:
        await open_case(underwriter, "Fifteen Anchors")
        page = underwriter.page
        decide = page.locator("#decide")

        async def all_in_view(approve: Locator) -> None:
            await expect(approve).to_be_visible()
            await page.evaluate("() => scrollTo(0, 0)")
            parts = (approve, page.locator("#outcome"), page.locator("#worksheet .figure"))
            assert [await bottom_of(part) <= HEIGHT for part in parts] == [True] * len(parts)
            assert await bottom_of(page.get_by_text(WHAT_HAPPENED).first) <= HEIGHT

        await all_in_view(page.get_by_role("button", name="Approve 1 option"))

        await page.get_by_role("button", name="All 15").click()
        await all_in_view(page.get_by_role("button", name="Approve 15 options"))
        # The last of them is there to be changed, in a part that scrolls by itself.
        last = page.get_by_label("Percent off the tariff, option 15")
        await last.fill("-5")
        await expect(page.locator("#off-15")).to_contain_text("5 % below the tariff")
        await last.fill("")

        # Each of them breaks two guidelines: that is said once, and can be agreed to.
        await decide.locator("[name=premium]").fill("1")
        await expect(page.locator("#beyond li")).to_have_count(2)
        await expect(page.locator("#beyond")).to_contain_text("15 options, such as option 1: $1 is below")
        yes = decide.get_by_role("checkbox", name="Yes, all the same")
        await all_in_view(page.get_by_role("button", name="Approve 15 options"))
        assert await bottom_of(yes) <= HEIGHT
        await expect(yes).to_have_accessible_description(re.compile("minimum premium.*below the tariff"))


async def test_who_decided_similar_cases_is_there_in_full_on_a_laptop(desk: Desk) -> None:
    decided = await submitted(desk, "red-flags", "Loosestrife and Meadowsweet Confectionery Bakers")
    said = {"decision": "decline", "reason": "Not a risk that we take", "underwriter": UNDERWRITER}
    await asyncio.to_thread(desk.partner.post, f"/v2/demo/quotes/{decided['quote_identifier']}/review", said)
    await submitted(desk, "red-flags", "Meadow Rue Bakers")

    async with desk.person("underwriter") as underwriter:
        await open_case(underwriter, "Meadow Rue Bakers")
        table = underwriter.page.locator("#similar .scroll")
        await table.scroll_into_view_if_needed()
        declined = table.get_by_role("row", name="Loosestrife")
        by = declined.get_by_text("Uma Underwriter")
        await expect(by).to_be_in_viewport(ratio=1)
        await expect(declined).to_contain_text("Declined")
        sizes = "(part) => [part.scrollWidth - part.clientWidth, part.getBoundingClientRect().right]"
        hidden, right = await table.evaluate(sizes)
        assert hidden == 0
        box = await by.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= right


async def test_on_a_phone_the_decision_comes_before_the_evidence_and_one_tap_leads_to_it(
    desk: Desk,
) -> None:
    await asyncio.to_thread(submit_worst, desk.partner, "Pocket Anchors", SIX[:1])

    async with desk.person("underwriter", **PHONE) as underwriter:
        await open_case(underwriter, "Pocket Anchors")
        page = underwriter.page
        decide = page.locator("#decide")
        length = await page.evaluate("() => document.documentElement.scrollHeight")

        # In a review the page was 9,498 pixels long, and the decision began at 8,115.
        assert length < 7_600
        assert await top_of(decide) < 3_000
        assert await top_of(decide) < await top_of(page.locator("#answers"))

        to_decision = page.get_by_role("link", name="To the decision")
        await expect(to_decision).to_be_in_viewport()
        await to_decision.tap()
        await expect(decide.get_by_role("heading", name="Decide")).to_be_in_viewport()
        await expect(page.get_by_role("button", name="Approve 1 option")).to_be_visible()


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


LAPTOP = {"viewport": {"width": 1280, "height": HEIGHT}}
NEXT_STEPS = {
    "open options": ("link", "Bind option 1"),
    "a binder with paper owed": ("button", "Upload"),
    "a policy in force": ("heading", "Nothing is needed now"),
}
"""What the next step of each state is on the company's page."""


async def in_state(desk: Desk, state: str, name: str) -> dict[str, Any]:
    if state == "a policy in force":
        return await issued(desk, name)
    quote = await submitted(desk, "cyb", name)
    if state == "a binder with paper owed":
        await asyncio.to_thread(desk.partner.bind, quote)
    return quote


@pytest.mark.parametrize("view", [LAPTOP, PHONE], ids=["laptop", "phone"])
@pytest.mark.parametrize("state", NEXT_STEPS)
async def test_the_next_step_is_in_the_first_screen_of_company_and_bind(
    desk: Desk, view: Mapping[str, Any], state: str
) -> None:
    role, text = NEXT_STEPS[state]
    height = view["viewport"]["height"]
    quote = await in_state(desk, state, f"Sorrel Mill {height}, {state}")

    async with desk.person("broker", **view) as broker:
        page = broker.page
        step = page.locator("section.next").get_by_role(role, name=text).first  # type: ignore[arg-type]
        await broker.open(f"/company/{quote['company_id']}")
        await expect(step).to_be_visible()
        assert await page.evaluate("() => scrollY") == 0
        assert await bottom_of(step) <= height

        # What is bound already is led to its company, with a line more that says so.
        await broker.open(f"/quote/{quote['quote_identifier']}/bind")
        if state == "open options":
            step = page.locator("#outcome").get_by_role("button", name="Bind on condition until")
        await expect(step).to_be_visible()
        assert await page.evaluate("() => scrollY") == 0
        assert await bottom_of(step) <= height
