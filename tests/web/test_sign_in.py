import hashlib
from datetime import timedelta

import pytest

from bindery.domain.access.users import MOST_FAILURES_OF_AN_ACCOUNT, Role
from support.people import ORIGIN, PASSWORD, Person, new_browser, sign_in_as, text_of
from support.service import Service


async def test_everybody_is_led_to_where_their_work_is(
    broker: Person, underwriter: Person, operator: Person
) -> None:
    assert "<h1>Today</h1>" in await broker.open("/")
    assert "<h1>Queue</h1>" in await underwriter.open("/")
    assert "<h1>Overview</h1>" in await operator.open("/")


async def test_a_page_asks_a_stranger_to_sign_in_and_then_shows_itself(service: Service) -> None:
    await (await sign_in_as(service, Role.UNDERWRITER, email="uma@example.com")).http.aclose()
    async with new_browser(service) as http:
        answer = await http.get("/companies?q=bakery")

        assert answer.status_code == 303
        assert answer.headers["location"] == "/sign-in?then=%2Fcompanies%3Fq%3Dbakery"

        signed_in = await http.post(
            "/sign-in",
            data={"email": "UMA@example.com", "password": PASSWORD, "then": "/companies?q=bakery"},
            headers={"Origin": ORIGIN},
        )

        assert signed_in.headers["location"] == "/companies?q=bakery"


@pytest.mark.parametrize(
    "elsewhere", ["https://evil.example", "//evil.example", "/\\evil.example", "companies"]
)
async def test_signing_in_leads_nowhere_else(service: Service, elsewhere: str) -> None:
    await (await sign_in_as(service, Role.OPERATOR, email="ollie@example.com")).http.aclose()
    async with new_browser(service) as http:
        answer = await http.post(
            "/sign-in",
            data={"email": "ollie@example.com", "password": PASSWORD, "then": elsewhere},
            headers={"Origin": ORIGIN},
        )

    assert answer.headers["location"] == "/"


async def test_a_wrong_password_and_an_unknown_address_are_refused_alike(service: Service) -> None:
    await (await sign_in_as(service, Role.OPERATOR, email="ollie@example.com")).http.aclose()
    async with new_browser(service) as http:
        person = Person(http, "")
        wrong = await person.send("/sign-in", status=422, email="ollie@example.com", password="wrong " * 3)
        unknown = await person.send("/sign-in", status=422, email="nobody@example.com", password="wrong " * 3)

    assert "The address or the password is wrong." in wrong
    assert "The address or the password is wrong." in unknown
    assert "bindery_demo" not in http.cookies


async def test_five_wrong_passwords_close_an_account_for_a_while(service: Service) -> None:
    await (await sign_in_as(service, Role.OPERATOR, email="ollie@example.com")).http.aclose()
    async with new_browser(service, address="192.0.2.9") as http:
        person = Person(http, "")
        for _ in range(MOST_FAILURES_OF_AN_ACCOUNT):
            await person.send("/sign-in", status=422, email="ollie@example.com", password="not this one")

        refused = await person.send("/sign-in", status=429, email="ollie@example.com", password=PASSWORD)

    assert "Try again in 15 minutes." in refused


async def test_what_is_kept_of_a_sign_in_does_not_open_it(service: Service, operator: Person) -> None:
    token = operator.http.cookies["bindery_demo"]
    kept = await service.runtime.database.pool.fetchval("select token_sha256 from sign_ins")

    assert kept == hashlib.sha256(token.encode()).digest()


async def test_signing_out_everywhere_ends_the_other_browser_at_once(service: Service) -> None:
    async with await sign_in_as(service, Role.UNDERWRITER, email="uma@example.com") as first:
        second = Person(new_browser(service), "uma@example.com")
        await second.send("/sign-in", email="uma@example.com", password=PASSWORD)
        assert "<h1>Queue</h1>" in await second.open("/desk")

        await first.send("/sign-out", where="everywhere")

        assert (await second.http.get("/desk")).status_code == 303
        await second.http.aclose()


@pytest.mark.parametrize(("column", "age"), [("seen_at", timedelta(hours=12)), ("expires_at", timedelta(0))])
async def test_a_sign_in_does_not_last_for_ever(
    service: Service, operator: Person, column: str, age: timedelta
) -> None:
    await service.runtime.database.pool.execute(f"update sign_ins set {column} = now() - $1::interval", age)

    assert (await operator.http.get("/ops")).status_code == 303


async def test_a_disabled_user_is_out_at_once(
    service: Service, operator: Person, underwriter: Person
) -> None:
    user_id = await service.runtime.database.pool.fetchval(
        "select user_id from users where email = $1", underwriter.email
    )

    await operator.send(f"/ops/users/{user_id}", change="disable")

    assert (await underwriter.http.get("/desk")).status_code == 303
    refused = await underwriter.send("/sign-in", status=422, email=underwriter.email, password=PASSWORD)
    assert "The address or the password is wrong." in refused


async def test_a_changed_password_signs_out_and_the_old_one_is_void(operator: Person) -> None:
    await operator.send("/account/password", current=PASSWORD, password="another long pass phrase")

    refused = await operator.send("/sign-in", status=422, email=operator.email, password=PASSWORD)
    assert "wrong" in refused
    assert "<h1>Overview</h1>" in await operator.send(
        "/sign-in", email=operator.email, password="another long pass phrase"
    )


@pytest.mark.parametrize("weak", ["short", "a" * 40, "operator operator"])
async def test_a_weak_password_is_refused(service: Service, weak: str) -> None:
    async with await sign_in_as(service, Role.OPERATOR, email="operator@example.com") as operator:
        page = await operator.send("/account/password", status=422, current=PASSWORD, password=weak)

    assert "The new password must" in text_of(page)


async def test_a_form_from_elsewhere_changes_nothing(
    service: Service, operator: Person, subtests: pytest.Subtests
) -> None:
    for origin in [None, "https://evil.example", "null"]:
        with subtests.test(str(origin)):
            answer = await operator.post("/ops/partners", origin=origin, name="Made elsewhere")

            assert answer.status_code == 403
            assert await service.runtime.database.pool.fetchval("select count(*) from partners") == 1


@pytest.mark.parametrize(
    ("site", "status"), [("same-origin", 303), ("none", 303), ("same-site", 403), ("cross-site", 403)]
)
async def test_what_the_browser_says_of_the_sender_counts(operator: Person, site: str, status: int) -> None:
    answer = await operator.http.post(
        "/ops/partners",
        data={"name": "Quillstone"},
        headers={"Sec-Fetch-Site": site, "Origin": "http://service"},
    )

    assert answer.status_code == status


async def test_pages_may_load_nothing_from_elsewhere_and_are_not_kept(operator: Person) -> None:
    headers = (await operator.http.get("/ops")).headers

    assert headers["content-security-policy"] == (
        "default-src 'none'; style-src 'self'; font-src 'self'; script-src 'self'; img-src 'self'; "
        "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    )
    assert headers["cache-control"] == "private, no-cache"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cross-origin-opener-policy"] == "same-origin"
