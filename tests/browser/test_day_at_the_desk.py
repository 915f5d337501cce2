"""A day at the desk: every kind of case is decided with the keyboard alone, and nothing is left behind."""

import asyncio
import copy
import json
import os
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.async_api import Browser, Locator, Page, expect
from tools.demo_book import EXAMPLES, Partner

from support.browser import Desk, Watched
from support.hands import Hands, has_focus
from support.processes import NO_TLS, Running, demo_running
from support.stories import press

pytestmark = [pytest.mark.long, pytest.mark.asyncio(loop_scope="session")]
COLLEAGUE, PASSWORD = "ann@example.com", "correct horse battery staple"
BOUNDS = ("--limit", "3000000", "--premium", "100000", "--deviation", "50")
LETTER = (*BOUNDS, "--may-cancel", "--may-set-by-hand")
UNDERWRITER = "underwriter@example.com"
DAYS_BEFORE = 285
"""So long before the day the policy began whose renewal is decided."""
A_CODE = re.compile(r"\b[a-z]+(?:_[a-z0-9]+)+\b")
AN_ID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
PAPER = EXAMPLES / "signed-application.jpg"


@dataclass
class At:
    """An underwriter's place: the page, the hands, and what the day is about."""

    desk: Desk
    page: Page
    hands: Hands
    pages: dict[str, str] = field(default_factory=dict)
    """Where the case of each company is."""

    @property
    def decide(self) -> Locator:
        return self.page.locator("#decide")

    async def see(self, *words: str) -> None:
        """Wait until the banner of the page says that it was done."""
        for text in words:
            await expect(self.page.locator(".banner")).to_contain_text(text)

    async def outcome(self, text: str) -> None:
        """Wait until what is typed is worked out."""
        await expect(self.page.locator("#outcome")).to_contain_text(text)

    async def go_to_case(self, name: str) -> None:
        """Go down the queue to a company and open its case."""
        link = self.page.get_by_role("link", name=name, exact=True).first
        await self.hands.reach(link, "j")
        await self.hands.go("Enter")
        await expect(self.page.locator("h1")).to_have_text(name)


Deed = Callable[[At, "Company"], Awaitable[None]]


@dataclass(frozen=True)
class Company:
    """A company of the day: what it asks for, what is done about it, and what becomes of its options."""

    name: str
    task: str
    deed: Deed
    becomes: tuple[str, ...]
    example: str = "red-flags"
    client: dict[str, Any] = field(default_factory=dict)
    answers: dict[str, Any] = field(default_factory=dict)
    options: tuple[Mapping[str, Any], ...] = ()
    then: str = ""
    """What the broker did before the day: asked to bind, sent a paper, asked to cancel."""

    def body(self) -> dict[str, Any]:
        body: dict[str, Any] = copy.deepcopy(
            json.loads((EXAMPLES / f"{self.example}.json").read_text("utf-8"))
        )
        body["client"] |= {**self.client, "name": self.name}
        given = {row["id"]: row["value"] for row in body["questions"]} | self.answers
        body["questions"] = [{"id": question, "value": value} for question, value in given.items()]
        if self.options:
            body["policy"]["quotes"] = [dict(option) for option in self.options]
        return body


# What the underwriter does, each from the open case on.


async def approve(at: At, company: Company) -> None:
    await at.hands.press("a")
    await at.hands.go("Enter")
    await at.see(f"{company.name}: Option 1 is published at $")


async def approve_with(at: At, typed: Mapping[str, str]) -> None:
    """Fill fields of the decision in the order in which they stand, the reason last, and approve."""
    outcome = at.page.locator("#outcome")
    before = await outcome.inner_text()
    (changed, text), (reason, why) = typed.items()
    await at.hands.press("a")
    await at.hands.reach(at.decide.locator(f"[name={changed}]"), "Shift+Tab")
    await at.hands.write(text)
    await expect(outcome).not_to_have_text(before)
    await at.hands.reach(at.decide.locator(f"[name={reason}]"))
    await at.hands.write(why)
    await at.hands.go("Control+Enter")


async def approve_with_retention(at: At, company: Company) -> None:
    await approve_with(at, {"aggregate_retention": "$10", "reason": "Records are kept by a processor"})
    await at.see(f"{company.name}: Option 1 is published at $")


