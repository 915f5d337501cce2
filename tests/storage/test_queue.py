"""The queue's order, and what becomes of jobs that failed."""

import asyncio
import uuid
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from bindery.actions.timetable.purge import purge_job_log
from bindery.domain.jobs import FINISH_ISSUE, PROCESS_SUBMISSION, SEND_MAIL
from bindery.storage.database import Reader
from bindery.storage.jobs import queue
from support.binding import issue, one_quoted
from support.press import plain_press
from support.service import Service, request_body, working

MANY = 1_000
AT_ONCE = 32
"""Of all at once, the last would wait longer for a connection than the service lets anybody wait."""


def some_id(number: int) -> str:
    return str(uuid.UUID(int=number))


async def order(service: Service) -> list[tuple[str, str]]:
    """Return partner and kind of what waits, in the order in which it will be taken."""
    rows = await service.runtime.database.pool.fetch(
        """
        select coalesce(headers->>'partner', ''), entrypoint from pgq.pgqueuer where status = 'queued'
        order by priority desc, id
        """
    )
    return [(row[0], row[1]) for row in rows]


async def take(service: Service, count: int) -> None:
    """Take the foremost jobs off the queue, as a worker that did them would."""
    await service.runtime.database.pool.execute(
        """
        delete from pgq.pgqueuer where id in
            (select id from pgq.pgqueuer where status = 'queued' order by priority desc, id limit $1)
        """,
        count,
    )


async def fail(service: Service, *, ago: timedelta = timedelta(0)) -> None:
    """Leave every job as failed."""
    await service.runtime.database.pool.execute(
        "update pgq.pgqueuer set status = 'failed', attempts = 5, updated = now() - $1::interval", ago
    )


class TestTurns:
    async def test_partners_take_turns_and_each_keeps_its_own_order(self, service: Service) -> None:
        other = await service.new_partner("Other")
        first, second = service.partner.key, other.partner.key

        for _ in range(4):
            await service.submit()
        for _ in range(2):
            await other.submit()

        taken = [partner for partner, _ in await order(service)]
        assert taken == [first, second, first, second, first, first]
        turns = await service.runtime.database.pool.fetch(
            "select -priority from pgq.pgqueuer where headers->>'partner' = $1 order by id", first
        )
        assert [row[0] for row in turns] == [0, 1, 2, 3]

    async def test_submissions_that_share_a_statement_take_turns_too(self, service: Service) -> None:
        other = await service.new_partner("Other")

        await asyncio.gather(*(service.submit() for _ in range(20)), *(other.submit() for _ in range(20)))

        taken = [partner for partner, _ in await order(service)]
        longest = max(
            len(run) for run in "".join("a" if key == taken[0] else "b" for key in taken).split("b")
        )
        assert len(taken) == 40
        assert longest <= 3

    async def test_an_old_job_is_not_overtaken_by_later_ones_of_anybody(self, service: Service) -> None:
        other = await service.new_partner("Other")
        for _ in range(6):
            await service.submit()
        last = await service.runtime.database.pool.fetchval("select max(id) from pgq.pgqueuer")

        taken = 0
        while await service.runtime.database.pool.fetchval(
            "select count(*) from pgq.pgqueuer where id = $1", last
        ):
            await take(service, 1)
            await other.submit()
            await service.submit()
            taken += 1

        assert taken <= 12

    async def test_an_idle_queue_forgets_who_sent_how_much(self, service: Service) -> None:
        for _ in range(5):
            await service.submit()
        await take(service, 5)
        other = await service.new_partner("Other")

        for sender in (service, other, service, other):
            await sender.submit()

        assert [partner for partner, _ in await order(service)] == [
            service.partner.key,
            other.partner.key,
            service.partner.key,
            other.partner.key,
        ]

    async def test_a_job_that_was_put_off_does_not_hold_the_turn_back(self, service: Service) -> None:
        for _ in range(5):
            await service.submit()
        await service.runtime.database.pool.execute(
            "update pgq.pgqueuer set execute_after = now() + interval '1 hour' where priority = 0"
        )
        other = await service.new_partner("Other")

        await other.submit()

        priority = await service.runtime.database.pool.fetchval(
            "select priority from pgq.pgqueuer where headers->>'partner' = $1", other.partner.key
        )
        assert priority == -1

    async def test_what_the_timetable_found_takes_turns_as_one_more_partner(self, service: Service) -> None:
        async with service.runtime.database.transaction() as tx:
            await queue.enqueue(tx, "expire_quote", [some_id(number) for number in range(3)])
        await service.submit()
        async with service.runtime.database.transaction() as tx:
            await queue.enqueue(tx, SEND_MAIL, [some_id(9)])

        assert [kind for _, kind in await order(service)] == [
            SEND_MAIL,
            "expire_quote",
            PROCESS_SUBMISSION,
            "expire_quote",
            "expire_quote",
        ]


@pytest.fixture
def _press() -> Iterator[None]:
    with plain_press():
        yield


