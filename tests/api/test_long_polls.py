"""`Prefer: wait`: answered by a notice and not by asking, and held for each partner within a limit."""

import asyncio
import re
import time
import uuid
from collections import Counter
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import pytest

from bindery.domain.quote.lifecycle import NOT_READY
from bindery.memory.waiting_room import LOOK_EVERY_S, WaitingRoom
from bindery.settings import Environment
from bindery.storage.watch import BEAT_EVERY_S, Watch
from support.database_proxy import database_proxy
from support.service import Service, request_body, serving, working

SUBMISSION = uuid.UUID(int=1)


async def not_ready(service: Service) -> str:
    receipt = await service.submit()
    identifier: str = receipt["quotes"][0]["quote_identifier"]
    return identifier


def waiting(service: Service, identifier: str, seconds: int) -> "asyncio.Task[httpx.Response]":
    return asyncio.create_task(service.get(f"/v2/quotes/{identifier}", Prefer=f"wait={seconds}"))


async def seated(service: Service, count: int) -> None:
    """Wait until that many are kept waiting."""
    room = service.runtime.waiting_room
    until = time.monotonic() + 30
    while room.count != count and time.monotonic() < until:  # noqa: ASYNC110 - the room tells nobody
        await asyncio.sleep(0.01)
    assert room.count == count


async def test_whoever_waits_is_woken_by_a_notice_and_does_not_ask_meanwhile(
    dsn: str, tmp_path: Path
) -> None:
    async with database_proxy(dsn) as proxy, serving(proxy.dsn, tmp_path) as service:
        identifier = await not_ready(service)
        poll = waiting(service, identifier, 30)
        await seated(service, 1)
        await asyncio.sleep(1)
        before = proxy.asked
        await asyncio.sleep(2 * LOOK_EVERY_S)
        while_waiting = proxy.asked - before
        await publish(service, identifier)
        answer = await poll

    assert while_waiting <= 2 * LOOK_EVERY_S / BEAT_EVERY_S + 1, "more than the beats of the listener"
    assert answer.status_code == 200


async def test_all_options_of_a_submission_are_told_with_one_notice(service: Service, dsn: str) -> None:
    heard: list[object] = []
    receipt = await service.submit()
    listener = await asyncpg.connect(dsn)
    await listener.add_listener("bindery_ready", lambda *notice: heard.append(notice[3]))

    async with working(service):
        for option in receipt["quotes"]:
            await service.ready(option["quote_identifier"])
    await listener.execute("select 1")
    await listener.close()
    submission = await service.runtime.database.pool.fetchval("select submission_id::text from submissions")

    assert len(receipt["quotes"]) == 2
    assert heard == [submission]


async def test_a_notice_that_was_missed_is_made_up_for(service: Service) -> None:
    identifier = await not_ready(service)
    pool = service.runtime.database.pool
    poll = waiting(service, identifier, 30)
    await seated(service, 1)
    await pool.execute("alter table quotes disable trigger tell_ready")
    await publish(service, identifier)
    started = time.monotonic()

    await pool.execute(
        "select pg_terminate_backend(pid) from pg_stat_activity "
        "where application_name = 'bindery-listener' and datname = current_database()"
    )
    answer = await poll

    assert answer.status_code == 200
    assert time.monotonic() - started < 20


async def test_whoever_cannot_be_told_looks_again_by_itself() -> None:
    room = WaitingRoom(Watch("postgresql://nobody@127.0.0.1:1/none"), most_of_a_partner=1)
    started = time.monotonic()

    with room.waiter(partner_id=1) as waiter:
        waiter.wait_for(SUBMISSION)
        await asyncio.wait_for(waiter.wait(60), timeout=30)

    assert time.monotonic() - started >= LOOK_EVERY_S - 0.1


PRODUCTION = {"environment": Environment.PRODUCTION, "base_url": "https://api.bindery.example/v2"}


