"""What the scripts of the pages do when something is in their way, in a real browser."""

import contextlib
from collections.abc import AsyncIterator
from typing import Any

import pytest
from playwright.async_api import Page, expect

from bindery.domain.access.users import Role
from support.browser import Desk
from support.stories import open_case, press, quote_of, submitted

pytestmark = [pytest.mark.long, pytest.mark.asyncio(loop_scope="session")]

PREVIEW = "**/preview?*"


@contextlib.asynccontextmanager
async def at_case(desk: Desk, name: str) -> AsyncIterator[tuple[Page, dict[str, Any]]]:
    """Submit a company that is referred and open its case, with the quote that it is about."""
    quote = await submitted(desk, "red-flags", name)
    async with desk.person(Role.UNDERWRITER) as underwriter:
        await open_case(underwriter, name)
        yield underwriter.page, quote


async def type_premium_in_vain(page: Page, *words: str) -> None:
    """Type a premium, and check that the worksheet stays as it was and that the page says why."""
    worksheet = page.locator("#worksheet")
    before = await worksheet.inner_text()
    await page.locator("#decide [name=premium]").fill("9,000")

    for said in words:
        await expect(page.locator("#decide [role=status]")).to_contain_text(said)
    assert await worksheet.inner_text() == before
    assert await worksheet.get_attribute("aria-busy") is None


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (503, "the service is not available at the moment"),
        (500, "the service is not available at the moment"),
        (404, "the page is out of date. Open it again"),
    ],
)
async def test_a_refused_preview_leaves_the_worksheet_and_says_why(
    desk: Desk, status: int, words: str
) -> None:
    async with at_case(desk, f"Ploughman Seeds {status}") as (page, _):
        refused = {"status": status, "content_type": "text/html", "body": "<h1>Not available</h1>"}
        await page.route(PREVIEW, lambda route: route.fulfill(**refused))
        await type_premium_in_vain(page, "This could not be worked out:", words)

        # The next try finds everything where it was.
        await page.unroute(PREVIEW)
        await page.locator("#decide [name=premium]").fill("9,100")
        await expect(page.locator("#worksheet .figure")).to_have_text("$9,100")
        await expect(page.locator("#decide [role=status]")).to_have_text("Premium $9,100")


async def test_a_preview_without_a_connection_leaves_the_worksheet_and_says_so(desk: Desk) -> None:
    async with at_case(desk, "Ploughman Seeds unplugged") as (page, _):
        await page.route(PREVIEW, lambda route: route.abort("connectionfailed"))
        await type_premium_in_vain(page, "there is no connection")


async def test_a_preview_of_somebody_who_was_signed_out_leaves_the_worksheet_and_says_so(desk: Desk) -> None:
    async with at_case(desk, "Ploughman Seeds signed out") as (page, _):
        await page.context.clear_cookies()
        await type_premium_in_vain(page, "you are signed out")
        assert await page.locator("#decide [name=premium]").input_value() == "9,000"


async def test_control_and_enter_send_the_decision_by_its_primary_button(desk: Desk) -> None:
    async with at_case(desk, "Hotkey Approvals") as (page, quote):
        await page.locator("#decide [name=reason]").fill("They closed the port")
        await page.keyboard.press("Control+Enter")
        await expect(page.locator(".banner")).to_contain_text("published")

    assert (await quote_of(desk, quote))["quote_status"] == "published"


async def test_control_and_enter_send_the_decision_by_the_focused_button(desk: Desk) -> None:
    async with at_case(desk, "Hotkey Refusals") as (page, quote):
        await page.locator("#decide [name=reason]").fill("The port is open")
        await page.locator("#decide [value=decline]").focus()
        await page.keyboard.press("Control+Enter")
        await expect(page.locator("h1")).to_have_text("Decline Hotkey Refusals?")
        await press(page, "Decline")
        await expect(page.locator(".banner")).to_be_visible()

    assert (await quote_of(desk, quote))["quote_status"] == "quote_declined"


async def test_control_and_enter_send_a_form_with_one_plain_button(desk: Desk) -> None:
    async with at_case(desk, "Hotkey Notes") as (page, _):
        await page.locator("[name=note]").fill("Called the broker")
        await page.keyboard.press("Control+Enter")
        await expect(page.locator(".banner")).to_have_text("The note is saved.")
        await expect(page.locator("#notes")).to_contain_text("Called the broker")
