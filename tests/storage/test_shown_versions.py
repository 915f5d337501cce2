"""Many callers who look at quotes with one statement: each is told its own, and what is true."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg

from bindery.contract.vocabulary import QuoteStatus
from bindery.memory.shown_versions import AT_ONCE, MOST_TOGETHER
from support.service import Service, serving
from support.statements import statements_of
from support.waiting import eventually

UNKNOWN = uuid.UUID("01890a5d-ac96-774b-bcce-b302099a8057")


async def quote_of(service: Service) -> uuid.UUID:
    receipt = await service.submit()
    return uuid.UUID(receipt["quotes"][0]["quote_identifier"])


@asynccontextmanager
async def held_up(dsn: str) -> AsyncIterator[None]:
    """Lock quotes against readers."""
    connection = await asyncpg.connect(dsn)
    try:
        async with connection.transaction():
            await connection.execute("lock table quotes in access exclusive mode")
            yield
    finally:
        await connection.close()


async def waiting_in(service: Service, count: int) -> list[int]:
    """Wait until that many statements wait for a lock, and return the processes that they run in."""

    async def look() -> list[int]:
        rows = await service.runtime.database.pool.fetch(
            "select pid from pg_stat_activity "
            "where wait_event_type = 'Lock' and datname = current_database() order by pid"
        )
        return [row["pid"] for row in rows]

    return await eventually(look, lambda found: len(found) == count)


async def test_many_looks_at_the_same_time_are_few_statements(dsn: str, tmp_path: Path) -> None:
    async with serving(dsn, tmp_path, pool_size=1) as service:
        quote_id, partner_id = await quote_of(service), service.partner.partner_id
        looks = [service.runtime.shown_versions.look(quote_id, partner_id=partner_id) for _ in range(100)]

        async with statements_of(service) as sent:
            seen = await asyncio.gather(*looks)

        assert {shown and shown.quote_id for shown in seen} == {quote_id}
        assert len(sent) == -(-len(looks) // MOST_TOGETHER)


async def test_a_request_for_a_quote_is_one_statement(dsn: str, tmp_path: Path) -> None:
    async with serving(dsn, tmp_path, pool_size=1) as service:
        path = f"/v2/quotes/{await quote_of(service)}"
        await service.get(path)

        async with statements_of(service) as sent:
            await service.get(path)

        assert len(sent) == 1


async def test_partners_in_one_statement_see_their_own_quotes_only(service: Service) -> None:
    stranger = await service.new_partner("stranger")
    own, theirs = await quote_of(service), await quote_of(stranger)
    asked = [
        (quote_id, partner_id)
        for quote_id in (own, theirs, UNKNOWN)
        for partner_id in (service.partner.partner_id, stranger.partner.partner_id)
    ]

    seen = await asyncio.gather(
        *(
            service.runtime.shown_versions.look(quote_id, partner_id=partner_id)
            for quote_id, partner_id in asked
        )
    )

    assert [shown and shown.quote_id for shown in seen] == [own, None, None, theirs, None, None]
    assert seen[0] is not None
    assert seen[0].status is QuoteStatus.CREATED


async def test_partners_who_ask_at_the_same_time_are_answered_their_own(service: Service) -> None:
    stranger = await service.new_partner("stranger")
    own, theirs = await quote_of(service), await quote_of(stranger)

    answers = await asyncio.gather(
        *(
            who.get(f"/v2/quotes/{quote_id}")
            for _ in range(20)
            for who in (service, stranger)
            for quote_id in (own, theirs)
        )
    )

    assert [answer.status_code for answer in answers] == [202, 404, 404, 202] * 20
    told = {answer.json()["quote_identifier"] for answer in answers[::4]}
    assert told == {str(own)}


async def test_nobody_is_told_what_was_true_before_the_call(service: Service) -> None:
    quote_id, partner_id = await quote_of(service), service.partner.partner_id
    is_over = False

    async def crowd() -> None:
        while not is_over:
            await service.runtime.shown_versions.look(quote_id, partner_id=partner_id)

    crowding = [asyncio.create_task(crowd()) for _ in range(10)]
    pool = service.runtime.database.pool
    for _ in range(100):
        version = await pool.fetchval(
            "update quotes set updated_at = updated_at where quote_id = $1 returning shown_version", quote_id
        )
        seen = await service.runtime.shown_versions.look(quote_id, partner_id=partner_id)
        assert seen is not None
        assert seen.version == version
    is_over = True
    await asyncio.gather(*crowding)


async def test_a_statement_that_fails_fails_its_own_callers_only(service: Service, dsn: str) -> None:
    quote_id, partner_id = await quote_of(service), service.partner.partner_id
    shown_versions = service.runtime.shown_versions

    async with held_up(dsn):
        looking = [
            asyncio.create_task(shown_versions.look(quote_id, partner_id=partner_id)) for _ in range(2)
        ]
        (process,) = await waiting_in(service, 1)
        late = asyncio.create_task(shown_versions.look(quote_id, partner_id=partner_id))
        await waiting_in(service, AT_ONCE)
        await service.runtime.database.pool.execute("select pg_cancel_backend($1)", process)
        failed = await asyncio.gather(*looking, return_exceptions=True)

    assert [type(fault) for fault in failed] == [asyncpg.QueryCanceledError] * 2
    seen = await late
    assert seen is not None
    assert seen.quote_id == quote_id


async def test_a_caller_who_leaves_takes_nobody_along(service: Service, dsn: str) -> None:
    quote_id, partner_id = await quote_of(service), service.partner.partner_id
    shown_versions = service.runtime.shown_versions

    async with held_up(dsn):
        leaving, staying = (
            asyncio.create_task(shown_versions.look(quote_id, partner_id=partner_id)) for _ in range(2)
        )
        await waiting_in(service, 1)
        leaving.cancel()
        await asyncio.wait({leaving})

    seen = await staying
    assert leaving.cancelled()
    assert seen is not None
    assert seen.quote_id == quote_id
