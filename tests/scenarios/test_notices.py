"""Notices, certificates and comparisons as partners, brokers and their mailboxes get them."""

import hashlib
import uuid
from collections.abc import AsyncIterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from bindery.actions.documents.make_document import find_document, make_again, make_document
from bindery.actions.documents.send_mail import send_mail
from bindery.base.numbers import in_dollars
from bindery.contract.documents import DocumentType as D
from bindery.domain.access.users import Role
from documents.reading import text_of
from support.binding import bind, decide, issue, move_days, one_quoted, quoted, set_day, shown
from support.mailbox import Mailbox, mailbox
from support.people import links_of, sign_in_as
from support.service import Service, request_body, serving

DAY = date(2027, 3, 1)


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


async def fetched(service: Service, kind: D, quote: dict[str, Any]) -> bytes:
    answer = await service.get(f"/v2/quotes/{kind}/{quote['quote_identifier']}")
    assert answer.status_code == 200, answer.text
    return answer.content


async def send_notices(service: Service) -> None:
    notices = "select mail_id from mails where attachments[1] like '%notice%' order by created_at, mail_id"
    for row in await service.runtime.database.pool.fetch(notices):
        await send_mail(service.runtime, row["mail_id"])


def attached_to(box: Mailbox, subject: str) -> list[tuple[str | None, bytes]]:
    return [
        (part.get_filename(), part.get_content())
        for letter in box.letters
        if subject in letter.message["Subject"]
        for part in letter.message.iter_attachments()
    ]


async def test_a_policy_that_is_canceled_twice_has_a_notice_of_each_and_keeps_them(
    posting: Service, box: Mailbox
) -> None:
    policy = await issue(posting, await one_quoted(posting))
    assert "certificate" in policy["available_documents"]
    certificate = await fetched(posting, D.CERTIFICATE, policy)

    await decide(posting, policy, "cancel", text="Sold.", effective="2027-09-01")
    first = await fetched(posting, D.CANCELLATION_NOTICE, policy)
    canceled = await shown(posting, policy["quote_identifier"])
    refused = await posting.get(f"/v2/quotes/certificate/{policy['quote_identifier']}")
    await decide(posting, policy, "reinstate", reason="Not sold.")
    back = await shown(posting, policy["quote_identifier"])
    kept = await fetched(posting, D.CANCELLATION_NOTICE, policy)
    await decide(posting, policy, "cancel", text="Sold after all.", effective="2027-12-01")
    second = await fetched(posting, D.CANCELLATION_NOTICE, policy)
    reinstatement = await fetched(posting, D.REINSTATEMENT_NOTICE, policy)
    await send_notices(posting)

    # 183 of 366 days, March 2 2027 to March 2 2028: exactly half.
    returned = policy["premium"] - (policy["premium"] + 1) // 2
    assert f"Returned premium {in_dollars(returned)}.00" in text_of(first)
    assert "Coverage ends on September 1, 2027" in text_of(first)
    assert "Reason At the insured\N{RIGHT SINGLE QUOTATION MARK}s request: Sold." in text_of(first)
    assert "ask us to reinstate the policy until March 31, 2027" in text_of(first)
    assert kept == first
    assert "Coverage ends on December 1, 2027" in text_of(second)
    assert "Reason At the insured\N{RIGHT SINGLE QUOTATION MARK}s request: Sold after all." in text_of(second)
    assert f"Premium returned by the cancellation {in_dollars(returned)}.00" in text_of(reinstatement)
    assert "Reinstated on March 1, 2027 Reason Not sold." in text_of(reinstatement)
    assert "certificate" not in canceled["available_documents"]
    assert (refused.status_code, refused.json()["available_statuses"]) == (400, ["policy_active"])
    assert {"certificate", "cancellation_notice", "reinstatement_notice"} <= set(back["available_documents"])
    assert certificate.startswith(b"%PDF-")
    # Each mail, to the broker and to the insured, has the notice of what it tells, though the newest is
    # another one when it is sent.
    assert attached_to(box, "is canceled") == [
        *[("cancellation_notice.pdf", first)] * 2,
        *[("cancellation_notice.pdf", second)] * 2,
    ]
    assert attached_to(box, "is in force again") == [("reinstatement_notice.pdf", reinstatement)] * 2


async def test_a_binder_that_lapses_has_a_notice_of_it(posting: Service, box: Mailbox) -> None:
    quote = await one_quoted(posting)
    before = await bind(posting, quote)

    await move_days(posting, 31)
    lapsed = await shown(posting, quote["quote_identifier"])
    notice = await fetched(posting, D.LAPSE_NOTICE, quote)
    binder = await posting.get(f"/v2/quotes/binder/{quote['quote_identifier']}")
    await send_notices(posting)

    assert "lapse_notice" not in before["available_documents"]
    assert binder.status_code == 400
    assert "The lapse_notice says what was missing." in binder.json()["message"]
    assert "binder" not in lapsed["available_documents"]
    assert "lapse_notice" in lapsed["available_documents"]
    assert f"B-{before['policy_number']}, bound on March 1, 2027" in text_of(notice)
    assert "not received and accepted by March 31, 2027" in text_of(notice)
    assert "Lapsed on April 1, 2027" in text_of(notice)
    assert attached_to(box, "has lapsed") == [("lapse_notice.pdf", notice)] * 2


