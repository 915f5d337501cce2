"""What open pages are told, and what nobody is told who may not see it."""

import asyncio
import contextlib
import uuid
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from bindery.actions.access.sign_in import hash_of
from bindery.domain.access.users import Role, User
from bindery.memory import live
from bindery.memory.live import MOST_STREAMS_OF_A_USER, MOST_UNSENT, Stream
from bindery.storage.access import users
from bindery.storage.access.users import SignedIn
from bindery.web.frame.live import END, stream_live
from bindery.web.frame.visit import Visit
from support.binding import one_quoted, upload_signed
from support.database_proxy import database_proxy
from support.people import Person, sign_in_as
from support.receiver import receiving
from support.service import Service, request_body, serving
from support.telling import register
from support.waiting import eventually


async def test_a_stream_is_not_there_for_those_who_want_no_body(service: Service, broker: Person) -> None:
    answer = await asyncio.wait_for(broker.http.head("/live"), timeout=30)

    assert (answer.status_code, answer.headers["allow"]) == (405, "GET")
    assert service.runtime.live_room.count == 0


class Listener:
    """A browser that listens: every line that came, and whether the stream has ended."""

    def __init__(self, lines: AsyncIterator[str]) -> None:
        self.lines: list[str] = []
        self.task = asyncio.create_task(self._read(lines))

    async def _read(self, lines: AsyncIterator[str]) -> None:
        async for text in lines:
            self.lines.append(text)

    def has(self, line: str) -> bool:
        return any(f"data: {line}\n" in text for text in self.lines)


async def sign_in_of(service: Service, person: Person) -> SignedIn:
    token = next(iter(person.http.cookies.jar)).value
    assert token is not None
    async with service.runtime.database.connection() as connection:
        signed_in = await users.find_signed_in(
            connection, hash_of(token), at=service.runtime.clock.real_now()
        )
    assert signed_in is not None
    return signed_in


@contextlib.asynccontextmanager
async def listening(service: Service, person: Person) -> AsyncIterator[Listener]:
    signed_in = await sign_in_of(service, person)
    answer: Any = await stream_live(Visit(service.runtime, None, signed_in))  # type: ignore[arg-type]
    listener = Listener(answer.body_iterator)
    await eventually(lambda: listener.lines, bool)
    try:
        yield listener
    finally:
        listener.task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await listener.task


def referred() -> dict[str, Any]:
    def change(body: dict[str, Any]) -> None:
        body["client"]["domains"] = ["red-flags.example.com"]
        body["policy"]["quotes"] = body["policy"]["quotes"][:1]

    return request_body(change)


async def test_a_change_is_told_to_those_who_may_see_it_and_nobody_else(
    working_service: Service, broker: Person, underwriter: Person, operator: Person
) -> None:
    other = await working_service.new_partner("Another house")
    async with contextlib.AsyncExitStack() as stack:
        eve = await stack.enter_async_context(
            await sign_in_as(other, Role.BROKER, email="eve@example.com", partner=other.partner.name)
        )
        own, theirs, desk, ops = [
            await stack.enter_async_context(listening(working_service, person))
            for person in (broker, eve, underwriter, operator)
        ]

        quote = await working_service.quote(referred())
        company = f"company {quote['company_id']}"
        await eventually(lambda: own, lambda seen: seen.has(company))
        await eventually(lambda: desk, lambda seen: seen.has(company) and "desk" in str(seen.lines))

        assert "desk" not in str(own.lines)
        assert "data:" not in str(theirs.lines) + str(ops.lines)
    assert working_service.runtime.live_room.count == 0


FAILED = """
update pgq.pgqueuer set status = 'failed', updated = now()
where id = (select id from pgq.pgqueuer where status = 'queued' limit 1)
"""


