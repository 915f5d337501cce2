"""The bind page: what it is filled in with, what it says before anything is sent, and after it was."""

import re
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pypdfium2
import pytest

from support.binding import DAY, ask_to_bind, decide, quoted, set_day, shown, status_of
from support.intake import changed, professional, technology
from support.people import Person, fields_of, text_of
from support.service import Service

ONE = [{"aggregate_limit": 1_000_000}]
TWO = [*ONE, {"aggregate_limit": 2_000_000}]
BODIES = {"teo_retroactive_date": technology, "mpl_retroactive_date": professional}


async def bind_form(broker: Person, quote: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    path = f"/quote/{quote['quote_identifier']}/bind"
    return path, fields_of(await broker.open(path), path)


def reaching(asked: str) -> dict[str, Any]:
    """Return an MPL body with a retroactive date."""
    first = {"effective": (datetime.now(UTC).date() + timedelta(days=2)).isoformat()}
    return professional(("policy.dates", {**first, "mpl_retroactive_date": asked}))


def moved(quote: dict[str, Any], days: int) -> dict[str, str]:
    """Return the quoted period, some days later or earlier."""
    by = timedelta(days=days)
    return {
        name: (date.fromisoformat(quote["dates"][name]) + by).isoformat()
        for name in ("effective", "expiration")
    }


@pytest.mark.parametrize("days", [-5, 20])
@pytest.mark.parametrize("field", BODIES)
async def test_a_retroactive_date_that_nobody_asked_for_follows_the_first_day(
    service: Service, broker: Person, field: str, days: int
) -> None:
    by_page, by_api = [(await quoted(service, BODIES[field]()))[0] for _ in range(2)]
    path, form = await bind_form(broker, by_page)
    later = moved(by_page, days)

    page = await broker.send(path, **{**form, **later, "step": "preview"})
    await broker.send(path, **{**fields_of(page, path), "step": "bind"})
    answer = await ask_to_bind(service, by_api, dates=later)

    assert form[field] == ""
    assert "Empty: the effective date, as quoted" in text_of(page)
    assert "Binder, due" in text_of(page)
    bound = [await service.get(f"/v2/quotes/{quote['quote_identifier']}") for quote in (by_page, by_api)]
    shown = [(body["dates"], body["premium"], body["quote_status"]) for body in (a.json() for a in bound)]
    assert answer.status_code == 200
    assert shown[0] == shown[1]
    assert shown[0][0][field] == later["effective"]


async def test_a_retroactive_date_that_was_asked_for_is_filled_in(service: Service, broker: Person) -> None:
    (quote,) = await quoted(service, reaching("2024-01-01"))

    path, form = await bind_form(broker, quote)
    page = text_of(await broker.open(path))

    assert (form["mpl_retroactive_date"], form["prior_acts"]) == ("2024-01-01", "")
    assert "Empty: as quoted, Jan 1, 2024" in page


async def test_full_prior_acts_are_chosen_and_not_typed(service: Service, broker: Person) -> None:
    (quote,) = await quoted(service, professional())
    path, form = await bind_form(broker, quote)
    assert form["prior_acts"] == ""

    page = await broker.send(path, **{**form, "prior_acts": "full_prior_acts", "step": "preview"})
    both = {**form, "prior_acts": "full_prior_acts", "mpl_retroactive_date": "2020-01-01"}
    refused = await broker.send(path, status=422, **both, step="bind")

    assert "Full prior acts: no retroactive date" in text_of(page)
    assert "An underwriter decides Because the retroactive date reaches back further" in text_of(page)
    assert ">Ask an underwriter</button>" in page
    assert fields_of(page, path)["prior_acts"] == "full_prior_acts"
    assert "Retroactive date must be empty for full prior acts" in text_of(refused)
    assert await status_of(service, quote["quote_identifier"]) == "published"
    await broker.send(path, **{**fields_of(page, path), "step": "bind"})
    assert await status_of(service, quote["quote_identifier"]) == "quote_bind_requested"


async def test_quoted_full_prior_acts_are_given_up_only_for_a_date(service: Service, broker: Person) -> None:
    body = reaching("full_prior_acts")
    (referred,) = await quoted(service, body)
    quote = await decide(service, referred, "approve")
    path, form = await bind_form(broker, quote)

    neither = await broker.send(path, status=422, **{**form, "prior_acts": "", "step": "bind"})

    assert (form["mpl_retroactive_date"], form["prior_acts"]) == ("", "full_prior_acts")
    assert "Retroactive date is required: full prior acts were quoted" in text_of(neither)
    assert await status_of(service, quote["quote_identifier"]) == "published"
    given = {**form, "prior_acts": "", "mpl_retroactive_date": "2024-01-01"}
    page = await broker.send(path, **given, step="preview")
    await broker.send(path, **fields_of(page, path), step="bind")
    bound = (await service.get(f"/v2/quotes/{quote['quote_identifier']}")).json()
    assert bound["dates"]["mpl_retroactive_date"] == "2024-01-01"


async def test_whoever_goes_back_to_the_form_after_a_bind_is_told_that_it_is_done(
    service: Service, broker: Person
) -> None:
    bound, other = await quoted(service, changed(("policy.quotes", TWO)))
    path, form = await bind_form(broker, bound)
    await broker.send(path, **form, step="bind")
    number = (await shown(service, bound["quote_identifier"]))["policy_number"]

    back = text_of(await broker.open(path))
    passed_over = text_of(await broker.open(f"/quote/{other['quote_identifier']}/bind"))

    assert f"The quote is already bound, as the binder {number}." in back
    assert (
        f"Another option was bound instead as {number}. Ask for a new quote for the company." in passed_over
    )
    for page in (back, passed_over):
        assert "Not done" not in page
        assert "Binder, due" in page


async def test_a_quote_that_is_still_worked_on_leads_to_its_company(service: Service, broker: Person) -> None:
    identifier = (await service.submit())["quotes"][0]["quote_identifier"]

    shown_page = await broker.open(f"/quote/{identifier}/bind")

    assert "The option is still being worked on." in text_of(shown_page)
    # Nothing was done, so it is not shown as if something had been.
    assert 'class="note-box banner"' in shown_page


LATER = "The effective date quoted, Apr 1, 2027, can be bound from Mar 2, 2027 on."
NEVER = (
    "The effective date quoted, Jun 1, 2027, could be bound from May 2, 2027 on, but the quote is open until "
    "Apr 30, 2027. Choose an earlier one, up to Mar 31, 2027 today."
)
PAST = (
    "The effective date quoted, Mar 2, 2027, is too long ago to bind: choose another, Mar 3, 2027 or later."
)


async def test_a_first_day_that_cannot_be_bound_today_is_said_and_not_to_be_corrected(
    service: Service, broker: Person, subtests: pytest.Subtests
) -> None:
    for effective, looked_on, said in [
        ("2027-03-31", DAY, ""),
        ("2027-04-01", DAY, f"{LATER} Today it can be Mar 31, 2027 at the latest."),
        ("2027-05-30", DAY, "can be bound from Apr 30, 2027 on."),
        ("2027-06-01", DAY, NEVER),
        ("2027-03-02", date(2027, 3, 9), ""),
        ("2027-03-02", date(2027, 3, 10), PAST),
    ]:
        with subtests.test(effective):
            await set_day(service, DAY)
            (quote,) = await quoted(
                service, changed(("policy.dates.effective", effective), ("policy.quotes", ONE))
            )
            await set_day(service, looked_on)
            path, form = await bind_form(broker, quote)

            opened = text_of(await broker.open(path))

            assert said in opened
            assert ("The effective date quoted" in opened) is bool(said)
            assert ("Bind on condition until" in opened) is not bool(said)
            assert "Please correct this" not in opened
            if said:
                refused = text_of(await broker.send(path, status=422, **form, step="bind"))
                assert "Please correct this Effective date must be from" in refused
                assert await status_of(service, quote["quote_identifier"]) == "published"


async def test_terms_that_cost_something_else_for_other_dates_say_for_which_they_are(
    service: Service, broker: Person
) -> None:
    await set_day(service, DAY)
    (quote,) = await quoted(
        service, changed(("policy.dates.effective", "2027-03-02"), ("policy.quotes", ONE))
    )
    path, form = await bind_form(broker, quote)

    as_quoted = text_of(await broker.open(path))
    shorter = text_of(await broker.send(path, **{**form, "expiration": "2027-10-02"}, step="preview"))

    assert "than quoted" not in as_quoted
    assert f"${quote['total']:,.2f} total for 12 months" in as_quoted
    assert "total for 7 months" in shorter
    assert "less than quoted for Mar 2, 2027 to Mar 2, 2028" in shorter


async def test_an_upload_without_a_file_asks_for_one(service: Service, broker: Person) -> None:
    (quote,) = await quoted(service, changed(("policy.quotes", ONE)))
    uploads = f"/quote/{quote['quote_identifier']}/uploads"
    # This is how a browser sends the field of a file that nobody chose.
    unchosen = {"file": ("", b"", "application/octet-stream")}

    path, form = await bind_form(broker, quote)
    binding = text_of(
        await broker.send(f"{path}/preview", status=422, files=unchosen, **{**form, "step": "upload"})
    )
    elsewhere = text_of(await broker.send(uploads, status=422, files=unchosen))
    empty = text_of(await broker.send(uploads, status=422, files={"file": ("signed.pdf", b"")}))
    by_api = await service.http.post(
        "/v2/documents",
        data={"quote_identifier": quote["quote_identifier"]},
        files=unchosen,
        headers=service.headers,
    )

    assert "Please correct this Choose a file" in binding
    assert "Not uploaded Choose a file." in elsewhere
    assert "The file must not be empty." in empty
    assert "must not be empty" in by_api.text
    assert (await shown(service, quote["quote_identifier"]))["uploads"] == []


async def test_statements_without_the_application_say_what_to_do(service: Service, broker: Person) -> None:
    (quote,) = await quoted(service, changed(("policy.quotes", ONE)))
    path, form = await bind_form(broker, quote)

    stated = {**form, "app_attestation": "true", "step": "bind"}
    refused = text_of(await broker.send(path, status=422, **stated))

    said = "is needed for the statements: choose its file, or bind on condition without them"
    assert f"Please correct this The signed application {said}" in refused
    assert await status_of(service, quote["quote_identifier"]) == "published"


def owed_texts(page: str) -> list[str]:
    """Return what the bind page says is needed."""
    needed = page.partition('id="papers"')[2].partition('<div class="field"')[0]
    return [text_of(f"<div {row}") for row in needed.split('<div class="need')[1:]]


async def test_by_when_something_is_owed_is_said_once(
    service: Service, broker: Person, subtests: pytest.Subtests
) -> None:
    for type_, text, said in [
        (
            "pre_bind",
            "A list of every trade name, before the bind",
            "A list of every trade name before the bind",
        ),
        ("pre_bind", "A list of every trade name", "A list of every trade name before the bind"),
        (
            "post_bind",
            "A copy of the policy within 30 days of the new effective date",
            "A copy of the policy within 30 days of the new effective date",
        ),
        (
            "post_bind",
            "Evidence within 30 days of the bind that MFA is on, including VPN",
            "Evidence that MFA is on, including VPN within 30 days of the bind",
        ),
        ("post_bind", "Proof of backups", "Proof of backups within 30 days of the bind"),
    ]:
        with subtests.test(type_):
            (quote,) = await quoted(service, changed(("policy.quotes", ONE)))
            await decide(service, quote, "add_contingency", contingency={"type": type_, "text": text})

            page = await broker.open(f"/quote/{quote['quote_identifier']}/bind")

            assert any(
                row.endswith(said) and row.count("bind") <= said.count("bind") for row in owed_texts(page)
            )


async def test_a_binder_lasts_as_long_as_the_copy_of_the_expiring_policy_may_take(
    service: Service, broker: Person
) -> None:
    await set_day(service, DAY)
    first = DAY + timedelta(days=14)
    dates = {"effective": first.isoformat(), "teo_retroactive_date": "2024-01-01"}
    (quote,) = await quoted(service, technology(("policy.dates", dates), ("policy.quotes", ONE)))
    path, form = await bind_form(broker, quote)

    page = await broker.send(path, **{**form, "step": "preview"})
    await broker.send(path, **{**fields_of(page, path), "step": "bind"})
    await decide(service, quote, "approve")

    last = date(2027, 4, 14)
    assert last == first + timedelta(days=30)
    bound = await shown(service, quote["quote_identifier"])
    company = text_of(await broker.open(f"/company/{bound['company_id']}"))
    assert bound["binder"]["fulfil_by"] == last.isoformat()
    assert "A copy of the expiring policy by Apr 14, 2027" in company


def limits_in(page: str, name: str) -> dict[str, str]:
    """Return the first and the last day that a date field takes."""
    (field,) = re.findall(rf'<input id="{name}"[^>]*>', page)
    return dict(re.findall(r'\b(min|max)="([^"]*)"', field))


async def test_the_dates_say_in_their_fields_which_days_they_take(service: Service, broker: Person) -> None:
    await set_day(service, DAY)
    (quote,) = await quoted(
        service, changed(("policy.dates.effective", "2027-03-02"), ("policy.quotes", ONE))
    )
    path, form = await bind_form(broker, quote)
    moved_on = {**form, "effective": "2027-03-31"}

    opened = await broker.open(path)
    checked = await broker.send(path, **moved_on, step="preview")
    part = await broker.http.post(
        f"{path}/preview", data=moved_on, headers={"Origin": broker.origin, "X-Part": "outcome"}
    )
    unread = await broker.send(path, **{**form, "effective": "soon"}, step="preview")

    # From 7 days back to 30 ahead, and from 6 to 18 months after the first day.
    assert limits_in(opened, "effective") == {"min": "2027-02-22", "max": "2027-03-31"}
    assert limits_in(opened, "expiration") == {"min": "2027-09-02", "max": "2028-09-02"}
    for page in (checked, part.text):
        assert limits_in(page, "expiration") == {"min": "2027-09-30", "max": "2028-09-30"}
    assert limits_in(unread, "expiration") == {}


async def test_when_payment_is_due_follows_the_form_and_is_what_the_bill_says(
    service: Service, broker: Person
) -> None:
    await set_day(service, DAY)
    (quote,) = await quoted(
        service, changed(("policy.dates.effective", "2027-03-02"), ("policy.quotes", ONE))
    )
    path, form = await bind_form(broker, quote)
    later = {**form, "effective": "2027-03-20"}

    opened = text_of(await broker.open(path))
    checked = await broker.send(path, **later, step="preview")
    await broker.send(path, **{**fields_of(checked, path), "step": "bind"})

    assert "Payment is due by Apr 1, 2027" in opened
    assert "Payment is due by Apr 19, 2027" in text_of(checked)
    bill = await broker.http.get(f"/quote/{quote['quote_identifier']}/document/billing_statement")
    with pypdfium2.PdfDocument(bill.content) as pdf:
        assert "April 19, 2027" in pdf[0].get_textpage().get_text_range()
