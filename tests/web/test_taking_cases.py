"""Who has a case: two people who act together, and what a colleague has."""

import asyncio
import html
import re
from collections.abc import AsyncIterator
from typing import Any

import pytest
from bench.platform_pages import open_cases

from bindery.actions.desk.take_case import take_next_case
from bindery.domain.access.users import Role
from bindery.storage.desk.desk_filter import DeskFilter
from bindery.web.desk.desk import ROWS
from support.binding import quoted
from support.people import Person, fields_of, sign_in_as, text_of
from support.service import Service, request_body
from support.waiting import eventually

pytestmark = pytest.mark.usefixtures("clock_at_day")


@pytest.fixture
async def ann(service: Service) -> AsyncIterator[Person]:
    async with await sign_in_as(service, Role.UNDERWRITER, email="ann@example.com") as person:
        await rename(service, person, "Ann")
        yield person


@pytest.fixture
async def bob(service: Service) -> AsyncIterator[Person]:
    async with await sign_in_as(service, Role.UNDERWRITER, email="bob@example.com") as person:
        await rename(service, person, "Bob")
        yield person


async def rename(service: Service, person: Person, name: str) -> None:
    await service.runtime.database.pool.execute(
        "update users set name = $2 where email = $1", person.email, name
    )


async def cases(service: Service, *names: str) -> list[str]:
    """Put a referral of each company on the desk, and return the submissions in that order."""
    found = []
    for name in names:
        body = request_body()
        body["client"].update(name=name, domains=["red-flags.example.com"])
        body["policy"]["quotes"] = body["policy"]["quotes"][:1]
        (quote,) = await quoted(service, body)
        assert quote["quote_status"] == "quote_referred"
        found.append(await submission_of(service, quote))
    return found


async def submission_of(service: Service, quote: dict[str, Any]) -> str:
    return str(
        await service.runtime.database.pool.fetchval(
            "select submission_id from quotes where quote_id = $1", quote["quote_identifier"]
        )
    )


async def takers(service: Service) -> dict[str, str | None]:
    """Return who has which company's case."""
    rows = await service.runtime.database.pool.fetch(
        "select d.name, u.name as taker from desk_items d left join users u on u.user_id = d.taken_by "
        "where d.closed_at is null"
    )
    return {row["name"]: row["taker"] for row in rows}


async def number_of(service: Service, person: Person) -> str:
    return str(
        await service.runtime.database.pool.fetchval(
            "select user_id from users where email = $1", person.email
        )
    )


async def test_two_who_take_the_next_case_together_get_different_ones(
    service: Service, ann: Person, bob: Person
) -> None:
    await cases(service, "Acorn", "Birch", "Cedar")
    # Both have looked at the queue before either has written: the first row is held until both wait for it.
    async with service.runtime.database.pool.acquire() as connection, connection.transaction():
        await connection.execute("select from desk_items for update")
        pressed = [asyncio.create_task(person.post("/desk/next")) for person in (ann, bob)]
        await eventually(service.waiting_for_locks, lambda waiting: waiting == len(pressed))
    opened = [(await task).headers["location"] for task in pressed]

    assert len(set(opened)) == 2
    assert sorted(map(str, (await takers(service)).values())) == ["Ann", "Bob", "None"]


async def test_the_next_case_is_one_that_nobody_has_until_there_is_none(
    service: Service, ann: Person, bob: Person
) -> None:
    first, second = await cases(service, "Acorn", "Birch")

    opened = [(await ann.post("/desk/next")).headers["location"] for _ in range(2)]
    nothing = await bob.send("/desk/next")
    of_mine = (await ann.post("/desk/next?view=mine")).headers["location"]

    assert opened == [f"/desk/case/{first}", f"/desk/case/{second}"]
    assert "There is no case here that is free to take." in text_of(nothing)
    assert of_mine == f"/desk/case/{first}?view=mine"
    assert await takers(service) == {"Acorn": "Ann", "Birch": "Ann"}


async def test_two_who_take_the_same_selected_cases_together_share_none(
    service: Service, ann: Person, bob: Person
) -> None:
    picked = await cases(service, "Acorn", "Birch")

    pages = await asyncio.gather(*(person.send("/desk/take", submission_id=picked) for person in (ann, bob)))

    said = [text_of(page) for page in pages]
    (winner,) = set((await takers(service)).values())
    taken, refused = said if winner == "Ann" else said[::-1]
    assert "You took 2 cases." in taken
    assert f"{winner} has Acorn and Birch: open the case to take it over." in refused
    assert "You took" not in refused


