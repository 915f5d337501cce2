"""A decision is taken whole or not at all, and its words are held to the same limits as the API's."""

import uuid
from datetime import date, timedelta
from typing import Any

import pytest

from bindery.actions.desk.take_decisions import take_decision
from bindery.contract.fields import LONGEST_BY_HAND
from bindery.contract.vocabulary import ContingencyType
from bindery.domain.policy.contingencies import ContingencyKind, DraftContingency
from bindery.domain.quote.decisions import AddContingency
from bindery.web.frame.static_files import address_of
from bindery.web.shown.words import day
from support.binding import bind, issue, one_quoted, quoted, status_of, upload_signed
from support.intake import professional
from support.people import Person, fields_of, text_of
from support.service import Service, request_body


def red_flags(body: dict[str, Any]) -> None:
    body["client"]["domains"] = ["red-flags.example.com"]


async def referred_case(service: Service, underwriter: Person) -> tuple[str, list[str], dict[str, Any]]:
    """Refer two options, and return the page of the case, their ids and the form that decides both."""
    quote = await service.quote(request_body(red_flags))
    rows = await service.runtime.database.pool.fetch(
        "select quote_id, submission_id from quotes where company_id = $1 order by option_number",
        int(quote["company_id"]),
    )
    path, options = f"/desk/case/{rows[0]['submission_id']}", [str(row["quote_id"]) for row in rows]
    form = fields_of(await underwriter.open(path), f"{path}/decide")
    return path, options, {**form, "options": options, "decision": "approve", "reason": "Looked at."}


async def triggers(service: Service, quote_id: str) -> list[str]:
    return [entry.trigger for entry in await service.journal(quote_id)]


async def test_of_two_options_approved_together_none_is_published_when_one_price_has_changed(
    working_service: Service, underwriter: Person
) -> None:
    path, options, form = await referred_case(working_service, underwriter)
    before = [await triggers(working_service, option) for option in options]

    page = await underwriter.send(
        f"{path}/decide", status=422, **{**form, f"shown_premium-{options[1]}": "1"}
    )

    assert len(options) == 2
    assert "premium" in text_of(page)
    assert [await triggers(working_service, option) for option in options] == before
    await underwriter.send(f"{path}/decide", **form)
    for option in options:
        assert (await working_service.ready(option))["quote_status"] == "published"


@pytest.mark.parametrize("is_sent", [False, True], ids=["no field", "an empty field"])
async def test_what_is_approved_without_its_price_on_the_page_is_not_published(
    working_service: Service, underwriter: Person, *, is_sent: bool
) -> None:
    path, options, form = await referred_case(working_service, underwriter)
    before = [await triggers(working_service, option) for option in options]
    unseen = {**form, f"shown_premium-{options[1]}": ""}
    if not is_sent:
        del unseen[f"shown_premium-{options[1]}"]

    page = await underwriter.send(f"{path}/decide", status=422, **unseen)
    by_hand = await underwriter.send(f"{path}/decide", status=422, **{**unseen, "premium": "4,200"})

    assert "premium was not on the page; it is now" in text_of(page)
    assert "premium was not on the page; it is now" in text_of(by_hand)
    assert [await triggers(working_service, option) for option in options] == before
    seen = {**fields_of(page, f"{path}/decide"), "options": options, "decision": "approve"}
    await underwriter.send(f"{path}/decide", **seen)
    for option in options:
        quote = await working_service.ready(option)
        assert (quote["quote_status"], str(quote["premium"])) == (
            "published",
            form[f"shown_premium-{option}"],
        )


async def test_a_price_that_no_page_can_have_shown_is_refused(
    working_service: Service, underwriter: Person
) -> None:
    path, options, form = await referred_case(working_service, underwriter)

    for shown in ("-1", "0", "a lot", "9" * 5_000):
        page = await underwriter.send(
            f"{path}/decide", status=422, **{**form, f"shown_premium-{options[0]}": shown}
        )
        assert "premium must be whole dollars" in text_of(page)

    assert "approve_referral" not in await triggers(working_service, options[0])


