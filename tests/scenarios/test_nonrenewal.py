"""What an underwriter decides on a renewal: held for a look at it, or not made, with notice; and undone."""

import asyncio
import json
import uuid
from datetime import date, timedelta
from typing import Any

import pytest

from bindery.actions.desk.take_decisions import DecidedQuote, take_decision, take_decisions
from bindery.actions.renewal.submit_renewal import submit_renewal
from bindery.actions.submission.process_submission import process_submission
from bindery.base.errors import BinderyError, ChangedMeanwhile, InvalidRequest, WrongState
from bindery.contract.policy_ending import NonrenewalReason
from bindery.domain.quote.decisions import (
    ApproveReferral,
    Decision,
    HoldRenewal,
    NotRenew,
    ReleaseRenewal,
    RenewAfterAll,
)
from support.binding import decide, move_to, set_day, shown, status_of
from support.frozen import OFFERED
from support.service import Service

pytestmark = pytest.mark.usefixtures("plain_printing", "clock_at_day")
END = date(2028, 3, 2)
LAST_NOTICE = END - timedelta(days=60)
UMA = "uma@bindery.example"
HOLD = HoldRenewal("The lost laptop of last summer.")
LET_END = NotRenew(NonrenewalReason.LOSS_HISTORY, "Three losses in two years.")
AFTER_ALL = RenewAfterAll("The controls are in place by now.")


def key(quote: dict[str, Any]) -> uuid.UUID:
    return uuid.UUID(quote["quote_identifier"])


async def rule(service: Service, policy: dict[str, Any], decision: Decision, by: str = UMA) -> None:
    runtime = service.runtime
    await take_decision(runtime.database, runtime.rules, key(policy), decision, actor=by)


async def refused(service: Service, policy: dict[str, Any], decision: Decision) -> BinderyError:
    """Return why a decision is refused, after making sure that nothing moved."""
    before = await shown(service, policy["quote_identifier"]), await service.count("journal")
    with pytest.raises((WrongState, InvalidRequest)) as fault:
        await rule(service, policy, decision)
    assert (await shown(service, policy["quote_identifier"]), await service.count("journal")) == before
    return fault.value


async def renewal(service: Service, policy: dict[str, Any]) -> tuple[str, str | None]:
    """Return state and stop, after making sure that the list says the same as the quote."""
    body = (await shown(service, policy["quote_identifier"]))["renewal"]
    rows = (await service.get("/v2/policies")).json()["policies"]
    row = next(row for row in rows if row["quote_identifier"] == policy["quote_identifier"])
    assert (row["renewal_state"], row["renewal_stopped_by"]) == (body["state"], body["stopped_by"])
    return body["state"], body["stopped_by"]


async def steps(service: Service, policy: dict[str, Any]) -> list[str]:
    return [entry.trigger for entry in await service.journal(policy["quote_identifier"])]


async def mails(service: Service, kind: str) -> list[tuple[list[str], str]]:
    rows = await service.runtime.database.pool.fetch(
        "select recipients, subject from mails where kind like $1 || '%' order by mail_id", kind
    )
    return [(list(row["recipients"]), row["subject"]) for row in rows]


# Not renewed.


async def test_a_policy_that_is_not_renewed_ends_and_everybody_is_told(
    service: Service, policy: dict[str, Any]
) -> None:
    await set_day(service, LAST_NOTICE)

    await rule(service, policy, LET_END)

    now = await shown(service, policy["quote_identifier"])
    assert await renewal(service, policy) == ("ends", "not_renewed")
    assert now["nonrenewal"] == {
        "reason": "loss_history",
        "text": "Three losses in two years.",
        "notified_on": "2028-01-02",
    }
    assert now["available_actions"] == ["request_cancellation"]
    assert "nonrenewal_notice" in now["available_documents"]
    (entry,) = [
        entry for entry in await service.journal(policy["quote_identifier"]) if entry.trigger == "not_renew"
    ]
    assert (entry.type, entry.actor) == ("policy.not_renewed", UMA)
    assert json.loads(entry.data) == {
        "policy_number": policy["policy_number"],
        "expiration": "2028-03-02",
        "reason": "loss_history",
        "text": "Three losses in two years.",
        "notified_on": "2028-01-02",
    }
    written = await mails(service, "policy_not_renewed")
    number, insured = policy["policy_number"], policy["client"]["name"]
    assert {subject for _, subject in written} == {
        f"{number} for {insured} is not renewed: it ends on March 2, 2028",
        f"Your policy {number} is not renewed: it ends on March 2, 2028",
    }

    await move_to(service, END)
    ended = await shown(service, policy["quote_identifier"])
    assert (ended["quote_status"], ended["renewal"]["state"]) == ("policy_expired", "ends")
    assert await service.count("submissions") == 1
    assert "nonrenewal_notice" in ended["available_documents"]


