import uuid
from typing import Final

from bindery.base.errors import InvalidRequest, Problem
from bindery.domain.text import flaws_of_lines
from bindery.storage.database import Database
from bindery.storage.desk import desk

LONGEST_NOTE: Final = 4_000


async def write_note(database: Database, submission_id: uuid.UUID, text: str, *, user_id: int) -> None:
    """Write down something for the other underwriters; notes are never changed.

    Raises:
        InvalidRequest: there is nothing in it, too much, or what cannot be seen.
    """
    if not text:
        raise InvalidRequest.because([Problem("note", "required", "is required")])
    if problems := list(flaws_of_lines(text, "note", longest=LONGEST_NOTE)):
        raise InvalidRequest.because(problems)
    async with database.transaction() as tx:
        await desk.add_note(tx, submission_id, user_id=user_id, text=text)
