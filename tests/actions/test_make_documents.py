"""Documents are made from facts that were frozen with the offer: once, with the same bytes whenever."""

import asyncio
import uuid
from datetime import date, timedelta
from typing import Any

import pytest

from bindery.actions.documents.make_document import make_document, make_packet
from bindery.actions.submission import process_submission as processing
from bindery.actions.submission.process_submission import process_submission
from bindery.contract.documents import DocumentType as D
from bindery.contract.documents import PacketType
from bindery.domain.documents.access import OF_PACKET
from bindery.domain.documents.file_types import PaperType
from bindery.outside.blobs import BlobsUnavailable
from bindery.storage.documents import documents
from bindery.worker.idle_press import make_newest
from support.binding import bind, decide, issue, one_quoted, quoted, set_day, today
from support.intake import changed, professional, technology
from support.journals import check_journal
from support.papers import read_paper
from support.service import Service
from support.uploads import processed


class Killed(Exception):
    """Stands for the death of the process."""


OF_THE_OFFER = {D.QUOTE_LETTER, D.APPLICATION, D.POLICY_SPECIMEN, D.RECOMMENDATIONS, D.SECURITY_REPORT}


async def of_quote(service: Service, identifier: str) -> dict[D, str]:
    async with service.runtime.database.reading() as tx:
        found = await documents.of_quotes(tx, [uuid.UUID(identifier)])
    return {document.type: document.sha256 for document in found}


async def submission_of(service: Service, receipt: dict[str, Any]) -> uuid.UUID:
    found: uuid.UUID = await service.runtime.database.pool.fetchval(
        "select submission_id from quotes where quote_id::text = $1", receipt["quotes"][0]["quote_identifier"]
    )
    return found


async def work_idly(service: Service) -> int:
    """Do what an idle worker does until nothing is left, and return how many packets that were."""
    await service.runtime.database.pool.execute("delete from pgq.pgqueuer")
    count = 0
    while await make_newest(service.runtime):
        count += 1
    return count


async def test_a_quote_is_published_before_any_document_is_made(service: Service) -> None:
    quote = await processed(service)

    assert quote["quote_status"] == "published"
    assert set(quote["available_documents"]) == OF_THE_OFFER | {D.COMPARISON}
    assert await of_quote(service, quote["quote_identifier"]) == {}
    assert await service.count("packets") == 2
    assert await service.count("applicant_facts") == 1


async def test_an_idle_worker_makes_what_nobody_asked_for_and_says_so_once(service: Service) -> None:
    quote = await processed(service)

    assert await work_idly(service) == 2

    assert set(await of_quote(service, quote["quote_identifier"])) == OF_THE_OFFER
    entries = await service.journal(quote["quote_identifier"])
    check_journal(entries)
    assert [(entry.trigger, entry.type, entry.sequence) for entry in entries[-2:]] == [
        ("publish", "quote.published", 1),
        ("make_documents", "quote.document_ready", 2),
    ]
    assert entries[-1].data == (
        '{"documents":["quote_letter","policy_specimen","application","recommendations","security_report"],'
        '"version":1}'
    )
    assert await work_idly(service) == 0
    assert await service.journal(quote["quote_identifier"]) == entries


async def test_an_idle_worker_starts_with_the_newest_offer(service: Service) -> None:
    older = await one_quoted(service)
    newer = await one_quoted(service)
    await service.runtime.database.pool.execute("delete from pgq.pgqueuer")

    await make_newest(service.runtime)

    assert await of_quote(service, older["quote_identifier"]) == {}
    assert set(await of_quote(service, newer["quote_identifier"])) == OF_THE_OFFER


async def test_a_worker_with_jobs_makes_nothing_ahead(service: Service) -> None:
    quote = await one_quoted(service)
    await service.submit()  # a job waits

    assert not await make_newest(service.runtime)

    assert await of_quote(service, quote["quote_identifier"]) == {}


