"""The keys of those who work here all day: each does what a control on the page does, never while typing."""

import asyncio
from datetime import date, timedelta
from functools import partial

import pytest
from playwright.async_api import Page, ViewportSize, expect
from tools.demo_book import EXAMPLES

from support.browser import Desk
from support.stories import quote_of, submitted

pytestmark = pytest.mark.asyncio(loop_scope="session")
EVERY_KEY = "j k o x t n a d 1 2 [ ] . u / g c ?"


async def row_in_hand(page: Page) -> int:
    """Return the number of the row that has the focus."""
    at: int = await page.evaluate(
        """() => [...document.querySelectorAll("main tbody tr:has(a)")]
            .indexOf(document.activeElement.closest("tr"))"""
    )
    return at


async def focused(page: Page, what: str = "textContent") -> str:
    return str(await page.evaluate(f"() => document.activeElement.{what}"))


async def press_keys(page: Page, *keys: str) -> None:
    """Press keys that lead to another page, and wait for it."""
    async with page.expect_navigation():
        for key in keys:
            await page.keyboard.press(key)


async def follow(page: Page, name: str) -> None:
    """Follow a link until the page is there with its scripts: before that, no key does anything."""
    async with page.expect_navigation():
        await page.get_by_role("link", name=name, exact=True).first.click()


async def leave_field(page: Page) -> None:
    """Leave a field, so that keys are keys again."""
    await page.evaluate("() => document.activeElement.blur()")


async def test_keys_move_pick_and_filter_in_the_queue(desk: Desk) -> None:
    for number in range(2):
        await submitted(desk, "red-flags", f"Yarrow Keys {number}")

    async with desk.person("underwriter") as underwriter:
        page, keys = underwriter.page, underwriter.page.keyboard
        await underwriter.open("/desk")
        rows = page.locator("main tbody tr:has(a)")
        last = await rows.count() - 1
        await keys.press("k")
        assert await row_in_hand(page) == last
        await keys.press("k")
        assert await row_in_hand(page) == last - 1
        await keys.press("j")
        assert await row_in_hand(page) == last

        picked = rows.nth(last).locator("input[type=checkbox]")
        name = await rows.nth(last).locator("a").first.inner_text()
        await keys.press("x")
        await expect(picked).to_be_checked()
        await keys.press("x")
        await expect(picked).not_to_be_checked()
        await keys.press("x")
        await press_keys(page, "t")
        await expect(page.locator(".banner")).to_have_text("You took 1 case.")
        await expect(page.locator("tr", has_text=name)).to_contain_text("you")

        tabs = page.locator("nav[aria-label=Views] a")
        for number in range(1, await tabs.count() + 1):
            await press_keys(page, str(number))
            await expect(tabs.nth(number - 1)).to_have_attribute("aria-current", "page")

        await underwriter.open("/desk?view=all&product=CYB")
        await underwriter.open("/desk")
        await press_keys(page, ".")
        assert page.url.endswith("/desk?view=all&product=CYB")
        assert await page.locator("[name=product]").input_value() == "CYB"

        await press_keys(page, "n")
        assert "/desk/case/" in page.url
        await expect(page.get_by_role("button", name="Put it back")).to_be_visible()


async def test_keys_work_on_a_case_and_send_nothing_by_themselves(desk: Desk) -> None:
    await submitted(desk, "big-limit", "Yarrow Limits")

    async with desk.person("underwriter") as underwriter:
        page, keys = underwriter.page, underwriter.page.keyboard
        await underwriter.open("/desk")
        await follow(page, "Yarrow Limits")
        case = page.url.partition("?")[0]

        await press_keys(page, "2")
        await expect(page.locator("th [aria-current=true]")).to_have_text("Option 2")
        await press_keys(page, "1")
        await expect(page.locator("th [aria-current=true]")).to_have_text("Option 1")

        await press_keys(page, "t")
        await expect(page.get_by_role("button", name="Put it back")).to_be_visible()
        await press_keys(page, "t")
        await expect(page.get_by_role("button", name="Take the case")).to_be_visible()

        heads = [text for text in await page.locator("main h2:visible").all_inner_texts() if text]
        await keys.press("]")
        assert (await focused(page, "innerText")) == heads[0]
        await keys.press("]")
        assert (await focused(page, "innerText")) == heads[1]
        await keys.press("[")
        assert (await focused(page, "innerText")) == heads[0]

        await keys.press("d")
        assert await focused(page, "value") == "decline"
        assert page.url.startswith(case), "only the focus has moved"

        await keys.press("/")
        assert await focused(page, "name") == "q"
        assert await page.locator("[name=q]").input_value() == ""

        await leave_field(page)
        await keys.press("n")
        assert await focused(page, "name") == "note"
        await leave_field(page)
        await press_keys(page, "u")
        await expect(page.locator("h1")).to_have_text("Queue")


