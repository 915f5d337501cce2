import asyncio
import re
import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import httpx
import pytest

from bindery.base.errors import Misconfigured
from bindery.contract.vocabulary import QuoteStatus
from bindery.runtime import running
from bindery.server.app import create_app
from bindery.settings import Settings
from bindery.storage import migrate as migrations
from bindery.storage.migrate import migrate
from bindery.storage.revision import newest_revision
from support.postgres import create_database, drop_database
from support.service import SECRET


@pytest.fixture
async def empty_dsn(server: str) -> AsyncIterator[str]:
    """A database of the test's own, without any table."""
    name = f"empty_{uuid.uuid4().hex}"
    yield await create_database(server, name)
    await drop_database(server, name)


async def fetchval(dsn: str, query: str) -> object:
    connection = await asyncpg.connect(dsn)
    try:
        return await connection.fetchval(query)
    finally:
        await connection.close()


async def run(dsn: str, script: str) -> None:
    connection = await asyncpg.connect(dsn)
    try:
        await connection.execute(script)
    finally:
        await connection.close()


async def test_an_empty_database_comes_to_the_newest_revision(empty_dsn: str) -> None:
    revision = await migrate(empty_dsn)

    assert revision == newest_revision()
    assert await fetchval(empty_dsn, "select version_num from alembic_version") == revision
    assert await fetchval(empty_dsn, "select count(*) from quotes") == 0


async def test_migrating_again_changes_nothing(empty_dsn: str) -> None:
    first = await migrate(empty_dsn)
    await fetchval(
        empty_dsn, "insert into partners (partner_key, name, created_at) values ('abcdefgh', 'x', now())"
    )

    second = await migrate(empty_dsn)

    assert second == first
    assert await fetchval(empty_dsn, "select count(*) from partners") == 1


async def test_two_that_migrate_at_once_take_turns(empty_dsn: str) -> None:
    revisions = await asyncio.gather(*(migrate(empty_dsn) for _ in range(3)))

    assert set(revisions) == {newest_revision()}
    assert await fetchval(empty_dsn, "select count(*) from alembic_version") == 1
    assert await fetchval(empty_dsn, "select count(*) from service_clock") == 1


async def test_whoever_migrates_leaves_no_lock_behind(empty_dsn: str) -> None:
    await migrate(empty_dsn)

    assert await fetchval(empty_dsn, f"select pg_try_advisory_lock({migrations.LOCK})") is True


