"""A simulated portfolio: years of submissions, binds, pauses, cancellations and outages, from one seed.

Everything goes over HTTP as partners and underwriters do it; the worker's part is done on the spot. After
each month the whole portfolio is looked at: what must hold of every policy, and of every journal that moved.
"""

import random
import uuid
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import Any

import asyncpg

from bindery.actions.renewal.set_renewal_type import resume_renewal
from bindery.actions.timetable.move_clock import move_clock, run_what_is_due
from bindery.cli.book import look_at_book
from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.access.caller import Caller
from bindery.domain.products import record_of
from bindery.domain.quote.journal_check import flaws_of
from bindery.domain.quote.underwriting import from_record
from bindery.domain.rating.worksheet import multiplies_out, worksheet_from_plain
from bindery.storage.quote import journal
from support.binding import ask_to_bind, quoted, review, set_day, today
from support.intake import professional, technology
from support.service import Service, request_body

MONTHS = 60
INTAKE_MONTHS = 48
DAYS_IN_A_MONTH = 30
FIRST_DAY = date(2027, 1, 4)
DOMAINS = ("clean", "clean", "harbor", "meadow", "weak", "red-flags")
LIMITS = (250_000, 500_000, 1_000_000, 2_000_000, 3_000_000, 5_000_000)