async def test_the_key_of_a_paper_leads_to_the_button_and_accepts_nothing(desk: Desk) -> None:
    quote = await submitted(desk, "cyb", "Yarrow Papers")
    await asyncio.to_thread(desk.partner.bind, quote)
    await asyncio.to_thread(desk.partner.upload, quote, EXAMPLES / "signed-application.jpg")

    async with desk.person("underwriter") as underwriter:
        page, keys = underwriter.page, underwriter.page.keyboard
        await underwriter.open("/desk?view=papers")
        await follow(page, "Yarrow Papers")
        await keys.press("a")
        assert await focused(page, "value") == "accept"
        await press_keys(page, "Enter")
        await expect(page.locator(".banner")).to_contain_text("The contingency is closed")


async def test_keys_lead_to_the_answers_to_a_cancellation(desk: Desk) -> None:
    quote = await submitted(desk, "cyb", "Yarrow Endings")
    await asyncio.to_thread(desk.partner.upload, quote, EXAMPLES / "signed-application.jpg")
    await asyncio.to_thread(partial(desk.partner.bind, quote, app_attestation=True))
    asked = {"effective": quote["dates"]["expiration"], "reason": "business_sold"}
    asked["effective"] = str(date.fromisoformat(asked["effective"]) - timedelta(days=100))
    address = f"/v2/quotes/{quote['quote_identifier']}/request_cancellation"
    await asyncio.to_thread(desk.partner.post, address, asked)

    async with desk.person("underwriter") as underwriter:
        page, keys = underwriter.page, underwriter.page.keyboard
        await underwriter.open("/desk")
        await follow(page, "Yarrow Endings")
        await keys.press("a")
        assert await focused(page, "value") == "cancel"
        await keys.press("d")
        assert await focused(page, "value") == "decline_cancellation"


async def test_keys_lead_from_the_search_to_the_case_of_an_open_option(desk: Desk) -> None:
    await submitted(desk, "prebind", "Yarrow Open")

    async with desk.person("underwriter") as underwriter:
        page, keys = underwriter.page, underwriter.page.keyboard
        await underwriter.open("/desk")
        await keys.press("/")
        await keys.type("Yarrow Open")
        await press_keys(page, "Enter")
        await press_keys(page, "o")
        await expect(page.locator("#decide [name=reason]")).to_be_hidden()
        await keys.press("e")
        await expect(page.locator("#decide [name=reason]")).to_be_visible()
        await keys.press("a")
        assert await focused(page, "value") == "amend"
        await keys.press("d")
        assert await focused(page, "value") == "withdraw"


async def test_j_and_k_lead_from_case_to_case(desk: Desk) -> None:
    for number in range(2):
        await submitted(desk, "red-flags", f"Yarrow Road {number}")

    async with desk.person("underwriter") as underwriter:
        page = underwriter.page
        await underwriter.open("/desk")
        names = [text.strip() for text in await page.locator("main tbody tr a.who").all_inner_texts()]
        await follow(page, names[0])
        await press_keys(page, "j")
        await expect(page.locator("h1")).to_have_text(names[1])
        await press_keys(page, "k")
        await expect(page.locator("h1")).to_have_text(names[0])


async def test_no_key_does_anything_while_somebody_types(desk: Desk) -> None:
    async with desk.person("underwriter") as underwriter:
        page = underwriter.page
        await underwriter.open("/desk")
        await follow(page, "Merrow & Vale Logistics")
        await expect(page.locator("h1")).to_have_text("Merrow & Vale Logistics")
        before = page.url

        for field in ("[name=q]", "#decide [name=premium]", "#decide [name=reason]", "[name=note]"):
            await page.locator(field).focus()
            await page.keyboard.type(EVERY_KEY)

            assert await page.locator(field).input_value() == EVERY_KEY
            assert page.url == before
            assert await page.locator("dialog[open]").count() == 0


async def test_two_keys_lead_to_companies_and_operations(desk: Desk) -> None:
    async with desk.person("broker") as broker:
        await broker.open("/renewals")
        await press_keys(broker.page, "g", "c")
        await expect(broker.page.locator("h1")).to_have_text("Companies")
    async with desk.person("operator") as operator:
        await operator.open("/ops/users")
        await press_keys(operator.page, "g", "o")
        await expect(operator.page.locator("h1")).to_have_text("Overview")