async def approve_at_premium(at: At, company: Company) -> None:
    await approve_with(at, {"premium": "2,400", "reason": "Loss runs were seen"})
    await at.see("Option 1 is published at $2,400")


async def approve_off_tariff(at: At, company: Company) -> None:
    await approve_with(at, {"percent": "-5", "reason": "Half of it is consulting"})
    await at.see(f"{company.name}: Option 1 is published at $")


async def approve_by_hand(at: At, company: Company) -> None:
    await approve_with(at, {"premium": "1,600", "reason": "As for similar bakeries"})
    await at.see("Option 1 is published at $1,600")


async def decline(at: At, company: Company) -> None:
    await at.hands.press("d")
    await at.hands.go("Enter")
    await at.hands.write("Not a risk that we take")
    await at.hands.go("Control+Enter")
    await at.see(f"{company.name}: Option 1 is declined.")


async def tick_all(at: At) -> None:
    await at.hands.press("a")
    await at.hands.reach(at.decide.locator("[name=tick]"), "Shift+Tab")
    await at.hands.go("Enter")


async def decline_all(at: At, company: Company) -> None:
    await tick_all(at)
    await decline(at, company)
    await at.see(*(f"Option {number} is declined." for number in range(1, len(company.becomes) + 1)))


async def approve_several(at: At, company: Company) -> None:
    """Change each of two options by a percent of its own, and approve both."""
    outcome = at.page.locator("#outcome")
    await tick_all(at)
    await at.hands.press("a")
    for number, percent in ((2, "-4"), (1, "6")):
        before = await outcome.inner_text()
        own = at.decide.locator(f"[aria-label='Percent off the tariff, option {number}']")
        await at.hands.reach(own, "Shift+Tab")
        await at.hands.write(percent)
        await expect(outcome).not_to_have_text(before)
    await at.hands.reach(at.decide.locator("[name=reason]"))
    await at.hands.write("Loss runs were seen")
    await at.hands.go("Control+Enter")
    await at.see(f"{company.name}: Option 1 is published at $", "Option 2 is published at $")


async def approve_on_condition_of_the_list(at: At, company: Company) -> None:
    suggested = at.decide.locator("[name=subjectivity]").first
    await at.hands.press("a")
    await at.hands.reach(at.decide.locator(".subject summary"), "Shift+Tab")
    await at.hands.press("Enter")
    await at.hands.reach(suggested)
    await at.hands.press("Space", "Tab")
    await at.hands.write("Remote Desktop")
    await at.outcome("Subject to 1 item of the list")
    await at.hands.go("Control+Enter")
    await at.see(f"{company.name}: Option 1 is published at $")


async def approve_on_condition_in_words(at: At, company: Company) -> None:
    await at.hands.press("a")
    await at.hands.reach(at.decide.locator("[name=contingency_text]"), "Shift+Tab")
    await at.hands.write("A report of who may sign in from outside")
    await at.outcome("Subject to what you typed, needed after the bind.")
    await at.hands.go("Control+Enter")
    await at.see(f"{company.name}: Option 1 is published at $")


async def send_to_a_colleague(at: At, company: Company) -> None:
    await expect(at.page.locator("#outcome")).to_contain_text("Once a colleague approves")
    await at.hands.press("a")
    await at.hands.go("Enter")
    await at.see("Sent to Ann Colleague, who decides as the second person. Nothing is decided yet.")


async def approve_as_second(at: At, company: Company) -> None:
    await at.hands.press("a")
    await at.hands.go("Enter")
    await at.see("Approved and carried out.")


async def ask(at: At, company: Company) -> None:
    await at.hands.press("a")
    await at.hands.reach(at.page.locator("#ask summary"))
    await at.hands.press("Enter")
    await at.hands.reach(at.page.locator("#question"))
    await at.hands.write("Is the port closed by now?")
    await at.hands.reach(at.page.locator("#ask").get_by_role("button"))
    await at.hands.go("Enter")
    await at.see("The broker is asked. The case waits for the answer.")
    await at.hands.go("u")


