"""Who is kept out, and what an operator does about deliveries, in a real browser."""

import asyncio
import re
from urllib.parse import urlsplit

import asyncpg
import pytest
from aiohttp import web
from playwright.async_api import Page, expect

from bindery.domain.access.users import Role
from bindery.web.pages import PAGES
from support.browser import Desk, Watched
from support.processes import Running
from support.receiver import receiving
from support.stories import press, quote_of, submitted, with_and_without_scripts
from support.waiting import eventually

pytestmark = pytest.mark.asyncio(loop_scope="session")
PASSWORD = "a long pass phrase"


async def add_user(operator: Watched, email: str, role: str, partner: str = "") -> None:
    await operator.open("/ops/users")
    page = operator.page
    await page.locator("[name=email]").fill(email)
    await page.locator("[name=name]").fill("Somebody Else")
    await page.locator("[name=role]").select_option(role)
    await page.locator("[name=partner]").fill(partner)
    await press(page, "Add and invite")
    # The demo sends no mail, so the link is shown.
    await operator.open(urlsplit(await page.locator("#link").inner_text()).path)
    await page.locator("[name=password]").fill(PASSWORD)
    await press(page, "Set the password")
    await expect(page.locator(".banner")).to_contain_text(f"The password of {email} is set.")


async def try_to_sign_in(page: Page, email: str, password: str) -> None:
    await page.locator("[name=email]").fill(email)
    await page.locator("[name=password]").fill(password)
    await press(page, "Sign in")


@pytest.mark.long
@with_and_without_scripts
async def test_to_another_partners_broker_every_address_of_a_company_is_unknown(
    desk: Desk, scripts: bool
) -> None:
    quote = desk.partner.quotes["Harborlight Bakery LLC"][0]
    company = f"/company/{quote['company_id']}"
    house, email = f"Hedgerow Brokers {scripts}", f"eve-{scripts}@example.com".lower()
    async with desk.person("operator", java_script_enabled=scripts) as operator:
        await operator.open("/ops/partners")
        await operator.page.locator("[name=name]").fill(house)
        await press(operator.page, "Add the partner")
        await add_user(operator, email, "broker", house)

    async with desk.stranger(java_script_enabled=scripts) as eve:
        await try_to_sign_in(eve.page, email, PASSWORD)
        await expect(eve.page.locator("h1")).to_have_text("Today")
        unknown = await eve.open("/company/100000001")
        assert unknown.status == 404
        said = await eve.page.locator("main [role=alert]").inner_text()

        for address in (company, f"{company}/compare", f"{company}/changes"):
            answer = await eve.open(address)
            assert answer.status == 404, address
            assert await eve.page.locator("main [role=alert]").inner_text() == said
        values = {
            "company_id": quote["company_id"],
            "quote_id": quote["quote_identifier"],
            "kind": "quote_letter",
        }
        for row in PAGES:
            if row.get is None or row.who is None or (Role.BROKER in row.who and "{" not in row.path):
                continue
            address = re.sub(r"\{(\w+)\}", lambda found: values.get(found[1], "1"), row.path)
            answer = await eve.open(address)
            assert answer.status == 404, address
            await expect(eve.page.locator("h1")).to_have_text("Not found")
        await eve.open("/companies?mine=0")
        assert "Harborlight" not in await eve.text()


@pytest.mark.long
@with_and_without_scripts
async def test_after_five_wrong_passwords_the_right_one_waits_too(desk: Desk, scripts: bool) -> None:
    email = f"una-{scripts}@example.com".lower()
    async with desk.person("operator", java_script_enabled=scripts) as operator:
        await add_user(operator, email, "underwriter")

    async with desk.stranger(java_script_enabled=scripts) as stranger:
        alert = stranger.page.locator("[role=alert]")
        for number in range(5):
            await try_to_sign_in(stranger.page, email, f"wrong pass phrase {number}")
            await expect(alert).to_contain_text("The address or the password is wrong.")
        await try_to_sign_in(stranger.page, email, PASSWORD)
        await expect(alert).to_contain_text("Too many wrong passwords. Try again in 15 minutes.")
        assert await stranger.page.locator("[name=email]").input_value() == email
        await expect(stranger.page.locator("h1")).to_have_text("Sign in")


async def give_up(demo: Running, webhook_id: str) -> None:
    """Mark the deliveries of a webhook as failed for good, which takes three days otherwise."""
    connection = await asyncpg.connect(demo.program.variables["BINDERY_DATABASE_URL"])
    try:
        await connection.execute(
            """
            with gone as (delete from deliveries where webhook_id = $1::text::uuid returning *)
            insert into finished_deliveries
                (delivery_id, webhook_id, event_id, quote_id, entry, created_at, state, finished_at)
            select delivery_id, webhook_id, event_id, quote_id, entry, created_at, 'failed', created_at
            from gone
            """,
            webhook_id,
        )
    finally:
        await connection.close()


