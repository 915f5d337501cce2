"""What an underwriter does at the platform, without JavaScript."""

import asyncio
import html
import re
import uuid
from datetime import date, timedelta
from typing import Any

import asyncpg
import pytest

from bindery.domain.access.users import Role
from bindery.web.shown.words import day, day_of_year
from support.binding import bind, decide, one_quoted, set_day, shown, status_of
from support.people import Person, fields_of, sign_in_as, text_of
from support.service import Service, request_body
from support.waiting import eventually


def red_flags() -> dict[str, Any]:
    def change(body: dict[str, Any]) -> None:
        body["client"]["domains"] = ["red-flags.example.com"]
        body["policy"]["quotes"] = body["policy"]["quotes"][:2]

    return request_body(change)


async def referred(service: Service) -> dict[str, Any]:
    quote = await service.quote(red_flags())
    assert quote["quote_status"] == "quote_referred"
    return quote


async def case_of(service: Service, quote: dict[str, Any]) -> str:
    submission_id = await service.runtime.database.pool.fetchval(
        "select submission_id from quotes where quote_id = $1", uuid.UUID(quote["quote_identifier"])
    )
    return f"/desk/case/{submission_id}"


async def open_items(service: Service) -> list[tuple[str, bool]]:
    rows = await service.runtime.database.pool.fetch(
        "select kind, closed_at is null from desk_items order by 1, 2"
    )
    return [tuple(row) for row in rows]


async def test_a_referral_is_one_row_of_the_queue_however_many_options_it_has(
    working_service: Service, underwriter: Person
) -> None:
    quote = await referred(working_service)
    await working_service.ready(quote["quote_identifier"])

    page = await underwriter.open("/desk")

    assert page.count('class="who"') == 1
    assert f"Next free case: {quote['client']['name']}, a referral, due in " in text_of(page)
    assert "red flags" in text_of(page)
    assert "All open 1" in text_of(page)


async def test_a_case_says_why_it_is_there_and_how_its_price_came_about(
    working_service: Service, underwriter: Person
) -> None:
    quote = await referred(working_service)

    page = text_of(await underwriter.open(await case_of(working_service, quote)))

    assert "The scan found severe weaknesses" in page
    assert "Base premium" in page
    assert "red flag Remote Desktop reachable from the internet" in page
    assert "By the tariff, edition" in page


async def test_what_is_approved_is_published_at_the_premium_that_was_shown(
    working_service: Service, underwriter: Person
) -> None:
    quote = await referred(working_service)
    path = await case_of(working_service, quote)
    form = fields_of(await underwriter.open(path), f"{path}/decide")
    shown = form[f"shown_premium-{quote['quote_identifier']}"]

    await underwriter.send(f"{path}/decide?option=1", **{**form, "decision": "approve"})

    after = await working_service.ready(quote["quote_identifier"])
    assert after["quote_status"] == "published"
    assert str(after["premium"]) == shown
    entry = next(
        entry
        for entry in await working_service.journal(quote["quote_identifier"])
        if entry.trigger == "approve_referral"
    )
    assert entry.actor == underwriter.email


async def test_another_retention_is_worked_out_before_it_is_approved(
    working_service: Service, underwriter: Person
) -> None:
    quote = await referred(working_service)
    identifier, path = quote["quote_identifier"], await case_of(working_service, quote)
    form = fields_of(await underwriter.open(path), f"{path}/decide")
    changed = {**form, "aggregate_retention": "25000", "reason": "Weak remote access"}

    # The premium on the page is that of the old retention.
    refused = await underwriter.send(
        f"{path}/decide?option=1", status=422, **{**changed, "decision": "approve"}
    )
    assert "; the page showed" in text_of(refused)
    assert "Weak remote access" in refused
    assert (await working_service.ready(identifier))["quote_status"] == "quote_referred"

    preview = await underwriter.send(f"{path}/preview?option=1", **changed)
    again = fields_of(preview, f"{path}/decide")
    await underwriter.send(f"{path}/decide?option=1", **{**again, "decision": "approve"})

    after = await working_service.ready(identifier)
    assert after["aggregate_retention"] == 25_000
    assert (
        str(after["premium"]) == again[f"shown_premium-{identifier}"] != form[f"shown_premium-{identifier}"]
    )


