import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from bindery.contract.quote import QuoteBody
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.applicant.industries import find_industry
from bindery.domain.policy.binding import concern_about
from bindery.domain.policy.ending import reinstate_by
from bindery.domain.policy.policy import return_premium
from bindery.domain.quote.lifecycle import AT_THE_DESK, CONTINGENT, Trigger
from bindery.domain.quote.quote import JournalEntry, Quote
from bindery.http.show_quote import show_quote
from bindery.storage.database import Reader
from bindery.storage.desk.desk import DeskItem, DeskNote, MailOfQuote
from bindery.storage.desk.desk_filter import DeskKind
from bindery.storage.policy.rescans import PastRescan
from bindery.storage.quote.quote_view import QuoteRecord
from bindery.storage.submission.earlier import PastScan, ReadSubmission, SimilarCase
from bindery.storage.submission.submissions import StoredSubmission
from bindery.web.case.decision_outcome import (
    asked_term,
    begins_in_the_past,
    concern_in_words,
    decision_outcome,
)
from bindery.web.case.reasons_shown import ShownAnswers, ShownReason, shown_answers, shown_reasons
from bindery.web.case.scan_shown import ShownScan, shown_scan
from bindery.web.desk.desk_shown import KINDS
from bindery.web.desk.queue_filter import with_query
from bindery.web.shown.changes import ShownChanges, shown_changes
from bindery.web.shown.comparison import Row, comparison, terms_shown
from bindery.web.shown.history import HistoryLine
from bindery.web.shown.option import ShownOption, assessment_of, shown_number, shown_option
from bindery.web.shown.words import Moment, Times, day, listed, money, product_name


@dataclass(frozen=True, slots=True, kw_only=True)
class CasePage:
    """One submission on the desk.

    `contingent` are the ids of options that can still get contingencies. `along` and `further` are the queue
    filter as a query, and as a continuation of one.
    """

    submission_id: str
    name: str
    company_address: str
    product: str
    facts: tuple[tuple[str, str], ...]
    kinds: tuple[str, ...]
    due: Moment | None
    is_late: bool
    taker: str
    taken_by: str
    is_mine: bool
    reasons: tuple[ShownReason, ...]
    notes_of_machine: tuple[str, ...]
    options: tuple[ShownOption, ...]
    contingent: frozenset[str]
    rows: tuple[Row, ...]
    current: ShownOption
    condition: str
    answers: ShownAnswers
    scan: ShownScan | None
    changes: ShownChanges | None
    waiting: tuple[ShownOption, ...]
    bind_concern: str
    asked_term: str
    begins_in_the_past: str
    has_papers: bool
    outcome: str
    may_decide_referral: bool
    may_decide_bind: bool
    may_cancel: bool
    asked_to_cancel: str
    cancel_from: str
    may_reinstate: bool
    returned: str
    previous: str
    following: str
    queue: str
    along: str
    further: str

    @property
    def may_decide_anything(self) -> bool:
        return self.may_decide_referral or self.may_decide_bind or self.may_cancel or self.may_reinstate


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseFacts:
    at: Reader
    stored: StoredSubmission
    seen: Sequence[QuoteRecord]
    items: Sequence[DeskItem]
    notes: Sequence[DeskNote]
    before: ReadSubmission | None
    similar: Sequence[SimilarCase]
    scans: Sequence[PastScan]
    rescans: Sequence[PastRescan]
    entries: Sequence[JournalEntry]
    history: tuple[HistoryLine, ...]
    mails: Sequence[MailOfQuote]


