"""Two-step sign-in: setting it up, the second step, recovery codes, turning it off."""

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from bindery.actions.access.turn_on_two_step import reseal_two_step
from bindery.domain.access.two_step import app_address, code_of, owner_of_secret, step_of
from bindery.domain.access.users import MOST_FAILURES_OF_AN_ACCOUNT, MOST_FAILURES_OF_AN_ADDRESS, Role
from bindery.outside.sealing import Sealer
from bindery.web.account.two_step import drawn
from support.people import PASSWORD, Person, fields_of, new_browser, sign_in_as, text_of
from support.service import SECRET, Service

UMA = "uma@example.com"
NOON = datetime(2026, 11, 18, 12, 0, 10, tzinfo=UTC)
SCAN = "Code to scan with an authenticator app"
WRONG_CODE = "The code is wrong, or was used already."


@dataclass
class Phone:
    """An authenticator app that was set up, and the clock of the service."""

    service: Service
    secret: bytes
    recovery_codes: tuple[str, ...]

    def code(self, steps: int = 0) -> str:
        return code_of(self.secret, step_of(self.service.runtime.clock.real_now()) + steps)

    def pass_on(self, **time: float) -> None:
        now = self.service.runtime.clock.real_now() + timedelta(**time)
        stop_clock(self.service, now)


def stop_clock(service: Service, at: datetime) -> None:
    service.runtime.clock.real_now = lambda: at  # type: ignore[method-assign] # the real one does not stand still


@pytest.fixture
async def uma(service: Service) -> AsyncIterator[Person]:
    """An underwriter who is signed in; the clock stands still."""
    stop_clock(service, NOON)
    async with await sign_in_as(service, Role.UNDERWRITER, email=UMA) as person:
        yield person


async def kept_secret(service: Service) -> bytes:
    row = await service.runtime.database.pool.fetchrow("select user_id, sealed from two_step")
    assert row is not None
    return service.runtime.sealer.open(row["sealed"], owner=owner_of_secret(row["user_id"]))


def picture_of(page: str) -> str:
    return page.partition(SCAN)[2].partition("</svg>")[0]


def codes_shown(page: str) -> tuple[str, ...]:
    return tuple(re.findall(r"<code>((?:[a-z2-7]{4}-){3}[a-z2-7]{4})</code>", page))


@pytest.fixture
async def phone(service: Service, uma: Person) -> Phone:
    """Uma's phone, set up; its next code is a new one."""
    await uma.send("/account/two-step", change="begin")
    secret = await kept_secret(service)
    page = await uma.send("/account/two-step", change="on", code=code_of(secret, step_of(NOON)))
    phone = Phone(service, secret, codes_shown(page))
    phone.pass_on(seconds=30)
    return phone


async def give_password(service: Service, *, address: str = "127.0.0.1") -> tuple[Person, str]:
    """Type Uma's password in a new browser, and return it with the page that asks for the code."""
    person = Person(new_browser(service, address=address), UMA)
    answer = await person.post("/sign-in", email=UMA, password=PASSWORD, then="/companies")
    assert answer.status_code == 200, answer.text
    assert "bindery_demo" not in person.http.cookies
    return person, answer.text


async def give_code(person: Person, page: str, code: str) -> httpx.Response:
    return await person.post("/sign-in/code", **{**fields_of(page, "/sign-in/code"), "code": code})


async def mails_of(service: Service) -> list[str]:
    rows = await service.runtime.database.pool.fetch("select kind from mails order by created_at, mail_id")
    return [row["kind"] for row in rows]


async def test_it_is_set_up_with_a_code_of_the_app(service: Service, uma: Person) -> None:
    page = await uma.send("/account/two-step", change="begin")
    secret = await kept_secret(service)
    assert SCAN in page
    assert re.search(r"this key into the app: (?:[A-Z2-7]{4} ){7}[A-Z2-7]{4}", text_of(page))
    assert await mails_of(service) == []

    wrong = await uma.send("/account/two-step", status=422, change="on", code="000000")
    shown = await uma.send("/account/two-step", change="on", code=code_of(secret, step_of(NOON)))

    assert "That is not the code of now." in text_of(wrong)
    assert len(set(codes_shown(shown))) == 10
    assert await mails_of(service) == ["two_step_on"]
    assert "10 of 10 recovery codes are left" in text_of(await uma.open("/account/two-step"))
    assert SCAN not in await uma.open("/account/two-step")


async def test_until_a_code_was_typed_the_password_alone_signs_in(service: Service, uma: Person) -> None:
    await uma.send("/account/two-step", change="begin")

    assert (await uma.post("/sign-in", email=UMA, password=PASSWORD)).status_code == 303


