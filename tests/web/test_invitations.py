"""Invitations: the owner alone chooses the first password, by a link that works once for seven days."""

from datetime import timedelta

from bindery.actions.access.invite_user import invite_user
from bindery.domain.access.deeds import Doer
from bindery.domain.access.users import INVITATION_LASTS, LINK_LASTS
from bindery.domain.messages.access_mails import ADDRESS_PLACE, owner_of_address
from support.people import PASSWORD, Person, new_browser, text_of
from support.service import Service

UMA = "uma@example.com"
CHOSEN = "several words that fit nowhere"
VOID = "The link was used already, has expired, was taken back, or was not copied whole."


async def add(operator: Person, email: str = UMA) -> str:
    return await operator.send("/ops/users", email=email, name="Uma Example", role="underwriter")


def link_in(page: str) -> str:
    return page.partition('<pre id="link">')[2].partition("</pre>")[0].removeprefix("http://127.0.0.1:8000")


async def page_of(service: Service, email: str = UMA) -> str:
    user_id = await service.runtime.database.pool.fetchval(
        "select user_id from users where email = $1", email
    )
    return f"/ops/users/{user_id}"


async def mail_goes_out(service: Service) -> None:
    await service.runtime.database.pool.execute(
        "insert into workers (worker_id, seen_at, sends_mail) values (gen_random_uuid(), now(), true)"
    )


async def test_without_a_mail_server_the_link_is_shown_once_and_lets_its_owner_in(
    service: Service, operator: Person
) -> None:
    shown = await operator.post("/ops/users", email=UMA, name="Uma Example", role="underwriter")
    link = link_in(shown.text)

    assert shown.headers["cache-control"] == "no-store"
    assert "This is shown once." in text_of(shown.text)
    assert link not in await operator.open(await page_of(service))
    assert "invited" in text_of(await operator.open("/ops/users"))
    async with Person(new_browser(service), UMA) as uma:
        assert UMA in await uma.open(link)
        weak = text_of(await uma.send(link, status=422, password="short"))
        await uma.send(link, password=CHOSEN)
        signed_in = await uma.send("/sign-in", email=UMA, password=CHOSEN)
        twice = text_of(await uma.send(link, status=410, password=PASSWORD))
    assert "must have at least 12 characters" in weak
    assert "<h1>Queue</h1>" in signed_in
    assert VOID in twice
    assert await service.count("mails") == 0


async def test_with_a_mail_server_the_link_is_mailed_and_nobody_else_sees_it(
    service: Service, operator: Person
) -> None:
    await mail_goes_out(service)

    page = await add(operator)

    row = await service.runtime.database.pool.fetchrow("select * from mails")
    assert row is not None
    sealed = service.runtime.sealer.open(row["sealed_link"], owner=owner_of_address(row["mail_id"])).decode()
    link = sealed.removeprefix("http://127.0.0.1:8000")
    assert (row["kind"], row["recipients"]) == ("invitation", [UMA])
    assert f"{operator.email} has added you as {UMA}." in row["body"]
    assert ADDRESS_PLACE in row["body"]
    assert f"{UMA} is invited by mail; the link works once, until " in text_of(page)
    assert link not in page
    async with Person(new_browser(service), UMA) as uma:
        await uma.send(link, password=CHOSEN)
        assert "<h1>Queue</h1>" in await uma.send("/sign-in", email=UMA, password=CHOSEN)


async def test_an_invitation_lasts_seven_days(service: Service, operator: Person) -> None:
    link = link_in(await add(operator))
    move = "update password_links set expires_at = expires_at - $1::interval"
    almost = INVITATION_LASTS - timedelta(minutes=1)
    assert INVITATION_LASTS == timedelta(days=7) > LINK_LASTS

    await service.runtime.database.pool.execute(move, almost)
    async with Person(new_browser(service), UMA) as uma:
        await uma.open(link)
        await service.runtime.database.pool.execute(move, timedelta(minutes=1))
        expired = text_of(await uma.open(link, status=410))
        unknown = text_of(await uma.open(f"{link}x", status=410))

    assert VOID in expired
    assert expired == unknown
    assert "The invitation expired less than a minute ago." in text_of(
        await operator.open(await page_of(service))
    )
    assert "invitation expired" in text_of(await operator.open("/ops/users"))


async def test_inviting_again_voids_the_link_before_and_taking_back_voids_all(
    service: Service, operator: Person
) -> None:
    first = link_in(await add(operator))
    path = await page_of(service)

    second = link_in(await operator.send(f"{path}/invitation", change="invite"))
    async with Person(new_browser(service), UMA) as uma:
        await uma.open(first, status=410)
        await uma.open(second)
        back = text_of(await operator.send(f"{path}/invitation", change="take_back"))
        again = text_of(await operator.send(f"{path}/invitation", change="take_back"))
        await uma.open(second, status=410)

    assert "The invitation is taken back: its link works no more." in back
    assert "Nothing was done: no invitation works any more." in again
    kinds = await service.runtime.database.pool.fetch(
        "select kind from deeds where actor = $1 order by deed_id", operator.email
    )
    assert [row["kind"] for row in kinds] == [
        "user_added",
        "user_invited",
        "user_invited",
        "invitation_revoked",
    ]


async def test_a_user_with_a_password_and_a_disabled_one_are_not_invited(
    service: Service, operator: Person
) -> None:
    link = link_in(await add(operator))
    path = await page_of(service)
    async with Person(new_browser(service), UMA) as uma:
        await uma.send(link, password=CHOSEN)

    has_one = text_of(await operator.send(f"{path}/invitation", status=422, change="invite"))
    await add(operator, "bo@example.com")
    bo = await page_of(service, "bo@example.com")
    await operator.send(bo, change="disable")
    disabled = text_of(await operator.send(f"{bo}/invitation", status=422, change="invite"))

    assert f"{UMA} has a password already." in has_one
    assert "bo@example.com is disabled; enable the account first." in disabled
    assert (await operator.post("/ops/users/0/invitation", change="invite")).status_code == 404


async def test_the_link_of_a_disabled_user_works_no_more(service: Service, operator: Person) -> None:
    link = link_in(await add(operator))
    await operator.send(await page_of(service), change="disable")

    async with Person(new_browser(service), UMA) as uma:
        await uma.open(link, status=410)


async def test_a_user_and_the_invitation_are_made_together(service: Service, operator: Person) -> None:
    await add(operator)
    refused = text_of(
        await operator.send("/ops/users", status=422, email=UMA, name="Uma", role="underwriter")
    )

    assert "The address has an account already." in refused
    assert await service.count("password_links") == 1
    user_id = int((await page_of(service)).rpartition("/")[2])
    invitation = await invite_user(service.runtime, user_id, by=Doer("root"))
    assert invitation.address.startswith("http://127.0.0.1:8000/new-password/")
