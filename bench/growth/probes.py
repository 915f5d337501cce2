"""What is measured: every hot path and every sweep, as the service itself goes it."""

import itertools
import uuid
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from types import SimpleNamespace
from typing import Any, Final

from pgqueuer.adapters.persistence.qb import QueryQueueBuilder

from bench.growth.explained import Scene
from bench.growth.seeds import SECOND_BROKER
from bench.intake import five_options
from bindery.actions.submission.process_submission import process_submission
from bindery.actions.timetable.sweep import SWEEPS, next_days
from bindery.actions.webhooks.claim_deliveries import claim_deliveries
from bindery.actions.webhooks.record_tries import record_tries
from bindery.actions.webhooks.send_delivery import DeliveryTry
from bindery.api.cursors import COMPANY_CURSORS, POLICY_CURSORS, QUOTE_CURSORS
from bindery.contract.documents import PacketType
from bindery.contract.vocabulary import EventLevel
from bindery.domain.quote.lifecycle import IN_PIPELINE, OPEN_OFFERS
from bindery.storage.documents import packets
from bindery.storage.jobs import queue
from bindery.storage.lists import today
from bindery.storage.lists.company_book import Order, Sort, page_of_book
from bindery.storage.lists.company_list import CompanyFilter, list_companies
from bindery.storage.lists.search import search
from bindery.storage.quote import journal
from bindery.storage.submission import scan_cache, submissions
from bindery.storage.webhooks import events
from bindery.web.frame.paging import ROWS
from bindery.worker.engine import HEARTBEAT_TIMEOUT, SCHEMA
from bindery.worker.entrypoints import TIMETABLE, entrypoints
from bindery.worker.idle_press import LEASE

SUBJECTS: Final = 60
LONG_AGO: Final = timedelta(days=700)
OPEN: Final = f"array{[status.value for status in (*IN_PIPELINE, *OPEN_OFFERS)]}"


@dataclass
class Subjects:
    """Who the probes ask about: others each time, drawn from the whole portfolio."""

    quotes: Iterator[uuid.UUID]
    open_quotes: Iterator[uuid.UUID]
    with_letter: Iterator[uuid.UUID]
    ids: Iterator[tuple[uuid.UUID, int]]
    settled: Iterator[int]
    keys: Iterator[tuple[str, str, int]]
    unworked: Iterator[uuid.UUID]
    unmade: Iterator[uuid.UUID]
    partner_id: int
    webhook_id: uuid.UUID
    feed_end: int
    middle: dict[str, str | None]


async def draw_subjects(scene: Scene) -> Subjects:
    pool = scene.service.runtime.database.pool

    async def drawn(what: str, source: str) -> Iterator[Any]:
        rows = await pool.fetch(f"select {what} from {source} order by random() limit {SUBJECTS}")
        return itertools.cycle([row[0] if len(row) == 1 else tuple(row) for row in rows])

    return Subjects(
        quotes=await drawn("quote_id", "quotes where status <> 'created'"),
        # Of those that can still be bound, as quoted.
        open_quotes=await drawn(
            "q.quote_id",
            "quotes q join submissions s using (submission_id) where q.status = 'published' "
            "and q.expires_on > (select (now() + ahead)::date from service_clock) "
            "and s.effective >= (select (now() + ahead)::date from service_clock)",
        ),
        with_letter=await drawn("quote_id", "documents where type = 'quote_letter'"),
        ids=await drawn("submission_id, company_id", "submissions where renews is null"),
        # Of those whose every quote has ended: nothing is revoked that would make one cost more than another.
        settled=await drawn(
            "c.company_id",
            "companies c where not exists "
            f"(select from quotes q where q.company_id = c.company_id and q.status = any({OPEN}))",
        ),
        keys=await drawn("kind, value, company_id", "clearance_keys"),
        unworked=await drawn("submission_id", "quotes where status = 'created' and option_number = 0"),
        unmade=await drawn("quote_id", "packets where not documents_made"),
        partner_id=await pool.fetchval("select partner_id from feeds"),
        webhook_id=await pool.fetchval("select webhook_id from webhooks"),
        feed_end=await pool.fetchval("select last_position from feeds"),
        middle=await _middle_of_lists(pool),
    )


