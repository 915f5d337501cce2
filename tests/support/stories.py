"""What stories in the browser have in common: the partner's part, and finding one's way."""

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, expect
from tools.demo_book import EXAMPLES

from support.browser import Desk, Watched, findings, overflow

PATIENCE_MS = 60_000
LOOKS = ((1280, "light"), (390, "light"), (1280, "dark"), (390, "dark"))
expect.set_options(timeout=PATIENCE_MS)
with_and_without_scripts = pytest.mark.parametrize(
    "scripts",
    [pytest.param(True, id="scripts"), pytest.param(False, id="no scripts", marks=pytest.mark.long)],
)


async def submitted(desk: Desk, example: str, name: str) -> dict[str, Any]:
    """Submit as the partner; its client waits, so not on the loop of the browser."""
    return (await asyncio.to_thread(desk.partner.submit, example, name))[0]


async def issued(desk: Desk, name: str) -> dict[str, Any]:
    quote = await submitted(desk, "cyb", name)
    await asyncio.to_thread(desk.partner.upload, quote, EXAMPLES / "signed-application.jpg")
    await asyncio.to_thread(desk.partner.bind, quote, app_attestation=True)
    return await quote_of(desk, quote)


async def judge(page: Page, name: str) -> None:
    """Look at a page wide and narrow, light and dark; pictures are kept where `PICTURES` names a folder."""
    for width, scheme in LOOKS:
        await page.set_viewport_size({"width": width, "height": 900})
        await page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        found = await findings(page)
        assert found == [], (name, width, scheme, found)
        assert await overflow(page) == 0, (name, width, scheme)
        if folder := os.environ.get("PICTURES"):
            await page.screenshot(path=Path(folder) / f"{name}-{width}-{scheme}.png", full_page=True)
    await page.set_viewport_size({"width": 1280, "height": 900})


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
