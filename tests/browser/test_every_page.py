"""Every page of the one table, as each role that may see it.

`make test` judges each page once, wide and in light colors, and looks whether it fits a narrow window; the
dark colors are judged on the page that has all of them. `make test-long` looks at more addresses of each
page, and at the answers to forms, in both schemes, wide, narrow, enlarged, on paper and without JavaScript.
"""

import contextlib
import html
import itertools
import os
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Final, Literal
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from bindery.domain.access.users import Role
from bindery.web.frame.route import Route as PageRow
from bindery.web.pages import PAGES
from support.browser import LARGEST_PAGE, Desk, Watched, findings, overflow
from support.drafts import COMPANY, address_in
from support.markup import flaws_of_markup
from support.page_keys import flaws_of_keys

pytestmark = pytest.mark.asyncio(loop_scope="session")

WIDE, NARROW, NARROWEST = 1280, 390, 320
OF_EACH = 2
MORE_OF = {"/company/{company_id}": 10, "/desk/case/{submission_id}": 6, "/quote/{quote_id}/bind": 3}
"""How many addresses of one page are known; companies, cases and bind forms are in many states."""
LIGHT: Final = "light"
DARK: Final = "dark"
Looks = tuple[tuple[int, Literal["light", "dark"]], ...]
FEW_LOOKS: Looks = ((WIDE, LIGHT), (NARROW, DARK))
ALL_LOOKS: Looks = ((WIDE, LIGHT), (WIDE, DARK), (NARROW, LIGHT), (NARROW, DARK))


class Ways(Enum):
    """How closely a page is looked at."""

    ONCE = "once"
    """Judged wide and light; narrow and dark it has to fit."""
    TWICE = "twice"
    """The dark colors are judged too."""
    EVERY = "every way"


JUDGED_DARK: Final = frozenset({"/demo/components", "/company/{company_id}", "/ops"})
"""The first has every class of the sheet, and with them every color; the others are a page of each half."""
in_few_and_in_all_ways = pytest.mark.parametrize(
    "ways", [Ways.TWICE, pytest.param(Ways.EVERY, marks=pytest.mark.long)], ids=lambda ways: ways.value
)
CASES = {
    "Merrow & Vale Logistics": "Recalculate",
    "Lantern Dental Group (prebind)": "Bind as requested",
    "Thistle Papers": "signed-application.jpg",
    "Fernhill Veterinary Clinic": "Binder, due",
    "Saltmarsh Architects": "Option 1 was issued as a policy",
    "Thistle Pricing": "$4,321",
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
        "/static/{name}",
        "/companies.csv",
        "/company/{company_id}/compare",
        "/draft/{draft_id}",
        "/question/{question_id}",
        "/quote/{quote_id}",
        "/quote/{quote_id}/document/{kind}",
        "/quote/{quote_id}/upload/{document_id}",
        "/desk/letters/{letter_id}/file",
        "/policy/{quote_id}/certificates/{issue_id}.zip",
        "/policy/{quote_id}/certificates/{number}",
        "/ops/bordereaux/{bordereau_id}/{format}",
        "/live",
        "/live/news",
        "/sign-in/code",
        "/account/two-step",
    }
)
"""What is not HTML, or only leads elsewhere; `.csv` of other pages too. Links have their own story."""
SEEN_SIGNED_OUT = frozenset({"/sign-in", "/new-password/{token}"})
NEEDS_SCRIPT = "[data-copies], [data-opens=keys], .keys"
SQUEEZED = "(found) => found.filter((one) => one.offsetHeight > 80).map((one) => one.innerText)"
"""A button of the head may wrap once; with less room its words break between letters."""
NOT_ON_PAPER = ".bar, .foot, .button, .tabs, .pager, .actionbar, [type=file]"
PROBLEMS = "#problems"
IS_UNDER_THE_BAR = """() => document.activeElement.getBoundingClientRect().top <
    (document.querySelector(".bar")?.getBoundingClientRect().bottom ?? 0)"""


def rows_of(role: Role) -> list[PageRow]:
    return [
        row
        for row in PAGES
        if row.get is not None
        and row.path not in NOT_PAGES | SEEN_SIGNED_OUT
        and not row.path.endswith(".csv")
        and not row.is_link
        and (row.who is None or role in row.who)
    ]


def row_at(role: Role, address: str) -> PageRow | None:
    path = urlsplit(address).path
    return next((row for row in rows_of(role) if row.pattern.fullmatch(path)), None)


def is_at(path: str, address: str) -> bool:
    """Whether an address is one of a page."""
    return any(row.path == path and row.pattern.fullmatch(urlsplit(address).path) for row in PAGES)


