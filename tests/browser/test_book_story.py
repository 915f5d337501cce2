"""The book in a real browser: a change on its case, and a month that is over, reported and filed."""

import asyncio
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.async_api import Browser, expect
from tools.demo_book import Partner

from support.browser import Desk
from support.processes import NO_TLS, Running, demo_running
from support.stories import issued, judge, open_case, press

pytestmark = [pytest.mark.long, pytest.mark.asyncio(loop_scope="session")]
BINDER = "SAMPLE-BINDER-1"


@pytest.fixture
def demo_of_months(server: str, template: str, tmp_path: Path) -> Iterator[Running]:
    """A demo of its own, whose months pass."""
    with demo_running(server, template, tmp_path) as running:
        yield running


@pytest.fixture
def books(demo_of_months: Running, browser: Browser) -> Iterator[Desk]:
    with httpx.Client(base_url=demo_of_months.url, timeout=60, verify=NO_TLS) as http:
        yield Desk(demo_of_months.url, Partner(http, demo_of_months.token), browser)


def large_change(desk: Desk, policy: dict[str, Any]) -> dict[str, Any]:
    """Ask for a change beyond authority and accept it, as a partner's system does."""
    changes = f"/v2/policies/{policy['quote_identifier']}/changes"
    asked = {
        "effective": policy["dates"]["effective"],
        "changes": {
            "aggregate_limit": 10_000_000,
            "additional_insured": [{"name": "Example Property Trust"}],
        },
        "reason": "A tender asks for it.",
    }
    change = desk.partner.post(changes, asked)
    accepted: dict[str, Any] = desk.partner.post(f"{changes}/{change['change_id']}/accept", None)
    return accepted


async def test_a_change_is_issued_on_its_case_and_its_month_reported_and_filed(
    books: Desk, demo_of_months: Running, tmp_path: Path
) -> None:
    run = demo_of_months.program.run
    policy = await issued(books, "Tinsmith & Daughters")
    await issued(books, "Ropewalk Cordage")
    assert (await asyncio.to_thread(large_change, books, policy))["status"] == "referred"
    clock = await asyncio.to_thread(books.partner.post, "/v2/demo/clock", {"advance_days": 0})
    today = date.fromisoformat(clock["now"][:10])

    async with books.person("underwriter") as underwriter:
        await open_case(underwriter, "Tinsmith & Daughters")
        await judge(underwriter.page, "case-change")
        await press(underwriter.page, "Issue the change")
        await expect(underwriter.page.locator(".banner")).to_contain_text("The change is issued.")
    next_month = (today.replace(day=1) + timedelta(days=32)).replace(day=1)
    days = (next_month - today).days + 20
    await asyncio.to_thread(books.partner.post, "/v2/demo/clock", {"advance_days": days})
    make = ("bordereau", "make", "--binder", BINDER, "--month", f"{today:%Y-%m}", "--out", str(tmp_path))
    why = ("--because", "The number of the license is applied for.")
    for kind in ("premium", "risk"):
        assert (await asyncio.to_thread(run, *make, "--kind", kind, *why)).code == 0

    async with books.person("operator") as operator:
        page = operator.page
        for name in ("bordereaux", "filings", "binders", "ledger"):
            await operator.open(f"/ops/{name}")
            await judge(page, name)
        await operator.open("/ops/bordereaux")
        await page.get_by_role("button", name="Mark as sent: the premium bordereau").first.click()
        await expect(page.locator(".banner")).to_contain_text("premium is noted as sent")
        await judge(page, "bordereaux-sent")
        await operator.open("/ops/filings")
        await page.locator("a.who").first.click()
        await judge(page, "filing")