@dataclass
class Portfolio:
    """A service, the chance that decides, and what has happened so far."""

    service: Service
    size: int
    rng: random.Random
    happened: Counter[str] = field(default_factory=Counter)
    companies: list[str] = field(default_factory=list)
    submitted: int = 0
    checked_until: datetime | None = None

    async def live(self, tell: Callable[[int], None] = lambda _months: None) -> None:
        """Play all the months, and look at everything after each."""
        await set_day(self.service, FIRST_DAY)
        for month in range(MONTHS):
            await self.take_in(month)
            await self.decide_referrals()
            await self.bind_some()
            await self.work_on_binders()
            await self.trouble_policies()
            await self.let_time_pass()
            await check_portfolio(self.service, since=self.checked_until)
            self.checked_until = await self.service.runtime.database.now() - timedelta(seconds=1)
            tell(1)
        await check_portfolio(self.service)
        await check_feed(self.service)

    async def take_in(self, month: int) -> None:
        """Submit this month's share of the quotes."""
        until = self.size * min(month + 1, INTAKE_MONTHS) // INTAKE_MONTHS
        while self.submitted < until:
            options = await quoted(self.service, self.request(until - self.submitted))
            self.submitted += len(options)
            self.companies.append(options[0]["company_id"])
            self.happened["quotes"] += len(options)

    def request(self, most_options: int) -> dict[str, Any]:
        rng = self.rng
        make = rng.choices((request_body, technology, professional), (6, 2, 2))[0]
        body = make()
        body["client"]["name"] = f"Applicant {rng.randrange(10**6)}{rng.choice(['', '', '', ' (prebind)'])}"
        body["client"]["revenue"] = rng.choice((400_000, 1_500_000, 2_500_000, 4_500_000))
        body["client"]["domains"] = [f"{rng.choice(DOMAINS)}.example.com"]
        if self.companies and rng.random() < 0.15:
            body["client"]["company_id"] = rng.choice(self.companies)
        count = min(rng.randint(1, 3), most_options)
        body["policy"]["quotes"] = [{"aggregate_limit": limit} for limit in rng.sample(LIMITS, count)]
        return body

    async def decide_referrals(self) -> None:
        """Approve or decline what waits, or leave it, as underwriters do."""
        for quote in await self.in_status("quote_referred", "quote_bind_requested"):
            decision = self.rng.choices(("approve", "decline", None), (5, 1, 3))[0]
            if decision is not None:
                await self.do(decision, quote, reason="Looked at.")

    async def bind_some(self) -> None:
        """Bind some of what is open, renewals ahead of their day among them."""
        for quote in await self.in_status("published", "offer_email"):
            if self.rng.random() < (0.3 if quote["status"] == "published" else 0.1):
                await self.bind(quote)

    async def bind(self, quote: asyncpg.Record) -> None:
        day = await today(self.service)
        effective = day + timedelta(days=self.rng.randint(-7, 30))
        if quote["status"] == "offer_email":
            effective = quote["effective"]
        dates = {"effective": effective.isoformat()}
        if quote["status"] == "published" and self.rng.random() < 0.2:
            length = self.rng.choice((190, 400, 540))
            dates["expiration"] = (effective + timedelta(days=length)).isoformat()
        answer = await ask_to_bind(self.service, as_shown(quote), dates=dates)
        assert answer.status_code in {200, 400}, answer.text
        self.happened["bind" if answer.status_code == 200 else answer.json()["code"]] += 1

    async def work_on_binders(self) -> None:
        """Close what most conditional binders wait for; the others lapse."""
        rows = await self.service.runtime.database.pool.fetch(
            """
            select c.contingency_id::text as contingency_id, quote_id from contingencies c
            join binds b using (quote_id) join companies using (company_id)
            where b.in_force and b.issued_on is null and c.status = 'open'
            order by companies.created_at, c.contingency_id
            """
        )
        for row in rows:
            if self.rng.random() < 0.7:
                await self.do("close_contingency", row, contingency_id=row["contingency_id"])

    async def trouble_policies(self) -> None:
        """Pause, resume, cancel and reinstate some of what there is."""
        day = await today(self.service)
        for policy in await self.in_status("policy_active"):
            chance = self.rng.random()
            if policy["expiration"] <= day:
                continue  # approved or fulfilled after its term; the next sweep ends it
            if chance < 0.02:
                answer = await self.service.post(f"/v2/quotes/{policy['quote_id']}/pause_renewal")
                # Whose renewal was declined has its notice that nothing renews.
                assert answer.status_code == 200 or "does not renew" in answer.text, answer.text
                self.happened["pause" if answer.status_code == 200 else "not renewed"] += 1
            elif chance < 0.03:
                caller = Caller(partner_id=self.service.partner.partner_id, actor="portfolio")
                await resume_renewal(self.service.runtime.database, caller, policy["quote_id"])
                self.happened["resume"] += 1
            elif chance < 0.045:
                await self.do("cancel", policy, text="Chance.")
        for policy in await self.in_status("policy_canceled"):
            if self.rng.random() < 0.4:
                await self.do("reinstate", policy, reason="Chance.")

    async def let_time_pass(self) -> None:
        """Move the clock a month; sometimes nobody does what falls due for as long, or for weeks more."""
        runtime = self.service.runtime
        if self.rng.random() < 0.75:
            await move_clock(runtime, DAYS_IN_A_MONTH)
            return
        weeks = self.rng.choice((4, 5, 9, 13))
        self.happened["outage"] += 1
        await set_day(self.service, await today(self.service) + timedelta(weeks=weeks))
        await run_what_is_due(runtime)

    async def do(self, decision: str, quote: asyncpg.Record, **more: Any) -> None:
        answer = await review(self.service, as_shown(quote), decision, **more)
        assert answer.status_code in {200, 400}, answer.text
        self.happened[decision if answer.status_code == 200 else f"refused {decision}"] += 1

    async def in_status(self, *statuses: str) -> list[asyncpg.Record]:
        return await self.service.runtime.database.pool.fetch(
            """
            select q.quote_id, q.status, s.effective, b.expiration from quotes q
            join submissions s using (submission_id) join companies c on c.company_id = q.company_id
            left join binds b using (quote_id)
            where q.status = any($1)
            -- Ids are random, so they are no order that a seed could repeat.
            order by c.created_at, s.effective, s.created_at, q.option_number
            """,
            list(statuses),
        )


def as_shown(row: asyncpg.Record) -> dict[str, Any]:
    return {"quote_identifier": str(row["quote_id"]), "dates": {"effective": None}}


async def check_portfolio(service: Service, since: datetime | None = None) -> None:
    """Look at every policy, and at every quote that moved since then."""
    await _check_policies(service)
    await _check_book(service)
    await _check_nothing_is_overdue(service)
    await _check_journals(service, since or datetime.min.replace(tzinfo=UTC))