@dataclass
class Reader:
    """Somebody of a role who stays signed in, and the addresses of each page that they may see."""

    window: Watched
    states: dict[str, str]
    """Addresses of pages in states that links may not lead to, each with words that show the state."""
    addresses: dict[str, list[str]]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def readers(seeded: Desk) -> AsyncIterator[Callable[[Role], Awaitable[Reader]]]:
    """Sign somebody of a role in when a test first asks for one."""
    signed_in: dict[Role, Reader] = {}
    async with contextlib.AsyncExitStack() as windows:

        async def reader(role: Role) -> Reader:
            if role not in signed_in:
                window = await windows.enter_async_context(seeded.person(role))
                states = await states_of(seeded, window, role)
                signed_in[role] = Reader(window, states, await addresses(seeded, window, role, states))
            return signed_in[role]

        yield reader


async def states_of(desk: Desk, somebody: Watched, role: Role) -> dict[str, str]:
    quotes = desk.partner.quotes
    if role is Role.BROKER:
        draft = await draft_of(somebody)
        return {
            f"{draft}/company": "Offices of Dentists",
            f"{draft}/questions": "0 of 13 answered",
            f"{draft}/options": "Which options should be quoted?",
            f"{draft}/review": "to fix before this can be sent",
            f"{await draft_of(somebody, 'Thistle Bridge (bor)')}/letter": "Broker-of-record letter",
            **{
                f"/quote/{quotes[name][0]['quote_identifier']}/bind": words
                for name, words in BIND_FORMS.items()
            },
        }
    found: dict[str, str] = {}
    for name, words in CASES.items() if role is Role.UNDERWRITER else ():
        company = await somebody.context.request.get(f"/company/{quotes[name][0]['company_id']}")
        (case, *_) = re.findall(r'href="(/desk/case/[0-9a-f-]{36})', await company.text())
        found[case] = words
    return found


async def draft_of(somebody: Watched, name: str = COMPANY["client.name"]) -> str:
    """Begin a quote by hand, with something wrong in it, and return where the draft is."""
    asks = somebody.context.request
    address = address_in(await (await asks.get("/new")).text())
    form = {**COMPANY, "client.name": name, "client.address.zip": "1910", "go": "check"}
    answer = await asks.post(address, form=form, headers={"Sec-Fetch-Site": "same-origin"})
    assert answer.ok, await answer.text()
    return address.removesuffix("/company")


async def addresses(desk: Desk, somebody: Watched, role: Role, states: Iterable[str]) -> dict[str, list[str]]:
    """Follow the links from page to page without looking, and return a few addresses of each.

    Where no link leads, the address is filled in.
    """
    published = desk.partner.quotes["Harborlight Bakery LLC"][0]
    values = {"quote_id": published["quote_identifier"], "company_id": published["company_id"]}
    issued = desk.partner.quotes["Saltmarsh Architects"][0]["quote_identifier"]
    waiting = [*states]
    waiting += [
        re.sub(
            r"\{(\w+)\}",
            lambda found: values.get(found[1], "{}"),
            row.path.replace("/policy/{quote_id}", f"/policy/{issued}").replace(
                "/desk/renewals/{quote_id}", f"/desk/renewals/{issued}"
            ),
        )
        for row in rows_of(role)
    ]
    if role is Role.BROKER:
        waiting += [f"/company/{options[0]['company_id']}" for options in desk.partner.quotes.values()]
    known: dict[str, list[str]] = {row.path: [] for row in rows_of(role)}
    while waiting:
        address = waiting.pop(0)
        row = row_at(role, address)
        if row is None or "{}" in address or address in known[row.path]:
            continue
        if len(known[row.path]) >= MORE_OF.get(row.path, OF_EACH):
            continue
        known[row.path].append(address)
        answer = await somebody.context.request.get(address)
        links = re.findall(r'href="(/[^"#]*)', await answer.text())
        waiting += [html.unescape(link) for link in links]
    assert [path for path, found in known.items() if not found] == [], (
        "no link leads there; name an address above"
    )
    return known


async def keep_picture(page: Page, address: str, width: int, scheme: str) -> None:
    """Keep a picture of a page where `PICTURES` names a folder for them, as it does in CI."""
    if folder := os.environ.get("PICTURES"):
        name = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}|[^\w.=-]+", "-", address).strip("-") or "first"
        await page.screenshot(path=f"{folder}/{name}-{width}-{scheme}.png", full_page=True)


async def flaws(somebody: Watched, address: str, ways: Ways) -> list[str]:
    """Open one page, look at it, and return what is wrong with it."""
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
    return [*(f"{address} {flaw}" for flaw in found), *await flaws_of_look(page, address, ways)]


