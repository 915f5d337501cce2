"""A broker asks the client what is open, the client answers, and the draft has the answers."""

import re
from typing import Any

import msgspec
import pytest
from playwright.async_api import Page, expect

from bindery.domain.drafts.fields import body_of
from support.browser import Desk, Watched, findings, overflow
from support.drafts import TODAY, typed

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.long]

PHONE = {"width": 390, "height": 844}
WAYS: dict[str, dict[str, Any]] = {
    "wide, light": {},
    "narrow, dark": {"viewport": PHONE, "color_scheme": "dark"},
    "wide, dark, without JavaScript": {"color_scheme": "dark", "java_script_enabled": False},
    "narrow, light, without JavaScript": {"viewport": PHONE, "java_script_enabled": False},
}
LEFT_OPEN = {"Q2314", "Q2142", "Q2311", "Q2313", "Q2307"}
"""The backups with what opens under them, and two more."""


def unfinished(name: str) -> bytes:
    left_open = {f"questions__{question}": "" for question in LEFT_OPEN}
    return msgspec.json.encode(body_of(typed(client__name=name, **left_open), TODAY))


async def looked_at(page: Page, *, has_script: bool) -> None:
    """Look for what axe finds, and for what is wider than the window; both need a script."""
    if has_script:
        assert await overflow(page) == 0, page.url
        assert await findings(page) == [], page.url
        assert await findings(page, colors=True) == [], page.url


@pytest.mark.parametrize("way", WAYS, ids=list(WAYS))
async def test_open_questions_are_asked_answered_and_reviewed(desk: Desk, way: str) -> None:
    options = WAYS[way]
    has_script = options.get("java_script_enabled", True)
    name = f"Asked {list(WAYS).index(way)} LLC"
    async with desk.person("broker", **options) as broker:
        await dropped(broker, name)
        link = await asked(broker, has_script=has_script)
        async with desk.stranger(**options) as client:
            await client.open(link)
            await answered(client, has_script=has_script)
        await broker.open("/")
        assert "Dana Fox answered" in await broker.text()
        await looked_at(broker.page, has_script=has_script)
        await settled(broker, name, has_script=has_script)


async def dropped(broker: Watched, name: str) -> None:
    await broker.open("/new")
    await broker.page.locator("#file").set_input_files(
        {"name": "request.json", "mimeType": "application/json", "buffer": unfinished(name)}
    )
    await broker.page.get_by_role("button", name="Fill in from the file").click()
    await expect(broker.page.locator("#problems")).to_contain_text("to fix before this can be sent")


async def asked(broker: Watched, *, has_script: bool) -> str:
    page = broker.page
    await looked_at(page, has_script=has_script)
    await page.get_by_role("link", name="Ask the client").click()
    await page.get_by_label("Email").fill("dana@marble.example")
    await page.get_by_label("Name").fill("Dana Fox")
    await page.get_by_label("Message").fill("Dear Dana,\nonly these are left.")
    await looked_at(page, has_script=has_script)
    await page.get_by_role("button", name="Send the questions").click()
    await expect(page.locator(".banner")).to_contain_text("on the way to dana@marble.example")
    await looked_at(page, has_script=has_script)
    link = await page.get_by_role("link", name="Open as the client").get_attribute("href")
    assert link is not None
    # The employees are known meanwhile, and the client knows better.
    await broker.open(f"{page.url.removesuffix('/ask')}/questions")
    await page.locator('[name="questions.Q2314"]').fill("30")
    await page.get_by_role("button", name="Check this step").click()
    await page.wait_for_url(re.compile("check=1"))
    return link


async def answered(client: Watched, *, has_script: bool) -> None:
    page = client.page
    assert "only these are left." in await client.text()
    backups = page.locator('[name="questions.Q2311"]').first
    await expect(backups).to_be_hidden()
    await page.locator('[name="questions.Q2142"][value="true"]').check()
    await expect(backups).to_be_visible()
    await looked_at(page, has_script=has_script)
    await backups.check()
    await page.locator('[name="questions.Q2314"]').fill("many")
    await page.get_by_role("button", name="Send the answers").click()
    await expect(page.locator("#problems")).to_contain_text("whole number")
    await looked_at(page, has_script=has_script)
    await page.locator('[name="questions.Q2314"]').fill("36")
    for question in ("Q2313", "Q2307"):
        await page.locator(f'[name="questions.{question}"][value="No"]').check()
    await page.get_by_role("button", name="Send the answers").click()
    await expect(page.locator("main")).to_contain_text("Your broker has your answers.")
    await looked_at(page, has_script=has_script)


async def settled(broker: Watched, name: str, *, has_script: bool) -> None:
    page = broker.page
    await broker.open("/drafts")
    await expect(page.get_by_role("row", name=name)).to_contain_text("Dana Fox answered on")
    await looked_at(page, has_script=has_script)
    await page.get_by_role("link", name=name).click()
    await page.goto(f"{page.url.rpartition('/')[0]}/questions")
    await expect(page.locator("#step")).to_contain_text("1 of them differs from what the draft has.")
    await looked_at(page, has_script=has_script)
    await page.get_by_role("button", name="Choose").click()
    await looked_at(page, has_script=has_script)
    await page.get_by_role("radio", name=re.compile("36")).check()
    await page.get_by_role("button", name="Use these answers").click()
    await expect(page.locator(".banner")).to_contain_text("The answers of Dana Fox are in the draft.")
    await expect(page.locator("#problems")).to_have_count(0)
    await expect(page.get_by_role("button", name=re.compile("^Send for"))).to_be_visible()
    await looked_at(page, has_script=has_script)
