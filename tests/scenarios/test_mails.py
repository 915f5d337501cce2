"""Mail: who is written what, over a real SMTP server and in the outbox."""

import json
from collections.abc import AsyncIterator
from datetime import date, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from bindery.actions.documents.send_mail import requeue_unsent_mails, send_mail, send_mail_again
from bindery.actions.policy.put_in_force import finish_bind
from bindery.domain.messages.mails import name_of_kind
from bindery.outside.mail import MailNotTaken
from documents.reading import text_of
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


def said(letter: Letter, kind: str) -> str:
    body = letter.message.get_body((kind,))
    assert body is not None
    return str(body.get_content()).replace("\r\n", "\n")


def subjects(letters: list[Letter]) -> set[str]:
    return {letter.message["Subject"] for letter in letters}


async def test_a_bind_writes_to_brokers_and_contacts_and_sends_the_security_letter(
    posting: Service, box: Mailbox
) -> None:
    quote = await one_quoted(posting, with_contacts)
    await upload_signed(posting, quote)

    async with working(posting):
        policy = await bind(posting, quote, app_attestation=True)
        letters = await box.wait_for(4)

    number = policy["policy_number"]
    by_subject = {letter.message["Subject"]: letter for letter in letters}
    notice = by_subject[f"{number} for Harborlight Bakery LLC is issued"]
    theirs = by_subject[f"Your policy {number} is issued"]
    letter = by_subject["Security letter for Harborlight Bakery LLC"]
    assert notice.recipients == ["broker@example.com"]
    # No mail server would accept the address with a comma.
    assert theirs.recipients == [
        "ann@harborlight.example",
        "cfo@harborlight.example",
        "both@harborlight.example",
    ]
    assert notice.message["From"] == "Bindery <no-reply@bindery.example>"
    for sent in (notice, theirs):
        text, html = said(sent, "plain"), said(sent, "html")
        papers = {part.get_filename(): part.get_content() for part in sent.message.iter_attachments()}
        bill = text_of(papers["billing_statement.pdf"])
        assert list(papers) == ["policy.pdf", "billing_statement.pdf", "binder_tria.pdf"]
        for figure in (number, f"${policy['premium']:,}.00", f"${policy['total']:,.2f}", "April 1, 2027"):
            assert figure in text
            assert figure in html
            assert figure in bill
        assert "March 2, 2027 to March 2, 2028, 12:01 a.m." in text
    assert f"/company/{policy['company_id']}" in said(notice, "plain")
    assert "Dear Ann Example," in said(theirs, "plain")
    assert "http" not in said(theirs, "plain")
    assert letter.recipients == ["ciso@harborlight.example", "both@harborlight.example"]
    (attached,) = letter.message.iter_attachments()
    assert (attached.get_filename(), attached.get_content_type()) == (
        "security_letter.pdf",
        "application/pdf",
    )
    assert attached.get_content()[:5] == b"%PDF-"
    pool = posting.runtime.database.pool
    assert await pool.fetchval("select count(*) from mails where sent_at is null") == 0
    (proof,) = await pool.fetch("select * from mails where kind = 'policy_issued_to_insured'")
    assert proof["taken"] == theirs.recipients
    assert proof["message_id"] == f"<{proof['mail_id']}@bindery.example>"
    assert proof["server_answer"] == "OK"
    assert {sent["document"]: sent["sha256"] for sent in json.loads(proof["sent_documents"])} == {
        str(part.get_filename()).removesuffix(".pdf"): sha256(part.get_content()).hexdigest()
        for part in theirs.message.iter_attachments()
    }


