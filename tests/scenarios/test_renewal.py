"""Renewal: the offer, its reminders, the bind on the day, and everything that may come in between."""

import uuid
from datetime import date
from itertools import pairwise
from typing import Any

import pytest

from bindery.actions.policy.end_term import expire_quote
from bindery.actions.renewal.set_renewal_type import resume_renewal
from bindery.actions.renewal.settle_renewal import remind_of_renewal, settle_renewal
from bindery.actions.renewal.submit_renewal import submit_renewal
from bindery.actions.timetable.move_clock import run_what_is_due
from bindery.actions.timetable.sweep import SWEEPS
from bindery.domain.access.caller import Caller
from support.binding import (
    ask_to_bind,
    bind,
    decide,
    issue,
    move_days,
    move_to,
    one_quoted,
    quoted,
    review,
    set_day,
    shown,
    status_of,
    told,
)
from support.frozen import OFFERED
from support.intake import professional, technology
from support.journals import check_journal
from support.service import Service, request_body

pytestmark = pytest.mark.usefixtures("plain_printing", "clock_at_day")
END = date(2028, 3, 2)


async def mails(service: Service, kind: str = "renewal") -> list[dict[str, Any]]:
    """Return the mails of a kind to the brokers; each has its counterpart to the insured."""
    rows = await service.runtime.database.pool.fetch(
        "select * from mails where kind like $1 and kind not like '%insured%' order by created_at, mail_id",
        f"{kind}%",
    )
    return [dict(row) for row in rows]


async def offered(service: Service) -> set[str]:
    """Return the quotes that mails have offered."""
    return {str(mail["quote_id"]) for mail in await mails(service, "renewal_offer")}


async def renewal_of(service: Service, policy: dict[str, Any]) -> dict[str, Any]:
    identifier = (await shown(service, policy["quote_identifier"]))["renewal"]["renewed_by"]
    assert identifier is not None
    return await shown(service, identifier)


async def pause(service: Service, quote: dict[str, Any] | str) -> int:
    identifier = quote if isinstance(quote, str) else quote["quote_identifier"]
    answer = await service.post(f"/v2/quotes/{identifier}/pause_renewal")
    assert answer.json()["message"]
    return answer.status_code


def id_of(quote: dict[str, Any]) -> uuid.UUID:
    return uuid.UUID(quote["quote_identifier"])


def broker_of(service: Service) -> Caller:
    return Caller(partner_id=service.partner.partner_id, actor="broker")


async def test_sixty_days_before_its_end_a_policy_is_offered_again(
    service: Service, policy: dict[str, Any]
) -> None:
    await move_to(service, date(2028, 1, 1))
    assert (await shown(service, policy["quote_identifier"]))["renewal"]["renewed_by"] is None
    await move_to(service, OFFERED)

    offer = await renewal_of(service, policy)

    assert offer["quote_status"] == "offer_email"
    assert offer["quote_expiration_date"] == "2028-03-02"
    assert (offer["dates"]["effective"], offer["dates"]["expiration"]) == ("2028-03-02", "2029-03-02")
    assert offer["renewal"] == {
        "type": "auto",
        "renews": policy["quote_identifier"],
        "renewed_by": None,
        "state": "offered",
        "stopped_by": None,
    }
    assert offer["contingencies"] == []
    assert offer["available_actions"] == ["withdraw"]
    for term in ("aggregate_limit", "aggregate_retention", "per_claim_limit", "company_id", "client"):
        assert offer[term] == policy[term]
    assert await told(service, offer["quote_identifier"]) == ["policy.renewal_offered"]
    (written,) = await mails(service)
    assert written["recipients"] == ["broker@example.com"]
    assert policy["policy_number"] in written["subject"]
    assert "ends on March 2, 2028." in written["body"]
    assert f"${offer['premium']:,}" in written["body"]
    assert "renews automatically on that day" in written["body"]
    assert f"/company/{policy['company_id']}" in written["body"]
    theirs = await service.runtime.database.pool.fetchrow(
        "select recipients, attachments, body from mails where kind = 'renewal_offer_to_insured'"
    )
    assert theirs is not None
    assert theirs["recipients"] == ["ann@harborlight.example"]
    assert theirs["attachments"] == written["attachments"] == ["quote_letter"]
    assert "it renews automatically on that day and the total below becomes due" in theirs["body"]


