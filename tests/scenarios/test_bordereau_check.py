"""A bordereau that comes back is worked out again from the ledger."""

import asyncio
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from bindery.actions.policy.check_bordereau import CheckedBordereau, check_bordereau
from bindery.base.errors import InvalidRequest
from bindery.domain.bordereaux.bordereau import BordereauFormat
from bindery.domain.bordereaux.template import Template
from scenarios.test_bordereaux import binder_with_pin, canceled, first_month, make, of, this_month
from support.book import import_file
from support.service import Service

PREMIUM = "Gross premium paid this time"
NAME = "Insured Full Name, Last Name or Company Name"
FORMATS = (BordereauFormat.CSV, BordereauFormat.XLSX, BordereauFormat.PARQUET)


async def checked(service: Service, path: Path, template: Template | None = None) -> CheckedBordereau:
    return await check_bordereau(service.runtime, path, template)


def changed_csv(path: Path, to: Path, old: str, new: str) -> Path:
    text = path.read_text("utf-8")
    assert old in text
    to.write_text(text.replace(old, new), "utf-8")
    return to


async def test_files_as_they_were_made_are_right_and_every_change_is_found(
    service: Service, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    await import_file(service, binder_with_pin())
    await canceled(service)
    frozen = await make(service, tmp_path, await first_month(service))
    draft = await make(service, tmp_path, await this_month(service))
    other = tmp_path / "other"
    other.mkdir()

    for made, is_kept in ((frozen, True), (draft, False)):
        for kind in FORMATS:
            with subtests.test("as made", kind=str(kind), kept=is_kept):
                found = await checked(service, of(made, kind))
                assert (found.flawed, found.flaws, found.is_as_kept) == (0, [], is_kept)
                assert found.rows == made.totals.rows
                assert int(found.premium) == made.totals.premium

    path = of(frozen, BordereauFormat.CSV)
    premium = await service.runtime.database.pool.fetchval(
        "select premium from premium_transactions order by booked_on, transaction_id limit 1"
    )
    with subtests.test("another amount"):
        file = changed_csv(path, other / path.name, f",{premium}.00,", f",{premium + 1}.00,")
        found = await checked(service, file)
        assert not found.is_as_kept
        assert any(
            f"{PREMIUM} is {premium + 1}.00, and should be {premium}.00" in flaw for flaw in found.flaws
        ), found.flaws
    with subtests.test("another name, which the ledger does not have"):
        found = await checked(service, changed_csv(path, other / path.name, "Lamplight PA LLC", "Somebody"))
        assert [flaw for flaw in found.flaws if "Somebody, and should be Lamplight PA LLC" in flaw]
    with subtests.test("a row less"):
        lines = path.read_text("utf-8").splitlines(keepends=True)
        (other / path.name).write_text("".join(lines[:-1]), "utf-8")
        found = await checked(service, other / path.name)
        assert found.flaws == [f"it has {len(lines) - 2} rows, and should have {len(lines) - 1}"]
    with subtests.test("another column"):
        found = await checked(service, changed_csv(path, other / path.name, NAME, "Insured"))
        assert found.flaws[0].endswith(f"and should be {NAME!r}")
    with subtests.test("words for an amount"):
        found = await checked(service, changed_csv(path, other / path.name, f",{premium}.00,", ",much,"))
        assert "much" in found.flaws[0]
    with subtests.test("a workbook that somebody saved again, with another amount"):
        file = other / of(frozen, BordereauFormat.XLSX).name
        await asyncio.to_thread(_set_in_workbook, of(frozen, BordereauFormat.XLSX), file, PREMIUM, 1.5)
        found = await checked(service, file)
        assert found.flaws == [f"row 1: {PREMIUM} is 1.50, and should be {premium}.00"]
    with subtests.test("a name that says nothing"):
        (other / "october.csv").write_text("a,b\n")
        with pytest.raises(InvalidRequest, match="Nobody can say which bordereau october"):
            await checked(service, other / "october.csv")
    with subtests.test("a file that is not a bordereau"):
        file = other / of(frozen, BordereauFormat.XLSX).name
        file.write_bytes(b"PK")
        found = await checked(service, file)
        assert found.flaws[0].startswith("it cannot be read: ")


def _set_in_workbook(path: Path, to: Path, column: str, value: Any) -> None:
    book = openpyxl.load_workbook(path)
    sheet = book.active
    place = [cell.value for cell in sheet[1]].index(column)
    sheet[2][place].value = value
    book.save(to)


async def test_a_ledger_that_changed_below_the_service_is_found(service: Service, tmp_path: Path) -> None:
    await import_file(service, binder_with_pin())
    await canceled(service)
    frozen = await make(service, tmp_path, await first_month(service))
    async with service.runtime.database.transaction() as tx:
        await tx.connection.execute("set local session_replication_role = replica")
        await tx.execute("update premium_transactions set charges = charges + 0.01 where kind = 'original'")

    found = await checked(service, of(frozen, BordereauFormat.PARQUET))

    assert found.is_as_kept
    assert found.flawed == 2
    assert found.flaws[0].startswith("row 1: Total Taxes and Levies is ")
