"""`bindery filing` lists what is owed, writes reports that equal the ledger, and keeps what was filed."""

import asyncio
import csv
import io
import subprocess
import sys
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from bindery.actions.policy.mark_filing import AskedMark, Marked, UnfitMark, mark_filing
from bindery.domain.access.deeds import Doer
from support.binding import set_day
from support.processes import Program
from support.service import Service


@pytest.fixture
def program(dsn: str, tmp_path: Path) -> Program:
    """The command line on the data folder of the service."""
    return Program(tmp_path, {"BINDERY_DATABASE_URL": dsn, "BINDERY_DATA_DIR": str(tmp_path)})


@pytest.fixture
async def book(service: Service, busy_book: date) -> Service:
    """Six policies of four states in March 2027, and what became of them in April; today is in July."""
    await set_day(service, date(2027, 7, 5))
    return service


def test_the_commands_of_the_book_start_without_what_makes_documents_or_scans() -> None:
    start = "import sys, bindery.cli.filing, bindery.cli.book; print('bindery.runtime' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", start], capture_output=True, check=True).stdout == b"False\n"


def test_of_an_empty_ledger_no_filing_is_known(program: Program, service: Service) -> None:
    assert "Nothing is booked yet, so no filing is known." in program.run("filing", "due").good()


async def test_what_is_due_is_listed_with_its_day_amount_and_confidence(
    program: Program, book: Service
) -> None:
    shown = program.run("filing", "due", "--until", "2028-03-31").good()
    listed = program.run("filing", "due", "--until", "2028-03-31", "--json").json()["filings"]

    taxes = await book.runtime.database.pool.fetchval(
        "select sum((line ->> 'price')::numeric) from premium_transactions, "
        "json_array_elements(charge_lines::json) line where state = 'PA' and line ->> 'title' like '%tax'"
    )
    by_key = {(row["state"], row["filing"], row["period"]): row for row in listed}
    tax = by_key["PA", "tax", "2027"]
    assert (tax["due"], tax["standing"], Decimal(tax["amount"])) == ("2028-01-31", "open", taxes)
    fee = by_key["PA", "stamping", "2027-03"]
    assert (fee["due"], fee["days_left"], fee["amount"]) == ("2027-04-25", -71, "20.00")
    oregon = by_key["OR", "tax", "2027-Q1"]
    assert (oregon["confidence"], oregon["due"], oregon["standing"]) == ("low", "2027-05-15", "overdue")
    assert by_key["CA", "stamping", "2027"]["due"] == "unknown"
    assert by_key["NJ", "tax", "2027-Q1"]["zero_report"] == "yes"
    (line,) = [line for line in shown.splitlines() if "OR" in line and "2027-Q1" in line]
    assert "2027-05-15 (low)" in line
    assert "51 late" in line
    assert any("unknown" in line and "CA" in line and "Stamping fee" in line for line in shown.splitlines())
    assert "Whether these ask for a report of a period in which nothing was booked is unknown: AK, " in shown
    assert "DE" in shown.splitlines()[-1]


async def test_a_report_has_a_row_for_each_transaction_and_adds_up_to_the_ledger(
    program: Program, book: Service, tmp_path: Path
) -> None:
    pool = book.runtime.database.pool
    await pool.execute("update submissions set name = '=1+1' where state = 'OR'")

    printed = program.run("filing", "report", "--state", "or", "--period", "2027-H1").good()
    said = program.run("filing", "report", "--period", "2027", "--out", str(tmp_path / "out")).good()

    rows = list(csv.DictReader(io.StringIO(printed)))
    *transactions, total = rows
    ledger = await pool.fetchrow(
        "select count(*) as count, sum(premium) as premium, sum(charges) as charges "
        "from premium_transactions where state = 'OR'"
    )
    assert ledger is not None
    assert (len(transactions), int(total["Premium"]), Decimal(total["Taxes and fees"])) == tuple(ledger)
    assert {row["Insured"] for row in transactions} == {"'=1+1"}
    for column in ("Surplus lines tax", "Oregon fire marshal tax", "Surplus lines service charge", "Total"):
        assert sum(Decimal(row[column]) for row in transactions) == Decimal(total[column]), column
    assert Decimal(total["Other charges"]) == 0
    files = {file.name: file.read_text("utf-8-sig") for file in (tmp_path / "out").iterdir()}
    assert set(files) == {f"{state}-2027-draft.csv" for state in ("CA", "ID", "OR", "PA")}
    assert said.count(".csv: ") == 4
    sums = [list(csv.reader(io.StringIO(text)))[-1] for text in files.values()]
    everything = await pool.fetchval("select sum(premium) + sum(charges) from premium_transactions")
    assert sum(Decimal(row[-1]) for row in sums) == everything
    assert all(text.startswith("Draft: more may be booked until 2027-12-31") for text in files.values())


async def test_a_report_of_nothing_is_a_zero_report(program: Program, book: Service) -> None:
    printed = program.run("filing", "report", "--state", "NY", "--period", "2026").good()

    head, total = csv.reader(io.StringIO(printed))
    assert head[-5:] == ["Surplus lines tax", "Stamping fee", "Other charges", "Taxes and fees", "Total"]
    assert total[0::2][:2] == ["Total", "0 transactions"]
    assert set(total[-6:]) == {"0"}