async def _middle_of_lists(pool: Any) -> dict[str, str | None]:
    half = "{0} order by {1} offset (select count(*) / 2 from {2}) limit 1"
    submission = await pool.fetchrow(
        half.format("select created_at, submission_id from submissions", "1, 2", "submissions")
    )
    bound = "binds where policy_number is not null"
    policy = await pool.fetchrow(half.format(f"select asked_at, quote_id from {bound}", "1, 2", bound))
    company = await pool.fetchrow(
        half.format("select created_at, company_id from companies", "1, 2", "companies")
    )
    return {
        "quotes": QUOTE_CURSORS.write((submission["created_at"], submission["submission_id"], 0)),
        "policies": POLICY_CURSORS.write(tuple(policy)) if policy else None,
        "companies": COMPANY_CURSORS.write(tuple(company)),
    }


Ask = Callable[[Scene, Subjects], Awaitable[object]]


async def _get(scene: Scene, path: str, **query: Any) -> None:
    answer = await scene.http.get(path, params=query)
    assert answer.status_code == 200, answer.text


async def _post(scene: Scene, path: str, body: Any, **headers: str) -> None:
    answer = await scene.http.post(path, json=body, headers=headers)
    assert answer.status_code == 200, answer.text


async def _get_quote(scene: Scene, subjects: Subjects) -> None:
    await _get(scene, f"/v2/quotes/{next(subjects.quotes)}")


async def _get_again(scene: Scene, subjects: Subjects) -> None:
    await scene.runtime.shown_versions.look(next(subjects.quotes), partner_id=subjects.partner_id)


async def _get_forms(scene: Scene, subjects: Subjects) -> None:
    await _get(scene, f"/v2/quotes/{next(subjects.quotes)}/documents/quote/metadata")


async def _get_document(scene: Scene, subjects: Subjects) -> None:
    await _get(scene, f"/v2/quotes/quote_letter/{next(subjects.with_letter)}")


async def _submit(scene: Scene, _subjects: Subjects) -> None:
    await _post(scene, "/v2/quotes", five_options(), **{"Idempotency-Key": str(uuid.uuid4())})


async def _submit_again(scene: Scene, subjects: Subjects) -> None:
    body = five_options()
    body["client"]["company_id"] = str(next(subjects.settled))
    body["client"]["revenue"] += 1
    await _post(scene, "/v2/quotes", body)


async def _clear(scene: Scene, subjects: Subjects) -> None:
    kind, value, company_id = next(subjects.keys)
    async with scene.runtime.database.reading() as tx:
        since = tx.now - LONG_AGO
        asked = SimpleNamespace(keys=[(kind, value)], company_id=company_id)
        await submissions.taken_keys(tx, [asked], since=since)  # type: ignore[list-item] # all that it looks at


async def _bind(scene: Scene, subjects: Subjects) -> None:
    quote_id = next(subjects.open_quotes)
    effective = await scene.explained.connection.fetchval(
        "select effective from quotes join submissions using (submission_id) where quote_id = $1", quote_id
    )
    body = {"quote_identifier": str(quote_id), "dates": {"effective": effective.isoformat()}}
    await _post(scene, "/v2/binds", body)


async def _process(scene: Scene, subjects: Subjects) -> None:
    await process_submission(scene.runtime, next(subjects.unworked))


async def _other_broker(scene: Scene, subjects: Subjects) -> None:
    submission_id, _ = next(subjects.ids)
    async with scene.runtime.database.reading() as tx:
        await submissions.with_other_broker(tx, {submission_id: [("domain", "nobody.example")]})


async def _scanned(scene: Scene, _subjects: Subjects) -> None:
    async with scene.runtime.database.reading() as tx:
        await scan_cache.fresh(tx, ["company7.com"])


async def _claim_jobs(scene: Scene, _subjects: Subjects) -> None:
    kinds = list(entrypoints(scene.runtime))
    query = QueryQueueBuilder(SCHEMA).build_dequeue_query(
        batch_size=10,
        entrypoints=kinds,  # type: ignore[arg-type] # names
        concurrency_limits=[0] * len(kinds),
        queue_manager_id=uuid.uuid4(),  # type: ignore[arg-type] # any id
        global_concurrency_limit=20,
        heartbeat_timeout=HEARTBEAT_TIMEOUT,
    )
    await scene.explained.fetch(query.sql, *query.args)


async def _claim_packet(scene: Scene, _subjects: Subjects) -> None:
    async with scene.runtime.database.transaction() as tx:
        await queue.is_anything_waiting(tx)
        await packets.claim_unmade(tx, lease=LEASE)


