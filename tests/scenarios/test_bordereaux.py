"""Bordereaux: the same rows in three formats, frozen months, drafts and what stands in the way."""

import asyncio
import csv
import io
import json
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from pyarrow import parquet

from bindery.actions.policy.make_bordereau import MadeBordereau, make_bordereau
from bindery.actions.policy.write_bordereau import Advance, BordereauAsk
from bindery.base.errors import InvalidRequest
from bindery.domain.access.deeds import Doer
from bindery.domain.bordereaux.bordereau import BordereauFormat, read_month
from bindery.domain.bordereaux.template import (
    STANDARD,
    BordereauKind,
    Template,
    packaged_template,
    read_template,
    trusted_template,
)
from support.binding import decide, move_days
from support.book import binder_file, busy, import_file, issued
from support.service import Service

WIDE = {"inception": "2020-01-01", "expiry": "2099-01-01"}
SOMEBODY = Doer("somebody")
SMALL = """
name = "our-own"
title = "The headings of a carrier of its own"
columns = [
  { name = "Policy", value = "policy_number", required = true },
  { name = "No.", value = "transaction_number", required = true },
  { name = "What, and why", value = "risk_transaction" },
  { name = "Insured", value = "insured", required = true },
  { name = "From", value = "effective" },
  { name = "Premium", value = "premium" },
  { name = "Taxes", value = "charges" },
  { name = "Ours", value = "commission" },
  { name = "Left", value = "net_premium" },
]
"""


async def canceled(service: Service) -> None:
    """Issue two policies, and cancel one of them in the next month."""
    policies = [await issued(service, state) for state in ("CA", "PA")]
    await move_days(service, 40)
    await decide(service, policies[0], "cancel")


def standard() -> Template:
    found = packaged_template(STANDARD)
    assert found is not None
    return found


def binder_with_pin() -> bytes:
    return binder_file(**WIDE).replace(b"[[carriers]]", b'pin = "SAMPLE"\n\n[[carriers]]', 1)


async def make(
    service: Service,
    out: Path,
    month: str,
    *,
    template: Template | None = None,
    advance: Advance = lambda _done, _of: None,
    **more: Any,
) -> MadeBordereau:
    ask = {"agreement": "SAMPLE-2027", "kind": BordereauKind.PREMIUM, **more}
    return await make_bordereau(
        service.runtime,
        BordereauAsk(month=read_month(month), template=template or standard(), **ask),
        out,
        by=SOMEBODY,
        advance=advance,
    )


def of(made: MadeBordereau, kind: BordereauFormat) -> Path:
    endings = {BordereauFormat.TOTALS: ".totals.json", BordereauFormat.EXCEPTIONS: ".exceptions.csv"}
    (found,) = [
        path
        for path in made.files
        if path.name.endswith(endings.get(kind, f".{kind}"))
        and (kind in endings or not path.name.endswith(".exceptions.csv"))
    ]
    return found


def csv_rows(path: Path, *, skip: int = 0) -> list[dict[str, str]]:
    text = path.read_text("utf-8-sig").split("\n", skip)[-1]
    return list(csv.DictReader(io.StringIO(text)))


def sheet_rows(path: Path, *, skip: int = 0) -> list[dict[str, Any]]:
    book = openpyxl.load_workbook(path)
    rows = [row for sheet in book for row in list(sheet.iter_rows(values_only=True))[skip:]]
    head = [str(name) for name in rows[0]]
    return [dict(zip(head, row, strict=True)) for row in rows[1:]]