async def _check_policies(service: Service) -> None:
    rows = await service.runtime.database.pool.fetch(
        """
        select b.*, q.status, q.premium, s.renews from binds b
        join quotes q using (quote_id) join submissions s using (submission_id)
        where b.policy_number is not null
        """
    )
    numbers = [row["policy_number"] for row in rows]
    assert len(set(numbers)) == len(numbers), "every number is unique"
    by_id = {row["quote_id"]: row for row in rows}
    covered: dict[tuple[int, str], list[tuple[date, date]]] = {}
    for row in rows:
        assert row["in_force"] == (row["status"] == "policy_active"), row
        if row["ended_because"] != "lapsed":
            line = record_of(InsuranceProduct(row["product"])).line
            until = row["ended_on"] or row["expiration"]
            covered.setdefault((row["company_id"], line), []).append((row["effective"], until))
        if row["renews"] is not None:
            old = by_id[row["renews"]]
            assert row["effective"] == old["expiration"], "no gap between renewed terms"
            stem, _, suffix = old["policy_number"].rpartition("-")
            assert row["policy_number"] == f"{stem}-{int(suffix) + 1:02}"
    for terms in covered.values():
        assert all(before[1] <= after[0] for before, after in pairwise(sorted(terms))), "one policy at a time"


async def _check_book(service: Service) -> None:
    async with service.runtime.database.snapshot() as tx:
        found = await look_at_book(tx)
    assert [flaw for each in found.values() for flaw in each.findings] == []


async def _check_nothing_is_overdue(service: Service) -> None:
    day = await today(service)
    overdue = await service.runtime.database.pool.fetch(
        """
        select quote_id, 'open' from quotes where status in ('published', 'offer_email') and expires_on < $1
        union all
        select quote_id, 'binder' from binds where in_force and issued_on is null and fulfil_by < $1
        union all
        select quote_id, 'term' from binds where in_force and issued_on is not null and expiration <= $1
        union all
        select quote_id, 'renewal' from binds
        where in_force and issued_on is not null and renewal_type = 'auto' and expiration <= $1 + 60
          and renewal_submission_id is null and not renewal_settled
        union all
        select quote_id, 'worked on' from quotes
        where status in ('created', 'aq_created', 'calculating', 'calc_completed', 'eligible')
        """,
        day,
    )
    assert overdue == []


async def _check_journals(service: Service, since: datetime) -> None:
    pool = service.runtime.database.pool
    moved = await pool.fetch(
        "select quote_id, premium, assessment from quotes where updated_at >= $1 order by quote_id", since
    )
    for row in moved:
        async with service.runtime.database.reading() as tx:
            (kept,) = await journal.read_batch(tx, after=_before(row["quote_id"]), limit=1)
        assert kept.quote_id == row["quote_id"]
        assert list(flaws_of(kept)) == []
        times = [line.entry.at for line in kept.entries if line.entry]
        assert times == sorted(times), "no event out of order"
        check_premium(row)


async def check_feed(service: Service) -> None:
    """Read the feed as a partner does: every event of every journal is there, in order and once."""
    counts: Counter[tuple[str, str]] = Counter()
    cursor = ""
    while True:
        answer = await service.get(f"/v2/events?limit=200{cursor}")
        assert answer.status_code == 200, answer.text
        for event in answer.json()["events"]:
            told = event["data"]
            key = (told["quote_identifier"], told["level"])
            counts[key] += 1
            assert told["sequence"] == counts[key], "no event out of order or missing"
        if not answer.json()["events"]:
            break
        cursor = f"&after={answer.json()['next_cursor']}"
    assert counts.total() == await service.count("journal where type is not null")


def check_premium(row: asyncpg.Record) -> None:
    """Assert that a premium is what its worksheet multiplies out to."""
    if row["premium"] is None:
        return
    record = from_record(row["assessment"])
    assert record.worksheet is not None
    worksheet = worksheet_from_plain(record.worksheet)
    assert multiplies_out(worksheet)
    assert row["premium"] == worksheet.premium


def _before(quote_id: uuid.UUID) -> uuid.UUID:
    return uuid.UUID(int=quote_id.int - 1)
