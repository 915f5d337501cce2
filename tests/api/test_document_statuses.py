"""Which documents can be downloaded in which status: the whole table over HTTP."""

from collections.abc import Iterator
from typing import Any

import pytest
import pytest_asyncio

from bindery.contract.documents import DocumentType as D
from bindery.domain.documents.notices import NOTICES
from support.binding import PHOTO
from support.intake import changed
from support.press import plain_press
from support.service import Service
from support.uploads import processed, send_file

pytestmark = pytest.mark.asyncio(loop_scope="module")

APPLICANT = {D.APPLICATION, D.RECOMMENDATIONS}
QUOTE = APPLICANT | {D.QUOTE_LETTER, D.POLICY_SPECIMEN, D.SECURITY_REPORT, D.COMPARISON}
BINDER = QUOTE | {D.BINDER, D.BINDER_TRIA, D.BILLING_STATEMENT, D.SECURITY_LETTER}
POLICY = BINDER | {D.POLICY}

TABLE = {
    "quote_referred": ("quote_referred", APPLICANT),
    "quote_declined": ("quote_declined", APPLICANT),
    "quote_revoked": ("quote_revoked", APPLICANT),
    "stale": ("stale", APPLICANT),
    "published": ("published", QUOTE),
    "offer_email": ("offer_email", QUOTE),
    "quote_expired": ("quote_expired", QUOTE),
    "lapsed binder": ("quote_expired", QUOTE | {D.LAPSE_NOTICE}),
    "quote_bind_requested": ("quote_bind_requested", QUOTE),
    "quote_not_bound": ("quote_not_bound", QUOTE),
    "conditional binder": ("policy_active", BINDER),
    "issued policy": ("policy_active", POLICY | {D.CERTIFICATE}),
    "policy_canceled": ("policy_canceled", POLICY | {D.CANCELLATION_NOTICE}),
    "reinstated policy": (
        "policy_active",
        POLICY | {D.CERTIFICATE, D.CANCELLATION_NOTICE, D.REINSTATEMENT_NOTICE},
    ),
    "policy_expired": ("policy_expired", POLICY),
}
ELSEWHERE = {
    **dict.fromkeys(APPLICANT, 13 - 1),
    **dict.fromkeys({D.QUOTE_LETTER, D.POLICY_SPECIMEN, D.SECURITY_REPORT, D.COMPARISON}, 8),
    **dict.fromkeys({D.BINDER, D.BINDER_TRIA, D.BILLING_STATEMENT, D.SECURITY_LETTER, D.POLICY}, 3),
    D.CERTIFICATE: 1,
    D.LAPSE_NOTICE: 1,
    **dict.fromkeys({D.CANCELLATION_NOTICE, D.REINSTATEMENT_NOTICE}, 4),
    **dict.fromkeys({D.NONRENEWAL_NOTICE, D.ENDORSEMENT}, 3),
}
"""In how many statuses each document is available; the binder and the policy are both `policy_active`."""

CAME_BACK = {"quote_expired", "policy_active", "policy_canceled", "policy_expired"}
NOTICED = {
    D.LAPSE_NOTICE: {"quote_expired"},
    D.CANCELLATION_NOTICE: CAME_BACK,
    D.REINSTATEMENT_NOTICE: CAME_BACK,
    D.NONRENEWAL_NOTICE: {"policy_active", "policy_canceled", "policy_expired"},
    D.ENDORSEMENT: {"policy_active", "policy_canceled", "policy_expired"},
}


async def applied(service: Service, name: str, *, limit: int = 1_000_000, options: int = 1) -> dict[str, Any]:
    wanted = [{"aggregate_limit": limit}] * options
    return await processed(service, changed(("client.name", name), ("policy.quotes", wanted)))


async def reviewed(service: Service, quote: dict[str, Any], decision: str) -> None:
    path = f"/v2/demo/quotes/{quote['quote_identifier']}/review"
    answer = await service.post(path, {"decision": decision, "reason": "as the test asks"})
    assert answer.status_code == 200, answer.text


