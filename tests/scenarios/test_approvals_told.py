"""Terms that an underwriter changed are told to the partner and marked on the pages, with the reason."""

import json
from typing import Any

import pytest

from bindery.domain.access.users import Role
from support.binding import decide, quoted, review, set_day, shown
from support.people import sign_in_as, text_of
from support.service import Service, request_body

pytestmark = pytest.mark.usefixtures("clock_at_day")
WHY = "Retention raised because of open RDP"


async def referred(service: Service, *retentions: int | None) -> list[dict[str, Any]]:
    def asked(body: dict[str, Any]) -> None:
        body["client"]["domains"] = ["red-flags.example.com"]
        limits = (1_000_000, 2_000_000)
        body["policy"]["quotes"] = [
            {"aggregate_limit": limit, "aggregate_retention": retention}
            for limit, retention in zip(limits, retentions, strict=False)
        ]

    return await quoted(service, request_body(asked))


async def told_at_publication(service: Service, quote: dict[str, Any]) -> dict[str, Any]:
    entries = await service.journal(quote["quote_identifier"])
    (published,) = [json.loads(entry.data) for entry in entries if entry.type == "quote.published"]
    return dict(published)


async def test_a_changed_retention_is_a_correction_a_decision_and_part_of_the_event(service: Service) -> None:
    (quote,) = await referred(service, 2_500)
    assert quote["decision"] is None

    approved = await decide(service, quote, "approve", terms={"aggregate_retention": 25_000}, reason=WHY)

    (correction,) = [row for row in approved["corrections"] if row["code"] == "changed_by_underwriter"]
    assert correction == {
        "code": "changed_by_underwriter",
        "field": "aggregate_retention",
        "path": "aggregate_retention",
        "asked": 2_500,
        "given": 25_000,
        "text": f"Retention $25,000, asked for $2,500: {WHY}",
        "reason": WHY,
    }
    decision = approved["decision"]
    assert (decision["kind"], decision["reason"]) == ("approved", WHY)
    event = await told_at_publication(service, quote)
    assert event["corrections"] == [correction]
    assert event["decision"] == {"kind": "approved", "reason": WHY, "at": decision["at"]}


async def test_an_approval_as_asked_for_is_a_decision_without_corrections(service: Service) -> None:
    (quote,) = await referred(service, 2_500)

    approved = await decide(service, quote, "approve")

    assert (approved["decision"]["kind"], approved["decision"]["reason"]) == ("approved", None)
    event = await told_at_publication(service, quote)
    assert (event["corrections"], event["decision"]["kind"]) == ([], "approved")
    revoked = await decide(service, quote, "revoke", reason="The facts changed.")
    assert revoked["decision"]["kind"] == "revoked"


async def test_a_quote_that_nobody_had_to_approve_says_nothing_of_it(service: Service) -> None:
    (quote,) = await quoted(service, request_body(lambda body: body["policy"].update(quotes=[])))

    assert quote["decision"] is None
    assert (await told_at_publication(service, quote)).keys() == {"premium", "quote_expiration_date"}


async def test_pages_mark_what_was_changed_and_why(service: Service) -> None:
    quote, other = await referred(service, 2_500, 2_500)
    await decide(service, quote, "approve", terms={"aggregate_retention": 25_000}, reason=WHY)
    async with await sign_in_as(service, Role.BROKER) as broker:
        alone = text_of(await broker.open(f"/company/{quote['company_id']}"))
        await decide(service, other, "approve", reason="Fine")
        both = text_of(await broker.open(f"/company/{quote['company_id']}"))
    submission_id = await service.runtime.database.pool.fetchval(
        "select submission_id from quotes where quote_id = $1::text::uuid", quote["quote_identifier"]
    )
    async with await sign_in_as(service, Role.UNDERWRITER) as underwriter:
        case = text_of(await underwriter.open(f"/desk/case/{submission_id}"))

    assert f"$25,000 asked for $2,500: {WHY}" in alone
    assert f"$25,000, asked for $2,500: {WHY}" in case
    assert "1 option is open until April 30, 2027, approved on other terms" in alone.replace(
        "Apr 30", "April 30"
    )
    assert ", 1 approved on other terms" in both


async def test_a_refused_approval_tells_nothing(service: Service) -> None:
    (quote,) = await referred(service, 2_500)
    await set_day(service, (await service.runtime.database.today()).replace(year=2028))

    answer = await review(service, quote, "approve", terms={"aggregate_retention": 25_000}, reason=WHY)

    assert answer.status_code == 400
    assert (await shown(service, quote["quote_identifier"]))["corrections"] == quote["corrections"]
