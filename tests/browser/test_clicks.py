"""How many clicks the tasks of people's days take, at most; `-s` prints the table.

A broker's tasks begin on Today or on the company's page, an underwriter's in the queue or on the case, an
operator's on the overview, as the table says. Choosing a file, dropping one, ticking and choosing from a list
are a click each; typing is not.
"""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest
import pytest_asyncio
from aiohttp import web
from playwright.async_api import Locator, Page, expect
from tools.demo_book import EXAMPLES

from support.browser import Desk, Watched
from support.receiver import receiving
from support.stories import open_case, quote_of, submitted
from support.waiting import eventually

pytestmark = [pytest.mark.long, pytest.mark.asyncio(loop_scope="session")]
PAPER: Final = EXAMPLES / "signed-application.jpg"


@dataclass
class Mouse:
    page: Page
    clicks: int = 0

    async def click(self, control: Locator) -> None:
        await control.click()
        self.clicks += 1

    async def button(self, name: str | re.Pattern[str]) -> None:
        await self.click(self.page.get_by_role("button", name=name, exact=isinstance(name, str)).first)

    async def link(self, name: str) -> None:
        await self.click(self.page.get_by_role("link", name=name, exact=True).first)

    async def tick(self, box: Locator) -> None:
        await box.check()
        self.clicks += 1

    async def choose(self, choice: Locator, value: str) -> None:
        await choice.select_option(value)
        self.clicks += 1

    async def drop(self, field: Locator, paper: Path) -> None:
        await field.set_input_files(paper)
        self.clicks += 1


@dataclass
class Tally:
    """What each task took beside what it may take."""

    rows: list[tuple[str, str, int, int]] = field(default_factory=list)

    @asynccontextmanager
    async def task(self, who: Watched, name: str, start: str, at_most: int) -> AsyncIterator[Mouse]:
        mouse = Mouse(who.page)
        yield mouse
        self.rows.append((name, start, mouse.clicks, at_most))
        assert mouse.clicks <= at_most, f"{name}: {mouse.clicks} clicks"

    def table(self) -> str:
        wide = max(len(name) for name, *_ in self.rows)
        lines = [f"{name:{wide}}  {start:8} {clicks:3} of {most}" for name, start, clicks, most in self.rows]
        return "\n".join(lines)


@pytest.fixture(scope="module")
def tally() -> Iterator[Tally]:
    tally = Tally()
    yield tally
    print(f"\n{tally.table()}")  # noqa: T201 - the table is what somebody asks for


@pytest_asyncio.fixture(loop_scope="session")
async def broker(desk: Desk) -> AsyncIterator[Watched]:
    async with desk.person("broker") as broker:
        yield broker


@pytest_asyncio.fixture(loop_scope="session")
async def underwriter(desk: Desk) -> AsyncIterator[Watched]:
    async with desk.person("underwriter") as underwriter:
        yield underwriter


async def policy_of(desk: Desk, name: str) -> dict[str, Any]:
    quote = await submitted(desk, "cyb", name)
    await asyncio.to_thread(desk.partner.upload, quote, PAPER)
    await asyncio.to_thread(desk.partner.bind, quote, app_attestation=True)
    bound = await quote_of(desk, quote)
    assert bound["quote_status"] == "policy_active"
    return bound


async def test_a_client_is_found_by_name(desk: Desk, broker: Watched, tally: Tally) -> None:
    await submitted(desk, "cyb", "Quillfeather Bindings")
    await broker.open("/")
    async with tally.task(broker, "Open a client by name", "Today", 0) as mouse:
        await mouse.page.keyboard.press("/")
        await mouse.page.keyboard.type("quillfeather")
        await mouse.page.keyboard.press("Enter")
        await expect(mouse.page.locator("h1")).to_have_text("Quillfeather Bindings")


async def test_what_is_to_do_and_what_is_offered_is_there_without_a_click(
    desk: Desk, broker: Watched, tally: Tally
) -> None:
    quote = await submitted(desk, "cyb", "Parsnip Lane Bakery")
    await asyncio.to_thread(desk.partner.bind, quote)
    await broker.open("/")
    async with tally.task(broker, "What is to do today", "Today", 0) as mouse:
        await expect(mouse.page.locator("main")).to_contain_text("Parsnip Lane Bakery")
    await broker.open(f"/company/{quote['company_id']}")
    async with tally.task(broker, "Compare options with their coverages", "company", 0) as mouse:
        await expect(mouse.page.locator("main")).to_contain_text("Ransomware")
        assert await mouse.page.get_by_text("Ransomware").first.is_visible()


