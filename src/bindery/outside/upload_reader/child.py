"""Reads one uploaded file and prints what it found as JSON; runs in a process of its own with limits.

Whatever a hostile file does here ends with this process: its memory, time and files are bounded before the
first byte is looked at, and its environment holds no secret. What it costs grows with the size of the file
and no faster, as far as that is in our hands; the limit on processor time is for the rest.
"""

import json
import resource
import sys
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, BinaryIO, Final

from bindery.outside.upload_reader import pdf, pictures, word

MEMORY_BYTES: Final = 1024 * 1024 * 1024
CPU_SECONDS: Final = 6

READERS: Final[Mapping[str, Callable[[BinaryIO], dict[str, Any]]]] = {
    "application/pdf": pdf.read_pdf,
    "image/png": partial(pictures.read_picture, kind="PNG"),
    "image/jpeg": partial(pictures.read_picture, kind="JPEG"),
    "image/tiff": partial(pictures.read_picture, kind="TIFF"),
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": word.read_word_document,
}


def main() -> None:
    """Read standard input as the kind of file that the first argument names."""
    limit_this_process()
    sys.stdout.write(json.dumps(read(sys.stdin.buffer, sys.argv[1])))


def limit_this_process() -> None:
    """Bound memory and processor time, and allow no new files and no core dump."""
    for kind, most in (
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_CPU, CPU_SECONDS),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(kind)
        ceiling = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (ceiling, ceiling))


def read(file: BinaryIO, content_type: str) -> dict[str, Any]:
    """Read a file; one that its own format's reader cannot open is damaged."""
    try:
        return READERS[content_type](file)
    except (pdf.EncryptedPdf, word.EncryptedWord):
        return {"flaw": "it is encrypted"}
    except pictures.TooManyPixels:
        return {"flaw": "it has too many pixels"}
    except word.TooMuchText:
        return {"flaw": "it holds more text than we read"}
    except MemoryError:
        return {"flaw": "reading it takes too much memory"}
    except Exception:  # noqa: BLE001 - the libraries raise anything over a broken file
        return {"flaw": "it cannot be opened", "damaged": True}


if __name__ == "__main__":
    main()