async def bound(service: Service, quote: dict[str, Any], *, attested: bool = False) -> None:
    identifier = quote["quote_identifier"]
    if attested:
        signature = next(
            contingency for contingency in quote["contingencies"] if "signed" in contingency["text"].lower()
        )
        fields = {"quote_identifier": identifier, "contingency": signature["contingency_id"]}
        assert (await send_file(service, fields, PHOTO)).status_code == 200
    ask = {
        "quote_identifier": identifier,
        "dates": {"effective": quote["dates"]["effective"]},
        "app_attestation": attested,
    }
    answer = await service.post("/v2/binds", ask)
    assert answer.status_code == 200, answer.text


async def passed(service: Service, days: int) -> None:
    answer = await service.post("/v2/demo/clock", {"advance_days": days})
    assert answer.status_code == 200, answer.text


@pytest.fixture(scope="module", autouse=True)
def plain_printing_for_all() -> Iterator[None]:
    """Print a hundred documents without typesetting them: nothing here reads one."""
    with plain_press():
        yield


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def identifiers(shared: Service) -> dict[str, str]:
    """A quote in every status that has documents, all at the same time."""
    made = {}
    made["stale"] = await applied(shared, "Old Referral LLC", limit=5_000_000)
    made["quote_expired"] = await applied(shared, "Old Offer LLC")
    made["lapsed binder"] = await applied(shared, "Old Binder LLC")
    await bound(shared, made["lapsed binder"])
    made["policy_expired"] = await applied(shared, "Old Policy LLC")
    await bound(shared, made["policy_expired"], attested=True)
    await shared.post(f"/v2/quotes/{made['policy_expired']['quote_identifier']}/pause_renewal")
    await passed(shared, 100)
    renewing = await applied(shared, "Renewing LLC")
    await bound(shared, renewing, attested=True)
    await passed(shared, 310)
    renewed = await shared.ready(renewing["quote_identifier"])
    made["offer_email"] = await shared.ready(renewed["renewal"]["renewed_by"])

    made["quote_referred"] = await applied(shared, "Referred LLC", limit=5_000_000)
    made["quote_declined"] = await applied(shared, "Declined LLC", limit=5_000_000)
    await reviewed(shared, made["quote_declined"], "decline")
    made["published"] = await applied(shared, "Published LLC")
    made["quote_revoked"] = await applied(shared, "Revoked LLC")
    await reviewed(shared, made["quote_revoked"], "revoke")
    made["quote_bind_requested"] = await applied(shared, "Requested LLC (prebind)")
    await bound(shared, made["quote_bind_requested"])
    made["conditional binder"] = await applied(shared, "Conditional LLC", options=2)
    company = made["conditional binder"]["company_id"]
    await bound(shared, made["conditional binder"])
    made["quote_not_bound"] = {"quote_identifier": await sibling_of(shared, company)}
    made["issued policy"] = await applied(shared, "Issued LLC")
    await bound(shared, made["issued policy"], attested=True)
    made["policy_canceled"] = await applied(shared, "Canceled LLC")
    await bound(shared, made["policy_canceled"], attested=True)
    await reviewed(shared, made["policy_canceled"], "cancel")
    made["reinstated policy"] = await applied(shared, "Back Again LLC")
    await bound(shared, made["reinstated policy"], attested=True)
    await reviewed(shared, made["reinstated policy"], "cancel")
    await reviewed(shared, made["reinstated policy"], "reinstate")
    return {case: quote["quote_identifier"] for case, quote in made.items()}


async def sibling_of(service: Service, company_id: str) -> str:
    identifier = await service.runtime.database.pool.fetchval(
        "select quote_id from quotes where company_id = $1 and status = 'quote_not_bound'", int(company_id)
    )
    return str(identifier)