async def test_the_list_of_keys_names_each_once(desk: Desk) -> None:
    for number in range(2):
        await submitted(desk, "red-flags", f"Zinnia Keys {number}")

    async with desk.person("underwriter") as underwriter:
        page = underwriter.page
        await underwriter.open("/desk?view=all")
        await follow(page, "Zinnia Keys 0")
        await page.keyboard.press("?")
        keys = page.locator("#keys kbd:visible")
        await expect(keys.first).to_be_visible()
        shown = await keys.all_inner_texts()

    assert {"a", "d", "n", "?"} <= set(shown)
    # As part of Ctrl+Enter, and to open a row.
    once = [key for key in shown if key != "Enter"]
    assert sorted(once) == sorted(set(once))


async def test_the_way_up_from_a_company_leads_to_the_list_as_it_was_left(desk: Desk) -> None:
    quote = await submitted(desk, "cyb", "Willow Weavers")
    company = f"/company/{quote['company_id']}"

    async with desk.person("broker") as broker:
        page = broker.page
        for left in ("?product=CYB&q=willow", ""):
            await broker.open(f"/companies{left}")
            await broker.open(company)
            await press_keys(page, "u")
            assert page.url == f"{desk.url}/companies{left}"


MOST_TABS = 90
SEEN_AND_FREE = """() => {
  const here = document.activeElement, box = here.getBoundingClientRect();
  if (!box.width || here.matches(".skip, .sr")) return "";
  const bar = document.querySelector(".bar");
  if (bar.contains(here)) return "";
  // A table that scrolls by itself may be taller than a phone.
  const top = here.matches("[role=region]") ? box.bottom : box.top;
  if (top < bar.getBoundingClientRect().bottom) return `under the bar: ${here.outerHTML.slice(0, 120)}`;
  if (box.top > innerHeight) return `below the screen: ${here.outerHTML.slice(0, 120)}`;
  // The calendar of a date field is inside of it, where the browser draws the ring.
  if (!here.matches(":focus")) return "";
  // A link that covers its row has the ring around the row.
  const around = [here, here.closest("li, tr") ?? here].map((part) => getComputedStyle(part).outlineStyle);
  return around.some((style) => style !== "none") ? "" : `no ring: ${here.outerHTML.slice(0, 120)}`;
}"""
"""What is wrong with where the focus is, if anything."""


async def tab_to(page: Page, name: str) -> None:
    """Go on with the Tab key to what has a name, and look on the way that the focus is always seen."""
    for _ in range(MOST_TABS):
        await page.keyboard.press("Tab")
        assert await page.evaluate(SEEN_AND_FREE) == ""
        if name in await focused(page, "innerText || document.activeElement.labels?.[0]?.innerText || ''"):
            return
    raise AssertionError(f"{name} was not reached in {MOST_TABS} steps")


@pytest.mark.parametrize(
    ("view", "scripts"),
    [
        pytest.param({"width": 1280, "height": 900}, True, id="laptop"),
        pytest.param({"width": 390, "height": 844}, True, id="phone", marks=pytest.mark.long),
        pytest.param({"width": 1280, "height": 900}, False, id="no scripts", marks=pytest.mark.long),
    ],
)
async def test_a_quote_is_bound_with_the_keyboard_alone(
    desk: Desk, view: ViewportSize, scripts: bool
) -> None:
    name = f"Keyboard Orchard {view['width']} {scripts}"
    quote = await submitted(desk, "cyb", name)

    async with desk.person("broker", viewport=view, java_script_enabled=scripts) as broker:
        page, keys = broker.page, broker.page.keyboard
        await broker.open(f"/company/{quote['company_id']}")
        await expect(page.locator("h1")).to_have_text(name)
        await tab_to(page, "Bind option 1")
        await press_keys(page, "Enter")
        await expect(page.locator("h1")).to_contain_text("Bind option 1 for")

        await tab_to(page, "First name")
        await keys.press("Control+a")
        await keys.type("Ottoline")
        # Enter in a field checks the form, and binds nothing.
        await press_keys(page, "Enter")
        await expect(page.locator("#first_name")).to_have_value("Ottoline")
        assert (await quote_of(desk, quote))["quote_status"] == "published"
        await tab_to(page, "Bind on condition until")
        await press_keys(page, "Enter")

        await expect(page.locator(".banner")).to_contain_text("Bound. Binder")
        assert await page.evaluate("() => document.activeElement.matches('.banner')")
    bound = await quote_of(desk, quote)
    assert bound["quote_status"] == "policy_active"
    assert bound["client"]["insured_main_contact"]["first_name"] == "Ottoline"
