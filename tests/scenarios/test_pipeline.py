"""From a submission to a priced quote or a referral with reasons, through the names that the demo knows."""

from typing import Any

import jsonschema_rs
import msgspec
import pytest

from bindery.actions.timetable.sweep import requeue_standing_still
from bindery.contract.quote import QuoteBody
from bindery.settings import Environment
from support.service import Service, request_body, serving, working
from support.waiting import eventually

REFERRED = "quote_referred"


def with_domain(name: str) -> dict[str, Any]:
    return request_body(lambda body: body["client"].update(domains=[name]))


def with_name(name: str, **client: Any) -> dict[str, Any]:
    return request_body(lambda body: body["client"].update(name=name, **client))


def answered(question_id: str, value: Any) -> dict[str, Any]:
    def change(body: dict[str, Any]) -> None:
        body["questions"] = [
            {"id": row["id"], "value": value if row["id"] == question_id else row["value"]}
            for row in body["questions"]
        ]

    return request_body(change)


async def way_of(service: Service, quote: dict[str, Any]) -> list[str]:
    return [entry.status_after for entry in await service.journal(quote["quote_identifier"])]


async def test_a_clean_ladder_is_published_and_priced_in_order(working_service: Service) -> None:
    ladder = [
        (250_000, 2_500),
        (500_000, 2_500),
        (1_000_000, 2_500),
        (1_000_000, 10_000),
        (3_000_000, 10_000),
    ]
    body = request_body(
        lambda body: body["policy"].update(
            quotes=[
                {"aggregate_limit": limit, "aggregate_retention": retention} for limit, retention in ladder
            ]
        )
    )

    receipt = await working_service.submit(body)
    quotes = [await working_service.ready(row["quote_identifier"]) for row in receipt["quotes"]]

    assert [quote["quote_status"] for quote in quotes] == ["published"] * 5
    by_terms = dict(zip(ladder, (quote["premium"] for quote in quotes), strict=True))
    assert by_terms[250_000, 2_500] < by_terms[500_000, 2_500] < by_terms[1_000_000, 2_500]
    assert by_terms[1_000_000, 10_000] < by_terms[1_000_000, 2_500]
    assert by_terms[1_000_000, 10_000] < by_terms[3_000_000, 10_000]
    assert await way_of(working_service, quotes[0]) == [
        "created",
        "aq_created",
        "calculating",
        "calc_completed",
        "eligible",
        "published",
    ]


async def test_a_published_quote_fits_its_schema(working_service: Service) -> None:
    quote = await working_service.quote()

    (schema,), definitions = msgspec.json.schema_components([QuoteBody], ref_template="#/$defs/{name}")
    validator = jsonschema_rs.Draft202012Validator({**schema, "$defs": definitions}, validate_formats=True)
    assert list(validator.iter_errors(quote)) == []


REFERRED_BY = (
    (with_domain("red-flags.example.com"), "red_flags_found", "red_flags"),
    (with_domain("scan-error.example.com"), "quick_scan_error", "scan_failed"),
    (with_domain("no-data.example.com"), "collection_issue", "nothing_collected"),
    (with_domain("calc-error.example.com"), "calc_failed", "pricing_failed"),
    (request_body(lambda body: body["client"].update(domains=[])), "missing_quick_scan", "missing_domain"),
    (
        request_body(lambda body: body["policy"].update(quotes=[{"aggregate_limit": 4_000_000}])),
        "authority_failed",
        "limit_above_authority",
    ),
    (answered("Q2159", value=True), "aq_not_approved", "many_records"),
)
"""A submission, the status through which it is referred, and the code of the reason."""


async def test_what_a_machine_may_not_decide_is_referred(
    working_service: Service, subtests: pytest.Subtests
) -> None:
    for body, through, code in REFERRED_BY:
        with subtests.test(through):
            quote = await working_service.quote(body)

            assert quote["quote_status"] == REFERRED
            assert code in [reason["code"] for reason in quote["referral_reasons"]]
            assert quote["premium"] is None
            assert quote["quote_expiration_date"] is None
            way = await way_of(working_service, quote)
            assert way[-2:] == [through, REFERRED]
            assert quote["error_occurred"] is (through == "calc_failed")
            assert quote["red_flags_exist"] is (through == "red_flags_found")


async def test_all_reasons_are_collected_not_the_first(working_service: Service) -> None:
    def change(body: dict[str, Any]) -> None:
        body["client"]["domains"] = ["red-flags.example.com"]
        body["policy"]["quotes"] = [{"aggregate_limit": 5_000_000}]
        for row in body["questions"]:
            if row["id"] == "Q2244":
                row["value"] = ["Gambling"]

    quote = await working_service.quote(request_body(change))

    found = {reason["code"]: reason["recommendation"] for reason in quote["referral_reasons"]}
    assert found.keys() >= {"limit_above_authority", "red_flags", "prohibited_activity"}
    assert found["prohibited_activity"] == "decline"