def parquet_rows(path: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = parquet.read_table(path).to_pylist()
    return rows


def as_text(cell: Any) -> str:
    """Write a cell the same way, whichever file it is from."""
    match cell:
        case None | "":
            return ""
        case datetime():
            return cell.date().isoformat()
        case date():
            return cell.isoformat()
        case Decimal() | int() | float():
            return f"{Decimal(str(cell)).normalize():f}"
        case _:
            return str(cell)


async def booked(service: Service, month: str) -> list[Any]:
    return await service.runtime.database.pool.fetch(
        "select * from premium_transactions where to_char(booked_on, 'YYYY-MM') = $1 "
        "order by booked_on, transaction_id",
        month,
    )


async def first_month(service: Service) -> str:
    month: str = await service.runtime.database.pool.fetchval(
        "select to_char(min(booked_on), 'YYYY-MM') from premium_transactions"
    )
    return month


async def this_month(service: Service) -> str:
    return f"{await service.runtime.database.today():%Y-%m}"


async def test_three_formats_have_the_same_rows_which_are_those_of_the_ledger(
    service: Service, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    await import_file(service, binder_with_pin())
    await busy(service)
    month = await first_month(service)

    for kind in BordereauKind:
        made = await make(service, tmp_path, month, kind=kind)

        ledger = await booked(service, month)
        columns = [column.name for column in standard().columns_of(kind)]
        rows = {
            BordereauFormat.CSV: csv_rows(of(made, BordereauFormat.CSV)),
            BordereauFormat.XLSX: sheet_rows(of(made, BordereauFormat.XLSX)),
            BordereauFormat.PARQUET: parquet_rows(of(made, BordereauFormat.PARQUET)),
        }
        totals = json.loads(of(made, BordereauFormat.TOTALS).read_text())
        for name, listed in rows.items():
            with subtests.test(str(kind), format=str(name)):
                assert [*listed[0]] == columns
                assert [
                    (as_text(row["Certificate Reference"])[:4], as_text(row["Transaction number"]))
                    for row in listed
                ] == [("CYB-", str(row["number"])) for row in ledger]
                for column, total in totals["sums"].items():
                    summed = sum(Decimal(as_text(row[column]) or 0) for row in listed)
                    assert summed == Decimal(total), column
        with subtests.test(str(kind), what="cell by cell"):
            text = [
                [[as_text(_number(cell)) for cell in row.values()] for row in listed]
                for listed in rows.values()
            ]
            assert text[0] == text[1] == text[2]
        with subtests.test(str(kind), what="totals"):
            assert totals["premium"] == sum(row["premium"] for row in ledger)
            assert Decimal(totals["charges"]) == sum(row["charges"] for row in ledger)
            assert Decimal(totals["commission"]) == sum(row["commission"] for row in ledger)
            assert Decimal(totals["sums"]["Gross premium paid this time"]) == totals["premium"]
            assert totals["draft"] == ""
            assert made.frozen is not None


def _number(cell: Any) -> Any:
    """Read the numbers of a CSV as numbers, for a comparison with cells that are some."""
    try:
        return Decimal(cell) if isinstance(cell, str) else cell
    except ArithmeticError:
        return cell


async def test_a_frozen_month_is_the_same_and_what_comes_late_is_in_the_next(
    service: Service, tmp_path: Path
) -> None:
    await import_file(service, binder_with_pin())
    await canceled(service)
    month = await first_month(service)
    first = await make(service, tmp_path / "", month)
    before = {path.name: path.read_bytes() for path in first.files}
    pool = service.runtime.database.pool
    await pool.execute(
        "insert into premium_transactions (quote_id, number, kind, journal_entry, booked_on, effective, "
        "premium, charges, charge_lines, partner_id, product, state, section_id, commission_rate, "
        "commission) "
        "select quote_id, 9, 'cancellation', 1, (select min(booked_on) from premium_transactions), "
        "effective, -1, 0, '[]', partner_id, product, state, section_id, commission_rate, 0 "
        "from premium_transactions where number = 1 order by transaction_id limit 1"
    )
    await pool.execute("update partners set name = 'Another Name LLC'")

    again = await make(service, tmp_path, month)
    other = await make(service, tmp_path, month, template=trusted_template(SMALL))
    following = await make(service, tmp_path, await this_month(service))

    assert {path.name: path.read_bytes() for path in again.files} == before
    assert again.frozen == first.frozen
    assert again.frozen is not None
    assert again.frozen.made_by == "somebody"
    rows = csv_rows(of(following, BordereauFormat.CSV), skip=1)
    assert [row["Transaction number"] for row in rows[:1]] == ["9"]
    assert rows[0]["Effective Date of Transaction"] < f"{await this_month(service)}-01"
    # A template of its own has months of its own.
    assert other.totals.rows == first.totals.rows + 1


async def test_a_month_that_is_not_over_is_a_draft_in_name_and_first_row(
    service: Service, tmp_path: Path
) -> None:
    await import_file(service, binder_with_pin())
    await canceled(service)
    month = await this_month(service)

    made = await make(service, tmp_path, month)

    note = f"{month} is not over."
    assert made.frozen is None
    assert all(f"{month}_premium_{STANDARD}_DRAFT." in path.name for path in made.files)
    assert note in of(made, BordereauFormat.CSV).read_text("utf-8-sig").split("\n")[0]
    assert note in str(openpyxl.load_workbook(of(made, BordereauFormat.XLSX)).active["A1"].value)
    assert note in parquet.read_schema(of(made, BordereauFormat.PARQUET)).metadata[b"draft"].decode()
    rows = csv_rows(of(made, BordereauFormat.CSV), skip=1)
    assert len(rows) == len(await booked(service, month)) == made.totals.rows > 0
    assert len(sheet_rows(of(made, BordereauFormat.XLSX), skip=1)) == len(rows)
    assert await service.count("bordereaux") == 0


async def test_exceptions_have_an_owner_and_a_link_and_keep_it_a_draft_until_somebody_says_why(
    service: Service, tmp_path: Path
) -> None:
    unplaced = await issued(service, "CA")
    # Without a PIN, which every row of the standard has to have.
    await import_file(service, binder_file(**WIDE))
    await canceled(service)
    month = await first_month(service)
    await service.runtime.database.pool.execute("update submissions set name = '' where state = 'PA'")

    read: list[int] = []
    draft = await make(service, tmp_path, month, advance=lambda rows, _of: read.append(rows))
    rows = parquet_rows(of(draft, BordereauFormat.PARQUET))
    final = await make(service, tmp_path, month, because="The PIN is applied for.")

    assert draft.frozen is None
    # The rows of a draft are those of the final one, and were worked out once.
    assert rows == parquet_rows(of(final, BordereauFormat.PARQUET))
    assert sum(read) == draft.totals.rows == len(rows)
    assert len(sheet_rows(of(draft, BordereauFormat.XLSX), skip=1)) == len(rows)
    assert "3 exceptions are open" in of(draft, BordereauFormat.CSV).read_text("utf-8-sig").split("\n")[0]
    listed = csv_rows(of(draft, BordereauFormat.EXCEPTIONS))
    assert [(row["What is missing"][:24], row["Owner"]) for row in listed] == [
        ("a binder: it is written ", "Operations"),
        ("Coverholder PIN, in all ", "Operations"),
        ("Insured Full Name, Last ", "broker@example.com"),
    ]
    assert listed[0]["Policy"] == unplaced["policy_number"]
    assert listed[0]["Link"].endswith(f"/ops/quote/{unplaced['quote_identifier']}")
    assert Decimal(listed[0]["Premium"]) > 0
    assert final.frozen is not None
    assert (final.frozen.exceptions, final.frozen.because) == (3, "The PIN is applied for.")
    assert "DRAFT" not in of(final, BordereauFormat.CSV).read_text("utf-8-sig")
    made = await service.runtime.database.pool.fetch(
        "select actor, about from deeds where kind like 'bordereau%'"
    )
    assert [tuple(row) for row in made] == [("somebody", f"SAMPLE-2027 {month} premium")]


async def test_no_cell_is_a_formula_or_breaks_the_sheet(service: Service, tmp_path: Path) -> None:
    await import_file(service, binder_with_pin())
    await canceled(service)
    month = await first_month(service)
    name = '=HYPERLINK("http://x.example") & <b> _x0041_, "so"'
    await service.runtime.database.pool.execute("update submissions set name = $1 where state = 'PA'", name)

    made = await make(service, tmp_path, month, template=trusted_template(SMALL))

    assert f"'{name}" in {row["Insured"] for row in csv_rows(of(made, BordereauFormat.CSV))}
    cells = [row["Insured"] for row in sheet_rows(of(made, BordereauFormat.XLSX))]
    # As Excel reads it: openpyxl does not turn numbers of characters into characters.
    assert f"'{name}".replace("_x0041_", "_x005F_x0041_") in cells or f"'{name}" in cells
    assert name in {row["Insured"] for row in parquet_rows(of(made, BordereauFormat.PARQUET))}


async def test_two_who_make_the_same_month_at_once_get_the_same_files(
    service: Service, tmp_path: Path
) -> None:
    await import_file(service, binder_with_pin())
    await canceled(service)
    month = await first_month(service)
    folders = [tmp_path / str(number) for number in range(3)]
    for folder in folders:
        folder.mkdir()

    made = await asyncio.gather(*(make(service, folder, month) for folder in folders))

    assert len({each.frozen and each.frozen.bordereau_id for each in made}) == 1
    assert len({tuple(path.read_bytes() for path in each.files) for each in made}) == 1
    assert await service.count("bordereaux") == 1
    assert await service.count("bordereau_lines") == made[0].totals.rows


async def test_what_there_is_not_is_refused_and_nothing_is_kept(service: Service, tmp_path: Path) -> None:
    await import_file(service, binder_with_pin())
    only_risk = trusted_template(SMALL.replace("}", ', kinds = ["risk"] }'))

    with pytest.raises(InvalidRequest, match="There is no binder NOWHERE"):
        await make(service, tmp_path, "2026-10", agreement="NOWHERE")
    with pytest.raises(InvalidRequest, match="has no columns for a premium bordereau"):
        await make(service, tmp_path, "2026-10", template=only_risk)

    assert await service.count("bordereaux") == 0
    assert {path.name for path in await asyncio.to_thread(lambda: [*tmp_path.iterdir()])} <= {"files"}


async def test_nothing_of_what_was_reported_can_be_changed_or_removed(
    service: Service, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    await import_file(service, binder_with_pin())
    await canceled(service)
    await make(service, tmp_path, await first_month(service))

    for statement in (
        "update bordereaux set premium = premium + 1",
        "delete from bordereaux",
        "truncate bordereau_lines",
        "update bordereau_files set size = 1",
        "delete from bordereau_lines",
    ):
        with subtests.test(statement), pytest.raises(Exception, match="stays as it is"):
            await service.runtime.database.pool.execute(statement)


def test_a_template_that_is_wrong_has_every_flaw_named_with_its_line() -> None:
    text = SMALL.replace('"our-own"', '"Our Own"').replace('value = "insured"', 'value = "insurd"')
    text = text.replace('name = "Taxes"', 'name = "premium"').replace('"commission"', '"commission", sum = 1')

    template, flaws = read_template(text.encode())

    assert template is None
    assert [(flaw.line, flaw.text.split(" is unknown;")[0][:60]) for flaw in flaws] == [
        (2, "name must be small letters, digits, points and hyphens, up t"),
        (8, "columns[3].value 'insurd'"),
        (11, "columns[6].name is that of columns[5] too"),
        (12, "columns[7].sum"),
    ]