async def test_two_tabs_show_the_same_key_and_only_one_turns_it_on(service: Service, uma: Person) -> None:
    first = await uma.send("/account/two-step", change="begin")
    second = await uma.send("/account/two-step", change="begin")
    code = code_of(await kept_secret(service), step_of(NOON))

    pages = await asyncio.gather(*(uma.send("/account/two-step", change="on", code=code) for _ in range(2)))

    assert picture_of(first) == picture_of(second)
    assert sorted(len(codes_shown(page)) for page in pages) == [0, 10]
    assert any("Two-step sign-in is on already." in text_of(page) for page in pages)
    assert await mails_of(service) == ["two_step_on"]


@pytest.mark.parametrize(("minutes", "is_same"), [(59, True), (61, False)])
async def test_a_key_that_was_not_used_is_replaced_after_an_hour(
    service: Service, uma: Person, minutes: int, is_same: bool
) -> None:
    await uma.send("/account/two-step", change="begin")
    before = await kept_secret(service)
    stop_clock(service, NOON + timedelta(minutes=minutes))

    await uma.send("/account/two-step", change="begin", confirm_password=PASSWORD)

    assert (await kept_secret(service) == before) is is_same


async def test_setting_it_up_asks_for_the_password_again_after_ten_minutes(
    service: Service, uma: Person
) -> None:
    stop_clock(service, NOON + timedelta(minutes=11))

    asked = await uma.send("/account/two-step", change="begin")
    begun = await uma.send("/account/two-step", change="begin", confirm_password=PASSWORD)

    assert "Confirm that it is you" in asked
    assert SCAN in begun
    stop_clock(service, NOON + timedelta(minutes=22))
    assert "Confirm that it is you" in await uma.open("/account/two-step")


async def test_nothing_is_shown_before_somebody_begins(uma: Person) -> None:
    assert (await uma.http.get("/account/two-step")).headers["location"] == "/account"
    refused = await uma.send("/account/two-step", change="on", code="123456")
    assert "turned off meanwhile" in text_of(refused)
    await uma.send("/account/two-step", status=422, change="nothing")


async def test_the_secret_is_sealed_and_the_recovery_codes_are_hashed(service: Service, phone: Phone) -> None:
    pool = service.runtime.database.pool
    sealed = await pool.fetchval("select sealed from two_step")
    hashes = await pool.fetch("select code_sha256 from recovery_codes")

    assert phone.secret not in sealed
    assert len(hashes) == 10
    assert not {row["code_sha256"] for row in hashes} & {code.encode() for code in phone.recovery_codes}


async def test_signing_in_takes_the_password_and_then_a_code(service: Service, phone: Phone) -> None:
    person, page = await give_password(service)
    assert "Enter your code" in page
    assert (await person.http.get("/companies")).status_code == 303

    answer = await give_code(person, page, f"{phone.code()[:3]} {phone.code()[3:]}")

    assert (answer.status_code, answer.headers["location"]) == (303, "/companies")
    assert "<h1>Companies</h1>" in await person.open("/companies")


@pytest.mark.parametrize(("steps", "status"), [(-2, 422), (-1, 303), (0, 303), (1, 303), (2, 422)])
async def test_a_code_of_the_step_before_or_after_signs_in_too(
    service: Service, phone: Phone, steps: int, status: int
) -> None:
    phone.pass_on(minutes=5)
    person, page = await give_password(service)

    answer = await give_code(person, page, phone.code(steps))

    assert answer.status_code == status
    assert (WRONG_CODE in text_of(answer.text)) == (status == 422)


async def test_a_code_signs_in_once(service: Service, phone: Phone) -> None:
    code = phone.code()
    first, page = await give_password(service)
    second, other_page = await give_password(service)
    assert (await give_code(first, page, code)).status_code == 303

    again = await give_code(second, other_page, code)

    assert again.status_code == 422
    assert WRONG_CODE in text_of(again.text)
    phone.pass_on(seconds=30)
    assert (await give_code(second, again.text, phone.code())).status_code == 303


async def test_a_code_that_is_sent_twice_at_once_is_one_sign_in(service: Service, phone: Phone) -> None:
    person, page = await give_password(service)
    before = await service.count("sign_ins")

    answers = await asyncio.gather(*(give_code(person, page, phone.code()) for _ in range(2)))

    assert 303 in [answer.status_code for answer in answers]
    assert await service.count("sign_ins") == before + 1


