import mmap
import uuid
from datetime import date
from typing import BinaryIO

from bindery.actions.submission.submit_quotes import find_conflicts
from bindery.base.errors import InvalidRequest
from bindery.base.numbers import read_digits
from bindery.domain.access.users import User
from bindery.domain.business_rules import BusinessRules
from bindery.domain.documents.file_types import PaperType, clean_name
from bindery.domain.drafts.applicant import applicant_so_far
from bindery.domain.drafts.draft import Draft, DraftGone
from bindery.domain.drafts.fields import COMPANY, body_of
from bindery.domain.quote.clearance import Applying, Key
from bindery.domain.quote.record_letter import LetterDecision, RecordLetter
from bindery.outside.blobs import Blob
from bindery.runtime import Runtime
from bindery.storage.database import Tx
from bindery.storage.submission import drafts, record_letters


async def send_letter(
    runtime: Runtime, user: User, draft_id: uuid.UUID, file: BinaryIO, kind: PaperType, filename: str | None
) -> RecordLetter:
    """Keep the letter that makes the sender of a draft the insured's broker of record, for an underwriter.

    The file is stored before anything is written, and never read: a person opens it. The same file sent
    twice is one letter; another one takes the place of a letter that nobody has decided on.

    Raises:
        DraftGone: there is no such draft of the partner.
        InvalidRequest: the quote was sent, or nothing of the draft is another organization's.
    """
    assert user.partner_id is not None, "a broker belongs to a partner"
    async with runtime.upload_turns.turn(user.partner_id):
        # Mapped and not read: what is read in threads stays with the process after it is freed.
        content = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        blob = await runtime.blobs.put(content)
        del content
    async with runtime.database.transaction() as tx:
        draft = await drafts.lock(tx, draft_id, partner_id=user.partner_id)
        if draft is None:
            raise DraftGone
        keys = await _shared_keys(tx, runtime.rules, draft)
        before = await record_letters.newest_of_draft(tx, draft_id)
        if before is not None and before.decision is None:
            if before.sha256 == blob.sha256:
                return before
            await record_letters.decide(tx, before.letter_id, LetterDecision.REPLACED, by=user.email)
        letter = _letter(tx, draft, user, keys, blob, kind=kind, name=clean_name(None, filename))
        await record_letters.add(tx, letter)
        await drafts.keep_longer(tx, draft_id)
    return letter


async def _shared_keys(tx: Tx, rules: BusinessRules, draft: Draft) -> list[Key]:
    if draft.sent_as is not None:
        raise InvalidRequest("This quote was sent meanwhile: it needs no letter.", code="already_settled")
    applying = applying_of(draft, tx.today)
    (conflict,) = await find_conflicts(tx, rules, [applying])
    keys = [key for key in applying.keys if key[0] in conflict.kinds]
    if not keys:
        raise InvalidRequest("No letter is needed: nothing of this draft is another organization's.")
    return keys


def applying_of(draft: Draft, today: date) -> Applying:
    applicant = applicant_so_far(body_of(draft.fields, today))
    return Applying(applicant, partner_id=draft.partner_id, company_id=read_digits(draft.typed(COMPANY)))


def _letter(
    tx: Tx, draft: Draft, user: User, keys: list[Key], blob: Blob, *, kind: PaperType, name: str
) -> RecordLetter:
    return RecordLetter(
        letter_id=tx.new_id(),
        partner_id=draft.partner_id,
        draft_id=draft.draft_id,
        insured=draft.name,
        key_kinds=tuple(kind_of for kind_of, _ in keys),
        key_values=tuple(value for _, value in keys),
        name=name,
        content_type=kind,
        size=blob.size,
        sha256=blob.sha256,
        uploaded_at=tx.now,
        uploaded_by=user.email,
    )
