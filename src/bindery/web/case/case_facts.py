"""Everything that a case page is made of, as it is stored."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from bindery.base.errors import NotFound
from bindery.domain.applicant.industries import sector_of
from bindery.domain.policy.binders import BinderUse
from bindery.domain.quote.authority import Authorities
from bindery.domain.quote.quote import JournalEntry
from bindery.storage.database import Reader
from bindery.storage.desk import asked_approvals, desk, desk_notes
from bindery.storage.desk.asked_approvals import AskedApproval
from bindery.storage.desk.desk import DeskItem
from bindery.storage.desk.desk_filter import DeskKind
from bindery.storage.desk.desk_notes import DeskNote, MailOfQuote, Origin
from bindery.storage.policy import rescans
from bindery.storage.policy.rescans import PastRescan
from bindery.storage.quote import journal, quote_view
from bindery.storage.quote.quote_view import QuoteRecord
from bindery.storage.submission import earlier, submissions
from bindery.storage.submission.earlier import PastScan, ReadSubmission, SimilarCase
from bindery.storage.submission.submissions import StoredSubmission
from bindery.web.case.change_shown import WaitingChange, read_waiting_change
from bindery.web.desk.queue_filter import (
    filter_of,
)
from bindery.web.frame.visit import Visit
from bindery.web.shown.history import HistoryLine, history_of
from bindery.web.shown.option import shown_number
from bindery.web.shown.words import Times

MOST_ENTRIES: Final = 500
MOST_SIMILAR: Final = 12
MOST_SCANS: Final = 50
MOST_MAILS: Final = 20


class CaseFacts(Struct, frozen=True, kw_only=True):
    at: Reader
    stored: StoredSubmission
    seen: Sequence[QuoteRecord]
    items: Sequence[DeskItem]
    notes: Sequence[DeskNote]
    origin: Origin
    before: ReadSubmission | None
    similar: Sequence[SimilarCase]
    scans: Sequence[PastScan]
    rescans: Sequence[PastRescan]
    entries: Sequence[JournalEntry]
    history: tuple[HistoryLine, ...]
    mails: Sequence[MailOfQuote]
    binder: BinderUse | None
    authorities: Authorities
    asked: AskedApproval | None
    change: WaitingChange | None


async def read_case(visit: Visit) -> CaseFacts:
    submission_id = visit.path_id("submission_id")
    async with visit.runtime.database.reading() as tx:
        seen = await quote_view.see_submission(tx, submission_id)
        if not seen:
            raise NotFound("There is no such case.")
        stored = await submissions.get(tx, submission_id)
        numbers = {record.quote.quote_id: shown_number(record.quote.option_number) for record in seen}
        entries = await journal.of_quotes(tx, list(numbers), limit=MOST_ENTRIES)
        items = await desk.items_with_neighbors(tx, submission_id, filter_of(visit, now=tx.now))
        about = await desk_notes.written_about(tx, submission_id, list(numbers), most_mails=MOST_MAILS)
        sector = sector_of(stored.submission.industry)
        similar = await earlier.similar(tx, stored, sector=sector, limit=MOST_SIMILAR)
        before = await earlier.before(tx, stored)
        scans = await earlier.scans_of(tx, stored.company_id, limit=MOST_SCANS)
        bound = [record.quote.quote_id for record in seen if record.policy_number is not None]
        past = await rescans.of_quotes(tx, bound, limit=MOST_SCANS) if bound else []
        asks = any(item.kind is DeskKind.APPROVAL for item in items)
        asked = await asked_approvals.waiting_of(tx, submission_id) if asks else None
        waits = any(item.kind is DeskKind.CHANGE for item in items)
        change = await read_waiting_change(tx, seen) if waits else None
    times = visit.times(tx.now)
    history = _with_steps(history_of(entries, numbers, times, named=None, seen=seen), about.notes, times)
    return CaseFacts(
        at=tx,
        stored=stored,
        seen=seen,
        items=items,
        notes=about.notes,
        origin=about.origin,
        before=before,
        similar=similar,
        entries=entries,
        scans=scans,
        rescans=past,
        history=history,
        mails=about.mails,
        binder=about.binder,
        authorities=Authorities(about.underwriters, visit.runtime.rules.authority_required),
        asked=asked,
        change=change,
    )


def _with_steps(
    history: Sequence[HistoryLine], notes: Sequence[DeskNote], times: Times
) -> tuple[HistoryLine, ...]:
    """Return the history with what happened to the case at the desk, the newest first."""
    steps = [
        HistoryLine(at=times.at(note.at), text=f"{note.author} {note.text}.", about="", by="", raw="")
        for note in notes
        if note.is_step
    ]
    return (
        tuple(sorted([*history, *steps], key=lambda line: line.at.iso, reverse=True))
        if steps
        else tuple(history)
    )
