"""A file that nobody can open is no signed application, whatever is attested about it."""

from typing import Any

import pytest

from support import papers
from support.binding import ask_to_bind, bind, one_quoted, shown, told, upload_signed
from support.service import Service
from support.uploads import send_file

DAMAGED = {
    "a broken PDF": b"%PDF-1.4\n" + b"garbage " * 60,
    "half a PDF": papers.letter("An application")[:700],
    "a truncated photo": papers.qr_code("anything", "JPEG")[:1500],
    "a DOCX that is no archive": b"PK\x03\x04 [Content_Types].xml word/document.xml",
}


async def upload(service: Service, quote: dict[str, Any], content: bytes) -> dict[str, Any]:
    (signature,) = quote["contingencies"]
    fields = {"quote_identifier": quote["quote_identifier"], "contingency": signature["contingency_id"]}
    answer = await send_file(service, fields, content)
    assert answer.status_code == 200, answer.text
    receipt: dict[str, Any] = answer.json()
    return receipt


async def test_attesting_a_damaged_file_is_refused_and_nothing_moves(
    service: Service, subtests: pytest.Subtests
) -> None:
    for name, content in DAMAGED.items():
        with subtests.test(name):
            await check_that_it_is_refused(service, content)


async def check_that_it_is_refused(service: Service, content: bytes) -> None:
    quote = await one_quoted(service)
    before = await told(service, quote["quote_identifier"])

    receipt = await upload(service, quote, content)
    refusal = await ask_to_bind(service, quote, app_attestation=True)

    assert receipt["finding"] == "damaged"
    assert receipt["message"] == "The file is damaged: it cannot be opened. Upload it again."
    assert refusal.status_code == 400
    assert refusal.json()["errors"] == [
        {
            "path": "app_attestation",
            "code": "application_damaged",
            "message": "needs the signed application: the uploaded file is damaged, upload it again",
        }
    ]
    after = await shown(service, quote["quote_identifier"])
    assert after["quote_status"] == "published"
    assert [row["status"] for row in after["contingencies"]] == ["open"]
    assert await told(service, quote["quote_identifier"]) == before
    assert await service.count("binds") == 0


async def test_uploading_it_again_whole_lets_the_policy_be_issued(service: Service) -> None:
    quote = await one_quoted(service)
    await upload(service, quote, DAMAGED["a broken PDF"])
    await upload_signed(service, quote)

    policy = await bind(service, quote, app_attestation=True)

    assert policy["quote_status"] == "policy_active"


async def test_a_damaged_file_does_not_stand_in_the_way_of_a_conditional_binder(service: Service) -> None:
    quote = await one_quoted(service)
    await upload(service, quote, DAMAGED["a broken PDF"])

    bound = await bind(service, quote)

    assert bound["quote_status"] == "policy_active"


async def test_a_scan_that_no_machine_reads_is_the_partners_word(service: Service) -> None:
    quote = await one_quoted(service)
    receipt = await upload(service, quote, papers.scanned(papers.letter("Signed"), scale=0.4))

    policy = await bind(service, quote, app_attestation=True)

    assert receipt["finding"] == "unreadable"
    assert policy["quote_status"] == "policy_active"