async def test_a_proposal_is_sent(desk: Desk, broker: Watched, tally: Tally) -> None:
    quote = await submitted(desk, "cyb", "Teasel Row Opticians")
    await broker.open(f"/company/{quote['company_id']}")
    async with tally.task(broker, "Send a proposal", "company", 2) as mouse:
        await mouse.link("Send to the client")
        await mouse.button("Send the link")
        await expect(mouse.page.locator("body")).to_contain_text("a link is on its way to")


async def test_a_binder_its_paper_and_a_policy_at_once(desk: Desk, broker: Watched, tally: Tally) -> None:
    on_condition = await submitted(desk, "cyb", "Harrow Gate Tiles")
    await broker.open(f"/company/{on_condition['company_id']}")
    async with tally.task(broker, "Bind on condition", "company", 2) as mouse:
        await mouse.link("Bind option 1")
        await mouse.button(re.compile("^Bind on condition until"))
        await expect(mouse.page.locator("body")).to_contain_text("Bound. Binder")
    await broker.open(f"/company/{on_condition['company_id']}")
    async with tally.task(broker, "Paper for a contingency", "company", 2) as mouse:
        await mouse.drop(mouse.page.locator("input[type=file]").first, PAPER)
        await mouse.button("Upload")
        await expect(mouse.page.locator(".banner").first).to_contain_text("signed-application.jpg")

    at_once = await submitted(desk, "cyb", "Pollard Street Press")
    await broker.open(f"/company/{at_once['company_id']}")
    async with tally.task(broker, "Issue at once, with file and three statements", "company", 6) as mouse:
        await mouse.link("Bind option 1")
        await mouse.drop(mouse.page.locator("input[type=file]").first, PAPER)
        for statement in await mouse.page.locator("#app_attestation input").all():
            await mouse.tick(statement)
        await mouse.button("Bind and issue the policy")
        await expect(mouse.page.locator("body")).to_contain_text("is issued and begins on")


async def test_what_a_policy_is_asked_for(desk: Desk, broker: Watched, tally: Tally) -> None:
    policy = await policy_of(desk, "Wicket Hill Surveyors")
    page = f"/company/{policy['company_id']}"
    await broker.open(page)
    async with tally.task(broker, "Certificate for a holder", "company", 3) as mouse:
        await mouse.link("Certificate for a holder")
        for box in await mouse.page.locator("main form").first.locator("input[required]").all():
            await box.fill(await fitting(box))
        await mouse.button("Issue the certificate")
        await expect(mouse.page.locator(".banner").first).to_contain_text("ertificate")
    await broker.open(page)
    async with tally.task(broker, "Pause a renewal", "company", 1) as mouse:
        await mouse.button("Pause the renewal")
        await expect(mouse.page.locator(".banner").first).to_be_visible()
    await broker.open(page)
    async with tally.task(broker, "Ask for a cancellation, with its amounts", "company", 3) as mouse:
        await mouse.link("Ask for cancellation")
        await mouse.button("Show the amounts")
        await mouse.button(re.compile("^Ask for cancellation as of"))
        await expect(mouse.page.locator(".banner").first).to_be_visible()


async def fitting(box: Locator) -> str:
    return "19104" if await box.get_attribute("name") == "zip" else "Landlord Holdings"


async def test_other_options(desk: Desk, broker: Watched, tally: Tally) -> None:
    quote = await submitted(desk, "cyb", "Ember Vale Ceramics")
    page = f"/company/{quote['company_id']}"
    await broker.open(page)
    async with tally.task(broker, "Another option, with another limit", "company", 3) as mouse:
        await mouse.link("Another option")
        await mouse.choose(mouse.page.locator("#aggregate_limit"), "2000000")
        await mouse.button("Ask for the price")
        await expect(mouse.page.locator("h1")).to_have_text("Ember Vale Ceramics")
    await broker.open(page)
    async with tally.task(broker, "Withdraw an option", "company", 2) as mouse:
        await mouse.link("Withdraw option 1")
        await mouse.button("Withdraw option 1")
        await expect(mouse.page.locator(".banner").first).to_be_visible()
    await broker.open(page)
    async with tally.task(broker, "Quote again, to its first step", "company", 1) as mouse:
        await mouse.link("Quote again")
        await expect(mouse.page.locator("[name='client.name']")).to_have_value("Ember Vale Ceramics")


