"""A press: reads requests to make or seal documents from standard input, writes PDFs to standard output.

It ends when standard input does, in the middle of a document too: its parent is gone then.
"""

import os
import pickle
import resource
import signal
import struct
import sys
import threading
import traceback
from enum import StrEnum
from queue import SimpleQueue
from typing import Any, BinaryIO, Final

from bindery.documents import MissingFacts, render
from bindery.domain.documents.seal import StampRefused

HEADER: Final = struct.Struct("!cI")
"""Precedes a request or an answer: one byte for its kind, and the size of the rest."""
REQUEST: Final = b"?"
DOCUMENT: Final = b"P"
MISSING_FACTS: Final = b"M"
STAMP_REFUSED: Final = b"S"
FAILED: Final = b"F"

MEMORY_BYTES: Final = 1024 * 1024 * 1024


class Work(StrEnum):
    """What a press does; all but the first are functions of `documents.seal`."""

    TYPESET = "typeset"
    SEAL = "seal_pdf"
    ASK_FOR_STAMP = "stamp_request"
    STAMP = "with_stamp"


def main() -> None:
    """Make documents until the parent is gone; the first argument is the niceness."""
    os.nice(int(sys.argv[1]))
    _limit_this_process()
    answers = _take_standard_output()
    requests: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_receive, args=(sys.stdin.buffer, requests), daemon=True).start()
    while True:
        kind, body = answer(requests.get())
        try:
            answers.write(HEADER.pack(kind, len(body)) + body)
            answers.flush()
        except BrokenPipeError:
            # The parent died before its end of standard input was closed; nobody waits for anything more.
            os._exit(0)


def answer(request: bytes) -> tuple[bytes, bytes]:
    try:
        work, arguments, options = pickle.loads(request)  # noqa: S301 - from our own parent
        return DOCUMENT, do(work, *arguments, **options)
    except MissingFacts as missing:
        return MISSING_FACTS, str(missing).encode()
    except StampRefused as refused:
        return STAMP_REFUSED, str(refused).encode()
    except Exception:  # noqa: BLE001 - the parent raises it where the document was asked for
        return FAILED, traceback.format_exc().encode()


def do(work: Work, *arguments: Any, **options: Any) -> bytes:  # noqa: ANN401 - those of the work
    if work is Work.TYPESET:
        return render(*arguments, **options)
    # Half a second of processor time and 30 MB, for presses that seal only.
    from bindery.documents import seal  # noqa: PLC0415

    made: bytes = getattr(seal, work)(*arguments, **options)
    return made


def _receive(source: BinaryIO, requests: SimpleQueue[bytes]) -> None:
    while len(header := source.read(HEADER.size)) == HEADER.size:
        _, size = HEADER.unpack(header)
        requests.put(source.read(size))
    os._exit(0)


def _limit_this_process() -> None:
    for kind, most in ((resource.RLIMIT_AS, MEMORY_BYTES), (resource.RLIMIT_CORE, 0)):
        _, hard = resource.getrlimit(kind)
        ceiling = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (ceiling, ceiling))
    # A signal to all processes of a service must not end documents in the making.
    for ignored in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)


def _take_standard_output() -> BinaryIO:
    """Keep standard output for answers; what anybody prints goes to standard error."""
    own = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return own
