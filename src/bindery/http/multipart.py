"""Reading a form with one file as it comes in: the file goes to disk, and too much of it ends the reading."""

import asyncio
import contextlib
import hashlib
import tempfile
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final

from python_multipart import MultipartParser
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import parse_options_header
from starlette.requests import Request

from bindery.base.errors import InvalidRequest, Problem
from bindery.base.numbers import read_digits
from bindery.domain.documents.file_types import LARGEST_PAPER
from bindery.http.errors import TooLarge, UnsupportedMediaType
from bindery.runtime import Runtime

INCOMING: Final = "incoming"
FORM: Final = "multipart/form-data"
FlawsOf = Callable[[Mapping[str, str]], Iterable[Problem]]
FILE_FIELD: Final = "file"
MOST_PARTS: Final = 20
LARGEST_FIELD: Final = 8_192
ROOM_FOR_FIELDS: Final = 64 * 1024
MOST_PASSED_OVER: Final = 4 * LARGEST_PAPER
"""How much of a file that cannot be taken a page reads past, so as to lose no field that comes after it."""


@dataclass(slots=True)
class ReceivedForm:
    file: BinaryIO
    fields: dict[str, str] = field(default_factory=dict)
    filename: str | None = None
    size: int = 0
    sha256: str = ""


@contextlib.asynccontextmanager
async def received_upload(
    runtime: Runtime,
    request: Request,
    *,
    partner_id: int,
    fields: dict[str, str] | None = None,
    flaws_of: FlawsOf | None = None,
    largest_file: int = LARGEST_PAPER,
) -> AsyncIterator[ReceivedForm]:
    """Read the form of an upload; raise `QueueFull` where the partner has too many under way."""
    # Before the body is read, so that what is refused takes no room either.
    with runtime.upload_turns.admitted(partner_id):
        folder = runtime.settings.data_dir / INCOMING
        async with received_form(
            request, folder=folder, largest_file=largest_file, fields=fields, flaws_of=flaws_of
        ) as form:
            yield form


@contextlib.asynccontextmanager
async def received_form(
    request: Request,
    *,
    folder: Path,
    largest_file: int,
    fields: dict[str, str] | None = None,
    flaws_of: FlawsOf | None = None,
    passed_over: int = MOST_PASSED_OVER,
) -> AsyncIterator[ReceivedForm]:
    """Read a form with exactly one file into a folder; the file is gone when the context ends.

    The file has no name from its first moment on, so that nothing of it is left however this process ends.
    `fields` is for pages that show the form again when the file cannot be taken: it gets the fields, also
    those after a file that is too large, which is read past. Checkboxes of one name, which only a page has,
    are joined by spaces. `flaws_of` finds what is wrong with the fields, to be named with what is wrong with
    the file.

    Raises:
        UnsupportedMediaType: the body is not a form.
        TooLarge: the file exceeds its limit.
        InvalidRequest: the form is broken, has no file, an empty one or several, or flaws in its fields.
    """
    media_type, options = parse_options_header(request.headers.get("content-type", ""))
    if media_type.lower() != FORM.encode():
        raise UnsupportedMediaType(f"The body must be sent as Content-Type: {FORM}.")
    boundary = options.get(b"boundary")
    if not boundary:
        raise InvalidRequest.at("", "malformed_form", "The Content-Type has no boundary")
    declared = read_digits(request.headers.get("content-length", "")) or 0
    is_of_a_page = fields is not None
    most = (passed_over if is_of_a_page else largest_file) + ROOM_FOR_FIELDS
    if declared > largest_file + ROOM_FOR_FIELDS and not is_of_a_page:
        raise _too_large(largest_file)
    await asyncio.to_thread(folder.mkdir, mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder) as file:
        parts = _Parts(ReceivedForm(file, {} if fields is None else fields), largest_file)
        parts.is_of_a_page = is_of_a_page
        try:
            parser = MultipartParser(
                boundary,
                {
                    "on_part_begin": parts.begin,
                    "on_header_field": parts.header_name,
                    "on_header_value": parts.header_value,
                    "on_header_end": parts.header_end,
                    "on_headers_finished": parts.headers_finished,
                    "on_part_data": parts.data,
                    "on_part_end": parts.end,
                    "on_end": parts.finish,
                },
            )
            read = 0
            async for chunk in request.stream():
                # Counted here too: whatever surrounds the file must not be endless either.
                read += len(chunk)
                if read > most:
                    raise _too_large(largest_file)
                parser.write(chunk)
            parser.finalize()
        except FormParserError as fault:
            raise InvalidRequest.at("", "malformed_form", f"The form is broken: {fault}") from None
        yield parts.received(flaws_of)


