import asyncio
import re
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import date, timedelta
from importlib.resources import files
from pathlib import Path
from typing import Final

import asyncpg
import httpx
import pytest

from bindery.base.errors import DatabaseUnreachable, MigrationFailed, Misconfigured
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.applicant.risk import Term
from bindery.domain.policy.watching import next_rescan
from bindery.runtime import running
from bindery.server.app import create_app
from bindery.settings import Settings
from bindery.storage import migrate as migrations
from bindery.storage.health import is_ready
from bindery.storage.migrate import migrate
from bindery.storage.revision import Tables, own_chain
from support.catalog import catalog_of
from support.debian_postgres import debian_postgres
from support.policies import a_policy
from support.postgres import create_database, drop_database
from support.service import SECRET

REVISION_0027: Final = Path(__file__).with_name("revision_0027.sql")
QUOTE: Final = uuid.UUID(int=1)
ROWS_OF_EVERY_KIND: Final = f"""
    insert into partners (partner_key, name, created_at, contact_email)
        values ('aaaaaaaa', 'one', now(), 'a@example.com'), ('bbbbbbbb', 'two', now(), null);
    insert into brokers (partner_id, email, created_at, firm) values (1, 'b@example.com', now(), 'Firm');
    insert into companies values (123456789, 1, now());
    insert into submissions (submission_id, company_id, partner_id, broker_id, product, created_at, name,
        revenue, state, effective, expiration, question_edition, rated_fingerprint, body, facts, sector,
        secondary_broker_email)
        values ('{QUOTE}', 123456789, 1, 1, 'CYB', now(), 'Smith/Jones', 1, 'NY', now(), now(), 'x', '', 'x',
                'x', '44', 'c@example.com');
    insert into quotes (quote_id, submission_id, company_id, partner_id, option_number, product, status,
        created_at, updated_at, requested_aggregate_limit, journal_hash)
        values ('{QUOTE}', '{QUOTE}', 123456789, 1, 1, 'CYB', 'published', now(), now(), 1, '');
    insert into journal (quote_id, entry, event_id, at, actor, trigger, status_after, hash)
        values ('{QUOTE}', 1, '{QUOTE}', now(), 'x', 'submit', 'created', '');
    insert into binds (quote_id, company_id, partner_id, product, asked_at, ask_fingerprint, attested,
        effective, expiration, policy_number, occupies)
        values ('{QUOTE}', 123456789, 1, 'CYB', now(), '', true, now(), now(), 'CYB-1', int8range(1, 5));
    insert into pgq.pgqueuer (priority, entrypoint, payload, status, dedupe_key, headers)
        values (1, 'some_job', 'x', 'queued', 'x', '{{"lane": "1"}}');
    insert into users (email, name, role, created_at) values ('u@example.com', 'U', 'underwriter', now());
    insert into desk_notes (submission_id, user_id, at, text) values ('{QUOTE}', 1, now(), 'x');
    insert into sign_ins (token_sha256, user_id, created_at, seen_at, expires_at, address, browser,
        confirmed_at)
        values ('a', 1, now(), now(), now(), '192.0.2.1', 'x', '2027-03-01 12:00Z'),
               ('b', 1, now(), now(), now(), '192.0.2.1', 'x', '2027-03-02 12:00Z');
"""
ROWS: Final = 14
"""Those of this script, and that of the clock."""


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


async def catalog(dsn: str) -> list[str]:
    connection = await asyncpg.connect(dsn)
    try:
        return await catalog_of(connection)
    finally:
        await connection.close()


async def columns_of_tables(dsn: str) -> dict[str, str]:
    """Return the columns of every table but that of the revision."""
    connection = await asyncpg.connect(dsn)
    try:
        rows = await connection.fetch(
            "select c.oid::regclass::text as name, "
            "string_agg(quote_ident(attname), ', ' order by attnum) as columns "
            "from pg_class c join pg_attribute a on attrelid = c.oid and attnum > 0 and not attisdropped "
            "where relkind = 'r' and relname <> 'alembic_version' "
            "and relnamespace in ('public'::regnamespace, 'pgq'::regnamespace) group by 1"
        )
        return {row["name"]: row["columns"] for row in rows}
    finally:
        await connection.close()


async def all_rows(dsn: str, columns: dict[str, str]) -> dict[str, list[str]]:
    """Return the rows of tables, with the columns named, as the server writes them."""
    connection = await asyncpg.connect(dsn)
    try:
        return {
            table: [
                row[0] for row in await connection.fetch(f"select row({named})::text from {table} order by 1")
            ]
            for table, named in columns.items()
        }
    finally:
        await connection.close()


