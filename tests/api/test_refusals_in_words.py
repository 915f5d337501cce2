"""Refusals say what to do: formats by their own words, dates by the calendar, paths by what was meant."""

from typing import Any

import pytest

from bindery.api.app import is_of_the_api
from bindery.contract.examples import EXAMPLE_WEBHOOK
from bindery.contract.fields import EXAMPLE_QUOTE
from support.intake import changed
from support.service import Service

pytestmark = pytest.mark.asyncio(loop_scope="module")

A_TIME = "must be a time with its zone, such as 2026-01-01T00:00:00Z"


async def messages(service: Service, path: str, body: Any) -> list[tuple[str, str]]:
    answer = await service.post(path, body)
    assert answer.status_code == 400, answer.text
    return [(problem["path"], problem["message"]) for problem in answer.json()["errors"]]


@pytest.mark.parametrize(
    ("body", "path", "message"),
    [
        ({"since": "yesterday"}, "since", A_TIME),
        ({"since": "2026-11-17"}, "since", A_TIME),
        ({"event_id": "x"}, "event_id", f"must be a UUID, such as {EXAMPLE_QUOTE}"),
    ],
)
async def test_a_format_is_worded_as_what_it_is(
    shared: Service, body: dict[str, str], path: str, message: str
) -> None:
    assert await messages(shared, f"/v2/webhooks/{EXAMPLE_WEBHOOK}/replay", body) == [(path, message)]


@pytest.mark.parametrize(
    ("day", "message"),
    [
        ("2027-02-31", "must be a date of the calendar: there is no February 31 in 2027"),
        ("2027-02-29", "must be a date of the calendar: there is no February 29 in 2027"),
        ("2027-13-01", "must be a date of the calendar: there is no month 13"),
        ("2027-04-00", "must be a date of the calendar: there is no April 0 in 2027"),
        ("0000-01-01", "must be a date of the calendar: there is no year 0"),
        ("31.02.2027", "must be a date, yyyy-mm-dd"),
        ("2027-2-3", "must be a date, yyyy-mm-dd"),
    ],
)
async def test_a_day_that_no_calendar_has_is_said_to_be_none(shared: Service, day: str, message: str) -> None:
    path = "policy.dates.effective"
    assert await messages(shared, "/v2/quotes", changed((path, day))) == [(path, message)]

    answer = await shared.get(f"/v2/policies?expires_after={day}")

    assert [(problem["path"], problem["message"]) for problem in answer.json()["errors"]] == [
        ("expires_after", message)
    ]


async def test_a_number_in_quotation_marks_is_told_that_it_is_a_text(shared: Service) -> None:
    path = "policy.quotes[0].aggregate_limit"

    assert await messages(shared, "/v2/quotes", changed((path, "1000000"))) == [
        (path, "must be a whole number, not a text")
    ]


@pytest.mark.parametrize("value", [{"Q2134": True}, "none", 7])
async def test_questions_that_are_no_list_are_not_missing_besides(shared: Service, value: Any) -> None:
    assert await messages(shared, "/v2/quotes", changed(("questions", value))) == [
        ("questions", "must be a list")
    ]


@pytest.mark.parametrize(
    ("method", "path", "meant"),
    [
        ("POST", f"/v2/quotes/{EXAMPLE_QUOTE}/cancel", f"/v2/quotes/{EXAMPLE_QUOTE}/request_cancellation"),
        ("POST", f"/v2/quotes/{EXAMPLE_QUOTE}/pause", f"/v2/quotes/{EXAMPLE_QUOTE}/pause_renewal"),
        ("POST", f"/v2/webhooks/{EXAMPLE_WEBHOOK}/png", f"/v2/webhooks/{EXAMPLE_WEBHOOK}/ping"),
        ("GET", "//v2/quotes", "/v2/quotes"),
        ("POST", "/v2//binds", "/v2/binds"),
    ],
)
async def test_a_path_with_one_wrong_word_is_answered_with_the_right_one(
    shared: Service, method: str, path: str, meant: str
) -> None:
    # As it is, for a client joins the two slashes of an address.
    answer = await shared.http.request(method, f"http://test{path}", headers=shared.headers)

    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/json"
    assert answer.json()["message"].endswith(f"id you mean {meant}?")


async def test_a_document_whose_type_comes_last_is_told_the_order(shared: Service) -> None:
    answer = await shared.get(f"/v2/quotes/{EXAMPLE_QUOTE}/quote_letter")

    assert answer.status_code == 400
    assert answer.json()["errors"][0] == {
        "path": "document_type",
        "code": "unknown_document_type",
        "message": f"comes before the identifier: /v2/quotes/quote_letter/{EXAMPLE_QUOTE}",
    }


async def test_resuming_and_pausing_are_refused_in_their_own_words(shared: Service) -> None:
    for action, verb in (("pause", "paused"), ("resume", "resumed")):
        answer = await shared.post(f"/v2/quotes/nope/{action}_renewal")

        assert answer.status_code == 422
        assert answer.json()["code"] == f"cannot_{action}"
        assert answer.json()["message"].endswith(f"whose renewal could be {verb}.")


async def test_an_address_that_was_joined_with_two_slashes_is_the_apis() -> None:
    assert is_of_the_api("//v2/quotes")
    assert is_of_the_api("/v2//quotes")
    assert not is_of_the_api("//company/1")


@pytest.mark.parametrize("place", ["questions", "products"])
async def test_a_product_in_small_letters_is_refused_everywhere_with_the_right_ones(
    shared: Service, place: str
) -> None:
    answer = await shared.get(f"/v2/{place}/cyb")

    assert (answer.status_code, answer.json()["message"]) == (
        404,
        "There is no product cyb; did you mean CYB?",
    )
    path = "policy.insurance_product"
    assert await messages(shared, "/v2/quotes", changed((path, "cyb"))) == [
        (path, "must be one of CYB, MPL, TEO; did you mean CYB?")
    ]


async def test_approving_names_both_statuses_that_it_serves(shared: Service) -> None:
    receipt = await shared.submit()
    identifier = receipt["quotes"][0]["quote_identifier"]

    answer = await shared.post(f"/v2/demo/quotes/{identifier}/review", {"decision": "approve"})

    assert answer.json()["available_statuses"] == ["quote_referred", "quote_bind_requested"]


async def test_a_form_whose_contingency_is_the_word_null_is_for_none(shared: Service) -> None:
    answer = await shared.http.post(
        "/v2/documents",
        data={"quote_identifier": EXAMPLE_QUOTE, "contingency": "null"},
        files={"file": ("a.pdf", b"%PDF-1.4\n")},
        headers=shared.headers,
    )

    # It comes as far as the quote, which is nobody's.
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