async def _find_packet(scene: Scene, subjects: Subjects) -> None:
    async with scene.runtime.database.reading() as tx:
        assert await packets.find(tx, next(subjects.unmade), PacketType.QUOTE)


async def _deliver(scene: Scene, _subjects: Subjects) -> None:
    deliveries = await claim_deliveries(scene.runtime, under_way={}, limit=200)
    assert deliveries
    now = await scene.runtime.database.now()
    await record_tries(
        scene.runtime.database,
        scene.runtime.rules,
        [DeliveryTry(claimed=delivery.claimed, at=now, status=200) for delivery in deliveries],
    )


async def _deliver_in_vain(scene: Scene, _subjects: Subjects) -> None:
    deliveries = await claim_deliveries(scene.runtime, under_way={}, limit=200)
    now = await scene.runtime.database.now()
    await record_tries(
        scene.runtime.database,
        scene.runtime.rules,
        [DeliveryTry(claimed=delivery.claimed, at=now, status=500) for delivery in deliveries],
    )


async def _feed(scene: Scene, subjects: Subjects, *, part: float, **query: Any) -> None:
    async with scene.runtime.database.reading() as tx:
        await events.page(
            tx,
            subjects.partner_id,
            events.FeedQuery(after=int(subjects.feed_end * part) - 100, limit=100, **query),
        )


async def _feed_over_http(scene: Scene, subjects: Subjects) -> None:
    await _get(scene, "/v2/events", after=subjects.feed_end - 50)


async def _feed_of_quote(scene: Scene, subjects: Subjects) -> None:
    await _feed(scene, subjects, part=0, quote_id=next(subjects.quotes))


async def _list(scene: Scene, subjects: Subjects, *, of: str, deep: bool = False, **query: Any) -> None:
    """Ask for a page of a list; a deep one begins in the middle of the portfolio."""
    place = subjects.middle[of]
    await _get(scene, f"/v2/{of}", **query, **({"cursor": place} if deep and place else {}))


async def _own_companies(scene: Scene, subjects: Subjects) -> None:
    asked = CompanyFilter(partner_id=subjects.partner_id, broker=SECOND_BROKER, or_secondary=True)
    async with scene.runtime.database.reading() as tx:
        assert (await list_companies(tx, asked, limit=ROWS)).rows


async def _today(scene: Scene, subjects: Subjects, *, broker: str) -> None:
    async with scene.runtime.database.reading() as tx:
        book = await today.find_book(tx, partner_id=subjects.partner_id, broker=broker)
        await today.owed(tx, book)
        await today.answered_cases(tx, book, since=tx.now - timedelta(days=3), not_seen_by=0)
        await today.ending_quotes(tx, book)
        await today.ending_terms(tx, book)
        await today.rail(tx, book, user_id=0, recent=5)


async def _sorted_companies(scene: Scene, subjects: Subjects, *, broker: str | None = None) -> None:
    asked = CompanyFilter(partner_id=subjects.partner_id, broker=broker, or_secondary=True)
    async with scene.runtime.database.reading() as tx:
        assert (await page_of_book(tx, asked, Order(Sort.PREMIUM), cursor=None, limit=ROWS)).page.rows


async def _search(scene: Scene, subjects: Subjects, *, words: str = "") -> None:
    _, company_id = next(subjects.ids)
    async with scene.runtime.database.reading() as tx:
        found = await search(tx, words or str(company_id), partner_id=subjects.partner_id)
    assert bool(found.hits) is not bool(words)


async def _list_by_metadata(scene: Scene, _subjects: Subjects) -> None:
    await _get(scene, "/v2/quotes", **{"metadata.crm": "A-17"})


async def _list_of_company(scene: Scene, subjects: Subjects) -> None:
    _, company_id = next(subjects.ids)
    await _get(scene, "/v2/quotes", company_id=company_id)


async def _company(scene: Scene, subjects: Subjects) -> None:
    _, company_id = next(subjects.ids)
    await _get(scene, f"/v2/companies/{company_id}")


async def _deliveries(scene: Scene, subjects: Subjects) -> None:
    await _get(scene, f"/v2/webhooks/{subjects.webhook_id}/deliveries")


