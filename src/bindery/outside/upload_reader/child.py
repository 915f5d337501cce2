"""Reads one uploaded file and prints what it found as JSON; runs in a process of its own with limits.

Damage by a hostile file ends with this process: its memory, time and files are bounded before the
first byte is read, and its environment holds no secret. Its cost grows with the size of the file and no
faster, as far as that is in our hands; the limit on processor time is for the rest.
"""

import json
import resource
import sys
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, BinaryIO, Final

from bindery.outside.upload_reader import formats

MEMORY_BYTES: Final = 1024 * 1024 * 1024
CPU_SECONDS: Final = 6

READERS: Final[Mapping[str, Callable[[BinaryIO, BinaryIO | None], dict[str, Any]]]] = {
    "application/pdf": formats.read_pdf,
    "image/png": partial(formats.read_picture, kind="PNG"),
    "image/jpeg": partial(formats.read_picture, kind="JPEG"),
    "image/tiff": partial(formats.read_picture, kind="TIFF"),
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": formats.read_word_document,
}


def main() -> None:
    limit_this_process()
    issued = open(int(sys.argv[2]), "rb") if len(sys.argv) > 2 else None  # noqa: PLR2004, SIM115, PTH123 - an open file, by its number
    sys.stdout.write(json.dumps(read(sys.stdin.buffer, sys.argv[1], issued)))


def limit_this_process() -> None:
    for kind, most in (
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_CPU, CPU_SECONDS),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(kind)
        ceiling = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (ceiling, ceiling))


def read(file: BinaryIO, content_type: str, issued: BinaryIO | None) -> dict[str, Any]:
    try:
        return READERS[content_type](file, issued)
    except formats.FileRefused as refusal:
        return {"flaw": str(refusal)}
    except MemoryError:
        return {"flaw": "reading it takes too much memory"}
    except Exception:  # noqa: BLE001 - the libraries raise anything over a broken file
        return {"flaw": "it cannot be opened", "damaged": True}


if __name__ == "__main__":
    main()