async def test_what_can_no_longer_be_asked_for_is_never_made(service: Service) -> None:
    quote = await one_quoted(service)
    await decide(service, quote, "revoke", reason="The facts changed.")

    assert await work_idly(service) == 1

    assert await of_quote(service, quote["quote_identifier"]) == {}
    assert await work_idly(service) == 0


async def test_the_first_who_asks_has_the_document_made_and_everybody_gets_that_one(service: Service) -> None:
    quote = await one_quoted(service)
    path = f"/v2/quotes/quote_letter/{quote['quote_identifier']}"

    answers = await asyncio.gather(*(service.get(path) for _ in range(4)))

    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.content for answer in answers}) == 1
    assert set(await of_quote(service, quote["quote_identifier"])) == {D.QUOTE_LETTER}
    assert "quote.document_ready" not in {e.type for e in await service.journal(quote["quote_identifier"])}


async def test_whoever_asks_for_the_last_document_completes_the_packet(service: Service) -> None:
    quote = await one_quoted(service)

    for kind in quote["available_documents"]:
        answer = await service.get(f"/v2/quotes/{kind}/{quote['quote_identifier']}")
        assert answer.status_code == 200, answer.text

    told = [e.type for e in await service.journal(quote["quote_identifier"]) if e.type]
    assert told == ["quote.published", "quote.document_ready"]
    assert await work_idly(service) == 0


BODIES = {"CYB": changed, "TEO": technology, "MPL": professional}


OTHERS = [pytest.param(product, marks=pytest.mark.long) for product in ("TEO", "MPL")]


@pytest.mark.parametrize("product", ["CYB", *OTHERS])
async def test_a_document_made_on_request_is_the_one_that_is_made_ahead(
    service: Service, product: str
) -> None:
    body = BODIES[product]()
    body["policy"]["quotes"] = body["policy"]["quotes"][:1]
    (asked,) = await quoted(service, body)
    policy = await issue(service, asked)
    identifier, quote_id = policy["quote_identifier"], uuid.UUID(policy["quote_identifier"])
    pool = service.runtime.database.pool
    made_ahead: dict[str, bytes] = {}
    for packet in PacketType:
        await make_packet(service.runtime, quote_id, packet)
    for kind in policy["available_documents"]:
        answer = await service.get(f"/v2/quotes/{kind}/{identifier}")
        made_ahead[kind] = answer.content
    await pool.execute("delete from documents")
    await set_day(service, await today(service) + timedelta(days=2))

    on_request = {
        kind: (await service.get(f"/v2/quotes/{kind}/{identifier}")).content
        for kind in policy["available_documents"]
    }

    wanted = {kind for kinds in OF_PACKET.values() for kind in kinds} | {D.COMPARISON, D.CERTIFICATE}
    assert {D(kind) for kind in on_request} == wanted - ({D.SECURITY_REPORT} if product == "MPL" else set())
    assert on_request == made_ahead


async def test_options_share_what_is_the_same_and_have_their_own_letter_and_application(
    service: Service,
) -> None:
    receipt = await service.submit()
    await process_submission(service.runtime, await submission_of(service, receipt))
    await work_idly(service)

    first, second = [await of_quote(service, quote["quote_identifier"]) for quote in receipt["quotes"]]

    assert {kind for kind in OF_THE_OFFER if first[kind] == second[kind]} == {
        D.POLICY_SPECIMEN,
        D.RECOMMENDATIONS,
        D.SECURITY_REPORT,
    }


async def test_a_shared_document_is_the_one_that_an_option_would_get_alone(service: Service) -> None:
    receipt = await service.submit()
    await process_submission(service.runtime, await submission_of(service, receipt))
    first, second = (uuid.UUID(quote["quote_identifier"]) for quote in receipt["quotes"])
    alone = await make_document(service.runtime, second, D.SECURITY_REPORT)
    await service.runtime.database.pool.execute("delete from documents")
    await make_document(service.runtime, first, D.SECURITY_REPORT)

    shared = await make_document(service.runtime, second, D.SECURITY_REPORT)

    assert shared.sha256 == alone.sha256