async def test_a_premium_by_hand_needs_a_reason_and_shows_how_far_it_deviates(
    working_service: Service, underwriter: Person
) -> None:
    quote = await referred(working_service)
    path = await case_of(working_service, quote)
    form = fields_of(await underwriter.open(path), f"{path}/decide")
    by_hand = {**form, "premium": "5,000"}

    preview = await underwriter.send(f"{path}/preview?option=1", **by_hand)
    assert "Set by an underwriter: +" in text_of(preview)
    again = {**fields_of(preview, f"{path}/decide"), "sure": "1:5000"}
    refused = await underwriter.send(
        f"{path}/decide?option=1", status=422, **{**again, "decision": "approve"}
    )
    assert "reason is required" in text_of(refused)
    await underwriter.send(
        f"{path}/decide?option=1", **{**again, "decision": "approve", "reason": "As agreed"}
    )

    assert (await working_service.ready(quote["quote_identifier"]))["premium"] == 5_000


async def test_a_typed_premium_is_shown_first_and_published_with_the_next_press(
    service: Service, underwriter: Person
) -> None:
    quote = await one_quoted(service, lambda body: body["client"].update(domains=["red-flags.example.com"]))
    identifier, path = quote["quote_identifier"], await case_of(service, quote)
    form = fields_of(await underwriter.open(path), f"{path}/decide")
    by_hand = {**form, "premium": "5,000", "reason": "As agreed", "decision": "approve"}

    first = await underwriter.send(f"{path}/decide?option=1", status=422, **by_hand)
    stood = await status_of(service, identifier)
    again = fields_of(first, f"{path}/decide")
    await underwriter.send(f"{path}/decide?option=1", **{**again, "decision": "approve", "sure": "1:5000"})

    said = text_of(first)
    not_shown = "The premium was not on the page; it is now"
    assert f"{not_shown}: press Approve again to publish at $5,000." in said
    assert f"the page showed ${int(form[f'shown_premium-{identifier}']):,}" not in said
    assert again[f"shown_premium-{identifier}"] == "5000"
    assert stood == "quote_referred"
    published = await shown(service, identifier)
    assert (published["quote_status"], published["premium"]) == ("published", 5_000)


@pytest.mark.parametrize("premium", ["many", "-5", "0", "99999999999", "1.5"])
async def test_an_amount_that_cannot_be_read_is_refused_and_kept(
    working_service: Service, underwriter: Person, premium: str
) -> None:
    quote = await referred(working_service)
    path = await case_of(working_service, quote)
    form = fields_of(await underwriter.open(path), f"{path}/decide")

    page = await underwriter.send(
        f"{path}/decide?option=1",
        status=422,
        **{**form, "premium": premium, "reason": "x", "decision": "approve"},
    )

    assert "The premium must be whole dollars, from $1 to $10,000,000." in text_of(page)
    assert f'value="{premium}"' in page


async def test_a_decision_on_what_somebody_else_decided_meanwhile_changes_nothing(
    working_service: Service, underwriter: Person
) -> None:
    quote = await referred(working_service)
    path = await case_of(working_service, quote)
    form = fields_of(await underwriter.open(path), f"{path}/decide")
    declined = {**form, "decision": "decline", "reason": "Remote Desktop is open"}
    await underwriter.send(f"{path}/decide?option=1", **declined)
    before = await working_service.journal(quote["quote_identifier"])

    late = {**form, "decision": "approve", "premium": "5,000", "reason": "They are closing it"}
    page = text_of(await underwriter.send(f"{path}/decide?option=1", status=422, **late))

    assert "Decided in the meantime" in page
    assert f"Option 1 was declined: Remote Desktop is open. {underwriter.email}" in page
    assert "Decision approve Premium 5,000 Reason They are closing it" in page
    assert await working_service.journal(quote["quote_identifier"]) == before
    assert (await working_service.ready(quote["quote_identifier"]))["decision"][
        "reason"
    ] == "Remote Desktop is open"


