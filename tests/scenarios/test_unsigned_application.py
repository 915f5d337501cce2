"""An attestation about an application that nobody has signed, or of which pages are missing."""

import io
from typing import Any

import pikepdf

from support import papers
from support.binding import ask_to_bind, bind, quoted, shown, told
from support.intake import technology
from support.service import Service
from support.uploads import send_file


async def long_one(service: Service) -> dict[str, Any]:
    """Submit an option whose application has three pages, and give its quote."""
    body = technology()
    body["policy"]["quotes"] = body["policy"]["quotes"][:1]
    (quote,) = await quoted(service, body)
    return quote


async def application(service: Service, quote: dict[str, Any]) -> bytes:
    return (await service.get(f"/v2/quotes/application/{quote['quote_identifier']}")).content


async def upload(service: Service, quote: dict[str, Any], content: bytes) -> dict[str, Any]:
    (signature,) = quote["contingencies"]
    fields = {"quote_identifier": quote["quote_identifier"], "contingency": signature["contingency_id"]}
    receipt: dict[str, Any] = (await send_file(service, fields, content)).json()
    return receipt


def only(pdf: bytes, *numbers: int) -> bytes:
    file = io.BytesIO()
    with pikepdf.open(io.BytesIO(pdf)) as cut:
        for number in reversed(range(1, len(cut.pages) + 1)):
            if number not in numbers:
                del cut.pages[number - 1]
        cut.save(file)
    return file.getvalue()


async def refused_with(service: Service, quote: dict[str, Any]) -> list[str]:
    before = await told(service, quote["quote_identifier"])
    refusal = await ask_to_bind(service, quote, app_attestation=True)

    after = await shown(service, quote["quote_identifier"])
    assert refusal.status_code == 400
    assert after["quote_status"] == "published"
    assert [row["status"] for row in after["contingencies"]] == ["open"]
    assert await told(service, quote["quote_identifier"]) == before
    assert await service.count("binds") == 0
    return [problem["code"] for problem in refusal.json()["errors"]]


async def test_the_application_as_it_was_issued_issues_no_policy_and_the_signed_one_does(
    service: Service,
) -> None:
    quote = await long_one(service)
    issued = await application(service, quote)

    unsigned = await upload(service, quote, issued)
    codes = await refused_with(service, quote)
    signed = await upload(service, quote, papers.signed(issued))
    policy = await bind(service, quote, app_attestation=True)

    assert (unsigned["finding"], unsigned["signature"]) == ("matched", "not_found")
    assert codes == ["application_not_signed"]
    assert (signed["signature"], signed["pages"]) == ("found", {"found": 3, "of": 3})
    assert policy["quote_status"] == "policy_active"
    assert [row["signature"] for row in policy["uploads"]] == ["not_found", "found"]


async def test_missing_pages_issue_no_policy_until_they_are_sent_too(service: Service) -> None:
    quote = await long_one(service)
    issued = await application(service, quote)

    parts = [await upload(service, quote, only(papers.signed(issued), 1, 3))]
    codes = await refused_with(service, quote)
    parts.append(await upload(service, quote, only(issued, 2)))
    policy = await bind(service, quote, app_attestation=True)

    assert [(part["signature"], part["pages"]) for part in parts] == [
        ("found", {"found": 2, "of": 3}),
        ("cannot_tell", {"found": 1, "of": 3}),
    ]
    assert codes == ["pages_missing"]
    assert policy["quote_status"] == "policy_active"


async def test_both_are_said_at_once_and_a_conditional_binder_is_still_to_be_had(service: Service) -> None:
    quote = await long_one(service)
    await upload(service, quote, only(await application(service, quote), 1, 3))

    codes = await refused_with(service, quote)
    bound = await bind(service, quote)

    assert codes == ["application_not_signed", "pages_missing"]
    assert bound["quote_status"] == "policy_active"
