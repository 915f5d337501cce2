"""Lives of quotes and policies, drawn at random.

After each step the API, the pages, the newest documents, the events and the mails say the same.
"""

import random
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from bindery.base.numbers import in_dollars
from bindery.domain.access.users import Role
from bindery.domain.business_rules import long_date
from bindery.web.shown.words import day
from documents.reading import text_of as text_of_pdf
from support.binding import ask_to_bind, bind, decide, in_days, move_days, quoted, shown, today, upload_signed
from support.people import Person, sign_in_as, text_of
from support.service import Service, request_body

pytestmark = pytest.mark.usefixtures("clock_at_day")
STEPS = 8
OVER = frozenset({"quote_declined", "quote_expired", "quote_revoked", "quote_not_bound", "policy_expired"})
Step = Callable[["Life"], Awaitable[None]]


class Life:
    """One quote, what was demanded of it, and the steps it has taken."""

    def __init__(self, service: Service, broker: Person, rng: random.Random, number: int) -> None:
        self.service, self.broker, self.rng, self.number = service, broker, rng, number
        self.quote: dict[str, Any] = {}
        self.demanded = 0
        self.taken: list[str] = []

    async def begin(self) -> None:
        kind = self.rng.choice(("clean", "clean", "red-flags"))
        ending = self.rng.choice(("", "", " (prebind)"))

        def change(body: dict[str, Any]) -> None:
            body["client"].update(name=f"Life {self.number}{ending}", domains=[f"{kind}.example.com"])
            body["policy"]["quotes"] = [{"aggregate_limit": 1_000_000, "aggregate_retention": 2_500}]

        (self.quote,) = await quoted(self.service, request_body(change))

    async def step(self) -> bool:
        """Take a step that is open; return whether there was one."""
        options = [*self.open_steps()]
        if not options:
            return False
        step = self.rng.choice(options)
        self.taken.append(step.__name__)
        await step(self)
        self.quote = await shown(self.service, self.quote["quote_identifier"])
        return True

    def open_steps(self) -> Iterator[Step]:
        status, binder = self.quote["quote_status"], self.quote["binder"]
        if status == "quote_referred":
            yield from (approve, approve_on_other_terms, decline)
        elif status == "published":
            yield from (demand, bind_on_condition, bind_attested, wait_a_week)
        elif status == "quote_bind_requested":
            yield from (approve, decline)
        elif status == "policy_active" and binder["conditional"]:
            yield from (demand, upload, wait_a_week, wait_a_month, cancel)
        elif status == "policy_active":
            yield from (cancel, cancel_for_nonpayment, ask_to_cancel, pause, wait_a_month)
        elif status == "policy_canceled":
            yield from (reinstate, wait_a_week)
        if self.open and status in {"published", "policy_active"}:
            yield from (accept, waive)

    @property
    def open(self) -> list[dict[str, Any]]:
        return [owed for owed in self.quote["contingencies"] if owed["status"] == "open"]

    async def review(self, decision: str, **more: Any) -> None:
        await decide(self.service, self.quote, decision, **more)


async def approve(life: Life) -> None:
    await life.review("approve", reason="Looked at")


async def approve_on_other_terms(life: Life) -> None:
    await life.review("approve", reason="Open ports", terms={"aggregate_retention": 25_000})


async def decline(life: Life) -> None:
    await life.review("decline", reason="Outside our appetite")


async def demand(life: Life) -> None:
    life.demanded += 1
    kind = "post_bind" if life.quote["quote_status"] == "policy_active" else life.rng.choice(("pre", "post"))
    contingency = {"type": kind.removesuffix("_bind") + "_bind", "text": f"Proof number {life.demanded}"}
    await life.review("add_contingency", contingency=contingency)


async def accept(life: Life) -> None:
    await life.review("close_contingency", contingency_id=life.rng.choice(life.open)["contingency_id"])


async def waive(life: Life) -> None:
    closed = life.rng.choice(life.open)["contingency_id"]
    await life.review(
        "close_contingency", contingency_id=closed, closed_as="waived", reason="Seen at the last renewal"
    )


async def bind_on_condition(life: Life) -> None:
    await bind(life.service, life.quote, dates={"effective": str(await today(life.service))})


async def bind_attested(life: Life) -> None:
    if any("signed and dated" in owed["text"] for owed in life.open):
        await upload_signed(life.service, life.quote)
        dates = {"effective": str(await today(life.service))}
        assert (await ask_to_bind(life.service, life.quote, app_attestation=True, dates=dates)).is_success
    else:
        await bind_on_condition(life)


async def upload(life: Life) -> None:
    if any("signed and dated" in owed["text"] for owed in life.open):
        await upload_signed(life.service, life.quote)


async def cancel(life: Life) -> None:
    on = in_days(await today(life.service), life.rng.choice((0, 0, 40)))
    reason = life.rng.choice(("insured_request", "business_sold", "rewritten"))
    await life.review("cancel", reason=reason, effective=on)


async def cancel_for_nonpayment(life: Life) -> None:
    on = in_days(await today(life.service), 15)
    await life.review("cancel", reason="nonpayment", effective=on, text="No payment came.")


async def ask_to_cancel(life: Life) -> None:
    ask = {"effective": in_days(await today(life.service), 20), "reason": "business_sold"}
    answer = await life.service.post(f"/v2/quotes/{life.quote['quote_identifier']}/request_cancellation", ask)
    assert answer.is_success, answer.text


async def reinstate(life: Life) -> None:
    await life.review("reinstate", reason="Paid after all")


async def pause(life: Life) -> None:
    answer = await life.service.post(f"/v2/quotes/{life.quote['quote_identifier']}/pause_renewal")
    assert answer.is_success, answer.text


