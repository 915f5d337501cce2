"""What is kept of the ledger for filings grows with each booking, and the ledger itself is not read."""

import asyncio
from importlib.resources import files

import pytest

from bindery.actions.policy.mark_filing import owed
from bindery.actions.timetable.sweep import add_up_sums
from bindery.domain.filings.obligations import FARTHEST
from bindery.storage.policy import filings
from bindery.worker.entrypoints import EVERY_HOUR, TIMETABLE
from support.service import Service

pytestmark = pytest.mark.usefixtures("busy_book")


async def test_sums_grow_with_each_booking_and_are_the_same_once_they_are_added_up(service: Service) -> None:
    database = service.runtime.database
    async with database.reading() as tx:
        before = await filings.month_sums(tx)
    rows = await service.count("booked_sums")

    at_once = await asyncio.gather(*(add_up_sums(database) for _ in range(4)))
    async with database.reading() as tx:
        after = await filings.month_sums(tx)

    assert after == before
    assert sum(one.count for one in before) == 16
    sums = sum(1 + len(one.charges) for one in before)
    assert rows > sums == await service.count("booked_sums")
    assert sum(at_once) > 0
    assert await add_up_sums(database) == 0
    assert TIMETABLE["add_up_sums"].cron == EVERY_HOUR


async def test_what_is_owed_is_known_without_reading_the_ledger(service: Service) -> None:
    async with service.runtime.database.transaction() as tx, tx.trial():
        until = tx.today + FARTHEST
        before = await owed(tx, until=until)
        await tx.connection.execute("set local session_replication_role = replica")
        await tx.connection.execute("alter table premium_transactions rename to gone")

        after = await owed(tx, until=until)

    assert after == before
    assert any(one.amount for one in before)


async def test_the_migration_sums_what_was_booked_before_it(service: Service) -> None:
    database = service.runtime.database
    async with database.reading() as tx:
        before = await filings.month_sums(tx)
    script = files("bindery.storage.migrations") / "versions" / "0165_booked_sums.sql"

    async with database.pool.acquire() as connection, connection.transaction():
        await connection.execute("drop trigger premium_transactions_are_summed on premium_transactions")
        await connection.execute("drop function sum_booked")
        await connection.execute("drop table booked_sums")
        await connection.execute(script.read_text())
    async with database.reading() as tx:
        after = await filings.month_sums(tx)

    assert after == before