async def test_after_the_back_button_the_password_is_asked_for_again(service: Service, phone: Phone) -> None:
    person, page = await give_password(service)
    await give_code(person, page, phone.code())
    phone.pass_on(seconds=30)

    late = await give_code(person, page, phone.code())

    assert late.status_code == 403
    assert "Please sign in again." in text_of(late.text)
    assert await service.count("half_sign_ins") == 0
    assert (await person.http.get("/sign-in/code")).headers["location"] == "/sign-in"
    led_back = await person.http.get("/sign-in/code", params={"then": "/desk"})
    assert led_back.headers["location"] == "/sign-in?then=%2Fdesk"


@pytest.mark.parametrize(("minutes", "status"), [(9, 303), (11, 403)])
async def test_the_code_must_come_within_ten_minutes_of_the_password(
    service: Service, phone: Phone, minutes: int, status: int
) -> None:
    person, page = await give_password(service)
    phone.pass_on(minutes=minutes)

    assert (await give_code(person, page, phone.code())).status_code == status


async def test_five_wrong_codes_close_the_second_step_for_a_while(service: Service, phone: Phone) -> None:
    person, page = await give_password(service, address="192.0.2.9")
    for _ in range(MOST_FAILURES_OF_AN_ACCOUNT):
        assert (await give_code(person, page, "000000")).status_code == 422

    refused = await give_code(person, page, phone.code())
    elsewhere, other_page = await give_password(service, address="192.0.2.10")
    also_refused = await give_code(elsewhere, other_page, phone.recovery_codes[0])

    assert (refused.status_code, refused.headers["retry-after"]) == (429, "900")
    assert "Too many wrong codes. Try again in 15 minutes." in text_of(refused.text)
    # The password alone has made neither address known.
    assert also_refused.status_code == 429
    # One that the account was opened from is held to the limit of addresses.
    known, known_page = await give_password(service)
    assert (await give_code(known, known_page, phone.code())).status_code == 303
    phone.pass_on(minutes=15, seconds=1)
    late, late_page = await give_password(service, address="192.0.2.9")
    assert (await give_code(late, late_page, phone.code())).status_code == 303


async def test_an_address_has_twenty_wrong_codes(service: Service, phone: Phone) -> None:
    person, page = await give_password(service)

    statuses = [
        (await give_code(person, page, "000000")).status_code for _ in range(MOST_FAILURES_OF_AN_ADDRESS + 1)
    ]

    assert statuses == [422] * MOST_FAILURES_OF_AN_ADDRESS + [429]


async def test_a_recovery_code_signs_in_once_and_says_how_many_are_left(
    service: Service, phone: Phone, subtests: pytest.Subtests
) -> None:
    for number, code in enumerate(phone.recovery_codes, start=1):
        with subtests.test(str(number)):
            person, page = await give_password(service)
            shown = code.upper().replace("-", " ") if number == 1 else code
            assert (await give_code(person, page, shown)).status_code == 303
            left = 10 - number
            said = text_of(await person.open("/companies"))
            assert {0: "That was your last recovery code.", 1: "1 recovery code is left."}.get(
                left, f"{left} recovery codes are left."
            ) in said
    person, page = await give_password(service)
    again = await give_code(person, page, phone.recovery_codes[0])

    assert again.status_code == 422


async def test_a_kept_form_survives_the_second_step(service: Service, uma: Person, phone: Phone) -> None:
    await service.runtime.database.pool.execute("delete from sign_ins")
    ended = await uma.send("/account/keys", status=403, has_keys="yes")
    asked = await uma.post("/sign-in", **{**fields_of(ended, "/sign-in"), "email": UMA, "password": PASSWORD})

    wrong = await give_code(uma, asked.text, "000000")
    found = await give_code(uma, wrong.text, phone.code())

    assert "Nothing has been sent yet" in found.text
    assert fields_of(found.text, "/account/keys") == {"has_keys": "yes"}


async def test_turning_it_off_takes_the_password_and_a_code(
    service: Service, uma: Person, phone: Phone
) -> None:
    wrong_password = await uma.send(
        "/account/two-step", status=422, change="off", current="not this one", code=phone.code()
    )
    wrong_code = await uma.send(
        "/account/two-step", status=422, change="off", current=PASSWORD, code="000000"
    )
    assert "The password is wrong." in text_of(wrong_password)
    assert WRONG_CODE in text_of(wrong_code)
    assert await mails_of(service) == ["two_step_on"]

    page = await uma.send("/account/two-step", change="off", current=PASSWORD, code=phone.code())
    again = await uma.send("/account/two-step", change="off", current=PASSWORD, code=phone.code())

    assert "Two-step sign-in is off." in text_of(page)
    assert "Two-step sign-in is off already." in text_of(again)
    assert await mails_of(service) == ["two_step_on", "two_step_off"]
    assert await service.count("recovery_codes") == 0
    assert (await uma.post("/sign-in", email=UMA, password=PASSWORD)).status_code == 303


