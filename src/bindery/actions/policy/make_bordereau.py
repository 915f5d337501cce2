"""Make the bordereau of a month, and freeze it once the month is over and nothing stands in its way.

The rows are read as of one moment, batch by batch: while one is written, cells are made of the next, and the
database looks up the one after. What was frozen is never made again: it is handed out as it was kept.
"""

import asyncio
import hashlib
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import msgspec

from bindery.base.errors import InvalidRequest
from bindery.documents.bordereaux.columns import FilledColumn, fill, fixed_cell, rows_without
from bindery.documents.bordereaux.files import BATCH, BordereauFiles, exceptions_csv, kept_rows
from bindery.documents.wording import read_wording
from bindery.domain.access.deeds import Deed, Doer
from bindery.domain.bordereaux.bordereau import (
    ENDINGS,
    TABLES,
    BordereauException,
    BordereauFormat,
    BordereauTotals,
    Month,
    draft_note,
    owner_name,
    stem_of,
)
from bindery.domain.bordereaux.lines import BordereauFrame, Lines
from bindery.domain.bordereaux.template import BordereauColumn, BordereauKind, Template, says_employees
from bindery.domain.bordereaux.values import LINE_VALUES, Owner
from bindery.domain.documents.forms import FORMS
from bindery.domain.rating.surcharges import charge_rules
from bindery.runtime import Runtime
from bindery.storage.database import Reader
from bindery.storage.operations import deeds
from bindery.storage.policy import binders, bordereaux
from bindery.storage.policy.binders import ListedBinder
from bindery.storage.policy.bordereaux import KeptBordereau, KeptFileOf, Series

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


@dataclass(frozen=True, slots=True)
class MadeBordereau:
    totals: BordereauTotals
    files: tuple[Path, ...]
    frozen: KeptBordereau | None
    exceptions: tuple[BordereauException, ...]


@dataclass(slots=True)
class _Written:
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


async def make_bordereau(
    runtime: Runtime, ask: BordereauAsk, out: Path, *, by: Doer, advance: Advance = lambda _done, _of: None
) -> MadeBordereau:
    """Write the files of a bordereau into a folder.

    Raises:
        InvalidRequest: there is no such binder, or the template has no columns for this kind.
    """
    if not ask.template.columns_of(ask.kind):
        raise InvalidRequest(f"The template {ask.template.name} has no columns for a {ask.kind} bordereau.")
    with tempfile.TemporaryDirectory(dir=out, prefix=".bordereau-") as name:
        folder = Path(name)
        async with runtime.database.snapshot() as tx:
            binder = await _find_binder(tx, ask.agreement)
            series = Series(binder_id=binder.binder_id, kind=ask.kind, template=ask.template.name)
            frozen = await bordereaux.find(tx, series, ask.month)
            if frozen is None:
                written = await _write(tx, ask, binder, folder, advance=advance)
        if frozen is None:
            if written.is_open and not written.note:
                # How many there are is known with the last row, and the note comes before the first.
                written.note = draft_note(ask.month, written.today, written.exceptions)
                await asyncio.to_thread(_write_again, written, folder)
            totals = await asyncio.to_thread(_finish, ask, written, folder, runtime.settings.platform_url)
            if written.note:
                stem = stem_of(ask.agreement, ask.month, ask.kind, ask.template.name, is_draft=True)
                return MadeBordereau(totals, (*_moved(folder, out, stem),), None, (*written.exceptions,))
            frozen = await _freeze(runtime, ask, series, written, folder, by=by)
    return await hand_out(runtime, frozen, out)


async def _find_binder(tx: Reader, agreement: str) -> ListedBinder:
    found = [binder for binder in await binders.list_binders(tx) if binder.agreement == agreement]
    if not found:
        raise InvalidRequest(f"There is no binder {agreement}: bindery binder list.")
    return found[0]


async def _write(
    tx: Reader, ask: BordereauAsk, binder: ListedBinder, folder: Path, *, advance: Advance
) -> _Written:
    series = Series(binder_id=binder.binder_id, kind=ask.kind, template=ask.template.name)
    transaction_ids = await bordereaux.due(tx, series, ask.month)
    frame = frame_of(binder, ask.month, today=tx.today)
    note = draft_note(ask.month, tx.today, [])
    exceptions = await _without_carrier(tx, ask.month)
    written = _Written(ask, transaction_ids, frame, exceptions, note, tx.real_now, tx.today)
    written.exceptions += _missing_everywhere(written.columns, frame)
    with _files(written, folder) as files:
        writing = asyncio.ensure_future(asyncio.sleep(0))
        try:
            async for lines in _batches(tx, written):
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
            # The files are closed after the last rows.
            await writing
        written.sums = files.sums
    return written


