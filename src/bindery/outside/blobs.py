"""Files by the hash of what is in them: a folder, or a bucket of S3, Google Cloud or Azure."""

import asyncio
import hashlib
import os
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

import obstore
import structlog
from obstore.exceptions import AlreadyExistsError, BaseError
from obstore.store import LocalStore, ObjectStore, from_url

from bindery.base.errors import Misconfigured
from bindery.base.private_files import close_to_others, flush_to_disk, is_open_to_others, make_private_folder

if TYPE_CHECKING:
    from obstore.store import RetryConfig

SCHEMES: Final = ("file", "s3", "gs", "az")
FOLDER: Final = "files"
PIECE: Final = 256 * 1024
_RETRIES: "Final[RetryConfig]" = {"max_retries": 3, "retry_timeout": timedelta(seconds=20)}
log = structlog.get_logger()
_HASH = re.compile(r"[0-9a-f]{64}")
_FIRST_TWO = re.compile(r"[0-9a-f]{2}")


class BlobLost(Exception):
    """A stored file cannot be returned as it was."""


class BlobMissing(BlobLost):
    """It is not there any more."""


class BlobDamaged(BlobLost):
    """It is there, and is not what was stored."""


class BlobsUnavailable(ConnectionError):
    """The store does not answer; what was asked may be tried again."""


@dataclass(frozen=True, slots=True)
class Blob:
    sha256: str
    size: int


class Blobs:
    """A store of files that never change; the same content is stored once."""

    def __init__(self, store: ObjectStore, *, folder: Path | None = None) -> None:
        self._store = store
        self._folder = folder

    async def put(self, content: bytes | memoryview) -> Blob:
        """Store a file unless it is stored whole; afterwards it is as safe as the database's rows."""
        blob = Blob(hashlib.sha256(content).hexdigest(), len(content))
        async with self._storing(blob.sha256) as path:
            try:
                await obstore.put_async(self._store, path, content, mode="create")
            except AlreadyExistsError:
                if await self._digest(path) != blob.sha256:
                    await obstore.put_async(self._store, path, content, mode="overwrite")
        return blob

    async def put_file(self, file: Path) -> Blob:
        """Store a file as `put` does, piece by piece: it may be larger than what the process should take."""
        blob = await asyncio.to_thread(_blob_of, file)
        async with self._storing(blob.sha256) as path:
            try:
                is_stored = await self._digest(path) == blob.sha256
            except FileNotFoundError:
                is_stored = False
            if not is_stored:
                await obstore.put_async(self._store, path, file, max_concurrency=2)
        return blob

    @asynccontextmanager
    async def _storing(self, sha256: str) -> AsyncIterator[str]:
        path = _path(sha256)
        try:
            if self._folder is not None:
                await asyncio.to_thread(make_private_folder, (self._folder / path).parent)
            yield path
            if self._folder is not None:
                await asyncio.to_thread(_flush, self._folder / path, self._folder)
        except (BaseError, OSError) as fault:
            raise BlobsUnavailable(f"The file {sha256} cannot be stored: {fault}") from fault

    async def _digest(self, path: str) -> str:
        """Hash a stored file piece by piece: large files must not fill the memory."""
        if self._folder is not None:
            return await asyncio.to_thread(_digest_of, self._folder / path)
        found = hashlib.sha256()
        async for piece in (await obstore.get_async(self._store, path)).stream(min_chunk_size=PIECE):
            found.update(piece)
        return found.hexdigest()

    async def get(self, sha256: str) -> bytes:
        """Return a file, every byte as it was stored.

        Raises:
            BlobMissing: it is not there.
            BlobDamaged: it is not what was stored.
            BlobsUnavailable: the store does not answer.
        """
        with _reading(sha256):
            result = await obstore.get_async(self._store, _path(sha256))
            content = bytes(await result.bytes_async())
        _check(sha256, hashlib.sha256(content).hexdigest())
        return content

    async def copy(self, sha256: str, to: Path) -> None:
        """Write a file out piece by piece; raise as `get` does."""
        found = hashlib.sha256()
        with to.open("wb") as file, _reading(sha256):
            async for piece in (await obstore.get_async(self._store, _path(sha256))).stream():
                found.update(piece)
                file.write(piece)
        _check(sha256, found.hexdigest())

    async def find_lost(self, hashes: Sequence[str]) -> dict[str, BlobLost]:
        """Read files to their ends, several at a time, and return those that are not as they were stored.

        Raises:
            BlobsUnavailable: the store does not answer.
        """
        lost: dict[str, BlobLost] = {}
        cores = os.cpu_count() or 1
        # Threads hash at the same time, up to where they wait for each other.
        readers, at_a_time = (min(max(cores, 2), 16), 100) if self._folder is not None else (16, 1)
        parts = iter([hashes[start : start + at_a_time] for start in range(0, len(hashes), at_a_time)])

        async def read_parts() -> None:
            for part in parts:
                if self._folder is not None:
                    # A turn in a thread for each file takes ten times as long as reading a short one.
                    lost.update(await asyncio.to_thread(_lost_of, self._folder, part))
                else:
                    lost.update(await self._lost_of_bucket(part))

        await asyncio.gather(*(read_parts() for _ in range(readers)))
        return lost

    async def _lost_of_bucket(self, hashes: Sequence[str]) -> dict[str, BlobLost]:
        lost: dict[str, BlobLost] = {}
        for sha256 in hashes:
            try:
                with _reading(sha256):
                    found = await self._digest(_path(sha256))
                _check(sha256, found)
            except BlobLost as fault:
                lost[sha256] = fault
        return lost

    async def probe(self, content: bytes) -> None:
        """Write a file, read it and delete it; the content is random, so that nobody else's is touched.

        Raises:
            BlobsUnavailable: one of the three does not work.
        """
        path = f"probe/{hashlib.sha256(content).hexdigest()}"
        try:
            if self._folder is not None:
                await asyncio.to_thread(make_private_folder, (self._folder / path).parent)
            await obstore.put_async(self._store, path, content)
            found = bytes(await (await obstore.get_async(self._store, path)).bytes_async())
            await obstore.delete_async(self._store, path)
        except (BaseError, OSError) as fault:
            reason = str(fault).partition("\n")[0]
            raise BlobsUnavailable(f"The store of files does not work: {reason}") from fault
        if found != content:
            raise BlobsUnavailable("The store of files returns another content than was written.")


