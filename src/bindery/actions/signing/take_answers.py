import uuid
from collections.abc import Collection
from dataclasses import dataclass, replace

from bindery.actions.submission.start_draft import check_size
from bindery.base.errors import InvalidRequest, NotFound
from bindery.domain.access.users import User
from bindery.domain.drafts.client_answers import answered_fields, taken_over
from bindery.domain.drafts.draft import Draft, DraftGone
from bindery.domain.signing.client_link import ClientLink, LinkStatus
from bindery.storage.database import Database, Tx
from bindery.storage.signing import client_links
from bindery.storage.submission import drafts


@dataclass(frozen=True, slots=True)
class TakenAnswers:
    """The draft and the link as they were found; `is_first`: nobody had taken the answers over before.

    Of a draft that was sent meanwhile nothing is changed.
    """

    draft: Draft
    link: ClientLink
    is_first: bool


async def take_answers(
    database: Database, user: User, draft_id: uuid.UUID, link_id: uuid.UUID, chosen: Collection[str]
) -> TakenAnswers:
    """Settle what a client answered otherwise than the draft has it, once, whoever presses how often.

    The `chosen` fields get the client's answer, and what stood there stays beside it; the others keep what
    they have. An answer whose field is empty comes into it.

    Raises:
        DraftGone: there is no such draft of the partner.
        NotFound: the client has not answered, or was asked about something else.
        InvalidRequest: the draft cannot hold as much.
    """
    assert user.partner_id is not None, "a broker belongs to a partner"
    async with database.transaction() as tx:
        # The draft before its links: the order in which every action takes them.
        draft = await drafts.lock(tx, draft_id, partner_id=user.partner_id)
        if draft is None:
            raise DraftGone
        link = await client_links.find(tx, link_id, partner_id=user.partner_id)
        if link is None or link.draft_id != draft_id or link.status is not LinkStatus.ANSWERED:
            raise NotFound("There are no answers of a client by this link.")
        if draft.sent_as is not None or not await client_links.take(tx, link_id, by=user.name):
            return TakenAnswers(draft, link, is_first=False)
        changes = taken_over(draft, answered_fields(link.answers), by=link.typist, chosen=chosen)
        settled = {name: other for name, other in changes.others.items() if name not in changes.conflicts}
        check_size(changes.fields)
        await drafts.change(tx, draft, replace(changes, others=settled), user_id=user.user_id)
    return TakenAnswers(draft, link, is_first=True)


async def fill_in_answers(tx: Tx, draft: Draft, link: ClientLink, answers: str) -> int:
    """Put what a client answers into the fields that are empty; return how many stand otherwise.

    A draft that has no room for them stays as it is: whoever takes them over is told.
    """
    changes = taken_over(draft, answered_fields(answers), by=link.typist)
    try:
        check_size(changes.fields)
    except InvalidRequest:
        return len(answered_fields(answers))
    await drafts.change(tx, draft, changes, user_id=None)
    if not changes.conflicts:
        await client_links.take(tx, link.link_id)
    return len(changes.conflicts)
