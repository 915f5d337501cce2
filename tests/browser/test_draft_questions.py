"""The questions and options of a quote that is entered by hand, in a real browser."""

import asyncio
import re
import uuid
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.async_api import Page, Route, expect

from support.browser import Desk, findings, overflow
from support.drafts import ANSWERS, COMPANY
from support.stories import PATIENCE_MS

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.long]
WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
LOOKS = [
    pytest.param({"viewport": WIDE}, id="wide"),
    pytest.param({"viewport": NARROW}, id="narrow"),
    pytest.param({"viewport": WIDE, "java_script_enabled": False}, id="wide no scripts"),
    pytest.param({"viewport": NARROW, "java_script_enabled": False}, id="narrow no scripts"),
]


def question(page: Page, name: str) -> Any:
    return page.locator(f'[name="questions.{name}"]')


async def choose(page: Page, name: str, value: str) -> None:
    box = page.locator(f'[name="questions.{name}"][value="{value}"]')
    fold = page.locator("details", has=box)
    if await fold.count() and not await box.is_visible():
        await fold.locator("summary").click()
    # On a phone the buttons at the lower edge may lie over it.
    await box.focus()
    await page.keyboard.press("Space")
    await expect(box).to_be_checked()


async def company(page: Page, **fields: str) -> None:
    """Fill in the first step and go on to the questions, for a company that the book does not have."""
    await page.goto("/new")
    own = uuid.uuid4().hex[:8]
    unknown = {"client.domains": f"{own}.example.org", "client.address.street": f"{own} Story Street"}
    typed = {**COMPANY, **unknown, **fields}
    for name, value in typed.items():
        control = page.locator(f'[name="{name}"]')
        if name == "client.industry":
            if typed["policy.insurance_product"] == "TEO":
                continue  # it is not asked for
            await page.locator('[name="industry_q"]').fill("dentists")
            await page.get_by_role("button", name="Find", exact=True).click()
            await page.locator(f'[name="{name}"][value="{value}"]').check(force=True)
        elif name == "policy.insurance_product":
            await page.locator(f'[name="{name}"][value="{value}"]').check(force=True)
        elif name != "client.broker_email":
            await control.fill(value)
    await page.get_by_role("button", name="Next: questions").click()
    await page.wait_for_url("**/questions")


async def sound(page: Page, *, has_scripts: bool = True) -> None:
    """Look for faults in both color schemes; without scripts nothing but the width can be asked for."""
    assert await overflow(page) == 0
    if has_scripts:
        # What is being saved is pale.
        await expect(page.locator("[aria-busy=true]")).to_have_count(0)
        assert await findings(page) == []
        for scheme in ("light", "dark"):
            await page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            assert await findings(page, colors=True) == []


async def test_an_answer_that_is_changed_back_while_a_save_is_on_its_way_counts(desk: Desk) -> None:
    async with desk.person("broker") as broker:
        page = broker.page
        await company(page, **{"client.name": "Slow Line Stories"})
        async with page.expect_response("**/questions/save"):
            await choose(page, "Q2142", "false")
        await expect(page.locator("[aria-busy=true]")).to_have_count(0)
        arrived, goes_on = asyncio.Event(), asyncio.Event()

        async def hold(route: Route) -> None:
            answer = await route.fetch()
            arrived.set()
            await goes_on.wait()
            await route.fulfill(response=answer)

        await page.route("**/questions/save", hold, times=1)
        await choose(page, "Q2142", "true")
        await arrived.wait()
        await choose(page, "Q2142", "false")
        await page.get_by_role("button", name="Next: options").click(no_wait_after=True)
        goes_on.set()
        await expect(page).to_have_url(re.compile("/options$"))
        await page.goto(page.url.replace("/options", "/questions"))

        await expect(page.locator('[name="questions.Q2142"][value="false"]')).to_be_checked()