async def test_cover_that_is_over_by_the_clock_is_on_no_paper_before_the_sweep_either(
    service: Service,
) -> None:
    async def answer(kind: D, quote: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        got = await service.get(f"/v2/quotes/{kind}/{quote['quote_identifier']}")
        if got.status_code == 200:
            return 200, {}
        return got.status_code, {key: value for key, value in got.json().items() if key != "request_id"}

    await set_day(service, DAY)
    binder, policy = await one_quoted(service), await issue(service, await one_quoted(service))
    await bind(service, binder)
    async with await sign_in_as(service, Role.BROKER) as broker:
        # The clock alone moves here: nothing sweeps.
        await set_day(service, date(2027, 3, 31))
        last_day = await answer(D.BINDER, binder)
        await set_day(service, date(2027, 4, 1))
        unswept = await answer(D.BINDER, binder)
        page = await broker.http.get(f"/quote/{binder['quote_identifier']}/document/binder")
        notice = await answer(D.LAPSE_NOTICE, binder)
        status = (await shown(service, binder["quote_identifier"]))["quote_status"]
        await move_days(service, 0)
        swept = await answer(D.BINDER, binder)

    await set_day(service, date(2028, 3, 1))
    insured = await answer(D.CERTIFICATE, policy)
    await set_day(service, date(2028, 3, 2))
    over = await answer(D.CERTIFICATE, policy)
    kept = await answer(D.POLICY, policy)

    assert last_day == (200, {})
    assert unswept == swept
    assert unswept[0] == 400
    assert "The binder has lapsed" in unswept[1]["message"]
    assert page.status_code == 409
    assert (notice[0], "is being written" in notice[1]["message"]) == (400, True)
    assert status == "policy_active"
    assert insured == (200, {})
    assert (over[0], over[1]["available_statuses"]) == (400, ["policy_active"])
    assert kept == (200, {})


async def test_a_notice_made_later_is_the_one_that_is_made_at_once(
    service: Service, policy: dict[str, Any]
) -> None:
    await decide(service, policy, "cancel", text="Sold.")
    at_once = await fetched(service, D.CANCELLATION_NOTICE, policy)
    document = await find_document(
        service.runtime.database, uuid.UUID(policy["quote_identifier"]), D.CANCELLATION_NOTICE
    )
    assert document is not None

    await service.runtime.database.pool.execute("delete from documents")
    await move_days(service, 3)
    later = await fetched(service, D.CANCELLATION_NOTICE, policy)

    assert at_once == later
    assert await make_again(service.runtime, document)


async def test_an_option_that_is_offered_later_brings_a_new_comparison(service: Service) -> None:
    body = request_body()
    body["policy"]["quotes"] = [
        {"aggregate_limit": 1_000_000},
        {"aggregate_limit": 5_000_000},
        {"aggregate_limit": 2_000_000},
    ]
    first, referred, third = await quoted(service, body)

    early = await fetched(service, D.COMPARISON, first)
    same = await fetched(service, D.COMPARISON, third)
    without = await service.get(f"/v2/quotes/comparison/{referred['quote_identifier']}")
    await decide(service, referred, "approve")
    late = [await fetched(service, D.COMPARISON, quote) for quote in (first, referred, third)]

    assert early == same
    assert "Options with a price 2 of 3" in text_of(early)
    assert "Option 1 Option 3" in text_of(early)
    assert f"${first['total']:,.2f} ${third['total']:,.2f}" in text_of(early)
    assert without.status_code == 400
    assert len(set(late)) == 1
    assert "Options with a price 3 of 3" in text_of(late[0])
    assert "Option 1 Option 2 Option 3" in text_of(late[0])


async def test_a_quote_from_before_facts_were_frozen_has_its_later_papers_too(
    service: Service, policy: dict[str, Any]
) -> None:
    pool = service.runtime.database.pool
    await pool.execute("update packets set facts = null, documents_made = true")
    await pool.execute("delete from applicant_facts")

    papers = {kind: text_of(await fetched(service, kind, policy)) for kind in (D.COMPARISON, D.CERTIFICATE)}
    await decide(service, policy, "cancel", text="Sold.")
    notice = text_of(await fetched(service, D.CANCELLATION_NOTICE, policy))

    assert f"${policy['total']:,.2f}" in papers[D.COMPARISON]
    assert f"C-{policy['policy_number']}" in papers[D.CERTIFICATE]
    assert policy["policy_number"] in notice


async def test_a_policy_canceled_before_there_were_notices_has_none(
    service: Service, policy: dict[str, Any]
) -> None:
    await decide(service, policy, "cancel", text="Sold.")
    await service.runtime.database.pool.execute("delete from notices")

    canceled = await shown(service, policy["quote_identifier"])
    refused = await service.get(f"/v2/quotes/cancellation_notice/{policy['quote_identifier']}")

    assert "cancellation_notice" not in canceled["available_documents"]
    assert (refused.status_code, refused.json()["message"]) == (
        400,
        "No cancellation notice was written for this quote.",
    )


async def test_people_open_the_later_papers_on_the_company_page(
    service: Service, policy: dict[str, Any]
) -> None:
    identifier = policy["quote_identifier"]
    await decide(service, policy, "cancel", text="Sold.")
    await decide(service, policy, "reinstate", reason="Not sold.")
    wanted = ("comparison", "certificate", "cancellation_notice", "reinstatement_notice")

    async with await sign_in_as(service, Role.BROKER) as broker:
        page = await broker.open(f"/company/{policy['company_id']}")
        opened = [await broker.http.get(f"/quote/{identifier}/document/{kind}") for kind in wanted]

    assert {f"/quote/{identifier}/document/{kind}" for kind in wanted} <= set(links_of(page))
    for title in ("Comparison of the options", "Certificate of insurance", "Notice of cancellation"):
        assert title in page
    assert [answer.status_code for answer in opened] == [200] * 4
    for kind, answer in zip(wanted, opened, strict=True):
        made = await make_document(service.runtime, uuid.UUID(identifier), D(kind))
        assert hashlib.sha256(answer.content).hexdigest() == made.sha256
