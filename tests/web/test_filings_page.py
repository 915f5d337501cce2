"""The filings page: what is due to whom, marks, reports, and a calendar at a secret address."""

import csv
import io
import re
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from bindery.storage.policy import filings
from bindery.web.ops import filings as filings_page
from support.binding import set_day
from support.people import Person, text_of
from support.service import Service

MARK: dict[str, Any] = {"change": "mark", "filed_on": "2027-05-03", "reference": "R-1"}


@pytest.fixture
async def book(service: Service, busy_book: date) -> Service:
    """Six policies of four states in March 2027, and what became of them in April; today is in July."""
    await set_day(service, date(2027, 7, 5))
    return service


async def test_of_an_empty_ledger_the_page_says_that_nothing_is_known(operator: Person) -> None:
    assert "Nothing is booked yet, so no filing is known." in text_of(await operator.open("/ops/filings"))


async def test_a_filing_is_listed_marked_once_and_taken_back(book: Service, operator: Person) -> None:
    pool = book.runtime.database.pool
    charges = await pool.fetchval(
        "select sum(charges) from premium_transactions where state = 'OR' and booked_on < '2027-04-01'"
    )
    address = "/ops/filings/OR/tax/2027-Q1"

    listed = text_of(await operator.open("/ops/filings?state=or"))
    this_month = text_of(await operator.open("/ops/filings?state=pa"))
    shown = text_of(await operator.open(address))
    marked = await operator.send(address, **MARK)
    again = await operator.send(address, **(MARK | {"reference": "R-2"}))
    filed = text_of(await operator.open("/ops/filings?state=OR&view=filed"))
    row = await pool.fetchrow("select filed_on, reference, amount from filings")
    taken_back = await operator.send(address, change="unmark")
    twice = await operator.send(address, change="unmark", status=422)

    name = "Surplus lines tax, fire marshal tax and service charge"
    assert f"May 15, 2027 51 days late low confidence OR 2027-Q1 {name} ${charges:,}" in listed
    assert "PA 2027-07 Form 1620 zero report report so far" in this_month
    assert "so far" not in listed
    assert "Confidence low" in shown
    assert "Known in the trade; not confirmed in a public source." in shown
    assert "OR 2027-Q1 is filed on May 3, 2027, R-1." in text_of(marked)
    assert "It was already marked by" in text_of(again)
    assert "filed on May 3, 2027, R-1. Nothing was changed." in text_of(again)
    assert "Filed on May 3, 2027" in filed
    assert row is not None
    assert tuple(row) == (date(2027, 5, 3), "R-1", charges)
    assert "It is not marked as filed any more." in text_of(taken_back)
    assert "is not marked as filed." in text_of(twice)
    assert await pool.fetchval("select count(*) from filings") == 0


async def test_a_mark_that_cannot_be_is_refused_with_what_was_typed(book: Service, operator: Person) -> None:
    refused = await operator.send(
        "/ops/filings/OR/tax/2027-Q1", status=422, change="mark", filed_on="2027-03-31", reference=" "
    )

    assert "The reference must be 1 to 100 characters on one line" in refused
    assert 'value="2027-03-31"' in refused
    assert await book.runtime.database.pool.fetchval("select count(*) from filings") == 0


async def test_what_is_unknown_is_a_list_of_its_own(book: Service, operator: Person) -> None:
    shown = text_of(await operator.open("/ops/filings?view=unknown&state=CA"))
    delaware = text_of(await operator.open("/ops/filings?view=unknown&state=DE"))

    assert "Unknown The day is unknown CA 2027 Stamping fee" in shown
    assert "Nothing booked; whether a zero report is due is unknown low confidence DE 2027" in delaware


