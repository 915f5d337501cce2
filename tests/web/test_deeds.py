"""Who did what: operators' deeds are noted with them, shown, exported, and never changed."""

import csv
import io

import asyncpg
import pytest

from bindery.actions.access.issue_token import issue_token
from bindery.domain.access.deeds import DEED_WORDS, Deed, Doer
from bindery.domain.access.users import Role
from bindery.storage.operations import deeds
from bindery.storage.operations.deeds import KeptDeed, Sought
from bindery.web.frame.spreadsheets import TOGETHER
from support.people import Person, fields_of, sign_in_as, text_of
from support.service import Service


async def noted(service: Service, **sought: object) -> list[KeptDeed]:
    async with service.runtime.database.reading() as tx:
        found = await deeds.newest(tx, Sought(**sought), limit=50)  # type: ignore[arg-type] # as given
    return [deed for deed in found.rows if deed.actor != "bindery"]


async def test_what_an_operator_does_is_noted_with_who_and_from_where(
    service: Service, operator: Person
) -> None:
    key = service.partner.key
    form = fields_of(await operator.open(f"/ops/partners/{key}"), f"/ops/partners/{key}/tokens")

    await operator.send(f"/ops/partners/{key}/brokers", email="ann@example.com", firm="Ann & Co")
    await operator.send(f"/ops/partners/{key}/contact", contact="it@example.com")
    await operator.send(f"/ops/partners/{key}/tokens", **form)
    await operator.send(f"/ops/partners/{key}/revoke", token_id=form["token_id"])
    await operator.send(f"/ops/partners/{key}/revoke", token_id=form["token_id"])
    async with await sign_in_as(service, Role.BROKER, email="uma@example.com") as other:
        user_id = await service.runtime.database.pool.fetchval(
            "select user_id from users where email = $1", other.email
        )
    await operator.send(f"/ops/users/{user_id}/role", role="underwriter", partner="")
    await operator.send(f"/ops/users/{user_id}", change="disable")

    found = (await noted(service))[::-1]
    assert [(deed.kind, deed.about, deed.details) for deed in found] == [
        ("broker_added", "ann@example.com", "Ann & Co"),
        ("contact_set", service.partner.name, "it@example.com"),
        ("token_issued", form["token_id"], "365 days"),
        ("token_revoked", form["token_id"], ""),
        ("role_changed", "uma@example.com", f"from broker of {service.partner.name} to underwriter"),
        ("user_disabled", "uma@example.com", ""),
    ]
    assert {(deed.actor, deed.place) for deed in found} == {(operator.email, "127.0.0.1")}
    assert [deed.partner_key for deed in found[:4]] == [key] * 4
    assert [deed.user_id for deed in found[4:]] == [user_id] * 2
    page = text_of(await operator.open("/ops/deeds"))
    assert page.index("User disabled uma@example.com") < page.rindex("Token revoked")
    assert "Broker added: ann@example.com" in text_of(await operator.open(f"/ops/partners/{key}"))
    assert f"User disabled: uma@example.com {operator.email}" in text_of(
        await operator.open(f"/ops/users/{user_id}")
    )


async def test_a_refused_deed_is_not_noted(service: Service, operator: Person) -> None:
    key = service.partner.key

    await operator.send(f"/ops/partners/{key}/brokers", status=422, email="nobody")
    await operator.send("/ops/partners", status=422, name=service.partner.name, contact="")
    await operator.send(f"/ops/partners/{key}/revoke", status=404, token_id="unknown0")
    await operator.send("/ops/users", status=422, email="pat", name="", role="", password="short")

    assert await noted(service) == []


async def test_deeds_can_be_neither_changed_nor_removed(service: Service) -> None:
    async with service.runtime.database.transaction() as tx:
        await deeds.append(tx, Doer("pat@example.com"), Deed.AUTHORITY_SET, "uma@example.com")

    for statement in (
        "update deeds set actor = 'nobody'",
        "delete from deeds",
        "truncate deeds",
    ):
        with pytest.raises(asyncpg.RaiseError, match="append-only"):
            await service.runtime.database.pool.execute(statement)
    assert [deed.actor for deed in await noted(service)] == ["pat@example.com"]


