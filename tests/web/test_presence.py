"""Who else has a case open right now, seen in the queue and on the case."""

import contextlib
import uuid
from pathlib import Path

from bindery.domain.access.users import Role, User
from bindery.memory.presence import LASTS_S, Presence
from support.people import Person, sign_in_as, text_of
from support.service import Service, request_body, serving
from support.waiting import eventually

HERE = "Pat Underwriter here now"


async def referred_case(service: Service) -> str:
    """Have a case on the desk, and return its address."""
    body = request_body()
    body["client"]["domains"] = ["red-flags.example.com"]
    quote = await service.quote(body)
    submission_id = await service.runtime.database.pool.fetchval(
        "select submission_id from quotes where quote_id = $1", uuid.UUID(quote["quote_identifier"])
    )
    return f"/desk/case/{submission_id}"


async def test_the_queue_and_the_case_say_who_else_has_it_open(
    working_service: Service, underwriter: Person
) -> None:
    path = await referred_case(working_service)
    async with await sign_in_as(working_service, Role.UNDERWRITER) as other:
        assert HERE not in text_of(await other.open("/desk"))

        alone = text_of(await underwriter.open(path))
        queue = text_of(await other.open("/desk"))
        case = text_of(await other.open(path))

        assert "open right now" not in alone
        assert HERE in queue
        assert "Pat Underwriter has this case open right now." in case
        assert HERE not in text_of(await underwriter.open("/desk?view=mine")), "nobody is told of oneself"
        # Whoever has gone back to the queue is not there any more.
        assert "open right now" not in text_of(await other.open(path))


async def test_a_page_that_lies_open_keeps_somebody_there(
    working_service: Service, underwriter: Person
) -> None:
    path = await referred_case(working_service)
    submission_id = uuid.UUID(path.rpartition("/")[2])
    await underwriter.open("/desk")

    await underwriter.http.get(
        "/live/news", params={"about": f"desk {submission_id}", "at": "2026-11-17T00:00:00+00:00"}
    )

    assert working_service.runtime.presence.names_at(submission_id, but=0) == ("Pat Underwriter",)


async def test_every_process_hears_of_it_and_forgets_it_after_a_while(
    working_service: Service, dsn: str, tmp_path: Path
) -> None:
    now = 1_000.0
    user = User(user_id=7, email="ann@example.com", name="Ann and Bo", role=Role.UNDERWRITER, partner_id=None)
    case, another = uuid.uuid4(), uuid.uuid4()
    async with serving(dsn, tmp_path / "second") as second:
        there = second.runtime.presence
        presence = Presence(working_service.runtime.database, clock=lambda: now)

        await presence.come(user, case)
        await eventually(lambda: there.names_at(case, but=0), lambda names: names == ("Ann and Bo",))
        await presence.come(user, another)
        await eventually(lambda: there.names_at(another, but=0), lambda names: names == ("Ann and Bo",))

        assert there.names_at(case, but=0) == (), "one is at one case only"
        assert there.names_at(another, but=7) == ()
        assert presence.names_at(another, but=0) == ("Ann and Bo",)
        now += LASTS_S
        assert presence.names_at(another, but=0) == ()

        await presence.leave(user)
        await eventually(lambda: there.names_at(another, but=0), lambda names: names == ())


async def test_an_open_page_asks_for_news_with_the_last_connection_of_the_pool(
    working_service: Service, underwriter: Person
) -> None:
    path = await referred_case(working_service)
    database = working_service.runtime.database
    about = {"about": f"desk {path.rpartition('/')[2]}", "at": "2026-11-17T00:00:00+00:00"}

    async with contextlib.AsyncExitStack() as held:
        for _ in range(database.pool.get_max_size() - 1):
            await held.enter_async_context(database.connection())
        answer = await underwriter.http.get("/live/news", params=about)

    assert answer.status_code == 200, "it waited for a second one while it held the last"
