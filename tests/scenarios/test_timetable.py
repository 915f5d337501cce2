"""The timetable as the worker runs it: each sweep queues what is due once, and late is as good as in time."""

import asyncio
from dataclasses import replace
from datetime import date
from typing import Any

import asyncpg
import pytest

from bindery.actions.timetable.sweep import SWEEPS, sweep
from bindery.storage.policy import due
from support.binding import DAY, one_quoted, set_day, shown, status_of
from support.service import Service, working

pytestmark = pytest.mark.usefixtures("plain_printing", "clock_at_day")


async def idle(service: Service) -> None:
    """Wait until the worker has nothing left to do."""
    waiting = "select count(*) from pgq.pgqueuer where status <> 'failed'"
    async with asyncio.timeout(120):
        while await service.runtime.database.pool.fetchval(waiting):  # noqa: ASYNC110 - the queue is elsewhere
            await asyncio.sleep(0.02)


async def test_what_is_due_is_queued_once_however_often_one_looks(
    service: Service, policy: dict[str, Any]
) -> None:
    await set_day(service, date(2028, 1, 1))
    early = await sweep(service.runtime.database, service.runtime.rules, "submit_renewal")
    await set_day(service, date(2028, 1, 2))

    counts = [
        await sweep(service.runtime.database, service.runtime.rules, "submit_renewal") for _ in range(3)
    ]

    assert (early, counts) == (0, [1, 0, 0])


async def test_a_worker_that_comes_late_finds_everything_in_any_order(
    service: Service, policy: dict[str, Any]
) -> None:
    open_quote = await one_quoted(service)
    await set_day(service, date(2028, 7, 1))

    async with working(service):
        await idle(service)
        for _ in range(4):
            # The wrong way round: each job looks again, and waits where something has to come first.
            for name in reversed(list(SWEEPS)):
                await sweep(service.runtime.database, service.runtime.rules, name)
            await idle(service)

    old = await shown(service, policy["quote_identifier"])
    renewed = await shown(service, old["renewal"]["renewed_by"])
    assert (old["quote_status"], renewed["quote_status"]) == ("policy_expired", "policy_active")
    assert renewed["dates"]["effective"] == "2028-03-02"
    assert await status_of(service, open_quote["quote_identifier"]) == "quote_expired"
    assert await service.count("pgq.pgqueuer") == 0


class _Plans:
    """Stands where a connection does, and keeps the plan of each query instead of its rows."""

    def __init__(self, connection: Any) -> None:
        self.connection = connection
        self.plans: list[str] = []

    async def fetch(self, query: str, *arguments: Any) -> list[asyncpg.Record]:
        rows = await self.connection.fetch(f"explain {query}", *arguments)
        self.plans.append("\n".join(row[0] for row in rows))
        return []


@pytest.mark.parametrize(
    ("index", "name"),
    [
        ("policies_to_renew", "submit_renewal"),
        ("renewals_to_settle", "remind_of_renewal"),
        ("renewals_to_settle", "remind_again_of_renewal"),
        ("renewals_to_settle", "settle_renewal"),
        ("policies_to_end", "end_term"),
        ("binders_to_fulfil", "lapse_binder"),
        ("binders_to_fulfil", "remind_of_lapse_1"),
        ("quotes_to_remind_of", "remind_of_end_1"),
        ("quotes_open", "expire_quote"),
        ("quotes_referred", "let_referral_go_stale"),
        ("policies_to_rescan", "rescan_policy"),
    ],
)
async def test_a_sweep_costs_by_what_is_due_and_not_by_what_exists(
    service: Service, index: str, name: str
) -> None:
    async with service.runtime.database.transaction() as tx:
        # With a few rows a table is read through sooner than an index; with a million it is not.
        await tx.connection.execute("set local enable_seqscan = off; set local enable_sort = off")
        plans = _Plans(tx.connection)
        explaining = replace(tx, connection=plans)  # type: ignore[arg-type] # explains instead
        await SWEEPS[name].find(explaining, service.runtime.rules, DAY)

    (plan,) = plans.plans
    assert index in plan
    assert "Seq Scan" not in plan
    assert "Sort" not in plan


async def test_the_next_day_of_everything_is_read_from_the_same_indexes(service: Service) -> None:
    async with service.runtime.database.transaction() as tx:
        await tx.connection.execute("set local enable_seqscan = off")
        statement = due.earliest_statement({name: entry.waiting for name, entry in SWEEPS.items()})
        rows = await tx.connection.fetch(f"explain {statement}")

    plan = "\n".join(row[0] for row in rows)
    assert "Seq Scan" not in plan
    for index in ("policies_to_renew", "renewals_to_settle", "policies_to_end", "binders_to_fulfil"):
        assert index in plan
    for index in ("quotes_open", "quotes_referred", "policies_to_rescan"):
        assert index in plan


async def test_nothing_is_due_in_an_empty_service(service: Service) -> None:
    async with service.runtime.database.reading() as tx:
        first = await due.earliest(tx, {name: entry.waiting for name, entry in SWEEPS.items()})
        found = await due.find(tx, due.OPEN_QUOTES, date(2100, 1, 1), limit=1)

    assert first == {}
    assert found == []
    assert [await sweep(service.runtime.database, service.runtime.rules, name) for name in SWEEPS] == [0] * 14
