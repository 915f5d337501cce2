"""A partner's own word: taking a quote back, resuming a renewal, asking for a cancellation."""

import uuid
from datetime import date, timedelta
from typing import Any

import httpx
import pytest

from bindery.storage.desk import desk
from support.binding import bind, decide, move_days, one_quoted, quoted, review, shown, told
from support.intake import changed
from support.service import Service

UNKNOWN = "01890a5d-ac96-774b-bcce-b302099a8057"
REFERRED = ("policy.quotes", [{"aggregate_limit": 10_000_000}])


async def say(
    service: Service, quote: dict[str, Any], word: str, body: Any = None, **more: str
) -> httpx.Response:
    return await service.post(f"/v2/quotes/{quote['quote_identifier']}/{word}", body, **more)


async def waiting(service: Service, quote: dict[str, Any]) -> list[str]:
    """What of a quote's submission is on the desk."""
    async with service.runtime.database.reading() as tx:
        submission_id = await tx.connection.fetchval(
            "select submission_id from quotes where quote_id = $1", uuid.UUID(quote["quote_identifier"])
        )
        return [item.kind for item in await desk.items_of(tx, submission_id)]


class TestWithdraw:
    async def test_an_open_quote_is_taken_back_and_told_once(self, service: Service) -> None:
        quote, other = await quoted(service)

        answers = [await say(service, quote, "withdraw"), await say(service, quote, "withdraw")]

        after = await shown(service, quote["quote_identifier"])
        assert [answer.status_code for answer in answers] == [200, 200]
        assert answers[0].json() == answers[1].json()
        assert answers[0].json()["quote_status"] == after["quote_status"] == "quote_revoked"
        assert (after["decision"]["kind"], after["decision"]["reason"]) == ("withdrawn", "withdrawn")
        assert after["available_actions"] == []
        assert await told(service, quote["quote_identifier"]) == ["quote.published", "quote.revoked"]
        assert (await shown(service, other["quote_identifier"]))["quote_status"] == "published"

    async def test_a_referral_leaves_the_desk(self, service: Service) -> None:
        (quote,) = await quoted(service, changed(REFERRED))
        before = await waiting(service, quote)

        await say(service, quote, "withdraw")

        assert quote["available_actions"] == ["withdraw"]
        assert (before, await waiting(service, quote)) == (["referral"], [])

    async def test_what_is_still_worked_on_is_taken_back_too(self, service: Service) -> None:
        (receipt,) = (await service.submit(changed(REFERRED)))["quotes"]

        answer = await say(service, receipt, "withdraw")

        assert answer.json()["quote_status"] == "quote_revoked"

    async def test_a_policy_and_a_revoked_quote_are_refused_and_nothing_moves(self, service: Service) -> None:
        quote, other = await quoted(service)
        await decide(service, other, "revoke", reason="No more.")
        bound = await bind(service, quote)
        before = await service.journal(bound["quote_identifier"])

        answers = [await say(service, bound, "withdraw"), await say(service, other, "withdraw")]

        assert [answer.json()["code"] for answer in answers] == ["wrong_state", "wrong_state"]
        assert "published" in answers[0].json()["available_statuses"]
        assert await service.journal(bound["quote_identifier"]) == before

    async def test_a_key_replays_the_first_answer(self, service: Service) -> None:
        quote = await one_quoted(service)

        first = await say(service, quote, "withdraw", Idempotency_Key="w-1")
        again = await say(service, quote, "withdraw", Idempotency_Key="w-1")
        elsewhere = await say(service, quote, "resume_renewal", Idempotency_Key="w-1")

        assert (again.content, again.headers["idempotent-replayed"]) == (first.content, "true")
        assert elsewhere.status_code == 422


class TestResume:
    async def test_a_paused_policy_renews_by_itself_again(
        self, service: Service, policy: dict[str, Any]
    ) -> None:
        await say(service, policy, "pause_renewal")

        answers = [await say(service, policy, "resume_renewal"), await say(service, policy, "resume_renewal")]

        after = await shown(service, policy["quote_identifier"])
        assert [answer.status_code for answer in answers] == [200, 200]
        assert after["renewal"]["type"] == "auto"
        assert after["available_actions"] == ["pause_renewal", "request_cancellation"]
        steps = [entry.trigger for entry in await service.journal(policy["quote_identifier"])]
        assert steps.count("resume_renewal") == 1

    async def test_what_is_no_policy_is_refused_as_at_the_pause(self, service: Service) -> None:
        quote = await one_quoted(service)

        for identifier in (quote["quote_identifier"], UNKNOWN, "no.dots"):
            answer = await service.post(f"/v2/quotes/{identifier}/resume_renewal")
            assert (answer.status_code, answer.json()["code"]) == (422, "cannot_resume")