async def offer_instead(at: At, company: Company) -> None:
    offer = at.page.locator("#offer-head")
    await at.hands.press("a")
    await at.hands.reach(at.page.get_by_role("link", name="Offer another…"))
    await at.hands.press("Enter")
    await at.hands.reach(at.page.locator("#offer-head > summary"))
    await at.hands.press("Enter")
    await at.hands.reach(offer.locator("[name=aggregate_limit]"))
    await at.hands.write("$500")
    await at.hands.reach(offer.locator("[name=reason]"))
    await at.hands.write("Half of it until the port is closed")
    await at.hands.reach(offer.get_by_role("button", name="Offer it"))
    await at.hands.go("Enter")
    await at.see("Option 2 is offered and open at $")
    await decline(at, company)


async def bind(at: At, company: Company) -> None:
    await at.hands.press("a")
    # Among buttons of which none is chosen, the way back leads to the last.
    await at.hands.reach(at.decide.locator("[value=waived]"), "Shift+Tab")
    await at.hands.press("ArrowUp")
    await expect(at.decide.locator("[value=fulfilled]")).to_be_checked()
    await at.hands.press("a")
    await at.hands.go("Enter")
    await at.see("Option 1 is bound")


async def send_bind_back(at: At, company: Company) -> None:
    await at.hands.press("d", "Tab")
    await at.hands.go("Enter")
    await at.hands.write("Begin it next month, please")
    await at.hands.go("Control+Enter")
    await at.see("The bind of option 1 is sent back, and the option is open")


async def accept_paper(at: At, company: Company) -> None:
    await at.hands.press("a")
    assert await has_focus(at.page.get_by_role("button", name="Accept"))
    await at.hands.go("Enter")
    await at.see("The contingency is closed")
    await at.hands.go("u")


async def reject_paper(at: At, company: Company) -> None:
    await at.hands.press("a")
    await at.hands.reach(at.page.locator("#paper textarea"), "Shift+Tab")
    await at.hands.write("The second page is missing")
    await at.hands.reach(at.page.locator("#paper").get_by_role("button", name="Reject"))
    await at.hands.go("Enter")
    await expect(at.page.locator(".banner")).to_be_visible()
    await at.hands.go("u")


async def cancel(at: At, company: Company) -> None:
    await at.hands.press("a")
    await at.hands.go("Enter")
    await at.hands.reach(at.page.get_by_role("button", name="Cancel the policy"))
    await at.hands.go("Enter")
    await at.see("The policy of option 1 is canceled")


async def leave_in_force(at: At, company: Company) -> None:
    await at.hands.press("d")
    await at.hands.reach(at.decide.locator("[name=reason]"), "Shift+Tab")
    await at.hands.write("Their lender wants the cover")
    await at.hands.press("Escape", "Tab")
    await at.hands.reach(at.page.get_by_role("button", name="Leave it in force"))
    await at.hands.go("Enter")
    await at.see("The policy of option 1 stays in force")


async def find(at: At, company: Company) -> None:
    """Find a company whose case waits for nothing, and open the case."""
    await at.hands.press("/")
    await at.hands.write(company.name)
    await at.hands.go("Enter")
    await at.hands.go("o")
    await expect(at.page.locator("h1")).to_have_text(company.name)


async def amend(at: At, company: Company) -> None:
    await at.hands.press("e", "a")
    await at.hands.reach(at.decide.locator("[name=premium]"), "Shift+Tab")
    await at.hands.write("1,600")
    await at.outcome("Amends option 1 to $1,600")
    await at.hands.reach(at.decide.locator("[name=reason]"))
    await at.hands.write("Loss runs came in")
    await at.hands.go("Control+Enter")
    await at.see("Option 1 is amended and open at $1,600")


async def withdraw(at: At, company: Company) -> None:
    await at.hands.press("e", "d")
    await at.hands.go("Enter")
    await at.hands.write("The firm was sold")
    await at.hands.go("Control+Enter")
    await at.see("Option 1 is withdrawn")


async def do_not_renew(at: At, company: Company) -> None:
    await at.hands.go("g", "r")
    await at.hands.reach(at.page.locator("main tbody tr", has_text=company.name).locator("a").first, "j")
    await at.hands.go("Enter")
    await at.hands.reach(at.page.locator("#because"))
    await at.hands.write("We no longer insure this kind")
    await at.hands.reach(at.page.get_by_role("button", name="Do not renew"))
    await at.hands.go("Enter")
    await at.hands.reach(at.page.get_by_role("button", name="Do not renew"))
    await at.hands.go("Enter")
    await expect(at.page.locator("main")).to_contain_text("the policy is not renewed")


