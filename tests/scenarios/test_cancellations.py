"""Who cancels a policy, why and from when, over HTTP: what is refused, kept, shown and told."""

from datetime import date
from typing import Any

import httpx
import msgspec
import pytest

from bindery.contract.documents import DocumentType as D
from documents.reading import text_of
from support.binding import decide, in_days, review, set_day, shown
from support.service import Service

DAY = date(2027, 4, 11)


@pytest.fixture
async def begun(service: Service, policy: dict[str, Any]) -> dict[str, Any]:
    """A policy from March 2, 2027, for $1,536, forty days after it began."""
    await set_day(service, DAY)
    return policy


def problems_of(answer: httpx.Response) -> list[tuple[str, str]]:
    return [(found["path"], found["code"]) for found in answer.json()["errors"]]


async def test_the_documented_minimal_call_cancels_at_the_insureds_request(
    service: Service, begun: dict[str, Any]
) -> None:
    canceled = await decide(service, begun, "cancel")

    assert canceled["cancellation"] == {
        "canceled_by": "insured",
        "reason": "insured_request",
        "text": "",
        "effective": "2027-04-11",
        "earned": 384,
        "returned": 1_152,
        "due": 0,
    }
    assert begun["cancellation"] is None


async def test_a_cancellation_for_nonpayment_is_told_shown_and_printed_alike(
    service: Service, begun: dict[str, Any]
) -> None:
    canceled = await decide(service, begun, "cancel", reason="nonpayment", text="No payment came.")
    (entry,) = [
        entry for entry in await service.journal(begun["quote_identifier"]) if entry.trigger == "cancel"
    ]
    told = msgspec.json.decode(entry.data)
    notice, bill = [
        await service.get(f"/v2/quotes/{kind}/{begun['quote_identifier']}")
        for kind in (D.CANCELLATION_NOTICE, D.BILLING_STATEMENT)
    ]

    # 50 of 366 days of $1,536 are $209.84; nothing was paid, so that nothing is returned.
    assert canceled["cancellation"] == {
        "canceled_by": "insurer",
        "reason": "nonpayment",
        "text": "No payment came.",
        "effective": in_days(DAY, 10),
        "earned": 210,
        "returned": 0,
        "due": 210,
    }
    assert told["cancellation"] == canceled["cancellation"]
    assert (told["reason"], told["effective"], told["returned_premium"]) == (
        "No payment came.",
        in_days(DAY, 10),
        0,
    )
    text = text_of(notice.content)
    assert "EARNED PREMIUM DUE $210.00" in text
    assert "Premium earned $210.00" in text_of(bill.content)
    assert "by April 20, 2027, the policy stays in force" in text


REFUSED = (
    ({"reason": "sold"}, ("reason", "not_allowed")),
    ({"reason": "nonpayment", "canceled_by": "insured"}, ("reason", "not_allowed")),
    ({"canceled_by": "insurer"}, ("reason", "not_allowed")),
    ({"reason": "nonpayment", "effective": in_days(DAY, 9)}, ("effective", "too_early")),
    ({"reason": "fraud", "effective": in_days(DAY, 59)}, ("effective", "too_early")),
    ({"effective": in_days(DAY, -1)}, ("effective", "too_early")),
    ({"effective": "2028-03-02"}, ("effective", "outside_term")),
)


async def test_what_cannot_be_is_refused_and_nothing_moves(
    service: Service, begun: dict[str, Any], subtests: pytest.Subtests
) -> None:
    before = await service.journal(begun["quote_identifier"])

    for ask, problem in REFUSED:
        with subtests.test(**ask):
            refused = await review(service, begun, "cancel", **ask)

            assert refused.status_code == 400
            assert problems_of(refused) == [problem]

    assert await service.journal(begun["quote_identifier"]) == before
    assert (await shown(service, begun["quote_identifier"]))["cancellation"] is None


async def test_a_sentence_for_a_reason_is_the_text_of_the_insureds_request(
    service: Service, begun: dict[str, Any]
) -> None:
    canceled = await decide(service, begun, "cancel", reason="Sold to a competitor.")

    cancellation = canceled["cancellation"]
    assert (cancellation["reason"], cancellation["text"]) == ("insured_request", "Sold to a competitor.")


async def test_a_flat_cancellation_of_a_policy_that_began_returns_everything(
    service: Service, begun: dict[str, Any]
) -> None:
    canceled = await decide(service, begun, "cancel", reason="not_taken_up", effective="2027-03-02")

    cancellation = canceled["cancellation"]
    assert (cancellation["earned"], cancellation["returned"]) == (0, 1_536)


async def test_after_the_end_a_reinstatement_without_the_statement_is_refused(
    service: Service, begun: dict[str, Any]
) -> None:
    await decide(service, begun, "cancel")

    refused = await review(service, begun, "reinstate", reason="Paid.", no_known_loss=False)
    still = await shown(service, begun["quote_identifier"])
    after = await decide(service, begun, "reinstate", reason="Paid.")

    assert problems_of(refused) == [("no_known_loss", "required")]
    assert still["quote_status"] == "policy_canceled"
    assert (after["quote_status"], after["cancellation"]) == ("policy_active", None)


async def test_what_was_canceled_and_asked_for_in_free_words_still_reads(
    service: Service, begun: dict[str, Any]
) -> None:
    pool = service.runtime.database.pool
    ask = {"effective": in_days(DAY, 30), "reason": "business_sold"}
    await service.post(f"/v2/quotes/{begun['quote_identifier']}/request_cancellation", ask)
    await pool.execute(
        """update binds set cancellation_request =
        '{"effective":"2027-05-11","reason":"Sold.","at":"2027-04-11T12:00:00Z"}'"""
    )
    asked = (await shown(service, begun["quote_identifier"]))["cancellation_request"]
    await decide(service, begun, "cancel", text="Sold.", effective=in_days(DAY, 30))
    await pool.execute("alter table journal disable trigger user")
    await pool.execute(
        """update journal set data =
        '{"reason":"Sold.","effective":"2027-05-11","returned_premium":1152}' where trigger = 'cancel'"""
    )
    await pool.execute("update notices set event = (event::jsonb - 'canceled_by' - 'reason_code')::text")

    canceled = (await shown(service, begun["quote_identifier"]))["cancellation"]

    assert (asked["reason"], asked["text"]) == ("insured_request", "Sold.")
    assert canceled == {
        "canceled_by": None,
        "reason": None,
        "text": "Sold.",
        "effective": "2027-05-11",
        "earned": 384,
        "returned": 1_152,
        "due": 0,
    }
    after = await decide(service, begun, "reinstate", reason="Not sold.")
    assert after["quote_status"] == "policy_active"
