"""`bindery verify` finds whatever was lost or changed below the service."""

import json
import uuid
from dataclasses import replace
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from bindery.contract.documents import DocumentType, PacketType
from bindery.domain.policy.kept_bind import KeptBind, flaws_of_bind
from support.processes import Program
from support.service import Service

KINDS = ["journals", "events", "documents", "uploads", "binds", "jobs"]
UNKNOWN = "11111111-2222-7333-8444-555555555555"


@pytest.fixture
def program(dsn: str, tmp_path: Path) -> Program:
    """The command line on the data folder of the service."""
    return Program(tmp_path, {"BINDERY_DATABASE_URL": dsn, "BINDERY_DATA_DIR": str(tmp_path)})


def counted(program: Program) -> dict[str, tuple[int, int]]:
    ended = program.run("verify", "--json")
    return {kind: (each["checked"], each["flawed"]) for kind, each in json.loads(ended.stdout).items()}


async def test_a_service_that_lost_nothing_is_whole(
    program: Program, service: Service, policy: dict[str, Any]
) -> None:
    ended = program.run("verify")
    found = counted(program)

    assert ended.code == 0, ended.stdout
    assert ended.stdout.endswith("Of everything that was kept, nothing is missing and nothing was changed.\n")
    assert [*found] == KINDS
    assert {kind: flawed for kind, (_, flawed) in found.items()} == dict.fromkeys(KINDS, 0)
    assert found["journals"][0] == await service.runtime.database.pool.fetchval("select count(*) from quotes")
    assert found["binds"][0] == 1
    assert all(found[kind][0] for kind in ("events", "documents", "uploads"))


async def test_a_sample_looks_at_as_many_quotes(
    program: Program, service: Service, policy: dict[str, Any]
) -> None:
    await service.submit()

    listed = program.run("verify", "--sample", "2", "--json").json()
    said = program.run("verify", "--sample", "2").good()

    assert listed["journals"]["checked"] == 2
    assert said.endswith("Of a sample of 2 quotes, nothing is missing and nothing was changed.\n")


def test_all_and_a_sample_together_are_refused(program: Program) -> None:
    assert program.run("verify", "--all", "--sample", "5").complaint == "Give either --all or --sample."
    assert "must be at least 1" in program.run("verify", "--sample", "0").stderr


def file_of(service: Service, sha256: str) -> Path:
    return service.runtime.settings.data_dir / "files" / sha256[:2] / sha256


async def test_each_lost_or_changed_file_is_named(
    program: Program, service: Service, policy: dict[str, Any]
) -> None:
    pool = service.runtime.database.pool
    document = await pool.fetchrow("select type, sha256 from documents where type = 'application'")
    upload = await pool.fetchrow("select name, sha256 from uploads")
    assert document
    assert upload
    file_of(service, document["sha256"]).unlink()
    changed = file_of(service, upload["sha256"])
    changed.write_bytes(changed.read_bytes()[:-1])

    ended = program.run("verify")

    assert ended.code == 1
    quote = f"Quote {policy['quote_identifier']}, "
    assert f"Documents: {quote}application, version 1: the file is missing." in ended.stdout
    assert f"Uploads: {quote}{upload['name']}: the file is not as it was stored." in ended.stdout
    assert "nothing is missing" not in ended.stdout


HARM = {
    "a changed entry": (
        "update journal set actor = 'somebody else' where entry = 2",
        "journals",
        "entry 2: was changed: its content and its hash do not match",
    ),
    "an event that the feed lacks": (
        """
        with gone as (delete from unplaced_events where type = 'policy.issued')
        delete from events where type = 'policy.issued'
        """,
        "events",
        "is not in the feed",
    ),
    "an event that only the feed has": (
        """
        with placed as (update events set entry = 900 where type = 'policy.bound')
        update unplaced_events set entry = 900 where type = 'policy.bound'
        """,
        "events",
        "the journal does not",
    ),
    "a bind without its facts": (
        "delete from packets where packet = 'policy'",
        "binds",
        "nothing was frozen for its policy documents",
    ),
    "a bind without a document": (
        "update binds set unfinished_since = null",
        "binds",
        "its billing_statement was never made",
    ),
    "a bind that nobody was written to about": (
        "delete from mails where kind like 'policy%'",
        "binds",
        "nobody was written to about it",
    ),
    "a job about nothing": (
        f"""
        insert into pgq.pgqueuer (priority, entrypoint, payload, status)
        values (0, 'finish_bind', '{UNKNOWN}', 'queued')
        """,
        "jobs",
        f"is about {UNKNOWN}, which does not exist",
    ),
}


async def test_each_loss_in_the_database_is_named(
    program: Program, service: Service, policy: dict[str, Any], subtests: pytest.Subtests
) -> None:
    async with service.runtime.database.pool.acquire() as connection, connection.transaction():
        await connection.execute("set local session_replication_role = replica")
        for statement, *_ in HARM.values():
            await connection.execute(statement)

    ended = program.run("verify", "--json")

    found = json.loads(ended.stdout)
    assert ended.code == 1
    for name, (_, kind, what) in HARM.items():
        with subtests.test(name):
            assert any(what in finding["what"] for finding in found[kind]["findings"]), found[kind]


async def test_a_snapshot_does_not_see_what_is_written_meanwhile(service: Service) -> None:
    count = "select count(*) from quotes"
    async with service.runtime.database.snapshot() as tx:
        before = await tx.value(int, count)
        await service.submit()
        after = await tx.value(int, count)
        with pytest.raises(asyncpg.ReadOnlySQLTransactionError):
            await tx.connection.execute("delete from sign_ins")

    assert before == after < await service.runtime.database.pool.fetchval(count)


def test_a_bind_that_is_worked_on_owes_no_documents_yet() -> None:
    bind = KeptBind(
        quote_id=uuid.UUID(UNKNOWN),
        policy_number="CYB-26-0000001-8-00",
        is_issued=False,
        is_finished=False,
        bound_told=1,
        issued_told=0,
        packets=frozenset({PacketType.BINDER}),
        documents=frozenset({DocumentType.BINDER}),
        is_mailed=True,
    )

    assert [*flaws_of_bind(bind)] == []
    assert [*flaws_of_bind(replace(bind, is_finished=True))] == [
        "its binder_tria was never made",
        "its billing_statement was never made",
        "its security_letter was never made",
    ]
    assert [*flaws_of_bind(replace(bind, bound_told=2))] == ["policy.bound is in its journal twice"]
