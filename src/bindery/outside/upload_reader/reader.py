"""Having an uploaded file read by a child process that may die without harm."""

import asyncio
import contextlib
import signal
import sys
from typing import BinaryIO, Final

import msgspec

from bindery.domain.documents.application_matching import PaperReading

TIMEOUT_S: Final = 30.0
"""A hostile file meets the limit on processor time first; this one is far off, for a machine that is busy."""

_CHILD: Final = ("-I", "-B", "-m", "bindery.outside.upload_reader.child")
_TOO_LONG: Final = PaperReading(flaw="reading it takes too long")
_DIED: Final = PaperReading(flaw="reading it failed")
_decode = msgspec.json.Decoder(PaperReading).decode


class UploadReader:
    """Reads uploaded files; each child may take a gigabyte and a core, so callers take turns."""

    def __init__(self, *, timeout_s: float = TIMEOUT_S) -> None:
        self._timeout_s = timeout_s

    async def read(self, file: BinaryIO, content_type: str, issued: BinaryIO | None = None) -> PaperReading:
        """Read a file from its start; a crash, a bomb or a time-out is a reading with a flaw.

        With the application that was `issued`, its pages and its signature are looked for in the file.
        """
        file.seek(0)
        if issued is not None:
            issued.seek(0)
        also = () if issued is None else (issued.fileno(),)
        child = await asyncio.create_subprocess_exec(
            sys.executable,
            *_CHILD,
            content_type,
            *map(str, also),
            # The child reads the file itself: nothing of it passes through this process.
            stdin=file,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={},
            pass_fds=also,
            start_new_session=True,
        )
        try:
            async with asyncio.timeout(self._timeout_s):
                answer, _ = await child.communicate()
        except TimeoutError:
            return _TOO_LONG
        finally:
            if child.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    child.kill()
                await child.wait()
        if child.returncode in {-signal.SIGXCPU, -signal.SIGKILL}:
            return _TOO_LONG
        if child.returncode != 0:
            return _DIED
        try:
            return _decode(answer)
        except msgspec.MsgspecError:
            return _DIED
