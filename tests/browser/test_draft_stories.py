"""A quote entered by hand in a real browser: of each product, left and gone on with, and once more."""

import asyncio
import re
from collections.abc import Mapping
from datetime import date
from typing import Any, Final

import pytest
from playwright.async_api import Locator, Page, expect

from bindery.domain.drafts.fields import fields_of
from support.browser import EVERY_WAY, WAYS, Desk, Watched
from support.intake import changed, professional, technology
from support.processes import Running

pytestmark = pytest.mark.asyncio(loop_scope="session")
COLLEAGUE: Final = "cora@example.com"
PASSWORD: Final = "a colleague's long pass phrase"
BODIES: Final[Mapping[str, Any]] = {"CYB": changed, "TEO": technology, "MPL": professional}
EVERY_PRODUCT = pytest.mark.parametrize(
    "product", ["CYB", *(pytest.param(product, marks=pytest.mark.long) for product in ("TEO", "MPL"))]
)
NEXT: Final = re.compile("^Next")
Fields = Mapping[str, tuple[str, ...]]


def fields_for(product: str, name: str) -> Fields:
    return fields_of(BODIES[product](("client.name", name)), date(2026, 11, 18))


async def fill(page: Page, fields: Fields) -> None:
    """Fill in the fields that the page has, opening what is folded."""
    for name, values in fields.items():
        controls = page.locator(f'[name="{name}"]:not([type=hidden])')
        if not await controls.count():
            continue
        kind = await controls.first.evaluate("(control) => control.type")
        if kind in {"radio", "checkbox"}:
            for value in values:
                control = page.locator(f"[name={_quoted(name)}][value={_quoted(value)}]")
                # An option that is in no cell of the grid is asked for by the first cell.
                chosen = control.first if await control.count() else controls.first
                await unfolded(chosen)
                await chosen.check()
        else:
            await unfolded(controls.first)
            if kind.startswith("select"):
                await controls.first.select_option(values[0])
            else:
                await controls.first.fill("\n".join(values))


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


async def unfolded(control: Locator) -> None:
    for summary in await control.locator("xpath=ancestor::details[not(@open)]/summary").all():
        await summary.click()


async def fill_company(page: Page, fields: Fields, *, has_script: bool) -> None:
    await fill(page, {name: values for name, values in fields.items() if name != "client.industry"})
    code = fields.get("client.industry")
    # A product that is rated without an industry asks for none.
    if code and await page.locator("#industries").is_visible():
        await page.locator("#industry_q").fill(code[0])
        if not has_script:
            await page.get_by_role("button", name="Find", exact=True).click()
        await expect(page.locator(f'[name="client.industry"][value="{code[0]}"]')).to_be_checked()


async def go_on(page: Page, step: str) -> None:
    """Go on to a step; what has become visible on the way is another page of the same one."""
    await page.get_by_role("button", name=NEXT).last.click()
    await page.wait_for_url(lambda url: "/draft/" in url)
    if f"/{step}" not in page.url:
        return
    await expect(page.locator(".steps [aria-current]")).to_contain_text(step.title())


async def published(broker: Watched) -> None:
    """Wait until the company's page shows an open option, reading it again where no script does."""
    page, has_script = broker.page, broker.has_script
    ready = page.locator(".lede", has_text=re.compile("open until|been with an underwriter"))
    for _ in range(30):
        if await ready.count():
            return await broker.no_complaint()
        await (page.wait_for_timeout(1000) if has_script else asyncio.sleep(1))
        if not has_script:
            await page.reload()
    raise AssertionError(await page.locator(".lede").inner_text())


