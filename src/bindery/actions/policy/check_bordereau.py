"""Work a bordereau's file out again from the ledger, and say where the two differ."""

import asyncio
import hashlib
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Final

import msgspec

from bindery.actions.policy.write_bordereau import Advance, frame_of
from bindery.base.errors import InvalidRequest
from bindery.documents.bordereaux.columns import FilledColumn, fill, filled_from
from bindery.documents.bordereaux.files import BATCH
from bindery.documents.bordereaux.reading import NotABordereau, differences, read_rows
from bindery.domain.bordereaux.bordereau import BordereauFormat, Month, read_kind, read_month, stem_of
from bindery.domain.bordereaux.lines import BordereauFrame
from bindery.domain.bordereaux.template import (
    BordereauColumn,
    BordereauKind,
    Template,
    packaged_template,
    says_employees,
    trusted_template,
)
from bindery.runtime import Runtime
from bindery.storage.database import Reader
from bindery.storage.policy import binders, bordereaux
from bindery.storage.policy.bordereaux import KeptBordereau, Series

_NAME: Final = re.compile(
    r"(.+)_([0-9]{4}-[0-9]{2})_(premium|risk)_([a-z0-9][a-z0-9.-]*?)(_DRAFT)?\.(csv|xlsx|parquet)"
)
MOST_LISTED: Final = 1_000


@dataclass(slots=True)
class CheckedBordereau:
    """What a file is, and where it differs from the ledger or from what was kept."""

    agreement: str
    month: str
    kind: BordereauKind
    template: str
    rows: int = 0
    premium: Decimal = Decimal(0)
    kept: KeptBordereau | None = None
    is_as_kept: bool = False
    """Whether every byte of it is that of the file that was frozen."""
    flawed: int = 0
    flaws: list[str] = field(default_factory=list)

    def add(self, flaw: str) -> None:
        self.flawed += 1
        if len(self.flaws) < MOST_LISTED:
            self.flaws.append(flaw)


@dataclass(frozen=True, slots=True)
class _Expected:
    columns: Sequence[BordereauColumn]
    frame: BordereauFrame
    transaction_ids: Sequence[int]


async def check_bordereau(
    runtime: Runtime, path: Path, template: Template | None, *, advance: Advance = lambda _done, _of: None
) -> CheckedBordereau:
    """Compare a file with the ledger, and where its month was frozen also with what was kept.

    Raises:
        InvalidRequest: nobody can say which bordereau it is.
    """
    sha256 = await asyncio.to_thread(_sha256, path)
    async with runtime.database.snapshot() as tx:
        checked, expected = await _identify(tx, path, sha256, template)
        try:
            table = await asyncio.to_thread(read_rows, path, expected.columns)
        except NotABordereau as fault:
            checked.add(str(fault))
            return checked
        checked.rows = table.num_rows
        count = len(expected.transaction_ids)
        if table.num_rows != count:
            checked.add(f"it has {table.num_rows:,} rows, and should have {count:,}")
            return checked
        is_defused = path.suffix != ".parquet"
        for start in range(0, count, BATCH):
            ids = expected.transaction_ids[start : start + BATCH]
            lines = await bordereaux.lines(
                tx, ids, until=expected.frame.until, with_employees=says_employees(expected.columns)
            )
            filled = fill(expected.columns, expected.frame, lines)
            # What the ledger does not have may have changed since a month was frozen.
            compared = [one for one in filled if checked.kept is None or one.column.is_booked]
            _compare(checked, table, compared, start=start, is_defused=is_defused)
            checked.premium += sum(lines.premium)
            advance(len(lines.state), count)
        kept = None
        if checked.kept is not None and not checked.is_as_kept:
            files = await bordereaux.files_of(tx, checked.kept.bordereau_id)
            kept = next(file.sha256 for file in files if file.format is BordereauFormat.PARQUET)
    if kept is not None:
        content = await runtime.blobs.get(kept)
        await asyncio.to_thread(_compare_with_kept, checked, table, content, expected.columns, is_defused)
    return checked


def _compare(
    checked: CheckedBordereau, table: object, filled: Sequence[FilledColumn], *, start: int, is_defused: bool
) -> None:
    for row, flaw in differences(table, filled, start=start, is_defused=is_defused):
        checked.add(f"row {row}: {flaw}")


def _compare_with_kept(
    checked: CheckedBordereau,
    table: object,
    content: bytes,
    columns: Sequence[BordereauColumn],
    is_defused: bool,
) -> None:
    with tempfile.NamedTemporaryFile(suffix=".parquet") as file:
        file.write(content)
        file.flush()
        kept = read_rows(Path(file.name), columns)
    # What the ledger says was compared with the ledger.
    filled = [filled_from(column, kept.column(column.name)) for column in columns if not column.is_booked]
    _compare(checked, table, filled, start=0, is_defused=is_defused)


def _sha256(path: Path) -> str:
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


async def _identify(
    tx: Reader, path: Path, sha256: str, template: Template | None
) -> tuple[CheckedBordereau, _Expected]:
    kept = await bordereaux.find_by_file(tx, sha256)
    is_as_kept = kept is not None
    if kept is None:
        named = _NAME.fullmatch(path.name)
        if named is None:
            raise InvalidRequest(
                f"Nobody can say which bordereau {path.name} is: it is not one of the files that were kept, "
                "and it was given another name."
            )
        month, kind, name = read_month(named[2]), read_kind(named[3]), named[4]
        binder = next(
            (
                binder
                for binder in await binders.list_binders(tx)
                if stem_of(binder.agreement, month, kind, name) == f"{named[1]}_{month}_{kind}_{name}"
            ),
            None,
        )
        if binder is None:
            raise InvalidRequest(f"There is no binder {named[1]}: bindery binder list.")
        series = Series(binder_id=binder.binder_id, kind=kind, template=name)
        kept = None if named[5] else await bordereaux.find(tx, series, month)
        if kept is None:
            template = packaged_template(name) if template is None else template
            if template is None or template.name != name:
                raise InvalidRequest(f"The file was made with the template {name}: --template FILE.toml.")
            checked = CheckedBordereau(binder.agreement, str(month), kind, name)
            ids = await bordereaux.due(tx, series, month)
            columns = template.columns_of(kind)
            return checked, _Expected(columns, frame_of(binder, month, today=tx.today), ids)
    checked = CheckedBordereau(
        kept.agreement, str(Month(kept.month)), kept.kind, kept.template, kept=kept, is_as_kept=is_as_kept
    )
    return checked, _Expected(
        trusted_template(kept.template_text).columns_of(kept.kind),
        msgspec.json.decode(kept.frame, type=BordereauFrame),
        await bordereaux.frozen_lines(tx, kept.bordereau_id),
    )
