"""A submission sent again for a company on file: what was rated on other facts is revoked."""

from typing import Any

import pytest

from bindery.contract.vocabulary import QuoteStatus
from support.intake import REMOVED, changed, nothing_written, professional, technology
from support.service import Service

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def statuses(service: Service, receipt: dict[str, Any]) -> list[str]:
    rows = await service.runtime.database.pool.fetch(
        "select status from quotes where quote_id = any($1) order by option_number",
        [quote["quote_identifier"] for quote in receipt["quotes"]],
    )
    return [row["status"] for row in rows]


async def set_status(service: Service, receipt: dict[str, Any], status: QuoteStatus) -> None:
    """Put the options of a receipt where only a worker or an underwriter would bring them."""
    await service.runtime.database.pool.execute(
        "update quotes set status = $2 where quote_id = any($1)",
        [quote["quote_identifier"] for quote in receipt["quotes"]],
        status,
    )


def same_company(receipt: dict[str, Any], *changes: tuple[str, Any]) -> dict[str, Any]:
    return changed(("client.company_id", receipt["company_id"]), *changes)


@pytest.mark.parametrize(
    "domains", [["www.clean.example.com"], ["WWW.Clean.Example.com", "clean.example.com"]]
)
async def test_www_in_front_of_a_domain_changes_nothing(shared: Service, domains: list[str]) -> None:
    first = await shared.submit(changed(("client.domains", ["clean.example.com"])))

    await shared.submit(same_company(first, ("client.domains", domains)))

    assert await statuses(shared, first) == ["created", "created"]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("client.revenue", 2_500_001),
        ("questions[1].value", 36),
        ("questions[6].value", False),
        ("client.industry", "541611"),
        ("client.domains", ["other.example.com"]),
        ("client.address", {"street": "9 Pier Road", "city": "Boston", "zip": "02110"}),
    ],
)
async def test_open_quotes_are_revoked_when_a_rated_fact_changes(
    shared: Service, path: str, value: Any
) -> None:
    first = await shared.submit(changed())

    second = await shared.submit(same_company(first, (path, value)))

    assert await statuses(shared, first) == ["quote_revoked", "quote_revoked"]
    assert await statuses(shared, second) == ["created", "created"]
    *_, last = await shared.journal(first["quotes"][0]["quote_identifier"])
    assert (last.trigger, last.type, last.level, last.sequence) == ("revoke", "quote.revoked", "quote", 1)
    assert (last.actor, last.data) == (
        f"partner:{shared.partner.key}",
        '{"reason":"submission_changed","text":""}',
    )
    shown = await shared.get(f"/v2/quotes/{first['quotes'][0]['quote_identifier']}")
    assert (shown.status_code, shown.json()["quote_status"]) == (200, "quote_revoked")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("client.name", "Harborlight Bakery Incorporated"),
        ("client.dba", "The Lighthouse"),
        ("client.insured_main_contact", {"email": "zoe@harborlight.example"}),
        ("client.additional_contacts", [{"email": "b@c.example", "contact_roles": ["policy_notices"]}]),
        ("client.address.street", "1 Other Street"),
        ("client.address", {"street": "2 Elm Street", "city": "Pittsburgh", "zip": "15222", "state": "PA"}),
        ("client.metadata", {"order": 18}),
        ("policy.quotes", [{"aggregate_limit": 3_000_000}]),
        ("questions[0].value", "true"),
        ("questions[1].id", "2314"),
        ("client.domains", ["CLEAN.example.com."]),
        ("questions[9]", {"id": "Q2312", "value": "an answer that nobody asked for"}),
    ],
)
async def test_open_quotes_stay_when_nothing_rated_changes(shared: Service, path: str, value: Any) -> None:
    first = await shared.submit(changed())

    second = await shared.submit(same_company(first, (path, value)))

    assert await statuses(shared, first) == ["created", "created"]
    assert set(await statuses(shared, second)) == {"created"}
    assert len(await shared.journal(first["quotes"][0]["quote_identifier"])) == 1


