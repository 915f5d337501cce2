"""What brokers choose about their mail, the daily digest, and the reminders of the timetable."""

import asyncio
import uuid
from datetime import date, time, timedelta
from typing import Any

import pytest

from bindery.actions.access.change_user import choose_mails
from bindery.actions.documents.send_digests import send_digests
from bindery.actions.policy.remind_of_end import remind_of_end, remind_of_lapse
from bindery.domain.access.users import Role
from bindery.domain.messages.mail_choices import MailChoice, MailSwitch
from bindery.storage.access import users
from support.binding import (
    DAY,
    bind,
    decide,
    issue,
    move_days,
    move_to,
    one_quoted,
    quoted,
    set_day,
    upload_signed,
)
from support.people import fields_of, sign_in_as
from support.service import BROKER, Service, request_body


async def mails(service: Service, kind: str) -> list[dict[str, Any]]:
    rows = await service.runtime.database.pool.fetch(
        "select * from mails where kind like $1 order by created_at, mail_id", f"{kind}%"
    )
    return [dict(row) for row in rows]


async def choose(service: Service, **chosen: str) -> None:
    """Choose as the broker of the partner, who gets an account."""
    async with service.runtime.database.transaction() as tx:
        user = await users.add(
            tx,
            email=BROKER,
            name="Bob Broker",
            role=Role.BROKER,
            partner_id=service.partner.partner_id,
            password_hash=None,
        )
    assert user is not None
    switches = {MailSwitch(name): MailChoice(choice) for name, choice in chosen.items()}
    await choose_mails(service.runtime.database, user, switches)


async def referred(service: Service) -> list[dict[str, Any]]:
    """Return two options that wait for an underwriter."""
    body = request_body()
    body["policy"]["quotes"] = [{"aggregate_limit": 5_000_000}, {"aggregate_limit": 10_000_000}]
    return await quoted(service, body)


async def test_decisions_are_mailed_to_the_broker_with_their_reasons(service: Service) -> None:
    first, second = await referred(service)

    published = await service.count("mails")
    await decide(service, first, "approve", reason="Known to us.", terms={"aggregate_retention": 50_000})
    await decide(service, second, "decline", reason="Too large.")
    contingency = {"type": "pre_bind", "text": "The backup plan"}
    changed = await decide(service, first, "add_contingency", contingency=contingency)
    added = next(row for row in changed["contingencies"] if row["text"] == "The backup plan")
    for _ in range(2):
        await decide(service, first, "close_contingency", contingency_id=added["contingency_id"])

    assert published == 0
    (approved,), (declined,) = (
        await mails(service, "referral_approved"),
        await mails(service, "quote_declined"),
    )
    opened, closed = await mails(service, "contingency")
    assert await service.count("mails") == 4
    assert {tuple(mail["recipients"]) for mail in (approved, declined, opened, closed)} == {(BROKER,)}
    assert "An underwriter approved option 1 for Harborlight Bakery LLC. Reason: Known" in approved["body"]
    assert "- Option 1: retention $50,000" in approved["body"]
    assert "Reason:   Too large." in declined["body"]
    assert "- Added: The backup plan" in opened["body"]
    assert "- Closed: The backup plan" in closed["body"]


async def test_a_file_is_mailed_about_with_what_was_seen(service: Service) -> None:
    quote = await one_quoted(service)

    await upload_signed(service, quote)
    await upload_signed(service, quote)

    written = await mails(service, "file_read")
    assert len(written) == 2
    assert written[0]["recipients"] == [BROKER]
    assert "signed.png was received for option 1 of Harborlight Bakery LLC." in written[0]["body"]


async def test_an_offer_that_nobody_decided_about_writes_no_mail(service: Service) -> None:
    await one_quoted(service)

    assert await service.count("mails") == 0


async def test_a_binder_is_reminded_of_to_broker_and_insured_and_never_twice(service: Service) -> None:
    await set_day(service, DAY)
    await bind(service, await one_quoted(service))
    counts = []
    # It lapses at the end of March 31.
    for day in (16, 17, 23, 24, 28, 29, 31):
        await move_to(service, date(2027, 3, day))
        counts.append(len(await mails(service, "binder_lapsing")))
    quote_id = await service.runtime.database.pool.fetchval("select quote_id from binds")
    again = [remind_of_lapse(service.runtime.database, service.runtime.rules, quote_id) for _ in range(3)]
    await asyncio.gather(*again)

    written = await mails(service, "binder_lapsing")
    assert counts == [0, 2, 2, 4, 4, 6, 6]
    assert len(written) == 6
    assert {tuple(mail["recipients"]) for mail in written} == {(BROKER,), ("ann@harborlight.example",)}
    assert "lapses in 14 days, at the end of March 31, 2027" in written[0]["body"]


async def test_a_binder_whose_files_have_come_is_not_reminded_of(service: Service) -> None:
    await set_day(service, DAY)
    quote = await one_quoted(service)
    await bind(service, quote)
    await upload_signed(service, quote)

    await move_to(service, date(2027, 3, 30))

    assert await mails(service, "binder_lapsing") == []


