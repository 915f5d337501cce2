"""Two versions beside each other: what a step lets the old one do, and when one may take something away.

The versions of tomorrow are made up: the migrations of this one, and some more behind them.
"""

import asyncio
import shutil
import uuid
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import asyncpg
import httpx
import pytest

from bindery.base.errors import MigrationFailed, Misconfigured
from bindery.memory.process_row import process_row
from bindery.storage import migrate as migrations
from bindery.storage import watch
from bindery.storage.migrate import migrate, next_target
from bindery.storage.operations.processes import ProcessKind
from bindery.storage.revision import LACKS_TABLES, Chain, MigrationStep, Tables, own_chain, read_chain
from support.postgres import create_database, drop_database
from support.service import Service
from support.waiting import eventually

OWN: Final = own_chain()
E, C = MigrationStep.EXPAND, MigrationStep.CONTRACT
ADDS_A_COLUMN: Final = "alter table desk_notes add column tomorrow text"
TAKES_A_COLUMN: Final = "alter table desk_notes drop column tomorrow"


class Tomorrow:
    """A version with more migrations than this one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(migrations.FOLDER, folder)
        self._last = OWN.newest

    def add(self, revision: str, step: MigrationStep, statement: str) -> None:
        (self.folder / "versions" / f"{revision}_made_up.py").write_text(
            f'from alembic import op\n\nrevision = "{revision}"\ndown_revision = "{self._last}"\n'
            f'step = "{step}"\n\n\ndef upgrade() -> None:\n    op.execute("{statement}")\n'
        )
        self._last = revision


@pytest.fixture
def tomorrow(tmp_path: Path) -> Tomorrow:
    made = Tomorrow(tmp_path / "tomorrow")
    made.add("9001", E, ADDS_A_COLUMN)
    made.add("9002", C, TAKES_A_COLUMN)
    return made


@pytest.fixture
async def bare(server: str) -> AsyncIterator[str]:
    name = f"bare_{uuid.uuid4().hex}"
    yield await create_database(server, name)
    await drop_database(server, name)


async def rows(dsn: str, statement: str) -> list[tuple[object, ...]]:
    connection = await asyncpg.connect(dsn)
    try:
        return [tuple(row) for row in await connection.fetch(statement)]
    finally:
        await connection.close()


async def revision(dsn: str) -> object:
    return (await rows(dsn, "select version_num from alembic_version"))[0][0]


async def note_process(dsn: str, known: str, *, ago: str, host: str = "api-1") -> None:
    await rows(
        dsn,
        "insert into processes (process_id, kind, host, version, revision, seen_at) values "
        f"(gen_random_uuid(), 'serve', '{host}', '0.1.0', '{known}', now() - interval '{ago}')",
    )


@pytest.mark.parametrize(
    ("at", "step", "leads_to"),
    [
        ("1", E, "2"),
        ("2", E, "2"),
        ("2", C, "4"),
        ("4", C, "4"),
    ],
)
def test_the_next_steps_of_a_kind_are_taken_together(at: str, step: MigrationStep, leads_to: str) -> None:
    assert next_target(Chain({"1": E, "2": E, "3": C, "4": C}), at, step) == leads_to


@pytest.mark.parametrize(
    ("at", "step", "says"),
    [
        ("1", C, "at revision 1, and 2 comes next, which expands: run `bindery migrate --expand` first"),
        (
            "1",
            E,
            r"Revision 3 takes away .* needs 4, .* Upgrade to a version that ends with 3 first, or stop",
        ),
        ("2", E, r"Revision 3 takes away .* needs 4, .* Run `bindery migrate --contract` first, or stop"),
    ],
)
def test_steps_of_the_other_kind_are_not_jumped_over(at: str, step: MigrationStep, says: str) -> None:
    with pytest.raises(Misconfigured, match=says):
        next_target(Chain({"1": E, "2": E, "3": C, "4": E}), at, step)


def test_what_a_version_takes_away_between_two_that_it_needs_is_done_first() -> None:
    chain = Chain({"1": E, "2": C, "3": E})

    assert next_target(chain, "1", C) == "2"
    assert next_target(chain, "2", E) == "3"


@pytest.mark.parametrize(
    ("tables", "flaw"),
    [
        (Tables(None), LACKS_TABLES),
        (Tables("1"), LACKS_TABLES),
        (Tables("2"), ""),
        (Tables("3", frozenset({"3"}), is_noted=True), ""),
        # By a newer version that has only added so far; by one that has taken away; and by nobody we know.
        (Tables("4", frozenset({"3"}), is_noted=True), ""),
        (
            Tables("5", frozenset({"3", "5"}), is_noted=True),
            "at revision 5 and no longer what it knows since 5",
        ),
        (
            Tables("6", frozenset({"3", "5"}), is_noted=True),
            "at revision 6 and no longer what it knows since 5",
        ),
        (Tables("4"), "at revision 4, and this version knows them up to 3"),
        (Tables("0"), LACKS_TABLES),
    ],
)
def test_a_version_works_from_its_own_tables_on_until_something_is_taken_away(
    tables: Tables, flaw: str
) -> None:
    found = Chain({"1": E, "2": E, "3": C}).flaw_of(tables)

    assert flaw in found
    assert bool(flaw) == bool(found)


def test_the_order_is_that_of_the_chain_and_not_of_the_numbers(tmp_path: Path) -> None:
    for number, after in (("0003", "None"), ("0009", '"0003"'), ("0007", '"0009"')):
        (tmp_path / f"{number}_x.py").write_text(
            f'revision = "{number}"\ndown_revision = {after}\nstep = "expand"\n'
        )

    assert list(read_chain(tmp_path).steps) == ["0003", "0009", "0007"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('revision = "0002"\ndown_revision = "0001"\n', "0002_x.py needs revision, down_revision and step"),
        ('revision = "0002"\ndown_revision = None\nstep = "expand"\n', "do not follow one another"),
        ('revision = "0002"\ndown_revision = "0009"\nstep = "expand"\n', "1 migrations do not follow"),
    ],
)
def test_a_migration_without_its_place_is_refused(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "0001_x.py").write_text('revision = "0001"\ndown_revision = None\nstep = "expand"\n')
    (tmp_path / "0002_x.py").write_text(text)

    with pytest.raises(ValueError, match=says):
        read_chain(tmp_path)


async def test_every_migration_that_ran_is_noted(bare: str) -> None:
    await migrate(bare)

    noted = await rows(bare, "select revision, step from migrations_done")
    assert {str(row[0]): row[1] for row in noted} == OWN.steps


@pytest.mark.usefixtures("new_database")
async def test_an_old_process_serves_beside_what_was_added_until_something_is_taken_away(
    service: Service, dsn: str, tomorrow: Tomorrow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "QUIET_BEAT_EVERY_S", 0.1)

    async def ready() -> int:
        return (await service.http.get("/readyz")).status_code

    assert await migrate(dsn, only=E, folder=tomorrow.folder) == "9001"
    beside = await ready(), (await service.get("/v2/quotes")).status_code
    submitted = await service.submit()
    started = await migrations.migrate(dsn, only=E, folder=tomorrow.folder)

    assert await migrate(dsn, only=C, folder=tomorrow.folder) == "9002"
    await eventually(lambda: service.runtime.database.watch.is_away, bool)
    after: httpx.Response = await service.get("/v2/quotes")

    assert beside == (200, 200)
    assert submitted["quotes"]
    assert started == "9001"
    assert (after.status_code, await ready()) == (503, 503)


@pytest.mark.usefixtures("new_database")
async def test_nothing_is_taken_away_while_an_older_process_was_seen(dsn: str, tomorrow: Tomorrow) -> None:
    await migrate(dsn, only=E, folder=tomorrow.folder)
    await note_process(dsn, OWN.newest, ago="59 seconds")
    await note_process(dsn, OWN.newest, ago="1 second")
    await note_process(dsn, OWN.newest, ago="61 seconds", host="api-2")
    await note_process(dsn, "9002", ago="1 second", host="api-3")
    # Of a version that knows more than ours.
    await note_process(dsn, "9005", ago="1 second", host="api-4")

    with pytest.raises(Misconfigured) as refusal:
        await migrate(dsn, only=C, folder=tomorrow.folder)
    at = await revision(dsn)
    await rows(dsn, "update processes set seen_at = now() - interval '61 seconds' where host = 'api-1'")
    done = await migrate(dsn, only=C, folder=tomorrow.folder)
    again = await migrate(dsn, only=C, folder=tomorrow.folder)

    assert refusal.value.message == (
        "Revision 9002 takes away what processes use that were seen in the last minute: api-1 (serve, "
        f"2 processes: 0.1.0 with revision {OWN.newest}). Upgrade or stop them first. Nothing was changed."
    )
    assert (at, done, again) == ("9001", "9002", "9002")


@pytest.mark.usefixtures("new_database")
async def test_plain_migrate_goes_all_the_way(dsn: str, tomorrow: Tomorrow) -> None:
    await note_process(dsn, OWN.newest, ago="1 second")

    assert await migrate(dsn, folder=tomorrow.folder) == "9002"


async def test_an_empty_database_gets_all_tables_whatever_the_step(bare: str, tomorrow: Tomorrow) -> None:
    assert await migrate(bare, only=E, folder=tomorrow.folder) == "9002"


async def test_a_revision_of_the_future_is_refused_with_what_was_found(dsn: str, tomorrow: Tomorrow) -> None:
    await migrate(dsn, folder=tomorrow.folder)

    for only in (None, E, C):
        with pytest.raises(
            Misconfigured, match="belongs to a newer version: its tables are at revision 9002"
        ):
            await migrate(dsn, only=only)

    assert await revision(dsn) == "9002"


@pytest.mark.usefixtures("new_database")
async def test_a_step_that_finds_a_table_in_use_lets_others_pass_and_tries_again(
    dsn: str, tomorrow: Tomorrow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrations, "LOCK_WITHIN_S", 0.1)
    monkeypatch.setattr(migrations, "PAUSE_S", 0.01)
    holder = await asyncpg.connect(dsn)
    reading = holder.transaction()
    await reading.start()
    await holder.execute("select from desk_notes")
    migrating = asyncio.create_task(migrate(dsn, only=E, folder=tomorrow.folder))

    # Behind a step that waits for its lock, nobody else gets at the table: each try has to end.
    for _ in range(5):
        await rows(dsn, "select count(*) from desk_notes")
    is_waiting = not migrating.done()
    await reading.rollback()
    await holder.close()

    assert await migrating == "9001"
    assert is_waiting


@pytest.mark.usefixtures("new_database")
async def test_a_table_that_stays_in_use_is_one_sentence(
    dsn: str, tomorrow: Tomorrow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrations, "LOCK_WITHIN_S", 0.05)
    monkeypatch.setattr(migrations, "PAUSE_S", 0.0)
    monkeypatch.setattr(migrations, "TRIES", 3)
    holder = await asyncpg.connect(dsn)
    reading = holder.transaction()
    await reading.start()
    await holder.execute("select from desk_notes")

    with pytest.raises(MigrationFailed, match="changed nothing: canceling statement due to lock timeout"):
        await migrate(dsn, only=E, folder=tomorrow.folder)

    await reading.rollback()
    await holder.close()
    assert await revision(dsn) == OWN.newest


async def test_a_process_has_a_row_while_it_lives(service: Service, dsn: str) -> None:
    async def seen() -> list[tuple[object, ...]]:
        return await rows(dsn, "select kind, version, revision, now() - seen_at < '1 minute' from processes")

    async with process_row(service.runtime.database, ProcessKind.SERVE):
        living = await eventually(seen, bool)
    gone = await seen()

    assert living == [("serve", "0.1.0", OWN.newest, True)]
    assert gone == []
