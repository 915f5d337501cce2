"""The demo's clock moves while pages are open: in a demo of its own, or the others' book would expire."""

import asyncio
from collections.abc import Iterator
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

import asyncpg
import httpx
import pytest
from playwright.async_api import Browser, expect
from tools.demo_book import Partner

from bindery.web.shown.words import MONTHS
from support.browser import Desk
from support.processes import NO_TLS, Running, demo_running
from support.stories import open_case, press, submitted, with_and_without_scripts

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.long]
ZONE = ZoneInfo("America/New_York")


@pytest.fixture(scope="module")
def demo_that_moves(
    server: str, template: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    with demo_running(server, template, tmp_path_factory.mktemp("moving")) as running:
        yield running


@pytest.fixture
def moving(demo_that_moves: Running, browser: Browser) -> Iterator[Desk]:
    with httpx.Client(base_url=demo_that_moves.url, timeout=60, verify=NO_TLS) as http:
        yield Desk(demo_that_moves.url, Partner(http, demo_that_moves.token), browser)


async def set_clock(demo: Running, moment: datetime) -> None:
    """Set the demo's clock ahead, to the second; its own door moves it by whole days."""
    connection = await asyncpg.connect(demo.program.variables["BINDERY_DATABASE_URL"])
    try:
        await connection.execute("update service_clock set ahead = $1 - now()", moment)
    finally:
        await connection.close()


@with_and_without_scripts
async def test_the_day_turns_on_an_open_page_at_midnight_where_the_business_is(
    moving: Desk, demo_that_moves: Running, scripts: bool
) -> None:
    quote = await submitted(moving, "prebind", f"Tidewater Books {scripts}")
    clock = await asyncio.to_thread(moving.partner.post, "/v2/demo/clock", {"advance_days": 0})
    today = datetime.fromisoformat(clock["now"]).astimezone(ZONE).date()
    evening = datetime.combine(today + timedelta(days=1), time(23, 30), tzinfo=ZONE)
    after = evening.date() + timedelta(days=1)
    effective = after + timedelta(days=30)
    await set_clock(demo_that_moves, evening)

    async with moving.person("broker", java_script_enabled=scripts) as broker:
        page = broker.page
        await broker.open(f"/quote/{quote['quote_identifier']}/bind")
        await page.locator("[name=effective]").fill(effective.isoformat())
        await page.locator("[name=expiration]").fill((effective + timedelta(days=365)).isoformat())
        await page.locator("[name=effective]").press("Enter")
        await expect(page.locator("#problems")).to_contain_text("Effective date")

        await set_clock(demo_that_moves, evening + timedelta(minutes=31))
        await press(page, "Check again")
        await expect(page.locator("#outcome")).to_contain_text("Binder, due")
        await page.locator("button[value=bind]").click()
        await expect(page.locator(".banner")).to_contain_text("Bound. Binder")
        line = page.locator(".line li", has_text="Option 1 was bound").first
        await expect(line).to_contain_text(f"{MONTHS[after.month - 1]} {after.day}, 12:0")


async def test_sixty_one_days_later_every_open_page_says_what_became_of_it(moving: Desk) -> None:
    await submitted(moving, "red-flags", "Quillstone Partners")
    never_bound = await submitted(moving, "prebind", "Harborlight Bakery")
    on_condition = await submitted(moving, "prebind", "Fernhill Clinic")
    await asyncio.to_thread(moving.partner.bind, on_condition)

    async with (
        moving.person("underwriter") as with_scripts,
        moving.person("underwriter", java_script_enabled=False) as without,
        moving.person("broker") as broker,
        moving.person("broker", java_script_enabled=False) as plain_broker,
    ):
        for underwriter in (with_scripts, without):
            await open_case(underwriter, "Quillstone Partners")
            await underwriter.page.locator("#decide [name=reason]").fill("Good enough")
        for somebody in (broker, plain_broker):
            await somebody.open(f"/quote/{never_bound['quote_identifier']}/bind")

        await asyncio.to_thread(moving.partner.post, "/v2/demo/clock", {"advance_days": 61})

        for underwriter in (with_scripts, without):
            await underwriter.page.locator("button[name=decision][value=approve]").click()
            alert = underwriter.page.locator("[role=alert]")
            await expect(alert).to_contain_text("Option 1 was left undecided for 60 days")
            await expect(alert).to_contain_text("Good enough")
            await underwriter.open("/desk")
            assert "Nothing waits." in await underwriter.text()
        for somebody in (broker, plain_broker):
            await somebody.page.locator("button[value=bind]").click()
            await expect(somebody.page.locator(".banner.warn")).to_contain_text("Ask for a new quote")
            await somebody.open(f"/company/{never_bound['company_id']}")
            assert "The time to bind it has passed." in await somebody.text()
            await somebody.open(f"/company/{on_condition['company_id']}")
            assert "lapsed: what was open was not closed in time" in await somebody.text()
