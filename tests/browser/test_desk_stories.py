"""What brokers and underwriters do to each other's cases, in a real browser, with and without JavaScript."""

import asyncio

import asyncpg
import pytest
from playwright.async_api import expect
from tools.demo_book import EXAMPLES

from support.browser import Desk
from support.processes import Running
from support.stories import open_case, press, quote_of, submitted, with_and_without_scripts

pytestmark = [pytest.mark.long, pytest.mark.asyncio(loop_scope="session")]


@pytest.mark.long
@with_and_without_scripts
async def test_a_bind_on_condition_becomes_a_policy_when_its_papers_are_in(desk: Desk, scripts: bool) -> None:
    name = f"Juniper Row {scripts}"
    quote = await submitted(desk, "prebind", name)

    async with (
        desk.person("broker", java_script_enabled=scripts) as broker,
        desk.person("underwriter", java_script_enabled=scripts) as underwriter,
    ):
        await broker.open(f"/quote/{quote['quote_identifier']}/bind")
        await broker.page.get_by_role("button", name="Bind on condition until").click()
        await expect(broker.page.locator(".banner")).to_contain_text("Bound. Binder")
        await expect(broker.page.locator(".lede")).to_contain_text("Send a signed and dated application")
        await broker.page.locator("input[type=file]").first.set_input_files(
            EXAMPLES / "signed-application.jpg"
        )
        await press(broker.page, "Upload")
        await expect(broker.page.locator(".banner")).to_contain_text("signed-application.jpg")
        assert (await quote_of(desk, quote))["binder"]["conditional"] is True

        await underwriter.open("/desk?view=papers")
        await underwriter.page.get_by_role("link", name=name).first.click()
        await expect(underwriter.page.locator("#condition")).to_contain_text(
            "Still open: “A signed and dated"
        )
        await press(underwriter.page, "Accept")
        await expect(underwriter.page.locator(".banner")).to_contain_text("The contingency is closed")
        await expect(underwriter.page.locator("#condition")).to_have_count(0)

        await broker.open(f"/company/{quote['company_id']}")
        await expect(broker.page.locator(".lede")).to_contain_text("is issued and begins on")

    after = await quote_of(desk, quote)
    assert (after["quote_status"], after["binder"]["conditional"]) == ("policy_active", False)


@pytest.mark.long
@with_and_without_scripts
async def test_a_premium_of_the_underwriter_shows_how_far_it_is_from_the_tariff(
    desk: Desk, scripts: bool
) -> None:
    name = f"Kestrel Freight {scripts}"
    quote = await submitted(desk, "red-flags", name)

    async with desk.person("underwriter", java_script_enabled=scripts) as underwriter:
        await open_case(underwriter, name)
        page, case = underwriter.page, underwriter.page.url
        await page.locator("#decide [name=premium]").fill("9,000")
        if not scripts:
            await press(page, "Recalculate")
        await expect(page.locator("#worksheet .figure")).to_have_text("$9,000")
        await expect(page.locator("#worksheet")).to_contain_text("Set by an underwriter: +")
        await press(page, "Approve 1 option")
        await expect(page.locator("[role=alert]")).to_contain_text("reason is required")
        assert (await quote_of(desk, quote))["quote_status"] == "quote_referred"

        await page.locator("#decide [name=reason]").fill("Priced for the open port")
        await page.locator("#decide [name=sure]").check()
        await press(page, "Approve 1 option")
        await expect(page.locator(".banner")).to_contain_text("is published at $9,000")

        await page.goto(case)
        await expect(page.locator("#worksheet")).to_contain_text("Set by an underwriter: +")
        await expect(page.locator("#history")).to_contain_text("Priced for the open port")

    assert (await quote_of(desk, quote))["premium"] == 9_000


@pytest.mark.long
@with_and_without_scripts
async def test_whoever_would_approve_what_was_declined_meanwhile_approves_nothing(
    desk: Desk, scripts: bool
) -> None:
    name = f"Larkspur Mills {scripts}"
    quote = await submitted(desk, "red-flags", name)

    async with (
        desk.person("underwriter", java_script_enabled=scripts) as first,
        desk.person("underwriter", java_script_enabled=scripts) as second,
    ):
        await open_case(second, name)
        await second.page.locator("#decide [name=reason]").fill("They closed the port")
        await open_case(first, name)
        await first.page.locator("#decide [name=reason]").fill("The port is open")
        await press(first.page, "Decline…")
        await press(first.page, "Decline")
        await expect(first.page.locator(".banner")).to_be_visible()

        await press(second.page, "Approve 1 option")
        alert = second.page.locator("[role=alert]")
        await expect(alert).to_contain_text("Option 1 was declined: The port is open")
        await expect(alert).to_contain_text("They closed the port")

    assert (await quote_of(desk, quote))["quote_status"] == "quote_declined"


@pytest.mark.long
@with_and_without_scripts
async def test_a_declined_bind_brings_the_other_options_back(desk: Desk, scripts: bool) -> None:
    name = f"Marigold House {scripts} (prebind)"
    quote = await submitted(desk, "cyb", name)

    async with (
        desk.person("broker", java_script_enabled=scripts) as broker,
        desk.person("underwriter", java_script_enabled=scripts) as underwriter,
    ):
        await broker.open(f"/quote/{quote['quote_identifier']}/bind")
        await expect(broker.page.locator("#outcome")).to_contain_text("An underwriter decides")
        await press(broker.page, "Ask an underwriter")
        await expect(broker.page.locator(".banner")).to_contain_text("an underwriter decides")
        assert (await broker.text()).count("Waits") >= 4

        await open_case(underwriter, name)
        await underwriter.page.locator("#decide [name=reason]").fill("Not with these subsidiaries")
        # Only what is at the desk can be ticked.
        await expect(underwriter.page.get_by_label("Option 1 ·")).to_be_checked()
        await expect(underwriter.page.get_by_label("Option 2 ·")).to_have_count(0)
        await press(underwriter.page, "Decline…")
        await press(underwriter.page, "Decline")
        await expect(underwriter.page.locator(".banner")).to_be_visible()

        await broker.open(f"/company/{quote['company_id']}")
        await expect(broker.page.locator(".lede")).to_contain_text("4 options are open until")


@with_and_without_scripts
async def test_a_page_that_was_opened_too_early_fills_itself(
    desk: Desk, demo: Running, scripts: bool
) -> None:
    body_of = f"Nightjar Press {scripts}"
    connection = await asyncpg.connect(demo.program.variables["BINDERY_DATABASE_URL"])
    try:
        async with desk.person("broker", java_script_enabled=scripts) as broker:
            async with connection.transaction():
                # What is published writes here first, so nothing is; pages keep reading.
                await connection.execute("lock table packets in exclusive mode")
                receipt = await asyncio.to_thread(desk.partner.send, "prebind", body_of)
                await broker.open(f"/company/{receipt['company_id']}")
                standing = broker.page.locator(".lede")
                await expect(standing).to_contain_text("1 option is being quoted (submitted")

            await expect(standing).to_contain_text("1 option is open until")
            await expect(broker.page.get_by_role("link", name="Bind option 1")).to_be_visible()
    finally:
        await connection.close()
