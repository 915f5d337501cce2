"""POST /v2/documents: one file for a quote, kept with what could be read from it."""

import hashlib
import uuid
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

import httpx
import pytest
import pytest_asyncio

from bindery.actions.documents.gather_facts import find_facts
from bindery.contract.documents import DocumentType, PacketType, UploadFinding
from bindery.documents import render
from bindery.domain.documents.file_types import LARGEST_PAPER
from bindery.storage.documents import uploads
from bindery.storage.documents.uploads import Upload
from support import papers
from support.processes import EXAMPLES
from support.service import Service, request_body
from support.uploads import finished, processed, send_file

pytestmark = pytest.mark.asyncio(loop_scope="module")

PAPER = papers.letter("A supporting paper")
PICTURE = papers.qr_code("anything")
"""The quickest file to read, for tests that care for something else."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def options(shared: Service) -> list[dict[str, Any]]:
    """Two published options of one submission."""
    receipt = await shared.submit()
    first, second = (quote["quote_identifier"] for quote in receipt["quotes"])
    return [await finished(shared, first), await shared.ready(second)]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def quote(options: list[dict[str, Any]]) -> dict[str, Any]:
    return options[0]


@pytest_asyncio.fixture(loop_scope="module")
async def nothing_is_kept(shared: Service) -> AsyncIterator[None]:
    """Assert that the test leaves no upload behind."""
    before = await shared.count("uploads")
    yield
    assert await shared.count("uploads") == before


def signature_of(quote: dict[str, Any]) -> str:
    (signature,) = quote["contingencies"]
    identifier: str = signature["contingency_id"]
    return identifier


async def application_of(service: Service, quote: dict[str, Any]) -> bytes:
    answer = await service.get(f"/v2/quotes/application/{quote['quote_identifier']}")
    assert answer.status_code == 200
    return answer.content


async def stored(service: Service, answer: httpx.Response) -> Upload:
    assert answer.status_code == 200, answer.text
    async with service.runtime.database.reading() as tx:
        found = await uploads.find(tx, uuid.UUID(answer.json()["document_id"]))
    assert found is not None
    return found


async def test_a_paper_is_kept_and_its_receipt_says_what_was_taken_in(
    shared: Service, quote: dict[str, Any]
) -> None:
    answer = await send_file(
        shared,
        {
            "quote_identifier": quote["quote_identifier"],
            "contingency": signature_of(quote),
            "name": "Signed application",
        },
        PAPER,
        filename="scan.bin",
    )

    assert answer.status_code == 200
    assert answer.json() == {
        "document_id": answer.json()["document_id"],
        "quote_identifier": quote["quote_identifier"],
        "contingency": signature_of(quote),
        "name": "Signed application",
        "content_type": "application/pdf",
        "size": len(PAPER),
        "sha256": hashlib.sha256(PAPER).hexdigest(),
        "finding": "not_recognized",
        "signature": "cannot_tell",
        "pages": None,
        "message": "No application that was issued here is recognized in the file. "
        "Check that it is the right one.",
    }
    upload = await stored(shared, answer)
    assert upload.uploaded_by == f"partner:{shared.partner.key}"
    assert await shared.runtime.blobs.get(upload.sha256) == PAPER


async def test_without_a_name_or_contingency_the_file_gives_the_name(
    shared: Service, quote: dict[str, Any]
) -> None:
    answer = await send_file(
        shared,
        {"quote_identifier": quote["quote_identifier"], "contingency": "", "name": ""},
        PICTURE,
        filename="C:\\papers\\proof.pdf",
    )

    assert answer.status_code == 200
    assert (answer.json()["name"], answer.json()["contingency"]) == ("proof.pdf", None)


async def test_several_papers_may_follow_for_one_contingency(shared: Service, quote: dict[str, Any]) -> None:
    fields = {"quote_identifier": quote["quote_identifier"], "contingency": signature_of(quote)}

    first = await send_file(shared, fields, PICTURE)
    second = await send_file(shared, fields, PICTURE)

    assert first.json()["document_id"] != second.json()["document_id"]
    assert first.json()["sha256"] == second.json()["sha256"]


@pytest.mark.parametrize(
    ("content", "content_type"),
    [
        (PAPER, "application/pdf"),
        (papers.qr_code("anything", "PNG"), "image/png"),
        (papers.qr_code("anything", "JPEG"), "image/jpeg"),
        (papers.qr_code("anything", "TIFF"), "image/tiff"),
        (
            papers.word_document("Hello"),
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        ),
    ],
)
async def test_each_kind_of_file_is_known_by_its_content(
    shared: Service, quote: dict[str, Any], content: bytes, content_type: str
) -> None:
    answer = await send_file(
        shared,
        {"quote_identifier": quote["quote_identifier"]},
        content,
        filename="misleading.txt",
        content_type="text/plain",
    )

    assert answer.status_code == 200
    assert answer.json()["content_type"] == content_type


@pytest.mark.parametrize("content", [b"GIF89a...", b"<html></html>", b"MZ\x90", b"plain words"])
async def test_a_file_of_another_kind_is_refused_whatever_it_says_it_is(
    shared: Service, quote: dict[str, Any], nothing_is_kept: None, content: bytes
) -> None:
    answer = await send_file(
        shared,
        {"quote_identifier": quote["quote_identifier"]},
        content,
        filename="paper.pdf",
        content_type="application/pdf",
    )

    assert answer.status_code == 415
    assert answer.json()["code"] == "unsupported_file_type"


@pytest.mark.parametrize(
    ("content", "finding", "message"),
    [
        pytest.param(
            papers.encrypted(PAPER),
            UploadFinding.UNREADABLE,
            "Nothing could be read from the file: it is encrypted.",
            id="encrypted",
        ),
        pytest.param(
            b"%PDF-1.7 and nothing else",
            UploadFinding.DAMAGED,
            "The file is damaged: it cannot be opened. Upload it again.",
            id="damaged",
        ),
    ],
)
async def test_a_file_that_cannot_be_read_is_kept_and_the_receipt_says_so(
    shared: Service, quote: dict[str, Any], content: bytes, finding: UploadFinding, message: str
) -> None:
    fields = {"quote_identifier": quote["quote_identifier"]}

    supporting = await send_file(shared, fields, content)
    application = await send_file(shared, {**fields, "contingency": signature_of(quote)}, content)

    for answer in (supporting, application):
        assert (answer.json()["finding"], answer.json()["message"]) == (finding, message)
        upload = await stored(shared, answer)
        assert (upload.finding.verdict, upload.finding.note) == (finding, message)


async def test_a_bomb_is_kept_and_harms_nothing(shared: Service, quote: dict[str, Any]) -> None:
    fields = {"quote_identifier": quote["quote_identifier"], "contingency": signature_of(quote)}

    upload = await stored(shared, await send_file(shared, fields, papers.pdf_bomb()))

    assert upload.finding.verdict is UploadFinding.UNREADABLE
    assert (await shared.get("/v2/health_check")).json() == {"healthy": True}


# What an uploaded application turns out to be.


async def verdict_on(service: Service, quote: dict[str, Any], content: bytes) -> UploadFinding:
    fields = {"quote_identifier": quote["quote_identifier"], "contingency": signature_of(quote)}
    answer = await send_file(service, fields, content)
    finding = (await stored(service, answer)).finding
    assert (answer.json()["finding"], answer.json()["message"]) == (finding.verdict, finding.note)
    return finding.verdict


async def test_the_issued_application_signed_electronically_matches(
    shared: Service, quote: dict[str, Any]
) -> None:
    issued = await application_of(shared, quote)

    signed = papers.stamped(issued, "Envelope 7F3A, 2026-11-16")

    assert await verdict_on(shared, quote, signed) is UploadFinding.MATCHED


async def test_the_issued_application_printed_and_scanned_matches_by_its_code(
    shared: Service, quote: dict[str, Any]
) -> None:
    scan = papers.scanned(await application_of(shared, quote))

    assert await verdict_on(shared, quote, scan) is UploadFinding.MATCHED


async def test_a_photo_of_the_signature_page_matches_by_its_code(
    shared: Service, quote: dict[str, Any]
) -> None:
    signature_page = papers.photos(await application_of(shared, quote))[-1]

    assert await verdict_on(shared, quote, papers.as_picture(signature_page, "JPEG")) is UploadFinding.MATCHED


async def test_a_scan_too_coarse_for_its_code_is_unreadable(shared: Service, quote: dict[str, Any]) -> None:
    scan = papers.scanned(await application_of(shared, quote), scale=0.4)

    assert await verdict_on(shared, quote, scan) is UploadFinding.UNREADABLE


async def test_the_signed_sample_among_the_examples_serves_any_quote(
    shared: Service, options: list[dict[str, Any]]
) -> None:
    sample = (EXAMPLES / "signed-application.jpg").read_bytes()

    assert [await verdict_on(shared, option, sample) for option in options] == [UploadFinding.UNREADABLE] * 2


async def test_any_other_paper_for_the_signature_is_not_recognized(
    shared: Service, quote: dict[str, Any]
) -> None:
    assert await verdict_on(shared, quote, PAPER) is UploadFinding.NOT_RECOGNIZED


async def receipt_for(service: Service, quote: dict[str, Any], content: bytes) -> dict[str, Any]:
    fields = {"quote_identifier": quote["quote_identifier"], "contingency": signature_of(quote)}
    answer = await send_file(service, fields, content)
    assert answer.status_code == 200, answer.text
    receipt: dict[str, Any] = answer.json()
    return receipt


async def test_the_file_as_it_was_issued_is_not_signed(shared: Service, quote: dict[str, Any]) -> None:
    receipt = await receipt_for(shared, quote, await application_of(shared, quote))

    assert (receipt["finding"], receipt["signature"]) == ("matched", "not_found")
    assert receipt["pages"] == {"found": 2, "of": 2}
    assert receipt["message"].startswith("This is our application as we issued it: nobody has signed it.")
    shown = (await shared.get(f"/v2/quotes/{quote['quote_identifier']}")).json()["uploads"][-1]
    assert shown.items() >= {name: receipt[name] for name in ("signature", "pages", "message")}.items()


async def test_one_signature_serves_all_options(shared: Service, options: list[dict[str, Any]]) -> None:
    first, second = options

    receipt = await receipt_for(shared, first, papers.signed(await application_of(shared, second)))

    assert (receipt["finding"], receipt["signature"]) == ("matched", "found")
    assert receipt["message"] == (
        "It is the application of option 2; the answers are the same. It is signed."
    )


async def test_the_application_of_another_request_or_company_says_whose_it_is(
    shared: Service, quote: dict[str, Any]
) -> None:
    async def published(service: Service, change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
        receipt = await service.submit(request_body(change))
        return await finished(service, receipt["quotes"][0]["quote_identifier"])

    again = await published(shared, lambda body: body["client"].update(company_id=quote["company_id"]))
    other = await published(shared, lambda body: body["client"].update(name="Other Bakery LLC"))
    foreign = await shared.new_partner("Another partner", "broker@example.com")
    theirs = await published(foreign, lambda body: body["client"].update(name="Third Bakery LLC"))

    said = [
        await receipt_for(shared, quote, papers.signed(await application_of(owner, issued)))
        for owner, issued in ((shared, again), (shared, other), (foreign, theirs))
    ]

    assert [row["finding"] for row in said] == ["other_quote"] * 3
    assert [row["message"].partition(". ")[0] for row in said] == [
        "This is the application of another request of this company",
        "This is the application of another company",
        "This is the application of a quote that is not yours",
    ]
    assert theirs["quote_identifier"] not in said[2]["message"]


async def altered_application(service: Service, quote: dict[str, Any], *, keeps_mark: bool) -> bytes:
    """The issued application with one answer changed, typeset with the mark of the old or of the new text."""
    runtime = service.runtime
    async with runtime.database.reading() as tx:
        facts = await find_facts(tx, runtime.rules, uuid.UUID(quote["quote_identifier"]), PacketType.QUOTE)
    first = facts.questions[0]
    changed = replace(first, answer="No" if first.answer == "Yes" else "Yes")
    fingerprint = facts.fingerprint if keeps_mark else "ef" * 32
    return render(
        DocumentType.APPLICATION,
        replace(facts, questions=(changed, *facts.questions[1:]), fingerprint=fingerprint),
    )


@pytest.mark.parametrize("keeps_mark", [True, False])
async def test_an_application_with_a_changed_answer_is_recognized(
    shared: Service, quote: dict[str, Any], keeps_mark: bool
) -> None:
    altered = await altered_application(shared, quote, keeps_mark=keeps_mark)

    assert await verdict_on(shared, quote, altered) is UploadFinding.ALTERED


async def test_an_application_for_no_contingency_is_not_compared(
    shared: Service, quote: dict[str, Any]
) -> None:
    issued = await application_of(shared, quote)

    upload = await stored(
        shared, await send_file(shared, {"quote_identifier": quote["quote_identifier"]}, issued)
    )

    assert upload.finding.verdict is UploadFinding.NOT_COMPARED


# Refusals.


async def test_a_form_without_a_file_is_refused(
    shared: Service, quote: dict[str, Any], nothing_is_kept: None
) -> None:
    answer = await send_file(shared, {"quote_identifier": quote["quote_identifier"]}, None)

    assert answer.status_code == 400
    assert [(e["path"], e["code"]) for e in answer.json()["errors"]] == [("file", "required")]


async def test_an_empty_file_is_refused(
    shared: Service, quote: dict[str, Any], nothing_is_kept: None
) -> None:
    answer = await send_file(shared, {"quote_identifier": quote["quote_identifier"]}, b"")

    assert answer.status_code == 400
    assert [(e["path"], e["code"]) for e in answer.json()["errors"]] == [("file", "empty_file")]


async def test_two_files_are_refused(shared: Service, quote: dict[str, Any], nothing_is_kept: None) -> None:
    answer = await shared.http.post(
        "/v2/documents",
        data={"quote_identifier": quote["quote_identifier"]},
        files=[("file", ("a.pdf", PICTURE)), ("file", ("b.pdf", PICTURE))],
        headers=shared.headers,
    )

    assert answer.status_code == 400
    assert [(e["path"], e["code"]) for e in answer.json()["errors"]] == [("file", "too_many_files")]


async def test_a_file_under_another_name_is_refused(
    shared: Service, quote: dict[str, Any], nothing_is_kept: None
) -> None:
    answer = await shared.http.post(
        "/v2/documents",
        data={"quote_identifier": quote["quote_identifier"]},
        files=[("document", ("a.pdf", PICTURE))],
        headers=shared.headers,
    )

    assert answer.status_code == 400
    assert [(e["path"], e["code"]) for e in answer.json()["errors"]] == [("document", "unexpected_file")]


@pytest.mark.parametrize(
    ("parts", "path", "code", "message"),
    [
        ([(b"zzz%d" % number, b"x") for number in range(21)], "", "too_many_fields", "at most 20 fields"),
        ([(b"zzz%d" % number, b"x") for number in range(20)], "file", "required", "is required"),
        ([(b"name", b"x" * 8_193)], "name", "too_long", "must have at most 8,192 characters"),
        ([(b"name", b"x" * 8_192)], "file", "required", "is required"),
        ([(b"name", b"one"), (b"name", b"two")], "name", "duplicate_field", "must be sent once"),
        ([(b"name", b"caf\xe9")], "name", "bad_character", "must be UTF-8 text"),
        ([(b"caf\xe9", b"x")], "", "bad_character", "must be UTF-8 text"),
    ],
    ids=["21 fields", "20 fields", "too long", "longest", "twice", "a Latin-1 value", "a Latin-1 name"],
)
async def test_a_form_that_no_upload_needs_is_refused_as_soon_as_that_is_seen(
    shared: Service,
    nothing_is_kept: None,
    parts: list[tuple[bytes, bytes]],
    path: str,
    code: str,
    message: str,
) -> None:
    body = b"".join(
        b'--cut\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n' % part for part in parts
    )

    answer = await shared.http.post(
        "/v2/documents",
        content=body + b"--cut--\r\n",
        headers={**shared.headers, "Content-Type": "multipart/form-data; boundary=cut"},
    )

    assert answer.status_code == 400
    *_, problem = answer.json()["errors"]
    assert (problem["path"], problem["code"]) == (path, code)
    assert problem["message"].endswith(message)


async def test_an_unknown_quote_is_not_found(shared: Service, nothing_is_kept: None) -> None:
    answer = await send_file(shared, {"quote_identifier": "01a1de7b-5da4-73d3-a049-ca51be2ef114"}, PICTURE)

    assert answer.status_code == 404
    assert answer.json()["code"] == "not_found"


async def test_another_partners_quote_is_answered_like_an_unknown_one(
    shared: Service, quote: dict[str, Any], nothing_is_kept: None
) -> None:
    stranger = await shared.new_partner("stranger of the uploads")

    answer = await send_file(stranger, {"quote_identifier": quote["quote_identifier"]}, PICTURE)

    assert answer.status_code == 404
    assert answer.json()["message"] == "There is no such quote."


@pytest.mark.parametrize(
    ("fields", "path", "code"),
    [
        ({}, "quote_identifier", "required"),
        ({"quote_identifier": ""}, "quote_identifier", "required"),
        ({"quote_identifier": "no such shape!"}, "quote_identifier", "malformed_identifier"),
        ({"quote_identifier": "x" * 65}, "quote_identifier", "malformed_identifier"),
    ],
)
async def test_a_quote_must_be_named(
    shared: Service, nothing_is_kept: None, fields: dict[str, str], path: str, code: str
) -> None:
    answer = await send_file(shared, fields, PICTURE)

    assert answer.status_code == 400
    assert [(e["path"], e["code"]) for e in answer.json()["errors"]] == [(path, code)]


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("contingency_id", "is not a field of this form; did you mean contingency?"),
        ("Name", "is not a field of this form; did you mean name?"),
        ("zzz", "is not a field of this form; the fields are quote_identifier, file, contingency, name"),
    ],
)
async def test_a_field_that_the_form_does_not_have_is_refused(
    shared: Service, quote: dict[str, Any], nothing_is_kept: None, field: str, message: str
) -> None:
    answer = await send_file(
        shared, {"quote_identifier": quote["quote_identifier"], field: signature_of(quote)}, PICTURE
    )

    assert answer.status_code == 400
    assert answer.json()["errors"] == [{"path": field, "code": "unknown_field", "message": message}]


@pytest.mark.parametrize("contingency", ["999999", "0", "-1", "abc", "1" * 30, "100001 "])
async def test_a_contingency_that_is_not_the_quotes_is_refused(
    shared: Service, quote: dict[str, Any], nothing_is_kept: None, contingency: str
) -> None:
    answer = await send_file(
        shared, {"quote_identifier": quote["quote_identifier"], "contingency": contingency}, PICTURE
    )

    assert answer.status_code == 400
    assert [(e["path"], e["code"]) for e in answer.json()["errors"]] == [
        ("contingency", "unknown_contingency")
    ]


async def test_the_contingency_of_another_option_is_refused(
    shared: Service, options: list[dict[str, Any]], nothing_is_kept: None
) -> None:
    first, second = options

    answer = await send_file(
        shared,
        {"quote_identifier": first["quote_identifier"], "contingency": signature_of(second)},
        PICTURE,
    )

    assert answer.status_code == 400


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("x" * 256, "too_long"),
        ("a\nb", "bad_character"),
        ("a\x00b", "bad_character"),
        ("a\u202eb", "bad_character"),
    ],
)
async def test_a_name_that_cannot_be_shown_is_refused(
    shared: Service, quote: dict[str, Any], nothing_is_kept: None, name: str, code: str
) -> None:
    answer = await send_file(shared, {"quote_identifier": quote["quote_identifier"], "name": name}, PICTURE)

    assert answer.status_code == 400
    assert [(e["path"], e["code"]) for e in answer.json()["errors"]] == [("name", code)]


async def test_the_longest_name_is_taken(shared: Service, quote: dict[str, Any]) -> None:
    answer = await send_file(
        shared, {"quote_identifier": quote["quote_identifier"], "name": "ä" * 255}, PICTURE
    )

    assert answer.status_code == 200
    assert answer.json()["name"] == "ä" * 255


@pytest.mark.parametrize(
    ("content_type", "status"),
    [
        ("application/json", 415),
        ("application/x-www-form-urlencoded", 415),
        ("multipart/form-data", 400),
        ("multipart/form-data; boundary=x", 400),
    ],
)
async def test_a_body_that_is_no_form_is_refused(
    shared: Service, nothing_is_kept: None, content_type: str, status: int
) -> None:
    answer = await shared.http.post(
        "/v2/documents", content=b"{}", headers={**shared.headers, "Content-Type": content_type}
    )

    assert answer.status_code == status
    assert "message" in answer.json()


async def test_a_form_that_breaks_off_is_refused(
    shared: Service, quote: dict[str, Any], nothing_is_kept: None
) -> None:
    body = (
        b'--x\r\nContent-Disposition: form-data; name="quote_identifier"\r\n\r\n'
        + quote["quote_identifier"].encode()
        + b'\r\n--x\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%PDF-1.7 half'
    )

    answer = await shared.http.post(
        "/v2/documents",
        content=body,
        headers={**shared.headers, "Content-Type": "multipart/form-data; boundary=x"},
    )

    assert answer.status_code == 400
    assert answer.json()["errors"][0]["code"] == "malformed_form"


async def test_a_token_is_required(shared: Service, quote: dict[str, Any], nothing_is_kept: None) -> None:
    answer = await shared.http.post(
        "/v2/documents", data={"quote_identifier": quote["quote_identifier"]}, files={"file": PICTURE}
    )

    assert answer.status_code == 401


# Size.


def form_around(identifier: str) -> tuple[bytes, bytes, dict[str, str]]:
    head = (
        f'--x\r\nContent-Disposition: form-data; name="quote_identifier"\r\n\r\n{identifier}\r\n'
        '--x\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n'
    ).encode()
    return head, b"\r\n--x--\r\n", {"Content-Type": "multipart/form-data; boundary=x"}


async def test_a_file_of_the_largest_size_is_taken_and_one_byte_more_is_not(
    shared: Service, quote: dict[str, Any]
) -> None:
    picture = papers.qr_code("x").ljust(LARGEST_PAPER, b"\x00")
    fields = {"quote_identifier": quote["quote_identifier"]}

    largest = await send_file(shared, fields, picture)
    too_large = await send_file(shared, fields, picture + b"\x00")

    assert (largest.status_code, largest.json()["size"]) == (200, 26_214_400)
    assert (too_large.status_code, too_large.json()["code"]) == (413, "too_large")


async def test_the_rest_of_a_file_that_is_too_large_is_not_read(
    shared: Service, quote: dict[str, Any], nothing_is_kept: None
) -> None:
    head, tail, headers = form_around(quote["quote_identifier"])
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        yield head
        for _ in range(200):
            sent += 1_000_000
            yield b"\x00" * 1_000_000
        yield tail

    answer = await shared.http.post("/v2/documents", content=endless(), headers={**shared.headers, **headers})

    assert answer.status_code == 413
    assert sent == 27_000_000


async def test_an_endless_body_after_the_form_is_not_read(
    shared: Service, quote: dict[str, Any], nothing_is_kept: None
) -> None:
    head, tail, headers = form_around(quote["quote_identifier"])
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        yield head + PICTURE + tail
        for _ in range(200):
            sent += 1_000_000
            yield b"\r\n" * 500_000

    answer = await shared.http.post("/v2/documents", content=endless(), headers={**shared.headers, **headers})

    assert answer.status_code == 413
    assert sent == 27_000_000


async def test_a_declared_size_beyond_the_limit_is_refused_before_anything_is_read(
    shared: Service, quote: dict[str, Any], nothing_is_kept: None
) -> None:
    async def unread() -> AsyncIterator[bytes]:
        raise AssertionError("the body was read")
        yield b""  # type: ignore[unreachable] # makes it a stream

    answer = await shared.http.post(
        "/v2/documents",
        content=unread(),
        headers={
            **shared.headers,
            "Content-Type": "multipart/form-data; boundary=x",
            "Content-Length": str(40_000_000),
        },
    )

    assert answer.status_code == 413


# Idempotency.


async def test_the_same_form_under_the_same_key_is_kept_once(shared: Service, quote: dict[str, Any]) -> None:
    fields = {"quote_identifier": quote["quote_identifier"], "name": "Once"}
    first = await send_file(shared, fields, PICTURE, key="upload-once", filename="a.pdf")
    before = await shared.count("uploads")

    again = await send_file(shared, fields, PICTURE, key="upload-once", filename="b.pdf")

    assert again.status_code == 200
    assert again.content == first.content
    assert again.headers["idempotent-replayed"] == "true"
    assert await shared.count("uploads") == before


@pytest.mark.parametrize("change", ["the file", "a field"])
async def test_another_form_under_the_same_key_is_refused(
    shared: Service, quote: dict[str, Any], change: str
) -> None:
    key = f"upload-changed-{change}".replace(" ", "-")
    fields = {"quote_identifier": quote["quote_identifier"], "name": "First"}
    await send_file(shared, fields, PICTURE, key=key)
    before = await shared.count("uploads")

    other_fields = {**fields, "name": "Second"} if change == "a field" else fields
    other_file = papers.letter("Another paper") if change == "the file" else PICTURE
    answer = await send_file(shared, other_fields, other_file, key=key)

    assert answer.status_code == 422
    assert answer.json()["code"] == "idempotency_key_reused"
    assert await shared.count("uploads") == before


async def test_a_refused_upload_may_be_sent_again_under_its_key(
    shared: Service, quote: dict[str, Any]
) -> None:
    refused = await send_file(
        shared,
        {"quote_identifier": quote["quote_identifier"], "contingency": "999999"},
        PICTURE,
        key="upload-refused",
    )

    answer = await send_file(
        shared, {"quote_identifier": quote["quote_identifier"]}, PICTURE, key="upload-refused"
    )

    assert (refused.status_code, answer.status_code) == (400, 200)


async def test_a_paper_can_be_uploaded_for_a_quote_that_a_person_has_to_decide(shared: Service) -> None:
    def to_refer(body: dict[str, Any]) -> None:
        body["policy"]["quotes"] = [{"aggregate_limit": 5_000_000}]

    referred = await processed(shared, request_body(to_refer))
    assert referred["quote_status"] == "quote_referred"

    assert await verdict_on(shared, referred, await application_of(shared, referred)) is UploadFinding.MATCHED
