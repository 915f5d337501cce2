import uuid
from collections.abc import Sequence
from typing import Final

from bindery.base.errors import InvalidRequest, Problem
from bindery.domain.access.users import Role
from bindery.domain.text import flaws_of_lines
from bindery.storage.access import users
from bindery.storage.database import Database, Tx
from bindery.storage.desk import desk, desk_notes
from bindery.storage.desk.desk import TakenCase
from bindery.storage.desk.desk_filter import DeskFilter

LONGEST_NOTE: Final = 4_000


async def hand_over_case(
    database: Database, submission_ids: Sequence[uuid.UUID], *, user_id: int, to: int
) -> tuple[str, list[TakenCase]]:
    """Hand cases that are free or the user's to another underwriter, and return that underwriter's name.

    Cases of colleagues stay with them.
    """
    if not submission_ids:
        raise InvalidRequest.because([Problem("submission_id", "required", "is required: pick a row")])
    async with database.transaction() as tx:
        name = await users.name_of(tx, to, role=Role.UNDERWRITER)
        if name is None:
            flaw = Problem("to", "unknown_user", "must be an underwriter who is not disabled")
            raise InvalidRequest.because([flaw])
        handed = await desk.take(tx, submission_ids, to=to, from_users=[user_id, to])
        for case in handed:
            if case.holder is None and case.before_id != to:
                await _note(tx, case, f"handed the case over to {name}", user_id=user_id)
        return name, handed


async def take_case(
    database: Database, submission_ids: Sequence[uuid.UUID], *, user_id: int, over_from: Sequence[int] = ()
) -> list[TakenCase]:
    """Take waiting cases; colleagues keep theirs, except the users in `over_from`.

    That a case was taken over is a line of its history, which its page tells whoever has it open.
    """
    async with database.transaction() as tx:
        taken = await desk.take(tx, submission_ids, to=user_id, from_users=[user_id, *over_from])
        for case in taken:
            if case.holder is None and case.before_id not in {None, user_id}:
                await _note(tx, case, f"took the case over from {case.before}", user_id=user_id)
        return taken


async def _note(tx: Tx, case: TakenCase, text: str, *, user_id: int) -> None:
    await desk_notes.add_note(tx, case.submission_id, user_id=user_id, text=text, is_step=True)


async def take_next_case(database: Database, asked: DeskFilter, *, user_id: int) -> uuid.UUID | None:
    """Take the first case of a part of the queue that nobody has; None if all are taken.

    A case is up to four rows of the queue, so it is taken by the statement that also compares who has them:
    of two people who ask together, the one who comes second gets the case after it.
    """
    async with database.autocommit() as tx:
        while (submission_id := await desk.first_free(tx, asked, user_id=user_id)) is not None:
            taken = await desk.take(tx, [submission_id], to=user_id, from_users=[user_id])
            if any(case.holder is None for case in taken):
                return submission_id
    return None


async def put_back_case(database: Database, submission_id: uuid.UUID, *, user_id: int) -> list[TakenCase]:
    """Put the user's own case back on the desk; a colleague keeps theirs."""
    async with database.autocommit() as tx:
        return await desk.take(tx, [submission_id], to=None, from_users=[user_id])


async def write_note(database: Database, submission_id: uuid.UUID, text: str, *, user_id: int) -> None:
    """Write a note for the other underwriters; notes are never changed."""
    if not text:
        raise InvalidRequest.because([Problem("note", "required", "is required")])
    if problems := list(flaws_of_lines(text, "note", longest=LONGEST_NOTE)):
        raise InvalidRequest.because(problems)
    async with database.transaction() as tx:
        await desk_notes.add_note(tx, submission_id, user_id=user_id, text=text)