CHANGED, SUBJECT = "Approve with other terms and a reason", "Approve with a subjectivity"
PLAIN, DECLINED = "Approve as it is", "Decline with a reason"
REFERRED = "Refer to a colleague with authority"
OPEN, NO, POLICY = ("published",), ("quote_declined",), ("policy_active",)
FIFTEEN = tuple(
    {"aggregate_limit": limit, "aggregate_retention": retention}
    for limit in (500_000, 1_000_000, 2_000_000)
    for retention in (5_000, 10_000, 15_000, 25_000, 50_000)
)
TWO = ({"aggregate_limit": 1_000_000}, {"aggregate_limit": 2_000_000})
ONE = ({"aggregate_limit": 1_000_000, "aggregate_retention": 5_000},)
ONE_MPL = ({"aggregate_limit": 1_000_000, "per_claim_limit": 1_000_000, "per_claim_retention": 2_500},)


def cyb(name: str, task: str, deed: Deed, becomes: tuple[str, ...], **more: Any) -> Company:
    return Company(name, task, deed, becomes, "cyb", **{"options": ONE, **more})


IN_THE_QUEUE = (
    Company("Alder Bakery", PLAIN, approve, OPEN),
    Company("Birch Press", PLAIN, approve, OPEN, "scan-error"),
    Company("Cedar Dental", PLAIN, approve, OPEN, "no-data"),
    Company("Damson Farm", DECLINED, decline, NO, "missing-domain"),
    cyb("Elder Mill", CHANGED, approve_with_retention, OPEN, answers={"Q2159": True}),
    cyb(
        "Fennel Foods",
        CHANGED,
        approve_at_premium,
        OPEN,
        answers={"Q2146": True, "Q2124": "A stolen laptop, $12,000, paid by us"},
    ),
    cyb(
        "Gorse Garden",
        DECLINED,
        decline,
        NO,
        answers={"Q2147": True, "Q2119": "A customer says that our mail had a virus"},
    ),
    cyb(
        "Heather Homes",
        SUBJECT,
        approve_on_condition_of_the_list,
        OPEN,
        client={"domains": ["red-flags.example.com"]},
    ),
    cyb(
        "Iris Imports",
        SUBJECT,
        approve_on_condition_in_words,
        OPEN,
        answers={"Q2300": False, "Q2301": False},
    ),
    cyb("Jasmine Jewels", DECLINED, decline, NO, answers={"Q2244": ["Cannabis"]}),
    cyb("Kelp Kitchens", PLAIN, approve, OPEN, answers={"Q2244": ["Debt collection agency"]}),
    Company("Laurel Looms", "Set a premium by hand", approve_by_hand, OPEN, "calc-error"),
    cyb(
        "Maple Mills",
        REFERRED,
        send_to_a_colleague,
        OPEN,
        options=({"aggregate_limit": 5_000_000, "aggregate_retention": 10_000},),
    ),
    cyb("Nettle Nursery", CHANGED, approve_several, OPEN * 2, answers={"Q2159": True}, options=TWO),
    Company(
        "Olive Office",
        PLAIN,
        approve,
        OPEN,
        "mpl",
        answers={"Q2416": "1", "Q2417": "A report that was late", "Q2418": 4_000},
        options=ONE_MPL,
    ),
    Company(
        "Poppy Partners",
        DECLINED,
        decline,
        NO,
        "mpl",
        answers={"Q2421": True, "Q2422": "A license was suspended for a month"},
        options=ONE_MPL,
    ),
    Company(
        "Quince Quality",
        PLAIN,
        approve,
        OPEN,
        "mpl",
        answers={"Q2412": ["Placement of insurance"]},
        options=ONE_MPL,
    ),
    Company(
        "Rowan Robotics",
        PLAIN,
        approve,
        OPEN,
        "teo",
        answers={"2226": ["Sharing economy platforms"]},
        options=ONE,
    ),
    Company("Sorrel Systems", DECLINED, decline, NO, "teo", answers={"2224": ["IT security"]}, options=ONE),
    Company("Tansy Trading", CHANGED, approve_off_tariff, OPEN, "teo", answers={"2246": False}, options=ONE),
    cyb(
        "Umber Utilities",
        "Decline 15 options",
        decline_all,
        NO * 15,
        client={"domains": ["red-flags.example.com"]},
        options=FIFTEEN,
    ),
    Company("Violet Vets", "Ask the broker", ask, OPEN),
    Company("Willow Works", "Offer another option, decline this one", offer_instead, (*NO, *OPEN)),
    Company("Xenia Exports (prebind)", "Bind as requested", bind, POLICY, "prebind", then="bind"),
    Company("Yew Yards (prebind)", "Decline a bind", decline, NO, "prebind", then="bind"),
    Company("Zinnia Zoo (prebind)", "Send a bind back", send_bind_back, OPEN, "prebind", then="bind"),
    cyb("Aster Arts", "Accept a paper", accept_paper, POLICY, then="paper"),
    cyb("Briar Books", "Reject a paper", reject_paper, POLICY, then="paper"),
    cyb("Clover Coffee", "Cancel a policy on request", cancel, ("policy_canceled",), then="cancel"),
    cyb("Daisy Dairy", "Leave a policy in force", leave_in_force, POLICY, then="cancel"),
)
FOUND = (
    cyb("Edelweiss Eats", "Amend an open option", amend, OPEN),
    cyb("Foxglove Films", "Withdraw an open option", withdraw, ("quote_revoked",)),
)
ENDING = cyb("Ginger Grocers", "Do not renew", do_not_renew, POLICY)


