"""Every page of the one table, as each role that may see it: in both schemes, wide, narrow and enlarged."""

import html
import os
import re
from collections.abc import AsyncIterator
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Page, expect

from bindery.domain.access.users import Role
from bindery.web.page import Page as PageRow
from bindery.web.pages import PAGES
from support.browser import LARGEST_PAGE, Desk, Watched, findings, overflow
from support.markup import flaws_of_markup

pytestmark = pytest.mark.asyncio(loop_scope="session")

WIDE, NARROW, NARROWEST = 1280, 390, 320
OF_EACH = 2
MOST_COMPANIES = 10
"""How many addresses of one page are looked at; companies are in states of their own."""
NOT_PAGES = frozenset(
    {
        "/",
        "/static/{name}",
        "/companies.csv",
        "/quote/{quote_id}",
        "/quote/{quote_id}/document/{kind}",
        "/quote/{quote_id}/upload/{document_id}",
        "/live",
        "/live/news",
    }
)
"""What is not HTML, or only leads elsewhere; `.csv` of other pages too."""
SEEN_SIGNED_OUT = frozenset({"/sign-in"})


def rows_of(role: Role) -> list[PageRow]:
    return [
        row
        for row in PAGES
        if row.get is not None
        and row.path not in NOT_PAGES
        and not row.path.endswith(".csv")
        and (row.who is None or role in row.who)
    ]


async def addresses(desk: Desk, somebody: Watched, role: Role) -> AsyncIterator[str]:
    """Follow the links from page to page, a few addresses of each; what nothing leads to is filled in."""
    rows = rows_of(role)
    published = desk.partner.quotes["Harborlight Bakery LLC"][0]
    values = {"quote_id": published["quote_identifier"], "company_id": published["company_id"]}
    waiting = [re.sub(r"\{(\w+)\}", lambda found: values.get(found[1], "{}"), row.path) for row in rows]
    if role is Role.BROKER:
        waiting += [f"/company/{options[0]['company_id']}" for options in desk.partner.quotes.values()]
    looked_at: dict[str, set[str]] = {}
    while waiting:
        address = waiting.pop(0)
        path = urlsplit(address).path
        row = next((row for row in rows if row.pattern.fullmatch(path)), None)
        if row is None or "{}" in path or path in SEEN_SIGNED_OUT:
            continue
        seen = looked_at.setdefault(row.path, set())
        most = MOST_COMPANIES if row.path == "/company/{company_id}" else OF_EACH
        if address in seen or len(seen) >= most:
            continue
        seen.add(address)
        yield address
        source = await somebody.page.content()
        waiting += [html.unescape(link) for link in re.findall(r'href="(/[^"#]*)', source)]
    missed = {row.path for row in rows} - set(looked_at) - SEEN_SIGNED_OUT
    assert missed == set(), "no link leads there; name an address above"


async def keep_picture(page: Page, address: str, width: int, scheme: str) -> None:
    """Keep a picture of a page where `PICTURES` names a folder for them, as it does in CI."""
    if folder := os.environ.get("PICTURES"):
        name = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}|[^\w.=-]+", "-", address).strip("-") or "first"
        await page.screenshot(path=f"{folder}/{name}-{width}-{scheme}.png", full_page=True)


async def flaws(somebody: Watched, address: str) -> list[str]:
    """Look at one page in every way, and return what is wrong with it."""
    page = somebody.page
    await page.set_viewport_size({"width": WIDE, "height": 900})
    answer = await somebody.open(address)
    found = [] if answer.ok else [f"answers {answer.status}"]
    if len(await answer.body()) > LARGEST_PAGE:
        found.append("too large")
    found += [f"markup: {flaw}" for flaw in flaws_of_markup(await answer.text())]
    row = next(row for row in PAGES if row.pattern.fullmatch(urlsplit(address).path))
    if "{" in row.path and await page.locator('[data-key="u"]').count() != 1:
        found.append("does not lead up to where it belongs")
    return [*(f"{address} {flaw}" for flaw in found), *await flaws_of_look(page, address)]