async def _replay(scene: Scene, _subjects: Subjects, *, ago: timedelta) -> None:
    async with scene.runtime.database.reading() as tx:
        levels = [EventLevel.QUOTE, EventLevel.POLICY]
        await events.since(tx, _subjects.partner_id, at=tx.now - ago, levels=levels, limit=1_000)


async def _job(scene: Scene, _subjects: Subjects, *, name: str) -> None:
    async with scene.runtime.database.reading() as tx:
        found = await SWEEPS[name].find(tx, scene.runtime.rules, tx.today)
    assert found, name
    await SWEEPS[name].job(scene.runtime, found[0])


async def _verify(scene: Scene, subjects: Subjects) -> None:
    async with scene.runtime.database.reading() as tx:
        assert await journal.read_batch(tx, after=uuid.UUID(int=next(subjects.quotes).int - 1), limit=1)


async def _timetable(scene: Scene, _subjects: Subjects, *, name: str) -> None:
    await TIMETABLE[name].action(scene.runtime)


async def _backlog(scene: Scene, _subjects: Subjects) -> None:
    assert await scene.runtime.backlog._read() is not None  # noqa: SLF001 - not every few seconds only


async def _next_days(scene: Scene, _subjects: Subjects) -> None:
    await next_days(scene.runtime.database, scene.runtime.rules)


PROBES: Final[dict[str, Ask]] = {
    "GET quote, seen before": _get_again,
    "GET quote": _get_quote,
    "GET forms": _get_forms,
    "GET document": _get_document,
    "POST quotes, new company": _submit,
    "POST quotes, known company": _submit_again,
    "broker of record": _clear,
    "POST binds": _bind,
    "feed over HTTP, newest": _feed_over_http,
    "feed, beginning": partial(_feed, part=0),
    "feed, middle": partial(_feed, part=0.5),
    "feed, end": partial(_feed, part=1),
    "feed of a type": partial(_feed, part=0, type="quote.published"),
    "feed of a type that never was": partial(_feed, part=0, type="policy.canceled"),
    "feed of a level": partial(_feed, part=0, level="policy"),
    "feed of a quote": _feed_of_quote,
    "list of quotes, newest": partial(_list, of="quotes"),
    "list of quotes, middle": partial(_list, of="quotes", deep=True),
    "list of quotes in a status": partial(_list, of="quotes", quote_status="published"),
    "list of quotes in a status that never was": partial(_list, of="quotes", quote_status="stale"),
    "list of quotes of a broker": partial(_list, of="quotes", broker_email="broker@example.com"),
    "list of quotes of a name": partial(_list, of="quotes", q="newcomer"),
    "list of quotes by metadata that never was": _list_by_metadata,
    "list of quotes of a company": _list_of_company,
    "list of policies, newest": partial(_list, of="policies"),
    "list of policies, middle": partial(_list, of="policies", deep=True),
    "list of companies, newest": partial(_list, of="companies"),
    "list of companies, middle": partial(_list, of="companies", deep=True),
    "list of companies of a broker who has none": partial(
        _list, of="companies", broker_email="nobody@example.com"
    ),
    "own companies of a secondary broker": _own_companies,
    "Today of the broker of all companies": partial(_today, broker="broker@example.com"),
    "Today of the broker of a few": partial(_today, broker=SECOND_BROKER),
    "companies sorted by premium": _sorted_companies,
    "own companies sorted by premium": partial(_sorted_companies, broker=SECOND_BROKER),
    "search by a company's number": _search,
    "search with a wrong letter, in vain": partial(_search, words="Zyzzyvx Lanterm"),
    "GET company": _company,
    "deliveries of a webhook": _deliveries,
    "replay of two months, first page": partial(_replay, ago=timedelta(days=60)),
    "replay of two years, first page": partial(_replay, ago=LONG_AGO),
    "claim jobs": _claim_jobs,
    "process a submission": _process,
    "other broker on file": _other_broker,
    "scan of the last day": _scanned,
    "claim a packet": _claim_packet,
    "read a packet": _find_packet,
    "claim and record deliveries": _deliver,
    "claim and record failures": _deliver_in_vain,
    **{f"timetable: {name}": partial(_timetable, name=name) for name in TIMETABLE},
    **{f"job: {name}": partial(_job, name=name) for name in SWEEPS},
    "next days of all sweeps": _next_days,
    "backlog for /metrics": _backlog,
    "journal verify, one quote": _verify,
}
"""By the name it has in the table."""