async def test_a_company_on_file_with_another_broker_is_referred(working_service: Service) -> None:
    service = await working_service.new_partner("two-brokers", "first@example.com", "second@example.com")
    first = request_body(lambda body: body["client"].update(broker_email="first@example.com"))
    company_id = (await service.submit(first))["company_id"]

    second = request_body(
        lambda body: body["client"].update(broker_email="second@example.com", company_id=company_id)
    )
    quote = await service.quote(second)

    assert quote["quote_status"] == REFERRED
    assert (await way_of(service, quote))[-2] == "broker_conflict_referral"


async def test_a_weak_domain_is_dearer_but_not_referred(working_service: Service) -> None:
    clean = await working_service.quote()
    weak = await working_service.quote(with_domain("weak.example.com"))

    assert weak["quote_status"] == "published"
    assert weak["premium"] > clean["premium"]


async def decided(service: Service, body: dict[str, Any]) -> dict[str, Any]:
    """Wait until the simulated underwriter has decided: a moment after the quote was referred."""
    quote = await service.quote(body)
    return await eventually(
        lambda: service.ready(quote["quote_identifier"]), lambda seen: seen["quote_status"] != REFERRED
    )


async def test_names_choose_the_underwriters_decision(working_service: Service) -> None:
    referred = {"domains": ["red-flags.example.com"]}
    approved = await decided(working_service, with_name("Acme (approve)", **referred))
    declined = await decided(working_service, with_name("Acme (decline)", **referred))
    pre_bind = await working_service.quote(with_name("Acme (prebind)"))

    assert (approved["quote_status"], declined["quote_status"]) == ("published", "quote_declined")
    assert approved["premium"] > 0
    assert "pre_bind" in [contingency["type"] for contingency in pre_bind["contingencies"]]


class TestReview:
    async def referred(self, service: Service) -> dict[str, Any]:
        return await service.quote(with_domain("red-flags.example.com"))

    async def review(self, service: Service, quote: dict[str, Any], **decision: Any) -> Any:
        return await service.post(f"/v2/demo/quotes/{quote['quote_identifier']}/review", decision)

    async def test_an_approved_referral_is_priced_and_published(self, working_service: Service) -> None:
        quote = await self.referred(working_service)

        answer = await self.review(working_service, quote, decision="approve", reason="Port is closed now.")

        assert answer.status_code == 200, answer.text
        assert answer.json()["quote_status"] == "published"
        assert answer.json()["premium"] > 0
        assert answer.json()["coverages"]

    async def test_changed_terms_are_rated_again_and_an_own_premium_is_on_record(
        self, working_service: Service
    ) -> None:
        quote = await self.referred(working_service)

        answer = await self.review(
            working_service,
            quote,
            decision="approve",
            terms={"aggregate_retention": 25_000, "premium": 4_321},
        )

        shown = answer.json()
        assert (shown["aggregate_retention"], shown["premium"]) == (25_000, 4_321)
        record = await working_service.runtime.database.pool.fetchval(
            "select assessment from quotes where quote_id = $1", quote["quote_identifier"]
        )
        override = msgspec.json.decode(record)["override"]
        assert (override["by"], override["premium"]) == ("demo underwriter", 4_321)
        assert override["rated_premium"] != 4_321
        # Taxes follow the premium that is charged: Pennsylvania takes 3 % and a flat 20 dollars.
        assert [charge["price"] for charge in shown["surcharges"]] == [129.63, 20.0]

    async def test_a_declined_referral_stays_declined(self, working_service: Service) -> None:
        quote = await self.referred(working_service)

        declined = await self.review(working_service, quote, decision="decline", reason="Not our appetite.")
        again = await self.review(working_service, quote, decision="approve")

        assert declined.json()["quote_status"] == "quote_declined"
        assert again.status_code == 400
        assert again.json()["available_statuses"] == ["quote_referred", "quote_bind_requested"]

    async def test_an_open_quote_can_be_revoked_and_an_added_contingency_shows(
        self, working_service: Service
    ) -> None:
        quote = await working_service.quote()

        added = await self.review(
            working_service,
            quote,
            decision="add_contingency",
            contingency={"type": "pre_bind", "text": "A network diagram"},
        )
        revoked = await self.review(working_service, quote, decision="revoke", reason="New facts")

        assert "A network diagram" in [row["text"] for row in added.json()["contingencies"]]
        assert revoked.json()["quote_status"] == "quote_revoked"

    async def test_a_decision_that_lacks_its_part_names_it(self, working_service: Service) -> None:
        quote = await self.referred(working_service)

        answer = await self.review(working_service, quote, decision="add_contingency")

        assert answer.status_code == 400
        assert [problem["path"] for problem in answer.json()["errors"]] == ["contingency"]