@pytest.mark.long
async def test_a_renewal_is_the_second_brokers_own_too_and_its_offer_is_copied_to_them(
    service: Service,
) -> None:
    contacts: tuple[dict[str, Any], ...] = ({}, {"insured_main_contact": {"email": "new@example.com"}})
    for contact in contacts:
        quote = await one_quoted(
            service, lambda body: body["client"].update(secondary_broker_email="Second@example.com")
        )
        await issue(service, quote, **contact)
    await move_to(service, OFFERED)

    kept = await service.runtime.database.pool.fetch(
        "select renews is null as is_first, secondary_broker_email from submissions order by created_at"
    )
    both = [(True, "second@example.com")] * 2 + [(False, "second@example.com")] * 2
    assert [tuple(row) for row in kept] == both
    recipients = [mail["recipients"] for mail in await mails(service)]
    assert recipients == [["broker@example.com", "Second@example.com"]] * 2


async def test_reminders_go_out_thirty_and_ten_days_before_the_end(
    service: Service, renewal_offer: dict[str, Any]
) -> None:
    counts = []
    for day in (date(2028, 1, 31), date(2028, 2, 1), date(2028, 2, 20), date(2028, 2, 21), END):
        await move_to(service, day)
        counts.append(len(await mails(service, "renewal_reminder")))

    assert counts == [0, 1, 1, 2, 2]


async def test_on_the_day_the_offer_binds_automatically_without_a_gap(
    service: Service, policy: dict[str, Any], renewal_offer: dict[str, Any]
) -> None:
    await move_to(service, date(2028, 3, 1))
    assert await status_of(service, renewal_offer["quote_identifier"]) == "offer_email"
    await move_to(service, END)

    renewed, old = await renewal_of(service, policy), await shown(service, policy["quote_identifier"])

    assert (old["quote_status"], renewed["quote_status"]) == ("policy_expired", "policy_active")
    assert renewed["policy_number"] == policy["policy_number"].removesuffix("00") + "01"
    assert renewed["dates"]["effective"] == old["dates"]["expiration"] == "2028-03-02"
    assert renewed["premium"] == renewal_offer["premium"]
    assert "policy" in renewed["available_documents"]
    assert await told(service, renewed["quote_identifier"]) == [
        "policy.renewal_offered",
        "policy.bound",
        "policy.issued",
    ]
    for term in (old, renewed):
        check_journal(await service.journal(term["quote_identifier"]))


async def test_the_auto_bind_passes_over_what_else_is_open(
    service: Service, policy: dict[str, Any], renewal_offer: dict[str, Any]
) -> None:
    await move_to(service, date(2028, 2, 1))
    other = await one_quoted(service, lambda body: body["client"].update(company_id=policy["company_id"]))
    await move_to(service, END)

    assert await status_of(service, other["quote_identifier"]) == "quote_not_bound"
    assert (await renewal_of(service, policy))["quote_status"] == "policy_active"


async def test_jobs_that_run_again_change_nothing(
    service: Service, policy: dict[str, Any], renewal_offer: dict[str, Any]
) -> None:
    await move_to(service, END)
    counted = [await service.count(table) for table in ("journal", "binds", "quotes", "mails")]

    for name in ("submit_renewal", "remind_of_renewal", "settle_renewal"):
        await SWEEPS[name].job(service.runtime, id_of(policy))
    await run_what_is_due(service.runtime)

    assert [await service.count(table) for table in ("journal", "binds", "quotes", "mails")] == counted


@pytest.mark.long
async def test_an_eighteen_month_policy_renews_for_eighteen_months(service: Service) -> None:
    quote = await one_quoted(service)
    policy = await issue(service, quote, dates={"effective": "2027-03-02", "expiration": "2028-09-02"})
    await move_to(service, date(2028, 9, 2))

    renewed = await renewal_of(service, policy)

    assert (renewed["dates"]["effective"], renewed["dates"]["expiration"]) == ("2028-09-02", "2030-03-02")
    assert renewed["quote_status"] == "policy_active"