def open_blobs(url: str, data_dir: Path) -> Blobs:
    """Open the store that the settings name: a folder under the data folder where they name none."""
    scheme, colon, rest = url.partition("://")
    if not url or scheme == "file":
        folder = Path(rest) if rest else data_dir / FOLDER
        try:
            make_private_folder(folder)
            _close(folder)
        except (FileExistsError, NotADirectoryError) as fault:
            # As where a disk is not mounted yet: a process may be started before its files are there.
            log.warning("files_unavailable", folder=str(folder), reason=str(fault))
        return Blobs(LocalStore(folder), folder=folder)
    if not colon or scheme not in SCHEMES:
        raise Misconfigured(
            f"BINDERY_BLOBS_URL must start with {', '.join(f'{name}://' for name in SCHEMES)}."
        )
    try:
        return Blobs(from_url(url, retry_config=_RETRIES))
    except (BaseError, ValueError) as fault:
        reason = str(fault).partition("\n")[0]
        raise Misconfigured(f"BINDERY_BLOBS_URL does not work: {reason}.") from fault


@contextmanager
def _reading(sha256: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise BlobMissing(f"The file {sha256} is not there.") from None
    except (BaseError, OSError) as fault:
        raise BlobsUnavailable(f"The file {sha256} cannot be read: {fault}") from fault


def _check(sha256: str, found: str) -> None:
    if found != sha256:
        raise BlobDamaged(f"The file {sha256} is damaged.")


def _path(sha256: str) -> str:
    assert _HASH.fullmatch(sha256), "files are named by the hash of their content"
    return f"{sha256[:2]}/{sha256}"


def _close(folder: Path) -> None:
    """Close the files that earlier versions left open to other accounts.

    A folder is closed after its files, so that one found closed needs no second look.
    """
    for inner in folder.iterdir():
        if _FIRST_TWO.fullmatch(inner.name) and inner.is_dir() and is_open_to_others(inner):
            for file in inner.iterdir():
                close_to_others(file)
            close_to_others(inner)


def _blob_of(file: Path) -> Blob:
    return Blob(_digest_of(file), file.stat().st_size)


def _lost_of(folder: Path, hashes: Sequence[str]) -> dict[str, BlobLost]:
    lost: dict[str, BlobLost] = {}
    piece = bytearray(PIECE)
    for sha256 in hashes:
        try:
            with _reading(sha256):
                found = _digest_of(f"{folder}/{_path(sha256)}", piece)
            _check(sha256, found)
        except BlobLost as fault:
            lost[sha256] = fault
    return lost


def _digest_of(file: Path | str, piece: bytearray | None = None) -> str:
    found = hashlib.sha256()
    piece = piece or bytearray(PIECE)
    whole = memoryview(piece)
    # Without a buffer between: most files are read in one piece.
    with open(file, "rb", buffering=0) as content:  # noqa: PTH123 - a path object costs more than a short file
        while length := content.readinto(piece):
            found.update(whole[:length])
    return found.hexdigest()


def _flush(path: Path, folder: Path) -> None:
    close_to_others(path)
    flush_to_disk(path, path.parent, folder)