async def read_past_file(request: Request, *, folder: Path) -> dict[str, str]:
    """Read the fields of a page's form and keep nothing of its file.

    Raises:
        UnsupportedMediaType: the body is not a form.
    """
    fields: dict[str, str] = {}
    with contextlib.suppress(TooLarge, InvalidRequest):
        async with received_form(
            request, folder=folder, largest_file=0, fields=fields, passed_over=LARGEST_PAPER
        ):
            pass
    return fields


class _Parts:
    is_of_a_page = False
    """Whether a field may come several times, and a file without a name counts as not sent."""

    def __init__(self, form: ReceivedForm, largest_file: int) -> None:
        self._form = form
        self._largest_file = largest_file
        self._hash = hashlib.sha256()
        self._count = 0
        self._files = 0
        self._complete = False
        self._in_file = False
        self._field_name = ""
        self._value = bytearray()
        self._headers: dict[bytes, bytes] = {}
        self._header_name = b""
        self._header_value = b""

    def begin(self) -> None:
        self._count += 1
        if self._count > MOST_PARTS:
            raise InvalidRequest.at("", "too_many_fields", f"A form has at most {MOST_PARTS} fields")
        self._headers = {}
        self._value = bytearray()

    def header_name(self, chunk: bytes, start: int, end: int) -> None:
        self._header_name += chunk[start:end]

    def header_value(self, chunk: bytes, start: int, end: int) -> None:
        self._header_value += chunk[start:end]

    def header_end(self) -> None:
        self._headers[self._header_name.lower()] = self._header_value
        self._header_name = self._header_value = b""

    def headers_finished(self) -> None:
        _, options = parse_options_header(self._headers.get(b"content-disposition", b""))
        self._field_name = _text(options.get(b"name", b""), "")
        filename = options.get(b"filename")
        # A file need not have a name: whatever comes as `file` is one.
        self._in_file = filename is not None or self._field_name == FILE_FIELD
        if not self._in_file:
            return
        if self._field_name != FILE_FIELD:
            raise InvalidRequest.at(self._field_name, "unexpected_file", f"Send the file as {FILE_FIELD!r}")
        self._files += 1
        if self._files > 1:
            raise InvalidRequest.at(FILE_FIELD, "too_many_files", "Send one file per request")
        self._form.filename = _text(filename, FILE_FIELD) if filename else None

    def data(self, chunk: bytes, start: int, end: int) -> None:
        piece = chunk[start:end]
        if not self._in_file:
            self._value += piece
            if len(self._value) > LARGEST_FIELD:
                raise InvalidRequest.at(
                    self._field_name, "too_long", f"must have at most {LARGEST_FIELD:,} characters"
                )
            return
        self._form.size += len(piece)
        if self._form.size > self._largest_file:
            if self.is_of_a_page:
                return
            raise _too_large(self._largest_file)
        self._hash.update(piece)
        self._form.file.write(piece)

    def end(self) -> None:
        if self._in_file:
            return
        text, before = _text(bytes(self._value), self._field_name), self._form.fields.get(self._field_name)
        if before is not None and not self.is_of_a_page:
            raise InvalidRequest.at(self._field_name, "duplicate_field", "must be sent once")
        self._form.fields[self._field_name] = text if before is None else f"{before} {text}"

    def finish(self) -> None:
        self._complete = True

    def received(self, flaws_of: FlawsOf | None) -> ReceivedForm:
        if not self._complete:
            flaw = "The form ends before its last boundary."
            raise InvalidRequest.at("", "malformed_form", flaw)
        if self._form.size > self._largest_file:
            raise _too_large(self._largest_file)
        problems = [*(flaws_of(self._form.fields) if flaws_of else ()), *self._flaws_of_file()]
        if problems:
            raise InvalidRequest.because(problems)
        self._form.sha256 = self._hash.hexdigest()
        self._form.file.flush()
        return self._form

    def _flaws_of_file(self) -> Iterator[Problem]:
        # A page whose sender chose no file sends an empty one without a name.
        is_unchosen = self.is_of_a_page and self._form.size == 0 and self._form.filename is None
        if self._files == 0 or is_unchosen:
            yield Problem(FILE_FIELD, "required", "is required")
        elif self._form.size == 0:
            yield Problem(FILE_FIELD, "empty_file", "must not be empty")


def _text(raw: bytes, where: str) -> str:
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        raise InvalidRequest.at(where, "bad_character", "must be UTF-8 text") from None
    if "\x00" in text:
        raise InvalidRequest.at(where, "bad_character", "must not contain the character U+0000")
    return text


def _too_large(largest: int) -> TooLarge:
    megabytes = f" ({largest // 2**20} MB)" if largest >= 2**20 else ""
    return TooLarge(f"The file must not exceed {largest:,} bytes{megabytes}.")