@EVERY_WAY
@EVERY_PRODUCT
async def test_a_new_company_goes_from_nothing_to_published(desk: Desk, way: str, product: str) -> None:
    fields = fields_for(product, f"{product} {way} Works")
    async with desk.person("broker", **WAYS[way]) as broker:
        page = broker.page
        await page.goto("/new")
        await broker.no_complaint()
        await fill_company(page, fields, has_script=broker.has_script)
        if broker.has_script:
            await expect(page.locator("#saved")).to_contain_text("Saved")
        await broker.no_complaint()
        await go_on(page, "questions")
        for _ in range(4):
            await fill(page, fields)
            await broker.no_complaint()
            await go_on(page, "options")
            if "/options" in page.url:
                break
        await fill(page, fields)
        await broker.no_complaint()
        await go_on(page, "review")
        await expect(page.locator("#problems")).to_have_count(0)
        await broker.no_complaint()
        await page.get_by_role("button", name=re.compile("^Send for")).click()
        await page.wait_for_url(re.compile("/company/"))
        await published(broker)


@pytest.fixture(scope="module")
def colleague(demo: Running) -> str:
    """Add a broker of the same firm, with a password."""
    added = ("user", "add", COLLEAGUE, "--role", "broker", "--partner", "demo", "--name", "Cora Colleague")
    demo.program.run(*added, "--password-stdin", stdin=PASSWORD)
    return COLLEAGUE


@EVERY_WAY
async def test_a_draft_that_was_left_is_gone_on_with_by_a_colleague(
    desk: Desk, colleague: str, way: str
) -> None:
    options = WAYS[way]
    async with desk.person("broker", **options) as first:
        await first.page.goto("/new")
        await first.no_complaint()
        await first.page.get_by_label("Legal name").fill(f"Left {way} LLC")
        await first.page.get_by_label("Revenue, last 12 months").fill("lots")
        await first.page.get_by_role("button", name="Save and leave").click()
        await expect(first.page.locator(".banner")).to_contain_text("is saved for you and your colleagues")
        await first.no_complaint()

    async with desk.stranger(**options) as second:
        page = second.page
        await second.no_complaint()
        await page.get_by_label("Email").fill(colleague)
        await page.get_by_label("Password").fill(PASSWORD)
        await page.get_by_role("button", name="Sign in").click()
        await expect(page.get_by_role("link", name=f"Left {way} LLC")).to_be_visible()
        await second.no_complaint()
        await page.goto("/drafts")
        await second.no_complaint()
        await expect(page.get_by_role("row", name=f"Left {way} LLC")).to_contain_text("Bo Broker")
        await page.get_by_role("link", name=f"Left {way} LLC").click()
        await expect(page.get_by_label("Revenue, last 12 months")).to_have_value("lots")
        await second.no_complaint()
        await page.get_by_label("Revenue, last 12 months").fill("2,500,000")
        await page.get_by_role("button", name="Check this step").click()
        await expect(page.locator(".field .wrong").first).to_be_visible()
        await expect(page.get_by_label("Revenue, last 12 months")).to_have_value("2,500,000")
        await second.no_complaint()


@EVERY_WAY
async def test_a_company_is_quoted_again_with_its_answers(desk: Desk, way: str) -> None:
    body = changed(("client.name", f"Again {way} LLC"))
    receipt = await asyncio.to_thread(desk.partner.post, "/v2/quotes", body)
    await asyncio.to_thread(desk.partner.read, receipt["quotes"][0]["quote_identifier"])
    async with desk.person("broker", **WAYS[way]) as broker:
        page = broker.page
        await page.goto(f"/company/{receipt['company_id']}")
        await broker.no_complaint()
        await page.get_by_role("link", name="Quote again").click()
        await expect(page.get_by_label("Legal name")).to_have_value(f"Again {way} LLC")
        await page.get_by_label("Revenue, last 12 months").fill("3,000,000")
        await page.get_by_role("button", name=NEXT).last.click()
        await page.wait_for_url(re.compile("/questions"))
        await broker.no_complaint()
        await page.goto(page.url.replace("/questions", "/review"))
        await broker.no_complaint()
        await page.get_by_role("button", name="Send for 2 quotes").click()
        await page.wait_for_url(re.compile(f"/company/{receipt['company_id']}"))
        await published(broker)
        await expect(page.locator("main")).to_contain_text("A newer submission took its place")
