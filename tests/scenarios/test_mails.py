"""Mail: who is written what, over a real SMTP server and in the outbox."""

from collections.abc import AsyncIterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from bindery.actions.documents.send_mail import requeue_unsent_mails, send_mail
from bindery.actions.policy.put_in_force import finish_bind
from support.binding import bind, decide, issue, move_to, one_quoted, set_day, upload_signed
from support.mailbox import Letter, Mailbox, mailbox
from support.service import Service, serving, working

DAY = date(2027, 3, 1)
CONTACTS = [
    {"email": "cfo@harborlight.example", "contact_roles": ["policy_notices"]},
    {"email": "ciso@harborlight.example", "contact_roles": ["security_alerts"]},
    {"email": "both@harborlight.example", "contact_roles": ["policy_notices", "security_alerts"]},
    {"email": "a,b@harborlight.example", "contact_roles": ["policy_notices"]},
]


@pytest.fixture
async def box() -> AsyncIterator[Mailbox]:
    async with mailbox() as opened:
        yield opened


@pytest.fixture
async def posting(dsn: str, tmp_path: Path, box: Mailbox) -> AsyncIterator[Service]:
    """A service with an SMTP server and without a worker."""
    async with serving(dsn, tmp_path, smtp_url=f"smtp://127.0.0.1:{box.port}") as service:
        await set_day(service, DAY)
        yield service


def with_contacts(body: dict[str, Any]) -> None:
    body["client"]["additional_contacts"] = CONTACTS


def subjects(letters: list[Letter]) -> set[str]:
    return {letter.message["Subject"] for letter in letters}


async def test_a_bind_writes_to_brokers_and_contacts_and_sends_the_security_letter(
    posting: Service, box: Mailbox
) -> None:
    quote = await one_quoted(posting, with_contacts)
    await upload_signed(posting, quote)

    async with working(posting):
        policy = await bind(posting, quote, app_attestation=True)
        letters = await box.wait_for(2)

    by_subject = {letter.message["Subject"]: letter for letter in letters}
    notice = by_subject[f"{policy['policy_number']} for Harborlight Bakery LLC is issued"]
    letter = by_subject["Security letter for Harborlight Bakery LLC"]
    # No mail server would accept the address with a comma.
    assert notice.recipients == [
        "broker@example.com",
        "cfo@harborlight.example",
        "both@harborlight.example",
    ]
    assert notice.message["From"] == "Bindery <no-reply@bindery.example>"
    assert "from March 2, 2027 to March 2, 2028, 12:01 a.m." in notice.message.get_content()
    assert f"${policy['premium']:,}" in notice.message.get_content()
    assert letter.recipients == ["ciso@harborlight.example", "both@harborlight.example"]
    (attached,) = letter.message.iter_attachments()
    assert (attached.get_filename(), attached.get_content_type()) == (
        "security_letter.pdf",
        "application/pdf",
    )
    assert attached.get_content()[:5] == b"%PDF-"
    pool = posting.runtime.database.pool
    assert await pool.fetchval("select count(*) from mails where sent_at is null") == 0


async def test_a_binder_and_its_policy_are_told_apart_and_each_once(posting: Service, box: Mailbox) -> None:
    quote = await one_quoted(posting)

    async with working(posting):
        binder = await bind(posting, quote)
        await box.wait_for(1)
        (owed,) = quote["contingencies"]
        await decide(posting, quote, "close_contingency", contingency_id=owed["contingency_id"])
        await box.wait_for(2)
    for _ in range(2):
        await finish_bind(posting.runtime, await quote_id(posting))

    number = binder["policy_number"]
    assert subjects(box.letters) == {
        f"{number} for Harborlight Bakery LLC is bound conditionally",
        f"{number} for Harborlight Bakery LLC is issued",
    }
    said = box.letters[0].message.get_content()
    assert "It runs from March 2, 2027 to March 2, 2028, 12:01 a.m." in said
    assert "The binder lapses at the end of March 31, 2027 unless everything that is still owed" in said
    assert await posting.count("mails") == 2


async def quote_id(service: Service) -> Any:
    return await service.runtime.database.pool.fetchval("select quote_id from binds")


async def mail_id(service: Service, kind: str) -> Any:
    return await service.runtime.database.pool.fetchval("select mail_id from mails where kind = $1", kind)


async def test_an_offer_goes_out_over_smtp_once(posting: Service, box: Mailbox) -> None:
    policy = await issue(posting, await one_quoted(posting))
    await move_to(posting, date(2028, 1, 2))
    offer = await mail_id(posting, "renewal_offer")

    await send_mail(posting.runtime, offer)
    await send_mail(posting.runtime, offer)

    (letter,) = box.letters
    assert letter.recipients == ["broker@example.com"]
    assert letter.message["Subject"] == f"Renewal of {policy['policy_number']} for Harborlight Bakery LLC"
    assert letter.message["Message-ID"] == f"<{offer}@bindery.example>"
    assert letter.message["Date"].datetime.date() == date(2028, 1, 2)


async def test_a_mail_that_the_server_will_not_take_is_tried_again(posting: Service, box: Mailbox) -> None:
    box.refuses = 2
    quote = await one_quoted(posting)

    async with working(posting):
        await bind(posting, quote)
        await box.wait_for(1)

    assert box.refused == 2
    assert len(box.letters) == 1


async def test_what_no_job_tries_any_more_is_queued_again_for_three_days(posting: Service) -> None:
    await issue(posting, await one_quoted(posting))
    await finish_bind(posting.runtime, await quote_id(posting))
    await posting.runtime.database.pool.execute("delete from pgq.pgqueuer")

    counts = [await requeue_unsent_mails(posting.runtime)]
    for day in (DAY + timedelta(days=1), DAY + timedelta(days=2), DAY + timedelta(days=4)):
        await set_day(posting, day)
        await posting.runtime.database.pool.execute("delete from pgq.pgqueuer")
        counts.append(await requeue_unsent_mails(posting.runtime))

    assert counts == [0, 1, 1, 0]


async def test_without_a_mail_server_mail_stays_in_the_outbox(service: Service) -> None:
    await issue(service, await one_quoted(service))
    await finish_bind(service.runtime, await quote_id(service))

    await send_mail(service.runtime, await mail_id(service, "policy_issued"))

    assert await requeue_unsent_mails(service.runtime) == 0
    rows = await service.runtime.database.pool.fetch("select kind, sent_at from mails")
    assert [tuple(row) for row in rows] == [("policy_issued", None)]