class TestTime:
    async def test_quotes_are_open_and_referrals_wait_for_sixty_days(self, working_service: Service) -> None:
        quote = await working_service.quote()
        referral = await working_service.quote(with_domain("red-flags.example.com"))

        async def statuses_after(days: int) -> list[str]:
            await working_service.post("/v2/demo/clock", {"advance_days": days})
            seen = [await working_service.ready(row["quote_identifier"]) for row in (quote, referral)]
            return [row["quote_status"] for row in seen]

        assert await statuses_after(60) == ["published", REFERRED]
        assert await statuses_after(1) == ["quote_expired", "stale"]


async def test_a_submission_whose_job_was_lost_is_found_and_worked_on(service: Service) -> None:
    receipt = await service.submit()
    pool = service.runtime.database.pool
    await pool.execute("delete from pgq.pgqueuer")
    assert await requeue_standing_still(service.runtime.database) == 0
    await pool.execute("update quotes set updated_at = updated_at - interval '3 minutes'")

    assert await requeue_standing_still(service.runtime.database) == 1
    assert await requeue_standing_still(service.runtime.database) == 0
    async with working(service):
        quote = await service.ready(receipt["quotes"][0]["quote_identifier"])

    assert quote["quote_status"] == "published"


async def test_waiting_answers_as_soon_as_the_quote_is_ready(service: Service) -> None:
    receipt = await service.submit()
    identifier = receipt["quotes"][0]["quote_identifier"]

    at_once = await service.get(f"/v2/quotes/{identifier}")
    after_a_second = await service.get(f"/v2/quotes/{identifier}", Prefer="wait=1")
    async with working(service):
        ready = await service.get(f"/v2/quotes/{identifier}", Prefer="wait=30")

    assert (at_once.status_code, after_a_second.status_code, ready.status_code) == (202, 202, 200)
    assert at_once.headers["Retry-After"] == "2"
    assert at_once.json()["error"]


async def test_an_unchanged_quote_is_answered_304(working_service: Service) -> None:
    quote = await working_service.quote()
    path = f"/v2/quotes/{quote['quote_identifier']}"
    etag = (await working_service.get(path)).headers["ETag"]

    same = await working_service.get(path, If_None_Match=etag)
    await working_service.post(f"/v2/demo{path[3:]}/review", {"decision": "revoke"})
    changed = await working_service.get(path, If_None_Match=etag)

    assert (same.status_code, same.content) == (304, b"")
    assert changed.status_code == 200


async def test_retention_below_the_floor_is_corrected_and_said(working_service: Service) -> None:
    def change(body: dict[str, Any]) -> None:
        body["client"]["revenue"] = 30_000_000
        body["policy"]["quotes"] = [{"aggregate_limit": 1_000_000, "aggregate_retention": 2_500}]
        body["questions"] += [
            {"id": "Q2302", "value": ["Proofpoint"]},
            {"id": "Q2304", "value": ["CrowdStrike Falcon"]},
            {"id": "Q2309", "value": "Managed 24/7 by in-house security team"},
            {"id": "Q2307", "value": "No"},
            {"id": "Q2315", "value": "No"},
            {"id": "Q2311", "value": ["Offline or air-gapped (e.g. tape or disconnected disk)"]},
            {"id": "Q2312", "value": "Tape Vault Inc."},
            {"id": "Q2313", "value": "Yes"},
        ]

    receipt = await working_service.submit(request_body(change))
    quote = await working_service.ready(receipt["quotes"][0]["quote_identifier"])

    assert receipt["quotes"][0]["requested_aggregate_retention"] == 2_500
    assert quote["aggregate_retention"] == 10_000
    assert [(row["field"], row["asked"], row["given"]) for row in quote["corrections"]] == [
        ("aggregate_retention", 2_500, 10_000)
    ]


async def test_production_keeps_no_demo_operation(dsn: str, tmp_path: Any) -> None:
    async with serving(
        dsn, tmp_path, environment=Environment.PRODUCTION, base_url="https://api.bindery.example/v2"
    ) as service:
        clock = await service.get("/v2/demo/clock")
        review = await service.post("/v2/demo/quotes/abc/review", {"decision": "approve"})

    assert (clock.status_code, review.status_code) == (404, 404)