async def test_a_server_that_is_too_old_is_refused_and_left_alone(
    empty_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # No old server is available, so the age that is too old is moved to meet the one that is.
    there = int(str(await fetchval(empty_dsn, "show server_version_num")))
    monkeypatch.setattr(migrations, "OLDEST_POSTGRESQL", there + 1)

    with pytest.raises(Misconfigured, match="PostgreSQL 14 or newer is needed"):
        await migrate(empty_dsn)

    assert await fetchval(empty_dsn, "select to_regclass('quotes')") is None


async def test_the_oldest_server_that_is_taken_is_taken(
    empty_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = int(str(await fetchval(empty_dsn, "show server_version_num")))
    monkeypatch.setattr(migrations, "OLDEST_POSTGRESQL", there)

    assert await migrate(empty_dsn) == newest_revision()


async def test_versions_are_compared_as_numbers(empty_dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Version 9.6 called itself 90624, which as a text comes after 140000, as any of today comes after this.
    monkeypatch.setattr(migrations, "OLDEST_POSTGRESQL", 1_000_000)

    with pytest.raises(Misconfigured):
        await migrate(empty_dsn)


async def test_a_database_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="The database cannot be reached"):
        await migrate(f"postgresql://nobody@/nothing?host={tmp_path}")


async def test_a_process_is_ready_only_when_its_database_has_the_newest_revision(
    empty_dsn: str, tmp_path: Path
) -> None:
    settings = Settings(data_dir=tmp_path, database_url=empty_dsn, secret_key=SECRET)
    async with (
        running(settings, empty_dsn) as runtime,
        httpx.AsyncClient(
            transport=httpx.ASGITransport(create_app(runtime)), base_url="http://service"
        ) as http,
    ):
        before = await http.get("/readyz")
        health_before = await http.get("/v2/health_check")
        alive = await http.get("/livez")
        await migrate(empty_dsn)
        after = await http.get("/readyz")
        await runtime.database.pool.execute("update alembic_version set version_num = '0000'")
        behind = await http.get("/readyz")

    assert (before.status_code, before.text) == (503, "not ready\n")
    assert health_before.json() == {"healthy": False}
    assert alive.status_code == 200
    assert (after.status_code, after.text) == (200, "ready\n")
    assert behind.status_code == 503


async def test_old_identifiers_come_to_belong_to_the_partner_of_what_they_stand_for(
    empty_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrations, "newest_revision", lambda: "0004")
    await migrate(empty_dsn)
    quote, company = uuid.uuid4(), 123_456_789
    await run(
        empty_dsn,
        f"""
        insert into partners (partner_key, name, created_at)
            values ('aaaaaaaa', 'one', now()), ('bbbbbbbb', 'two', now());
        insert into companies select {company}, partner_id, now() from partners where name = 'two';
        insert into submissions (submission_id, company_id, partner_id, broker_id, product, created_at, name,
            revenue, state, effective, expiration, question_edition, rated_fingerprint, body, facts)
            values ('{quote}', {company}, 1, 1, 'CYB', now(), 'x', 1, 'NY', now(), now(), 'x', '', 'x', 'x');
        insert into quotes (quote_id, submission_id, company_id, partner_id, option_number, product, status,
            created_at, updated_at, requested_aggregate_limit, journal_hash)
            select '{quote}', '{quote}', {company}, partner_id, 1, 'CYB', 'created', now(), now(), 1, ''
            from partners where name = 'one';
        insert into legacy_ids values
            ('quote', 'Q-1', '{quote}'), ('company', 'C-1', '{company}'), ('company', 'gone', '999999999'),
            ('quote', 'gone', '{uuid.uuid4()}');
        """,
    )

    monkeypatch.undo()
    await migrate(empty_dsn)

    kept = await fetchval(
        empty_dsn,
        "select string_agg(concat_ws(' ', name, kind, old_id, new_id), ', ' order by name) "
        "from legacy_ids join partners using (partner_id)",
    )
    assert kept == f"one quote Q-1 {quote}, two company C-1 {company}"


async def test_the_retroactive_dates_of_two_products_become_one(
    empty_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrations, "newest_revision", lambda: "0011")
    await migrate(empty_dsn)
    terms = (("TEO", "'2024-02-29'", "null"), ("MPL", "null", "'full_prior_acts'"), ("CYB", "null", "null"))
    await run(
        empty_dsn,
        f"""
        insert into partners (partner_key, name, created_at) values ('aaaaaaaa', 'one', now());
        insert into companies values (123456789, 1, now());
        insert into submissions (submission_id, company_id, partner_id, broker_id, product, created_at, name,
            revenue, state, effective, expiration, question_edition, rated_fingerprint, body, facts)
            values ('{uuid.UUID(int=0)}', 123456789, 1, 1, 'TEO', now(), 'x', 1, 'NY', now(), now(), 'x', '',
                    'x', 'x');
        """
        + "".join(
            f"""
            insert into quotes (quote_id, submission_id, company_id, partner_id, option_number, product,
                status, created_at, updated_at, requested_aggregate_limit, journal_hash)
                values ('{uuid.UUID(int=number)}', '{uuid.UUID(int=0)}', 123456789, 1, {number}, '{product}',
                        'created', now(), now(), 1, '');
            insert into binds (quote_id, company_id, partner_id, product, asked_at, ask_fingerprint, attested,
                effective, expiration, teo_retroactive, mpl_retroactive)
                values ('{uuid.UUID(int=number)}', 123456789, 1, '{product}', now(), '', false, now(), now(),
                        {technology}, {professional});
            """
            for number, (product, technology, professional) in enumerate(terms, start=1)
        ),
    )

    monkeypatch.undo()
    await migrate(empty_dsn)

    kept = await fetchval(
        empty_dsn,
        "select string_agg(product || ' ' || coalesce(retroactive, '-'), ', ' order by quote_id) from binds",
    )
    assert kept == "TEO 2024-02-29, MPL full_prior_acts, CYB -"


async def test_submissions_of_before_get_the_secondary_broker_of_their_request(
    empty_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrations, "newest_revision", lambda: "0025")
    await migrate(empty_dsn)
    bodies = (
        '{"client": {"name": "x", "secondary_broker_email": "Second@Example.com"}}',
        '{"client": {"name": "x"}}',
        '{"client": {"name": "x", "secondary_broker_email": null}}',
        r'{"client": {"secondary\u005fbroker_email": "third@example.com"}}',
        '{"client": {"metadata": {"secondary_broker_email": "nobody@example.com"}}}',
        '{"client": {"name": "caf\u00e9"}, "secondary_broker_email": "nobody@example.com"}',
    )
    await run(
        empty_dsn,
        """
        insert into partners (partner_key, name, created_at) values ('aaaaaaaa', 'one', now());
        insert into companies values (123456789, 1, now());
        """
        + "".join(
            f"""
            insert into submissions (submission_id, company_id, partner_id, broker_id, product, created_at,
                name, revenue, state, effective, expiration, question_edition, rated_fingerprint, body, facts)
                values ('{uuid.UUID(int=number)}', 123456789, 1, 1, 'TEO', now(), 'x', 1, 'NY', now(), now(),
                        'x', '', '{body}', 'x');
            """
            for number, body in enumerate(bodies)
        ),
    )

    monkeypatch.undo()
    await migrate(empty_dsn)

    kept = await fetchval(
        empty_dsn,
        "select string_agg(coalesce(secondary_broker_email, '-'), ', ' order by submission_id) "
        "from submissions",
    )
    assert kept == "second@example.com, -, -, third@example.com, -, -"


async def test_the_database_takes_exactly_the_25_statuses(dsn: str) -> None:
    constraint = await fetchval(
        dsn,
        "select pg_get_constraintdef(oid) from pg_constraint "
        "where conrelid = 'quotes'::regclass and contype = 'c' and conname = 'quotes_status_check'",
    )

    taken = re.findall(r"'(\w+)'::text", str(constraint))
    assert sorted(taken) == sorted(QuoteStatus)
    assert len(taken) == 25