@pytest.mark.long
async def test_a_policy_from_a_leap_day_renews_for_a_whole_year(service: Service) -> None:
    await set_day(service, date(2028, 2, 29))
    quote = await one_quoted(service, lambda body: body["policy"].update(dates={"effective": "2028-02-29"}))
    policy = await issue(service, quote)
    await move_to(service, date(2029, 2, 28))

    renewed = await renewal_of(service, policy)

    assert (renewed["dates"]["effective"], renewed["dates"]["expiration"]) == ("2029-02-28", "2030-02-28")
    assert renewed["quote_status"] == "policy_active"


@pytest.mark.long
async def test_claims_made_cover_keeps_its_reach_over_renewals(service: Service) -> None:
    option = ("policy.quotes", [{"aggregate_limit": 1_000_000}])
    (tech,) = await quoted(service, technology(option))
    (mpl,) = await quoted(service, professional(option))
    policies = [await issue(service, quote) for quote in (tech, mpl)]
    await move_to(service, END)

    tech_renewed, mpl_renewed = [await renewal_of(service, policy) for policy in policies]

    assert tech_renewed["dates"]["teo_retroactive_date"] == "2027-03-02"
    assert mpl_renewed["dates"]["mpl_retroactive_date"] == "2027-03-02"
    assert {tech_renewed["quote_status"], mpl_renewed["quote_status"]} == {"policy_active"}


# Pausing.


async def test_pausing_twice_is_200_twice_and_told_once(service: Service, policy: dict[str, Any]) -> None:
    assert [await pause(service, policy), await pause(service, policy)] == [200, 200]

    paused = await shown(service, policy["quote_identifier"])
    assert paused["renewal"]["type"] == "manual"
    assert paused["available_actions"] == ["resume_renewal", "request_cancellation"]
    assert (await told(service, policy["quote_identifier"])).count("policy.renewal_paused") == 1


async def test_a_pause_under_a_key_is_replayed_and_the_key_serves_nothing_else(
    service: Service, policy: dict[str, Any]
) -> None:
    path = f"/v2/quotes/{policy['quote_identifier']}/pause_renewal"

    first = await service.post(path, Idempotency_Key="pause-1")
    again = await service.post(path, Idempotency_Key="pause-1")
    elsewhere = await service.post("/v2/quotes/another/pause_renewal", Idempotency_Key="pause-1")
    other_body = await service.post("/v2/quotes", request_body(), Idempotency_Key="pause-1")

    assert (first.status_code, again.status_code, again.content) == (200, 200, first.content)
    assert again.headers["idempotent-replayed"] == "true"
    assert elsewhere.status_code == 422
    assert other_body.json()["code"] == "idempotency_key_reused"
    assert (await told(service, policy["quote_identifier"])).count("policy.renewal_paused") == 1


async def test_whatever_cannot_be_paused_is_422(service: Service, policy: dict[str, Any]) -> None:
    open_quote = await one_quoted(service)
    canceled = await issue(service, await one_quoted(service))
    await decide(service, canceled, "cancel", text="Sold.")
    other = await service.new_partner("another partner")
    entries = await service.count("journal")

    answers = [
        await pause(service, open_quote),
        await pause(service, canceled),
        await pause(service, "no-such-quote"),
        await pause(service, "x" * 65),
        await pause(service, str(uuid.UUID(int=7))),
        await pause(other, policy),
    ]

    assert answers == [422] * 6
    assert await service.count("journal") == entries
    assert (await shown(service, policy["quote_identifier"]))["renewal"]["type"] == "auto"


async def test_pausing_needs_a_token(service: Service, policy: dict[str, Any]) -> None:
    answer = await service.http.post(f"/v2/quotes/{policy['quote_identifier']}/pause_renewal")

    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")


async def test_paused_before_the_offer_no_renewal_is_made(service: Service, policy: dict[str, Any]) -> None:
    await move_to(service, date(2028, 1, 1))
    await pause(service, policy)
    await move_to(service, END)

    ended = await shown(service, policy["quote_identifier"])
    assert (ended["quote_status"], ended["renewal"]["renewed_by"]) == ("policy_expired", None)
    assert await mails(service) == []
    assert await pause(service, policy) == 422


