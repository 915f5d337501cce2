import uuid
from typing import Final

from bindery.actions.submission.start_draft import fields_of_company, typist_of
from bindery.domain.access.users import User
from bindery.domain.drafts.draft import DraftGone
from bindery.domain.drafts.fields import COMPANY, OPTIONS
from bindery.domain.drafts.merging import Merged
from bindery.domain.drafts.option_grid import BEGUN_WITH
from bindery.storage.database import Database
from bindery.storage.submission import drafts

UNTOUCHED: Final = (OPTIONS, BEGUN_WITH)
"""What nobody typed: a new draft begins with it."""


async def fill_draft(database: Database, user: User, draft_id: uuid.UUID, company_id: int) -> None:
    """Make a draft one of a company of the book: what is not typed yet comes from its last request.

    Raises:
        DraftGone: it is not there any more, or another partner's.
        NotFound: the company is not the partner's.
    """
    assert user.partner_id is not None, "a broker belongs to a partner"
    async with database.transaction() as tx:
        draft = await drafts.lock(tx, draft_id, partner_id=user.partner_id)
        if draft is None:
            raise DraftGone
        last = await fields_of_company(tx, company_id, partner_id=user.partner_id)
        typed = {name: values for name, values in draft.fields.items() if (name, values) != UNTOUCHED}
        fields = {**last, **typed, COMPANY: (str(company_id),)}
        typists = {**dict.fromkeys(fields, typist_of(user)), **draft.typists}
        await drafts.change(tx, draft, Merged(fields, typists, draft.others, ()), user_id=user.user_id)