async def unpriced_case(service: Service, underwriter: Person) -> tuple[str, str, dict[str, Any]]:
    """Refer an option of a limit that the tariff does not have, and return its page, id and form."""
    quote = await one_quoted(service, lambda body: body["client"].update(domains=["calc-error.example.com"]))
    identifier = quote["quote_identifier"]
    submission_id = await service.runtime.database.pool.fetchval(
        "update quotes set aggregate_limit = 777000, aggregate_retention = 10000 where quote_id = $1 "
        "returning submission_id",
        uuid.UUID(identifier),
    )
    path = f"/desk/case/{submission_id}"
    form = fields_of(await underwriter.open(path), f"{path}/decide")
    assert form[f"shown_premium-{identifier}"] == ""
    return path, identifier, {**form, "decision": "approve", "reason": "From the loss runs"}


async def test_where_there_is_no_price_the_one_set_by_hand_is_what_was_seen(
    service: Service, underwriter: Person
) -> None:
    path, identifier, form = await unpriced_case(service, underwriter)
    absent = {name: value for name, value in form.items() if not name.startswith("shown_premium")}

    nothing_set = await underwriter.send(f"{path}/decide", status=422, **form)
    not_shown = await underwriter.send(f"{path}/decide", status=422, **{**absent, "premium": "4,200"})
    assert "terms has no price in the tariff: The tariff has no limit of $777,000" in text_of(nothing_set)
    assert "premium was not on the page; it is now" in text_of(not_shown)
    assert await status_of(service, identifier) == "quote_referred"

    page = text_of(await underwriter.send(f"{path}/decide", **{**form, "premium": "4,200"}))
    assert "Option 1 is published at $4,200." in page
    quote = (await service.get(f"/v2/quotes/{identifier}")).json()
    assert (quote["quote_status"], quote["premium"]) == ("published", 4_200)


async def test_a_price_that_comes_about_after_the_page_showed_none_is_shown_first(
    service: Service, underwriter: Person
) -> None:
    path, identifier, form = await unpriced_case(service, underwriter)
    await service.runtime.database.pool.execute(
        "update quotes set aggregate_limit = 1000000 where quote_id = $1", uuid.UUID(identifier)
    )

    page = await underwriter.send(f"{path}/decide", status=422, **form)

    shown = fields_of(page, f"{path}/decide")[f"shown_premium-{identifier}"]
    assert f"The premium is now ${int(shown):,}; the page showed none." in text_of(page)
    assert await status_of(service, identifier) == "quote_referred"
    await underwriter.send(f"{path}/decide", **{**fields_of(page, f"{path}/decide"), "decision": "approve"})
    quote = (await service.get(f"/v2/quotes/{identifier}")).json()
    assert (quote["quote_status"], str(quote["premium"])) == ("published", shown)


async def test_an_approval_and_what_it_is_subject_to_are_written_in_one_transaction(
    working_service: Service, underwriter: Person
) -> None:
    path, options, form = await referred_case(working_service, underwriter)

    await underwriter.send(f"{path}/decide", **{**form, "contingency_text": "Proof that RDP is closed"})

    written = await working_service.runtime.database.pool.fetch(
        "select trigger, xmin::text as transaction from journal where quote_id = any($1) and actor = $2",
        [uuid.UUID(option) for option in options],
        underwriter.email,
    )
    assert sorted({row["trigger"] for row in written}) == ["approve_referral", "change_contingencies"]
    assert len({row["transaction"] for row in written}) == 1
    for option in options:
        owed = (await working_service.ready(option))["contingencies"]
        assert "Proof that RDP is closed" in [contingency["text"] for contingency in owed]


@pytest.mark.parametrize(
    ("typed", "refusal"),
    [
        ({"reason": "x" * (LONGEST_BY_HAND + 1)}, "reason must have at most 1,000 characters"),
        (
            {"contingency_text": "x" * (LONGEST_BY_HAND + 1)},
            "contingency text must have at most 1,000 characters",
        ),
        ({"reason": "Fine\u202eenif"}, "reason must not contain the character U+202E"),
        ({"contingency_text": "Proof\u2028of it"}, "contingency text must not contain the character U+2028"),
    ],
)
async def test_words_that_the_api_would_refuse_are_refused_here_and_stay_on_the_page(
    working_service: Service, underwriter: Person, typed: dict[str, str], refusal: str
) -> None:
    path, options, form = await referred_case(working_service, underwriter)
    before = [await triggers(working_service, option) for option in options]

    page = await underwriter.send(f"{path}/decide", status=422, **{**form, **typed})

    assert refusal in text_of(page)
    assert next(iter(typed.values())) in page
    assert [await triggers(working_service, option) for option in options] == before