async def test_on_the_day_it_ends_it_is_too_late_to_pause(
    service: Service, policy: dict[str, Any], renewal_offer: dict[str, Any]
) -> None:
    await move_to(service, date(2028, 3, 1))
    await set_day(service, END)

    too_late = await pause(service, policy)
    await run_what_is_due(service.runtime)

    assert too_late == 422
    assert (await renewal_of(service, policy))["quote_status"] == "policy_active"


async def test_paused_after_the_offer_it_does_not_bind_itself(
    service: Service, policy: dict[str, Any], renewal_offer: dict[str, Any]
) -> None:
    await pause(service, policy)
    offer = await renewal_of(service, policy)
    assert (offer["quote_status"], offer["renewal"]["type"]) == ("offer_email", "manual")
    await move_to(service, END)

    on_the_day = await status_of(service, renewal_offer["quote_identifier"])
    await move_days(service, 1)

    assert (on_the_day, await status_of(service, renewal_offer["quote_identifier"])) == (
        "offer_email",
        "quote_expired",
    )
    assert await status_of(service, policy["quote_identifier"]) == "policy_expired"
    assert "please bind it before that day" in (await mails(service, "renewal_reminder"))[0]["body"]


async def test_a_paused_offer_bound_by_hand_stays_with_renewal_by_hand(
    service: Service, policy: dict[str, Any], renewal_offer: dict[str, Any]
) -> None:
    await pause(service, policy)
    await move_to(service, date(2028, 2, 10))

    renewed = await bind(service, await renewal_of(service, policy))

    assert (renewed["quote_status"], renewed["renewal"]["type"]) == ("policy_active", "manual")
    assert renewed["policy_number"].endswith("-01")


async def test_pausing_reaches_a_renewal_that_is_bound_already(
    service: Service, policy: dict[str, Any], renewal_offer: dict[str, Any]
) -> None:
    await move_to(service, date(2028, 2, 10))
    renewed = await bind(service, await renewal_of(service, policy))
    assert renewed["renewal"]["type"] == "auto"

    await pause(service, policy)

    assert (await renewal_of(service, policy))["renewal"]["type"] == "manual"


async def test_resumed_in_time_it_renews_after_all(service: Service, policy: dict[str, Any]) -> None:
    await pause(service, policy)
    await move_to(service, date(2028, 2, 15))
    await resume_renewal(service.runtime.database, broker_of(service), id_of(policy))
    await move_days(service, 1)

    offer = await renewal_of(service, policy)
    await move_to(service, END)

    assert offer["quote_status"] == "offer_email"
    # It came fifteen days before the end: the first reminder would have said the same.
    assert [mail["kind"] for mail in await mails(service)] == ["renewal_offer", "renewal_reminder_2"]
    assert await status_of(service, offer["quote_identifier"]) == "policy_active"


# Referrals, changes, cancellations.


async def large_policy(service: Service) -> dict[str, Any]:
    """A policy over a limit that only an underwriter approves, so that its renewal is referred too."""
    quote = await one_quoted(
        service, lambda body: body["policy"]["quotes"][0].update(aggregate_limit=5_000_000)
    )
    return await issue(service, await decide(service, quote, "approve"))


async def referred_renewal(service: Service, policy: dict[str, Any]) -> dict[str, Any]:
    identifier = await service.runtime.database.pool.fetchval(
        "select q.quote_id from quotes q join submissions s using (submission_id) where s.renews = $1",
        id_of(policy),
    )
    return await shown(service, str(identifier))