async def test_a_filing_is_marked_once_and_says_what_is_on_file(program: Program, book: Service) -> None:
    marked = ("filing", "mark", "OR", "2027-Q1", "--filed-on", "2027-05-03")

    first = program.run(*marked, "--reference", "R-1").good()
    again = program.run(*marked, "--reference", "R-1").good()
    other = program.run(*marked, "--reference", "R-2")
    listed = program.run("filing", "due", "--json").json()["filings"]
    taken_back = program.run("filing", "unmark", "or", "2027-q1").good()
    never = program.run("filing", "unmark", "OR", "2027-Q1")

    assert "OR 2027-Q1 (Surplus lines tax, fire marshal tax and service charge) is marked as filed" in first
    assert "was already marked by " in again
    assert other.code == 1
    assert "filed on 2027-05-03, R-1" in other.stdout
    assert "Nothing was changed; bindery filing unmark OR 2027-Q1 takes that back." in other.stdout
    assert not [row for row in listed if (row["state"], row["period"]) == ("OR", "2027-Q1")]
    assert "is not marked as filed any more; it was on 2027-05-03, R-1." in taken_back
    assert never.code == 2
    assert "is not marked as filed." in never.stderr
    deeds = await book.runtime.database.pool.fetch(
        "select kind from deeds where kind like 'filing%' order by 1"
    )
    assert [row["kind"] for row in deeds] == ["filing_marked", "filing_unmarked"]


async def test_what_cannot_be_asked_is_refused_with_its_flag(
    program: Program, service: Service, subtests: pytest.Subtests
) -> None:
    await set_day(service, date(2027, 7, 5))
    filed = ("--filed-on", "2027-07-01", "--reference", "R-1")
    for arguments, said in (
        (("due", "--until", "soon"), "--until must be a day such as 2026-10-01"),
        (("due", "--until", "2099-01-01"), "--until must be 2029-07-06 or earlier"),
        (("report", "--period", "2026-Q5"), "--period must be written as 2026, 2026-H1, 2026-Q1 or 2026-01."),
        (("report", "--period", "2026"), "--state is missing; with --out DIR"),
        (("report", "--period", "2026", "--state", "ZZ"), "--state must be a state such as NY, not 'ZZ'."),
        (("mark", "ZZ", "2026-Q5", *filed), "STATE must be a state such as NY; PERIOD must be written as"),
        (("mark", "PA", "2027-03", *filed), "--filing has to be chosen: report (Form 1620), stamping"),
    ):
        with subtests.test(said):
            refused = program.run("filing", *arguments)

            assert refused.code == 2
            assert said in " ".join(refused.stderr.split())


async def test_a_mark_that_cannot_be_is_refused_and_nothing_is_kept(
    service: Service, subtests: pytest.Subtests
) -> None:
    await set_day(service, date(2027, 7, 5))
    well = AskedMark(state="GA", period="2027-Q2", filed_on="2027-07-01", reference="R-1")
    for asked, problems in (
        (
            replace(well, state="ZZ", period="x", filed_on="x", reference=" "),
            {
                "state": "must be a",
                "period": "must be",
                "filed_on": "must be a day",
                "reference": "must be 1",
            },
        ),
        (replace(well, state="NY"), {"period": "does not fit NY, whose filings are annual"}),
        (replace(well, state="PA", period="2027-03"), {"filing": "has to be chosen: report (Form 1620), st"}),
        (replace(well, state="PA", period="2027-03", code="tax"), {"filing": "must be one of report (Form"}),
        (replace(well, period="2027-Q3"), {"period": "is not over before 2027-09-30"}),
        (replace(well, filed_on="2027-07-06"), {"filed_on": "must not be after today, 2027-07-05"}),
        (replace(well, filed_on="2027-06-30"), {"filed_on": "must be after 2027-06-30, the last day"}),
        (replace(well, reference="a" * 101), {"reference": "must be 1 to 100 characters"}),
        (replace(well, reference="a\nb"), {"reference": "must be 1 to 100 characters on one line"}),
    ):
        with subtests.test(str(problems)):
            with pytest.raises(UnfitMark) as refused:
                await mark_filing(service.runtime.database, asked, by=Doer("somebody"))

            assert [flaw.field for flaw in refused.value.flaws] == [*problems]
            for flaw in refused.value.flaws:
                assert flaw.text.startswith(problems[flaw.field])
            assert await service.runtime.database.pool.fetchval("select count(*) from filings") == 0
            deeds = "select count(*) from deeds where kind like 'filing%'"
            assert await service.runtime.database.pool.fetchval(deeds) == 0


async def test_of_two_who_mark_at_once_one_is_kept_and_the_other_told(service: Service) -> None:
    await set_day(service, date(2027, 7, 5))

    async def mark(reference: str) -> Marked:
        asked = AskedMark(state="GA", period="2027-Q2", filed_on="2027-07-01", reference=reference)
        return await mark_filing(service.runtime.database, asked, by=Doer(reference))

    one, other = await asyncio.gather(mark("R-1"), mark("R-2"))

    assert {one.is_new, other.is_new} == {True, False}
    assert one.mark == other.mark
    assert one.mark.amount == 0