async def test_selected_cases_of_a_colleague_stay_and_the_page_says_whose_they_are(
    service: Service, ann: Person, bob: Person
) -> None:
    first, second = await cases(service, "Acorn", "Birch")
    await ann.send("/desk/take", submission_id=first)

    taken = await bob.send("/desk/take", submission_id=[first, second])
    handed = await bob.send(
        "/desk/hand-over", submission_id=[first, second], to=await number_of(service, bob)
    )

    assert "You took 1 case. Ann has Acorn: open the case to take it over." in text_of(taken)
    assert "1 case reassigned to Bob. Ann has Acorn: open the case" in text_of(handed)
    assert await takers(service) == {"Acorn": "Ann", "Birch": "Bob"}


async def test_nobody_puts_back_or_hands_over_the_case_of_a_colleague(
    service: Service, ann: Person, bob: Person
) -> None:
    (first,) = await cases(service, "Acorn")
    await ann.send(f"/desk/case/{first}/take")

    put_back = await bob.send(f"/desk/case/{first}/take", take="release")
    handed = await bob.send("/desk/hand-over", submission_id=first, to=await number_of(service, bob))

    assert "Ann has Acorn: open the case to take it over." in text_of(put_back)
    assert "Put back." not in text_of(put_back)
    assert "Ann has Acorn: open the case to take it over." in text_of(handed)
    assert await takers(service) == {"Acorn": "Ann"}


async def test_a_case_is_taken_over_from_the_colleague_that_its_page_named_and_from_nobody_else(
    service: Service, ann: Person, bob: Person
) -> None:
    (first,) = await cases(service, "Acorn")
    path = f"/desk/case/{first}"
    while_free = fields_of(await bob.open(path), f"{path}/take")
    await ann.send(f"{path}/take")

    meanwhile = await bob.send(f"{path}/take", **while_free)
    after_that = await takers(service)
    named = fields_of(meanwhile, f"{path}/take")
    taken_over = await bob.send(f"{path}/take", **named)

    assert "Ann has Acorn: open the case to take it over." in text_of(meanwhile)
    assert after_that == {"Acorn": "Ann"}
    assert "Ann has taken this case. You can still go ahead, or take it over." in text_of(meanwhile)
    assert "You have the case." in text_of(taken_over)
    assert await takers(service) == {"Acorn": "Bob"}


async def test_taking_over_asks_once_and_the_colleague_is_told(
    service: Service, ann: Person, bob: Person
) -> None:
    (first,) = await cases(service, "Acorn")
    path = f"/desk/case/{first}"
    await ann.send(f"{path}/take")
    opened = await ann.open(path)
    (known,) = re.findall(r'data-at="([^"]+)"', opened)

    page = await bob.open(path)
    (step,) = re.findall(r'formaction="(/sure\?[^"]*take_over[^"]*)"', page)
    sure = await bob.send(html.unescape(step), **fields_of(page, f"{path}/take"))
    asked = await takers(service)
    taken_over = await bob.send(f"{path}/take", **fields_of(sure, f"{path}/take"))
    news = await ann.http.get("/live/news", params={"about": f"desk {first}", "at": html.unescape(known)})
    own = await bob.http.get("/live/news", params={"about": f"desk {first}", "at": html.unescape(known)})

    assert "Take the case over from Ann?" in text_of(sure)
    assert asked == {"Acorn": "Ann"}
    assert "You have the case." in text_of(taken_over)
    assert await takers(service) == {"Acorn": "Bob"}
    assert "Bob took the case over from Ann." in text_of(taken_over)
    assert "Bob took the case over from Ann." in text_of(await ann.open(path))
    assert news.text.startswith("Bob took the case over from Ann.")
    assert "took the case over" not in own.text


async def test_fifty_who_take_the_next_case_together_get_fifty_different_ones(
    service: Service, subtests: pytest.Subtests
) -> None:
    await cases(service, "Model")
    # Seven more than a page of the queue shows.
    await open_cases(service.runtime.settings.database_url, ROWS + 6)
    async with service.runtime.database.transaction() as tx:
        users = [
            await tx.value(
                int,
                "insert into users (email, name, role, created_at) values ($1, $2, 'underwriter', now()) "
                "returning user_id",
                f"taker-{number}@example.com",
                f"Taker {number}",
            )
            for number in range(50)
        ]

    taken = await asyncio.gather(
        *(take_next_case(service.runtime.database, DeskFilter(), user_id=user) for user in users)
    )
    late = [await take_next_case(service.runtime.database, DeskFilter(), user_id=users[0]) for _ in range(8)]

    with subtests.test("each another one"):
        assert None not in taken
        assert len(set(taken)) == 50
    with subtests.test("those behind the first page are free, and then there is none"):
        assert len({*taken, *late[:7]}) == 57
        assert None not in late[:7]
        assert late[7] is None
