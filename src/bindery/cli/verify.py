"""Whether everything that was kept is still there: after a restore, or whenever somebody wants to know."""

import asyncio
import contextlib
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Final, TypeVar

import typer

from bindery.cli import common
from bindery.cli.progress import progress_bar
from bindery.cli.stored import with_runtime
from bindery.domain.policy.kept_bind import flaws_of_bind
from bindery.domain.quote.journal_check import flaws_of
from bindery.outside.blobs import BlobLost, BlobMissing, Blobs, BlobsUnavailable
from bindery.storage.database import Reader
from bindery.storage.operations import kept
from bindery.storage.operations.kept import KeptFile, KeptFileKind, KeptFlaw
from bindery.storage.quote import journal, journals_checked

if TYPE_CHECKING:
    from bindery.runtime import Runtime

FLAWED: Final = 1
BATCH: Final = 1_000
SHOWN: Final = 20
MOST_LISTED: Final = 1_000
"""Findings of a kind that are listed as JSON; those beyond are counted."""


_Kind = TypeVar("_Kind", bound=StrEnum)


class KeptKind(StrEnum):
    JOURNALS = "journals"
    EVENTS = "events"
    DOCUMENTS = "documents"
    UPLOADS = "uploads"
    BINDS = "binds"
    JOBS = "jobs"


@dataclass(slots=True)
class LookedAt:
    """What was looked at of a kind, and what is wrong with it."""

    checked: int = 0
    flawed: int = 0
    findings: list[KeptFlaw] = field(default_factory=list)

    def add(self, checked: int, flaws: Iterable[KeptFlaw]) -> None:
        self.checked += checked
        for flaw in flaws:
            self.flawed += 1
            if len(self.findings) < MOST_LISTED:
                self.findings.append(flaw)


