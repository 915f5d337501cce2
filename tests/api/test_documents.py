"""Downloading documents and listing the forms of packets."""

import asyncio
import hashlib
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from support.intake import changed, professional
from support.service import Service, serving
from support.uploads import processed

pytestmark = pytest.mark.asyncio(loop_scope="module")

UNKNOWN = "01a1de7b-5da4-73d3-a049-ca51be2ef114"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def quote(shared: Service) -> dict[str, Any]:
    return await processed(shared)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def letter(shared: Service, quote: dict[str, Any]) -> bytes:
    answer = await shared.get(letter_of(quote))
    assert answer.status_code == 200
    return answer.content


def letter_of(quote: dict[str, Any]) -> str:
    return f"/v2/quotes/quote_letter/{quote['quote_identifier']}"


async def test_a_document_comes_with_its_type_size_name_and_hash(
    shared: Service, quote: dict[str, Any]
) -> None:
    answer = await shared.get(letter_of(quote))

    short = quote["quote_identifier"].replace("-", "")[-8:]
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/pdf"
    assert answer.headers["content-length"] == str(len(answer.content))
    assert answer.headers["content-disposition"] == (
        f'attachment; filename="quote-letter_harborlight-bakery-llc_{short}.pdf"; '
        f"filename*=UTF-8''quote-letter_Harborlight%20Bakery%20LLC_{short}.pdf"
    )
    assert answer.headers["etag"] == f'"{hashlib.sha256(answer.content).hexdigest()}"'
    assert answer.headers["accept-ranges"] == "bytes"


async def test_a_name_outside_ascii_is_spelled_both_ways(shared: Service) -> None:
    quote = await processed(shared, changed(("client.name", 'Bäckerei "Süd"; GmbH')))

    disposition = (await shared.get(letter_of(quote))).headers["content-disposition"]

    assert 'filename="quote-letter_backerei-sud-gmbh_' in disposition
    assert "filename*=UTF-8''quote-letter_B%C3%A4ckerei%20%22S%C3%BCd%22%3B%20GmbH_" in disposition


async def test_a_name_of_former_days_is_freed_of_what_cannot_be_seen(shared: Service) -> None:
    quote = await processed(shared, changed(("client.name", "Harbor Turned LLC")))
    await shared.runtime.database.pool.execute(
        "update submissions set body = replace(body, 'Harbor Turned', $1) where name = 'Harbor Turned LLC'",
        "Harbor\\nTur\u202ened",
    )

    disposition = (await shared.get(letter_of(quote))).headers["content-disposition"]

    short = quote["quote_identifier"].replace("-", "")[-8:]
    assert disposition.endswith(f"filename*=UTF-8''quote-letter_HarborTurned%20LLC_{short}.pdf")


async def test_the_same_bytes_come_every_time(shared: Service, quote: dict[str, Any], letter: bytes) -> None:
    assert (await shared.get(letter_of(quote))).content == letter


@pytest.mark.parametrize("known", ["{etag}", "W/{etag}", "*", '"something else", {etag}'])
async def test_a_caller_who_has_the_document_is_not_sent_it_again(
    shared: Service, quote: dict[str, Any], letter: bytes, known: str
) -> None:
    etag = f'"{hashlib.sha256(letter).hexdigest()}"'

    answer = await shared.get(letter_of(quote), If_None_Match=known.format(etag=etag))

    assert (answer.status_code, answer.content) == (304, b"")
    assert answer.headers["etag"] == etag


async def test_another_version_in_hand_is_replaced(
    shared: Service, quote: dict[str, Any], letter: bytes
) -> None:
    answer = await shared.get(letter_of(quote), If_None_Match='"something else"')

    assert (answer.status_code, answer.content) == (200, letter)