@pytest.mark.long
async def test_a_referred_renewal_that_is_approved_binds_on_the_day(service: Service) -> None:
    days = (OFFERED, date(2028, 2, 15), END)
    approved = [await large_policy(service) for _ in days]
    nobodys = await large_policy(service)
    for day, policy in zip(days, approved, strict=True):
        await move_to(service, day)
        referral = await referred_renewal(service, policy)
        assert referral["quote_status"] == "quote_referred"
        assert referral["quote_identifier"] not in await offered(service)

        offer = await decide(service, referral, "approve")

        assert offer["quote_status"] == "offer_email"
        assert offer["quote_identifier"] in await offered(service)
    await move_to(service, END)

    for policy in approved:
        renewed = await renewal_of(service, policy)
        assert (renewed["quote_status"], renewed["dates"]["effective"]) == ("policy_active", "2028-03-02")
        assert await status_of(service, policy["quote_identifier"]) == "policy_expired"
    # Nobody decides on the last one: it goes stale the day after, and the policy has ended.
    await move_days(service, 1)
    assert (await referred_renewal(service, nobodys))["quote_status"] == "stale"
    assert await status_of(service, nobodys["quote_identifier"]) == "policy_expired"


async def test_changed_answers_revoke_the_offer_and_nothing_binds_automatically(
    service: Service, policy: dict[str, Any], renewal_offer: dict[str, Any]
) -> None:
    await move_to(service, date(2028, 2, 10))
    changed = await one_quoted(
        service, lambda body: body["client"].update(company_id=policy["company_id"], revenue=3_000_000)
    )
    assert await status_of(service, renewal_offer["quote_identifier"]) == "quote_revoked"
    assert [row["type"] for row in changed["contingencies"]] == ["post_bind"]

    bound = await bind(service, changed, dates={"effective": "2028-03-02"})
    await move_to(service, END)

    assert bound["quote_status"] == "policy_active"
    assert not bound["policy_number"].startswith(policy["policy_number"][:16])
    assert await status_of(service, policy["quote_identifier"]) == "policy_expired"
    assert await status_of(service, renewal_offer["quote_identifier"]) == "quote_revoked"


async def test_a_cancellation_withdraws_the_offer_and_a_reinstatement_makes_another(
    service: Service, policy: dict[str, Any], renewal_offer: dict[str, Any]
) -> None:
    await move_to(service, date(2028, 1, 10))
    canceled = await decide(service, policy, "cancel", text="Not paid.")
    withdrawn = await status_of(service, renewal_offer["quote_identifier"])
    await decide(service, policy, "reinstate", reason="Paid.")
    await move_days(service, 1)

    again = await renewal_of(service, policy)
    await move_to(service, END)

    assert (withdrawn, canceled["renewal"]["renewed_by"]) == ("quote_revoked", None)
    assert again["quote_identifier"] != renewal_offer["quote_identifier"]
    assert await status_of(service, again["quote_identifier"]) == "policy_active"


async def test_a_cancellation_takes_a_referred_renewal_off_the_desk(service: Service) -> None:
    policy = await large_policy(service)
    await move_to(service, OFFERED)
    referral = await referred_renewal(service, policy)

    await decide(service, policy, "cancel", text="Sold.")

    assert await status_of(service, referral["quote_identifier"]) == "quote_revoked"
    assert (await review(service, referral, "approve")).status_code == 400


async def test_a_cancellation_withdraws_a_renewal_whose_bind_is_requested(
    service: Service, policy: dict[str, Any], renewal_offer: dict[str, Any]
) -> None:
    await move_to(service, date(2028, 2, 1))
    proof = {"type": "pre_bind", "text": "Proof of backups"}
    await decide(service, renewal_offer, "add_contingency", contingency=proof)
    requested = await bind(service, renewal_offer)
    canceled = await decide(service, policy, "cancel", text="Not paid.")

    approved = await review(service, renewal_offer, "approve")

    assert requested["quote_status"] == "quote_bind_requested"
    assert canceled["renewal"]["renewed_by"] is None
    assert approved.status_code == 400
    assert await status_of(service, renewal_offer["quote_identifier"]) == "quote_revoked"
    assert (await told(service, renewal_offer["quote_identifier"]))[-1] == "quote.revoked"
    assert await waiting_at_the_desk(service) == 0
    in_force = await service.runtime.database.pool.fetchval("select count(*) from binds where in_force")
    assert in_force == 0