def _write_again(written: _Written, folder: Path) -> None:
    """Write the files of the same rows with their note."""
    kept = _place(folder, BordereauFormat.PARQUET).rename(folder / "kept.parquet")
    with _files(written, folder) as files:
        for filled in kept_rows(kept, written.columns):
            files.write(filled)
    kept.unlink()


def _files(written: _Written, folder: Path) -> BordereauFiles:
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


async def _batches(tx: Reader, written: _Written) -> AsyncIterator[Lines]:
    """Return the lines batch by batch; the database looks the next ones up while these are written."""
    ids, until = written.transaction_ids, written.frame.until
    with_employees = says_employees(written.columns)

    def ask(start: int) -> "asyncio.Task[Lines]":
        of = ids[start : start + BATCH]
        return asyncio.create_task(bordereaux.lines(tx, of, until=until, with_employees=with_employees))

    following = ask(0)
    try:
        for start in range(0, len(ids), BATCH):
            lines = await following
            following = ask(start + BATCH)
            yield lines
    finally:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)


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


def _finish(ask: BordereauAsk, written: _Written, folder: Path, platform_url: str) -> BordereauTotals:
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
        sha256={kind: _sha256(_place(folder, kind)) for kind in TABLES},
    )
    text = msgspec.json.format(msgspec.json.encode(totals), indent=2) + b"\n"
    _place(folder, BordereauFormat.TOTALS).write_bytes(text)
    _place(folder, BordereauFormat.EXCEPTIONS).write_bytes(
        exceptions_csv(written.exceptions, platform_url=platform_url)
    )
    return totals


def _place(folder: Path, kind: BordereauFormat) -> Path:
    return folder / f"rows.{kind}"


def _sha256(path: Path) -> str:
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _moved(folder: Path, out: Path, stem: str) -> Iterator[Path]:
    for kind, ending in ENDINGS.items():
        to = out / f"{stem}{ending}"
        shutil.move(_place(folder, kind), to)
        yield to


async def _freeze(
    runtime: Runtime, ask: BordereauAsk, series: Series, written: _Written, folder: Path, *, by: Doer
) -> KeptBordereau:
    """Keep the files, and then that they are what was reported; where another was quicker, return theirs."""
    files = [await _kept(runtime, kind, _place(folder, kind)) for kind in BordereauFormat]
    async with runtime.database.transaction() as tx:
        row = {
            "month": ask.month.since,
            "template_text": ask.template.text,
            "frame": msgspec.json.encode(written.frame).decode(),
            "lines": len(written.transaction_ids),
            "premium": written.premium,
            "charges": written.charges,
            "commission": written.commission,
            "exceptions": len(written.exceptions),
            "because": ask.because if written.exceptions else "",
            "made_at": tx.real_now,
            "made_on": tx.today,
            "made_by": by.name,
        }
        made = await bordereaux.freeze(tx, series, row, files=files, transaction_ids=written.transaction_ids)
        if made is not None:
            about = f"{ask.agreement} {ask.month} {ask.kind}"
            details = f"{len(written.transaction_ids):,} rows, template {ask.template.name}"
            await deeds.append(tx, by, Deed.BORDEREAU_MADE, about, details=details)
        frozen = await bordereaux.find(tx, series, ask.month)
    assert frozen is not None, "it was kept a moment ago"
    return frozen


async def _kept(runtime: Runtime, kind: BordereauFormat, path: Path) -> KeptFileOf:
    blob = await runtime.blobs.put_file(path)
    return KeptFileOf(format=kind, sha256=blob.sha256, size=blob.size)


async def hand_out(runtime: Runtime, frozen: KeptBordereau, out: Path) -> MadeBordereau:
    """Write the files of a frozen bordereau into a folder, as they were kept."""
    async with runtime.database.reading() as tx:
        kept = {file.format: file for file in await bordereaux.files_of(tx, frozen.bordereau_id)}
    stem = stem_of(frozen.agreement, Month(frozen.month), frozen.kind, frozen.template)
    paths = []
    for kind, ending in ENDINGS.items():
        path = out / f"{stem}{ending}"
        await runtime.blobs.copy(kept[kind].sha256, path)
        paths.append(path)
    totals = await runtime.blobs.get(kept[BordereauFormat.TOTALS].sha256)
    return MadeBordereau(msgspec.json.decode(totals, type=BordereauTotals), tuple(paths), frozen, ())