async def test_words_of_the_longest_length_are_taken_with_their_lines(
    working_service: Service, underwriter: Person
) -> None:
    path, options, form = await referred_case(working_service, underwriter)
    text = "Proof that RDP is closed\r\n".ljust(LONGEST_BY_HAND + 1, "x")

    page = await underwriter.open(path)
    await underwriter.send(f"{path}/decide", **{**form, "contingency_text": text, "reason": text})

    assert page.count(f'maxlength="{LONGEST_BY_HAND}"') == 6, (
        "reason, contingency, question, why an option is offered, and why each of two signatures is closed"
    )
    owed = (await working_service.ready(options[0]))["contingencies"]
    assert text.replace("\r\n", "\n") in [contingency["text"] for contingency in owed]


async def test_the_reason_of_an_offer_has_its_limit_too(
    working_service: Service, underwriter: Person
) -> None:
    path, _, _ = await referred_case(working_service, underwriter)
    form = fields_of(await underwriter.open(path), f"{path}/offer")
    typed = {**form, "aggregate_limit": "2000000", "reason": "x" * (LONGEST_BY_HAND + 1)}

    page = await underwriter.send(f"{path}/offer", status=422, **typed)

    assert "reason must have at most 1,000 characters" in text_of(page)
    assert typed["reason"] in page


async def test_a_note_with_what_cannot_be_seen_is_not_kept(
    working_service: Service, underwriter: Person
) -> None:
    path, _, _ = await referred_case(working_service, underwriter)

    answer = await underwriter.post(f"{path}/note", note="Fine\u202eenif")

    assert answer.status_code == 422
    assert "must not contain the character U+202E" in text_of(answer.text)
    assert await working_service.count("desk_notes") == 0


async def test_a_bind_for_another_period_says_its_price_first_and_binds_at_no_other(
    service: Service, broker: Person
) -> None:
    quote = await one_quoted(service)
    path = f"/quote/{quote['quote_identifier']}/bind"
    form = fields_of(await broker.open(path), path)
    longer = date.fromisoformat(form["expiration"]) + timedelta(days=120)
    asked = {**form, "expiration": longer.isoformat()}

    refused = await broker.send(path, status=422, **{**asked, "step": "bind"})
    seen = await broker.send(path, **{**asked, "step": "preview"})

    assert "The premium is now" in text_of(refused)
    assert await status_of(service, quote["quote_identifier"]) == "published"
    shown = fields_of(seen, path)["shown_premium"]
    assert int(shown) > int(form["shown_premium"])
    assert f"Premium ${int(shown):,}.00" in text_of(seen)
    assert "more than quoted for" in text_of(seen)
    await broker.send(path, **{**fields_of(seen, path), "step": "bind"})
    policy = (await service.get(f"/v2/quotes/{quote['quote_identifier']}")).json()
    assert (policy["quote_status"], str(policy["premium"])) == ("policy_active", shown)


async def test_a_bind_that_goes_to_an_underwriter_says_why_on_both_sides_and_what_follows(
    service: Service, broker: Person, underwriter: Person
) -> None:
    quote = await one_quoted(service)
    identifier = quote["quote_identifier"]
    draft = DraftContingency(ContingencyKind.UNDERWRITER, ContingencyType.PRE_BIND, "Proof of backups")
    owe_proof = AddContingency(draft)
    await take_decision(
        service.runtime.database, service.runtime.rules, uuid.UUID(identifier), owe_proof, actor="tests"
    )
    path = f"/quote/{identifier}/bind"

    page = await broker.open(path)
    await broker.send(path, **{**fields_of(page, path), "step": "bind"})
    submission_id = await service.runtime.database.pool.fetchval(
        "select submission_id from quotes where quote_id = $1", uuid.UUID(identifier)
    )
    case = text_of(await underwriter.open(f"/desk/case/{submission_id}"))

    because = "because this is still open: “Proof of backups”"
    says = f"An underwriter decides {because.capitalize()}. Nothing is bound until they decide."
    assert says.lower() in text_of(page).lower()
    assert f". It is here {because}." in case
    assert "Binding gives a binder, due" in case
    assert "and closes “Proof of backups”." in case


