"""The ledger page: its rows, sums and filters, and the same as a spreadsheet."""

import csv
import io
from decimal import Decimal

import pytest

from bindery.storage.list_pages import Cursor
from bindery.storage.operations import ledger_list
from bindery.storage.operations.ledger_list import LedgerFilter
from support.people import Person, text_of
from support.service import Service


async def exported(operator: Person, query: str = "") -> list[dict[str, str]]:
    answer = await operator.http.get(f"/ops/ledger.csv{query}")
    assert answer.status_code == 200
    return list(csv.DictReader(io.StringIO(answer.text.removeprefix("\ufeff"))))


@pytest.mark.usefixtures("busy_book")
async def test_the_page_and_its_csv_say_what_the_ledger_has(
    service: Service, operator: Person, subtests: pytest.Subtests
) -> None:
    pool = service.runtime.database.pool
    last = await pool.fetchrow(
        "select to_char(max(booked_on), 'YYYY-MM') as month, to_char(min(booked_on), 'YYYY-MM') as first, "
        "sum(premium) as premium, sum(charges) as charges from premium_transactions"
    )
    assert last is not None
    policy = await pool.fetchval(
        "select policy_number from binds join premium_transactions using (quote_id) "
        "where state = 'CA' limit 1"
    )

    shown = text_of(await operator.open("/ops/ledger"))
    rows = await exported(operator)

    assert f"Transactions 16 Premium ${last['premium']:,} Taxes and fees ${last['charges']:,}" in shown
    assert len(rows) == 16
    assert sum(int(row["Premium"]) for row in rows) == last["premium"]
    assert sum(Decimal(row["Taxes and fees"]) for row in rows) == last["charges"]
    assert [row["Booked"] for row in rows] == sorted((row["Booked"] for row in rows), reverse=True)
    (lapse,) = [row for row in rows if row["Kind"] == "lapse"]
    assert lapse["Takes back"] == "1"
    charges = [Decimal(charge.rpartition(" ")[2]) for charge in lapse["Charges one by one"].split("; ")]
    assert sum(charges) == Decimal(lapse["Taxes and fees"])
    assert lapse["Charges one by one"].endswith("; Surplus lines service charge -10.00")
    for query, count in (
        ("?kind=original", 6),
        ("?kind=lapse", 1),
        (f"?month={last['month']}", sum(row["Booked"].startswith(last["month"]) for row in rows)),
        ("?month=2001-01", 0),
        ("?state=PA", 2),
        ("?state=PA&kind=cancellation", 1),
        ("?product=CYB", 16),
        ("?product=TEO", 0),
        (f"?policy={policy}", 3),
        ("?policy=CYB", 0),
        (f"?partner={service.partner.name}", 16),
        ("?partner=Nobody", 0),
    ):
        with subtests.test(query):
            assert len(await exported(operator, query)) == count
            assert f"Transactions {count} " in text_of(await operator.open(f"/ops/ledger{query}"))


async def test_what_cannot_be_read_is_said_and_is_not_everything(
    service: Service, operator: Person, subtests: pytest.Subtests
) -> None:
    for query, said in (
        ("?month=2026-13", "“2026-13” is no month: write it as 2026-10."),
        ("?month=9999-12", "“9999-12” is no month: write it as 2026-10."),
        ("?partner=Nobody", "There is no partner “Nobody”."),
    ):
        with subtests.test(query):
            assert said in text_of(await operator.open(f"/ops/ledger{query}"))
    assert "Nothing is booked yet" in text_of(await operator.open("/ops/ledger"))
    assert "Nothing like that was booked." in text_of(await operator.open("/ops/ledger?state=ZZ"))


@pytest.mark.usefixtures("busy_book")
async def test_pages_follow_each_other_in_both_directions(service: Service, operator: Person) -> None:
    async with service.runtime.database.reading() as tx:
        every = [row.transaction_id for row in (await ledger_list.newest(tx, LedgerFilter(), limit=50)).rows]
        first = await ledger_list.newest(tx, LedgerFilter(), limit=10)
        second = await ledger_list.newest(tx, LedgerFilter(), limit=10, cursor=Cursor(first.next))
        back = await ledger_list.newest(
            tx, LedgerFilter(), limit=10, cursor=Cursor(second.previous, backward=True)
        )

    assert [row.transaction_id for row in (*first.rows, *second.rows)] == every
    assert [row.transaction_id for row in back.rows] == every[:10]
    assert second.next is None


@pytest.mark.usefixtures("busy_book")
async def test_a_partner_named_like_a_formula_is_text_in_the_spreadsheet(
    service: Service, operator: Person
) -> None:
    await service.runtime.database.pool.execute("update partners set name = '=1+1'")

    rows = await exported(operator)

    assert {row["Partner"] for row in rows} == {"'=1+1"}
    assert any(row["Premium"].startswith("-") for row in rows)


async def test_only_operators_see_the_ledger(underwriter: Person, broker: Person) -> None:
    for person in (underwriter, broker):
        for path in ("/ops/ledger", "/ops/ledger.csv"):
            assert (await person.http.get(path)).status_code in {403, 404}