async def test_a_binder_and_its_policy_are_told_apart_and_each_once(posting: Service, box: Mailbox) -> None:
    quote = await one_quoted(posting)

    async with working(posting):
        binder = await bind(posting, quote)
        await box.wait_for(3)
        (owed,) = quote["contingencies"]
        await decide(posting, quote, "close_contingency", contingency_id=owed["contingency_id"])
        await box.wait_for(5)
    for _ in range(2):
        await finish_bind(posting.runtime, await quote_id(posting))

    number = binder["policy_number"]
    assert subjects(box.letters) == {
        f"Binder B-{number} for Harborlight Bakery LLC",
        f"Your binder B-{number}, due March 31, 2027",
        "Security letter for Harborlight Bakery LLC",
        f"{number} for Harborlight Bakery LLC is issued",
        f"Your policy {number} is issued",
    }
    binders = [letter for letter in box.letters if "inder" in said(letter, "plain").split("\n\n")[1]]
    assert len(binders) == 2
    for letter in binders:
        assert "It lapses at the end of March 31, 2027 unless what is listed below" in said(letter, "plain")
        assert f"- {owed['text']}" in said(letter, "plain")
        assert next(part.get_filename() for part in letter.message.iter_attachments()) == "binder.pdf"
    assert await posting.count("mails") == 5


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
        await box.wait_for(3)

    assert box.refused == 2
    assert len(box.letters) == 3
    errors = await posting.runtime.database.pool.fetch("select last_error from mails")
    assert [row["last_error"] for row in errors] == [None] * 3


async def test_who_is_refused_is_tried_alone_and_nobody_gets_it_twice(posting: Service, box: Mailbox) -> None:
    box.unknown = {"cfo@harborlight.example"}
    await issue(posting, await one_quoted(posting, with_contacts))
    pool = posting.runtime.database.pool
    theirs = await mail_id(posting, "policy_issued_to_insured")

    for _ in range(2):
        with pytest.raises(MailNotTaken, match=r"^cfo@harborlight.example: 550 No such mailbox$"):
            await send_mail(posting.runtime, theirs)
    (once,) = await pool.fetch("select * from mails where mail_id = $1", theirs)
    box.unknown = set()
    await send_mail(posting.runtime, theirs)
    (then,) = await pool.fetch("select * from mails where mail_id = $1", theirs)

    assert [letter.recipients for letter in box.letters] == [
        ["ann@harborlight.example", "both@harborlight.example"],
        ["cfo@harborlight.example"],
    ]
    assert once["sent_at"] is None
    assert once["taken"] == ["ann@harborlight.example", "both@harborlight.example"]
    assert "550 No such mailbox" in once["last_error"]
    assert (then["sent_at"] is None, then["last_error"], then["taken_at"]) == (False, None, once["taken_at"])


async def test_what_no_job_tries_any_more_is_queued_again_for_three_days(posting: Service) -> None:
    await issue(posting, await one_quoted(posting))
    await finish_bind(posting.runtime, await quote_id(posting))
    await posting.runtime.database.pool.execute("delete from pgq.pgqueuer")

    counts = [await requeue_unsent_mails(posting.runtime)]
    for day in (DAY + timedelta(days=1), DAY + timedelta(days=2), DAY + timedelta(days=4)):
        await set_day(posting, day)
        await posting.runtime.database.pool.execute("delete from pgq.pgqueuer")
        counts.append(await requeue_unsent_mails(posting.runtime))

    # The file that was read, the policy to the broker and to the insured, and the security letter.
    assert counts == [0, 4, 4, 0]


async def test_a_mail_that_is_tried_no_more_is_sent_again_by_a_person(posting: Service, box: Mailbox) -> None:
    await issue(posting, await one_quoted(posting))
    mail, pool = await mail_id(posting, "policy_issued"), posting.runtime.database.pool
    await set_day(posting, DAY + timedelta(days=4))
    await pool.execute("delete from pgq.pgqueuer")

    before = await requeue_unsent_mails(posting.runtime)
    asked = [await send_mail_again(posting.runtime.database, mail) for _ in range(2)]
    queued = await pool.fetchval("select count(*) from pgq.pgqueuer")
    await send_mail(posting.runtime, mail)
    late = await send_mail_again(posting.runtime.database, mail)

    assert (before, asked, queued, late) == (0, [True, True], 1, False)
    assert len(box.letters) == 1


async def test_without_a_mail_server_mail_stays_in_the_outbox(service: Service) -> None:
    await issue(service, await one_quoted(service))
    await finish_bind(service.runtime, await quote_id(service))

    await send_mail(service.runtime, await mail_id(service, "policy_issued"))

    assert await requeue_unsent_mails(service.runtime) == 0
    rows = await service.runtime.database.pool.fetch("select kind, sent_at from mails")
    assert {name_of_kind(row["kind"]) for row in rows} == {"file_read", "policy_issued", "security_letter"}
    assert {row["sent_at"] for row in rows} == {None}
