"""What becomes of a policy: lapse, cancellation, reinstatement, the end of its term."""

from datetime import date
from typing import Any

import pytest

from support.binding import (
    ask_to_bind,
    bind,
    decide,
    issue,
    move_days,
    move_to,
    one_quoted,
    review,
    set_day,
    shown,
    status_of,
    told,
)
from support.journals import check_journal
from support.service import Service

pytestmark = pytest.mark.usefixtures("clock_at_day")


async def mails(service: Service, quote: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    """Return the mails of a kind to the brokers; each has its counterpart to the insured."""
    rows = await service.runtime.database.pool.fetch(
        "select * from mails where quote_id = $1::text::uuid and kind similar to $2 order by created_at",
        quote["quote_identifier"],
        f"{kind}(\\_[0-9]+)?",
    )
    return [dict(row) for row in rows]


async def renew_by_hand_only(service: Service, policy: dict[str, Any]) -> None:
    paused = await service.post(f"/v2/quotes/{policy['quote_identifier']}/pause_renewal")
    assert paused.status_code == 200


async def test_a_conditional_binder_lapses_after_thirty_days(service: Service) -> None:
    quote = await one_quoted(service)
    await bind(service, quote)
    number = (await shown(service, quote["quote_identifier"]))["policy_number"]

    await move_days(service, 30)
    assert await status_of(service, quote["quote_identifier"]) == "policy_active"
    await move_days(service, 1)

    lapsed = await shown(service, quote["quote_identifier"])
    assert (lapsed["quote_status"], lapsed["policy_number"]) == ("quote_expired", number)
    assert await told(service, quote["quote_identifier"]) == [
        "quote.published",
        "policy.bound",
        "policy.lapsed",
    ]
    (written,) = await mails(service, quote, "policy_ended")
    # As the binder and the notice say it.
    assert written["subject"] == f"{number} for Harborlight Bakery LLC has lapsed"
    assert (
        f"binder B-{number} of Harborlight Bakery LLC has lapsed: what it depended on was not "
        "received and accepted by March 31, 2027.\n\n"
        "There is no coverage. A binder that lapses is treated as never having been in force: no premium is "
        "charged.\n"
    ) in written["body"]
    assert "Attached: Notice of lapse." in written["body"]
    check_journal(await service.journal(quote["quote_identifier"]))


async def test_a_binder_fulfilled_on_its_last_day_is_issued(service: Service) -> None:
    quote = await one_quoted(service)
    await bind(service, quote)
    await move_days(service, 30)

    (owed,) = quote["contingencies"]
    await decide(service, quote, "close_contingency", contingency_id=owed["contingency_id"])
    await move_days(service, 5)

    assert await status_of(service, quote["quote_identifier"]) == "policy_active"


async def test_a_lapsed_binder_leaves_its_days_to_others(service: Service) -> None:
    quote = await one_quoted(service)
    await bind(service, quote)
    await move_days(service, 31)
    fresh = await one_quoted(service, lambda body: body["client"].update(company_id=quote["company_id"]))

    again = await ask_to_bind(service, quote)
    bound = await bind(service, fresh)

    assert (again.status_code, again.json()["code"]) == (400, "wrong_state")
    assert bound["policy_number"] != (await shown(service, quote["quote_identifier"]))["policy_number"]


async def test_a_cancellation_gives_back_the_days_not_used(service: Service, policy: dict[str, Any]) -> None:
    await decide(service, policy, "cancel", text="Sold.", effective="2027-09-01")

    canceled = await shown(service, policy["quote_identifier"])

    # 183 of 366 days, March 2 2027 to March 2 2028: exactly half.
    entry = (await service.journal(policy["quote_identifier"]))[-1]
    assert canceled["quote_status"] == "policy_canceled"
    assert entry.type == "policy.canceled"
    assert f'"returned_premium":{policy["premium"] - (policy["premium"] + 1) // 2}' in entry.data
    assert '"effective":"2027-09-01"' in entry.data
    (written,) = await mails(service, policy, "policy_ended")
    assert written["subject"] == f"{policy['policy_number']} for Harborlight Bakery LLC is canceled"
    assert "is canceled. Coverage ends on September 1, 2027 at 12:01 a.m.\n" in written["body"]
    assert "\nReason:           At the insured's request: Sold.\n" in written["body"]
    (theirs,) = await mails(service, policy, "policy_ended_to_insured")
    assert theirs["recipients"] == ["ann@harborlight.example"]
    assert theirs["attachments"] == written["attachments"] == ["cancellation_notice 1"]
    assert "policy" in canceled["available_documents"]


async def test_a_cancellation_before_cover_begins_returns_everything(
    service: Service, policy: dict[str, Any]
) -> None:
    await decide(service, policy, "cancel", text="Changed their mind.")

    entry = (await service.journal(policy["quote_identifier"]))[-1]
    assert f'"returned_premium":{policy["premium"]}' in entry.data
    (written,) = await mails(service, policy, "policy_ended")
    assert "Coverage does not begin: it is canceled from its first day, March 2, 2027." in written["body"]
    assert '"effective":"2027-03-02"' in entry.data


async def test_a_cancellation_after_the_first_day_earns_a_quarter(
    service: Service, policy: dict[str, Any]
) -> None:
    await decide(service, policy, "cancel", text="Changed their mind.", effective="2027-03-03")

    entry = (await service.journal(policy["quote_identifier"]))[-1]
    earned = -(-policy["premium"] // 4) if policy["premium"] % 4 > 1 else policy["premium"] // 4
    assert f'"returned_premium":{policy["premium"] - earned}' in entry.data
    assert '"effective":"2027-03-03"' in entry.data


async def test_a_cancellation_outside_the_term_is_refused(
    service: Service, policy: dict[str, Any], subtests: pytest.Subtests
) -> None:
    for effective in ("2027-03-01", "2028-03-02", "2028-03-03"):
        with subtests.test(effective):
            answer = await review(service, policy, "cancel", text="No.", effective=effective)

            assert answer.status_code == 400
            assert [(e["path"], e["code"]) for e in answer.json()["errors"]] == [
                ("effective", "outside_term")
            ]
            assert await status_of(service, policy["quote_identifier"]) == "policy_active"


async def test_only_an_active_policy_is_canceled(service: Service) -> None:
    quote = await one_quoted(service)

    open_quote = await review(service, quote, "cancel", text="No.")
    await bind(service, quote)
    await decide(service, quote, "cancel", text="Yes.")
    twice = await review(service, quote, "cancel", text="Again.")

    assert (open_quote.status_code, twice.status_code) == (400, 400)
    assert twice.json()["available_statuses"] == ["policy_active"]


async def test_a_canceled_policy_leaves_the_days_after_its_end_to_others(
    service: Service, policy: dict[str, Any]
) -> None:
    await decide(service, policy, "cancel", text="Sold.", effective="2027-03-20")
    fresh = await one_quoted(service, lambda body: body["client"].update(company_id=policy["company_id"]))

    before = await ask_to_bind(service, fresh, dates={"effective": "2027-03-19"})
    after = await bind(service, fresh, dates={"effective": "2027-03-20"})

    assert (before.status_code, before.json()["code"]) == (400, "already_bound")
    assert after["quote_status"] == "policy_active"


@pytest.mark.parametrize(("days", "status"), [(30, 200), (31, 400)])
async def test_a_policy_is_reinstated_within_thirty_days(
    service: Service, policy: dict[str, Any], days: int, status: int
) -> None:
    await decide(service, policy, "cancel", text="Not paid.", effective="2027-03-02")
    await move_days(service, days)

    answer = await review(service, policy, "reinstate", reason="Paid.")

    assert answer.status_code == status
    after = await shown(service, policy["quote_identifier"])
    assert after["quote_status"] == ("policy_active" if status == 200 else "policy_canceled")
    assert after["policy_number"] == policy["policy_number"]
    assert len(await mails(service, policy, "policy_reinstated")) == (status == 200)


@pytest.mark.parametrize(("days", "status"), [(0, 200), (30, 200), (31, 400)])
async def test_a_back_dated_cancellation_is_undone_within_thirty_days_of_the_day_it_was_made(
    service: Service, policy: dict[str, Any], days: int, status: int
) -> None:
    await move_to(service, date(2027, 4, 16))
    await decide(service, policy, "cancel", text="By mistake.", effective="2027-03-02")
    await move_days(service, days)

    answer = await review(service, policy, "reinstate", reason="It was a mistake.")

    assert answer.status_code == status
    after = await status_of(service, policy["quote_identifier"])
    assert after == ("policy_active" if status == 200 else "policy_canceled")


async def test_each_cancellation_of_a_policy_has_thirty_days_of_its_own(
    service: Service, policy: dict[str, Any]
) -> None:
    await decide(service, policy, "cancel", text="Not paid.")
    await decide(service, policy, "reinstate", reason="Paid.")
    await move_days(service, 40)
    await decide(service, policy, "cancel", text="Not paid again.")
    await move_days(service, 30)

    after = await decide(service, policy, "reinstate", reason="Paid again.")

    assert after["quote_status"] == "policy_active"


async def test_a_policy_is_not_reinstated_over_other_cover(service: Service, policy: dict[str, Any]) -> None:
    await decide(service, policy, "cancel", text="Moved.", effective="2027-03-02")
    fresh = await one_quoted(service, lambda body: body["client"].update(company_id=policy["company_id"]))
    await bind(service, fresh)

    answer = await review(service, policy, "reinstate", reason="Back.")

    assert (answer.status_code, answer.json()["code"]) == (400, "already_bound")
    assert await status_of(service, policy["quote_identifier"]) == "policy_canceled"


async def test_only_a_canceled_policy_is_reinstated(service: Service, policy: dict[str, Any]) -> None:
    answer = await review(service, policy, "reinstate", reason="Why?")

    assert (answer.status_code, answer.json()["available_statuses"]) == (400, ["policy_canceled"])


async def test_canceled_twice_the_people_are_written_to_twice(
    service: Service, policy: dict[str, Any]
) -> None:
    for _ in range(2):
        await decide(service, policy, "cancel", text="Not paid.", effective="2027-03-02")
        await decide(service, policy, "reinstate", reason="Paid.")

    assert len(await mails(service, policy, "policy_ended")) == 2
    _, reinstated = await mails(service, policy, "policy_reinstated")
    assert (
        "has been reinstated without a lapse in coverage. It is in force until March 2, 2028."
        in reinstated["body"]
    )
    check_journal(await service.journal(policy["quote_identifier"]))


async def test_a_policy_that_does_not_renew_ends_with_its_term(
    service: Service, policy: dict[str, Any]
) -> None:
    await renew_by_hand_only(service, policy)

    await move_to(service, date(2028, 3, 1))
    assert await status_of(service, policy["quote_identifier"]) == "policy_active"
    await move_to(service, date(2028, 3, 2))

    ended = await shown(service, policy["quote_identifier"])
    assert (ended["quote_status"], ended["policy_number"]) == ("policy_expired", policy["policy_number"])
    assert (await told(service, policy["quote_identifier"]))[-1] == "policy.expired"
    assert await service.count("binds") == 1


async def test_a_term_of_eighteen_months_ends_after_eighteen_months(service: Service) -> None:
    quote = await one_quoted(service)
    policy = await issue(service, quote, dates={"effective": "2027-03-31", "expiration": "2028-09-30"})
    await renew_by_hand_only(service, policy)

    await move_to(service, date(2028, 9, 29))
    before = await status_of(service, policy["quote_identifier"])
    await move_days(service, 1)

    assert (before, await status_of(service, policy["quote_identifier"])) == (
        "policy_active",
        "policy_expired",
    )


async def test_open_quotes_expire_and_referrals_go_stale_the_day_after_sixty_days(service: Service) -> None:
    quote = await one_quoted(service)
    referral = await one_quoted(
        service, lambda body: body["policy"]["quotes"][0].update(aggregate_limit=5_000_000)
    )

    await move_days(service, 60)
    before = [await status_of(service, option["quote_identifier"]) for option in (quote, referral)]
    await move_days(service, 1)
    after = [await status_of(service, option["quote_identifier"]) for option in (quote, referral)]

    assert before == ["published", "quote_referred"]
    assert after == ["quote_expired", "stale"]


async def test_a_referral_that_waited_for_sixty_days_cannot_be_approved_any_more(service: Service) -> None:
    in_time, late = [
        await one_quoted(service, lambda body: body["policy"]["quotes"][0].update(aggregate_limit=5_000_000))
        for _ in range(2)
    ]

    await set_day(service, date(2027, 4, 30))
    approved = await review(service, in_time, "approve")
    await set_day(service, date(2027, 5, 1))
    refused = await review(service, late, "approve")

    assert (approved.status_code, refused.status_code) == (200, 400)
    assert refused.json()["code"] == "wrong_state"