def _bound(partner: Partner, quote: dict[str, Any], *, is_issued: bool) -> None:
    if is_issued:
        partner.upload(quote, PAPER)
    partner.bind(quote, **({"app_attestation": True} if is_issued else {}))


def _before_the_day(partner: Partner) -> dict[str, dict[str, Any]]:
    """Send everything in, and do what brokers do until the day begins: give the first option of each."""
    first: dict[str, dict[str, Any]] = {}

    def read(company: Company, receipt: dict[str, Any]) -> None:
        options = [partner.read(row["quote_identifier"]) for row in receipt["quotes"]]
        first[company.name] = options[0]

    read(ENDING, partner.post("/v2/quotes", ENDING.body()))
    _bound(partner, first[ENDING.name], is_issued=True)
    partner.post("/v2/demo/clock", {"advance_days": DAYS_BEFORE}, timeout=300)
    sent = [(company, partner.post("/v2/quotes", company.body())) for company in (*IN_THE_QUEUE, *FOUND)]
    for company, receipt in sent:
        read(company, receipt)
    for company, _ in sent:
        quote = first[company.name]
        if company.then:
            _bound(partner, quote, is_issued=company.then == "cancel")
        if company.then == "paper":
            partner.upload(quote, PAPER)
        if company.then == "cancel":
            effective = date.fromisoformat(quote["dates"]["effective"]) + timedelta(days=60)
            partner.post(
                f"/v2/quotes/{quote['quote_identifier']}/request_cancellation",
                {"effective": effective.isoformat(), "reason": "business_sold"},
            )
    return first