@pytest.mark.parametrize(
    ("asked", "start", "end"),
    [
        ("bytes=0-4", 0, 5),
        ("bytes=5-5", 5, 6),
        ("bytes=100-", 100, None),
        ("bytes=-10", -10, None),
        ("bytes=-999999999", 0, None),
        ("bytes=0-999999999", 0, None),
        ("bytes=00000000000000000000000005-0000000000000000000000000007", 5, 8),
        ("bytes=-" + "0" * 5_000 + "3", -3, None),
        ("bytes=0-" + "9" * 5_000, 0, None),
    ],
)
async def test_a_range_is_sent_as_asked(
    shared: Service, quote: dict[str, Any], letter: bytes, asked: str, start: int, end: int | None
) -> None:
    answer = await shared.get(letter_of(quote), Range=asked)

    part = letter[start:end]
    first = start if start >= 0 else len(letter) + start
    assert (answer.status_code, answer.content) == (206, part)
    assert answer.headers["content-range"] == f"bytes {first}-{first + len(part) - 1}/{len(letter)}"
    assert answer.headers["content-length"] == str(len(part))
    assert answer.headers["content-type"] == "application/pdf"


@pytest.mark.parametrize(
    "asked",
    [
        "bytes={size}-",
        "bytes={size}-{size}",
        "bytes=-0",
        "bytes=9999999999999999999-",
        "bytes=" + "9" * 5_000 + "-",
    ],
)
async def test_a_range_outside_the_document_cannot_be_satisfied(
    shared: Service, quote: dict[str, Any], letter: bytes, asked: str
) -> None:
    answer = await shared.get(letter_of(quote), Range=asked.format(size=len(letter)))

    assert (answer.status_code, answer.json()["code"]) == (416, "range_not_satisfiable")
    assert answer.headers["content-range"] == f"bytes */{len(letter)}"


@pytest.mark.parametrize(
    "asked", ["bytes=0-4,10-14", "items=0-4", "bytes=4-0", "bytes=-", "bytes=a-b", "0-4", "bytes=1.5-3"]
)
async def test_a_range_that_is_not_one_range_of_bytes_is_ignored(
    shared: Service, quote: dict[str, Any], letter: bytes, asked: str
) -> None:
    answer = await shared.get(letter_of(quote), Range=asked)

    assert (answer.status_code, answer.content) == (200, letter)


async def test_a_range_of_another_version_gets_the_whole_document(
    shared: Service, quote: dict[str, Any], letter: bytes
) -> None:
    etag = f'"{hashlib.sha256(letter).hexdigest()}"'

    same = await shared.get(letter_of(quote), Range="bytes=0-4", If_Range=etag)
    other = await shared.get(letter_of(quote), Range="bytes=0-4", If_Range='"something else"')

    assert (same.status_code, same.content) == (206, letter[:5])
    assert (other.status_code, other.content) == (200, letter)


@pytest.mark.parametrize("kind", ["quote_letters", "QUOTE_LETTER", "letter", "packet", "%20"])
async def test_an_unknown_kind_of_document_is_refused(
    shared: Service, quote: dict[str, Any], kind: str
) -> None:
    answer = await shared.get(f"/v2/quotes/{kind}/{quote['quote_identifier']}")

    assert answer.status_code == 400
    assert [(e["path"], e["code"]) for e in answer.json()["errors"]] == [
        ("document_type", "unknown_document_type")
    ]


async def test_an_identifier_of_no_known_shape_is_refused(shared: Service) -> None:
    answer = await shared.get("/v2/quotes/quote_letter/no%20such%20shape")

    assert (answer.status_code, answer.json()["code"]) == (400, "malformed_identifier")


@pytest.mark.parametrize("identifier", [UNKNOWN, "an-old-id"])
async def test_an_unknown_quote_is_not_found(shared: Service, identifier: str) -> None:
    answer = await shared.get(f"/v2/quotes/quote_letter/{identifier}")

    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


async def test_another_partners_quote_is_answered_like_an_unknown_one(
    shared: Service, quote: dict[str, Any]
) -> None:
    stranger = await shared.new_partner("stranger of the downloads")

    theirs = await stranger.get(letter_of(quote), X_Request_Id="same")
    unknown = await stranger.get(f"/v2/quotes/quote_letter/{UNKNOWN}", X_Request_Id="same")
    forms = await stranger.get(f"/v2/quotes/{quote['quote_identifier']}/documents/quote/metadata")

    assert (theirs.status_code, theirs.content) == (404, unknown.content)
    assert forms.status_code == 404