async def wait_a_week(life: Life) -> None:
    await move_days(life.service, 7)


async def wait_a_month(life: Life) -> None:
    await move_days(life.service, 31)


async def check(life: Life) -> None:
    """Hold everything that somebody may read against the quote as GET shows it."""
    quote = life.quote
    page = text_of(await life.broker.open(f"/company/{quote['company_id']}"))
    status = quote["quote_status"]
    if status in {"published", "policy_active"}:
        for said in (in_dollars(quote["premium"]), in_dollars(Decimal(str(quote["total"])))):
            assert said in page
    if status == "published":
        letter = await document(life, "quote_letter")
        for text in (letter, await document(life, "comparison")):
            assert in_dollars(quote["premium"]) in text
            check_demands(life, text)
        for correction in quote["corrections"]:
            if correction["code"] == "changed_by_underwriter":
                assert "$25,000" in letter
                assert "approved on other terms" in page
    if status == "policy_active":
        await check_bound(life, page)
    if status == "policy_canceled":
        await check_canceled(life, page)
    if quote["decision"] is not None and quote["decision"]["kind"] == "lapsed":
        assert "lapsed" in page
        notice = await document(life, "lapse_notice")
        assert long_date(date.fromisoformat(quote["binder"]["fulfil_by"])) in notice
        assert len(await mails(life, "policy_ended")) >= 2


async def check_bound(life: Life, page: str) -> None:
    quote = life.quote
    is_conditional = quote["binder"]["conditional"]
    binder, bill = await document(life, "binder"), await document(life, "billing_statement")
    assert quote["policy_number"] in page
    for text in (binder, bill):
        assert quote["policy_number"] in text
    assert ("This binder is conditional." in binder) == is_conditional
    assert ("The binder is conditional" in bill) == is_conditional
    if is_conditional:
        until = date.fromisoformat(quote["binder"]["fulfil_by"])
        assert long_date(until) in binder
        assert long_date(until) in bill
        assert day(until) in page
        check_demands(life, binder)
    else:
        assert quote["policy_number"] in await document(life, "policy")
    kind = "policy_bound" if is_conditional else "policy_issued"
    to_broker, to_insured = await mails(life, kind)
    for mail in (to_broker, to_insured):
        assert quote["policy_number"] in mail["body"]
    if quote["cancellation_request"] is not None and quote["cancellation_request"]["status"] == "open":
        asked = day(date.fromisoformat(quote["cancellation_request"]["effective"]))
        assert f"Cancellation from {asked} asked for" in page


async def check_canceled(life: Life, page: str) -> None:
    quote = life.quote
    canceled = quote["cancellation"]
    if canceled["due"]:
        assert (canceled["due"], canceled["returned"]) == (canceled["earned"], 0)
    else:
        assert canceled["earned"] + canceled["returned"] == quote["premium"]
    effective = date.fromisoformat(canceled["effective"])
    notice, bill = await document(life, "cancellation_notice"), await document(life, "billing_statement")
    assert f"canceled as of {long_date(effective)}" in bill
    amount = f"${canceled['due'] or canceled['returned']:,}"
    assert day(effective) in page
    (_, *_), newest = await mails(life, "policy_ended"), (await mails(life, "policy_ended"))[-2:]
    for text in (notice, *(mail["body"] for mail in newest)):
        assert long_date(effective) in text
        assert amount in text
    events = (
        await life.service.get(f"/v2/events?quote_identifier={quote['quote_identifier']}&limit=200")
    ).json()
    told = [event["data"] for event in events["events"] if event["type"] == "policy.canceled"]
    assert told[-1]["cancellation"] == canceled
    assert quote["decision"]["kind"] == "canceled"


def check_demands(life: Life, text: str) -> None:
    """See that a document asks for what is open alone, and calls nothing received that was waived."""
    asked, _, received = text.partition("Received already")
    for owed in life.quote["contingencies"]:
        if owed["text"].startswith("Proof number"):
            named = re.compile(rf"{owed['text']}\b")
            assert bool(named.search(asked)) == (owed["status"] == "open"), owed
            assert owed["closed_as"] != "waived" or not named.search(received), owed


async def document(life: Life, kind: str) -> str:
    answer = await life.service.get(f"/v2/quotes/{kind}/{life.quote['quote_identifier']}")
    assert answer.status_code == 200, (kind, answer.text)
    return text_of_pdf(answer.content)


async def mails(life: Life, kind: str) -> list[dict[str, Any]]:
    """Return the mails of a kind about the quote, to the broker and to the insured, oldest first."""
    rows = await life.service.runtime.database.pool.fetch(
        "select kind, body from mails where quote_id = $1::text::uuid and kind like $2 order by mail_id",
        life.quote["quote_identifier"],
        f"{kind}%",
    )
    return [dict(row) for row in rows]


@pytest.mark.parametrize(
    ("lives", "seed"), [(2, 1), *(pytest.param(10, seed, marks=pytest.mark.long) for seed in range(1, 5))]
)
async def test_everything_that_is_said_about_a_quote_agrees_after_each_step(
    service: Service, lives: int, seed: int
) -> None:
    rng = random.Random(seed)
    taken: Counter[str] = Counter()
    async with await sign_in_as(service, Role.BROKER) as broker:
        for number in range(lives):
            life = Life(service, broker, rng, number)
            await life.begin()
            try:
                await check(life)
                for _ in range(STEPS):
                    if not await life.step():
                        break
                    await check(life)
            except BaseException as fault:
                fault.add_note(f"life {number}: {' > '.join(life.taken)}")
                raise
            taken.update(life.taken)

    assert len(taken) >= (5 if lives < 10 else 10)