async def test_new_recovery_codes_replace_the_old_ones(service: Service, uma: Person, phone: Phone) -> None:
    page = await uma.send("/account/two-step", change="codes", current=PASSWORD, code=phone.code())

    codes = codes_shown(page)
    assert len(set(codes) - set(phone.recovery_codes)) == 10
    person, asked = await give_password(service)
    assert (await give_code(person, asked, phone.recovery_codes[0])).status_code == 422
    assert (await give_code(person, asked, codes[0])).status_code == 303


async def test_a_user_without_a_password_turns_it_off_with_a_code(
    service: Service, uma: Person, phone: Phone
) -> None:
    await service.runtime.database.pool.execute("update users set password_hash = null")

    page = await uma.send("/account/two-step", change="off", code=phone.code())

    assert "Two-step sign-in is off." in text_of(page)


async def test_an_operator_turns_it_off_for_who_lost_the_phone(
    service: Service, uma: Person, phone: Phone, operator: Person
) -> None:
    user_id = await service.runtime.database.pool.fetchval("select user_id from users where email = $1", UMA)
    half, page = await give_password(service)
    assert "Turn off two-step sign-in" in await operator.open(f"/ops/users/{user_id}")

    said = await operator.send(f"/ops/users/{user_id}", change="two_step_off")

    assert "Two-step sign-in is off; the user is signed out everywhere and told by mail." in text_of(said)
    assert "Turn off two-step sign-in" not in said
    assert (await uma.http.get("/desk")).status_code == 303
    assert (await give_code(half, page, phone.code())).status_code == 403
    assert (await uma.post("/sign-in", email=UMA, password=PASSWORD)).status_code == 303
    body = await service.runtime.database.pool.fetchval("select body from mails where kind = 'two_step_off'")
    assert "An operator turned off two-step sign-in for uma@example.com" in body
    # Once more changes nothing and tells nobody.
    await operator.send(f"/ops/users/{user_id}", change="two_step_off")
    assert await mails_of(service) == ["two_step_on", "two_step_off"]


async def test_a_new_password_ends_a_sign_in_that_waits_for_its_code(
    service: Service, uma: Person, phone: Phone
) -> None:
    person, page = await give_password(service)
    await uma.send("/account/password", current=PASSWORD, password="another long pass phrase")

    assert (await give_code(person, page, phone.code())).status_code == 403


async def test_a_recovery_code_still_signs_in_when_the_key_of_the_seal_is_lost(
    service: Service, phone: Phone
) -> None:
    await service.runtime.database.pool.execute(
        "update two_step set sealed = '\\x00000000'::bytea || substring(sealed from 5)"
    )
    person, page = await give_password(service)

    assert (await give_code(person, page, phone.code())).status_code == 422
    assert (await give_code(person, page, phone.recovery_codes[3])).status_code == 303


async def test_secrets_are_sealed_again_with_a_new_key(service: Service, phone: Phone) -> None:
    new = "another-secret-of-the-tests-0123456789-abc"
    object.__setattr__(service.runtime, "sealer", Sealer([new, SECRET]))
    await service.runtime.database.pool.execute(
        "insert into users (email, name, role, created_at) values ('x@example.com', 'X', 'operator', now());"
        "insert into two_step (user_id, sealed, created_at) "
        "select max(user_id), '\\x0011223344', now() from users"
    )

    resealed = [await reseal_two_step(service.runtime) for _ in range(2)]

    assert resealed == [1, 0]
    object.__setattr__(service.runtime, "sealer", Sealer([new]))
    person, page = await give_password(service)
    assert (await give_code(person, page, phone.code())).status_code == 303


async def test_the_picture_says_what_the_app_needs(service: Service, uma: Person) -> None:
    page = await uma.send("/account/two-step", change="begin")

    picture = drawn(app_address(await kept_secret(service), UMA))
    assert picture in page
    assert " style=" not in picture
    assert (await uma.http.get("/account/two-step")).headers["cache-control"] == "no-store"


async def test_the_click_of_the_demo_asks_for_no_code(service: Service, phone: Phone) -> None:
    await service.runtime.database.pool.execute("update users set email = 'underwriter@example.com'")
    async with Person(new_browser(service), "") as person:
        answer = await person.post("/demo/sign-in", role="underwriter")

    assert answer.status_code == 303
    assert "bindery_demo" in answer.cookies
