"""Forgot the password: the same answer for everybody, a link that works once for an hour, and who is told."""

import asyncio
import re
import time
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from bindery.actions.access import mail_password_link
from bindery.actions.documents.send_mail import send_mail
from bindery.domain.access.users import MOST_FAILURES_OF_AN_ACCOUNT, MOST_FAILURES_OF_AN_ADDRESS, Role
from bindery.domain.messages.access_mails import ADDRESS_PLACE, owner_of_address
from bindery.outside.mail import Postman
from support.mailbox import mailbox
from support.people import PASSWORD, Person, new_browser, sign_in_as, text_of
from support.service import Service

NEW = "a brand new pass phrase"
OLLIE = "ollie@example.com"
VOID = "The link was used already, has expired, was taken back, or was not copied whole."


@pytest.fixture(autouse=True)
def _answers_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mail_password_link, "ANSWERED_AFTER_S", 0.0)


@pytest.fixture
async def mailing(service: Service) -> Service:
    """A service with a worker somewhere that has a mail server."""
    await service.runtime.database.pool.execute(
        "insert into workers (worker_id, seen_at, sends_mail) values (gen_random_uuid(), now(), true)"
    )
    return service


@pytest.fixture
async def stranger(mailing: Service) -> AsyncIterator[Person]:
    """Somebody in front of the sign-in page."""
    async with Person(new_browser(mailing), "") as person:
        yield person


@pytest.fixture
async def ollie(mailing: Service) -> AsyncIterator[Person]:
    """An operator who is signed in."""
    async with await sign_in_as(mailing, Role.OPERATOR, email=OLLIE) as person:
        yield person


async def links_mailed(service: Service) -> list[str]:
    """Return the paths of the links in the mails, the oldest first."""
    rows = await service.runtime.database.pool.fetch(
        "select mail_id, sealed_link from mails where kind = 'password_link' order by created_at, mail_id"
    )
    sealer = service.runtime.sealer
    opened = [sealer.open(row["sealed_link"], owner=owner_of_address(row["mail_id"])) for row in rows]
    return [address.decode().removeprefix("http://127.0.0.1:8000") for address in opened]


async def ask(person: Person, email: str = OLLIE, *, status: int = 200) -> str:
    return text_of(await person.send("/forgot-password", status=status, email=email))


async def kinds_of_mail(service: Service) -> list[str]:
    rows = await service.runtime.database.pool.fetch("select kind from mails order by created_at, mail_id")
    return [row["kind"] for row in rows]


async def test_the_sign_in_page_leads_to_it(stranger: Person) -> None:
    assert 'href="/forgot-password"' in await stranger.open("/sign-in")
    assert "Mail me a link" in await stranger.open("/forgot-password")


async def test_a_link_sets_a_password_ends_every_sign_in_and_tells_the_owner(
    mailing: Service, stranger: Person, ollie: Person
) -> None:
    await ask(stranger)
    (link,) = await links_mailed(mailing)
    assert "For ollie@example.com" in text_of(await stranger.open(link))

    said = text_of(await stranger.send(link, password=NEW))

    assert "Your new password is set. Sign in with it." in said
    assert (await ollie.http.get("/ops")).status_code == 303
    assert await kinds_of_mail(mailing) == ["password_link", "password_changed"]
    assert "The address or the password is wrong." in await stranger.send(
        "/sign-in", status=422, email=OLLIE, password=PASSWORD
    )
    assert "<h1>Overview</h1>" in await stranger.send("/sign-in", email=OLLIE, password=NEW)


async def test_everybody_gets_the_same_answer_and_only_users_who_may_sign_in_get_a_mail(
    mailing: Service, stranger: Person, ollie: Person, subtests: pytest.Subtests
) -> None:
    await (await sign_in_as(mailing, Role.UNDERWRITER, email="gone@example.com")).http.aclose()
    await mailing.runtime.database.pool.execute(
        "update users set disabled_at = now() where email = 'gone@example.com'"
    )

    answers = {}
    for email, count in {"nobody@example.com": 0, "gone@example.com": 0, "Ollie@Example.com ": 1}.items():
        with subtests.test(email):
            answers[email] = await ask(stranger, email)
            assert await mailing.count("mails") == count
            assert await mailing.count("password_links") == count

    assert len(set(answers.values())) == 1
    assert "If the address has an account here" in answers["nobody@example.com"]