@pytest.mark.parametrize(
    ("day", "code", "says"),
    [
        (END - timedelta(days=121), "too_early", "from 2027-11-03 on"),
        (END - timedelta(days=59), "too_late", "had to be mailed by 2028-01-02"),
    ],
)
async def test_a_notice_too_early_or_too_late_is_refused_with_the_first_or_last_possible_day(
    service: Service, policy: dict[str, Any], day: date, code: str, says: str
) -> None:
    await set_day(service, day)

    fault = await refused(service, policy, LET_END)

    assert isinstance(fault, InvalidRequest)
    assert [problem.code for problem in fault.problems] == [code]
    assert says in fault.message
    if code == "too_late":
        assert "from 2028-03-03 on" in fault.message


async def test_both_ends_of_the_time_for_a_notice_are_inside(
    service: Service, policy: dict[str, Any]
) -> None:
    await set_day(service, END - timedelta(days=120))
    await rule(service, policy, LET_END)
    await rule(service, policy, AFTER_ALL)
    await set_day(service, LAST_NOTICE)
    await rule(service, policy, LET_END)

    assert await renewal(service, policy) == ("ends", "not_renewed")


async def test_an_open_offer_is_withdrawn_and_cannot_be_bound(
    service: Service, policy: dict[str, Any], renewal_offer: dict[str, Any]
) -> None:
    await rule(service, policy, LET_END)

    offer = await shown(service, renewal_offer["quote_identifier"])
    assert (offer["quote_status"], offer["decision"]["reason"]) == ("quote_revoked", "policy_not_renewed")
    body = {"quote_identifier": offer["quote_identifier"], "dates": {"effective": str(END)}}
    assert (await service.post("/v2/binds", body)).status_code == 400
    await move_to(service, END)
    assert await status_of(service, policy["quote_identifier"]) == "policy_expired"
    assert await service.count("submissions") == 2


async def test_nothing_renews_what_was_decided_against(service: Service, policy: dict[str, Any]) -> None:
    await set_day(service, LAST_NOTICE)
    await rule(service, policy, LET_END)

    # As by a job that was queued before the decision.
    await submit_renewal(service.runtime.database, key(policy))
    asked = await service.post(f"/v2/quotes/{policy['quote_identifier']}/request_renewal")
    paused = await service.post(f"/v2/quotes/{policy['quote_identifier']}/pause_renewal")

    assert (asked.status_code, asked.json()["code"]) == (400, "wrong_state")
    assert "does not renew this policy" in asked.json()["message"]
    assert paused.status_code == 422
    assert await service.count("submissions") == 1


async def test_a_renewal_that_was_being_worked_on_is_not_offered_after_the_decision(
    service: Service, policy: dict[str, Any]
) -> None:
    await set_day(service, OFFERED)
    await submit_renewal(service.runtime.database, key(policy))
    made = (await shown(service, policy["quote_identifier"]))["renewal"]["renewed_by"]
    await rule(service, policy, LET_END)

    # The worker that had begun before goes on.
    await work_on(service, made)

    assert await status_of(service, made) == "quote_revoked"
    assert await renewal(service, policy) == ("ends", "not_renewed")


