"""Forms that cannot be taken as they are, and addresses that lead nowhere: a page says so, nothing moves."""

import contextlib
import uuid
from datetime import date, timedelta
from typing import Any

import pytest

from bindery.runtime import MOST_DOCUMENTS_OF_A_PARTNER
from bindery.web.shown.words import day
from support.binding import issue, one_quoted, set_day, shown, status_of
from support.people import Person, fields_of, new_browser, text_of
from support.service import Service


async def referred_case(service: Service) -> tuple[str, str]:
    quote = await one_quoted(service, lambda body: body["client"].update(domains=["red-flags.example.com"]))
    return await case_of(service, quote), quote["quote_identifier"]


async def case_of(service: Service, quote: dict[str, Any]) -> str:
    submission_id = await service.runtime.database.pool.fetchval(
        "select submission_id from quotes where quote_id = $1", uuid.UUID(quote["quote_identifier"])
    )
    return f"/desk/case/{submission_id}"


async def said(person: Person, path: str, **fields: Any) -> str:
    """Send a form and return the words of the page it leads to, whatever its status."""
    answer = await person.post(path, **fields)
    if answer.is_redirect:
        answer = await person.http.get(answer.headers["location"], follow_redirects=True)
    assert answer.status_code < 500, answer.text
    return text_of(answer.text)


PAGE = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


async def test_people_who_are_lost_get_a_page_and_programs_json(
    service: Service, broker: Person, subtests: pytest.Subtests
) -> None:
    for path in ["/nope", "/Companies", "/nope/at/all"]:
        with subtests.test(path):
            async with new_browser(service) as http:
                stranger = await http.get(path, headers=PAGE)
                program = await http.get(path, headers={"Accept": "application/json"})
                plain = await http.get(path)
                sent = await http.post(path, headers=PAGE)
            signed_in = await broker.http.get(path, headers=PAGE)

            for answer in (stranger, signed_in):
                assert (answer.status_code, answer.headers["content-type"]) == (
                    404,
                    "text/html; charset=utf-8",
                )
                assert "There is no such page." in text_of(answer.text)
            for answer in (program, plain, sent):
                assert (answer.status_code, answer.headers["content-type"]) == (404, "application/json")


async def test_what_is_the_apis_stays_the_apis_in_a_browser(
    service: Service, subtests: pytest.Subtests
) -> None:
    for path in ["/v2/nope", "/docs/nope", "/v2", "/openapi.json", "/llms.txt"]:
        with subtests.test(path):
            async with new_browser(service) as http:
                page, plain = await http.get(path, headers=PAGE), await http.get(path)

            assert page.headers.get("content-type") == plain.headers.get("content-type")
            assert page.status_code == plain.status_code


async def test_a_slash_behind_an_address_leads_to_its_page(service: Service, broker: Person) -> None:
    answer = await broker.http.get("/companies/?q=acme")

    assert (answer.status_code, answer.headers["location"]) == (303, "/companies?q=acme")
    assert "<h1>Companies</h1>" in await broker.open("/companies/")
    assert (await broker.http.get("/desk/")).status_code == 404
    assert (await broker.http.get("/company/no/such/")).status_code == 404
    assert (await broker.post("/account/keys/", has_keys="on")).status_code == 404
    async with new_browser(service) as http:
        assert (await http.get("/companies/")).headers["location"] == "/sign-in?then=%2Fcompanies%2F"


async def test_a_partner_a_broker_and_a_token_need_what_they_need(service: Service, operator: Person) -> None:
    partner = f"/ops/partners/{service.partner.key}"
    before = [await service.count(table) for table in ("partners", "brokers")]

    nameless = await said(operator, "/ops/partners", name="", contact="nobody")
    endless = await said(operator, "/ops/partners", name="x" * 201)
    unseen = await said(operator, "/ops/partners", name="North\u202ewind")
    broker = await said(operator, f"{partner}/brokers", email="nobody", firm="")
    unknown = await operator.post(f"{partner}/revoke", token_id="none")

    assert "The name is required." in nameless
    assert "The contact must be an email address." in nameless
    assert "The name must have at most 200 characters." in endless
    assert "The name must not contain the character U+202E." in unseen
    assert "The broker needs an email address." in broker
    assert unknown.status_code == 404
    assert [await service.count(table) for table in ("partners", "brokers")] == before


async def test_a_wrong_decision_is_said_beside_the_form_and_decides_nothing(
    service: Service, underwriter: Person
) -> None:
    path, identifier = await referred_case(service)
    page = await underwriter.open(path)
    shown = {
        name: page.partition(f'name="{name}"')[2].partition('value="')[2].partition('"')[0]
        for name in (f"version-{identifier}", f"shown_premium-{identifier}")
    }
    form = {**shown, "options": identifier, "reason": "Looked at."}
    before = await service.journal(identifier)

    nothing = await said(underwriter, f"{path}/decide", decision="approve")
    unknown = await said(underwriter, f"{path}/decide", **form, decision="applaud")
    odd = await said(
        underwriter,
        f"{path}/decide",
        **form,
        decision="contingency",
        contingency_text="Proof of backups",
        contingency_type="never",
    )
    half = await said(
        underwriter,
        f"{path}/decide",
        **form,
        decision="approve",
        contingency_text="Proof of backups",
        contingency_type="never",
    )

    assert "Pick at least one option." in nothing
    assert "cannot be made for this option" in unknown
    assert "must be before or after the bind" in odd
    assert "must be before or after the bind" in half
    assert await service.journal(identifier) == before


