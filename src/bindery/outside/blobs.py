"""Files by the hash of what is in them: a folder, or a bucket of S3, Google Cloud or Azure."""

import asyncio
import hashlib
import os
import re
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

import obstore
from obstore.exceptions import AlreadyExistsError, BaseError
from obstore.store import LocalStore, ObjectStore, from_url

from bindery.base.errors import Misconfigured

if TYPE_CHECKING:
    from obstore.store import RetryConfig

SCHEMES: Final = ("file", "s3", "gs", "az")
FOLDER: Final = "files"
_RETRIES: "Final[RetryConfig]" = {"max_retries": 3, "retry_timeout": timedelta(seconds=20)}
_HASH = re.compile(r"[0-9a-f]{64}")


class BlobMissing(Exception):
    """A file that was stored is not there any more, or is not what was stored."""


class BlobsUnavailable(ConnectionError):
    """The store does not answer; what was asked may be tried again."""


@dataclass(frozen=True, slots=True)
class Blob:
    """What a stored file is known by."""

    sha256: str
    size: int


class Blobs:
    """A store of files that never change; the same content is stored once, whoever brings it."""

    def __init__(self, store: ObjectStore, *, folder: Path | None = None) -> None:
        self._store = store
        self._folder = folder

    async def put(self, content: bytes | memoryview) -> Blob:
        """Store a file unless it is there; when this returns it is as safe as the database's own rows.

        Raises:
            BlobsUnavailable: the store does not answer.
        """
        blob = Blob(hashlib.sha256(content).hexdigest(), len(content))
        path = _path(blob.sha256)
        try:
            await obstore.put_async(self._store, path, content, mode="create")
        except AlreadyExistsError:
            pass
        except BaseError as fault:
            raise BlobsUnavailable(f"The file {blob.sha256} cannot be stored: {fault}") from fault
        if self._folder is not None:
            await asyncio.to_thread(_flush, self._folder / path, self._folder)
        return blob

    async def get(self, sha256: str) -> bytes:
        """Give a file.

        Raises:
            BlobMissing: it is not there, or is not what was stored.
            BlobsUnavailable: the store does not answer.
        """
        try:
            result = await obstore.get_async(self._store, _path(sha256))
            content = bytes(await result.bytes_async())
        except FileNotFoundError:
            raise BlobMissing(f"The file {sha256} is not there.") from None
        except BaseError as fault:
            raise BlobsUnavailable(f"The file {sha256} cannot be read: {fault}") from fault
        if hashlib.sha256(content).hexdigest() != sha256:
            raise BlobMissing(f"The file {sha256} is damaged.")
        return content

    async def get_range(self, sha256: str, start: int, end: int) -> bytes:
        """Give the bytes of a file from `start` up to, not including, `end`.

        Raises:
            BlobMissing: it is not there.
            BlobsUnavailable: the store does not answer.
        """
        try:
            return bytes(await obstore.get_range_async(self._store, _path(sha256), start=start, end=end))
        except FileNotFoundError:
            raise BlobMissing(f"The file {sha256} is not there.") from None
        except BaseError as fault:
            raise BlobsUnavailable(f"The file {sha256} cannot be read: {fault}") from fault

    async def exists(self, sha256: str) -> bool:
        """Say whether a file is stored.

        Raises:
            BlobsUnavailable: the store does not answer.
        """
        try:
            await obstore.head_async(self._store, _path(sha256))
        except FileNotFoundError:
            return False
        except BaseError as fault:
            raise BlobsUnavailable(f"The file {sha256} cannot be looked for: {fault}") from fault
        return True


def open_blobs(url: str, data_dir: Path) -> Blobs:
    """Open the store that the settings name: a folder under the data folder where they name none.

    Raises:
        Misconfigured: the address is of no kind we know, or lacks something.
    """
    scheme, colon, rest = url.partition("://")
    if not url or scheme == "file":
        folder = Path(rest) if rest else data_dir / FOLDER
        folder.mkdir(parents=True, exist_ok=True)
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


def _path(sha256: str) -> str:
    assert _HASH.fullmatch(sha256), "files are named by the hash of their content"
    return f"{sha256[:2]}/{sha256}"


def _flush(path: Path, folder: Path) -> None:
    """Have the disk write a file and the folders that name it."""
    for target in (path, path.parent, folder):
        descriptor = os.open(target, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
