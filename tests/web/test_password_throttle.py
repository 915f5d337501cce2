"""How many passwords may be tried: also at once, over two processes, and without shutting others out."""

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import httpx
import pytest

from bindery.domain.access.users import MOST_FAILURES_OF_AN_ACCOUNT, MOST_FAILURES_OF_AN_ADDRESS, Role
from bindery.outside.passwords import MOST_OF_AN_ADDRESS
from support.hashers import CountingHasher, HeldHasher
from support.people import ORIGIN, PASSWORD, Person, new_browser, sign_in_as, text_of
from support.service import Service, serving
from support.waiting import eventually
from support.wire import listening

WRONG = "nothing like it at all"
GUESSES = 60
AN_ADDRESS = "192.0.2.1"


@pytest.fixture
def hasher(service: Service, monkeypatch: pytest.MonkeyPatch) -> CountingHasher:
    """Count the passwords that are checked."""
    counting = CountingHasher()
    monkeypatch.setattr(service.runtime.passwords, "_hasher", counting)
    return counting


@pytest.fixture
def held(service: Service, monkeypatch: pytest.MonkeyPatch) -> Iterator[HeldHasher]:
    """Hold every check of a wrong password until the test lets it go on."""
    holding = HeldHasher(WRONG)
    monkeypatch.setattr(service.runtime.passwords, "_hasher", holding)
    yield holding
    holding.go_on.set()


async def guess(service: Service, email: str, password: str, address: str = AN_ADDRESS) -> httpx.Response:
    async with new_browser(service, address=address) as http:
        return await Person(http, "").post("/sign-in", email=email, password=password)


async def failures_of(service: Service, key: str) -> int:
    counted: int = await service.runtime.database.pool.fetchval(
        "select count(*) from sign_in_failures where key = $1", key
    )
    return counted


async def guess_at_once(services: Sequence[Service], email: str, addresses: Sequence[str]) -> Counter[int]:
    """Send wrong passwords and the right one as the last, all at once; count the answers by status."""
    answers = await asyncio.gather(
        *(
            guess(
                services[number % len(services)],
                email,
                PASSWORD if number == GUESSES - 1 else WRONG,
                addresses[number % len(addresses)],
            )
            for number in range(GUESSES)
        )
    )
    return Counter(answer.status_code for answer in answers)


@pytest.mark.parametrize("addresses", [1, GUESSES], ids=["one address", "an address each"])
async def test_of_sixty_guesses_at_once_five_are_checked(
    service: Service, operator: Person, hasher: CountingHasher, addresses: int
) -> None:
    named = [f"192.0.2.{number}" for number in range(1, addresses + 1)]

    statuses = await guess_at_once([service], operator.email, named)

    assert hasher.verified == MOST_FAILURES_OF_AN_ACCOUNT
    assert statuses[422] == MOST_FAILURES_OF_AN_ACCOUNT
    assert statuses[429] + statuses[503] == GUESSES - MOST_FAILURES_OF_AN_ACCOUNT
    assert await failures_of(service, f"account {operator.email}") == MOST_FAILURES_OF_AN_ACCOUNT