async def test_the_answer_takes_as_long_for_an_address_without_an_account(
    stranger: Person, ollie: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mail_password_link, "ANSWERED_AFTER_S", 0.3)
    took = {}
    for email in ("nobody@example.com", OLLIE):
        began = time.monotonic()
        await stranger.post("/forgot-password", email=email)
        took[email] = time.monotonic() - began

    assert min(took.values()) >= 0.3


async def test_the_link_is_kept_as_a_hash_and_sealed_in_its_mail(
    mailing: Service, stranger: Person, ollie: Person
) -> None:
    await ask(stranger)

    (link,) = await links_mailed(mailing)
    token = link.rpartition("/")[2]
    rows = await mailing.runtime.database.pool.fetch(
        "select m::text || l::text as kept from mails m, password_links l"
    )
    assert len(token) >= 43
    assert token not in rows[0]["kept"]
    assert token.encode().hex() not in rows[0]["kept"]
    mail = await mailing.runtime.database.pool.fetchrow("select body, html, mail_id from mails")
    assert mail is not None
    assert ADDRESS_PLACE in mail["body"]
    assert ADDRESS_PLACE in mail["html"]
    assert ADDRESS_PLACE in text_of(await ollie.open(f"/ops/mails/{mail['mail_id']}"))


async def test_the_recipient_gets_the_link_and_then_nobody_can_read_it_back(
    mailing: Service, stranger: Person, ollie: Person
) -> None:
    await ask(stranger)
    (link,) = await links_mailed(mailing)
    mail_id = await mailing.runtime.database.pool.fetchval("select mail_id from mails")

    async with mailbox() as box:
        postman = Postman(f"smtp://127.0.0.1:{box.port}", "bindery@example.com")
        object.__setattr__(mailing.runtime, "postman", postman)
        await send_mail(mailing.runtime, mail_id)

    (letter,) = box.letters
    parts = [part.get_content() for part in letter.message.walk() if not part.is_multipart()]
    assert letter.recipients == [OLLIE]
    assert len(parts) == 2
    assert all(f"http://127.0.0.1:8000{link}" in part and ADDRESS_PLACE not in part for part in parts)
    assert await mailing.runtime.database.pool.fetchval("select sealed_link from mails") is None


@pytest.mark.parametrize(("minutes", "status"), [(59, 200), (61, 410)])
async def test_a_link_works_for_an_hour(
    mailing: Service, stranger: Person, ollie: Person, minutes: int, status: int
) -> None:
    await ask(stranger)
    (link,) = await links_mailed(mailing)
    await mailing.runtime.database.pool.execute(
        "update password_links set expires_at = expires_at - $1::interval", timedelta(minutes=minutes)
    )

    shown = await stranger.open(link, status=status)
    sent = await stranger.send(link, status=status, password=NEW)

    assert (VOID in text_of(shown), VOID in text_of(sent)) == (status == 410, status == 410)
    is_changed = await kinds_of_mail(mailing) == ["password_link", "password_changed"]
    assert is_changed == (status == 200)


async def test_a_link_works_once_also_in_two_tabs_and_after_the_back_button(
    mailing: Service, stranger: Person, ollie: Person
) -> None:
    await ask(stranger)
    (link,) = await links_mailed(mailing)

    answers = await asyncio.gather(*(stranger.post(link, password=NEW) for _ in range(2)))
    back = await stranger.open(link, status=410)
    again = await stranger.send(link, status=410, password="yet another pass phrase")

    assert sorted(answer.status_code for answer in answers) == [303, 410]
    assert VOID in text_of(back)
    assert VOID in text_of(again)
    assert 'href="/forgot-password"' in again
    assert "<h1>Overview</h1>" in await stranger.send("/sign-in", email=OLLIE, password=NEW)


async def test_a_new_password_ends_the_links_that_were_mailed_before(
    mailing: Service, stranger: Person, ollie: Person, subtests: pytest.Subtests
) -> None:
    await ask(stranger)
    await ask(stranger)
    first, second = await links_mailed(mailing)

    await stranger.send(second, password=NEW)

    with subtests.test("by a later link"):
        assert VOID in text_of(await stranger.open(first, status=410))
    with subtests.test("on the account page"):
        await ask(stranger)
        await ollie.send("/sign-in", email=OLLIE, password=NEW)
        await ollie.send("/account/password", current=NEW, password=PASSWORD)
        assert VOID in text_of(await stranger.open((await links_mailed(mailing))[-1], status=410))
    with subtests.test("the account is disabled"):
        await ask(stranger)
        link = (await links_mailed(mailing))[-1]
        await mailing.runtime.database.pool.execute("update users set disabled_at = now()")
        assert VOID in text_of(await stranger.send(link, status=410, password=NEW))