async def test_an_empty_database_comes_to_the_newest_revision(empty_dsn: str) -> None:
    revision = await migrate(empty_dsn)

    assert revision == own_chain().newest
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

    assert set(revisions) == {own_chain().newest}
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

    assert await migrate(empty_dsn) == own_chain().newest


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


@pytest.fixture(params=["embedded", pytest.param("debian", marks=pytest.mark.long)])
async def any_server(request: pytest.FixtureRequest) -> AsyncIterator[str]:
    """The run's own server, the newest PostgreSQL, and Debian's, nearly the oldest that we take."""
    if request.param == "embedded":
        yield request.getfixturevalue("server")
        return
    with debian_postgres() as server:
        yield server.dsn


@pytest.fixture
async def databases(any_server: str) -> AsyncIterator[Callable[[], Awaitable[str]]]:
    """Make empty databases on either server."""
    made = []

    async def make() -> str:
        made.append(f"empty_{uuid.uuid4().hex}")
        return await create_database(any_server, made[-1])

    yield make
    for name in made:
        await drop_database(any_server, name)


async def make_revision_0027(dsn: str) -> None:
    await run(dsn, REVISION_0027.read_text())
    await run(
        dsn, "insert into alembic_version values ('0027'); insert into service_clock values (true, '0')"
    )


async def make_baseline(dsn: str) -> None:
    """Bring an empty database to the baseline, and no further."""
    await migrate(dsn, upto=migrations.BASELINE)


async def test_the_baseline_makes_the_tables_of_the_migrations_before_it(
    databases: Callable[[], Awaitable[str]],
) -> None:
    before, baseline = await databases(), await databases()
    await make_revision_0027(before)
    await make_baseline(baseline)

    of_before, of_baseline = await catalog(before), await catalog(baseline)

    assert of_baseline == of_before
    assert await fetchval(baseline, "select version_num from alembic_version") == migrations.BASELINE
    kinds = Counter(line.split()[0] for line in of_baseline)
    assert {"table": 43, "column": 347, "index": 127, "trigger": 15, "function": 13}.items() <= kinds.items()


async def test_a_database_of_before_the_baseline_is_taken_over_with_all_its_rows(
    databases: Callable[[], Awaitable[str]], tmp_path: Path
) -> None:
    dsn, new = await databases(), await databases()
    await make_revision_0027(dsn)
    await run(dsn, ROWS_OF_EVERY_KIND)
    columns = await columns_of_tables(dsn)
    rows_before = await all_rows(dsn, columns)
    await migrate(new)

    revision = await migrate(dsn)

    assert revision == own_chain().newest
    assert await fetchval(dsn, "select array_agg(version_num) from alembic_version") == [own_chain().newest]
    assert await catalog(dsn) == await catalog(new)
    # Revision 0101 notes from where each user signed in, and when last.
    noted = {"known_addresses": ['(1,192.0.2.1,"2027-03-02 12:00:00+00")']}
    # What later revisions add to a table stands beside its rows, and does not change them.
    assert (
        await all_rows(dsn, columns | {"known_addresses": "user_id, address, seen_at"}) == rows_before | noted
    )
    assert sum(map(len, rows_before.values())) == ROWS
    settings = Settings(data_dir=tmp_path, database_url=dsn, secret_key=SECRET)
    async with running(settings, dsn) as runtime:
        assert await is_ready(runtime.database)


async def test_policies_in_force_get_the_turns_of_their_rescans(
    databases: Callable[[], Awaitable[str]],
) -> None:
    dsn = await databases()
    await make_baseline(dsn)
    await run(dsn, ROWS_OF_EVERY_KIND)
    today = await fetchval(dsn, "select current_date")
    assert isinstance(today, date)
    # Ids whose last 32 bits would be negative as a number with a sign, and some whose are small.
    ids = [uuid.UUID(int=low) for low in (0xFFFFFFFF, 0xFFFFFFF0, 0x80000000, 2**40 + 17, 2**40 + 29)]
    begins = dict(zip(ids, (today + timedelta(days) for days in (-400, -31, -1, 0, 40)), strict=True))
    for number, (quote_id, day) in enumerate(begins.items()):
        await run(
            dsn,
            f"""
            insert into quotes select (q).* from (
                select jsonb_populate_record(q, '{{"quote_id": "{quote_id}", "option_number": {number + 2}}}')
                from quotes q where quote_id = '{QUOTE}') as copied(q);
            insert into binds (quote_id, company_id, partner_id, product, asked_at, ask_fingerprint, attested,
                effective, expiration, policy_number, bound_on, in_force)
            values ('{quote_id}', 1, 1, 'CYB', now(), '', true, '{day}', '{day + timedelta(365)}',
                    'CYB-{number + 2}', '{day - timedelta(3)}', true);
            """,
        )

    await migrate(dsn)

    rows = (await all_rows(dsn, await columns_of_tables(dsn)))["watched_policies"]
    turns = {
        quote_id: next_rescan(a_policy(quote_id=quote_id, bound_on=day, term=Term(day, day)), after=today)
        for quote_id, day in begins.items()
    }
    assert rows == sorted(f"({quote_id},{turn})" for quote_id, turn in turns.items())


