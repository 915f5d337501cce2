"""`bindery demo --with-data` and `bindery clock reset`: a demo full of companies, and an empty one again."""

import asyncio
import json
import subprocess
import uuid
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from bindery.cli.sample import stories
from bindery.cli.sample.applicants import invented_name
from bindery.cli.sample.fill import Filled, fill_with_samples
from bindery.cli.sample.stories import EMAIL, LONGEST_AGO, STORIES
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.access.users import Role
from bindery.domain.quote.lifecycle import NOT_READY
from bindery.storage.access import users
from support.postgres import create_database, drop_database
from support.processes import Program, free_port
from support.service import Service, request_body

pytestmark = pytest.mark.long

LASTING = set(QuoteStatus) - NOT_READY


def test_two_hundred_companies_have_different_names_and_fit_into_the_year() -> None:
    count = sum(story.count for story in STORIES.values())

    assert count == 200
    assert len({invented_name(number) for number in range(count)}) == count
    for story in STORIES.values():
        last = max((after for after, _ in story.deeds), default=0)
        assert timedelta(days=last) <= story.ago[0] <= story.ago[-1] <= LONGEST_AGO


@pytest.mark.usefixtures("plain_printing")
async def test_an_empty_demo_is_filled_once(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    one_of_each = {name: replace(story, count=1) for name, story in STORIES.items()}
    monkeypatch.setattr(stories, "STORIES", one_of_each)
    told: list[tuple[int, int]] = []
    async with service.runtime.database.transaction() as tx:
        await users.add(
            tx, email=EMAIL, name="Uma", role=Role.UNDERWRITER, partner_id=None, password_hash=None
        )

    async def fill() -> Filled | None:
        return await fill_with_samples(
            service.runtime, service.partner, service.token, lambda done, steps: told.append((done, steps))
        )

    first, again = await fill(), await fill()

    assert first == Filled(len(one_of_each), given_up=0)
    assert again is None
    assert await service.count("companies") == len(one_of_each)
    assert told[-1][0] == told[-1][1]


@pytest.fixture
async def alone(server: str, template: str, tmp_path: Path) -> AsyncIterator[Program]:
    """The command line on a database that nothing else is connected to: only then is a demo reset."""
    name = f"alone_{uuid.uuid4().hex}"
    dsn = await create_database(server, name, template=template)
    yield Program(tmp_path, {"BINDERY_DATABASE_URL": dsn})
    await drop_database(server, name)


def test_a_demo_that_is_reset_is_empty_and_lets_in_the_same_people(alone: Program) -> None:
    alone.run("partner", "add", "Northwind").good()
    alone.run("clock", "advance", "3").good()
    seals = alone.run("signature", "certificate").good()

    reset = alone.run("clock", "reset", "--json").json()

    assert reset["kept_schema"].startswith("kept_")
    assert alone.run("signature", "certificate", "--all").good() == seals
    assert alone.run("clock", "show", "--json").json()["days_ahead"] == 0
    assert [row["name"] for row in alone.run("partner", "list", "--json").json()] == ["Northwind"]


@pytest.mark.long
def test_a_demo_is_filled_once_and_emptied_again(alone: Program) -> None:
    port = str(free_port())
    with alone.start("demo", "--with-data", "--port", port, stdout=subprocess.PIPE) as first:
        greeting = first.read_until("Ctrl-C stops it")
        companies = listed(alone, "companies")
        quotes = listed(alone, "quotes")
        policies = listed(alone, "policies")
        clock = alone.run("clock", "show", "--json").json()
        waiting = asyncio.run(on_the_desk(alone))
        first.stop()
    with alone.start("demo", "--with-data", "--port", port, stdout=subprocess.PIPE) as second:
        again = second.read_until("Ctrl-C stops it")
        token = second.token
        second.stop()
    journal = alone.run("journal", "verify").good()
    reset = alone.run("clock", "reset", "--json").json()
    with alone.start("demo", "--port", port, stdout=subprocess.PIPE) as third:
        third.read_until("Ctrl-C stops it")
        after = listed(alone, "companies")
        submitted = alone.run("quote", "-", "--wait", "--json", stdin=json.dumps(request_body())).json()
        third.stop()

    statuses = Counter(quote["quote_status"] for quote in quotes)
    assert "200 invented companies are in; their documents come in the background." in greeting
    assert len(companies) == 200
    assert set(statuses) == LASTING
    assert statuses["policy_active"] >= 60
    assert statuses["quote_referred"] >= 20
    assert Counter(quote["insurance_product"] for quote in quotes).keys() == {"CYB", "TEO", "MPL"}
    assert sum(policy["renews"] is not None for policy in policies) == STORIES["renewed"].count
    late, fresh = (
        Counter(row["kind"] for row in waiting if row["late"] is is_late) for is_late in (True, False)
    )
    assert sum(late.values()) <= 6
    assert sum(fresh.values()) >= 20
    assert (late["referral"], late["bind"]) == (STORIES["late"].count, 1)
    assert fresh.keys() == {"referral", "bind", "cancellation"}
    assert sum(row["taken"] for row in waiting) == STORIES["due next"].count + STORIES["late"].count
    assert clock["days_ahead"] == 0
    newest = max(datetime.fromisoformat(quote["created_at"]) for quote in quotes)
    assert newest <= datetime.now(UTC) < newest + timedelta(days=10)
    assert "There are companies already" in again
    assert "entries are as they were written." in journal
    assert reset["kept_schema"].startswith("kept_")
    assert after == []
    assert third.token == token
    assert [quote["quote_status"] for quote in submitted] == ["published", "published"]


async def on_the_desk(program: Program) -> list[asyncpg.Record]:
    """Read what waits for an underwriter, and whether it should have been answered by now."""
    connection = await asyncpg.connect(program.variables["BINDERY_DATABASE_URL"])
    try:
        return await connection.fetch(
            "select kind, due_at < now() as late, taken_by is not null as taken from desk_items "
            "where closed_at is null"
        )
    finally:
        await connection.close()


def listed(program: Program, what: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = program.run("list", what, "--limit", "1000", "--json").json()
    return rows