async def test_a_retroactive_date_that_was_not_quoted_is_why_a_bind_is_on_the_desk(
    service: Service, broker: Person, underwriter: Person
) -> None:
    (quote,) = await quoted(service, professional())
    identifier = quote["quote_identifier"]
    path = f"/quote/{identifier}/bind"
    form = fields_of(await broker.open(path), path)
    earlier = {**form, "mpl_retroactive_date": "2020-01-01"}

    page = await broker.send(path, **{**earlier, "step": "preview"})
    await broker.send(path, **{**fields_of(page, path), "step": "bind"})
    submission_id = await service.runtime.database.pool.fetchval(
        "select submission_id from quotes where quote_id = $1", uuid.UUID(identifier)
    )
    case = text_of(await underwriter.open(f"/desk/case/{submission_id}"))

    because = "because the retroactive date reaches back further than quoted"
    assert f"An underwriter decides B{because[1:]}" in text_of(page)
    assert f"It is here {because}." in case


async def test_what_a_cancellation_returns_is_said_for_the_day_that_is_typed(
    service: Service, underwriter: Person
) -> None:
    quote = await one_quoted(service)
    policy = await issue(service, quote)
    submission_id = await service.runtime.database.pool.fetchval(
        "select submission_id from quotes where quote_id = $1", uuid.UUID(quote["quote_identifier"])
    )
    path = f"/desk/case/{submission_id}"
    form = fields_of(await underwriter.open(path), f"{path}/decide")
    first, last = (date.fromisoformat(policy["dates"][name]) for name in ("effective", "expiration"))
    half = first + (last - first) / 2
    returned = policy["premium"] - round(policy["premium"] * (half - first).days / (last - first).days)
    typed = {**form, "effective": half.isoformat(), "reason": "Asked for"}
    sure = f"/sure?step=cancel&to={path}/decide&back={path}"

    page = text_of(await underwriter.send(f"{path}/preview", **typed))
    asked = text_of(await underwriter.send(sure, **typed))
    outside = text_of(await underwriter.send(f"{path}/preview", **{**typed, "effective": last.isoformat()}))

    amount = f"${returned:,} of ${policy['premium']:,} is returned."
    assert f"If canceled as of {day(half)}, {amount}" in page
    assert f"{policy['policy_number']} ends on {day(half)}; {amount}" in asked
    assert f"must be from {day(first)} and before {day(last)}" in outside


async def test_what_is_returned_is_said_to_nobody_who_may_not_cancel(
    service: Service, broker: Person
) -> None:
    quote = await one_quoted(service)
    policy = await issue(service, quote)

    page = await broker.send(
        "/sure?step=cancel&to=/companies&back=/companies", options=quote["quote_identifier"]
    )

    assert policy["policy_number"] not in page
    assert "is returned" not in text_of(page)


async def test_a_bind_with_all_its_papers_is_said_to_issue_the_policy(
    service: Service, underwriter: Person
) -> None:
    quote = await one_quoted(service)
    identifier = quote["quote_identifier"]
    draft = DraftContingency(ContingencyKind.UNDERWRITER, ContingencyType.PRE_BIND, "Proof of backups")
    owe_proof = AddContingency(draft)
    await take_decision(
        service.runtime.database, service.runtime.rules, uuid.UUID(identifier), owe_proof, actor="tests"
    )
    await upload_signed(service, quote)
    await bind(service, quote, app_attestation=True)
    submission_id = await service.runtime.database.pool.fetchval(
        "select submission_id from quotes where quote_id = $1", uuid.UUID(identifier)
    )

    case = text_of(await underwriter.open(f"/desk/case/{submission_id}"))

    assert "Binding issues the policy at once and closes" in case


async def test_what_was_never_bound_is_not_said_to_end(service: Service, underwriter: Person) -> None:
    quote = await one_quoted(service)
    sure = "/sure?step=cancel&to=/desk&back=/desk"

    page = text_of(await underwriter.send(sure, options=quote["quote_identifier"]))

    assert "is returned" not in page


async def test_a_file_of_the_pages_is_sent_for_good_and_others_are_not_there(
    service: Service, underwriter: Person
) -> None:
    found = await underwriter.http.get(address_of("app.css"))
    unknown = await underwriter.http.get("/static/app.000000000000.css")

    assert (found.status_code, found.headers["content-type"]) == (200, "text/css; charset=utf-8")
    assert "immutable" in found.headers["cache-control"]
    assert unknown.status_code == 404
    assert service.partner
