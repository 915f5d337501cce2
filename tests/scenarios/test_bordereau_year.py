"""A year in which everything happens: what was reported of its months is what the ledger has, to the cent."""

import asyncio
import re
import sys
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from bindery.cli.book import look_at_book
from bindery.domain.bordereaux.bordereau import BordereauFormat, Month
from bindery.domain.bordereaux.template import BordereauKind, trusted_template
from scenarios.test_bordereaux import SMALL, binder_with_pin, csv_rows, make, of
from support.binding import bind, decide, one_quoted, set_day
from support.book import import_file, issued, of_state
from support.service import Service
from support.source_tree import ROOT

pytestmark = pytest.mark.long


async def _live(service: Service) -> None:
    """Bind, lapse, cancel and reinstate through a year, in states that keep some of their charges."""
    policies = {}
    for month, state in enumerate(("CA", "PA", "ID", "OR"), start=1):
        await set_day(service, date(2027, month, 10))
        policies[state] = await issued(service, state)
    await bind(service, await one_quoted(service, of_state("CA")))
    await set_day(service, date(2027, 6, 30))
    await decide(service, policies["CA"], "cancel")
    await decide(service, policies["PA"], "cancel", reason="nonpayment", text="Not paid.")
    await set_day(service, date(2027, 7, 1))
    await decide(service, policies["PA"], "reinstate", reason="Paid.")
    await set_day(service, date(2027, 9, 15))
    await decide(service, policies["ID"], "cancel", reason="business_sold")
    await decide(service, policies["ID"], "reinstate", reason="Not sold.")
    await set_day(service, date(2028, 1, 3))


async def test_every_month_of_a_year_was_reported_as_it_is_in_the_ledger(
    service: Service, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    await set_day(service, date(2027, 1, 4))
    await import_file(service, binder_with_pin())
    await _live(service)

    reported: list[tuple[str, str]] = []
    for number in range(1, 13):
        month = Month(date(2027, number, 1))
        made = await make(service, tmp_path, str(month))
        small = await make(service, tmp_path, str(month), template=trusted_template(SMALL))
        risk = await make(service, tmp_path, str(month), kind=BordereauKind.RISK)
        booked = await service.runtime.database.pool.fetchrow(
            "select count(*) as rows, coalesce(sum(premium), 0) as premium, "
            "coalesce(sum(charges), 0) as charges, coalesce(sum(commission), 0) as commission "
            "from premium_transactions where booked_on >= $1 and booked_on < $2",
            month.since,
            month.until,
        )
        assert booked is not None
        rows = csv_rows(of(made, BordereauFormat.CSV))
        reported += [(row["Certificate Reference"], row["Transaction number"]) for row in rows]
        with subtests.test(str(month)):
            for each in (made, small, risk):
                totals = each.totals
                assert each.frozen is not None
                assert (totals.rows, totals.premium, totals.charges, totals.commission) == tuple(
                    booked.values()
                )
            for column, of_ledger in (
                ("Gross premium paid this time", booked["premium"]),
                ("Total Taxes and Levies", booked["charges"]),
                ("Commission Amount", booked["commission"]),
            ):
                assert sum(Decimal(row[column]) for row in rows) == of_ledger
            taxes = [row[f"Tax {n} - Amount"] or "0" for row in rows for n in range(1, 6)]
            assert sum(map(Decimal, taxes)) == booked["charges"]

    every = await service.runtime.database.pool.fetch(
        "select policy_number, number::text from premium_transactions join binds using (quote_id)"
    )
    assert sorted(reported) == sorted(map(tuple, every))
    assert len(reported) == await service.count("bordereau_lines where kind = 'risk'") == 10
    async with service.runtime.database.snapshot() as tx:
        assert {part: each.findings for part, each in (await look_at_book(tx)).items() if each.flawed} == {}
    await _answers_the_question_of_the_guide(service, tmp_path)


async def _answers_the_question_of_the_guide(service: Service, folder: Path) -> None:
    page = (ROOT / "docs" / "book.md").read_text("utf-8")
    (question,) = re.findall(r"```sql\n(.*?)```", page, re.DOTALL)
    (program,) = re.findall(r"`python -c '(import duckdb.*?)'`", page)
    (folder / "question.sql").write_text(question)
    asked = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, cwd=folder, stdout=asyncio.subprocess.PIPE
    )
    printed, _ = await asked.communicate()
    ledger = await service.runtime.database.pool.fetch(
        "select state, count(*), sum(premium), sum(charges), sum(commission) "
        "from premium_transactions where booked_on < '2028-01-01' group by 1 order by 1"
    )
    rows = [[cell.strip() for cell in line.strip("│").split("│")] for line in printed.decode().splitlines()]
    answered = [(state, *map(Decimal, sums)) for state, *sums in rows if state in {"CA", "ID", "OR", "PA"}]
    assert len(answered) == 4
    assert answered == [tuple(row) for row in ledger]