async def test_a_wrong_status_names_the_right_ones(shared: Service, quote: dict[str, Any]) -> None:
    answer = await shared.get(f"/v2/quotes/binder/{quote['quote_identifier']}")

    assert answer.status_code == 400
    assert answer.json()["message"] == "A quote that is published has no binder."
    assert answer.json()["available_statuses"] == ["policy_active", "policy_canceled", "policy_expired"]


@pytest.mark.parametrize(
    ("body", "why"),
    [
        pytest.param(
            professional(("client.name", "Adviser LLC")),
            "There is no security report: nothing is scanned for professional liability.",
            id="MPL",
        ),
        pytest.param(
            changed(("client.domains", []), ("client.name", "Offline LLC"), ("questions[0].value", False)),
            "There is no security report: no domain of the applicant could be scanned.",
            id="no website",
        ),
    ],
)
async def test_without_a_scan_there_is_no_security_report_and_the_answer_says_why(
    shared: Service, body: dict[str, Any], why: str
) -> None:
    quote = await processed(shared, body)
    assert quote["quote_status"] == "published"

    report = await shared.get(f"/v2/quotes/security_report/{quote['quote_identifier']}")
    advice = await shared.get(f"/v2/quotes/recommendations/{quote['quote_identifier']}")

    assert (report.status_code, report.json()["message"]) == (404, why)
    assert advice.status_code == 200
    assert "security_report" not in quote["available_documents"]


@pytest.mark.parametrize("path", ["/v2/quotes/quote_letter/{}", "/v2/quotes/{}/documents/quote/metadata"])
async def test_a_token_is_required(shared: Service, quote: dict[str, Any], path: str) -> None:
    answer = await shared.http.get(path.format(quote["quote_identifier"]))

    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"


async def test_an_old_identifier_opens_the_documents_of_the_quote_it_stands_for(
    shared: Service, quote: dict[str, Any], letter: bytes
) -> None:
    await shared.runtime.database.pool.execute(
        "insert into legacy_ids (partner_id, kind, old_id, new_id) values ($1, 'quote', 'OLD-42', $2)",
        shared.partner.partner_id,
        quote["quote_identifier"],
    )

    answer = await shared.get("/v2/quotes/quote_letter/OLD-42")
    forms = await shared.get("/v2/quotes/OLD-42/documents/quote/metadata")

    assert (answer.status_code, answer.content) == (200, letter)
    assert len(forms.json()["documents"]) > 0


# Papers that are made when somebody first asks for them.


async def test_a_document_made_on_request_is_kept_for_ever(shared: Service) -> None:
    referred = await processed(shared, changed(("policy.quotes", [{"aggregate_limit": 5_000_000}])))
    path = f"/v2/quotes/application/{referred['quote_identifier']}"
    assert await shared.count(f"documents where quote_id = '{referred['quote_identifier']}'") == 0

    first = await shared.get(path)
    await shared.post("/v2/demo/clock", {"advance_days": 3})
    later = await shared.get(path)

    assert first.status_code == 200
    assert later.content == first.content
    assert await shared.count(f"documents where quote_id = '{referred['quote_identifier']}'") == 1
    assert "quote.document_ready" not in {e.type for e in await shared.journal(referred["quote_identifier"])}


async def test_an_application_given_out_before_the_decision_stays_the_one_to_sign(shared: Service) -> None:
    referred = await processed(shared, changed(("policy.quotes", [{"aggregate_limit": 5_000_000}])))
    identifier = referred["quote_identifier"]
    before = await shared.get(f"/v2/quotes/application/{identifier}")
    await shared.post("/v2/demo/clock", {"advance_days": 2})

    approval = await shared.post(f"/v2/demo/quotes/{identifier}/review", {"decision": "approve"})

    after = await shared.get(f"/v2/quotes/application/{identifier}")
    assert approval.json()["quote_status"] == "published"
    assert after.content == before.content