async def test_after_an_outage_of_the_worker_one_reminder_goes_out(service: Service) -> None:
    await set_day(service, DAY)
    await bind(service, await one_quoted(service))
    await set_day(service, date(2027, 3, 30))

    await move_days(service, 0)

    kinds = sorted(mail["kind"] for mail in await mails(service, "binder_lapsing"))
    assert kinds == ["binder_lapsing_3", "binder_lapsing_to_insured_3"]


async def test_open_options_are_reminded_of_together_10_and_3_days_before_they_end(service: Service) -> None:
    await set_day(service, DAY)
    first, second = await quoted(service)
    counts = []
    # They end on April 30.
    for day in (19, 20, 26, 27):
        await move_to(service, date(2027, 4, day))
        counts.append(len(await mails(service, "quote_ending")))
    for quote in (first, second):
        identifier = uuid.UUID(quote["quote_identifier"])
        await remind_of_end(service.runtime.database, service.runtime.rules, identifier)

    ten, three = await mails(service, "quote_ending")
    assert counts == [0, 1, 1, 2]
    assert "Options 1 and 2 for Harborlight Bakery LLC end in 10 days: April 30, 2027" in ten["body"]
    for quote in (first, second):
        assert f"total ${quote['total']:,.2f}" in three["body"]


async def test_what_is_off_is_not_written_and_what_is_for_the_digest_waits_for_seven(
    service: Service,
) -> None:
    await set_day(service, DAY, time(15))
    await choose(service, referral_approved="digest", quote_declined="digest", contingency="off")
    first, second = await referred(service)
    database, rules = service.runtime.database, service.runtime.rules

    await decide(service, first, "approve", reason="Known to us.")
    contingency = {"type": "pre_bind", "text": "The backup plan"}
    await decide(service, first, "add_contingency", contingency=contingency)
    before = [await send_digests(database, rules)]
    await set_day(service, DAY + timedelta(days=1), time(6, 59))
    before.append(await send_digests(database, rules))
    await set_day(service, DAY + timedelta(days=1), time(7))
    # This comes after the hour, and waits for the next day.
    await decide(service, second, "decline", reason="Too large.")
    at_seven = await asyncio.gather(*(send_digests(database, rules) for _ in range(3)))
    await set_day(service, DAY + timedelta(days=5), time(3))
    late = [await send_digests(database, rules) for _ in range(2)]

    assert (before, sum(at_seven), late) == ([0, 0], 1, [1, 0])
    digest, second_digest = await mails(service, "digest")
    assert await service.count("mails") == 2
    assert digest["recipients"] == [BROKER]
    assert "Dear Bob Broker," in digest["body"]
    assert (
        "- An underwriter approved option 1 for Harborlight Bakery LLC. Reason: Known to us."
        in digest["body"]
    )
    assert f"/company/{first['company_id']}" in digest["body"]
    assert "declined" not in digest["body"]
    assert "- An underwriter declined option 2 for Harborlight Bakery LLC." in second_digest["body"]


async def test_choices_are_a_brokers_own_and_no_notice_is_switched_off(service: Service) -> None:
    await set_day(service, DAY)
    await choose(service, **dict.fromkeys(MailSwitch, "off"))
    quote = await one_quoted(
        service, lambda body: body["client"].update(secondary_broker_email="second@example.com")
    )
    policy = await issue(service, quote)

    await decide(service, policy, "cancel", reason="business_sold")

    to = {mail["kind"].rstrip("_0123456789"): mail["recipients"] for mail in await mails(service, "")}
    assert to == {
        "file_read": ["second@example.com"],
        "policy_issued": ["second@example.com"],
        "policy_issued_to_insured": ["ann@harborlight.example"],
        "security_letter": ["ann@harborlight.example"],
        "policy_ended": [BROKER, "second@example.com"],
        "policy_ended_to_insured": ["ann@harborlight.example"],
    }


async def test_a_broker_chooses_on_the_account_page_and_an_underwriter_has_nothing_to(
    service: Service,
) -> None:
    async with await sign_in_as(service, Role.BROKER) as broker:
        page = await broker.open("/account")
        await broker.send("/account/mails", file_read="off", renewal="digest", policy="never")
        after = await broker.open("/account")
    async with await sign_in_as(service, Role.UNDERWRITER) as underwriter:
        theirs = await underwriter.open("/account")

    assert "Notices that law asks for (cancellation, lapse, reinstatement) always come at once" in page
    assert fields_of(page, "/account/mails") == dict.fromkeys(MailSwitch, "at_once")
    kept = await service.runtime.database.pool.fetch("select switch, choice from mail_choices order by 1")
    assert [tuple(row) for row in kept] == [("file_read", "off"), ("renewal", "digest")]
    chosen = {"file_read": "off", "renewal": "digest"}
    assert fields_of(after, "/account/mails") == {
        str(kind): chosen.get(kind, "at_once") for kind in MailSwitch
    }
    assert "/account/mails" not in theirs


@pytest.mark.parametrize("role", [Role.UNDERWRITER, Role.OPERATOR])
async def test_only_brokers_have_choices(service: Service, role: Role) -> None:
    async with await sign_in_as(service, role) as person:
        answer = await person.post("/account/mails", file_read="off")

    assert answer.status_code in {403, 404}
    assert await service.count("mail_choices") == 0
