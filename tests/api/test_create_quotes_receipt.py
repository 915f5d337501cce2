"""The answer to a quote request, everything that one transaction writes, and refusals that name it all."""

import re
from typing import Any

from support.intake import REMOVED, changed, nothing_written, problems, professional, refusal, row_counts
from support.service import Service

UUID7 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
TEN_FAULTS: list[tuple[str, Any]] = [
    ("client.name", "N" * 401),
    ("client.revenue", 0),
    ("client.broker_email", "stranger@example.com"),
    ("client.address.zip", "ABCDE"),
    ("client.address.state", "Ontario"),
    ("client.domains", ["example.com", "not a domain"]),
    ("client.insured_main_contact.title", "Dr"),
    ("policy.dates", {"effective": "2026-07-01", "expiration": "2026-08-01"}),
    ("policy.quotes[0].aggregate_limit", 123),
    ("questions[1].value", "many"),
]


async def test_a_receipt_echoes_each_option_in_order_and_null_where_nothing_was_asked(
    service: Service,
) -> None:
    options = [
        {"aggregate_limit": 3_000_000},
        {"aggregate_limit": 1_000_000, "aggregate_retention": 25_000},
        {"aggregate_limit": 2_000_000, "per_claim_limit": 1_000_000, "per_claim_retention": 500},
        {"aggregate_limit": 1_000_000, "aggregate_retention": 25_000},
    ]

    answer = await service.post("/v2/quotes", changed(("policy.quotes", options)))

    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    receipt = answer.json()
    assert set(receipt) == {"company_id", "quotes"}
    assert re.fullmatch(r"[1-9][0-9]{8}", receipt["company_id"])
    identifiers = [quote.pop("quote_identifier") for quote in receipt["quotes"]]
    assert len(set(identifiers)) == 4
    assert all(UUID7.fullmatch(identifier) for identifier in identifiers)
    assert receipt["quotes"] == [
        {
            "requested_aggregate_limit": limit,
            "requested_aggregate_retention": retention,
            "requested_per_claim_limit": per_claim_limit,
            "requested_per_claim_retention": per_claim_retention,
        }
        for limit, retention, per_claim_limit, per_claim_retention in (
            (3_000_000, None, None, None),
            (1_000_000, 25_000, None, None),
            (2_000_000, None, 1_000_000, 500),
            (1_000_000, 25_000, None, None),
        )
    ]


async def test_no_options_at_all_is_one_option_of_a_million(service: Service) -> None:
    for quotes in (REMOVED, []):
        receipt = await service.submit(changed(("policy.quotes", quotes)))

        (quote,) = receipt["quotes"]
        assert quote["requested_aggregate_limit"] == 1_000_000
        assert quote["requested_aggregate_retention"] is None


async def test_an_accepted_request_writes_everything_or_it_was_not_accepted(service: Service) -> None:
    receipt = await service.submit(changed(("policy.quotes", [{"aggregate_limit": 1_000_000}] * 15)))

    companies, submissions, keys, quotes, contingencies, journal, idempotency, jobs, moves = await row_counts(
        service
    )
    assert (companies, submissions, quotes, journal, jobs) == (1, 1, 15, 15, 1)
    assert (keys, contingencies, idempotency, moves) == (2, 0, 0, 0)
    for number, quote in enumerate(receipt["quotes"]):
        row = await service.runtime.database.pool.fetchrow(
            "select company_id, option_number, product, status from quotes where quote_id = $1",
            quote["quote_identifier"],
        )
        assert tuple(row or ()) == (int(receipt["company_id"]), number, "CYB", "created")
    (first,) = await service.journal(receipt["quotes"][0]["quote_identifier"])
    assert (first.entry, first.trigger, first.status_before, first.status_after) == (
        1,
        "create",
        None,
        "created",
    )
    assert first.actor == f"partner:{service.partner.key}"


async def test_what_was_sent_is_shown_again_as_it_was_sent(working_service: Service) -> None:
    body = changed(
        ("client.metadata", {"order": 17, "note": "für Ann", "deep": {"list": [1.5, None, True]}}),
        ("client.dba", "The Lighthouse"),
        ("client.favorite_color", "teal"),
    )

    quote = await working_service.quote(body)

    assert quote["client"] == body["client"]