def verify(
    *,
    sample: Annotated[
        int | None, common.optional("Look at so many quotes, drawn at random.", "--sample", min=1)
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Look at every quote; the default.")] = False,
    data: common.DataOption = None,
    as_json: common.JsonOption = False,
) -> None:
    """Check everything that was kept.

    Journals are chained and without gaps, and every event of theirs is in the feed once. Every document and
    upload is there with its hash. Every bind has its events, documents and mails. No job is about something
    that does not exist. All of it is read as it was at one moment, while the service goes on. Exit code 1
    where anything is wrong.
    """
    if everything and sample is not None:
        common.refuse("Give either --all or --sample.")
    try:
        found = with_runtime(data, lambda runtime: _look(runtime, sample))
    except BlobsUnavailable as fault:
        common.refuse(f"Not everything could be looked at. {fault}")
    if as_json:
        common.print_json({kind: found[kind] for kind in KeptKind})
    else:
        _print_found(found, sample)
    if any(each.flawed for each in found.values()):
        raise typer.Exit(FLAWED)


async def _look(runtime: "Runtime", sample: int | None) -> dict[KeptKind, LookedAt]:
    found = {kind: LookedAt() for kind in KeptKind}
    with progress_bar() as progress:
        # Files are read while the snapshot is open: more of them than the memory holds belong to it.
        async with runtime.database.snapshot() as tx:
            total = await journal.count_quotes(tx) if sample is None else sample
            bar = progress.add_task("Reading what was kept", total=total)
            rows = _rows_of_quotes(tx, sample, found)
            async with contextlib.aclosing(_with_lost(rows, runtime.blobs)) as batches:
                async for files, lost in batches:
                    await _note_files(tx, files, lost, found)
                    progress.advance(bar, len(files.quote_ids))
            async for others in _other_files(tx):
                await _look_at_files(runtime.blobs, others, found)
            found[KeptKind.JOBS].add(*await kept.jobs(tx))
    return found


@dataclass(frozen=True, slots=True)
class _Files:
    """The files of some quotes, by their hashes."""

    quote_ids: Sequence[uuid.UUID]
    hashes: Mapping[KeptFileKind, Sequence[str]]


async def _rows_of_quotes(
    tx: Reader, sample: int | None, found: dict[KeptKind, LookedAt]
) -> AsyncIterator[_Files]:
    """Look at the rows of quotes, batch by batch, and return the files they name."""
    async for quote_ids in _batches(tx, sample):
        await _look_at_quotes(tx, quote_ids, found)
        yield _Files(quote_ids, await kept.hashes_of(tx, quote_ids))


async def _with_lost(
    batches: AsyncIterator[_Files], blobs: Blobs
) -> AsyncGenerator[tuple[_Files, dict[str, BlobLost]]]:
    """Look at the files of each batch, in threads, while the rows of the next are read."""
    before: tuple[_Files, asyncio.Task[dict[str, BlobLost]]] | None = None
    try:
        async for files in batches:
            if before is not None:
                yield before[0], await before[1]
            hashes = [*chain.from_iterable(files.hashes.values())]
            before = files, asyncio.create_task(blobs.find_lost(hashes))
        if before is not None:
            yield before[0], await before[1]
    finally:
        if before is not None:
            before[1].cancel()


async def _batches(tx: Reader, sample: int | None) -> AsyncIterator[Sequence[uuid.UUID]]:
    if sample is not None:
        drawn = await kept.some_quotes(tx, sample)
        for start in range(0, len(drawn), BATCH):
            yield drawn[start : start + BATCH]
        return
    last = uuid.UUID(int=0)
    while batch := await kept.quotes_after(tx, last, limit=BATCH):
        yield batch
        last = batch[-1]


async def _look_at_quotes(
    tx: Reader, quote_ids: Sequence[uuid.UUID], found: dict[KeptKind, LookedAt]
) -> None:
    checked = await journals_checked.check_some(tx, quote_ids)
    doubtful = await journal.read_some(tx, checked.doubtful) if checked.doubtful else []
    found[KeptKind.JOURNALS].add(
        checked.journals,
        (
            KeptFlaw(
                quote_id=flaw.quote_id, what=f"entry {flaw.entry}: {flaw.what}" if flaw.entry else flaw.what
            )
            for history in doubtful
            for flaw in flaws_of(history)
        ),
    )
    found[KeptKind.EVENTS].add(checked.events, await kept.events_amiss(tx, quote_ids))
    binds = await kept.binds_of(tx, quote_ids)
    found[KeptKind.BINDS].add(
        len(binds),
        (
            KeptFlaw(quote_id=bind.quote_id, what=f"{bind.policy_number}: {what}")
            for bind in binds
            for what in flaws_of_bind(bind)
        ),
    )


_FOUND_AS: Final = {KeptFileKind.DOCUMENT: KeptKind.DOCUMENTS, KeptFileKind.UPLOAD: KeptKind.UPLOADS}


async def _note_files(
    tx: Reader, files: _Files, lost: Mapping[str, BlobLost], found: dict[KeptKind, LookedAt]
) -> None:
    for kind, hashes in files.hashes.items():
        found[_FOUND_AS[kind]].add(len(hashes), ())
    if lost:
        for file in await kept.files_with(tx, files.quote_ids, lost):
            found[_FOUND_AS[file.kind]].add(0, [_flaw_of(file, lost[file.sha256])])


async def _other_files(tx: Reader) -> AsyncIterator[Sequence[KeptFile]]:
    """Return the files that belong to no quote, batch by batch."""
    last: uuid.UUID | None = uuid.UUID(int=0)
    while last is not None:
        letters, last = await kept.letters_after(tx, last, limit=BATCH)
        yield letters
    yield await kept.files_of_bordereaux(tx)


async def _look_at_files(blobs: Blobs, files: Sequence[KeptFile], found: dict[KeptKind, LookedAt]) -> None:
    lost = await blobs.find_lost([file.sha256 for file in files])
    for file in files:
        fault = lost.get(file.sha256)
        found[_FOUND_AS[file.kind]].add(1, [_flaw_of(file, fault)] if fault else [])


def _flaw_of(file: KeptFile, fault: BlobLost) -> KeptFlaw:
    what = "is missing" if isinstance(fault, BlobMissing) else "is not as it was stored"
    return KeptFlaw(quote_id=file.quote_id, what=f"{file.name}: the file {what}")


def _print_found(found: dict[KeptKind, LookedAt], sample: int | None) -> None:
    print_looked_at(found)
    if not any(each.flawed for each in found.values()):
        of = (
            f"a sample of {found[KeptKind.JOURNALS].checked:,} quotes"
            if sample
            else "everything that was kept"
        )
        common.say(f"Of {of}, nothing is missing and nothing was changed.")


def print_looked_at(found: Mapping[_Kind, LookedAt]) -> None:
    common.print_table(
        ("", "Checked", "Wrong"),
        [(kind.capitalize(), f"{each.checked:,}", f"{each.flawed:,}") for kind, each in found.items()],
    )
    for kind, each in found.items():
        for flaw in each.findings[:SHOWN]:
            where = f"Quote {flaw.quote_id}, " if flaw.quote_id else ""
            common.say(f"{kind.capitalize()}: {where}{flaw.what}.")
        if each.flawed > SHOWN:
            common.say(f"{kind.capitalize()}: and {each.flawed - SHOWN:,} more; --json lists them.")
