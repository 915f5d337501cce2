import uuid

import msgspec

from bindery.base.errors import InvalidRequest, NotFound
from bindery.domain.access.users import User
from bindery.domain.drafts.fields import LARGEST, Fields, fields_of
from bindery.domain.questions.question import QUESTIONS
from bindery.domain.submission.again import request_again, term_again
from bindery.storage.database import Database, Reader, Tx
from bindery.storage.submission import drafts, submissions


async def start_draft(database: Database, user: User, fields: Fields) -> uuid.UUID:
    """Keep a new draft and return its id.

    Raises:
        InvalidRequest: there is too much in it.
    """
    async with database.transaction() as tx:
        draft_id = tx.new_id()
        await add_draft(tx, user, draft_id, fields)
    return draft_id


async def add_draft(tx: Tx, user: User, draft_id: uuid.UUID, fields: Fields) -> bool:
    """Keep a draft under an id that a page was given before there was anything to keep; False if it is taken.

    Raises:
        InvalidRequest: there is too much in it.
    """
    check_size(fields)
    assert user.partner_id is not None, "a broker belongs to a partner"
    return await drafts.add(
        tx,
        draft_id,
        fields,
        partner_id=user.partner_id,
        user_id=user.user_id,
        typist=typist_of(user),
        question_edition=QUESTIONS.in_force(tx.today).edition,
    )


def typist_of(user: User) -> str:
    """Return who typed a field, for colleagues to read; two of the same name have different addresses."""
    return f"{user.name} <{user.email}>"


def check_size(fields: Fields) -> None:
    if len(msgspec.json.encode(fields)) > LARGEST:
        raise InvalidRequest.at("", "too_large", f"A draft holds at most {LARGEST:,} characters")


async def fields_of_company(tx: Reader, company_id: int, *, partner_id: int) -> Fields:
    """Return the fields that ask once more for what was last asked for a company, its answers included.

    Raises:
        NotFound: the partner has no such company.
    """
    stored = await submissions.newest(tx, company_id, partner_id=partner_id)
    if stored is None:
        raise NotFound("There is no such company.")
    term = term_again(stored.submission.term, tx.today)
    return fields_of(request_again(stored.body, company_id, term), tx.today)
