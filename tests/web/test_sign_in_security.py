"""What keeps accounts safe: the cookie, how passwords are kept, and how many of them may be tried."""

import asyncio
from pathlib import Path

import httpx
import pytest

from bindery.actions.access.change_user import add_user
from bindery.domain.access.users import Role
from bindery.outside.passwords import Passwords
from bindery.settings import Environment
from support.hashers import CountingHasher
from support.people import PASSWORD, Person, new_browser, sign_in_as
from support.service import Service, serving

PLATFORM = "https://desk.bindery.example"


def parts_of(cookie: str) -> tuple[str, set[str]]:
    """Return the name of a cookie, and its attributes."""
    pair, *attributes = cookie.split("; ")
    return pair.partition("=")[0], set(attributes)


async def test_the_cookie_of_production_goes_to_this_host_over_https_alone_and_to_no_script(
    dsn: str, tmp_path: Path
) -> None:
    production = {
        "environment": Environment.PRODUCTION,
        "platform_url": PLATFORM,
        "base_url": f"{PLATFORM}/v2",
    }
    async with serving(dsn, tmp_path, **production) as service:
        await add_user(
            service.runtime,
            email="uma@example.com",
            name="Uma",
            role=Role.UNDERWRITER,
            partner=None,
            password=PASSWORD,
        )
        http = httpx.AsyncClient(transport=service.http._transport, base_url=PLATFORM)
        async with Person(http, "uma@example.com", origin=PLATFORM) as uma:
            signed_in = await uma.post("/sign-in", email=uma.email, password=PASSWORD)
            assert (await uma.http.get("/desk")).status_code == 200
            signed_out = await uma.post("/sign-out")
            assert (await uma.http.get("/desk")).status_code == 303

    # A cookie of this name with a `Domain` or without `Secure` and `Path=/` is refused by browsers.
    assert parts_of(signed_in.headers["set-cookie"]) == (
        "__Host-bindery",
        {"HttpOnly", "Max-Age=604800", "Path=/", "SameSite=lax", "Secure"},
    )
    name, attributes = parts_of(signed_out.headers["set-cookie"])
    assert name == "__Host-bindery"
    assert {"HttpOnly", "Max-Age=0", "Path=/", "Secure"} <= attributes
    assert signed_out.headers["clear-site-data"] == '"cache"'


async def test_the_demo_has_a_cookie_of_its_own_that_works_without_https(service: Service) -> None:
    async with await sign_in_as(service, Role.OPERATOR) as operator:
        signed_in = await operator.post("/sign-in", email=operator.email, password=PASSWORD)

    name, attributes = parts_of(signed_in.headers["set-cookie"])
    assert name == "bindery_demo"
    assert attributes == {"HttpOnly", "Max-Age=604800", "Path=/", "SameSite=lax"}


async def test_passwords_are_kept_as_argon2id_with_19_mib_and_two_passes(dsn: str, tmp_path: Path) -> None:
    async with (
        serving(dsn, tmp_path, hashes_quickly=False) as service,
        await sign_in_as(service, Role.OPERATOR),
    ):
        kept = await service.runtime.database.pool.fetchval("select password_hash from users")

    assert kept.startswith("$argon2id$v=19$m=19456,t=2,p=1$")


async def test_no_more_than_two_passwords_are_hashed_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    passwords, hasher = Passwords(), CountingHasher()
    monkeypatch.setattr(passwords, "_hasher", hasher)
    kept = await passwords.hash(PASSWORD)

    async def check(address: str, password_hash: str | None) -> bool:
        async with passwords.turn(address):
            return await passwords.check(password_hash, PASSWORD)

    checked = await asyncio.gather(
        *(check(f"192.0.2.{number}", kept) for number in range(4)),
        *(check(f"192.0.2.{number}", None) for number in range(4)),
        passwords.hash(PASSWORD),
    )

    assert checked[:8] == [True] * 4 + [False] * 4
    assert hasher.most_at_once == 2


async def test_an_unknown_address_costs_a_hash_as_a_wrong_password_does(
    service: Service, operator: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    hasher = CountingHasher()
    monkeypatch.setattr(service.runtime.passwords, "_hasher", hasher)
    verified = []

    async with new_browser(service) as http:
        for email in (operator.email, "nobody@example.com", "no address at all"):
            before = hasher.verified
            await Person(http, "").send("/sign-in", status=422, email=email, password="not this one")
            verified.append(hasher.verified - before)

    assert verified == [1, 1, 1]


async def test_twenty_wrong_passwords_from_an_address_close_every_account_to_it(
    service: Service, operator: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with new_browser(service) as http:
        here = Person(http, "")
        with monkeypatch.context() as quick:
            quick.setattr(service.runtime.passwords, "_hasher", CountingHasher())
            for number in range(19):
                email = f"nobody{number}@example.com"
                await here.send("/sign-in", status=422, email=email, password="not this one")
        assert (await here.post("/sign-in", email=operator.email, password=PASSWORD)).status_code == 303
        await here.post("/sign-out")
        await here.send("/sign-in", status=422, email="nobody@example.com", password="not this one")

        refused = await here.send("/sign-in", status=429, email=operator.email, password=PASSWORD)

    assert "Too many wrong passwords. Try again in 15 minutes." in refused
    async with new_browser(service, address="192.0.2.9") as elsewhere:
        answer = await Person(elsewhere, "").post("/sign-in", email=operator.email, password=PASSWORD)
    assert answer.status_code == 303
