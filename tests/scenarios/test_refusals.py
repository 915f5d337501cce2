"""What a refusal says: what happened, what is allowed, and what to do next."""

from datetime import date
from typing import Any

import httpx
import pytest

from support.binding import (
    ask_to_bind,
    bind,
    decide,
    issue,
    move_days,
    one_quoted,
    quoted,
    review,
    set_day,
)
from support.intake import changed
from support.service import Service

DAY = date(2027, 3, 1)
ONE_OPTION = ("policy.quotes", [{"aggregate_limit": 1_000_000}])


@pytest.fixture
async def service(service: Service) -> Service:
    await set_day(service, DAY)
    return service


def refused(answer: httpx.Response, code: str = "wrong_state") -> dict[str, Any]:
    body: dict[str, Any] = answer.json()
    assert (answer.status_code, body["code"]) == (400, code), answer.text
    return body


async def test_the_policy_of_a_conditional_binder_names_what_is_owed_and_by_when(service: Service) -> None:
    quote = await one_quoted(service)
    await bind(service, quote)

    answer = await service.get(f"/v2/quotes/policy/{quote['quote_identifier']}")

    body = refused(answer, "not_issued")
    assert "by 2027-03-31" in body["message"]
    assert quote["contingencies"][0]["text"] in body["message"]
    assert "available_statuses" not in body


async def test_the_policy_of_a_canceled_binder_waits_for_nothing(service: Service) -> None:
    quote = await one_quoted(service)
    await bind(service, quote)
    await decide(service, quote, "cancel", text="Asked for.")

    body = refused(await service.get(f"/v2/quotes/policy/{quote['quote_identifier']}"), "not_issued")

    assert "was never issued" in body["message"]
    assert "owed" not in body["message"]


async def test_a_document_of_a_referral_that_was_passed_over_does_not_wait_for_its_own_status(
    service: Service,
) -> None:
    options = [{"aggregate_limit": 1_000_000}, {"aggregate_limit": 5_000_000}]
    chosen, referral = await quoted(service, changed(("policy.quotes", options)))
    await bind(service, chosen)

    body = refused(await service.get(f"/v2/quotes/quote_letter/{referral['quote_identifier']}"))

    assert "quote_not_bound" not in body["available_statuses"]


async def test_a_bound_quote_names_its_policy(service: Service) -> None:
    binder, policy = await one_quoted(service), await one_quoted(service)
    number = (await bind(service, binder))["policy_number"]
    issued = (await issue(service, policy))["policy_number"]
    moved: dict[str, Any] = {"dates": {"effective": "2027-03-09"}}

    of_binder = refused(await ask_to_bind(service, binder, **moved))
    of_policy = refused(await ask_to_bind(service, policy, **moved))

    assert of_binder["message"] == (
        f"The quote is already bound, as the binder {number}. Upload what is owed by 2027-03-31; "
        "an underwriter closes it, and the policy is issued."
    )
    assert of_policy["message"] == f"The quote is already bound: the policy is {issued}."
    assert of_policy["available_statuses"] == ["published", "offer_email"]


async def test_an_expired_quote_says_since_when_and_what_to_do(service: Service) -> None:
    quote, lapsing = await one_quoted(service), await one_quoted(service)
    number = (await bind(service, lapsing))["policy_number"]
    await move_days(service, 61)

    expired = refused(await ask_to_bind(service, quote))
    lapsed = refused(await ask_to_bind(service, lapsing))

    again = "Ask for a new quote with POST /quotes and the same company_id."
    assert expired["message"] == f"The quote expired on 2027-04-30. {again}"
    assert lapsed["message"] == (f"The binder {number} lapsed: it had to be fulfilled by 2027-03-31. {again}")


async def test_a_quote_that_was_passed_over_names_what_was_bound_instead(service: Service) -> None:
    chosen, other = await quoted(service)
    number = (await bind(service, chosen))["policy_number"]

    body = refused(await ask_to_bind(service, other))

    assert body["message"].startswith(
        f"Another option, {chosen['quote_identifier']}, was bound instead as {number}."
    )