@pytest.mark.parametrize(
    ("settings", "most"), [(PRODUCTION, 20), ({}, 200), ({**PRODUCTION, "long_polls": 3}, 3)]
)
async def test_a_partner_waits_for_so_many_at_once_and_no_more(
    dsn: str, tmp_path: Path, settings: dict[str, Any], most: int
) -> None:
    async with serving(dsn, tmp_path, **settings) as service:
        identifier = await not_ready(service)
        other = await service.new_partner("other")
        polls = [waiting(service, identifier, 60) for _ in range(most)]
        await seated(service, most)

        refused = await waiting(service, identifier, 60)
        at_once = await service.get(f"/v2/quotes/{identifier}")
        others = await waiting(other, await not_ready_of(other), 1)
        service.runtime.waiting_room.close()
        answers = await asyncio.gather(*polls)

    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "2")
    assert refused.json()["code"] == "too_many_waiting"
    assert refused.json()["message"].startswith(f"At most {most} requests of a partner may wait at once.")
    assert (at_once.status_code, others.status_code) == (202, 202)
    assert {answer.status_code for answer in answers} == {202}


@pytest.mark.long
async def test_a_thousand_who_wait_for_one_partner_leave_the_others_quick(service: Service) -> None:
    identifier = await not_ready(service)
    other = await service.new_partner("other")
    polls = [waiting(service, identifier, 60) for _ in range(1_000)]
    await seated(service, 200)

    started = time.monotonic()
    for _ in range(5):
        await other.submit()
    took_s = time.monotonic() - started
    service.runtime.waiting_room.close()
    answers = await asyncio.gather(*polls)

    counts = Counter(answer.status_code for answer in answers)
    # On a machine so busy that some get no connection in time, those are answered 503.
    assert set(counts) <= {202, 429, 503}
    assert counts[202] <= 200
    assert counts[429] >= 100
    assert took_s < 30


async def test_the_notice_is_of_exactly_the_moves_that_make_a_quote_ready(dsn: str) -> None:
    connection = await asyncpg.connect(dsn)
    definition = await connection.fetchval(
        "select pg_get_triggerdef(oid) from pg_trigger where tgname = 'tell_ready'"
    )
    await connection.close()

    before, after = (re.findall(r"'(\w+)'::text", part) for part in definition.split(" AND "))
    assert set(before) == set(after) == set(NOT_READY)


async def not_ready_of(service: Service) -> str:
    def change(body: dict[str, Any]) -> None:
        body["client"]["domains"] = ["another.com"]
        body["client"]["address"]["street"] = "1 Other Street"

    receipt = await service.submit(request_body(change))
    identifier: str = receipt["quotes"][0]["quote_identifier"]
    return identifier


async def publish(service: Service, identifier: str) -> None:
    async with working(service):
        until = time.monotonic() + 30
        while time.monotonic() < until:
            if (await service.get(f"/v2/quotes/{identifier}")).status_code == 200:
                return
            await asyncio.sleep(0.05)
    raise AssertionError("not ready in time")


@pytest.mark.parametrize(("asked", "applied"), [("wait=1", "wait=1"), ("wait=90", "wait=60")])
async def test_a_wait_that_is_honored_is_named_in_the_answer(
    working_service: Service, asked: str, applied: str
) -> None:
    quote = await working_service.quote()
    path = f"/v2/quotes/{quote['quote_identifier']}"

    shown = await working_service.get(path, Prefer=asked)
    unchanged = await working_service.get(path, Prefer=asked, If_None_Match=shown.headers["etag"])

    assert (shown.status_code, shown.headers["preference-applied"]) == (200, applied)
    assert (unchanged.status_code, unchanged.headers["preference-applied"]) == (304, applied)


async def test_a_wait_that_ends_before_the_quote_is_ready_is_named_too(service: Service) -> None:
    answer = await waiting(service, await not_ready(service), 1)

    assert (answer.status_code, answer.headers["preference-applied"]) == (202, "wait=1")


@pytest.mark.parametrize("asked", ["wait=0", "wait=soon", "return=minimal"])
async def test_a_preference_that_is_not_honored_is_not_named(service: Service, asked: str) -> None:
    answer = await service.get(f"/v2/quotes/{await not_ready(service)}", Prefer=asked)

    assert answer.status_code == 202
    assert "preference-applied" not in answer.headers