async def test_what_was_typed_meanwhile_is_all_there_to_be_taken_up_again(
    working_service: Service, underwriter: Person
) -> None:
    quote = await referred(working_service)
    path = await case_of(working_service, quote)
    form = fields_of(await underwriter.open(path), f"{path}/decide")
    declined = {**form, "decision": "decline", "reason": "Remote Desktop is open"}
    await underwriter.send(f"{path}/decide?option=1", **declined)

    late = {**form, "decision": "", "aggregate_retention": "25000", "contingency_text": "Proof of backups"}
    page = await underwriter.send(f"{path}/decide?option=1", status=422, **late)

    assert "Retention 25000 Subject to Proof of backups" in text_of(page)
    assert (
        "Decision"
        not in text_of(page).partition("Decided in the meantime")[2].partition("Retention 25000")[0]
    )


async def test_a_decline_asks_once_and_takes_along_what_was_typed(
    service: Service, underwriter: Person
) -> None:
    quote = await one_quoted(service, lambda body: body["client"].update(domains=["red-flags.example.com"]))
    path = await case_of(service, quote)
    page = await underwriter.open(path)
    (button,) = re.findall(r'<button class="[^"]*danger" formaction="([^"]+)"', page)
    form = {**fields_of(page, f"{path}/decide"), "decision": "decline", "reason": "Remote <b>Desktop</b>"}

    sure = await underwriter.send(html.unescape(button), **form)

    question = "Decline Harborlight Bakery LLC?"
    about = "This is about option 1. The partner is notified, with your reason. It cannot be undone"
    assert f"{question} {about}" in text_of(sure)
    assert f'formaction="{path}/preview?option=1">Go back</button>' in sure
    assert await status_of(service, quote["quote_identifier"]) == "quote_referred"
    taken_along = fields_of(sure, f"{path}/decide")
    assert taken_along == {name: value for name, value in form.items() if name != "decision"}
    done = await underwriter.send(f"{path}/decide?option=1", **taken_along, decision="decline")
    assert "Option 1 is declined." in text_of(done)
    assert (await shown(service, quote["quote_identifier"]))["decision"]["reason"] == "Remote <b>Desktop</b>"


async def test_of_two_clicks_at_the_same_moment_the_second_is_the_first_one(
    service: Service, underwriter: Person, dsn: str
) -> None:
    quote = await one_quoted(service, lambda body: body["client"].update(domains=["red-flags.example.com"]))
    path = await case_of(service, quote)
    form = {**fields_of(await underwriter.open(path), f"{path}/decide"), "decision": "approve"}
    other = await asyncpg.connect(dsn)

    async with asyncio.TaskGroup() as group, other.transaction():
        # Both have read the case before either can decide.
        await other.execute("select from quotes for update")
        clicks = [group.create_task(underwriter.post(f"{path}/decide", **form)) for _ in range(2)]
        await eventually(service.waiting_for_locks, lambda count: count == len(clicks))
    await other.close()

    assert [click.result().status_code for click in clicks] == [303, 303]
    triggers = [entry.trigger for entry in await service.journal(quote["quote_identifier"])]
    assert triggers.count("approve_referral") == 1
    assert await status_of(service, quote["quote_identifier"]) == "published"


async def test_a_bound_quote_becomes_subject_to_something_more(service: Service, underwriter: Person) -> None:
    quote = await one_quoted(service)
    await bind(service, quote)
    path = await case_of(service, quote)
    form = fields_of(await underwriter.open(path), f"{path}/decide")

    page = await underwriter.send(
        f"{path}/decide", **{**form, "decision": "contingency", "contingency_text": "Proof of backups"}
    )

    assert "Option 1 is subject to it." in text_of(page)
    owed = (await shown(service, quote["quote_identifier"]))["contingencies"]
    assert ("Proof of backups", "post_bind", "open") in [
        (row["text"], row["type"], row["status"]) for row in owed
    ]