@pytest.mark.parametrize("revision", ["0001", "0026"])
async def test_an_older_revision_is_refused_with_the_version_to_go_through(
    empty_dsn: str, revision: str
) -> None:
    await make_revision_0027(empty_dsn)
    await run(empty_dsn, f"update alembic_version set version_num = '{revision}'")
    before = await catalog(empty_dsn)

    with pytest.raises(Misconfigured) as refusal:
        await migrate(empty_dsn)

    assert refusal.value.message == (
        f"The database is at revision {revision}: run `bindery migrate` of commit 8d6f6a9 first, which "
        "brings it to 0027. Nothing was changed."
    )
    assert await catalog(empty_dsn) == before
    assert await fetchval(empty_dsn, "select version_num from alembic_version") == revision


async def test_the_tables_of_a_newer_version_are_refused(empty_dsn: str) -> None:
    await migrate(empty_dsn)
    newer = f"{int(own_chain().newest) + 1:04}"
    await run(empty_dsn, f"update alembic_version set version_num = '{newer}'")

    with pytest.raises(Misconfigured) as refusal:
        await migrate(empty_dsn)

    assert refusal.value.message == own_chain().flaw_of(Tables(newer))
    assert "Run the newer version, or restore the backup" in own_chain().flaw_of(Tables(newer))
    assert await fetchval(empty_dsn, "select version_num from alembic_version") == newer


@pytest.mark.parametrize("revision", ["0028", "0099"])
async def test_a_revision_of_another_version_is_refused(empty_dsn: str, revision: str) -> None:
    await migrate(empty_dsn)
    await run(empty_dsn, f"update alembic_version set version_num = '{revision}'")

    with pytest.raises(Misconfigured) as refusal:
        await migrate(empty_dsn)

    assert refusal.value.message == (
        f"The database is at revision {revision}, and this version knows none after {own_chain().newest}: "
        "use the version that migrated it. Nothing was changed."
    )
    assert await fetchval(empty_dsn, "select version_num from alembic_version") == revision


async def test_a_migration_that_fails_leaves_nothing_behind(empty_dsn: str) -> None:
    # In the way of one of the last tables, when nearly all others are made.
    await run(empty_dsn, "create table daily_figures (somebody_elses integer)")

    with pytest.raises(Misconfigured) as refusal:
        await migrate(empty_dsn)

    assert refusal.value.message == (
        'The migration failed and changed nothing: relation "daily_figures" already exists.'
    )
    tables = "select array_agg(relname::text) from pg_class where relkind = 'r' and relnamespace = {}"
    assert await fetchval(empty_dsn, tables.format("'public'::regnamespace")) == ["daily_figures"]
    assert await fetchval(empty_dsn, "select to_regnamespace('pgq')") is None
    assert await fetchval(empty_dsn, f"select pg_try_advisory_lock({migrations.LOCK})") is True


async def test_an_upgrade_that_fails_at_its_last_revision_takes_back_all_of_them(empty_dsn: str) -> None:
    await make_baseline(empty_dsn)
    await run(empty_dsn, ROWS_OF_EVERY_KIND)
    # In the way of the second table of the last revision, when every other one is made.
    await run(empty_dsn, "create table rescans (somebody_elses integer)")
    columns = await columns_of_tables(empty_dsn)
    before, rows_before = await catalog(empty_dsn), await all_rows(empty_dsn, columns)

    with pytest.raises(MigrationFailed) as refusal:
        await migrate(empty_dsn)

    assert refusal.value.message == (
        'The migration failed and changed nothing: relation "rescans" already exists.'
    )
    assert await fetchval(empty_dsn, "select array_agg(version_num) from alembic_version") == ["0100"]
    assert (await catalog(empty_dsn), await all_rows(empty_dsn, columns)) == (before, rows_before)