async def test_many_who_ask_first_at_once_get_the_same_bytes(shared: Service) -> None:
    referred = await processed(shared, changed(("policy.quotes", [{"aggregate_limit": 5_000_000}])))
    path = f"/v2/quotes/recommendations/{referred['quote_identifier']}"

    answers = await asyncio.gather(*(shared.get(path) for _ in range(4)))

    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.content for answer in answers}) == 1


async def test_another_process_on_the_same_storage_serves_the_same_bytes(
    shared: Service, quote: dict[str, Any], letter: bytes
) -> None:
    runtime = shared.runtime
    async with serving(runtime.dsn, Path(runtime.settings.data_dir)) as restarted:
        answer = await restarted.http.get(letter_of(quote), headers=shared.headers)

    assert (answer.status_code, answer.content) == (200, letter)


# Packets.


async def test_the_forms_of_the_quote_packet_are_listed(shared: Service, quote: dict[str, Any]) -> None:
    answer = await shared.get(f"/v2/quotes/{quote['quote_identifier']}/documents/quote/metadata")

    assert answer.status_code == 200
    numbers = [form["form_number"] for form in answer.json()["documents"]]
    assert {"QL 0001 01 26", "CYB P 200 01 26", "CYB A 300 01 26"} <= set(numbers)
    assert not {number for number in numbers if number.startswith(("TEO", "MPL"))}
    for form in answer.json()["documents"]:
        assert set(form) == {"form_number", "title", "edition_date", "version"}
        assert form["edition_date"] == "2026-01-01"


async def test_the_forms_are_frozen_with_the_packet(shared: Service, quote: dict[str, Any]) -> None:
    path = f"/v2/quotes/{quote['quote_identifier']}/documents/quote/metadata"
    stored = await shared.runtime.database.pool.fetchval(
        "select forms from packets where quote_id::text = $1", quote["quote_identifier"]
    )

    await shared.runtime.database.pool.execute(
        "update packets set forms = $2 where quote_id::text = $1",
        quote["quote_identifier"],
        '[{"form_number":"QL 0001 01 20","title":"An older letter","edition_date":"2020-01-01"}]',
    )
    shown = (await shared.get(path)).json()
    await shared.runtime.database.pool.execute(
        "update packets set forms = $2 where quote_id::text = $1", quote["quote_identifier"], stored
    )

    assert shown == {
        "version": 1,
        "documents": [
            {
                "form_number": "QL 0001 01 20",
                "title": "An older letter",
                "edition_date": "2020-01-01",
                "version": 1,
            }
        ],
    }


@pytest.mark.parametrize("packet", ["binder", "policy"])
async def test_a_packet_that_does_not_exist_yet_has_no_forms(
    shared: Service, quote: dict[str, Any], packet: str
) -> None:
    answer = await shared.get(f"/v2/quotes/{quote['quote_identifier']}/documents/{packet}/metadata")

    assert (answer.status_code, answer.json()) == (200, {"documents": []})


async def test_a_quote_that_is_being_worked_on_has_no_forms_yet(shared: Service) -> None:
    receipt = await shared.submit()

    answer = await shared.get(
        f"/v2/quotes/{receipt['quotes'][0]['quote_identifier']}/documents/quote/metadata"
    )

    assert (answer.status_code, answer.json()) == (200, {"documents": []})


async def test_an_unknown_packet_is_refused(shared: Service, quote: dict[str, Any]) -> None:
    answer = await shared.get(f"/v2/quotes/{quote['quote_identifier']}/documents/quotes/metadata")

    assert answer.status_code == 400
    assert [(e["path"], e["code"]) for e in answer.json()["errors"]] == [
        ("packet_template_type", "unknown_packet_type")
    ]


@pytest.mark.parametrize(("identifier", "status"), [(UNKNOWN, 404), ("no%20such%20shape", 400)])
async def test_the_forms_of_an_unknown_quote_are_not_there(
    shared: Service, identifier: str, status: int
) -> None:
    answer = await shared.get(f"/v2/quotes/{identifier}/documents/quote/metadata")

    assert answer.status_code == status