async def test_a_case_says_that_a_binder_is_conditional_until_when_and_on_what(
    service: Service, underwriter: Person
) -> None:
    quote = await one_quoted(service)
    path = await case_of(service, quote)
    (signature,) = quote["contingencies"]
    offered = text_of(await underwriter.open(path))

    binder = (await bind(service, quote))["binder"]
    until = date.fromisoformat(binder["fulfil_by"])
    on_condition = text_of(await underwriter.open(path))
    proof = {"type": "post_bind", "text": "Proof of backups"}
    await decide(service, quote, "add_contingency", contingency=proof)
    with_proof = text_of(await underwriter.open(path))
    await set_day(service, until)
    last_day = text_of(await underwriter.open(path))

    assert f"Binder, due {day_of_year(until)}" in on_condition.partition("Revenue")[0]
    said = f"Binder, due {day(until)} (30 days left): it lapses unless the open items are closed by then."
    assert f"{said} Still open: “{signature['text']}”." in on_condition
    assert f"{said} Still open: “{signature['text']}” and “Proof of backups”." in with_proof
    assert f"Binder, due {day(until)} (today is the last day): it lapses" in last_day
    for contingency in (await shown(service, quote["quote_identifier"]))["contingencies"]:
        await decide(service, quote, "close_contingency", contingency_id=contingency["contingency_id"])
    issued = text_of(await underwriter.open(path))
    assert "Option 1 In force" in issued
    for page in (offered, issued):
        assert "Binder, due" not in page


async def test_a_bind_that_was_requested_comes_to_the_desk_and_is_bound_there(
    working_service: Service, underwriter: Person, broker: Person
) -> None:
    def prebind(body: dict[str, Any]) -> None:
        body["client"]["name"] += " (prebind)"

    quote = await working_service.quote(request_body(prebind))
    bind = f"/quote/{quote['quote_identifier']}/bind"
    form = await broker.open(bind)
    assert "Ask an underwriter" in text_of(form)
    await broker.send(bind, **{**fields_of(form, bind), "step": "bind"})
    assert "Binds 1" in text_of(await underwriter.open("/desk"))
    path = await case_of(working_service, quote)
    decide = fields_of(await underwriter.open(path), f"{path}/decide")
    needed = {f"closed_as-{row['contingency_id']}": "fulfilled" for row in quote["contingencies"]}

    await underwriter.send(f"{path}/decide?option=1", **{**decide, **needed, "decision": "approve"})

    assert (await working_service.ready(quote["quote_identifier"]))["quote_status"] == "policy_active"
    assert ("bind", False) in await open_items(working_service)


async def test_an_uploaded_paper_waits_until_its_contingency_is_closed(
    working_service: Service, underwriter: Person, broker: Person
) -> None:
    quote = await working_service.quote()
    identifier = quote["quote_identifier"]
    contingency = quote["contingencies"][0]["contingency_id"]
    application = (await broker.http.get(f"/quote/{identifier}/document/application")).content
    await broker.send(
        f"/quote/{identifier}/uploads", files={"file": ("a.pdf", application)}, contingency_id=contingency
    )
    assert await open_items(working_service) == [("paper", True)]
    path = await case_of(working_service, quote)

    before = text_of(await underwriter.open(path))
    page = await underwriter.send(
        f"{path}/contingency", quote_id=identifier, contingency_id=contingency, decision="accept"
    )

    assert "A file came in that nobody has looked at yet" in before
    assert "No rule referred it." not in before
    assert "The contingency is closed as fulfilled." in text_of(page)
    assert await open_items(working_service) == [("paper", False)]


async def test_a_policy_is_canceled_and_reinstated_by_people_alone(
    working_service: Service, underwriter: Person, broker: Person
) -> None:
    quote = await working_service.quote()
    bind = f"/quote/{quote['quote_identifier']}/bind"
    await broker.send(bind, **{**fields_of(await broker.open(bind), bind), "step": "bind"})
    path = await case_of(working_service, quote)
    form = fields_of(await underwriter.open(path), f"{path}/decide")
    await underwriter.send(
        f"{path}/decide?option=1", **{**form, "decision": "cancel", "reason": "Asked for by the insured"}
    )
    assert (await working_service.ready(quote["quote_identifier"]))["quote_status"] == "policy_canceled"

    today = await working_service.runtime.database.today()
    page = await underwriter.open(path)
    assert f"This is possible until {day(today + timedelta(days=30))}." in text_of(page)
    again = fields_of(page, f"{path}/decide")
    await underwriter.send(
        f"{path}/decide?option=1", **{**again, "decision": "reinstate", "reason": "Paid after all"}
    )

    assert (await working_service.ready(quote["quote_identifier"]))["quote_status"] == "policy_active"


