"""Make the bordereau of a month, and freeze it once the month is over and nothing stands in its way.

What was frozen is never made again: it is handed out as it was kept.
"""

import asyncio
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from bindery.actions.policy.write_bordereau import (
    Advance,
    BordereauAsk,
    Written,
    place_of,
    write_again,
    write_bordereau,
    write_totals,
)
from bindery.base.errors import InvalidRequest
from bindery.domain.access.deeds import Deed, Doer
from bindery.domain.bordereaux.bordereau import (
    ENDINGS,
    BordereauException,
    BordereauFormat,
    BordereauTotals,
    Month,
    draft_note,
    stem_of,
)
from bindery.runtime import Runtime
from bindery.storage.database import Reader
from bindery.storage.operations import deeds
from bindery.storage.policy import binders, bordereaux
from bindery.storage.policy.binders import ListedBinder
from bindery.storage.policy.bordereaux import KeptBordereau, KeptFileOf, Series


@dataclass(frozen=True, slots=True)
class MadeBordereau:
    totals: BordereauTotals
    files: tuple[Path, ...]
    frozen: KeptBordereau | None
    exceptions: tuple[BordereauException, ...]


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
                written = await write_bordereau(tx, ask, binder, folder, advance=advance)
        if frozen is None:
            if written.is_open and not written.note:
                # How many there are is known with the last row, and the note comes before the first.
                written.note = draft_note(ask.month, written.today, written.exceptions)
                await asyncio.to_thread(write_again, written, folder)
            totals = await asyncio.to_thread(
                write_totals, ask, written, folder, runtime.settings.platform_url
            )
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


def _moved(folder: Path, out: Path, stem: str) -> Iterator[Path]:
    for kind, ending in ENDINGS.items():
        to = out / f"{stem}{ending}"
        shutil.move(place_of(folder, kind), to)
        yield to


async def _freeze(
    runtime: Runtime, ask: BordereauAsk, series: Series, written: Written, folder: Path, *, by: Doer
) -> KeptBordereau:
    """Keep the files, and then that they are what was reported; where another was quicker, return theirs."""
    files = [await _kept(runtime, kind, place_of(folder, kind)) for kind in BordereauFormat]
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