def case_page(
    facts: CaseFacts,
    times: Times,
    *,
    option: int,
    user_id: int,
    priced: Quote | None,
    queue_filter: str,
    canceled_from: date | None = None,
) -> CasePage:
    """Put the page together.

    `priced` is the current option on the terms of the form, `canceled_from` the day of a cancellation in the
    form, and `queue_filter` the query of the part of the queue that the case was opened from.
    """
    seen = facts.seen
    place = next(
        (n for n, record in enumerate(seen) if shown_number(record.quote.option_number) == option), 0
    )
    current = seen[place]
    bodies = [show_quote(record) for record in seen]
    options = tuple(
        shown_option(record, body, times, may_act=False) for record, body in zip(seen, bodies, strict=True)
    )
    submission = facts.stored.submission
    items = facts.items
    status = current.quote.status
    answers = shown_answers(facts.stored, priced or current.quote)
    assessed = assessment_of(priced or current.quote)
    is_rated = assessed is not None and assessed.worksheet is not None
    scan = shown_scan(facts.stored.scan, facts.scans, facts.rescans, times)
    rows = comparison(bodies, None, times)
    asked = bodies[place].cancellation_request if current.cancellation_open else None
    canceled_on = _canceled_on(current.quote, facts.entries, times)
    return CasePage(
        submission_id=str(facts.stored.submission_id),
        name=submission.name,
        company_address=f"/company/{facts.stored.company_id}",
        product=product_name(submission.product),
        facts=(
            ("Revenue", money(submission.revenue)),
            ("State", submission.state),
            ("Industry", _industry(submission.industry)),
            ("Domains", ", ".join(submission.domains) or "—"),
            ("Broker", submission.broker_email),
        ),
        kinds=tuple(KINDS[item.kind] for item in items),
        due=times.until(min(item.due_at for item in items)) if items else None,
        is_late=any(item.due_at < times.now for item in items),
        taker=next((item.taker for item in items if item.taker), "") or "",
        taken_by=" ".join(str(item.taken_by) for item in items if item.taken_by is not None),
        is_mine=any(item.taken_by == user_id for item in items),
        reasons=shown_reasons(seen, answers, scan, is_rated=is_rated),
        notes_of_machine=_machine_notes(seen, terms_shown(rows)),
        options=options,
        contingent=frozenset(
            str(record.quote.quote_id) for record in seen if record.quote.status in CONTINGENT
        ),
        rows=rows,
        current=options[place],
        condition=_condition(options[place]),
        answers=answers,
        scan=scan,
        changes=shown_changes(facts.before, _as_read(facts), times, sees_all=True) if facts.before else None,
        waiting=tuple(
            shown for shown, record in zip(options, seen, strict=True) if record.quote.status in AT_THE_DESK
        ),
        bind_concern=_bind_concern(current, facts.stored),
        asked_term=asked_term(current),
        begins_in_the_past=begins_in_the_past(current, facts.at.today),
        has_papers=any(item.kind is DeskKind.PAPER for item in items),
        outcome=decision_outcome(
            current,
            is_renewal=facts.stored.renews is not None,
            canceled_on=canceled_on,
            today=facts.at.today,
        ),
        may_decide_referral=status is QuoteStatus.QUOTE_REFERRED,
        may_decide_bind=status is QuoteStatus.QUOTE_BIND_REQUESTED,
        may_cancel=status is QuoteStatus.POLICY_ACTIVE,
        asked_to_cancel=f"from {day(asked.effective)}: {asked.reason}" if asked else "",
        cancel_from=asked.effective.isoformat() if asked else "",
        may_reinstate=canceled_on is not None and facts.at.today <= reinstate_by(canceled_on),
        returned=_returned(current, bodies[place], facts.at.today, canceled_from),
        previous=_address(items[0].previous, queue_filter) if items else "",
        following=_address(items[0].following, queue_filter) if items else "",
        queue=with_query("/desk", queue_filter),
        along=f"?{queue_filter}" if queue_filter else "",
        further=f"&{queue_filter}" if queue_filter else "",
    )


def _address(submission_id: uuid.UUID | None, queue_filter: str) -> str:
    return "" if submission_id is None else with_query(f"/desk/case/{submission_id}", queue_filter)


def _canceled_on(quote: Quote, entries: Sequence[JournalEntry], times: Times) -> date | None:
    if quote.status is not QuoteStatus.POLICY_CANCELED:
        return None
    return max(
        (
            entry.at.astimezone(times.zone).date()
            for entry in entries
            if entry.quote_id == quote.quote_id and entry.trigger == Trigger.CANCEL
        ),
        default=None,
    )


def _condition(option: ShownOption) -> str:
    if not option.condition:
        return ""
    owed = [f"“{contingency.text}”" for contingency in option.contingencies if contingency.is_open]
    assert owed, "a binder for which nothing is owed is the policy"
    return f"{option.condition} Still open: {listed(owed)}."


def _bind_concern(current: QuoteRecord, stored: StoredSubmission) -> str:
    if current.quote.status is not QuoteStatus.QUOTE_BIND_REQUESTED:
        return ""
    concern = concern_about(current.term, stored.submission.term, current.quote.product)
    return concern_in_words(concern, current.contingencies)


def _returned(current: QuoteRecord, body: QuoteBody, today: date, typed: date | None) -> str:
    """Return the premium that a cancellation returns as of the typed day, the requested one, or today."""
    quote, term = current.quote, current.term
    if quote.status is not QuoteStatus.POLICY_ACTIVE or quote.premium is None:
        return ""
    asked = body.cancellation_request if current.cancellation_open else None
    on = typed or (asked.effective if asked else max(today, term.effective))
    if not term.effective <= on < term.expiration:
        return f"{day(on)} is outside the policy's term, {day(term.effective)} to {day(term.expiration)}."
    back = return_premium(quote.premium, term, on)
    return f"If canceled as of {day(on)}, {money(back)} of {money(quote.premium)} is returned."


def _as_read(facts: CaseFacts) -> ReadSubmission:
    stored = facts.stored
    return ReadSubmission(
        submission_id=stored.submission_id,
        company_id=stored.company_id,
        submitted_at=stored.created_at,
        renews=stored.renews,
        submission=stored.submission,
        scan=stored.scan,
        options=[record.quote for record in facts.seen],
    )


def _machine_notes(seen: Sequence[QuoteRecord], in_cells: frozenset[str]) -> tuple[str, ...]:
    notes = [correction.text for record in seen for correction in record.corrections]
    for record in seen:
        assessed = assessment_of(record.quote)
        if assessed is not None:
            notes += [
                correction.text for correction in assessed.corrections if correction.field not in in_cells
            ]
            notes += assessed.notes
    return tuple(dict.fromkeys(notes))


def _industry(code: str | None) -> str:
    title = find_industry(code).title
    return f"{code} {title}" if code and title else code or "—"
