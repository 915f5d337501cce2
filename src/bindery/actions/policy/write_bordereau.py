"""Write the files of a bordereau into a folder.

The rows are read as of one moment, batch by batch: while one is written, cells are made of the next, and the
database looks up the one after.
"""

import asyncio
import hashlib
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import msgspec

from bindery.base.ahead import one_ahead
from bindery.documents.bordereaux.columns import FilledColumn, fill, fixed_cell, rows_without
from bindery.documents.bordereaux.files import BATCH, BordereauFiles, exceptions_csv, kept_rows
from bindery.documents.wording import read_wording
from bindery.domain.bordereaux.bordereau import (
    TABLES,
    BordereauException,
    BordereauFormat,
    BordereauTotals,
    Month,
    draft_note,
    owner_name,
)
from bindery.domain.bordereaux.lines import BordereauFrame, Lines
from bindery.domain.bordereaux.template import BordereauColumn, BordereauKind, Template, says_employees
from bindery.domain.bordereaux.values import LINE_VALUES, Owner
from bindery.domain.documents.forms import FORMS
from bindery.domain.rating.surcharges import charge_rules
from bindery.storage.database import Reader
from bindery.storage.policy import bordereaux
from bindery.storage.policy.binders import ListedBinder
from bindery.storage.policy.bordereaux import Series