async def test_a_partner_who_asks_to_cancel_is_answered(
    working_service: Service, underwriter: Person, broker: Person
) -> None:
    quote = await working_service.quote()
    identifier = quote["quote_identifier"]
    bind = f"/quote/{identifier}/bind"
    await broker.send(bind, **{**fields_of(await broker.open(bind), bind), "step": "bind"})
    effective = (await working_service.ready(identifier))["dates"]["effective"]
    asked = {"effective": effective, "reason": "business_sold", "text": "To a competitor."}
    answer = await working_service.post(f"/v2/quotes/{identifier}/request_cancellation", asked)
    assert answer.status_code == 200, answer.text

    path = await case_of(working_service, quote)
    assert "Cancellation" in text_of(await underwriter.open("/desk"))
    page = await underwriter.open(path)
    wanted = f"from {day(date.fromisoformat(effective))}: Business sold: To a competitor."
    assert f"The partner asks to cancel {wanted}" in text_of(page)
    assert "No rule referred it" not in text_of(page)
    assert f'name="effective" value="{effective}"' in page
    form = fields_of(page, f"{path}/decide")
    refused = await underwriter.send(
        f"{path}/decide?option=1", status=422, **{**form, "decision": "decline_cancellation"}
    )
    assert "A reason is required: it goes on record." in text_of(refused)
    said = {"decision": "decline_cancellation", "reason": "The buyer keeps the cover"}
    done = text_of(await underwriter.send(f"{path}/decide?option=1", **{**form, **said}))

    assert "The policy of option 1 stays in force." in done
    request = (await working_service.ready(identifier))["cancellation_request"]
    assert (request["status"], request["answer"]) == ("declined", "The buyer keeps the cover")
    assert "The partner asks to cancel" not in text_of(await underwriter.open(path))


async def test_a_case_is_taken_put_back_and_noted(working_service: Service, underwriter: Person) -> None:
    quote = await referred(working_service)
    path = await case_of(working_service, quote)

    assert "Cyber referral, you have it" in text_of(await underwriter.send("/desk/next"))
    assert "Mine 1" in text_of(await underwriter.open("/desk"))
    assert "Put back." in text_of(await underwriter.send(f"{path}/take", take="release"))
    page = text_of(await underwriter.send(f"{path}/note", note="Called the <broker>"))
    assert " Called the <broker> New note" in page.partition("Desk notes")[2].partition("Pat Underwriter")[2]
    assert "Called the" not in text_of(await underwriter.open(f"/company/{quote['company_id']}"))


async def test_a_contingency_is_added_with_the_approval(
    working_service: Service, underwriter: Person
) -> None:
    quote = await referred(working_service)
    path = await case_of(working_service, quote)
    form = fields_of(await underwriter.open(path), f"{path}/decide")

    await underwriter.send(
        f"{path}/decide?option=1",
        **{
            **form,
            "decision": "approve",
            "contingency_text": "Proof that RDP is closed",
            "contingency_type": "pre_bind",
        },
    )

    owed = (await working_service.ready(quote["quote_identifier"]))["contingencies"]
    assert ("Proof that RDP is closed", "pre_bind") in [
        (contingency["text"], contingency["type"]) for contingency in owed
    ]


async def test_picked_cases_are_handed_over_to_somebody_who_can_work_on_them(
    working_service: Service, underwriter: Person
) -> None:
    quote = await referred(working_service)
    submission_id = (await case_of(working_service, quote)).rpartition("/")[2]
    async with await sign_in_as(working_service, Role.UNDERWRITER, email="uma@example.com") as uma:
        form = fields_of(await underwriter.open("/desk"), "/desk/take")

        page = await underwriter.send("/desk/hand-over", submission_id=submission_id, to=form["to"])

        assert "1 case reassigned to Pat Underwriter." in text_of(page)
        assert "Mine 1" in text_of(await uma.open("/desk"))
    for nobody in ("", "x", "999999"):
        answer = await underwriter.post("/desk/hand-over", submission_id=submission_id, to=nobody)
        assert answer.status_code == 422
    assert (await underwriter.post("/desk/hand-over", to=form["to"])).status_code == 422
