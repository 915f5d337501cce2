"""A bind binds what was quoted: only what is given changes it, and what GET shows can be sent."""

import json
import uuid
from datetime import date
from typing import Any

import pytest

from bindery.actions.policy.put_in_force import finish_bind
from bindery.storage.policy import policies
from support.binding import (
    DAY,
    ask_to_bind,
    bind,
    decide,
    in_days,
    issue,
    move_days,
    one_quoted,
    quoted,
    shown,
    told,
    upload_signed,
)
from support.intake import changed, professional, technology
from support.service import Service, request_body

pytestmark = pytest.mark.usefixtures("clock_at_day")
ONE_OPTION = ("policy.quotes", [{"aggregate_limit": 1_000_000}])
NOTICES = {"email": "cfo@harborlight.example", "contact_roles": ["policy_notices"], "desk": "4th floor"}
BODIES = {"CYB": changed, "TEO": technology, "MPL": professional}


async def of_months(service: Service, months: int) -> dict[str, Any]:
    """A quote from March 4, 2027 for that many months."""
    end = date(2027 + (2 + months) // 12, (2 + months) % 12 + 1, 4)
    dates = {"effective": "2027-03-04", "expiration": end.isoformat()}
    return await one_quoted(service, lambda body: body["policy"].update(dates=dates))


def receipt_of(answer: Any) -> dict[str, Any]:
    assert answer.status_code == 200, answer.text
    (receipt,) = answer.json()["quotes"]
    return receipt  # type: ignore[no-any-return]  # JSON


# Term and price.


@pytest.mark.parametrize("months", [6, 18])
async def test_without_an_expiration_the_quoted_term_is_bound_at_the_quoted_price(
    service: Service, months: int
) -> None:
    quote = await of_months(service, months)

    policy = await issue(service, quote, dates={"effective": "2027-03-04"})

    assert policy["dates"] == quote["dates"]
    assert (policy["premium"], policy["total"]) == (quote["premium"], quote["total"])


async def test_from_a_moved_effective_date_the_policy_is_as_long_as_quoted(service: Service) -> None:
    quote = await of_months(service, 6)

    policy = await bind(service, quote, dates={"effective": "2027-03-10", "expiration": None})

    assert (policy["dates"]["effective"], policy["dates"]["expiration"]) == ("2027-03-10", "2027-09-10")


async def test_an_expiration_that_is_given_changes_the_term_and_the_price(service: Service) -> None:
    quote = await of_months(service, 6)

    policy = await bind(service, quote, dates={"effective": "2027-03-04", "expiration": "2028-03-04"})

    assert policy["dates"]["expiration"] == "2028-03-04"
    assert policy["premium"] > quote["premium"]


@pytest.mark.parametrize("product", BODIES)
async def test_the_dates_that_get_shows_bind_what_was_quoted(service: Service, product: str) -> None:
    (quote,) = await quoted(service, BODIES[product](ONE_OPTION))

    policy = await bind(service, quote, dates=quote["dates"])

    assert policy["quote_status"] == "policy_active"
    assert (policy["dates"], policy["premium"]) == (quote["dates"], quote["premium"])
    assert policy["corrections"] == quote["corrections"]


# What GET shows can be sent to POST /quotes.


@pytest.mark.parametrize("product", BODIES)
async def test_the_client_and_the_dates_that_get_shows_ask_for_more_options(
    service: Service, product: str
) -> None:
    body = BODIES[product](ONE_OPTION)
    (quote,) = await quoted(service, body)

    body["client"] = {**quote["client"], "company_id": quote["company_id"]}
    body["policy"]["dates"] = quote["dates"]
    (more,) = await quoted(service, body)

    assert more["company_id"] == quote["company_id"]
    assert (more["dates"], more["premium"]) == (quote["dates"], quote["premium"])
    # Nothing that is rated has changed, so the first quote stays open.
    assert (await shown(service, quote["quote_identifier"]))["quote_status"] == "published"


async def test_the_industry_of_technology_is_taken_for_technology_alone(service: Service) -> None:
    answer = await service.post("/v2/quotes", changed(("client.industry", "00")))

    assert answer.status_code == 400
    assert [(error["path"], error["code"]) for error in answer.json()["errors"]] == [
        ("client.industry", "wrong_format")
    ]


# Contacts.


async def test_contacts_that_are_not_given_stay(service: Service) -> None:
    quote = await one_quoted(service, lambda body: body["client"].update(additional_contacts=[NOTICES]))

    policy = await issue(service, quote, client={"insured_main_contact": {"email": "new@b.example"}})
    await finish_bind(service.runtime, uuid.UUID(quote["quote_identifier"]))

    assert policy["client"]["insured_main_contact"] == {"email": "new@b.example"}
    assert policy["client"]["additional_contacts"] == [NOTICES]
    written_to = await service.runtime.database.pool.fetchval(
        "select recipients from mails where kind = 'policy_issued_to_insured'"
    )
    assert written_to == ["new@b.example", NOTICES["email"]]


async def test_an_empty_list_of_contacts_takes_them_off_file(service: Service) -> None:
    quote = await one_quoted(service, lambda body: body["client"].update(additional_contacts=[NOTICES]))

    policy = await bind(
        service,
        quote,
        client={"insured_main_contact": {"email": "new@b.example"}, "additional_contacts": []},
    )

    assert policy["client"]["additional_contacts"] == []


async def test_other_properties_of_contacts_are_kept_at_both_doors(service: Service) -> None:
    quote = await one_quoted(service, lambda body: body["client"].update(additional_contacts=[NOTICES]))
    other = {**NOTICES, "email": "coo@harborlight.example", "pager": 7}

    policy = await bind(
        service,
        quote,
        client={"insured_main_contact": {"email": "new@b.example"}, "additional_contacts": [other]},
    )

    assert quote["client"]["additional_contacts"] == [NOTICES]
    assert policy["client"]["additional_contacts"] == [other]


async def test_the_client_that_get_shows_can_be_sent_with_the_bind(service: Service) -> None:
    quote = await one_quoted(
        service,
        lambda body: body["client"].update(
            additional_contacts=[NOTICES], insured_main_contact={"email": "ann@b.example"}
        ),
    )

    policy = await bind(service, quote, client=quote["client"], app_attestation=None)

    assert policy["client"] == quote["client"]


# A retroactive date that is withdrawn.


@pytest.mark.parametrize(
    "dates",
    [
        {"effective": "2027-03-04", "teo_retroactive_date": "2027-03-04"},
        # Before the date that was quoted: it moves along.
        {"effective": "2027-02-25"},
    ],
)
async def test_a_withdrawn_retroactive_date_takes_its_contingency_and_the_review_with_it(
    service: Service, dates: dict[str, str]
) -> None:
    asked = {"effective": "2027-03-04", "teo_retroactive_date": "2027-02-26"}
    (plain,) = await quoted(service, technology(ONE_OPTION, ("policy.dates", {"effective": "2027-03-04"})))
    (quote,) = await quoted(service, technology(ONE_OPTION, ("policy.dates", asked)))
    assert [row["status"] for row in quote["contingencies"]] == ["open", "open"]
    copy = quote["contingencies"][1]
    assert copy["text"].startswith("A copy of the expiring policy")

    answer = await ask_to_bind(service, quote, dates=dates)

    assert receipt_of(answer)["outcome"] == "conditional_binder"
    policy = await shown(service, quote["quote_identifier"])
    assert [row["status"] for row in policy["contingencies"]] == ["open", "closed"]
    assert policy["dates"]["teo_retroactive_date"] == dates["effective"]
    assert policy["premium"] == plain["premium"] < quote["premium"]
    events = await service.journal(quote["quote_identifier"])
    why = "Not needed: the bind does not reach back before its first day."
    assert [json.loads(entry.data) for entry in events if entry.type == "quote.contingency_changed"] == [
        {"closed": copy["contingency_id"], "closed_as": "waived", "closed_reason": why}
    ]


async def test_a_retroactive_date_that_still_reaches_back_is_reviewed(service: Service) -> None:
    asked = {"effective": "2027-03-04", "teo_retroactive_date": "2026-01-01"}
    (quote,) = await quoted(service, technology(ONE_OPTION, ("policy.dates", asked)))

    answer = await ask_to_bind(service, quote, dates={**asked, "teo_retroactive_date": "2027-03-03"})

    assert receipt_of(answer)["outcome"] == "bind_requested"
    requested = await shown(service, quote["quote_identifier"])
    assert [row["status"] for row in requested["contingencies"]] == ["open", "open"]


# Receipts.


async def test_the_receipt_says_what_came_of_the_bind(service: Service) -> None:
    def careful(body: dict[str, Any]) -> None:
        body["client"]["name"] = "Careful (prebind)"

    conditional, attested, requested = [
        await one_quoted(service), await one_quoted(service), await one_quoted(service, careful)
    ]  # fmt: skip
    await upload_signed(service, attested)

    receipts = [
        receipt_of(await ask_to_bind(service, conditional)),
        receipt_of(await ask_to_bind(service, attested, app_attestation=True)),
        receipt_of(await ask_to_bind(service, requested)),
    ]

    assert [(row["outcome"], row["quote_status"]) for row in receipts] == [
        ("conditional_binder", "policy_active"),
        ("policy_issued", "policy_active"),
        ("bind_requested", "quote_bind_requested"),
    ]
    numbers = [row["policy_number"] for row in receipts]
    assert numbers == ["CYB-27-0000001-7-00", "CYB-27-0000002-5-00", None]


async def test_a_repeated_bind_answers_as_it_did_whatever_happened_since(service: Service) -> None:
    quote = await one_quoted(service, lambda body: body["client"].update(name="Careful (prebind)"))
    body = {"dates": quote["dates"]}
    first = await ask_to_bind(service, quote, key="once", **body)
    await decide(service, quote, "approve")
    await decide(
        service, quote, "close_contingency", contingency_id=quote["contingencies"][1]["contingency_id"]
    )

    by_key = await ask_to_bind(service, quote, key="once", **body)
    repeated = await ask_to_bind(service, quote, dates={"effective": quote["dates"]["effective"]})

    assert receipt_of(first)["outcome"] == "bind_requested"
    assert first.content == by_key.content == repeated.content
    assert (await shown(service, quote["quote_identifier"]))["quote_status"] == "policy_active"


async def test_a_bind_from_before_receipts_were_kept_is_answered_as_it_stands(service: Service) -> None:
    quote = await one_quoted(service)
    first = await ask_to_bind(service, quote)
    await service.runtime.database.pool.execute("update binds set receipt = null")

    again = await ask_to_bind(service, quote)

    assert again.content == first.content
    async with service.runtime.database.reading() as tx:
        assert await policies.receipt_of(tx, uuid.UUID(quote["quote_identifier"])) is None


# The last day of a conditional binder.


async def test_a_conditional_binder_expires_on_its_thirtieth_day(service: Service) -> None:
    quote = await one_quoted(service)
    assert quote["quote_expiration_date"] == in_days(DAY, 60)

    binder = await bind(service, quote)
    await move_days(service, 30)
    on_its_last_day = await shown(service, quote["quote_identifier"])
    await move_days(service, 1)
    lapsed = await shown(service, quote["quote_identifier"])

    assert (binder["quote_status"], binder["quote_expiration_date"]) == ("policy_active", in_days(DAY, 30))
    assert on_its_last_day["quote_status"] == "policy_active"
    assert (lapsed["quote_status"], lapsed["quote_expiration_date"]) == ("quote_expired", in_days(DAY, 30))


async def test_no_term_is_taken_without_effect_and_not_named(service: Service) -> None:
    quote = await one_quoted(service)

    policy = await bind(service, quote, dates={**quote["dates"], "mpl_retroactive_date": "full_prior_acts"})

    assert [(row["code"], row["field"], row["asked"]) for row in policy["corrections"]] == [
        *[(row["code"], row["field"], row["asked"]) for row in quote["corrections"]],
        ("no_effect", "dates.mpl_retroactive_date", "full_prior_acts"),
    ]
    assert policy["premium"] == quote["premium"]
    assert await told(service, quote["quote_identifier"]) == ["quote.published", "policy.bound"]


async def test_a_body_with_a_renewed_contact_reaches_the_renewal(service: Service) -> None:
    body = request_body(lambda body: body["client"].update(additional_contacts=[NOTICES]))
    quote, _ = await quoted(service, body)
    await issue(service, quote, client={"insured_main_contact": {"email": "new@b.example"}})

    await move_days(service, 320)

    renewal = (await shown(service, quote["quote_identifier"]))["renewal"]["renewed_by"]
    offer = await shown(service, renewal)
    assert offer["client"]["insured_main_contact"] == {"email": "new@b.example"}
    assert offer["client"]["additional_contacts"] == [NOTICES]


# What does not belong.


async def test_fields_that_a_bind_does_not_have_are_named_in_the_corrections_of_the_quote(
    service: Service,
) -> None:
    quote = await one_quoted(service)

    await bind(service, quote, app_atestation=True)

    after = await shown(service, quote["quote_identifier"])
    assert [(c["field"], c["code"], c["text"]) for c in after["corrections"]] == [
        (
            "app_atestation",
            "unknown_field",
            "app_atestation is not a known field and was ignored; did you mean app_attestation?",
        )
    ]


async def test_what_was_quoted_beside_the_contract_is_named_in_the_corrections(service: Service) -> None:
    (quote,) = await quoted(
        service,
        changed(
            ONE_OPTION,
            ("policy.date", {"effective": "2027-03-20"}),
            ("client.industry", "311999"),
            ("policy.dates.effective", "2028-03-02"),
        ),
    )

    assert [(c["field"], c["code"], c["asked"], c["given"]) for c in quote["corrections"]] == [
        ("policy.date", "unknown_field", None, None),
        ("policy.dates.effective", "not_bindable_yet", "2028-03-02", None),
    ]


async def test_an_industry_in_no_list_is_rated_by_the_prefix_that_the_quote_names(service: Service) -> None:
    (listed,) = await quoted(service, changed(ONE_OPTION, ("client.industry", "311811")))
    (unlisted,) = await quoted(service, changed(ONE_OPTION, ("client.industry", "311888")))

    assert unlisted["premium"] == listed["premium"]
    (correction,) = unlisted["corrections"]
    assert correction["code"] == "unknown_industry"
    assert correction["text"] == "311888 is not a NAICS 2022 code; it is rated by its prefix 31"
    assert (correction["asked"], correction["given"]) == ("311888", "31")


async def test_the_dearest_of_several_technology_operations_is_rated(service: Service) -> None:
    nothing_special = ["None of the above"]  # class A of the software, class B of the hardware
    premiums = []
    for operations, answers in (
        (["Software"], {"2224": nothing_special}),
        (["Hardware"], {"2211": nothing_special}),
        (["Software", "Hardware"], {"2224": nothing_special, "2211": nothing_special}),
    ):
        body = technology(ONE_OPTION)
        body["questions"] = [a for a in body["questions"] if a["id"] not in {"2204", "2224"}]
        body["questions"] += [{"id": name, "value": value} for name, value in answers.items()]
        body["questions"].append({"id": "2204", "value": operations})
        (quote,) = await quoted(service, body)
        premiums.append(quote["premium"])

    software, hardware, both = premiums
    assert software < hardware == both