async def test_the_list_is_filtered_turned_and_exported(service: Service, operator: Person) -> None:
    async with service.runtime.database.transaction() as tx:
        for number in range(60):
            await deeds.append(tx, Doer("pat@example.com", place="10.0.0.1"), Deed.MAIL_READ, str(number))
        await deeds.append(
            tx,
            Doer("=root", place="command line of db1"),
            Deed.JOB_RETRIED,
            "send_mail",
            partner_id=service.partner.partner_id,
        )

    first = await operator.open("/ops/deeds?kind=mail_read")
    second = await operator.open("/ops/deeds?kind=mail_read&after=11")
    unknown = text_of(await operator.open("/ops/deeds?partner=Nobody"))
    answer = await operator.http.get(f"/ops/deeds.csv?partner={service.partner.name}&who=ROOT")

    assert first.count("Mail read") - 1 == 50  # the filter names it too
    assert "kind=mail_read&amp;after=" in first
    assert second.count("Mail read") - 1 <= 50
    assert "Nothing of that was done." in unknown
    rows = list(csv.reader(io.StringIO(answer.text.removeprefix("\ufeff"))))
    assert rows[0][:4] == ["At (UTC)", "Who", "From", "Did"]
    assert [row[1:] for row in rows[1:]] == [
        ["'=root", "command line of db1", "Jobs tried again", "send_mail", "", service.partner.name, ""]
    ]


async def test_the_csv_is_whole_however_long_the_list_is(service: Service, operator: Person) -> None:
    many = TOGETHER * 20 + 1
    statement = """
    insert into deeds (at, kind, actor, place, about, details)
    select now(), 'mail_read', 'pat@example.com', '10.0.0.1', n::text, ''
    from generate_series($1::int, $2::int) n
    """

    async def abouts() -> list[int]:
        answer = await operator.http.get("/ops/deeds.csv?who=pat@example.com")
        return [int(row[4]) for row in csv.reader(io.StringIO(answer.text)) if row[4].isdigit()]

    written = 0
    # At both sides of where one part ends, and far beyond.
    for count in (TOGETHER - 1, TOGETHER, TOGETHER + 1, many):
        await service.runtime.database.pool.execute(statement, written + 1, count)
        written = count

        assert await abouts() == [*range(count, 0, -1)]


async def test_only_operators_see_who_did_what(service: Service, underwriter: Person) -> None:
    for path in ("/ops/deeds", "/ops/deeds.csv"):
        assert (await underwriter.http.get(path)).status_code in {403, 404}


def test_every_deed_has_its_words() -> None:
    assert set(DEED_WORDS) == set(Deed)
    assert len(set(DEED_WORDS.values())) == len(Deed)


async def test_reading_a_mail_is_noted(service: Service, operator: Person) -> None:
    async with service.runtime.database.transaction() as tx:
        await tx.execute(
            """
            insert into mails (mail_id, kind, recipients, subject, body, attachments, created_at)
            values ($1, 'password_changed', '{pat@example.com}', 'Changed', 'Body', '{}', now())
            """,
            tx.new_id(),
        )
    (path,) = {
        link for link in (await operator.open("/ops/mails")).split('"') if link.startswith("/ops/mails/")
    }

    await operator.open(path)

    (deed,) = await noted(service)
    assert (deed.kind, deed.about) == ("mail_read", path.rpartition("/")[2])
    assert deed.details.endswith("to pat@example.com")


async def test_a_token_keeps_who_issued_it_and_for_what(service: Service) -> None:
    runtime = service.runtime
    await issue_token(
        runtime.database,
        runtime.clock,
        runtime.settings,
        runtime.secret,
        service.partner,
        days=30,
        label="nightly export",
        by=Doer("root", place="command line of db1"),
    )

    (deed,) = await noted(service)
    row = await runtime.database.pool.fetchrow(
        "select label, issued_by from tokens where token_id = $1", deed.token_id
    )
    assert (deed.about, deed.details) == (deed.token_id, "nightly export, 30 days")
    assert row is not None
    assert tuple(row) == ("nightly export", "root")