TOO_NEW: Final = re.compile(
    r"""
    \bis\s+(not\s+)?json\b | \bmerge\s+into\b | \bnulls\s+not\s+distinct\b | \bsecurity_invoker\b
    | \bregexp_(count|instr|like|substr)\s*\( | \bset\s+(null|default)\s*\(\w | \bjson_table\s*\(
    | \bjson_(scalar|serialize|exists|query|value|object|array)\s*\( | \bany_value\s*\( | \b0x[0-9a-f]
    | \buuidv[47]\s*\( | \bvirtual\b | \breturning\s+(old|new)\. | \bwithout\s+overlaps\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""What came to the SQL of migrations after PostgreSQL 14, of which there is no server and no parser here."""


def newer_than_14(script: str) -> list[str]:
    code = re.sub(r"--.*", "", script)
    return [found[0] for found in TOO_NEW.finditer(code)]


def test_no_migration_needs_more_than_postgresql_14() -> None:
    scripts = sorted(Path(str(files("bindery.storage.migrations") / "versions")).glob("*.sql"))

    assert {script.name: newer_than_14(script.read_text()) for script in scripts} == {
        script.name: [] for script in scripts
    }
    assert len(scripts) >= 3


@pytest.mark.parametrize(
    "statement",
    [
        "select 1 where facts is json object",
        "create unique index i on t (a) nulls not distinct",
        "merge into t using s on true when matched then delete",
        "alter table t add foreign key (a, b) references u on delete set null (b)",
        "insert into t values (1) returning new.a",
    ],
)
def test_what_postgresql_14_does_not_know_is_found(statement: str) -> None:
    assert len(newer_than_14(statement)) == 1


async def test_a_server_that_goes_away_meanwhile_is_one_sentence(empty_dsn: str) -> None:
    holder = await asyncpg.connect(empty_dsn)
    await holder.execute(f"select pg_advisory_lock({migrations.LOCK})")
    migrating = asyncio.create_task(migrate(empty_dsn))
    waiting = "select pid from pg_locks where locktype = 'advisory' and not granted and database = ("
    waiting += "select oid from pg_database where datname = current_database())"
    while not (pid := await holder.fetchval(waiting)):
        assert not migrating.done(), "it waits for the lock"

    await holder.execute("select pg_terminate_backend($1)", pid)

    with pytest.raises(DatabaseUnreachable, match=r"went away during the migration: .*Run it again"):
        await migrating
    await holder.close()
    assert await fetchval(empty_dsn, "select to_regclass('quotes')") is None


async def test_the_database_takes_exactly_the_25_statuses(dsn: str) -> None:
    constraint = await fetchval(
        dsn,
        "select pg_get_constraintdef(oid) from pg_constraint "
        "where conrelid = 'quotes'::regclass and contype = 'c' and conname = 'quotes_status_check'",
    )

    taken = re.findall(r"'(\w+)'::text", str(constraint))
    assert sorted(taken) == sorted(QuoteStatus)
    assert len(taken) == 25


async def test_comparisons_numbered_by_their_options_are_numbered_by_their_moments(empty_dsn: str) -> None:
    await make_baseline(empty_dsn)
    await run(empty_dsn, ROWS_OF_EVERY_KIND)
    # Two options offered together, and a third one later: comparisons of two and of three options were made.
    others = [uuid.UUID(int=2), uuid.UUID(int=3)]
    for place, quote_id in enumerate(others, start=2):
        columns = "submission_id, company_id, partner_id, product, status, created_at, updated_at"
        rest = "requested_aggregate_limit, journal_hash"
        await run(
            empty_dsn,
            f"insert into quotes (quote_id, option_number, {columns}, {rest}) "
            f"select '{quote_id}', {place}, {columns}, {rest} from quotes where quote_id = '{QUOTE}'",
        )
    for quote_id, at in zip((QUOTE, *others), ("2027-03-01", "2027-03-01", "2027-03-02"), strict=True):
        await run(
            empty_dsn,
            "insert into packets (quote_id, packet, forms, made_at) "
            f"values ('{quote_id}', 'quote', '[]', '{at}')",
        )
    for version in (2, 3):
        await run(
            empty_dsn,
            "insert into documents (quote_id, type, version, sha256, size, made_at) "
            f"values ('{QUOTE}', 'comparison', {version}, repeat('{version}', 64), 1, now())",
        )

    await migrate(empty_dsn)

    kept = "select array_agg(version || left(sha256, 1) order by version) from documents"
    assert await fetchval(empty_dsn, kept) == ["12", "23"]