async def test_decisions_about_an_option(desk: Desk, underwriter: Watched, tally: Tally) -> None:
    names = [f"Marigold Freight {number}" for number in range(4)]
    for name in names:
        await submitted(desk, "red-flags", name)
    await underwriter.open("/desk")
    async with tally.task(underwriter, "From the queue to a plain approval", "queue", 2) as mouse:
        await mouse.link(names[0])
        await mouse.button("Approve 1 option")
        await expect(mouse.page.locator(".banner")).to_contain_text("is published")
    await open_case(underwriter, names[1])
    async with tally.task(underwriter, "Approve at another retention and premium", "case", 2) as mouse:
        decide = mouse.page.locator("#decide")
        await mouse.choose(decide.locator("[name=aggregate_retention]"), "25000")
        await decide.locator("[name=premium]").fill("1,700")
        await decide.locator("[name=reason]").fill("Weak remote access")
        await expect(mouse.page.locator("#outcome")).to_contain_text("$1,700")
        await mouse.button("Approve 1 option")
        await expect(mouse.page.locator(".banner")).to_contain_text("is published at $1,700")
    await open_case(underwriter, names[2])
    async with tally.task(underwriter, "Approve with a subjectivity", "case", 3) as mouse:
        await add_subjectivity(mouse)
        await mouse.button("Approve 1 option")
        await expect(mouse.page.locator(".banner")).to_contain_text("is published")
    await open_case(underwriter, names[3])
    async with tally.task(underwriter, "Decline an option, with a reason", "case", 2) as mouse:
        await mouse.page.locator("#decide [name=reason]").fill("Remote Desktop is open")
        await mouse.button("Decline…")
        await mouse.button("Decline")
        await expect(mouse.page.locator(".banner")).to_be_visible()


async def add_subjectivity(mouse: Mouse) -> None:
    await mouse.click(mouse.page.locator("#decide details.subject summary"))
    # One whose text has nothing to be filled in.
    whole = mouse.page.locator("#decide .ticked:not(:has(.blanks)) [name=subjectivity]")
    await mouse.tick(whole.first)


async def test_decisions_about_several_options_and_another_one(
    desk: Desk, underwriter: Watched, tally: Tally
) -> None:
    await submitted(desk, "red-flags", "Copperfield Looms")
    body = json.loads((EXAMPLES / "red-flags.json").read_text("utf-8"))
    body["client"]["name"] = "Thistle & Vane"
    body["policy"]["quotes"] = [
        {"aggregate_limit": limit, "aggregate_retention": retention}
        for limit in (500_000, 1_000_000, 2_000_000)
        for retention in (5_000, 10_000, 15_000, 25_000, 50_000)
    ]
    receipt = await asyncio.to_thread(desk.partner.post, "/v2/quotes", body)
    for row in receipt["quotes"]:
        await quote_of(desk, row)
    await open_case(underwriter, "Thistle & Vane")
    async with tally.task(underwriter, "Decline an applicant with 15 options", "case", 3) as mouse:
        await mouse.button("All 15")
        await expect(mouse.page.get_by_role("button", name="Approve 15 options")).to_be_visible()
        await mouse.page.locator("#decide [name=reason]").fill("Not a risk that we take")
        await mouse.button("Decline…")
        await mouse.button("Decline")
        await expect(mouse.page.locator(".banner")).to_contain_text("Option 15 is declined")
    await open_case(underwriter, "Copperfield Looms")
    async with tally.task(underwriter, "Counter-offer", "case", 4) as mouse:
        await mouse.click(mouse.page.locator("summary", has_text="Offer another option"))
        limits = mouse.page.locator("#offer-limit option:not([value=''])")
        await mouse.choose(
            mouse.page.locator("#offer-limit"), await limits.first.get_attribute("value") or ""
        )
        await mouse.page.locator("#offer-reason").fill("A lower limit fits")
        await mouse.button("Offer it")
        await expect(mouse.page.locator(".banner")).to_contain_text("ffered")


async def test_requested_binds(desk: Desk, underwriter: Watched, tally: Tally) -> None:
    names = ("Larkspur Locks (prebind)", "Mallow Mirrors (prebind)")
    for name in names:
        quote = await submitted(desk, "prebind", name)
        await asyncio.to_thread(desk.partner.bind, quote)
    await open_case(underwriter, names[0])
    async with tally.task(underwriter, "Issue a requested bind", "case", 2) as mouse:
        await mouse.tick(mouse.page.get_by_label("Fulfilled"))
        await mouse.button("Bind as requested")
        await expect(mouse.page.locator(".banner")).to_contain_text("Option 1 is bound")
    await open_case(underwriter, names[1])
    async with tally.task(underwriter, "Refuse a requested bind", "case", 2) as mouse:
        await mouse.button("Decline…")
        await mouse.page.locator("[name=reason]").fill("No expiring policy")
        await mouse.button("Decline")
        await expect(mouse.page.locator(".banner")).to_contain_text("Option 1 is declined")


