import uuid
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Final

from bindery.actions.submission.start_draft import add_draft, check_size, fields_of_company, typist_of
from bindery.base.errors import ChangedMeanwhile
from bindery.domain.access.users import User
from bindery.domain.drafts.draft import Draft, DraftGone
from bindery.domain.drafts.fields import OPTIONS
from bindery.domain.drafts.merging import TypedForm, merged
from bindery.domain.drafts.option_grid import BEGUN_WITH
from bindery.storage.database import Database, Tx
from bindery.storage.submission import drafts

TRIES: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedDraft:
    """A draft as it is now, and the fields that changed.

    Another had changed the `conflicts` as well, and the `news` alone.
    """

    draft: Draft
    now: datetime
    today: date
    changed: frozenset[str] = frozenset()
    conflicts: tuple[str, ...] = ()
    news: tuple[str, ...] = ()


async def save_draft(
    database: Database, user: User, draft_id: uuid.UUID, form: TypedForm, *, copies: int | None = None
) -> SavedDraft:
    """Keep what a page of a draft sent, merged with what others typed meanwhile.

    A draft that does not exist is started with it: a page has its id before anything was typed, and somebody
    may have deleted it. `copies` is the company whose last request it begins with. A draft that was sent
    stays as it is.

    Raises:
        DraftGone: it is another partner's.
        InvalidRequest: there is too much in it.
        NotFound: the company to copy is not the partner's.
        ChangedMeanwhile: others save faster than this.
    """
    # Each statement stands alone: a draft is one row, written over the version that it was read in.
    async with database.autocommit() as tx:
        for _ in range(TRIES):
            if (saved := await _save_once(tx, user, draft_id, form, copies)) is not None:
                return saved
    raise ChangedMeanwhile("Others are changing this draft at the same moment. Save it again.")


async def _save_once(
    tx: Tx, user: User, draft_id: uuid.UUID, form: TypedForm, copies: int | None
) -> SavedDraft | None:
    assert user.partner_id is not None, "a broker belongs to a partner"
    draft = await drafts.find(tx, draft_id, partner_id=user.partner_id)
    if draft is None:
        return await _start(tx, user, draft_id, form, copies)
    changes = merged(draft.fields, draft.typists, draft.others, form, by=typist_of(user))
    changed = frozenset(
        name for name in {*form.marks, *form.typed} if changes.fields.get(name) != draft.fields.get(name)
    )
    if draft.sent_as is not None or (not changed and changes.others == draft.others):
        return SavedDraft(draft=draft, now=tx.now, today=tx.today, news=changes.news)
    check_size(changes.fields)
    if not await drafts.change(tx, draft, changes, user_id=user.user_id):
        return None
    now = replace(
        draft,
        version=draft.version + 1,
        fields=changes.fields,
        typists=changes.typists,
        others=changes.others,
        changed_by=user.name,
        changed_at=tx.now,
    )
    return SavedDraft(
        draft=now,
        now=tx.now,
        today=tx.today,
        changed=changed,
        conflicts=changes.conflicts,
        news=changes.news,
    )


async def _start(
    tx: Tx, user: User, draft_id: uuid.UUID, form: TypedForm, copies: int | None
) -> SavedDraft | None:
    assert user.partner_id is not None, "a broker belongs to a partner"
    # Where the options were on the page, none of them ticked is what was chosen.
    begun = form.typed if OPTIONS in form.marks else {OPTIONS: BEGUN_WITH, **form.typed}
    if copies:
        last = await fields_of_company(tx, copies, partner_id=user.partner_id)
        begun = merged(last, {}, {}, form, by=typist_of(user)).fields
    is_new = await add_draft(tx, user, draft_id, begun)
    added = await drafts.find(tx, draft_id, partner_id=user.partner_id)
    if added is None:
        raise DraftGone
    # Whoever was faster by a moment has started it: what was typed here is merged then.
    return SavedDraft(draft=added, now=tx.now, today=tx.today, changed=frozenset(begun)) if is_new else None