async def test_two_processes_check_five_of_sixty_together(
    dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(dsn, tmp_path / "one") as one, serving(dsn, tmp_path / "other") as other:
        await (await sign_in_as(one, Role.OPERATOR, email="ollie@example.com")).http.aclose()
        hashers = [CountingHasher(), CountingHasher()]
        for service, hasher in zip((one, other), hashers, strict=True):
            monkeypatch.setattr(service.runtime.passwords, "_hasher", hasher)

        statuses = await guess_at_once(
            [one, other], "ollie@example.com", [f"192.0.2.{number}" for number in range(1, 50)]
        )

    assert sum(hasher.verified for hasher in hashers) == MOST_FAILURES_OF_AN_ACCOUNT
    assert statuses[422] == MOST_FAILURES_OF_AN_ACCOUNT
    assert statuses[303] == 0


async def test_an_address_has_twenty_guesses_for_all_accounts_also_at_once(
    service: Service, hasher: CountingHasher
) -> None:
    for _ in range(2):
        await asyncio.gather(
            *(guess(service, f"nobody{number}@example.com", WRONG) for number in range(GUESSES))
        )

    assert hasher.verified == MOST_FAILURES_OF_AN_ADDRESS
    assert await failures_of(service, f"address {AN_ADDRESS}") == MOST_FAILURES_OF_AN_ADDRESS


async def test_a_person_signs_in_while_a_flood_from_elsewhere_stands_in_line(
    service: Service, operator: Person, held: HeldHasher
) -> None:
    flood = [
        asyncio.create_task(guess(service, f"nobody{number}@example.com", WRONG))
        for number in range(MOST_OF_AN_ADDRESS)
    ]
    await eventually(lambda: waiting_at(service, AN_ADDRESS), lambda here: here == MOST_OF_AN_ADDRESS)

    async with asyncio.timeout(30):
        answer = await guess(service, operator.email, PASSWORD, "192.0.2.2")

    assert answer.status_code == 303
    assert not any(task.done() for task in flood)
    held.go_on.set()
    assert {(await task).status_code for task in flood} == {422}


async def waiting_at(service: Service, address: str) -> int:
    return service.runtime.passwords._turns._here[address]


async def test_beyond_its_place_in_line_an_address_is_asked_to_come_again(
    service: Service, operator: Person, held: HeldHasher
) -> None:
    flood = [
        asyncio.create_task(guess(service, f"nobody{number}@example.com", WRONG))
        for number in range(MOST_OF_AN_ADDRESS)
    ]
    await eventually(lambda: waiting_at(service, AN_ADDRESS), lambda here: here == MOST_OF_AN_ADDRESS)

    crowded = await guess(service, operator.email, PASSWORD)

    assert (crowded.status_code, crowded.headers["retry-after"]) == (503, "5")
    assert "Too many people are signing in. Please try again in a few seconds." in text_of(crowded.text)
    assert f'value="{operator.email}"' in crowded.text
    held.go_on.set()
    await asyncio.gather(*flood)


async def test_the_lock_of_an_account_does_not_hit_an_address_it_was_opened_from(
    service: Service, operator: Person
) -> None:
    await operator.post("/sign-out", where="everywhere")
    for number in range(MOST_FAILURES_OF_AN_ACCOUNT):
        assert (await guess(service, operator.email, WRONG, f"192.0.2.{number}")).status_code == 422

    locked = await guess(service, operator.email, PASSWORD, "192.0.2.200")
    known = await guess(service, operator.email, PASSWORD, "127.0.0.1")
    still_locked = await guess(service, operator.email, PASSWORD, "192.0.2.201")

    assert (locked.status_code, locked.headers["retry-after"]) == (429, "900")
    assert known.status_code == 303
    assert still_locked.status_code == 429


@pytest.mark.parametrize(("days", "status"), [(89, 303), (90, 429)])
async def test_an_address_is_known_for_ninety_days(
    service: Service, operator: Person, days: int, status: int
) -> None:
    await service.runtime.database.pool.execute(
        "update known_addresses set seen_at = seen_at - make_interval(days => $1)", days
    )
    for number in range(MOST_FAILURES_OF_AN_ACCOUNT):
        await guess(service, operator.email, WRONG, f"192.0.2.{number}")

    assert (await guess(service, operator.email, PASSWORD, "127.0.0.1")).status_code == status


async def test_a_known_address_still_has_twenty_guesses_and_no_more(
    service: Service, operator: Person, hasher: CountingHasher
) -> None:
    statuses = [
        (await guess(service, operator.email, WRONG, "127.0.0.1")).status_code
        for _ in range(MOST_FAILURES_OF_AN_ADDRESS + 1)
    ]

    assert statuses == [422] * MOST_FAILURES_OF_AN_ADDRESS + [429]
    assert hasher.verified == MOST_FAILURES_OF_AN_ADDRESS
    assert (await guess(service, operator.email, PASSWORD, "127.0.0.1")).status_code == 429


async def test_the_attempt_of_a_right_password_is_given_back(
    service: Service, operator: Person, hasher: CountingHasher
) -> None:
    await guess(service, operator.email, WRONG)

    statuses = {
        (await guess(service, operator.email, PASSWORD)).status_code
        for _ in range(MOST_FAILURES_OF_AN_ADDRESS + 1)
    }

    assert statuses == {303}
    assert hasher.verified == 1 + MOST_FAILURES_OF_AN_ADDRESS + 1
    # The wrong one before stays.
    assert await failures_of(service, f"account {operator.email}") == 1
    assert await failures_of(service, f"address {AN_ADDRESS}") == 1


async def test_a_guess_whose_sender_has_left_is_neither_checked_nor_counted(
    service: Service, operator: Person, held: HeldHasher
) -> None:
    async with listening(service) as wire, AsyncExitStack() as open_ones:
        base_url = f"http://127.0.0.1:{wire.port}"
        first = await open_ones.enter_async_context(httpx.AsyncClient(base_url=base_url, timeout=60))
        waits = asyncio.create_task(_post(first, "nobody@example.com"))
        await eventually(lambda: waiting_at(service, "127.0.0.1"), lambda here: here == 1)
        leaving = [httpx.AsyncClient(base_url=base_url, timeout=60) for _ in range(10)]
        guesses = [asyncio.create_task(_post(http, operator.email)) for http in leaving]
        await eventually(lambda: waiting_at(service, "127.0.0.1"), lambda here: here == 11)

        for task in guesses:
            task.cancel()
        await asyncio.gather(*guesses, return_exceptions=True)
        for http in leaving:
            await http.aclose()
        async with httpx.AsyncClient(base_url=base_url, timeout=60) as http:
            # A round trip later the server has read the ends of the others' connections.
            assert (await http.get("/sign-in")).status_code == 200
        held.go_on.set()
        await eventually(lambda: waiting_at(service, "127.0.0.1"), lambda here: here == 0)

        assert (await waits).status_code == 422
    assert held.verified == 1
    assert await failures_of(service, f"account {operator.email}") == 0


async def _post(http: httpx.AsyncClient, email: str) -> httpx.Response:
    return await http.post("/sign-in", data={"email": email, "password": WRONG}, headers={"Origin": ORIGIN})