async def test_a_report_is_sent_as_a_spreadsheet_that_adds_up(book: Service, operator: Person) -> None:
    pool = book.runtime.database.pool
    await pool.execute("update submissions set name = '=1+1' where state = 'PA'")

    sent = await operator.http.get("/ops/filings/report.csv?state=PA&period=2027")

    assert sent.headers["content-disposition"] == 'attachment; filename="PA-2027-draft.csv"'
    draft, head, *rows = csv.reader(io.StringIO(sent.text.removeprefix("\ufeff")))
    assert draft == ["Draft: more may be booked until 2027-12-31"]
    assert rows[0][head.index("Insured")] == "'=1+1"
    total = await pool.fetchval(
        "select sum(premium) + sum(charges) from premium_transactions where state = 'PA'"
    )
    assert Decimal(rows[-1][-1]) == total
    for query in ("state=PA", "state=ZZ&period=2027", "state=PA&period=soon"):
        assert (await operator.http.get(f"/ops/filings/report.csv?{query}")).status_code == 404


async def test_a_report_that_is_too_long_for_a_page_is_for_the_command_line(
    book: Service, operator: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filings_page, "MOST_REPORTED", 2)
    monkeypatch.setattr(filings, "AT_ONCE", 1)

    refused = await operator.http.get("/ops/filings/report.csv?state=CA&period=2027")

    assert refused.status_code == 422
    assert "bindery filing report --state CA --period 2027" in text_of(refused.text)


async def test_a_calendar_reads_the_due_dates_at_a_secret_address(book: Service, operator: Person) -> None:
    made = await operator.send("/ops/filings/calendar", change="make")
    (address,) = re.findall(r"(/s/[\w-]+/filings\.ics)", made)
    operator.http.cookies.clear()
    sent = await operator.http.get(address)

    assert sent.status_code == 200
    assert sent.headers["content-type"] == "text/calendar; charset=utf-8"
    assert sent.headers["cache-control"] == "no-store"
    lines = sent.content.decode().split("\r\n")
    assert lines[0] == "BEGIN:VCALENDAR"
    assert lines[-2:] == ["END:VCALENDAR", ""]
    assert max(len(line.encode()) for line in lines) <= 75
    unfolded = sent.text.replace("\r\n ", "")
    events = re.findall(r"BEGIN:VEVENT\r\n(.*?)END:VEVENT", unfolded, re.DOTALL)
    (oregon,) = [event for event in events if "UID:OR-tax-2027-Q1@" in event]
    assert "DTSTART;VALUE=DATE:20270515" in oregon
    assert "DTEND;VALUE=DATE:20270516" in oregon
    said = "OR 2027-Q1: Surplus lines tax\\, fire marshal tax and service charge (low confidence)"
    assert f"SUMMARY:{said}" in oregon
    assert "Not in here\\, for nobody knows the day: " in unfolded
    assert "$" not in sent.text
    assert (await operator.http.get("/s/guessed/filings.ics")).status_code == 404


async def test_a_calendar_ends_with_its_address_and_with_its_operator(
    book: Service, operator: Person
) -> None:
    pool = book.runtime.database.pool

    async def made() -> str:
        page = await operator.send("/ops/filings/calendar", change="make")
        (address,) = re.findall(r"(/s/[\w-]+/filings\.ics)", page)
        return str(address)

    first, second = await made(), await made()
    ended = (await operator.http.get(first)).status_code
    works = (await operator.http.get(second)).status_code
    removed = text_of(await operator.send("/ops/filings/calendar", change="remove"))
    again = text_of(await operator.send("/ops/filings/calendar", change="remove"))
    gone = (await operator.http.get(second)).status_code
    third = await made()
    await pool.execute("update users set disabled_at = now()")
    disabled = (await operator.http.get(third)).status_code

    assert (ended, works, gone, disabled) == (404, 200, 404, 404)
    assert "The address is taken back" in removed
    assert "There was no address to take back." in again


async def test_only_operators_see_filings(underwriter: Person, broker: Person) -> None:
    for person in (underwriter, broker):
        for path in (
            "/ops/filings",
            "/ops/filings/NY/tax/2027",
            "/ops/filings/report.csv?state=NY&period=2027",
        ):
            assert (await person.http.get(path)).status_code in {403, 404}
