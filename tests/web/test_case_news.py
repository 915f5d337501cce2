"""What the open page of a case is told: what others did to any option, who came and who left."""

import html
import re
import uuid
from collections.abc import AsyncIterator

import pytest

from bindery.domain.access.users import Role
from support.binding import quoted
from support.people import Person, fields_of, sign_in_as
from support.service import Service, request_body


@pytest.fixture
async def ann(service: Service) -> AsyncIterator[Person]:
    async with await sign_in_as(service, Role.UNDERWRITER, email="ann@example.com") as person:
        await service.runtime.database.pool.execute(
            "update users set name = 'Ann' where email = $1", person.email
        )
        yield person


@pytest.fixture
async def bob(service: Service) -> AsyncIterator[Person]:
    async with await sign_in_as(service, Role.UNDERWRITER, email="bob@example.com") as person:
        await service.runtime.database.pool.execute(
            "update users set name = 'Bob' where email = $1", person.email
        )
        yield person


async def case_of_five(service: Service) -> tuple[str, list[str]]:
    def change(body: dict[str, dict[str, object]]) -> None:
        body["client"].update(domains=["red-flags.example.com"])
        limits = (250_000, 500_000, 1_000_000, 2_000_000, 3_000_000)
        body["policy"]["quotes"] = [{"aggregate_limit": limit} for limit in limits]

    options = [quote["quote_identifier"] for quote in await quoted(service, request_body(change))]
    submission = await service.runtime.database.pool.fetchval(
        "select submission_id from quotes where quote_id = $1", uuid.UUID(options[0])
    )
    return f"/desk/case/{submission}", options


def known(page: str) -> str:
    return html.unescape(re.findall(r'data-at="([^"]+)"', page)[0])


async def news(person: Person, path: str, at: str) -> str:
    about = f"desk {path.rpartition('/')[2]}"
    return (await person.http.get("/live/news", params={"about": about, "at": at})).text


async def decline(person: Person, path: str, option: str) -> str:
    form = fields_of(await person.open(path), f"{path}/decide")
    await person.send(
        f"{path}/decide", **{**form, "options": option, "decision": "decline", "reason": "Too big"}
    )
    return known(await person.open(path))


async def test_a_decision_about_any_option_is_told_to_others_and_not_to_who_made_it(
    service: Service, ann: Person, bob: Person
) -> None:
    path, options = await case_of_five(service)
    seen_by_ann = known(await ann.open(path))

    # The dearest option still waits, so the row of the queue is the same.
    seen_by_bob = await decline(bob, path, options[1])

    assert (
        await news(ann, path, seen_by_ann) == "Option 2 was declined: Too big, by Bob. Bob opened this case."
    )
    assert await news(bob, path, seen_by_bob) == "0"
    assert "declined" not in await news(bob, path, seen_by_ann)


async def test_documents_that_the_worker_makes_are_no_news(
    service: Service, ann: Person, bob: Person
) -> None:
    path, options = await case_of_five(service)
    before = known(await ann.open(path))
    quote = options[0]
    await service.post(f"/v2/demo/quotes/{quote}/review", {"decision": "approve"})
    approved = known(await ann.open(path))
    await service.get(f"/v2/quotes/{quote}/documents/quote_letter")

    assert "Option 1 was" in await news(ann, path, before)
    assert await news(ann, path, approved) == "0"


async def test_who_comes_and_who_leaves_is_told(service: Service, ann: Person, bob: Person) -> None:
    path, _ = await case_of_five(service)
    alone = known(await ann.open(path))

    assert await news(ann, path, alone) == "0"
    await bob.open(path)
    assert await news(ann, path, alone) == "Bob opened this case."
    together = known(await ann.open(path))
    assert await news(ann, path, together) == "0"
    left = await bob.post(f"/live/left?about=desk+{path.rpartition('/')[2]}")
    assert left.status_code == 204
    assert await news(ann, path, together) == "Bob left it."
    assert await news(ann, path, alone) == "0"


async def test_a_note_and_a_file_of_others_are_told(service: Service, ann: Person, bob: Person) -> None:
    path, _ = await case_of_five(service)
    before = known(await ann.open(path))

    await bob.send(f"{path}/note", note="Called them.")

    assert (await news(ann, path, before)).startswith("Bob wrote a note.")


async def test_what_was_written_before_the_page_was_read_and_seen_after_it_is_told(
    service: Service, ann: Person, bob: Person
) -> None:
    path, options = await case_of_five(service)
    moment, entries, here = known(await ann.open(path)).split("|")
    await decline(bob, path, options[3])
    # As if the page had been read after the decision began, and before it was committed.
    after = known(await ann.open(path)).split("|")[0]

    assert moment < after
    assert "Option 4 was declined: Too big, by Bob." in await news(ann, path, f"{after}|{entries}|{here}")