@pytest.mark.long
@pytest.mark.usefixtures("_press")
async def test_a_thousand_submissions_of_one_partner_delay_neither_another_nor_a_bind(
    service: Service,
) -> None:
    quote = await one_quoted(service)
    other = await service.new_partner("Other")

    def one_option(body: dict[str, Any]) -> None:
        body["policy"]["quotes"] = body["policy"]["quotes"][:1]

    at_once = asyncio.Semaphore(AT_ONCE)

    async def submit() -> None:
        async with at_once:
            await service.submit(request_body(one_option))

    await asyncio.gather(*(submit() for _ in range(MANY)))
    await issue(service, quote)
    receipt = await other.submit(request_body(one_option))

    async with working(service):
        await other.ready(receipt["quotes"][0]["quote_identifier"])
        async with asyncio.timeout(60):
            while not await service.count("mails"):  # noqa: ASYNC110 - the queue is elsewhere
                await asyncio.sleep(0.01)
        begun = await service.count(
            "submissions where starts > 0 and partner_id = (select partner_id from quotes "
            f"where quote_id = '{quote['quote_identifier']}')"
        )

    assert begun < MANY / 4


class TestFailedJobs:
    async def enqueue(self, service: Service, kind: str, *, rest: timedelta = timedelta(0)) -> int:
        async with service.runtime.database.transaction() as tx:
            return await queue.enqueue(tx, kind, [some_id(1)], rest=rest)

    async def rows(self, service: Service) -> list[tuple[str, str, int]]:
        found = await service.runtime.database.pool.fetch(
            "select entrypoint, status::text, attempts from pgq.pgqueuer order by id"
        )
        return [tuple(row) for row in found]

    async def test_a_new_job_takes_the_place_of_one_that_failed(self, service: Service) -> None:
        await self.enqueue(service, FINISH_ISSUE)
        await fail(service)

        count = await self.enqueue(service, FINISH_ISSUE)

        assert count == 1
        assert await self.rows(service) == [(FINISH_ISSUE, "queued", 0)]

    @pytest.mark.parametrize(("ago", "count", "status"), [(9, 0, "failed"), (11, 1, "queued")])
    async def test_a_sweep_lets_a_failed_job_rest(
        self, service: Service, ago: int, count: int, status: str
    ) -> None:
        await self.enqueue(service, FINISH_ISSUE)
        await fail(service, ago=timedelta(minutes=ago))

        queued = await self.enqueue(service, FINISH_ISSUE, rest=timedelta(minutes=10))

        assert queued == count
        assert [row[1] for row in await self.rows(service)] == [status]

    async def test_retrying_puts_back_what_failed_and_nothing_else(self, service: Service) -> None:
        await self.enqueue(service, FINISH_ISSUE)
        await self.enqueue(service, SEND_MAIL)
        await fail(service)
        await service.submit()

        async with service.runtime.database.transaction() as tx:
            by_kind = await queue.retry_failed(tx, kind=SEND_MAIL)
            again = await queue.retry_failed(tx, kind=SEND_MAIL)
            everything = await queue.retry_failed(tx)

        assert (by_kind, again, everything) == (1, 0, 1)
        assert {row[1:] for row in await self.rows(service)} == {("queued", 0)}
        assert await service.count("pgq.pgqueuer") == 3

    async def test_a_failed_job_whose_work_is_queued_already_is_not_doubled(self, service: Service) -> None:
        await self.enqueue(service, FINISH_ISSUE)
        await fail(service)
        await service.runtime.database.pool.execute(
            """
            insert into pgq.pgqueuer (priority, entrypoint, payload, status, dedupe_key)
            select priority, entrypoint, payload, 'queued', dedupe_key from pgq.pgqueuer
            """
        )

        async with service.runtime.database.transaction() as tx:
            count = await queue.retry_failed(tx)

        assert count == 0


async def log_entries(tx: Reader) -> list[int]:
    rows = await tx.connection.fetch("select job_id from pgq.pgqueuer_log order by job_id")
    return [row[0] for row in rows]


async def test_the_queues_log_is_kept_for_two_weeks_and_that_of_a_failed_job_as_long_as_the_job(
    service: Service,
) -> None:
    pool = service.runtime.database.pool
    await service.submit()
    await fail(service)
    failed = await pool.fetchval("select id from pgq.pgqueuer")
    for job_id, days in ((failed, 30), (failed + 1, 15), (failed + 2, 13)):
        await pool.execute(
            """
            insert into pgq.pgqueuer_log (created, job_id, status, priority, entrypoint)
            values (now() - make_interval(days => $2), $1, 'successful', 0, 'send_mail')
            """,
            job_id,
            days,
        )

    purged = await purge_job_log(service.runtime.database)

    assert purged == 1
    async with service.runtime.database.reading() as tx:
        assert await log_entries(tx) == [failed, failed + 2]


async def test_a_turn_is_read_from_indexes(service: Service) -> None:
    async with service.runtime.database.transaction() as tx:
        await tx.connection.execute("set local enable_seqscan = off; set local enable_sort = off")
        rows = await tx.connection.fetch(f"explain select {queue.next_turn('$1')}", "lane")

    plan = "\n".join(row[0] for row in rows)
    assert "jobs_of_lane" in plan
    assert "pgqueuer_priority_id_id1_idx" in plan
    assert "Seq Scan" not in plan
    assert "Sort" not in plan
