"""Having an uploaded file read by a child process that may die without harm."""

import asyncio
import contextlib
import sys
from typing import Final

import msgspec

from bindery.domain.application_matching import PaperReading

TIMEOUT_S: Final = 10.0
MOST_AT_ONCE: Final = 2
"""Each child may take a gigabyte and a core."""

_CHILD: Final = ("-I", "-B", "-m", "bindery.outside.paper_reader.child")
_TOO_LONG: Final = PaperReading(flaw="Reading the file took too long.")
_DIED: Final = PaperReading(flaw="The file could not be read.")
_decode = msgspec.json.Decoder(PaperReading).decode


class PaperReader:
    """Reads uploaded files, a few at a time."""

    def __init__(self, *, timeout_s: float = TIMEOUT_S) -> None:
        self._timeout_s = timeout_s
        self._places = asyncio.Semaphore(MOST_AT_ONCE)

    async def read(self, content: bytes, content_type: str) -> PaperReading:
        """Read a file; a crash, a bomb or a time-out is a reading with a flaw."""
        async with self._places:
            child = await asyncio.create_subprocess_exec(
                sys.executable,
                *_CHILD,
                content_type,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                env={},
                start_new_session=True,
            )
            try:
                async with asyncio.timeout(self._timeout_s):
                    answer, _ = await child.communicate(content)
            except TimeoutError:
                return _TOO_LONG
            finally:
                if child.returncode is None:
                    with contextlib.suppress(ProcessLookupError):
                        child.kill()
                    await child.wait()
        if child.returncode != 0:
            return _DIED
        try:
            return _decode(answer)
        except msgspec.MsgspecError:
            return _DIED
