"""Every page of the one table, as each role that may see it: in both schemes, wide, narrow and enlarged."""

import html
import os
import re
from collections.abc import AsyncIterator, Iterable
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Page, expect
from tools.demo_book import EXAMPLES

from bindery.domain.access.users import Role
from bindery.web.page import Page as PageRow
from bindery.web.pages import PAGES
from support.browser import LARGEST_PAGE, Desk, Watched, findings, overflow
from support.markup import flaws_of_markup

pytestmark = pytest.mark.asyncio(loop_scope="session")

WIDE, NARROW, NARROWEST = 1280, 390, 320
OF_EACH = 2
MORE_OF = {"/company/{company_id}": 10, "/desk/case/{submission_id}": 6, "/quote/{quote_id}/bind": 3}
"""How many addresses of one page are looked at; companies, cases and bind forms are in many states."""
CASES = {
    "Merrow & Vale Logistics": "Recalculate",
    "Lantern Dental Group (prebind)": "Bind as requested",
    "Thistle Papers": "signed-application.jpg",
    "Fernhill Veterinary Clinic": "is bound conditionally",
    "Saltmarsh Architects": "Option 1 was issued as a policy",
    "Thistle Pricing": "Set by hand",
}
"""A case in each of its states, by the company's name, and words on its page that show the state."""
BIND_FORMS = {
    "Harborlight Bakery LLC": "Cyber",
    "Copperfield Software GmbH": "Retroactive date",
    "Ashgrove Consulting LLP": "Retroactive date",
}
"""A bind form of each product, and words on it."""
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


@pytest.fixture(scope="module")
def seeded(desk: Desk) -> Desk:
    """The demo with two states more: a paper for an open quote, and a price that was set by hand."""
    partner = desk.partner
    partner.upload(partner.submit("cyb", "Thistle Papers")[0], EXAMPLES / "signed-application.jpg")
    (unpriced,) = partner.submit("calc-error", "Thistle Pricing")
    by_hand = {"decision": "approve", "reason": "As last year", "terms": {"premium": 4_321}}
    partner.post(f"/v2/demo/quotes/{unpriced['quote_identifier']}/review", by_hand)
    return desk


async def states_of(desk: Desk, somebody: Watched, role: Role) -> dict[str, str]:
    """Return addresses of pages in states that links may not lead to, each with words that show the state."""
    quotes = desk.partner.quotes
    if role is Role.BROKER:
        return {
            f"/quote/{quotes[name][0]['quote_identifier']}/bind": words for name, words in BIND_FORMS.items()
        }
    found: dict[str, str] = {}
    for name, words in CASES.items() if role is Role.UNDERWRITER else ():
        company = await somebody.context.request.get(f"/company/{quotes[name][0]['company_id']}")
        (case, *_) = re.findall(r'href="(/desk/case/[0-9a-f-]{36})', await company.text())
        found[case] = words
    return found


async def addresses(desk: Desk, somebody: Watched, role: Role, states: Iterable[str]) -> AsyncIterator[str]:
    """Follow the links from page to page, a few addresses of each; what nothing leads to is filled in."""
    rows = rows_of(role)
    published = desk.partner.quotes["Harborlight Bakery LLC"][0]
    values = {"quote_id": published["quote_identifier"], "company_id": published["company_id"]}
    waiting = [*states]
    waiting += [re.sub(r"\{(\w+)\}", lambda found: values.get(found[1], "{}"), row.path) for row in rows]
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
        if address in seen or len(seen) >= MORE_OF.get(row.path, OF_EACH):
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
async def test_every_page_is_sound(seeded: Desk, role: Role) -> None:
    found: list[str] = []
    async with seeded.person(role) as somebody:
        states = await states_of(seeded, somebody, role)
        async for address in addresses(seeded, somebody, role, states):
            found += await flaws(somebody, address)
            words = states.pop(address, "")
            if words not in " ".join((await somebody.page.locator("main").inner_text()).split()):
                found.append(f"{address} does not say {words!r}")

        assert not found, "\n".join(found)
        assert not states, "not looked at"


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