async def test_a_policy_reinstated_after_its_requested_renewal_was_withdrawn_renews_again(
    service: Service, policy: dict[str, Any], renewal_offer: dict[str, Any]
) -> None:
    await move_to(service, date(2028, 2, 1))
    proof = {"type": "pre_bind", "text": "Proof of backups"}
    await decide(service, renewal_offer, "add_contingency", contingency=proof)
    await bind(service, renewal_offer)
    await decide(service, policy, "cancel", text="Not paid.")
    await decide(service, policy, "reinstate", reason="Paid.")
    await move_days(service, 1)

    again = await renewal_of(service, policy)
    await move_to(service, END)

    assert again["quote_identifier"] != renewal_offer["quote_identifier"]
    assert await status_of(service, again["quote_identifier"]) == "policy_active"
    assert await status_of(service, renewal_offer["quote_identifier"]) == "quote_revoked"


async def waiting_at_the_desk(service: Service) -> int:
    waiting: int = await service.runtime.database.pool.fetchval(
        "select count(*) from desk_items where closed_at is null"
    )
    return waiting


# Bound by hand.


async def test_an_offer_is_bound_ahead_by_hand_within_thirty_days_of_its_start(
    service: Service, policy: dict[str, Any], renewal_offer: dict[str, Any]
) -> None:
    await move_to(service, date(2028, 1, 31))
    too_soon = await ask_to_bind(service, renewal_offer)
    await move_days(service, 1)

    renewed = await bind(service, renewal_offer)
    old = await shown(service, policy["quote_identifier"])
    await move_to(service, END)

    assert (too_soon.status_code, too_soon.json()["errors"][0]["code"]) == (400, "too_late")
    assert (old["quote_status"], renewed["quote_status"]) == ("policy_active", "policy_active")
    # Nothing is owed for a renewal on unchanged answers: the policy itself, not a binder.
    assert "policy" in renewed["available_documents"]
    assert await status_of(service, policy["quote_identifier"]) == "policy_expired"
    assert await service.count("binds") == 2
    assert (await told(service, renewed["quote_identifier"])).count("policy.bound") == 1


@pytest.mark.long
async def test_other_cover_bound_before_the_offer_leaves_nothing_to_renew(
    service: Service, policy: dict[str, Any]
) -> None:
    await pause(service, policy)
    await move_to(service, date(2028, 2, 10))
    other = await one_quoted(service, lambda body: body["client"].update(company_id=policy["company_id"]))
    await issue(service, other, dates={"effective": "2028-03-02"})
    await resume_renewal(service.runtime.database, broker_of(service), id_of(policy))
    await move_to(service, END)

    assert (await shown(service, policy["quote_identifier"]))["renewal"]["renewed_by"] is None
    assert await status_of(service, policy["quote_identifier"]) == "policy_expired"
    assert await mails(service, "renewal") == []


@pytest.mark.long
async def test_other_cover_bound_while_the_renewal_is_worked_on_passes_it_over(
    service: Service, policy: dict[str, Any]
) -> None:
    await pause(service, policy)
    await move_to(service, date(2028, 2, 10))
    other = await one_quoted(service, lambda body: body["client"].update(company_id=policy["company_id"]))
    await resume_renewal(service.runtime.database, broker_of(service), id_of(policy))
    await submit_renewal(service.runtime.database, id_of(policy))
    await issue(service, other, dates={"effective": "2028-03-02"})
    await move_to(service, END)

    renewal = await renewal_of(service, policy)
    assert renewal["quote_status"] == "quote_not_bound"
    assert await status_of(service, other["quote_identifier"]) == "policy_active"


async def test_an_offer_that_comes_back_after_a_refused_bind_still_binds_automatically(
    service: Service, policy: dict[str, Any], renewal_offer: dict[str, Any]
) -> None:
    await move_to(service, date(2028, 2, 10))
    (other,) = await quoted(
        service,
        request_body(
            lambda body: (
                body["client"].update(company_id=policy["company_id"], name="Harborlight (prebind)"),
                body["policy"].update(quotes=[{"aggregate_limit": 2_000_000}]),
            )
        ),
    )
    await bind(service, other, dates={"effective": "2028-03-02"})
    assert await status_of(service, renewal_offer["quote_identifier"]) == "quote_not_bound"

    await decide(service, other, "decline", reason="No list.")
    await move_to(service, END)

    assert await status_of(service, renewal_offer["quote_identifier"]) == "policy_active"


