"""Papers name the carriers of the policy's binder with their shares, or the insurer of the form edition."""

from datetime import date
from typing import Any

import pytest

from documents.reading import text_of
from support.binding import decide, issue, one_quoted, set_day
from support.book import BINDER, binder_file, import_file
from support.service import Service

OWN = "Example Specialty Insurance Company"
SECOND = "Placeholder Reinsurance Ltd."


@pytest.fixture
async def service(service: Service) -> Service:
    await set_day(service, date(2027, 3, 1))
    return service


async def paper(service: Service, quote: dict[str, Any], kind: str) -> str:
    answer = await service.get(f"/v2/quotes/{kind}/{quote['quote_identifier']}")
    assert answer.status_code == 200, answer.text
    return " ".join(text_of(answer.content).split())


async def test_every_paper_names_the_carriers_of_the_binder(
    service: Service, subtests: pytest.Subtests
) -> None:
    assert await import_file(service, BINDER.encode()) == []
    quote = await one_quoted(service)
    said = {
        "quote_letter": [
            f"Underwritten by {OWN} (62.5%), NAIC no. 00001; {SECOND} (37.5%), NAIC no. 00002",
            f"on behalf of {OWN} and {SECOND}",
            f"Insurers: {OWN}, NAIC no. 00001, 100 Specimen Plaza, Sampleton, DE 19700, 62.5%",
        ],
        "binder": [f"{OWN} and {SECOND} bind insurance for"],
        "policy": [
            f"{OWN}, NAIC no. 00001, 62.5%",
            f"{SECOND}, NAIC no. 00002, 37.5%",
            "each is liable for its own share alone",
            f"{OWN} and {SECOND} have caused this policy",
        ],
        "billing_statement": [f"{OWN}, 62.5%; {SECOND}, 37.5%"],
        "certificate": [f"{SECOND}, NAIC no. 00002, 200 Specimen Plaza"],
        "cancellation_notice": [f"Authorized signature, {OWN} and {SECOND}"],
    }

    letter = await paper(service, quote, "quote_letter")
    policy = await issue(service, quote)
    bound = {kind: await paper(service, policy, kind) for kind in list(said)[1:5]}
    await decide(service, policy, "cancel")
    bound["cancellation_notice"] = await paper(service, policy, "cancellation_notice")

    for kind, text in {"quote_letter": letter, **bound}.items():
        for words in said[kind]:
            with subtests.test(kind, words=words):
                assert words in text


async def test_without_a_binder_the_insurer_is_that_of_the_forms(service: Service) -> None:
    policy = await issue(service, await one_quoted(service))
    assert await import_file(service, BINDER.encode()) == []

    text = await paper(service, policy, "policy")

    assert f"{OWN} 100 Specimen Plaza, Sampleton, DE 19700 The insurer. It is" in text
    assert SECOND not in text


async def test_the_shares_of_a_binder_stay_once_a_policy_names_them(service: Service) -> None:
    assert await import_file(service, BINDER.encode()) == []
    await issue(service, await one_quoted(service))
    other = BINDER.replace("62.5", "60").replace("37.5", "40")

    flaws = await import_file(service, other.encode())
    same = await import_file(service, binder_file(premium_limit=2_000_000))

    assert [(flaw.field, flaw.text[:32]) for flaw in flaws] == [
        ("carriers", "are others than when policies we")
    ]
    assert same == []