@pytest.mark.parametrize("look", LOOKS)
async def test_answers_open_their_follow_ups_and_the_price_range_comes(
    desk: Desk, look: dict[str, Any]
) -> None:
    has_scripts = look.get("java_script_enabled", True)
    async with desk.person("broker", **look) as broker:
        page = broker.page
        await company(page, **{"client.name": f"Marble Stories {has_scripts}"})
        await expect(page.locator("#price")).to_contain_text("once enough questions are answered")
        await expect(question(page, "Q2313").first).to_be_hidden()
        await sound(page, has_scripts=has_scripts)

        await choose(page, "Q2142", "true")
        await expect(question(page, "Q2313").first).to_be_visible()
        await choose(page, "Q2142", "false")
        await expect(question(page, "Q2313").first).to_be_hidden()

        for name, value in ANSWERS.items():
            text = str(value)
            if await question(page, name).first.get_attribute("type") in {"radio", "checkbox"}:
                await choose(page, name, text)
            else:
                await question(page, name).fill(text)
        await choose(page, "Q2244", "Gambling")
        alone = page.locator('[name="questions.Q2244"][data-alone]')
        await expect(alone).to_be_checked(checked=not has_scripts)
        if has_scripts:
            await alone.check()
            await expect(page.locator('[name="questions.Q2244"]:checked')).to_have_count(1)
            await expect(page.locator("#progress")).to_contain_text("17 of 17 answered")
            await expect(page.locator("#price")).to_contain_text("$2,176 to $3,075")
        else:
            await page.get_by_role("button", name="Next: options").click()
            # The page comes again with what the answers opened, though it was seen by who looked.
            await (
                page.get_by_role("link", name="Questions")
                .or_(page.get_by_role("button", name="Questions"))
                .first.click()
            )
            await expect(page.locator("#questions\\.Q2244")).to_contain_text("cannot be combined")
            await page.locator('[name="questions.Q2244"][value="Gambling"]').uncheck()
            await page.get_by_role("button", name="Check this step").click()
            await expect(page.locator("#progress")).to_contain_text("17 of 17 answered")
            await expect(page.locator("#price")).to_contain_text("$2,176 to $3,075")
        await sound(page, has_scripts=has_scripts)

        await page.get_by_role("button", name="Next: options").click()
        await page.wait_for_url("**/options")
        await expect(page.locator("tr.uw")).to_contain_text("underwriter decides")
        for label in ("$2,176", "$5,070"):
            await page.locator(".matrix label", has_text=label).first.locator("input").check()
        if not has_scripts:
            await page.get_by_role("button", name="Check this step").click()
        await expect(page.locator("#count")).to_have_text("2 of 15")
        await expect(page.locator("#ticked")).to_contain_text("$5,070 to $7,164")
        await expect(page.locator("#referred")).to_contain_text("Option 2 goes to an underwriter")
        await sound(page, has_scripts=has_scripts)


@pytest.mark.parametrize("product", ["TEO", "MPL"])
async def test_the_other_products_show_their_follow_ups(desk: Desk, product: str) -> None:
    opened = {
        "TEO": [("2246", "true", "2204"), ("2204", "Services", "2209"), ("2248", "true", "2207")],
        "MPL": [("Q2401", "Property management", "Q2424"), ("Q2416", "2", "Q2417"), ("Q2413", "true", "")],
    }
    async with desk.person("broker") as broker:
        page = broker.page
        await company(page, **{"policy.insurance_product": product, "client.name": f"Other {product}"})

        for cause, value, follow_up in opened[product]:
            if follow_up:
                await expect(question(page, follow_up).first).to_be_hidden()
            await choose(page, cause, value)
            if follow_up:
                await expect(question(page, follow_up).first).to_be_visible()
        await sound(page)


@dataclass
class Keyboard:
    """A keyboard that counts its keys; what is typed as an answer is not counted."""

    page: Page
    presses: int = 0

    async def press(self, key: str, times: int = 1) -> None:
        for _ in range(times):
            await self.page.keyboard.press(key)
            self.presses += 1

    async def type(self, text: str) -> None:
        await self.page.keyboard.type(text)

    async def tab_to(self, selector: str) -> None:
        """Press Tab until a control has the focus, as somebody does who sees the page."""
        for _ in range(40):
            if await self.page.evaluate("(at) => document.activeElement.matches(at)", selector):
                return
            await self.press("Tab")
        raise AssertionError(f"Tab does not lead to {selector}")

    async def go_on(self, step: str) -> None:
        await self.press("Control+Enter")
        await self.page.wait_for_url(re.compile(step), timeout=PATIENCE_MS)


async def test_a_cyber_quote_is_entered_with_fewer_than_ninety_keys(desk: Desk) -> None:
    async with desk.person("broker") as broker:
        page = broker.page
        keys = Keyboard(page)
        await page.goto("/new")
        for name, text in {
            "client.name": "Keyed Bakery LLC",
            "client.revenue": "1200000",
            "client.domains": "clean.example.com",
            "client.address.street": "46 Keyboard Alley",
            "client.address.city": "Philadelphia",
            "client.address.zip": "19107",
            "industry_q": "retail bakeries",
        }.items():
            await keys.tab_to(f'[name="{name}"]')
            await keys.type(text)
        await expect(page.locator('[name="client.industry"]').first).to_be_attached()
        await keys.tab_to('[name="client.industry"]')
        await keys.press("Space")
        await keys.go_on("/questions$")

        for name, answer in {
            "Q2134": "Space",
            "Q2314": "12",
            "Q2244": "None of the above",
            "Q2159": "ArrowRight",
            "Q2142": "Space",
            "Q2300": "Space",
            "Q2301": "Space",
            "Q2146": "ArrowRight",
            "Q2147": "ArrowRight",
        }.items():
            await keys.tab_to(f'[name="questions.{name}"]')
            if answer in {"Space", "ArrowRight"}:
                await keys.press(answer)
            elif answer.isdecimal():
                await keys.type(answer)
            else:
                await keys.tab_to(f'[name="questions.{name}"][value="{answer}"]')
                await keys.press("Space")
        await expect(page.locator("#progress")).to_contain_text("9 of 9 answered")
        await keys.go_on("/options$")
        await keys.tab_to(".matrix input")
        await keys.press("Space")
        await keys.press("Tab", 2)
        await keys.press("Space")
        await keys.go_on("/review$")
        await keys.go_on("/company/")

        assert keys.presses < 90, keys.presses
        await expect(page.locator("h1")).to_have_text("Keyed Bakery LLC")