async def test_the_letter_names_the_day_on_which_the_quote_expires(service: Service) -> None:
    quote = await processed(service)

    letter = await make_document(service.runtime, uuid.UUID(quote["quote_identifier"]), D.QUOTE_LETTER)
    reading = await read_paper(
        service.runtime.upload_reader, await service.runtime.blobs.get(letter.sha256), PaperType.PDF
    )

    last_day = date.fromisoformat(quote["quote_expiration_date"])
    assert f"{last_day:%B} {last_day.day}, {last_day.year}" in reading.text


@pytest.mark.parametrize("dies_at", ["decide_submissions", "scan_domains"])
async def test_a_worker_that_dies_at_any_step_leaves_nothing_half_done(
    service: Service, monkeypatch: pytest.MonkeyPatch, dies_at: str
) -> None:
    receipt = await service.submit()
    submission_id = await submission_of(service, receipt)

    async def die(*_: object, **__: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(processing, dies_at, die)
        with pytest.raises(Killed):
            await asyncio.wait_for(process_submission(service.runtime, submission_id), 10)

    for quote in receipt["quotes"]:
        assert (await service.get(f"/v2/quotes/{quote['quote_identifier']}")).status_code == 202
        assert await of_quote(service, quote["quote_identifier"]) == {}

    await process_submission(service.runtime, submission_id)

    for quote in receipt["quotes"]:
        assert (await service.ready(quote["quote_identifier"]))["quote_status"] == "published"
        entries = await service.journal(quote["quote_identifier"])
        check_journal(entries)
        assert [entry.type for entry in entries if entry.type] == ["quote.published"]


async def test_a_quote_is_published_though_its_files_cannot_be_stored(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*_: object, **__: object) -> None:
        raise BlobsUnavailable("the bucket is away")

    with monkeypatch.context() as patch:
        patch.setattr(type(service.runtime.blobs), "put", refuse)
        quote = await one_quoted(service)
        path = f"/v2/quotes/quote_letter/{quote['quote_identifier']}"
        refused = await service.get(path)

    assert quote["quote_status"] == "published"
    assert refused.status_code == 503
    assert (await service.get(path)).status_code == 200


async def test_processing_twice_changes_nothing_more(service: Service) -> None:
    quote = await processed(service)
    before = await service.journal(quote["quote_identifier"])

    await process_submission(service.runtime, await submission_of(service, {"quotes": [quote]}))

    assert await service.journal(quote["quote_identifier"]) == before


async def test_what_a_quote_has_is_not_made_again(service: Service) -> None:
    quote = await processed(service)
    quote_id = uuid.UUID(quote["quote_identifier"])
    await make_packet(service.runtime, quote_id, PacketType.QUOTE)
    before = await service.journal(quote["quote_identifier"])

    await make_packet(service.runtime, quote_id, PacketType.QUOTE)

    assert await service.journal(quote["quote_identifier"]) == before
    assert await service.count("documents") == len(OF_THE_OFFER)


async def test_nobody_is_told_of_an_offers_documents_after_its_bind(service: Service) -> None:
    quote = await one_quoted(service)
    await bind(service, quote)

    await make_packet(service.runtime, uuid.UUID(quote["quote_identifier"]), PacketType.QUOTE)

    assert "document_ready" not in str([e.type for e in await service.journal(quote["quote_identifier"])])
    assert set(await of_quote(service, quote["quote_identifier"])) == OF_THE_OFFER


async def test_a_bind_freezes_only_its_own_half_of_the_facts(service: Service) -> None:
    quote = await one_quoted(service)
    await issue(service, quote)

    kept = await service.runtime.database.pool.fetch("select packet, facts::json -> 'questions' from packets")

    assert {row["packet"]: row[1] for row in kept} == {"quote": None, "binder": None, "policy": None}