@pytest.mark.long
@with_and_without_scripts
async def test_what_an_endpoint_refused_is_recovered_and_sent_again(
    desk: Desk, demo: Running, scripts: bool
) -> None:
    async with receiving() as receiver, desk.person("operator", java_script_enabled=scripts) as operator:
        receiver.answer = lambda _: web.Response(status=500, text="Out of order")
        levels = {"quote_level": True, "policy_level": False}
        registered = await asyncio.to_thread(
            desk.partner.post, "/v2/webhooks", {"endpoint": receiver.url, **levels}
        )
        address, page = f"/ops/webhooks/{registered['id']}", operator.page
        await submitted(desk, "prebind", f"Osprey Rigging {scripts}")

        async def tries() -> str:
            await operator.open(address)
            return await operator.text()

        def published() -> list[str]:
            return [delivery.id for delivery in receiver.got if delivery.type == "quote.published"]

        await eventually(tries, lambda seen: "500" in seen)
        await give_up(demo, registered["id"])
        receiver.answer = lambda _: web.Response()
        before = len(published())

        await operator.open(address)
        await page.get_by_role("link", name="Recover what failed").click()
        # The documents of the quote may have been told of as well by now.
        await expect(page.locator("h2").first).to_contain_text(re.compile(r"\d events? failed since"))
        await page.get_by_role("button", name=re.compile("Send (it|all of them) again")).click()
        await expect(page.locator(".banner")).to_contain_text("on the way again.")
        await eventually(published, lambda seen: len(seen) > before)
        row = page.locator("tr", has_text="quote.published").first
        await row.get_by_role("button", name="Send again").click()
        await expect(page.locator(".banner")).to_contain_text("The event is on its way again.")
        sent = await eventually(published, lambda seen: len(seen) > before + 1)

        assert len(set(sent)) == 1
        await asyncio.to_thread(desk.partner.delete, f"/v2/webhooks/{registered['id']}")


async def test_the_company_id_is_copied_by_keyboard_also_where_keys_are_switched_off(desk: Desk) -> None:
    quote = desk.partner.quotes["Harborlight Bakery LLC"][0]
    async with desk.person("broker", permissions=["clipboard-read", "clipboard-write"]) as broker:
        page = broker.page
        keys = page.locator("[action='/account/keys']")
        await broker.open("/account")
        await keys.locator("[name=has_keys]").uncheck()
        await keys.get_by_role("button").click()
        await expect(page.locator(".banner")).to_have_text("Keys are off.")
        await broker.open(f"/company/{quote['company_id']}")
        button = page.get_by_role("button", name="Copy the company id")
        await button.focus()
        await page.keyboard.press("Enter")
        await expect(page.locator("[data-copies=company-id] + [role=status]")).to_have_text("Copied")
        assert await page.evaluate("() => navigator.clipboard.readText()") == quote["company_id"]
        await broker.open("/account")
        await keys.locator("[name=has_keys]").check()
        await keys.get_by_role("button").click()
        await expect(page.locator(".banner")).to_have_text("Keys are on.")

    async with desk.person("broker", java_script_enabled=False) as broker:
        await broker.open(f"/company/{quote['company_id']}")
        await expect(broker.page.locator("[data-copies]")).to_be_hidden()
        await expect(broker.page.locator("#company-id")).to_have_text(quote["company_id"])


@pytest.mark.long
@with_and_without_scripts
async def test_a_bind_that_is_sent_after_the_sign_in_ended_is_sent_with_one_more_press(
    desk: Desk, scripts: bool
) -> None:
    quote = await submitted(desk, "mpl", f"Marlowe Appraisers {scripts}")
    async with desk.person("broker", java_script_enabled=scripts) as broker:
        page = broker.page
        await broker.open(f"/quote/{quote['quote_identifier']}/bind")
        await page.get_by_label("First name").fill("Ottoline")
        await broker.context.clear_cookies()

        await page.locator("button[value=bind]").click()
        await expect(page.locator("main [role=status]")).to_contain_text("nothing has been sent yet")
        await press(page, "Bo, a broker")
        await expect(page.locator("h1")).to_have_text("Nothing has been sent yet")
        assert (await quote_of(desk, quote))["quote_status"] == "published"
        await press(page, "Send it now")

        await expect(page.locator(".banner")).to_contain_text("Bound. Binder")
        bound = await quote_of(desk, quote)
        assert bound["client"]["insured_main_contact"]["first_name"] == "Ottoline"