async def flaws_of_size(page: Page) -> list[str]:
    """Return what has no room in a window as wide as this one."""
    found: list[str] = []
    if wider := await overflow(page):
        found.append(f"{wider} pixels too wide")
    if squeezed := await page.locator(".head .button:visible").evaluate_all(SQUEEZED):
        found.append(f"letters below each other: {squeezed}")
    if await page.locator("h1").evaluate_all("(heads) => heads.some((head) => head.offsetWidth < 40)"):
        found.append("the head is hidden")
    return found


async def flaws_of_look(page: Page, address: str, ways: Ways) -> list[str]:
    """Look at a page that is open, and return what is wrong with it."""
    found: list[str] = []
    heads = await page.locator("h1").all_inner_texts()
    if len(heads) != 1 or not (await page.title()).startswith(heads[0]):
        found.append(f"title {await page.title()!r}, heads {heads}")
    if await page.locator(".button.main:visible").count() > 1:
        found.append("has more than one filled button")
    looked_at: set[int] = set()
    for width, scheme in ALL_LOOKS if ways is Ways.EVERY else FEW_LOOKS:
        await page.set_viewport_size({"width": width, "height": 900})
        await page.emulate_media(color_scheme=scheme)
        # Between the schemes only colors differ; the long tests judge the narrow page by every rule too.
        only_colors = width in looked_at or (ways is Ways.TWICE and bool(looked_at))
        if not (ways is Ways.ONCE and looked_at):
            found += [f"{width} {scheme} {finding}" for finding in await findings(page, colors=only_colors)]
        await keep_picture(page, address, width, scheme)
        if width not in looked_at:
            found += [f"{flaw} at {width}" for flaw in await flaws_of_size(page)]
        looked_at.add(width)
    if ways is Ways.EVERY:
        await page.set_viewport_size({"width": NARROWEST, "height": 900})
        await page.evaluate("() => { document.documentElement.style.fontSize = '200%'; }")
        if wider := await overflow(page):
            found.append(f"{wider} pixels too wide at {NARROWEST} with text twice as large")
        await page.set_viewport_size({"width": WIDE, "height": 900})
        await page.emulate_media(media="print")
        if on_paper := await page.locator(NOT_ON_PAPER).filter(visible=True).count():
            found.append(f"{on_paper} controls on paper")
        await page.emulate_media(media="screen")
    await page.emulate_media(color_scheme=LIGHT)
    return [f"{address} {flaw}" for flaw in found]


@pytest.mark.long
@pytest.mark.parametrize("role", Role)
async def test_a_page_is_whole_without_scripts(
    desk: Desk, readers: Callable[[Role], Awaitable[Reader]], role: Role
) -> None:
    reader = await readers(role)

    found: list[str] = []
    async with desk.person(role, java_script_enabled=False) as somebody:
        for address in itertools.chain.from_iterable(reader.addresses.values()):
            answer = await somebody.open(address)
            found += [] if answer.ok else [f"{address} answers {answer.status}"]
            for width in (WIDE, NARROW):
                await somebody.page.set_viewport_size({"width": width, "height": 900})
                if wider := await overflow(somebody.page):
                    found.append(f"{address} {wider} pixels too wide at {width}")
            if dead := await somebody.page.locator(NEEDS_SCRIPT).filter(visible=True).count():
                found.append(f"{address} shows {dead} controls that do nothing")

    assert not found, "\n".join(found)


FIRST_SEEN: Final = {row.path: role for role in reversed(Role) for row in rows_of(role)}
"""A role for each page; the others see it in a menu that their own pages show too."""


@pytest.mark.parametrize("path", FIRST_SEEN)
async def test_a_page_is_sound(readers: Callable[[Role], Awaitable[Reader]], path: str) -> None:
    reader = await readers(FIRST_SEEN[path])
    (first, *others) = reader.addresses[path]

    ways = Ways.TWICE if path in JUDGED_DARK else Ways.ONCE
    found = [*await flaws(reader.window, first, ways), *await missing_words(reader, first)]
    for address in others:
        if address in reader.states:
            await reader.window.open(address)
            found += await missing_words(reader, address)

    assert not found, "\n".join(found)
    assert reader.window.complaints == []


@pytest.mark.parametrize("path", FIRST_SEEN)
async def test_a_page_names_the_keys_that_do_something_on_it_and_no_others(
    readers: Callable[[Role], Awaitable[Reader]], path: str
) -> None:
    reader = await readers(FIRST_SEEN[path])
    await reader.window.page.set_viewport_size({"width": WIDE, "height": 900})
    await reader.window.open(reader.addresses[path][0])

    assert await flaws_of_keys(reader.window.page) == []