async def test_cover_in_the_same_period_is_named(service: Service) -> None:
    first = await one_quoted(service)
    number = (await bind(service, first))["policy_number"]
    second = await one_quoted(service, lambda body: body["client"].update(company_id=first["company_id"]))

    body = refused(await ask_to_bind(service, second), "already_bound")

    assert body["message"] == (
        f"The company is already covered in that period by {number}; terms must not overlap."
    )


@pytest.mark.parametrize(("effective", "code"), [("2027-02-21", "too_early"), ("2027-04-01", "too_late")])
async def test_a_date_outside_its_window_names_the_window_and_today(
    service: Service, effective: str, code: str
) -> None:
    quote = await one_quoted(service)

    body = refused(await ask_to_bind(service, quote, dates={"effective": effective}), "invalid_request")

    (error,) = body["errors"]
    assert error == {
        "path": "dates.effective",
        "code": code,
        "message": "must be from 2027-02-22 to 2027-03-31, 7 days before to 30 days after today, 2027-03-01",
    }


async def test_an_expiration_outside_its_window_names_the_window(service: Service) -> None:
    quote = await one_quoted(service)
    dates = {"effective": "2027-03-02", "expiration": "2027-09-01"}

    body = refused(await ask_to_bind(service, quote, dates=dates), "invalid_request")

    window = "must be from 2027-09-02 to 2028-09-02, 6 to 18 months after effective"
    assert [error["message"] for error in body["errors"]] == [window]


async def test_a_day_of_cancellation_outside_the_term_names_term_and_today(
    service: Service, policy: dict[str, Any]
) -> None:
    body = refused(
        await review(service, policy, "cancel", text="No.", effective="2028-03-02"), "invalid_request"
    )

    assert [error["message"] for error in body["errors"]] == [
        "must be from 2027-03-02 and before 2028-03-02; today is 2027-03-01"
    ]


@pytest.mark.parametrize(
    ("decision", "more", "says"),
    [
        (
            "approve",
            {},
            "cannot be approved: neither its referral nor its bind is waiting for a decision.",
        ),
        (
            "decline",
            {"reason": "No."},
            "cannot be declined: neither its referral nor its bind is waiting for a decision.",
        ),
        ("revoke", {"reason": "No."}, "cannot be revoked: it is not open any more."),
        (
            "add_contingency",
            {"contingency": {"type": "post_bind", "text": "Proof"}},
            "cannot be subject to contingencies any more.",
        ),
        ("cancel", {"text": "No."}, "has no policy."),
        ("reinstate", {}, "has no policy."),
    ],
)
async def test_a_review_that_the_status_does_not_allow_is_refused_in_a_sentence(
    service: Service, decision: str, more: dict[str, Any], says: str
) -> None:
    chosen, other = await quoted(service)
    await bind(service, chosen)

    body = refused(await review(service, other, decision, **more))

    assert body["message"] == f"A quote that is quote_not_bound {says}"
    assert "quote_not_bound" not in body["available_statuses"]


async def test_no_review_of_an_issued_policy_offers_the_status_that_it_has(
    service: Service, policy: dict[str, Any]
) -> None:
    proof = {"type": "post_bind", "text": "Proof"}

    added = refused(await review(service, policy, "add_contingency", contingency=proof))

    assert policy["policy_number"] in added["message"]
    assert "policy_active" not in added["available_statuses"]


async def test_a_reinstatement_that_comes_too_late_names_its_last_day(
    service: Service, policy: dict[str, Any]
) -> None:
    await decide(service, policy, "cancel", text="Sold.")
    await set_day(service, date(2027, 4, 1))

    body = refused(await review(service, policy, "reinstate"))

    assert "by 2027-03-31; today is 2027-04-01" in body["message"]
    assert "available_statuses" not in body