@pytest.mark.parametrize("case", TABLE)
async def test_a_status_has_the_documents_of_its_row_and_no_others(
    shared: Service, identifiers: dict[str, str], case: str
) -> None:
    status, documents = TABLE[case]
    identifier = identifiers[case]

    quote = (await shared.get(f"/v2/quotes/{identifier}")).json()
    answers = {kind: await shared.get(f"/v2/quotes/{kind}/{identifier}") for kind in D}

    assert quote["quote_status"] == status
    assert set(quote["available_documents"]) == documents
    assert {kind for kind, answer in answers.items() if answer.status_code == 200} == documents
    for kind, answer in answers.items():
        if kind in documents:
            assert answer.headers["content-type"] == "application/pdf"
            assert answer.content.startswith(b"%PDF-")
        else:
            assert answer.status_code == 400
            refused = answer.json()
            if kind in {D.POLICY, D.CERTIFICATE} and case == "conditional binder":
                assert (refused["code"], "available_statuses" in refused) == ("not_issued", False)
                continue
            assert refused["code"] == "wrong_state"
            elsewhere = refused.get("available_statuses", [])
            # A notice that was not written is refused in a status that others have it in.
            assert len(elsewhere) == ELSEWHERE[kind] - (kind in NOTICES and status in NOTICED[kind])
            assert status not in elsewhere


async def test_a_referral_that_was_passed_over_has_only_what_a_referral_has(shared: Service) -> None:
    wanted = [{"aggregate_limit": 1_000_000}, {"aggregate_limit": 5_000_000}]
    bindable = await processed(shared, changed(("client.name", "Two Ways LLC"), ("policy.quotes", wanted)))
    await bound(shared, bindable)
    identifier = await sibling_of(shared, bindable["company_id"])

    quote = (await shared.get(f"/v2/quotes/{identifier}")).json()
    letter = await shared.get(f"/v2/quotes/quote_letter/{identifier}")

    assert quote["quote_status"] == "quote_not_bound"
    assert set(quote["available_documents"]) == APPLICANT
    assert letter.status_code == 400
    assert letter.json()["message"] == "The quote was never published, so it has no quote letter."


async def test_while_a_quote_is_being_worked_on_its_documents_are_not_ready(shared: Service) -> None:
    receipt = await shared.submit(changed(("client.name", "Waiting LLC")))
    identifier = receipt["quotes"][0]["quote_identifier"]

    for kind in D:
        answer = await shared.get(f"/v2/quotes/{kind}/{identifier}")

        assert answer.status_code == 202
        assert answer.headers["retry-after"] == "2"
        assert answer.json() == {
            "error": "The quote is not ready yet.",
            "quote_identifier": identifier,
            "quote_status": "created",
        }


async def test_the_papers_of_a_bind_are_told_of_once_though_asked_for_one_by_one(
    shared: Service, identifiers: dict[str, str]
) -> None:
    identifier = identifiers["conditional binder"]
    for kind in (D.BINDER, D.BINDER_TRIA, D.BILLING_STATEMENT, D.SECURITY_LETTER):
        assert (await shared.get(f"/v2/quotes/{kind}/{identifier}")).status_code == 200

    told = [entry for entry in await shared.journal(identifier) if entry.type == "policy.document_ready"]

    assert len(told) == 1
    assert told[0].data == (
        '{"documents":["binder","binder_tria","billing_statement","security_letter"],"version":1}'
    )


async def test_an_issued_policy_is_told_of_twice_and_what_is_made_on_demand_never(
    shared: Service, identifiers: dict[str, str]
) -> None:
    identifier = identifiers["issued policy"]
    listed = (await shared.get(f"/v2/quotes/{identifier}")).json()["available_documents"]
    for kind in listed:
        assert (await shared.get(f"/v2/quotes/{kind}/{identifier}")).status_code == 200

    events = (await shared.get(f"/v2/events?quote_identifier={identifier}&limit=100")).json()["events"]

    told = [event["data"]["documents"] for event in events if event["type"] == "policy.document_ready"]
    assert sorted(told, key=len) == [
        ["policy"],
        ["binder", "binder_tria", "billing_statement", "security_letter"],
    ]
    assert {"comparison", "certificate"} <= set(listed)
    assert not {"comparison", "certificate"} & {kind for event in told for kind in event}