async def work_on(service: Service, identifier: str) -> None:
    statement = "select submission_id from quotes where quote_id = $1"
    submission_id = await service.runtime.database.pool.fetchval(statement, uuid.UUID(identifier))
    assert await process_submission(service.runtime, submission_id) is None


async def test_a_crash_before_the_commit_leaves_the_renewal_as_it_was(
    service: Service, policy: dict[str, Any], renewal_offer: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def dies(*_args: object, **_kwargs: object) -> None:
        raise SystemExit

    monkeypatch.setattr("bindery.actions.desk.rule_on_renewal.write_notice", dies)
    with pytest.raises(SystemExit):
        await rule(service, policy, LET_END)

    assert await renewal(service, policy) == ("offered", None)
    assert await status_of(service, renewal_offer["quote_identifier"]) == "offer_email"
    assert await mails(service, "policy_not_renewed") == []


async def test_renewed_after_all_it_is_offered_when_it_is_due(
    service: Service, policy: dict[str, Any]
) -> None:
    await set_day(service, END - timedelta(days=80))
    await rule(service, policy, LET_END)

    await rule(service, policy, AFTER_ALL)

    now = await shown(service, policy["quote_identifier"])
    assert await renewal(service, policy) == ("not_due", None)
    assert now["nonrenewal"] is None
    assert (await steps(service, policy))[-2:] == ["not_renew", "renew_after_all"]
    assert len(await mails(service, "nonrenewal_withdrawn")) == 2
    await move_to(service, OFFERED)
    assert await renewal(service, policy) == ("offered", None)
    await move_to(service, END)
    assert await renewal(service, policy) == ("bound", None)


async def test_renewed_after_all_in_the_last_days_another_offer_comes_at_once(
    service: Service, policy: dict[str, Any], renewal_offer: dict[str, Any]
) -> None:
    await rule(service, policy, LET_END)
    await move_to(service, END - timedelta(days=3))
    await rule(service, policy, AFTER_ALL)

    await move_to(service, END - timedelta(days=2))

    body = (await shown(service, policy["quote_identifier"]))["renewal"]
    assert (body["state"], body["stopped_by"]) == ("offered", None)
    assert body["renewed_by"] != renewal_offer["quote_identifier"]


async def test_what_cannot_be_decided_is_refused_with_a_sentence(
    service: Service, policy: dict[str, Any]
) -> None:
    await set_day(service, LAST_NOTICE)
    assert "Nobody has decided against" in (await refused(service, policy, AFTER_ALL)).message
    assert "is not held" in (await refused(service, policy, ReleaseRenewal())).message
    without_words = await refused(service, policy, NotRenew(NonrenewalReason.OTHER))
    assert isinstance(without_words, InvalidRequest)
    assert [(each.path, each.code) for each in without_words.problems] == [("text", "required")]

    await rule(service, policy, LET_END)
    assert "is not renewed already" in (await refused(service, policy, LET_END)).message
    assert "there is nothing to hold" in (await refused(service, policy, HOLD)).message
    await move_to(service, END)
    assert "no longer in force" in (await refused(service, policy, AFTER_ALL)).message


async def test_a_renewed_policy_is_beyond_these_decisions(
    service: Service, policy: dict[str, Any], renewal_offer: dict[str, Any]
) -> None:
    # Bound by hand 30 days before.
    await move_to(service, END - timedelta(days=30))
    bound = {"quote_identifier": renewal_offer["quote_identifier"], "dates": {"effective": str(END)}}
    assert (await service.post("/v2/binds", bound)).status_code == 200

    for decision in (LET_END, HOLD):
        assert "is renewed already" in (await refused(service, policy, decision)).message


# Held.


async def test_a_held_renewal_is_referred_instead_of_offered_and_renews_once_approved(
    service: Service, policy: dict[str, Any]
) -> None:
    await set_day(service, END - timedelta(days=80))
    await rule(service, policy, HOLD)
    assert await renewal(service, policy) == ("not_due", "held")

    await move_to(service, OFFERED)

    assert await renewal(service, policy) == ("referred", "held")
    made = (await shown(service, policy["quote_identifier"]))["renewal"]["renewed_by"]
    held = await shown(service, made)
    assert [reason["code"] for reason in held["referral_reasons"]] == ["renewal_held"]
    assert "decide on its case" in (await refused(service, policy, ReleaseRenewal())).message
    await rule(service, held, ApproveReferral(reason="Looked at."))
    assert await renewal(service, policy) == ("offered", None)
    await move_to(service, END)
    assert await renewal(service, policy) == ("bound", None)


async def test_an_offer_that_is_held_goes_back_to_the_desk_and_does_not_bind_by_itself(
    service: Service, policy: dict[str, Any], renewal_offer: dict[str, Any]
) -> None:
    await rule(service, policy, HOLD)

    offer = await shown(service, renewal_offer["quote_identifier"])
    assert await renewal(service, policy) == ("referred", "held")
    assert (offer["quote_status"], offer["premium"]) == ("quote_referred", None)
    body = {"quote_identifier": offer["quote_identifier"], "dates": {"effective": str(END)}}
    assert (await service.post("/v2/binds", body)).status_code == 400
    await move_to(service, END)
    assert await status_of(service, policy["quote_identifier"]) == "policy_expired"
    assert await status_of(service, offer["quote_identifier"]) == "quote_referred"


async def test_a_hold_can_be_lifted_before_the_renewal_is_due(
    service: Service, policy: dict[str, Any]
) -> None:
    await set_day(service, END - timedelta(days=80))
    await rule(service, policy, HOLD)

    await rule(service, policy, ReleaseRenewal("Settled by telephone."))

    assert await renewal(service, policy) == ("not_due", None)
    await move_to(service, OFFERED)
    assert await renewal(service, policy) == ("offered", None)


# Races.


async def test_of_two_who_decide_at_once_the_second_is_told(service: Service, policy: dict[str, Any]) -> None:
    await set_day(service, LAST_NOTICE)
    runtime = service.runtime
    seen = len(await steps(service, policy))

    async def decide(decision: Decision, by: str) -> None:
        each = DecidedQuote(key(policy), decision, seen)
        await take_decisions(runtime.database, runtime.rules, [each], actor=by)

    outcomes = await asyncio.gather(
        *(decide(HOLD if n % 2 else LET_END, f"person{n}@bindery.example") for n in range(10)),
        return_exceptions=True,
    )

    assert [outcome for outcome in outcomes if outcome is None] == [None]
    assert sum(isinstance(outcome, ChangedMeanwhile) for outcome in outcomes) == 9
    assert len({"hold_renewal", "not_renew"} & set(await steps(service, policy))) == 1


# What happens to the policy meanwhile.


async def test_a_policy_that_is_canceled_and_reinstated_is_still_not_renewed(
    service: Service, policy: dict[str, Any]
) -> None:
    await set_day(service, LAST_NOTICE)
    await rule(service, policy, LET_END)
    await decide(service, policy, "cancel", text="Sold.", effective="2028-02-01")
    assert (await shown(service, policy["quote_identifier"]))["renewal"]["state"] == "ends"

    await decide(service, policy, "reinstate", reason="Not sold.")

    assert await renewal(service, policy) == ("ends", "not_renewed")
    await move_to(service, END)
    assert await status_of(service, policy["quote_identifier"]) == "policy_expired"
    assert await service.count("submissions") == 1


async def test_a_paused_policy_that_is_renewed_after_all_is_still_paused(
    service: Service, policy: dict[str, Any]
) -> None:
    await service.post(f"/v2/quotes/{policy['quote_identifier']}/pause_renewal")
    await set_day(service, END - timedelta(days=80))
    await rule(service, policy, LET_END)
    assert await renewal(service, policy) == ("ends", "not_renewed")

    await rule(service, policy, AFTER_ALL)

    assert await renewal(service, policy) == ("ends", "paused")
    now = await shown(service, policy["quote_identifier"])
    assert now["available_actions"] == ["resume_renewal", "request_renewal", "request_cancellation"]