async def test_a_weak_password_is_refused_and_the_link_still_works(
    mailing: Service, stranger: Person, ollie: Person
) -> None:
    await ask(stranger)
    (link,) = await links_mailed(mailing)

    for weak in ("short", "ollie is the best", "password password"):
        assert "The password " in text_of(await stranger.send(link, status=422, password=weak))

    assert await kinds_of_mail(mailing) == ["password_link"]
    assert "is set" in await stranger.send(link, password=NEW)


async def test_wrong_passwords_before_do_not_keep_the_new_one_out(mailing: Service, ollie: Person) -> None:
    async with new_browser(mailing, address="192.0.2.9") as http:
        person = Person(http, "")
        for _ in range(MOST_FAILURES_OF_AN_ACCOUNT):
            await person.send("/sign-in", status=422, email=OLLIE, password="not this one")
        await ask(person)
        (link,) = await links_mailed(mailing)
        await person.send(link, password=NEW)

        assert "<h1>Overview</h1>" in await person.send("/sign-in", email=OLLIE, password=NEW)


@pytest.mark.parametrize("email", [OLLIE, "nobody@example.com"])
async def test_an_account_is_mailed_five_links_and_no_more_for_a_while(
    mailing: Service, ollie: Person, email: str
) -> None:
    async with new_browser(mailing, address="192.0.2.9") as http:
        person = Person(http, "")
        for _ in range(MOST_FAILURES_OF_AN_ACCOUNT):
            await ask(person, email)
        answer = await person.post("/forgot-password", email=email)

    assert (answer.status_code, answer.headers["retry-after"]) == (429, "900")
    assert "Too many links were asked for. Try again in 15 minutes." in text_of(answer.text)
    assert await mailing.count("mails") == (MOST_FAILURES_OF_AN_ACCOUNT if email == OLLIE else 0)
    # Passwords are counted apart.
    assert (await ollie.post("/sign-in", email=OLLIE, password=PASSWORD)).status_code == 303


async def test_an_address_asks_for_twenty_links_for_all_accounts(mailing: Service) -> None:
    async with new_browser(mailing, address="192.0.2.9") as http:
        person = Person(http, "")
        answers = await asyncio.gather(
            *(
                person.post("/forgot-password", email=f"nobody{number}@example.com")
                for number in range(MOST_FAILURES_OF_AN_ADDRESS + 3)
            )
        )

    statuses = sorted(answer.status_code for answer in answers)
    assert statuses == [303] * MOST_FAILURES_OF_AN_ADDRESS + [429] * 3


async def test_without_a_mail_server_the_page_says_whom_to_ask(service: Service) -> None:
    async with Person(new_browser(service), "") as person:
        shown = text_of(await person.open("/forgot-password"))
        sent = await ask(person)

    for page in (shown, sent):
        assert "This platform sends no mail" in page
        assert "write to underwriting@bindery.example or call (555) 010-0199" in page
        assert "Mail me a link" not in page
    assert await service.count("mails") == 0


async def test_what_is_no_address_is_refused(stranger: Person) -> None:
    assert "That is not an email address." in await ask(stranger, "ollie", status=422)


async def test_the_page_of_a_link_is_not_kept_and_tells_its_address_to_nobody(
    mailing: Service, stranger: Person, ollie: Person
) -> None:
    await ask(stranger)
    (link,) = await links_mailed(mailing)

    for path in (link, "/new-password/never-was-one"):
        headers = (await stranger.http.get(path)).headers
        assert headers["cache-control"] == "no-store"
        assert headers["referrer-policy"] == "strict-origin"


async def test_somebody_else_who_is_signed_in_stays_so(
    mailing: Service, stranger: Person, ollie: Person, underwriter: Person
) -> None:
    await ask(stranger)
    (link,) = await links_mailed(mailing)

    page = await underwriter.send(link, password=NEW)

    assert f"The password of {OLLIE} is set." in text_of(page)
    assert re.search(r"<h1[^>]*>Queue</h1>", page)


async def test_a_form_from_elsewhere_sets_nothing(mailing: Service, stranger: Person, ollie: Person) -> None:
    await ask(stranger)
    (link,) = await links_mailed(mailing)

    answer = await stranger.post(link, origin="https://evil.example", password=NEW)

    assert answer.status_code == 403
    assert await kinds_of_mail(mailing) == ["password_link"]