async def test_a_paper_and_a_policy_that_is_canceled_and_reinstated(
    desk: Desk, underwriter: Watched, tally: Tally
) -> None:
    owing = await submitted(desk, "cyb", "Nightshade Nurseries")
    await asyncio.to_thread(desk.partner.bind, owing)
    await asyncio.to_thread(desk.partner.upload, owing, PAPER)
    await open_case(underwriter, "Nightshade Nurseries")
    async with tally.task(underwriter, "Accept a paper", "case", 1) as mouse:
        await mouse.button("Accept")
        await expect(mouse.page.locator(".banner")).to_contain_text("The contingency is closed")

    policy = await policy_of(desk, "Oleander Opticians")
    await underwriter.open("/desk")
    async with tally.task(underwriter, "Cancel by policy number", "queue", 4) as mouse:
        await mouse.page.keyboard.press("/")
        await mouse.page.keyboard.type(policy["policy_number"])
        await mouse.page.keyboard.press("Enter")
        await mouse.link("Open as a case")
        await mouse.choose(mouse.page.locator("#cancel_reason"), "business_sold")
        await mouse.button("Cancel the policy…")
        await mouse.button("Cancel the policy")
        await expect(mouse.page.locator(".banner")).to_contain_text("The policy of option 1 is canceled")
    await underwriter.open(f"/company/{policy['company_id']}")
    await underwriter.page.get_by_role("link", name="Open as a case").click()
    async with tally.task(underwriter, "Reinstate", "case", 2) as mouse:
        await mouse.page.locator("#decide [name=reason]").fill("The sale was called off")
        await mouse.button("Reinstate the policy")
        await expect(mouse.page.locator(".banner")).to_contain_text("The policy of option 1 is reinstated")


async def test_an_operator_sees_what_took_how_long(desk: Desk, tally: Tally) -> None:
    quote = await submitted(desk, "cyb", "Slowcombe Pottery")
    async with (
        desk.person("operator") as operator,
        tally.task(operator, "Why did this quote take so long", "overview", 1) as mouse,
    ):
        await mouse.page.keyboard.press("/")
        await mouse.page.keyboard.type(quote["quote_identifier"])
        await mouse.page.keyboard.press("Enter")
        await mouse.link("How long it took")
        await expect(mouse.page.locator("h1")).to_have_text("Time line")


async def test_an_operator_lets_a_partner_in(desk: Desk, tally: Tally) -> None:
    async with (
        desk.person("operator") as operator,
        tally.task(operator, "A partner, its broker and its token", "overview", 4) as mouse,
    ):
        await mouse.link("Partners")
        await mouse.page.get_by_label("Name").fill("Clover Submissions")
        await mouse.button("Add the partner")
        await mouse.page.locator("main").get_by_label("Email").first.fill("broker@clover.example")
        await mouse.button("Add the broker")
        await expect(mouse.page.locator("main")).to_contain_text("broker@clover.example")
        await mouse.button("Issue a token")
        await expect(mouse.page.locator("#token")).to_be_visible()


async def test_an_operator_sees_what_a_webhook_answers(desk: Desk, tally: Tally) -> None:
    async with receiving() as receiver, desk.person("operator") as operator:
        receiver.answer = lambda _: web.Response(status=500, text="Out of order")
        levels = {"quote_level": True, "policy_level": False}
        webhook = await asyncio.to_thread(
            desk.partner.post, "/v2/webhooks", {"endpoint": receiver.url, **levels}
        )
        await submitted(desk, "cyb", "Failing Fences")
        await eventually(lambda: receiver.got)
        await operator.open("/ops")
        async with tally.task(
            operator, "A failing webhook, to the text of its answer", "overview", 3
        ) as mouse:
            await mouse.link("Webhooks")
            await mouse.link(receiver.url)
            await mouse.click(
                mouse.page.get_by_role("cell").get_by_role("link", name=re.compile(r"^\d+$")).first
            )
            await expect(mouse.page.locator("main")).to_contain_text("Out of order")
        await asyncio.to_thread(desk.partner.delete, f"/v2/webhooks/{webhook['id']}")