@pytest.mark.long
@pytest.mark.parametrize(("role", "path"), [(role, row.path) for role in Role for row in rows_of(role)])
async def test_a_page_is_sound_in_every_way_and_state(
    readers: Callable[[Role], Awaitable[Reader]], role: Role, path: str
) -> None:
    reader = await readers(role)
    known = reader.addresses[path]

    found: list[str] = []
    for address in known:
        found += await flaws(reader.window, address, Ways.EVERY)
        found += await missing_words(reader, address)

    assert not found, "\n".join(found)
    assert reader.window.complaints == []
    of_this_page = {address for address in reader.states if is_at(path, address)}
    assert of_this_page <= set(known), "not looked at"


async def missing_words(reader: Reader, address: str) -> list[str]:
    """Return a complaint if the page that is open does not show the state that it is to show."""
    words = reader.states.get(address, "")
    text = " ".join((await reader.window.page.locator("main").inner_text()).split())
    return [] if words in text else [f"{address} does not say {words!r}"]


@in_few_and_in_all_ways
async def test_the_way_in_is_sound(desk: Desk, ways: Ways) -> None:
    context = await desk.browser.new_context(base_url=desk.url)
    somebody = Watched(context, await context.new_page())
    somebody.watch(somebody.page)

    assert await flaws(somebody, "/sign-in", ways) == []
    assert somebody.complaints == []
    await context.close()


async def flaws_of_answer(page: Page, name: str, words: str, ways: Ways, focus: str = "") -> list[str]:
    await expect(page.locator("main")).to_contain_text(words)
    found: list[str] = []
    if focus and await page.locator(focus).and_(page.locator(":focus")).count() != 1:
        found.append(f"{name}: {focus} does not have the focus")
    elif focus and await page.evaluate(IS_UNDER_THE_BAR):
        found.append(f"{name}: the focus is under the bar")
    found += await flaws_of_look(page, name, ways)
    await page.set_viewport_size({"width": WIDE, "height": 900})
    return found


@in_few_and_in_all_ways
async def test_pages_that_answer_a_form_at_the_way_in_are_sound(desk: Desk, ways: Ways) -> None:
    async with desk.stranger() as somebody:
        page = somebody.page
        await page.fill("[name=email]", "nobody@example.com")
        await page.fill("[name=password]", "not the password")
        await page.get_by_role("button", name="Sign in", exact=True).click()
        found = await flaws_of_answer(page, "sign-in refused", "address or the password", ways, PROBLEMS)

    assert not found, "\n".join(found)


@pytest.mark.long
async def test_pages_that_answer_a_brokers_form_are_sound(desk: Desk) -> None:
    quote = desk.partner.quotes["Harborlight Bakery LLC"][0]["quote_identifier"]

    async with desk.person(Role.BROKER) as somebody:
        page = somebody.page
        await page.goto("/company/1")
        found = await flaws_of_answer(
            page, "no such company", "There is no such company.", Ways.EVERY, PROBLEMS
        )
        await page.goto(f"/quote/{quote}/bind")
        await page.fill("#effective", "2031-01-01")
        await page.press("#effective", "Enter")
        found += await flaws_of_answer(page, "bind refused", "Please correct this", Ways.EVERY, PROBLEMS)

    assert not found, "\n".join(found)


@pytest.mark.long
async def test_pages_that_answer_an_underwriters_form_are_sound(desk: Desk) -> None:
    async with desk.person(Role.UNDERWRITER) as somebody:
        page = somebody.page
        await page.goto("/desk")
        await page.get_by_role("link", name="Merrow & Vale Logistics").first.click()
        await page.fill("#decide [name=premium]", "a lot")
        await page.locator("button[value=approve]").click()
        found = await flaws_of_answer(page, "decision refused", "What you typed is still there.", Ways.EVERY)
        await page.fill("#decide [name=reason]", "Too large for us")
        await page.locator("button[value=decline]").click()
        found += await flaws_of_answer(page, "a dangerous step", "It cannot be undone", Ways.EVERY)

    assert not found, "\n".join(found)


@pytest.mark.long
async def test_pages_that_answer_an_operators_form_are_sound(desk: Desk) -> None:
    async with desk.person(Role.OPERATOR) as somebody:
        page = somebody.page
        await page.goto("/ops/users")
        await page.fill("form[action='/ops/users'] [name=email]", "broker@example.com")
        await page.fill("form[action='/ops/users'] [name=name]", "Bo Again")
        await page.locator("form[action='/ops/users'] button").click()
        found = await flaws_of_answer(page, "user refused", "broker", Ways.EVERY)
        await page.goto("/ops/partners")
        await page.locator("main td a").first.click()
        await page.locator("form[action$='/tokens'] button").click()
        found += await flaws_of_answer(page, "a new token", "This is shown once.", Ways.EVERY)
        await page.goto("/ops/partners")
        await page.locator("main td a").first.click()
        await page.locator("button.danger").last.click()
        found += await flaws_of_answer(page, "a token to revoke", "It stops working at once", Ways.EVERY)

    assert not found, "\n".join(found)
