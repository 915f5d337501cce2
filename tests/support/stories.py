"""What stories in the browser have in common: the partner's part, and finding one's way."""

import asyncio
from typing import Any

import pytest
from playwright.async_api import Page, expect

from support.browser import Desk, Watched

PATIENCE_MS = 60_000
expect.set_options(timeout=PATIENCE_MS)
with_and_without_scripts = pytest.mark.parametrize(
    "scripts",
    [pytest.param(True, id="scripts"), pytest.param(False, id="no scripts", marks=pytest.mark.long)],
)


async def submitted(desk: Desk, example: str, name: str) -> dict[str, Any]:
    """Submit as the partner; its client waits, so not on the loop of the browser."""
    return (await asyncio.to_thread(desk.partner.submit, example, name))[0]


async def quote_of(desk: Desk, quote: dict[str, Any]) -> dict[str, Any]:
    """Return a quote as the partner sees it by now."""
    return await asyncio.to_thread(desk.partner.read, quote["quote_identifier"])


async def open_case(somebody: Watched, name: str) -> None:
    """Find a company in the queue and open its case."""
    await somebody.open("/desk")
    await somebody.page.get_by_role("link", name=name).first.click()
    await expect(somebody.page.locator("h1")).to_have_text(name)


async def press(page: Page, name: str) -> None:
    """Press the first button of that name."""
    await page.get_by_role("button", name=name, exact=True).first.click()