class TestCancellation:
    async def test_a_request_waits_on_the_desk_and_the_policy_stays_in_force(
        self, service: Service, policy: dict[str, Any]
    ) -> None:
        ask = {"effective": policy["dates"]["effective"], "reason": "business_sold"}

        answer = await say(service, policy, "request_cancellation", ask)
        again = await say(service, policy, "request_cancellation", ask)

        after = await shown(service, policy["quote_identifier"])
        assert answer.json() == again.json()
        assert after["quote_status"] == "policy_active"
        assert after["cancellation_request"].pop("requested_at").endswith("Z")
        assert after["cancellation_request"] == {**ask, "text": "", "status": "open", "answer": None}
        assert await waiting(service, policy) == ["cancellation"]
        events = await told(service, policy["quote_identifier"])
        assert events.count("policy.cancellation_requested") == 1

    async def test_a_cancellation_grants_it(self, service: Service, policy: dict[str, Any]) -> None:
        ask = {"effective": policy["dates"]["effective"], "reason": "business_sold"}
        await say(service, policy, "request_cancellation", ask)

        after = await decide(service, policy, "cancel", text="As asked.")

        assert after["cancellation_request"]["status"] == "granted"
        assert await waiting(service, policy) == []

    async def test_declined_it_can_be_asked_for_again(self, service: Service, policy: dict[str, Any]) -> None:
        ask = {"effective": policy["dates"]["effective"], "reason": "business_sold"}
        await say(service, policy, "request_cancellation", ask)

        declined = await decide(service, policy, "decline", reason="Not yet.")
        left = await waiting(service, policy)
        twice = await review(service, policy, "decline", reason="Not yet.")
        await say(service, policy, "request_cancellation", ask)

        request = declined["cancellation_request"]
        assert (request["status"], request["answer"]) == ("declined", "Not yet.")
        assert declined["quote_status"] == "policy_active"
        assert left == []
        assert (twice.status_code, twice.json()["code"]) == (400, "wrong_state")
        assert await waiting(service, policy) == ["cancellation"]

    async def test_a_later_request_takes_the_place_of_the_open_one(
        self, service: Service, policy: dict[str, Any]
    ) -> None:
        effective = policy["dates"]["effective"]
        for reason in ("business_sold", "rewritten"):
            await say(service, policy, "request_cancellation", {"effective": effective, "reason": reason})

        after = await shown(service, policy["quote_identifier"])
        assert after["cancellation_request"]["reason"] == "rewritten"
        assert await waiting(service, policy) == ["cancellation"]

    async def test_the_end_of_the_term_overtakes_it(self, service: Service, policy: dict[str, Any]) -> None:
        await say(service, policy, "pause_renewal")
        ask = {"effective": policy["dates"]["effective"], "reason": "business_sold"}
        await say(service, policy, "request_cancellation", ask)
        await move_days(service, 370)

        after = await shown(service, policy["quote_identifier"])
        assert after["quote_status"] == "policy_expired"
        assert after["cancellation_request"]["status"] == "overtaken"
        assert await waiting(service, policy) == []

    async def test_the_day_lies_in_the_term(self, service: Service, policy: dict[str, Any]) -> None:
        first, last = (date.fromisoformat(policy["dates"][name]) for name in ("effective", "expiration"))
        day = timedelta(days=1)

        for asked, status in ((first - day, 400), (last, 400), (first, 200), (last - day, 200)):
            ask = {"effective": asked.isoformat(), "reason": "business_sold"}
            answer = await say(service, policy, "request_cancellation", ask)
            assert answer.status_code == status, asked
            if status == 400:
                assert answer.json()["errors"][0]["path"] == "effective"
                assert (await shown(service, policy["quote_identifier"]))["cancellation_request"] is None

    @pytest.mark.parametrize(
        ("body", "path"),
        [
            ({"reason": "business_sold"}, "effective"),
            ({"effective": "2027-01-01"}, "reason"),
            ({"effective": "soon", "reason": "business_sold"}, "effective"),
            ({"effective": "2027-01-01", "reason": ""}, "reason"),
            ({"effective": "2027-01-01", "reason": "Sold."}, "reason"),
            ({"effective": "2027-01-01", "reason": "nonpayment"}, "reason"),
            ({"effective": "2027-01-01", "reason": "rewritten", "text": "x" * 1001}, "text"),
            ({"effective": "2027-01-01", "reason": "business_sold", "why": 1}, "why"),
        ],
    )
    async def test_a_wrong_body_is_refused_by_name(
        self, service: Service, body: dict[str, Any], path: str
    ) -> None:
        answer = await service.post(f"/v2/quotes/{UNKNOWN}/request_cancellation", body)

        assert answer.status_code == 400
        assert [problem["path"] for problem in answer.json()["errors"]] == [path]

    async def test_what_is_not_bound_has_nothing_to_cancel(self, service: Service) -> None:
        quote = await one_quoted(service)
        ask = {"effective": quote["dates"]["effective"], "reason": "rewritten", "text": "x" * 1000}

        answer = await say(service, quote, "request_cancellation", ask)

        assert (answer.status_code, answer.json()["code"]) == (400, "wrong_state")


@pytest.mark.parametrize("word", ["withdraw", "request_cancellation"])
async def test_another_partners_quote_is_not_there(service: Service, word: str) -> None:
    quote = await one_quoted(service)
    stranger = await service.new_partner("stranger")
    body = {"effective": quote["dates"]["effective"], "reason": "business_sold"} if "cancel" in word else None

    theirs = await say(stranger, quote, word, body)
    unknown = await say(stranger, {"quote_identifier": UNKNOWN}, word, body)
    malformed = await say(stranger, {"quote_identifier": "no.dots"}, word, body)

    assert (theirs.status_code, unknown.status_code, malformed.status_code) == (404, 404, 400)
    assert theirs.json()["message"] == unknown.json()["message"]
    assert (await shown(service, quote["quote_identifier"]))["quote_status"] == "published"
