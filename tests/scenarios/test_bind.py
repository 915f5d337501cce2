"""POST /binds: every row of the specification's transition table, and both sides of each limit."""

from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any

import pytest

from support.binding import (
    DAY,
    ask_to_bind,
    bind,
    decide,
    in_days,
    issue,
    one_quoted,
    quoted,
    review,
    set_clock,
    set_day,
    shown,
    status_of,
    told,
    upload_signed,
)
from support.intake import professional, technology
from support.journals import check_journal
from support.service import Service, request_body, serving
from support.waiting import eventually

pytestmark = pytest.mark.usefixtures("clock_at_day")
NO_MFA = "Evidence within 30 days of the bind that multi-factor authentication"


def named(name: str, **policy: Any) -> dict[str, Any]:
    body = request_body(lambda body: body["client"].update(name=name))
    body["policy"]["quotes"] = body["policy"]["quotes"][:1]
    body["policy"].update(policy)
    return body


def without_mfa(body: dict[str, Any]) -> None:
    for row in body["questions"]:
        if row["id"] == "Q2301":
            row["value"] = False


async def refused(service: Service, quote: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Send a bind that is to be refused, and see that nothing moved, was journaled or queued."""
    pool = service.runtime.database.pool
    look = (
        "select (select count(*) from journal), (select count(*) from binds), "
        "(select count(*) from pgq.pgqueuer), (select sum(version) from quotes)"
    )
    before = await pool.fetch(look)

    answer = await ask_to_bind(service, quote, **changes)

    assert answer.status_code == 400, answer.text
    assert await pool.fetch(look) == before
    body: dict[str, Any] = answer.json()
    return body


def found(body: dict[str, Any]) -> list[tuple[str, str]]:
    return [(error["path"], error["code"]) for error in body["errors"]]


# The rows of the specification's table.


async def test_a_referral_shows_a_premium_after_its_review(service: Service) -> None:
    (quote,) = await quoted(service, named("Large LLC", quotes=[{"aggregate_limit": 5_000_000}]))
    assert (quote["quote_status"], quote["premium"]) == ("quote_referred", None)

    approved = await decide(service, quote, "approve", reason="Seen and fine.")

    assert approved["quote_status"] == "published"
    assert approved["premium"] > 0
    assert approved["quote_expiration_date"] == in_days(DAY, 60)


async def test_a_referral_is_declined_after_its_review(service: Service) -> None:
    (quote,) = await quoted(service, named("Large LLC", quotes=[{"aggregate_limit": 5_000_000}]))

    declined = await decide(service, quote, "decline", reason="Outside our appetite.")

    assert (declined["quote_status"], declined["premium"]) == ("quote_declined", None)
    assert (await ask_to_bind(service, quote)).status_code == 400


async def test_with_the_signature_alone_a_conditional_binder_is_issued(service: Service) -> None:
    quote, sibling = await quoted(service)

    answer = await ask_to_bind(service, quote)

    assert answer.status_code == 200
    assert answer.json() == {
        "company_id": quote["company_id"],
        "quotes": [
            {
                "quote_identifier": quote["quote_identifier"],
                "requested_aggregate_limit": 1_000_000,
                "requested_aggregate_retention": 2_500,
                "requested_per_claim_limit": None,
                "requested_per_claim_retention": None,
                "outcome": "conditional_binder",
                "quote_status": "policy_active",
                "policy_number": "CYB-27-0000001-7-00",
            }
        ],
    }
    binder = await shown(service, quote["quote_identifier"])
    assert binder["quote_status"] == "policy_active"
    assert binder["policy_number"] == "CYB-27-0000001-7-00"
    assert [row["status"] for row in binder["contingencies"]] == ["open"]
    assert binder["premium"] == quote["premium"]
    assert await status_of(service, sibling["quote_identifier"]) == "quote_not_bound"
    assert await told(service, quote["quote_identifier"]) == ["quote.published", "policy.bound"]
    check_journal(await service.journal(quote["quote_identifier"]))


async def test_an_attested_application_issues_the_policy_at_once(service: Service) -> None:
    quote = await one_quoted(service)
    await upload_signed(service, quote)

    policy = await bind(service, quote, app_attestation=True)

    assert policy["quote_status"] == "policy_active"
    assert policy["policy_number"] == "CYB-27-0000001-7-00"
    assert [row["status"] for row in policy["contingencies"]] == ["closed"]
    assert "policy" in policy["available_documents"]
    assert await told(service, quote["quote_identifier"]) == [
        "quote.published",
        "policy.bound",
        "quote.contingency_changed",
        "policy.issued",
    ]
    for kind in ("policy", "binder", "billing_statement", "security_letter"):
        document = await service.get(f"/v2/quotes/{kind}/{quote['quote_identifier']}")
        assert (document.status_code, document.content[:5]) == (200, b"%PDF-")


async def test_a_pre_bind_contingency_makes_the_bind_a_request(service: Service) -> None:
    (quote,) = await quoted(service, named("Careful (prebind)"))
    assert [row["type"] for row in quote["contingencies"]] == ["pre_bind", "post_bind"]

    requested = await bind(service, quote)

    assert requested["quote_status"] == "quote_bind_requested"
    assert requested["policy_number"] is None
    assert await told(service, quote["quote_identifier"]) == ["quote.published", "quote.bind_requested"]


async def test_more_than_the_usual_post_bind_contingency_makes_the_bind_a_request(service: Service) -> None:
    quote = await one_quoted(service, without_mfa)
    assert NO_MFA in quote["contingencies"][1]["text"]
    await upload_signed(service, quote)

    requested = await bind(service, quote, app_attestation=True)

    assert requested["quote_status"] == "quote_bind_requested"


# What an underwriter makes of a request.


async def test_an_approved_request_becomes_a_binder_while_something_is_owed(service: Service) -> None:
    (quote,) = await quoted(service, named("Careful (prebind)"))
    await bind(service, quote)

    binder = await decide(service, quote, "approve")

    assert binder["quote_status"] == "policy_active"
    assert binder["policy_number"] is not None
    assert [(row["type"], row["status"]) for row in binder["contingencies"]] == [
        ("pre_bind", "closed"),
        ("post_bind", "open"),
    ]
    assert "policy" not in binder["available_documents"]


async def test_an_approved_request_with_an_attested_paper_becomes_the_policy(service: Service) -> None:
    (quote,) = await quoted(service, named("Careful (prebind)"))
    await upload_signed(service, quote)
    await bind(service, quote, app_attestation=True)

    policy = await decide(service, quote, "approve")

    assert {row["status"] for row in policy["contingencies"]} == {"closed"}
    assert "policy" in policy["available_documents"]


async def test_a_refused_request_is_declined_and_what_it_passed_over_comes_back(service: Service) -> None:
    body = request_body(lambda body: body["client"].update(name="Careful (prebind)"))
    body["policy"]["quotes"] = [{"aggregate_limit": limit} for limit in (1_000_000, 2_000_000, 5_000_000)]
    chosen, offered, referred = await quoted(service, body)
    await bind(service, chosen)
    for other in (offered, referred):
        assert await status_of(service, other["quote_identifier"]) == "quote_not_bound"

    declined = await decide(service, chosen, "decline", reason="No list.")

    assert declined["quote_status"] == "quote_declined"
    assert await status_of(service, offered["quote_identifier"]) == "published"
    assert await status_of(service, referred["quote_identifier"]) == "quote_referred"


async def test_what_has_expired_meanwhile_does_not_come_back(service: Service) -> None:
    body = request_body(lambda body: body["client"].update(name="Careful (prebind)"))
    chosen, other = await quoted(service, body)
    await bind(service, chosen)
    await set_day(service, date(2027, 5, 1))

    await decide(service, chosen, "decline", reason="No list.")

    assert await status_of(service, other["quote_identifier"]) == "quote_not_bound"


async def test_a_request_waits_as_long_as_it_takes(service: Service) -> None:
    (quote,) = await quoted(service, named("Careful (prebind)"))
    await bind(service, quote)

    moved = await service.post("/v2/demo/clock", {"advance_days": 200})

    assert moved.status_code == 200
    assert await status_of(service, quote["quote_identifier"]) == "quote_bind_requested"
    binder = await decide(service, quote, "approve")
    assert (binder["quote_status"], binder["dates"]["effective"]) == ("policy_active", "2027-03-02")


@pytest.mark.parametrize(
    ("name", "status"), [("(approve)", "policy_active"), ("(decline)", "quote_declined")]
)
async def test_the_simulated_underwriter_decides_a_request_of_that_name(
    working_service: Service, name: str, status: str
) -> None:
    service = working_service
    body = request_body(without_mfa)
    body["client"]["name"] = f"Played {name}"
    quote = await service.quote(body)
    assert quote["quote_status"] == "published"

    answer = await ask_to_bind(service, quote)

    assert answer.status_code == 200
    now = await eventually(
        lambda: status_of(service, quote["quote_identifier"]), lambda seen: seen != "quote_bind_requested"
    )
    assert now == status


# Dates.


async def test_the_effective_date_lies_within_seven_days_back_and_thirty_ahead(service: Service) -> None:
    early, late = await one_quoted(service), await one_quoted(service)

    too_early = await refused(service, early, dates={"effective": in_days(DAY, -8)})
    too_late = await refused(service, late, dates={"effective": in_days(DAY, 31)})
    first = await bind(service, early, dates={"effective": in_days(DAY, -7)})
    last = await bind(service, late, dates={"effective": in_days(DAY, 30)})

    assert found(too_early) == [("dates.effective", "too_early")]
    assert found(too_late) == [("dates.effective", "too_late")]
    assert (first["quote_status"], first["dates"]["effective"]) == ("policy_active", "2027-02-22")
    assert (last["quote_status"], last["dates"]["effective"]) == ("policy_active", "2027-03-31")


async def test_a_term_is_six_to_eighteen_months_long(service: Service) -> None:
    short, long = await one_quoted(service), await one_quoted(service)

    too_short = await refused(service, short, dates={"effective": "2027-03-02", "expiration": "2027-09-01"})
    too_long = await refused(service, long, dates={"effective": "2027-03-02", "expiration": "2028-09-03"})
    half = await bind(service, short, dates={"effective": "2027-03-02", "expiration": "2027-09-02"})
    one_and_a_half = await bind(service, long, dates={"effective": "2027-03-02", "expiration": "2028-09-02"})

    assert found(too_short) == [("dates.expiration", "term_too_short")]
    assert found(too_long) == [("dates.expiration", "term_too_long")]
    assert half["dates"]["expiration"] == "2027-09-02"
    assert one_and_a_half["dates"]["expiration"] == "2028-09-02"
    # Half a year costs half, a year and a half half as much again, as near as a dollar.
    assert half["premium"] < short["premium"] < one_and_a_half["premium"]


async def test_a_bind_on_a_leap_day_runs_to_the_last_of_february(service: Service) -> None:
    await set_day(service, date(2028, 2, 29))
    quote = await one_quoted(service, lambda body: body["policy"].update(dates={"effective": "2028-02-29"}))
    early = await one_quoted(service)

    policy = await bind(service, quote)
    back = await bind(service, early, dates={"effective": "2028-02-22", "expiration": "2029-08-22"})

    assert policy["dates"]["expiration"] == "2029-02-28"
    assert policy["policy_number"].startswith("CYB-28-")
    assert back["dates"]["expiration"] == "2029-08-22"


async def test_a_changed_term_is_priced_anew_and_issued_at_that_price(service: Service) -> None:
    quote = await one_quoted(service)

    policy = await bind(service, quote, dates={"effective": "2027-03-10", "expiration": "2028-09-10"})

    entry = (await service.journal(quote["quote_identifier"]))[-1]
    assert policy["premium"] > quote["premium"]
    assert policy["dates"]["effective"] == "2027-03-10"
    assert f'"premium":{policy["premium"]}' in entry.data


async def test_a_premium_that_a_person_approved_moves_with_the_term(service: Service) -> None:
    (quote,) = await quoted(service, named("Large LLC", quotes=[{"aggregate_limit": 5_000_000}]))
    approved = await decide(service, quote, "approve", terms={"premium": 40_000})
    assert approved["premium"] == 40_000
    tariff = await service.runtime.database.pool.fetchval(
        "select assessment::json->'override'->>'rated_premium' from quotes where quote_id = $1::text::uuid",
        quote["quote_identifier"],
    )

    policy = await bind(service, quote, dates={"effective": "2027-03-02", "expiration": "2028-09-02"})

    longer = await service.runtime.database.pool.fetchval(
        "select assessment::json->>'rated_premium' from quotes where quote_id = $1::text::uuid",
        quote["quote_identifier"],
    )
    assert int(longer) > int(tariff)
    assert policy["premium"] == round(40_000 * int(longer) / int(tariff))


async def test_the_day_turns_at_midnight_where_the_business_is(service: Service) -> None:
    quote = await one_quoted(service)
    ahead = {"effective": "2027-04-30"}

    # Half past eleven on March 30 in New York, March 31 in London already.
    await set_clock(service, datetime(2027, 3, 31, 3, 30, tzinfo=UTC))
    before = await refused(service, quote, dates=ahead)
    await set_clock(service, datetime(2027, 3, 31, 4, 0, 30, tzinfo=UTC))
    after = await bind(service, quote, dates=ahead)

    assert found(before) == [("dates.effective", "too_late")]
    assert after["quote_status"] == "policy_active"


async def test_a_quote_is_open_to_the_end_of_its_last_day_there(service: Service) -> None:
    kept, missed = await one_quoted(service), await one_quoted(service)
    last = date.fromisoformat(kept["quote_expiration_date"])
    assert last == date(2027, 4, 30)

    await set_day(service, last, time(23, 59))
    bound = await bind(service, kept, dates={"effective": "2027-05-01"})
    await set_day(service, date(2027, 5, 1), time(0, 0, 1))
    late = await refused(service, missed, dates={"effective": "2027-05-01"})

    assert bound["quote_status"] == "policy_active"
    # No sweep has come by: the decider looks at the date itself.
    assert await status_of(service, missed["quote_identifier"]) == "published"
    assert late["code"] == "wrong_state"
    assert late["message"].startswith("The quote expired on 2027-04-30. Ask for a new quote")
    assert late["available_statuses"] == ["offer_email"]


async def test_another_business_zone_has_another_day(dsn: str, tmp_path: Path) -> None:
    async with serving(dsn, tmp_path, business_zone="Pacific/Auckland") as service:
        await set_clock(service, datetime(2027, 3, 1, 10, 30, tzinfo=UTC))
        quote = await one_quoted(service)

        on_the_first = await refused(service, quote, dates={"effective": "2027-04-01"})
        await set_clock(service, datetime(2027, 3, 1, 11, 0, 30, tzinfo=UTC))
        on_the_second = await bind(service, quote, dates={"effective": "2027-04-01"})

    assert found(on_the_first) == [("dates.effective", "too_late")]
    assert on_the_second["quote_status"] == "policy_active"


# Retroactive dates.


async def test_a_technology_quote_that_reaches_back_is_published_and_its_bind_reviewed(
    service: Service,
) -> None:
    dates = {"effective": "2027-03-02", "teo_retroactive_date": "2024-01-01"}
    option = ("policy.quotes", [{"aggregate_limit": 1_000_000}])
    (starting,) = await quoted(service, technology(option))
    (reaching,) = await quoted(service, technology(option, ("policy.dates", dates)))
    assert (reaching["quote_status"], reaching["dates"]["teo_retroactive_date"]) == (
        "published",
        "2024-01-01",
    )
    assert starting["dates"]["teo_retroactive_date"] == "2027-03-02"
    assert reaching["premium"] > starting["premium"]
    assert len(reaching["contingencies"]) == 2

    requested = await bind(service, reaching, dates={"effective": "2027-03-02"})
    bound = await bind(service, starting)

    assert requested["quote_status"] == "quote_bind_requested"
    assert requested["dates"]["teo_retroactive_date"] == "2024-01-01"
    assert bound["quote_status"] == "policy_active"


async def test_a_retroactive_date_that_only_the_bind_gives_is_priced_and_reviewed(service: Service) -> None:
    (quote,) = await quoted(service, technology(("policy.quotes", [{"aggregate_limit": 1_000_000}])))

    requested = await bind(
        service, quote, dates={"effective": "2027-03-02", "teo_retroactive_date": "2022-03-02"}
    )

    assert requested["quote_status"] == "quote_bind_requested"
    assert requested["premium"] > quote["premium"]
    assert requested["contingencies"][-1]["text"].startswith("A copy of the expiring policy")
    assert requested["contingencies"][-1]["type"] == "post_bind"
    approved = await decide(service, quote, "approve")
    assert approved["quote_status"] == "policy_active"
    assert [row["status"] for row in approved["contingencies"]] == ["open", "open"]


async def test_a_retroactive_date_after_the_effective_one_is_refused(service: Service) -> None:
    (quote,) = await quoted(service, technology(("policy.quotes", [{"aggregate_limit": 1_000_000}])))

    body = await refused(
        service, quote, dates={"effective": "2027-03-02", "teo_retroactive_date": "2027-03-03"}
    )

    assert found(body) == [("dates.teo_retroactive_date", "after_effective")]


# Refusals.


async def test_attesting_an_application_that_was_not_uploaded_is_refused(service: Service) -> None:
    quote = await one_quoted(service)

    body = await refused(service, quote, app_attestation=True)

    assert found(body) == [("app_attestation", "application_none")]
    assert await status_of(service, quote["quote_identifier"]) == "published"


async def test_after_a_conditional_binder_nothing_can_be_attested(service: Service) -> None:
    quote = await one_quoted(service)
    await bind(service, quote)
    await upload_signed(service, quote)

    body = await refused(service, quote, app_attestation=True)

    assert body["code"] == "wrong_state"
    assert body["available_statuses"] == ["published", "offer_email"]


async def test_the_same_bind_asked_for_again_answers_the_same_receipt(service: Service) -> None:
    quote = await one_quoted(service)
    first = await ask_to_bind(service, quote)

    again = await ask_to_bind(service, quote)
    spelled_out = await ask_to_bind(
        service, quote, dates={"effective": "2027-03-02", "expiration": "2028-03-02"}, app_attestation=False
    )
    await decide(
        service, quote, "close_contingency", contingency_id=quote["contingencies"][0]["contingency_id"]
    )
    after_issuance = await ask_to_bind(service, quote)

    assert [answer.status_code for answer in (first, again, spelled_out, after_issuance)] == [200] * 4
    assert first.content == again.content == spelled_out.content == after_issuance.content
    assert await service.count("binds") == 1
    assert await told(service, quote["quote_identifier"]) == [
        "quote.published",
        "policy.bound",
        "quote.contingency_changed",
        "policy.issued",
    ]


async def test_another_bind_of_a_bound_quote_is_refused(service: Service) -> None:
    quote = await one_quoted(service)
    await bind(service, quote)

    body = await refused(service, quote, dates={"effective": in_days(DAY, 5)})

    assert body["code"] == "wrong_state"


async def test_after_a_cancellation_the_same_bind_is_a_wrong_state(service: Service) -> None:
    quote = await one_quoted(service)
    await bind(service, quote)
    await decide(service, quote, "cancel", text="Asked for.")

    assert (await refused(service, quote))["code"] == "wrong_state"


async def test_an_idempotency_key_replays_the_first_answer_and_knows_another_request(
    service: Service,
) -> None:
    quote = await one_quoted(service)

    first = await ask_to_bind(service, quote, key="once")
    again = await ask_to_bind(service, quote, key="once")
    other = await ask_to_bind(service, quote, key="once", app_attestation=True)

    assert (first.status_code, again.status_code, other.status_code) == (200, 200, 422)
    assert first.content == again.content
    assert "idempotent-replayed" not in first.headers
    assert again.headers["idempotent-replayed"] == "true"
    assert await service.count("binds") == 1


async def test_a_refused_bind_may_be_sent_again_under_its_key(service: Service) -> None:
    quote = await one_quoted(service)
    attested: dict[str, Any] = {"app_attestation": True, "key": "once"}

    refused_first = await ask_to_bind(service, quote, **attested)
    await upload_signed(service, quote)
    then = await ask_to_bind(service, quote, **attested)

    assert (refused_first.status_code, then.status_code) == (400, 200)


async def test_the_identifier_is_malformed_unknown_or_anothers(service: Service) -> None:
    quote = await one_quoted(service)
    other = await service.new_partner("another partner")

    malformed = await ask_to_bind(service, {**quote, "quote_identifier": "no/such"})
    empty = await ask_to_bind(service, {**quote, "quote_identifier": ""})
    long = await ask_to_bind(service, {**quote, "quote_identifier": "x" * 65})
    unknown = await ask_to_bind(service, {**quote, "quote_identifier": "x" * 64})
    anothers = await ask_to_bind(other, quote)

    assert [answer.status_code for answer in (malformed, empty, long)] == [400, 400, 400]
    assert [answer.status_code for answer in (unknown, anothers)] == [404, 404]
    assert await status_of(service, quote["quote_identifier"]) == "published"


async def test_a_quote_that_is_not_ready_is_answered_202(service: Service) -> None:
    receipt = await service.submit()
    identifier = receipt["quotes"][0]["quote_identifier"]

    answer = await service.post(
        "/v2/binds", {"quote_identifier": identifier, "dates": {"effective": "2027-03-02"}}
    )

    assert answer.status_code == 202
    assert answer.json()["error"]
    assert int(answer.headers["retry-after"]) > 0
    assert await service.count("binds") == 0


async def test_the_dates_are_required(service: Service) -> None:
    quote = await one_quoted(service)

    without = await service.post("/v2/binds", {"quote_identifier": quote["quote_identifier"]})
    without_effective = await ask_to_bind(service, quote, dates={"expiration": "2028-03-02"})

    assert found(without.json()) == [("dates", "required")]
    assert found(without_effective.json()) == [("dates.effective", "required")]


# One policy of a line at a time.


async def test_cyber_and_technology_are_one_line_and_professional_another(service: Service) -> None:
    cyber = await one_quoted(service)
    same = [("client.company_id", cyber["company_id"]), ("policy.quotes", [{"aggregate_limit": 1_000_000}])]
    (tech,) = await quoted(service, technology(*same))
    (mpl,) = await quoted(service, professional(*same))
    await bind(service, cyber)

    (later_tech,) = await quoted(service, technology(*same))
    doubled = await refused(service, later_tech)
    beside = await bind(service, mpl)

    assert await status_of(service, tech["quote_identifier"]) == "quote_not_bound"
    assert doubled["code"] == "already_bound"
    assert beside["quote_status"] == "policy_active"


async def test_terms_may_touch_and_not_overlap(service: Service) -> None:
    first = await one_quoted(service)
    await issue(service, first, dates={"effective": "2027-03-02", "expiration": "2027-09-02"})
    await set_day(service, date(2027, 8, 15))
    following = await one_quoted(service, lambda body: body["client"].update(company_id=first["company_id"]))

    a_day_early = await refused(service, following, dates={"effective": "2027-09-01"})
    on_the_day = await bind(service, following, dates={"effective": "2027-09-02"})

    assert a_day_early["code"] == "already_bound"
    assert on_the_day["quote_status"] == "policy_active"


async def test_a_request_that_overlaps_cover_bound_since_cannot_be_approved(service: Service) -> None:
    (requested,) = await quoted(service, named("Careful (prebind)"))
    await bind(service, requested)
    plain = await one_quoted(service, lambda body: body["client"].update(company_id=requested["company_id"]))
    await bind(service, plain)

    answer = await review(service, requested, "approve")

    assert (answer.status_code, answer.json()["code"]) == (400, "already_bound")
    assert await status_of(service, requested["quote_identifier"]) == "quote_bind_requested"


async def test_contacts_given_with_the_bind_replace_those_on_file(service: Service) -> None:
    quote = await one_quoted(service)
    notices = {"email": "cfo@harborlight.example", "contact_roles": ["policy_notices"]}

    policy = await bind(
        service,
        quote,
        client={
            "insured_main_contact": {"email": "new@harborlight.example"},
            "additional_contacts": [notices],
        },
    )

    assert policy["client"]["insured_main_contact"] == {"email": "new@harborlight.example"}
    assert [contact["email"] for contact in policy["client"]["additional_contacts"]] == [notices["email"]]


async def test_a_contact_with_unknown_properties_is_refused(service: Service) -> None:
    quote = await one_quoted(service)

    body = await refused(
        service, quote, client={"insured_main_contact": {"email": "a@example.com", "fax": "1"}}
    )

    assert [error["path"] for error in body["errors"]] == ["client.insured_main_contact.fax"]


async def test_an_underwriter_revokes_a_requested_bind_and_the_other_options_come_back(
    service: Service,
) -> None:
    first, second, *_ = await quoted(service)
    proof = {"type": "pre_bind", "text": "Proof of backups"}
    await decide(service, first, "add_contingency", contingency=proof)
    await bind(service, first)
    passed_over = await status_of(service, second["quote_identifier"])

    revoked = await decide(service, first, "revoke", reason="Not our risk.")

    assert (passed_over, revoked["quote_status"]) == ("quote_not_bound", "quote_revoked")
    assert await status_of(service, second["quote_identifier"]) == "published"
