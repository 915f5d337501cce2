"""Documents are made before a quote is published, once, whatever dies in between."""

import uuid
from datetime import date
from typing import Any

import pytest

from bindery.actions import publish_quotes as publishing
from bindery.actions.process_submission import process_submission
from bindery.actions.publish_quotes import publish_quotes
from bindery.actions.render_documents import render_for_quote
from bindery.contract.documents import DocumentType as D
from bindery.domain.paper_types import PaperType
from bindery.outside.blobs import BlobsUnavailable
from bindery.storage import documents
from support.journals import check_journal
from support.papers import read_paper
from support.service import Service
from support.uploads import processed


class Killed(BaseException):
    """Stands for the death of the process."""


AT_ONCE = {D.QUOTE_LETTER, D.APPLICATION, D.POLICY_SPECIMEN, D.RECOMMENDATIONS, D.SECURITY_REPORT}


async def of_quote(service: Service, identifier: str) -> dict[D, str]:
    async with service.runtime.database.reading() as tx:
        found = await documents.of_quotes(tx, [uuid.UUID(identifier)])
    return {document.type: document.sha256 for document in found}


async def submission_of(service: Service, receipt: dict[str, Any]) -> uuid.UUID:
    found: uuid.UUID = await service.runtime.database.pool.fetchval(
        "select submission_id from quotes where quote_id::text = $1", receipt["quotes"][0]["quote_identifier"]
    )
    return found


async def test_a_published_quote_has_its_documents_and_says_so_once(service: Service) -> None:
    quote = await processed(service)

    assert quote["quote_status"] == "published"
    assert set(await of_quote(service, quote["quote_identifier"])) == AT_ONCE
    entries = await service.journal(quote["quote_identifier"])
    check_journal(entries)
    assert [(entry.trigger, entry.type, entry.sequence) for entry in entries[-2:]] == [
        ("publish", "quote.published", 1),
        ("make_documents", "quote.document_ready", 2),
    ]
    assert entries[-1].data == (
        '{"documents":["quote_letter","policy_specimen","application","recommendations","security_report"]}'
    )


async def test_options_share_what_is_the_same_and_have_their_own_letter_and_application(
    service: Service,
) -> None:
    receipt = await service.submit()
    await process_submission(service.runtime, await submission_of(service, receipt))

    first, second = [await of_quote(service, one["quote_identifier"]) for one in receipt["quotes"]]

    assert {kind for kind in AT_ONCE if first[kind] == second[kind]} == {
        D.POLICY_SPECIMEN,
        D.RECOMMENDATIONS,
        D.SECURITY_REPORT,
    }


async def test_the_letter_names_the_day_on_which_the_quote_expires(service: Service) -> None:
    quote = await processed(service)

    async with service.runtime.database.reading() as tx:
        letter = await documents.newest(tx, uuid.UUID(quote["quote_identifier"]), D.QUOTE_LETTER)
    assert letter is not None
    reading = await read_paper(
        service.runtime.paper_reader, await service.runtime.blobs.get(letter.sha256), PaperType.PDF
    )

    last_day = date.fromisoformat(quote["quote_expiration_date"])
    assert f"{last_day:%B} {last_day.day}, {last_day.year}" in reading.text


@pytest.mark.parametrize("dies_at", ["make_documents", "open_offer", "keep_documents"])
async def test_a_worker_that_dies_at_any_step_leaves_nothing_half_done(
    service: Service, monkeypatch: pytest.MonkeyPatch, dies_at: str
) -> None:
    receipt = await service.submit()
    submission_id = await submission_of(service, receipt)

    async def die(*_: object, **__: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(publishing, dies_at, die)
        with pytest.raises(Killed):
            await process_submission(service.runtime, submission_id)

    for one in receipt["quotes"]:
        assert (await service.get(f"/v2/quotes/{one['quote_identifier']}")).status_code == 202
        assert await of_quote(service, one["quote_identifier"]) == {}

    await process_submission(service.runtime, submission_id)

    for one in receipt["quotes"]:
        assert (await service.ready(one["quote_identifier"]))["quote_status"] == "published"
        assert set(await of_quote(service, one["quote_identifier"])) == AT_ONCE
        entries = await service.journal(one["quote_identifier"])
        check_journal(entries)
        assert [entry.type for entry in entries if entry.type] == ["quote.published", "quote.document_ready"]


async def test_a_quote_is_not_published_while_its_files_cannot_be_stored(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    receipt = await service.submit()
    submission_id = await submission_of(service, receipt)

    async def refuse(*_: object, **__: object) -> None:
        raise BlobsUnavailable("the bucket is away")

    with monkeypatch.context() as patch:
        patch.setattr(type(service.runtime.blobs), "put", refuse)
        with pytest.raises(BlobsUnavailable):
            await process_submission(service.runtime, submission_id)

    identifier = receipt["quotes"][0]["quote_identifier"]
    waiting = await service.get(f"/v2/quotes/{identifier}")
    assert (waiting.status_code, waiting.json()["quote_status"]) == (202, "eligible")

    await process_submission(service.runtime, submission_id)

    assert (await service.ready(identifier))["quote_status"] == "published"


async def test_publishing_twice_changes_nothing_more(service: Service) -> None:
    quote = await processed(service)
    before = await service.journal(quote["quote_identifier"])
    made = await of_quote(service, quote["quote_identifier"])
    submission_id = await submission_of(service, {"quotes": [quote]})

    await publish_quotes(service.runtime, submission_id)

    assert await service.journal(quote["quote_identifier"]) == before
    assert await of_quote(service, quote["quote_identifier"]) == made


async def test_an_option_revoked_while_its_documents_are_made_stays_revoked(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    receipt = await service.submit()
    submission_id = await submission_of(service, receipt)
    revoked, kept = (one["quote_identifier"] for one in receipt["quotes"])
    make = publishing.make_documents

    async def make_slowly(*arguments: Any) -> Any:
        made = await make(*arguments)
        await service.post(f"/v2/demo/quotes/{revoked}/review", {"decision": "revoke", "reason": "meanwhile"})
        return made

    monkeypatch.setattr(publishing, "make_documents", make_slowly)
    await process_submission(service.runtime, submission_id)

    assert (await service.ready(revoked))["quote_status"] == "quote_revoked"
    assert await of_quote(service, revoked) == {}
    assert (await service.ready(kept))["quote_status"] == "published"


async def test_what_a_quote_has_is_not_made_again(service: Service) -> None:
    quote = await processed(service)
    quote_id = uuid.UUID(quote["quote_identifier"])
    before = await service.journal(quote["quote_identifier"])

    await render_for_quote(service.runtime, quote_id, tuple(AT_ONCE))

    assert await service.journal(quote["quote_identifier"]) == before
    assert await service.count("documents") == 2 * len(AT_ONCE)