async def test_a_renewal_for_which_something_is_owed_does_not_bind_itself_and_says_so(
    service: Service,
) -> None:
    def without_mfa(body: dict[str, Any]) -> None:
        next(row for row in body["questions"] if row["id"] == "Q2301")["value"] = False

    quote = await one_quoted(service, without_mfa)
    await bind(service, quote)
    binder = await decide(service, quote, "approve")
    for owed in binder["contingencies"]:
        await decide(service, quote, "close_contingency", contingency_id=owed["contingency_id"])
    await move_to(service, OFFERED)
    offer = await renewal_of(service, quote)
    assert len(offer["contingencies"]) == 1
    await move_to(service, END)

    assert await status_of(service, offer["quote_identifier"]) == "offer_email"
    assert "please bind it before that day" in (await mails(service, "renewal_offer"))[0]["body"]


@pytest.mark.long
async def test_contacts_of_the_bind_stay_with_the_renewal(service: Service) -> None:
    contacts = {
        "insured_main_contact": {"email": "new@harborlight.example"},
        "additional_contacts": [{"email": "cfo@harborlight.example", "contact_roles": ["policy_notices"]}],
    }
    policy = await issue(service, await one_quoted(service), client=contacts)
    await move_to(service, OFFERED)
    offer = await renewal_of(service, policy)
    await move_to(service, END)

    for body in (offer, await shown(service, offer["quote_identifier"])):
        assert body["client"]["insured_main_contact"] == contacts["insured_main_contact"]
        assert body["client"]["additional_contacts"] == contacts["additional_contacts"]


# Outages.


@pytest.mark.parametrize("days", [1, 20, 100, 400, 800])
async def test_after_an_outage_everything_is_caught_up_in_order(
    service: Service, policy: dict[str, Any], renewal_offer: dict[str, Any], days: int
) -> None:
    await set_day(service, date.fromordinal(END.toordinal() + days))

    await run_what_is_due(service.runtime)

    rows = await service.runtime.database.pool.fetch(
        "select policy_number, effective, expiration, in_force from binds order by effective"
    )
    assert [row["policy_number"][-2:] for row in rows] == [f"{n:02}" for n in range(len(rows))]
    assert all(before["expiration"] == after["effective"] for before, after in pairwise(rows))
    assert [row["in_force"] for row in rows] == [False] * (len(rows) - 1) + [True]
    assert len(rows) == 2 + days // 365
    # Nobody is reminded of what has happened already.
    assert await mails(service, "renewal_reminder") == []


async def test_an_offer_past_its_day_waits_for_its_settlement_before_it_expires(
    service: Service, policy: dict[str, Any], renewal_offer: dict[str, Any]
) -> None:
    await set_day(service, date(2028, 3, 20))

    await expire_quote(service.runtime.database, id_of(renewal_offer))
    waiting = await status_of(service, renewal_offer["quote_identifier"])
    await settle_renewal(service.runtime.database, service.runtime.rules, id_of(policy))

    assert (waiting, await status_of(service, renewal_offer["quote_identifier"])) == (
        "offer_email",
        "policy_active",
    )


async def test_what_falls_due_is_not_done_early(service: Service, policy: dict[str, Any]) -> None:
    await submit_renewal(service.runtime.database, id_of(policy))
    await settle_renewal(service.runtime.database, service.runtime.rules, id_of(policy))
    assert (await shown(service, policy["quote_identifier"]))["renewal"]["renewed_by"] is None

    await move_to(service, OFFERED)
    await settle_renewal(service.runtime.database, service.runtime.rules, id_of(policy))
    await remind_of_renewal(service.runtime.database, service.runtime.rules, id_of(policy))

    assert (await renewal_of(service, policy))["quote_status"] == "offer_email"
    assert await mails(service, "renewal_reminder") == []


async def test_what_was_never_bound_is_not_renewed(service: Service) -> None:
    quote = await one_quoted(service)
    before = await service.count("submissions")

    await submit_renewal(service.runtime.database, uuid.UUID(quote["quote_identifier"]))

    assert await service.count("submissions") == before
