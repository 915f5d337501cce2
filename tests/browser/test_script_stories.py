"""What the scripts of the pages do when something is in their way, in a real browser."""

import pytest
from playwright.async_api import Route, expect

from bindery.domain.access.users import Role
from support.browser import Desk
from support.stories import open_case, press, quote_of, submitted

pytestmark = pytest.mark.asyncio(loop_scope="session")

PREVIEW = "**/preview?*"


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (503, "the service is not available at the moment"),
        (500, "the service is not available at the moment"),
        (404, "the case is not available any more"),
    ],
)
async def test_a_refused_preview_leaves_the_worksheet_and_says_why(
    desk: Desk, status: int, words: str
) -> None:
    name = f"Ploughman Seeds {status}"
    await submitted(desk, "red-flags", name)

    async def refuse(route: Route) -> None:
        await route.fulfill(status=status, content_type="text/html", body="<h1>Not available</h1>")

    async with desk.person(Role.UNDERWRITER) as underwriter:
        await open_case(underwriter, name)
        page = underwriter.page
        worksheet = page.locator("#worksheet")
        before = await worksheet.inner_text()
        await page.route(PREVIEW, refuse)
        await page.locator("#decide [name=premium]").fill("9,000")

        said = page.locator("#decide [role=status]")
        await expect(said).to_contain_text("The price could not be worked out:")
        await expect(said).to_contain_text(words)
        assert await worksheet.inner_text() == before
        assert await worksheet.get_attribute("aria-busy") is None

        # The next try finds everything where it was.
        await page.unroute(PREVIEW)
        await page.locator("#decide [name=premium]").fill("9,100")
        await expect(worksheet.locator(".figure")).to_have_text("$9,100")
        await expect(said).to_have_text("Premium $9,100")


async def test_a_preview_without_a_connection_leaves_the_worksheet_and_says_so(desk: Desk) -> None:
    name = "Ploughman Seeds unplugged"
    await submitted(desk, "red-flags", name)

    async with desk.person(Role.UNDERWRITER) as underwriter:
        await open_case(underwriter, name)
        page = underwriter.page
        worksheet = page.locator("#worksheet")
        before = await worksheet.inner_text()
        await page.route(PREVIEW, lambda route: route.abort("connectionfailed"))
        await page.locator("#decide [name=premium]").fill("9,000")

        await expect(page.locator("#decide [role=status]")).to_contain_text("there is no connection")
        assert await worksheet.inner_text() == before
        assert await worksheet.get_attribute("aria-busy") is None


async def test_a_preview_of_somebody_who_was_signed_out_leaves_the_worksheet_and_says_so(desk: Desk) -> None:
    name = "Ploughman Seeds signed out"
    await submitted(desk, "red-flags", name)

    async with desk.person(Role.UNDERWRITER) as underwriter:
        await open_case(underwriter, name)
        page = underwriter.page
        worksheet = page.locator("#worksheet")
        before = await worksheet.inner_text()
        await underwriter.context.clear_cookies()
        await page.locator("#decide [name=premium]").fill("9,000")

        await expect(page.locator("#decide [role=status]")).to_contain_text("you are signed out")
        assert await worksheet.inner_text() == before
        assert await worksheet.get_attribute("aria-busy") is None
        assert await page.locator("#decide [name=premium]").input_value() == "9,000"


async def test_control_and_enter_send_the_decision_by_its_primary_button(desk: Desk) -> None:
    name = "Hotkey Approvals"
    quote = await submitted(desk, "red-flags", name)

    async with desk.person(Role.UNDERWRITER) as underwriter:
        await open_case(underwriter, name)
        await underwriter.page.locator("#decide [name=reason]").fill("They closed the port")
        await underwriter.page.keyboard.press("Control+Enter")
        await expect(underwriter.page.locator(".banner")).to_contain_text("published")

    assert (await quote_of(desk, quote))["quote_status"] == "published"


async def test_control_and_enter_send_the_decision_by_the_focused_button(desk: Desk) -> None:
    name = "Hotkey Refusals"
    quote = await submitted(desk, "red-flags", name)

    async with desk.person(Role.UNDERWRITER) as underwriter:
        await open_case(underwriter, name)
        page = underwriter.page
        await page.locator("#decide [name=reason]").fill("The port is open")
        await page.locator("#decide [value=decline]").focus()
        await page.keyboard.press("Control+Enter")
        await expect(page.locator("h1")).to_have_text(f"Decline {name}?")
        await press(page, "Decline")
        await expect(page.locator(".banner")).to_be_visible()

    assert (await quote_of(desk, quote))["quote_status"] == "quote_declined"


async def test_control_and_enter_send_a_form_with_one_plain_button(desk: Desk) -> None:
    name = "Hotkey Notes"
    await submitted(desk, "red-flags", name)

    async with desk.person(Role.UNDERWRITER) as underwriter:
        await open_case(underwriter, name)
        await underwriter.page.locator("[name=note]").fill("Called the broker")
        await underwriter.page.keyboard.press("Control+Enter")
        await expect(underwriter.page.locator(".banner")).to_have_text("The note is saved.")
        await expect(underwriter.page.locator(".history").last).to_contain_text("Called the broker")