async def test_the_order_of_answers_does_not_matter(shared: Service) -> None:
    first = await shared.submit(changed())
    body = same_company(first)
    body["questions"].reverse()

    await shared.submit(body)

    assert await statuses(shared, first) == ["created", "created"]


@pytest.mark.parametrize(
    "status",
    [QuoteStatus.PUBLISHED, QuoteStatus.OFFER_EMAIL, QuoteStatus.QUOTE_REFERRED, QuoteStatus.ELIGIBLE],
)
async def test_offers_that_stand_are_revoked(shared: Service, status: QuoteStatus) -> None:
    first = await shared.submit(changed())
    await set_status(shared, first, status)

    await shared.submit(same_company(first, ("client.revenue", 7)))

    assert set(await statuses(shared, first)) == {"quote_revoked"}


@pytest.mark.parametrize(
    "status",
    [
        QuoteStatus.QUOTE_BIND_REQUESTED,
        QuoteStatus.POLICY_ACTIVE,
        QuoteStatus.QUOTE_DECLINED,
        QuoteStatus.QUOTE_EXPIRED,
        QuoteStatus.QUOTE_NOT_BOUND,
        QuoteStatus.STALE,
    ],
)
async def test_what_is_no_open_offer_stays_as_it_is(shared: Service, status: QuoteStatus) -> None:
    first = await shared.submit(changed())
    await set_status(shared, first, status)

    await shared.submit(same_company(first, ("client.revenue", 7)))

    assert set(await statuses(shared, first)) == {status}


async def test_quotes_of_another_product_stay(shared: Service) -> None:
    cyber = await shared.submit(changed())
    technical = await shared.submit(technology(("client.company_id", cyber["company_id"])))

    await shared.submit(
        professional(("client.company_id", cyber["company_id"]), ("client.revenue", 9_000_000))
    )
    assert set(await statuses(shared, cyber)) == {"created"}
    assert set(await statuses(shared, technical)) == {"created"}

    await shared.submit(technology(("client.company_id", cyber["company_id"]), ("client.revenue", 7)))
    assert set(await statuses(shared, cyber)) == {"created"}
    assert set(await statuses(shared, technical)) == {"quote_revoked"}


async def test_quotes_of_another_company_stay(shared: Service) -> None:
    first, other = await shared.submit(changed()), await shared.submit(changed())

    await shared.submit(same_company(first, ("client.revenue", 7)))

    assert set(await statuses(shared, other)) == {"created"}


async def test_going_back_to_the_first_facts_is_a_change_too(shared: Service) -> None:
    first = await shared.submit(changed())
    second = await shared.submit(same_company(first, ("client.revenue", 7)))

    third = await shared.submit(same_company(first))

    assert set(await statuses(shared, first)) == {"quote_revoked"}
    assert set(await statuses(shared, second)) == {"quote_revoked"}
    assert set(await statuses(shared, third)) == {"created"}


async def test_a_refused_change_revokes_nothing(shared: Service) -> None:
    first = await shared.submit(changed())

    async with nothing_written(shared):
        refused = await shared.post(
            "/v2/quotes", same_company(first, ("client.revenue", 7), ("client.name", REMOVED))
        )
        blocked = await shared.post(
            "/v2/quotes", same_company(first, ("client.revenue", 7), ("client.name", "A (bor)"))
        )
        checked = await shared.post("/v2/quotes/validate", same_company(first, ("client.revenue", 7)))

    assert (refused.status_code, blocked.status_code, checked.status_code) == (400, 400, 200)
    assert set(await statuses(shared, first)) == {"created"}


async def test_a_change_sent_twice_under_one_key_revokes_once(shared: Service) -> None:
    first = await shared.submit(changed())
    body = same_company(first, ("client.revenue", 7))

    second = await shared.post("/v2/quotes", body, Idempotency_Key="change-1")
    async with nothing_written(shared):
        again = await shared.post("/v2/quotes", body, Idempotency_Key="change-1")

    assert second.content == again.content
    assert set(await statuses(shared, second.json())) == {"created"}
    assert len(await shared.journal(first["quotes"][0]["quote_identifier"])) == 2