@pytest.fixture(scope="module")
def day(server: str, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A demo of its own: what waits at the desk is what this module sent there."""
    with demo_running(server, template, tmp_path_factory.mktemp("day")) as running:
        added = ("user", "add", COLLEAGUE, "--role", "underwriter", "--name", "Ann Colleague")
        running.program.run(*added, "--password-stdin", stdin=PASSWORD)
        for product in ("CYB", "TEO", "MPL"):
            running.program.run("authority", "set", UNDERWRITER, "--product", product, *LETTER)
        yield running


@pytest.fixture(scope="module")
def its_partner(day: Running) -> Iterator[Partner]:
    with httpx.Client(base_url=day.url, timeout=300, verify=NO_TLS) as http:
        yield Partner(http, day.token)


async def _sign_in_colleague(somebody: Watched) -> None:
    await somebody.page.get_by_label("Email").fill(COLLEAGUE)
    await somebody.page.get_by_label("Password").fill(PASSWORD)
    async with somebody.page.expect_navigation():
        await press(somebody.page, "Sign in")


async def _next_case(at: At, left: Mapping[str, Company]) -> Company | None:
    """Take the next case and open it; none when nothing is free."""
    with at.hands.at("Take and open the next case"):
        await at.hands.go("n")
    if "/desk/case/" not in at.page.url:
        return None
    company = left[await at.page.locator("h1").inner_text()]
    at.pages[company.name] = at.page.url.partition("?")[0]
    return company


async def _answer(desk: Desk, quote: dict[str, Any]) -> None:
    async with desk.person("broker") as broker:
        await broker.open(f"/company/{quote['company_id']}")
        await broker.page.get_by_label("Answer", exact=True).fill("Since yesterday.")
        await press(broker.page, "Send the answer")
        await expect(broker.page.locator(".banner")).to_contain_text("The underwriter has your answer.")


async def test_a_day_of_all_kinds_of_cases_is_decided_by_keyboard_and_leaves_nothing_behind(
    day: Running, its_partner: Partner, browser: Browser, subtests: pytest.Subtests
) -> None:
    first = await asyncio.to_thread(_before_the_day, its_partner)
    desk = Desk(day.url, its_partner, browser)
    left = {company.name: company for company in IN_THE_QUEUE}

    async with desk.person("underwriter") as underwriter:
        at = At(desk, underwriter.page, Hands(underwriter.page))
        await underwriter.open("/desk")
        while left and (company := await _next_case(at, left)) is not None:
            del left[company.name]
            with subtests.test(company.name), at.hands.at(company.task):
                await company.deed(at, company)
            if urlsplit(at.page.url).path != "/desk":
                await underwriter.open("/desk")
        assert left == {}

        violet = next(company for company in IN_THE_QUEUE if company.deed is ask)
        await _answer(desk, first[violet.name])
        await underwriter.open("/desk")
        await at.go_to_case(violet.name)
        with at.hands.at("Approve after the answer"):
            await approve(at, violet)

        for company in FOUND:
            await underwriter.open("/desk")
            with at.hands.at(company.task):
                await find(at, company)
                at.pages[company.name] = at.page.url.partition("?")[0]
                await company.deed(at, company)
        await underwriter.open("/desk")
        with at.hands.at(ENDING.task):
            await ENDING.deed(at, ENDING)

        async with desk.stranger() as other:
            await _sign_in_colleague(other)
            second = At(desk, other.page, Hands(other.page, spent=at.hands.spent))
            maple = next(company for company in IN_THE_QUEUE if company.deed is send_to_a_colleague)
            await second.go_to_case(maple.name)
            with second.hands.at("Approve as the second person"):
                await approve_as_second(second, maple)

        _write_table(at.hands.table())
        await underwriter.open("/desk")
        await expect(at.page.locator("main tbody tr:has(a.who)")).to_have_count(0)
        for company in (*IN_THE_QUEUE, *FOUND, ENDING):
            with subtests.test(company.name):
                quotes = await asyncio.to_thread(_options_of, its_partner, first[company.name])
                assert tuple(quote["quote_status"] for quote in quotes) == company.becomes
                if company is not ENDING:
                    await _reads_as_sentences(underwriter, at.pages[company.name])
    assert "are as they were written" in day.program.run("journal", "verify").good()


def _options_of(partner: Partner, quote: dict[str, Any]) -> list[dict[str, Any]]:
    answer = partner.http.get(
        f"/v2/companies/{quote['company_id']}", headers={"Authorization": f"Bearer {partner.token}"}
    )
    answer.raise_for_status()
    (submission,) = answer.json()["submissions"]
    return [partner.read(row["quote_identifier"]) for row in submission["options"]]


async def _reads_as_sentences(underwriter: Watched, case: str) -> None:
    await underwriter.open(case)
    lines = await underwriter.page.locator("#history ol.line > li").all_inner_texts()
    assert lines
    for line in lines:
        assert line[0].isupper() or line.startswith(PAPER.name), line
        assert A_CODE.search(line) is None, line
        assert AN_ID.search(line) is None, line


def _write_table(table: str) -> None:
    """Keep what the day took in the file that `DESK_DAY` names."""
    if file := os.environ.get("DESK_DAY"):
        Path(file).write_text(f"{table}\n", encoding="utf-8")
