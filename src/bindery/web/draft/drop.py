"""A file dropped on the page of a new quote: a request as JSON, or an application of ours."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import BinaryIO, Final

from bindery.actions.submission.read_application import ReadApplication, read_application
from bindery.base.errors import InvalidRequest
from bindery.base.fair_queue import QueueFull
from bindery.domain.documents.file_types import PaperType, UnsupportedPaper, paper_type_of
from bindery.domain.drafts.fields import (
    LARGEST,
    OPTIONS,
    QUESTION,
    Fields,
    fields_of,
    product_of,
    unkept_answers,
    unknown_answers,
)
from bindery.http.bodies import BYTE_ORDER_MARK, read_json
from bindery.http.errors import TooLarge
from bindery.http.multipart import received_upload
from bindery.web.company.documents import TooMuchAtOnce
from bindery.web.draft.step import partner_of
from bindery.web.frame.visit import Visit
from bindery.web.shown.words import counted, listed, product_name

MOST_NAMED: Final = 10
LONGEST_ID: Final = 30
PIECE_BYTES: Final = 256 * 1024
NOT_OURS: Final = (
    "This is neither an application of one of your quotes nor a request as JSON. "
    "Choose another file, or type the company in."
)
NOTHING_IN_IT: Final = (
    "The file has none of the fields of a request: it needs an object with client, policy and questions."
)


@dataclass(frozen=True, slots=True)
class Dropped:
    fields: Fields
    said: str


async def read_drop(visit: Visit) -> Dropped | str:
    """Return the fields of a dropped file, or a sentence that says why there are none."""
    try:
        async with received_upload(
            visit.runtime, visit.request, partner_id=partner_of(visit), fields={}
        ) as form:
            head = await asyncio.to_thread(_head, form.file)
            if head.removeprefix(BYTE_ORDER_MARK).lstrip().startswith((b"{", b"[")):
                return await _json(visit, form.file, form.size)
            kind = await asyncio.to_thread(kind_of, form.file)
            read = await read_application(visit.runtime, form.file, kind, partner_id=partner_of(visit))
    except QueueFull:
        raise TooMuchAtOnce from None
    except (TooLarge, UnsupportedPaper):
        return NOT_OURS
    except InvalidRequest as fault:
        flaws = [problem.message for problem in fault.problems] or [fault.message]
        return f"The file could not be read. {flaws[0].removesuffix('.')}."
    if read is None:
        return NOT_OURS
    return Dropped(read.fields, _taken(read))


def _taken(read: ReadApplication) -> str:
    """Return what came of an application, and what did not: no pen or typed field changes its answers."""
    fields = read.fields
    answers = sum(name.startswith(QUESTION) for name in fields)
    options = len(fields.get(OPTIONS, ()))
    return (
        f"The draft has what the application of quote {read.quote_id} was printed for: the company, "
        f"{counted(answers, 'answer')} and {counted(options, 'option')}. What somebody filled in or wrote "
        "on it, the signature included, is not taken. Check it before you send it."
    )


def _head(file: BinaryIO) -> bytes:
    file.seek(0)
    return file.read(1024)


def kind_of(file: BinaryIO) -> PaperType:
    file.seek(0)
    return paper_type_of(iter(partial(file.read, PIECE_BYTES), b""))


async def _json(visit: Visit, file: BinaryIO, size: int) -> Dropped | str:
    if size > LARGEST:
        return f"The file is too large for a request: it has more than {LARGEST:,} characters."
    file.seek(0)
    body = read_json(file.read().removeprefix(BYTE_ORDER_MARK))
    today = await visit.runtime.database.today()
    fields = fields_of(body, today)
    if not fields:
        return NOTHING_IN_IT
    said = [
        "The draft has what is in the file. Check it before you send it.",
        unknown_in_words(fields, today),
    ]
    if unkept := unkept_answers(body):
        said.append(f"Answers without the id of a question were left out: {_named(unkept)}.")
    return Dropped(fields, " ".join(filter(None, said)))


def unknown_in_words(fields: Fields, today: date) -> str:
    """Return what to say about answers to questions that the product does not have; empty without any."""
    unknown = tuple(unknown_answers(fields, today))
    if not unknown:
        return ""
    product = product_name(product_of(fields))
    return f"{product} does not ask {_named(unknown)}: kept here, and not sent."


def _named(ids: Sequence[str]) -> str:
    names = [name if len(name) <= LONGEST_ID else f"{name[:LONGEST_ID]}…" for name in ids[:MOST_NAMED]]
    return listed([*names, f"{left} more"] if (left := len(ids) - MOST_NAMED) > 0 else names)