Advance = Callable[[int, int], None]
"""Told how many rows are written, of how many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BordereauAsk:
    agreement: str
    month: Month
    kind: BordereauKind
    template: Template
    because: str = ""
    """Why it is made although there are exceptions."""


@dataclass(slots=True)
class Written:
    """What the rows of a bordereau came to."""

    ask: BordereauAsk
    transaction_ids: Sequence[int]
    frame: BordereauFrame
    exceptions: list[BordereauException]
    note: str
    at: datetime
    today: date
    premium: int = 0
    charges: Decimal = Decimal(0)
    commission: Decimal = Decimal(0)
    sums: dict[str, Decimal] = field(default_factory=dict)

    @property
    def columns(self) -> Sequence[BordereauColumn]:
        return self.ask.template.columns_of(self.ask.kind)

    @property
    def is_open(self) -> bool:
        """Whether exceptions stand in the way of what would be final."""
        return bool(self.exceptions) and not self.ask.because


async def write_bordereau(
    tx: Reader, ask: BordereauAsk, binder: ListedBinder, folder: Path, *, advance: Advance
) -> Written:
    series = Series(binder_id=binder.binder_id, kind=ask.kind, template=ask.template.name)
    transaction_ids = await bordereaux.due(tx, series, ask.month)
    frame = frame_of(binder, ask.month, today=tx.today)
    note = draft_note(ask.month, tx.today, [])
    exceptions = await _without_carrier(tx, ask.month)
    written = Written(ask, transaction_ids, frame, exceptions, note, tx.real_now, tx.today)
    written.exceptions += _missing_everywhere(written.columns, frame)
    with _files(written, folder) as files:
        writing = asyncio.ensure_future(asyncio.sleep(0))
        batches = one_ahead(_batches(tx, written))
        try:
            async for lines in batches:
                filled = fill(written.columns, frame, lines)
                written.exceptions += _missing(filled, lines)
                written.premium += sum(lines.premium)
                written.charges += sum(lines.charges, Decimal(0))
                written.commission += sum(filter(None, lines.commission), Decimal(0))
                await writing
                # A draft is written again with its note.
                write = files.keep if written.is_open and not note else files.write
                writing = asyncio.ensure_future(asyncio.to_thread(write, filled))
                advance(len(lines.state), len(transaction_ids))
        finally:
            await batches.aclose()
            # The files are closed after the last rows.
            await writing
        written.sums = files.sums
    return written


def write_again(written: Written, folder: Path) -> None:
    """Write the files of the same rows with their note."""
    kept = place_of(folder, BordereauFormat.PARQUET).rename(folder / "kept.parquet")
    with _files(written, folder) as files:
        for filled in kept_rows(kept, written.columns):
            files.write(filled)
    kept.unlink()


def _files(written: Written, folder: Path) -> BordereauFiles:
    ask = written.ask
    return BordereauFiles(
        folder,
        written.columns,
        written.frame,
        rows=len(written.transaction_ids),
        title=f"{ask.agreement}, {ask.month}: {ask.kind} bordereau",
        note=written.note,
        told={
            "agreement": ask.agreement,
            "month": str(ask.month),
            "kind": str(ask.kind),
            "template": ask.template.name,
        },
        at=written.at,
    )


async def _batches(tx: Reader, written: Written) -> AsyncGenerator[Lines]:
    ids, until = written.transaction_ids, written.frame.until
    with_employees = says_employees(written.columns)
    for start in range(0, len(ids), BATCH):
        of = ids[start : start + BATCH]
        yield await bordereaux.lines(tx, of, until=until, with_employees=with_employees)


def frame_of(binder: ListedBinder, month: Month, *, today: date) -> BordereauFrame:
    issuer = read_wording("issuer", FORMS.in_force(today).edition)
    return BordereauFrame(
        since=month.since,
        until=month.until,
        agreement=binder.agreement,
        coverholder=binder.coverholder,
        pin=binder.pin,
        year_of_account=binder.inception.year,
        licensee=issuer["licensee"],
        license=issuer["license"],
        licensee_address=tuple(issuer["licensee_address"]),
    )


# Exceptions


async def _without_carrier(tx: Reader, month: Month) -> list[BordereauException]:
    what, owner = "a binder: it is written on none, so no carrier has it", owner_name(Owner.OPERATIONS, "")
    found = await bordereaux.without_carrier(tx, month)
    exceptions = []
    for start in range(0, len(found), BATCH):
        lines = await bordereaux.lines(tx, found[start : start + BATCH], until=month.until)
        exceptions += [_exception(what, owner, lines, row) for row in range(len(lines.state))]
    return exceptions


def _exception(what: str, owner: str, lines: Lines, row: int) -> BordereauException:
    return BordereauException(
        what,
        owner,
        lines.quote_id[row],
        lines.policy_number[row],
        lines.number[row],
        lines.premium[row],
        lines.charges[row],
    )


def _missing_everywhere(
    columns: Iterable[BordereauColumn], frame: BordereauFrame
) -> Iterator[BordereauException]:
    """Return what no line has, once instead of once for each."""
    every = frozenset(charge_rules())
    for column in columns:
        if column.value not in LINE_VALUES and column.required == every and fixed_cell(column, frame) is None:
            yield BordereauException(f"{column.name}, in all rows", owner_name(Owner.OPERATIONS, ""))


def _missing(filled: Sequence[FilledColumn], lines: Lines) -> Iterator[BordereauException]:
    every = frozenset(charge_rules())
    for one in filled:
        required = one.column.required
        if not required or (one.fixed and required == every) or not one.array.null_count:
            continue
        known = LINE_VALUES.get(one.column.value)
        owner = Owner.OPERATIONS if known is None else known.owner
        for row in rows_without(one.array):
            if lines.state[row] in required:
                yield _exception(one.column.name, owner_name(owner, lines.broker_email[row]), lines, row)


# Files


def write_totals(ask: BordereauAsk, written: Written, folder: Path, platform_url: str) -> BordereauTotals:
    """Write what goes with the rows: their totals and the exceptions."""
    totals = BordereauTotals(
        agreement=ask.agreement,
        month=str(ask.month),
        kind=ask.kind,
        template=ask.template.name,
        draft=written.note,
        rows=len(written.transaction_ids),
        premium=written.premium,
        charges=written.charges,
        commission=written.commission,
        exceptions=len(written.exceptions),
        because=ask.because if written.exceptions and not written.note else "",
        sums=written.sums,
        sha256={kind: _sha256(place_of(folder, kind)) for kind in TABLES},
    )
    text = msgspec.json.format(msgspec.json.encode(totals), indent=2) + b"\n"
    place_of(folder, BordereauFormat.TOTALS).write_bytes(text)
    place_of(folder, BordereauFormat.EXCEPTIONS).write_bytes(
        exceptions_csv(written.exceptions, platform_url=platform_url)
    )
    return totals


def place_of(folder: Path, kind: BordereauFormat) -> Path:
    return folder / f"rows.{kind}"


def _sha256(path: Path) -> str:
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