async def flaws_of_look(page: Page, address: str) -> list[str]:
    """Look at a page that is open in every way, and return what is wrong with it."""
    found: list[str] = []
    heads = await page.locator("h1").all_inner_texts()
    if len(heads) != 1 or not (await page.title()).startswith(heads[0]):
        found.append(f"title {await page.title()!r}, heads {heads}")
    if await page.locator(".primary").count() > 1:
        found.append("has more than one primary button")
    for width in (WIDE, NARROW):
        await page.set_viewport_size({"width": width, "height": 900})
        for scheme in ("light", "dark"):
            await page.emulate_media(color_scheme=scheme)
            # Only colors differ between the schemes.
            found += [
                f"{width} {scheme} {finding}" for finding in await findings(page, colors=scheme == "dark")
            ]
            await keep_picture(page, address, width, scheme)
        if wider := await overflow(page):
            found.append(f"{wider} pixels too wide at {width}")
    await page.set_viewport_size({"width": NARROWEST, "height": 900})
    await page.evaluate("() => { document.documentElement.style.fontSize = '200%'; }")
    if wider := await overflow(page):
        found.append(f"{wider} pixels too wide at {NARROWEST} with text twice as large")
    return [f"{address} {flaw}" for flaw in found]


@pytest.mark.timeout(1800)  # Dozens of pages, each in four ways: minutes where others keep the machine busy.
@pytest.mark.parametrize("role", Role)
async def test_every_page_is_sound(desk: Desk, role: Role) -> None:
    found: list[str] = []
    async with desk.person(role) as somebody:
        async for address in addresses(desk, somebody, role):
            found += await flaws(somebody, address)

        assert not found, "\n".join(found)


async def test_the_way_in_is_sound(desk: Desk) -> None:
    context = await desk.browser.new_context(base_url=desk.url)
    somebody = Watched(context, await context.new_page())
    somebody.watch(somebody.page)

    assert await flaws(somebody, "/sign-in") == []
    assert somebody.complaints == []
    await context.close()


@pytest.mark.timeout(600)  # Nine pages, each in four ways.
async def test_pages_that_answer_a_form_are_sound(desk: Desk) -> None:
    found: list[str] = []
    quote = desk.partner.quotes["Harborlight Bakery LLC"][0]["quote_identifier"]
    referred = "Merrow & Vale Logistics"

    async def look(page: Page, name: str, words: str) -> None:
        await expect(page.locator("main")).to_contain_text(words)
        found.extend(await flaws_of_look(page, name))
        await page.set_viewport_size({"width": WIDE, "height": 900})

    async with desk.stranger() as somebody:
        page = somebody.page
        await page.fill("[name=email]", "nobody@example.com")
        await page.fill("[name=password]", "not the password")
        await page.locator("button.primary").click()
        await look(page, "sign-in refused", "address or the password")

    async with desk.person(Role.BROKER) as somebody:
        page = somebody.page
        await page.goto("/company/1")
        await look(page, "no such company", "There is no such company.")
        await page.goto(f"/quote/{quote}/bind")
        await page.fill("#effective", "2031-01-01")
        await page.locator("button[value=bind]").click()
        await look(page, "bind refused", "Please correct this")

    async with desk.person(Role.UNDERWRITER) as somebody:
        page = somebody.page
        await page.goto("/desk")
        await page.get_by_role("link", name=referred).first.click()
        await page.fill("#decide [name=premium]", "a lot")
        await page.locator("button[value=approve]").click()
        await look(page, "decision refused", "What you typed is still there.")
        await page.fill("#decide [name=reason]", "Too large for us")
        await page.locator("button[value=decline]").click()
        await look(page, "a dangerous step", "It cannot be undone")

    async with desk.person(Role.OPERATOR) as somebody:
        page = somebody.page
        await page.goto("/ops/users")
        await page.fill("form[action='/ops/users'] [name=email]", "broker@example.com")
        await page.fill("form[action='/ops/users'] [name=name]", "Bo Again")
        await page.fill("form[action='/ops/users'] [name=password]", "correct horse battery")
        await page.locator("form[action='/ops/users'] button").click()
        await look(page, "user refused", "broker")
        await page.goto("/ops/partners")
        await page.locator("main td a").first.click()
        await page.locator("form[action$='/tokens'] button").click()
        await look(page, "a new token", "This is shown once.")
        await page.goto("/ops/partners")
        await page.locator("main td a").first.click()
        await page.locator("button.danger").last.click()
        await look(page, "a token to revoke", "It stops working at once")

    assert not found, "\n".join(found)