async def test_ten_faults_of_every_kind_are_named_in_one_refusal(service: Service) -> None:
    refused = await refusal(service, changed(*TEN_FAULTS))

    assert sorted((problem["path"], problem["code"]) for problem in refused["errors"]) == [
        ("client.address.state", "not_a_state"),
        ("client.address.zip", "not_a_zip"),
        ("client.broker_email", "unknown_broker"),
        ("client.domains[1]", "not_a_domain"),
        ("client.insured_main_contact.title", "unknown_field"),
        ("client.name", "too_long"),
        ("client.revenue", "out_of_range"),
        ("policy.dates.expiration", "term_too_short"),
        ("policy.quotes[0].aggregate_limit", "not_allowed"),
        ("questions[1].value", "wrong_type"),
    ]
    assert refused["message"].endswith("(and 9 more)")
    assert await row_counts(service) == (0,) * 9


async def test_each_part_of_an_object_is_looked_at_though_another_part_is_malformed(service: Service) -> None:
    body = changed(
        ("client.address.city", "C" * 51),
        ("client.address.zip", "nowhere"),
        ("client.insured_main_contact", {"email": "nobody", "first_name": "", "fax": "1"}),
        (
            "client.additional_contacts",
            [{"email": "nobody", "contact_roles": ["policy_notices"] * 2, "last_name": 5}],
        ),
        (
            "policy.dates",
            {"effective": "2026-07-01", "expiration": "2030-07-01", "teo_retroactive_date": "soon"},
        ),
        (
            "policy.quotes",
            [{"aggregate_limit": 1_000_000, "per_claim_limit": 2_000_000, "aggregate_retention": 1}],
        ),
        ("client.revenue", 2_500_000.5),
    )

    assert await problems(service, body) == {
        ("client.address.city", "too_long"),
        ("client.address.zip", "not_a_zip"),
        ("client.insured_main_contact.email", "not_an_email"),
        ("client.insured_main_contact.first_name", "too_short"),
        ("client.insured_main_contact.fax", "unknown_field"),
        ("client.additional_contacts[0].email", "not_an_email"),
        ("client.additional_contacts[0].contact_roles", "duplicate_items"),
        ("client.additional_contacts[0].last_name", "wrong_type"),
        ("policy.dates.expiration", "term_too_long"),
        ("policy.dates.teo_retroactive_date", "wrong_format"),
        ("policy.quotes[0].per_claim_limit", "above_aggregate"),
        ("policy.quotes[0].aggregate_retention", "not_allowed"),
        ("client.revenue", "wrong_type"),
    }


async def test_every_float_where_a_whole_number_belongs_is_named(service: Service) -> None:
    options = [{"aggregate_limit": 1000000.5}, {"aggregate_limit": 1_000_000, "aggregate_retention": 2500.5}]
    body = changed(("client.revenue", 1.5), ("policy.quotes", options), ("questions[1].value", 35.5))

    assert await problems(service, body) == {
        ("client.revenue", "wrong_type"),
        ("policy.quotes[0].aggregate_limit", "not_allowed"),
        ("policy.quotes[1].aggregate_retention", "not_allowed"),
        ("questions[1].value", "wrong_type"),
    }


async def test_an_unreadable_state_does_not_blame_the_zip(service: Service) -> None:
    body = changed(("client.address.state", 5), ("client.address.zip", "00601"))

    assert await problems(service, body) == {("client.address.state", "wrong_type")}


async def test_a_program_is_refused_where_none_is_configured(service: Service) -> None:
    found = await problems(service, changed(("policy.program_code", "ACCOUNTANTS")))

    assert found == {("policy.program_code", "unknown_program")}


async def test_one_wrong_option_refuses_all_of_them(service: Service) -> None:
    body = professional(
        ("policy.quotes", [{"aggregate_limit": 1_000_000}, {"aggregate_limit": 1}, {"aggregate_limit": 2}])
    )

    async with nothing_written(service):
        found = await problems(service, body)

    assert {path for path, _ in found} == {
        "policy.quotes[1].aggregate_limit",
        "policy.quotes[2].aggregate_limit",
    }