async def test_a_policy_is_not_canceled_as_of_something_that_is_no_day(
    service: Service, underwriter: Person
) -> None:
    quote = await one_quoted(service)
    await issue(service, quote)
    path = await case_of(service, quote)
    form = fields_of(await underwriter.open(path), f"{path}/decide")
    typed = {"decision": "cancel", "reason": "Asked for", "effective": "soon"}

    page = await underwriter.send(f"{path}/decide", status=422, **{**form, **typed})

    assert "The day of the cancellation must be a date." in text_of(page)
    assert await status_of(service, quote["quote_identifier"]) == "policy_active"


async def bind_form(service: Service, broker: Person, quote: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    path = f"/quote/{quote['quote_identifier']}/bind"
    return path, {**fields_of(await broker.open(path), path), "step": "bind"}


async def test_a_bind_needs_dates_that_are_dates(
    service: Service, broker: Person, subtests: pytest.Subtests
) -> None:
    for dates, said in [
        ({"effective": "tomorrow"}, "Effective date must be a date"),
        ({"expiration": "in a year"}, "Expiration date must be a date"),
        ({"effective": ""}, "Effective date is required"),
    ]:
        with subtests.test(said):
            quote = await one_quoted(service)
            path, form = await bind_form(service, broker, quote)

            page = await broker.send(path, status=422, **{**form, **dates})

            assert said in text_of(page)
            # What would happen is not known without its dates.
            kept = {key: dates.get(key, form[key]) for key in form if key != "step"} | {"shown_outcome": ""}
            assert fields_of(page, path) == kept
            assert await status_of(service, quote["quote_identifier"]) == "published"


async def test_a_bind_of_a_company_that_is_covered_says_by_what(
    service: Service, policy: dict[str, Any], broker: Person
) -> None:
    quote = await one_quoted(service, lambda body: body["client"].update(company_id=policy["company_id"]))
    covered = (
        f"The company is already covered in that period by {policy['policy_number']}; terms must not overlap."
    )
    path, form = await bind_form(service, broker, quote)

    opened = text_of(await broker.open(path))
    preview = text_of(await broker.send(path, **{**form, "step": "preview"}))
    refused = text_of(await broker.send(path, status=422, **form))

    for page in (opened, preview, refused):
        assert covered in page
        assert "Binds now" not in page
    assert await status_of(service, quote["quote_identifier"]) == "published"


async def test_a_quote_that_expired_before_the_sweep_came_by_is_not_bound(
    service: Service, broker: Person
) -> None:
    quote = await one_quoted(service)
    path, form = await bind_form(service, broker, quote)
    expires = date.fromisoformat(quote["quote_expiration_date"])
    await set_day(service, expires + timedelta(days=1))

    opened = text_of(await broker.open(path))
    refused = text_of(await broker.send(path, **form))

    said = f"The quote expired on {day(expires)}. Ask for a new quote for the company."
    assert said in opened
    assert f"Your bind was not made. {said}" in refused
    assert await status_of(service, quote["quote_identifier"]) == "published"


async def test_a_second_press_of_the_bind_button_is_answered_as_the_first(
    service: Service, broker: Person
) -> None:
    quote = await one_quoted(service)
    path, form = await bind_form(service, broker, quote)
    first = await broker.post(path, **form)
    before = await service.journal(quote["quote_identifier"])

    again = await broker.post(path, **form)

    assert (first.status_code, again.status_code) == (303, 303)
    assert again.headers["location"] == first.headers["location"]
    assert "Bound. Binder" in text_of(await broker.open(again.headers["location"]))
    assert await service.journal(quote["quote_identifier"]) == before


async def test_a_quote_that_is_bound_cannot_be_bound_in_another_way(service: Service, broker: Person) -> None:
    quote = await one_quoted(service)
    path, form = await bind_form(service, broker, quote)
    await broker.send(path, **form)
    before = await service.journal(quote["quote_identifier"])
    later = date.fromisoformat(form["effective"]) + timedelta(days=1)

    again = await broker.post(path, **{**form, "effective": later.isoformat()})

    number = (await shown(service, quote["quote_identifier"]))["policy_number"]
    assert again.status_code == 303
    page = text_of(await broker.open(again.headers["location"]))
    assert f"Your bind was not made. The quote is already bound, as the binder {number}." in page
    assert await service.journal(quote["quote_identifier"]) == before


async def test_cases_are_picked_by_the_handful(service: Service, underwriter: Person) -> None:
    path, _ = await referred_case(service)

    none = await said(underwriter, "/desk/take")
    picked = await said(underwriter, "/desk/take", submission_id=path.rpartition("/")[2])

    assert "Nothing was picked." in none
    assert "You took 1 case." in picked


async def test_the_scheme_is_kept_and_a_wrong_password_changes_none(
    service: Service, underwriter: Person
) -> None:
    saved = await said(underwriter, "/account/scheme", scheme="dark")
    ignored = await said(underwriter, "/account/scheme", scheme="pink")
    wrong = await said(underwriter, "/account/password", current="not it", password="a long new password")

    scheme = await service.runtime.database.pool.fetchval(
        "select scheme from users where email = $1", underwriter.email
    )
    assert "Saved." in saved
    assert "Saved." in ignored
    assert scheme == "dark"
    assert "The current password is wrong." in wrong


async def test_an_address_that_leads_nowhere_or_takes_only_forms_is_a_page_that_says_so(
    service: Service, underwriter: Person
) -> None:
    nowhere = await underwriter.http.get("/desk/no/such/page")
    form_only = await underwriter.http.get("/desk/next")
    no_case = await underwriter.http.get("/desk/case/none")
    no_file = await underwriter.http.get("/static/none.css")
    large = await underwriter.post("/desk/take", submission_id="x" * 3_000_000)
    fields = [
        await underwriter.http.post(
            "/desk/take",
            content=b"&".join([pair] * count),
            headers={"Origin": underwriter.origin, "Content-Type": "application/x-www-form-urlencoded"},
        )
        for pair, count in ((b"submission_id=", 500), (b"submission_id=", 501), (b"submission_id=%ff", 1))
    ]

    assert (nowhere.status_code, no_case.status_code, no_file.status_code) == (404, 404, 404)
    assert "There is no such page." in text_of(nowhere.text)
    assert (form_only.status_code, form_only.headers["Allow"]) == (405, "POST")
    assert "This page cannot be opened directly." in text_of(form_only.text)
    assert large.status_code == 413
    assert [answer.status_code for answer in fields] == [303, 413, 413]
    for answer in fields[1:]:
        assert "The form has too many fields, or is not text." in text_of(answer.text)


async def test_a_document_that_there_is_not_yet_or_never_is_a_page_that_says_so(
    service: Service, broker: Person
) -> None:
    ready = (await one_quoted(service))["quote_identifier"]
    waiting = (await service.submit())["quotes"][0]["quote_identifier"]

    unknown = await broker.http.get(f"/quote/{ready}/document/haiku")
    early = await broker.http.get(f"/quote/{waiting}/document/quote_letter")
    with contextlib.ExitStack() as others:
        for _ in range(MOST_DOCUMENTS_OF_A_PARTNER):
            others.enter_context(service.runtime.document_turns.admitted(service.partner.partner_id))
        crowded = await broker.http.get(f"/quote/{ready}/document/quote_letter")
    afterwards = await broker.http.get(f"/quote/{ready}/document/quote_letter")

    assert (unknown.status_code, early.status_code) == (404, 404)
    assert "There is no such document." in text_of(unknown.text)
    assert "The quote is still being worked out; its documents come with it." in text_of(early.text)
    assert crowded.status_code == 503
    assert "Too much is under way at the moment. Please try again" in text_of(crowded.text)
    assert (afterwards.status_code, afterwards.headers["content-type"]) == (200, "application/pdf")


async def test_a_demo_lets_people_in_by_a_click_and_nobody_else(service: Service) -> None:
    async with Person(new_browser(service), "") as stranger:
        unknown = await stranger.post("/demo/sign-in", role="baker")
        refused = await stranger.http.get("/desk")

    assert unknown.status_code == 404
    assert refused.status_code in {303, 401, 403}


async def test_a_form_that_fails_after_its_commit_does_not_say_that_nothing_was_changed(
    service: Service, operator: Person
) -> None:
    # The partner is added and committed; the sentence for the next page is what fails.
    await service.runtime.database.pool.execute("alter table sign_ins add check (banner is null)")

    broken = await operator.post("/ops/partners", name="Quillstone")

    assert broken.status_code == 500
    said = text_of(broken.text)
    assert "We do not know whether what you sent was done: check before you send it again." in said
    assert "nothing was changed" not in said
    partners = await service.runtime.database.pool.fetch("select name from partners")
    assert "Quillstone" in {row["name"] for row in partners}


async def test_a_fault_of_ours_is_a_page_with_the_number_of_the_request(
    service: Service, underwriter: Person
) -> None:
    await service.runtime.database.pool.execute("alter table desk_items rename to desk_items_away")

    broken = await underwriter.http.get("/desk")

    assert broken.status_code == 500
    assert "Something went wrong on our side; nothing was changed." in text_of(broken.text)
    assert broken.headers["X-Request-Id"] in broken.text