async def test_a_file_that_a_colleague_uploads_is_news(service: Service, broker: Person) -> None:
    quote = await one_quoted(service)
    async with service.runtime.database.reading() as tx:
        opened = tx.now
    async with listening(service, broker) as colleague:
        await upload_signed(service, quote)

        await eventually(lambda: colleague.has(f"company {quote['company_id']}"), bool)
    async with service.runtime.database.reading() as tx:
        company_id, partner_id = int(quote["company_id"]), service.partner.partner_id
        assert await live.count_company_news(tx, company_id, opened, partner_id=partner_id) == 1
        assert await live.count_company_news(tx, company_id, tx.now, partner_id=partner_id) == 0


async def test_operators_are_told_what_fails_and_nobody_else_is(
    service: Service, operator: Person, underwriter: Person
) -> None:
    await service.submit()
    at = datetime.now(UTC).isoformat()
    async with listening(service, operator) as ops, listening(service, underwriter) as desk:
        await service.runtime.database.pool.execute(FAILED)

        await eventually(lambda: ops, lambda seen: seen.has("ops"))
        assert "ops" not in str(desk.lines)
    news = await operator.http.get("/live/news", params={"about": "ops", "at": at})
    assert (news.status_code, news.text) == (200, "1")
    for page in ("/ops", "/ops/jobs", "/ops/webhooks"):
        assert 'data-live="ops"' in await operator.open(page)
    refused = await underwriter.http.get("/live/news", params={"about": "ops", "at": at})
    assert refused.status_code == 404


async def test_operators_are_told_that_a_webhook_begins_to_fail_and_not_that_it_goes_on(
    service: Service, operator: Person
) -> None:
    at, told = datetime.now(UTC).isoformat(), list[str]()

    def hear(*notice: object) -> None:
        told.append(str(notice[-1]))

    async with receiving() as receiver, service.runtime.database.connection() as connection:
        await register(service, receiver.url)
        await connection.add_listener("bindery_ops", hear)
        for _ in range(2):
            await connection.execute("update webhooks set failing_since = now()")
        await connection.execute("notify bindery_ops, 'the end'")
        await eventually(lambda: told, lambda heard: heard[-1:] == ["the end"])
        await connection.remove_listener("bindery_ops", hear)

    assert told == ["", "the end"]
    news = await operator.http.get("/live/news", params={"about": "ops", "at": at})
    assert news.text == "1"


async def test_a_stream_ends_with_its_sign_in_and_not_with_another(
    service: Service, underwriter: Person
) -> None:
    async with await sign_in_as(service, Role.UNDERWRITER) as other, listening(service, underwriter) as mine:
        await other.post("/sign-out")
        assert not mine.task.done()

        await underwriter.post("/sign-out", where="everywhere")

        await eventually(mine.task.done)
        assert mine.lines[-1] == END


async def test_streams_end_when_the_server_stops(service: Service, underwriter: Person) -> None:
    async with listening(service, underwriter) as mine:
        service.runtime.let_go()

        await eventually(mine.task.done)
        assert END not in mine.lines


async def test_a_stream_outlives_a_database_that_goes_away_and_then_says_to_ask(
    dsn: str, tmp_path: Path
) -> None:
    async with (
        database_proxy(dsn) as proxy,
        serving(proxy.dsn, tmp_path) as service,
        await sign_in_as(service, Role.UNDERWRITER) as uma,
        listening(service, uma) as mine,
    ):
        proxy.go_away()
        await eventually(lambda: service.runtime.database.watch.is_away)
        await eventually(lambda: mine.has(live.AGAIN))
        mine.lines.clear()
        proxy.come_back()
        await eventually(lambda: mine.has(live.AGAIN))

        assert not mine.task.done()
        await uma.post("/sign-out", where="everywhere")
        await eventually(mine.task.done)
        assert mine.lines[-1] == END


async def test_news_that_nobody_can_look_up_is_told_as_a_reason_to_ask(
    service: Service, underwriter: Person, dsn: str
) -> None:
    async with listening(service, underwriter) as mine:
        await service.runtime.database.pool.close()
        other = await asyncpg.connect(dsn)
        await other.execute("select pg_notify($1, $2)", live.MOVED, str(uuid.uuid4()))
        await other.close()

        await eventually(lambda: mine.has(live.AGAIN))
        assert not mine.task.done()


