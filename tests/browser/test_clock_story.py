"""The demo's clock moves while pages are open: in a demo of its own, or the others' book would expire."""

import asyncio
from collections.abc import Iterator

import httpx
import pytest
from playwright.async_api import Browser, expect
from tools.demo_book import Partner

from support.browser import Desk
from support.processes import NO_TLS, demo_running
from support.stories import open_case, press, submitted

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.fixture
def moving(
    server: str, template: str, browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Desk]:
    with (
        demo_running(server, template, tmp_path_factory.mktemp("moving")) as running,
        httpx.Client(base_url=running.url, timeout=60, verify=NO_TLS) as http,
    ):
        yield Desk(running.url, Partner(http, running.token), browser)


async def test_sixty_one_days_later_every_open_page_says_what_became_of_it(moving: Desk) -> None:
    await submitted(moving, "red-flags", "Quillstone Partners")
    never_bound = await submitted(moving, "prebind", "Harborlight Bakery")
    on_condition = await submitted(moving, "prebind", "Fernhill Clinic")
    await asyncio.to_thread(moving.partner.bind, on_condition)

    async with (
        moving.person("underwriter") as with_scripts,
        moving.person("underwriter", java_script_enabled=False) as without,
        moving.person("broker") as broker,
    ):
        for underwriter in (with_scripts, without):
            await open_case(underwriter, "Quillstone Partners")
            await underwriter.page.locator("#decide [name=reason]").fill("Good enough")
        await broker.open(f"/quote/{never_bound['quote_identifier']}/bind")

        await asyncio.to_thread(moving.partner.post, "/v2/demo/clock", {"advance_days": 61})

        for underwriter in (with_scripts, without):
            await press(underwriter.page, "Approve")
            alert = underwriter.page.locator("[role=alert]")
            await expect(alert).to_contain_text("Option 1 was left undecided for 60 days")
            await expect(alert).to_contain_text("Good enough")
            await underwriter.open("/desk")
            assert "Nothing waits." in await underwriter.text()
        await press(broker.page, "Bind")
        await expect(broker.page.locator("[role=alert]")).to_contain_text("cannot be bound any more")
        await broker.open(f"/company/{never_bound['company_id']}")
        assert "Its time to bind is over." in await broker.text()
        await broker.open(f"/company/{on_condition['company_id']}")
        assert "lapsed: the binder was not fulfilled in time" in await broker.text()