async def test_a_user_has_so_many_streams_and_no_more(service: Service, underwriter: Person) -> None:
    async with contextlib.AsyncExitStack() as stack:
        for _ in range(MOST_STREAMS_OF_A_USER):
            await stack.enter_async_context(listening(service, underwriter))

        one_more = await stack.enter_async_context(listening(service, underwriter))

        assert one_more.lines == [END]


async def test_five_hundred_pages_of_one_process_hear_the_same_news_and_the_api_answers_beside_them(
    working_service: Service, underwriter: Person
) -> None:
    runtime, streams = working_service.runtime, 500
    # A gap in what the database tells makes each stream ask whether its sign-in still holds.
    token_sha256 = (await sign_in_of(working_service, underwriter)).token_sha256
    lines: dict[int, list[str]] = {number: [] for number in range(streams)}

    async def listen(number: int) -> None:
        user = User(
            user_id=number // MOST_STREAMS_OF_A_USER,
            email=f"{number}@example.com",
            name="",
            role=Role.UNDERWRITER,
            partner_id=None,
        )
        signed_in = SignedIn(user, token_sha256, datetime.now(UTC), None, None)
        answer: Any = await stream_live(Visit(runtime, None, signed_in))  # type: ignore[arg-type] # it asks nothing of the request
        async for text in answer.body_iterator:
            lines[number].append(text)

    async with asyncio.TaskGroup() as group:
        listeners = [group.create_task(listen(number)) for number in range(streams)]
        await eventually(lambda: runtime.live_room.count, lambda count: count == streams)

        quote = await working_service.quote(referred())
        news = f"data: company {quote['company_id']}\n"
        await eventually(
            lambda: [number for number in lines if news not in "".join(lines[number])], _is_empty
        )

        assert (await working_service.get(f"/v2/quotes/{quote['quote_identifier']}")).status_code == 200
        assert not any(listener.done() for listener in listeners)
        for listener in listeners:
            listener.cancel()
    assert runtime.live_room.count == 0


def _is_empty(left: list[int]) -> bool:
    return not left


async def test_a_browser_that_does_not_read_is_told_to_ask() -> None:
    stream = Stream(None)  # type: ignore[arg-type] # nobody asks whose it is
    for number in range(MOST_UNSENT + 5):
        stream.send(f"company {number}")

    lines = await stream.wait(1)

    assert lines[0] == live.AGAIN
    assert len(lines) == 6


async def test_a_page_that_was_away_asks_what_it_missed(
    working_service: Service, broker: Person, underwriter: Person, operator: Person
) -> None:
    before = datetime.now(UTC).isoformat()
    quote = await working_service.quote(referred())
    after = datetime.now(UTC).isoformat()
    company = f"company {quote['company_id']}"

    async def news(person: Person, about: str, at: str, status: int = 200) -> str:
        answer = await person.http.get("/live/news", params={"about": about, "at": at})
        assert answer.status_code == status
        return answer.text

    assert await news(broker, company, before) == await news(underwriter, company, before) == "1"
    assert await news(underwriter, "desk", before) == "1"
    assert await news(broker, company, after) == await news(underwriter, "desk", after) == "0"
    other = await working_service.new_partner("Another house")
    async with await sign_in_as(other, Role.BROKER, email="eve@example.com", partner="Another house") as eve:
        assert await news(eve, company, before) == "0"
    await news(broker, "desk", before, 404)
    await news(operator, company, before, 404)
    await news(broker, company, "yesterday", 404)
    await news(broker, company, "2026-11-16T12:00:00", 404)
    await news(broker, "company 99999999999999999999", before)


@pytest.mark.parametrize("choice", [{}, {"has_keys": "yes"}])
async def test_keys_can_be_switched_off(underwriter: Person, choice: dict[str, Any]) -> None:
    page = await underwriter.send("/account/keys", **choice)

    assert ('<dialog id="keys"' in page) is bool(choice)
    assert ('data-opens="keys"' in page) is bool(choice)
