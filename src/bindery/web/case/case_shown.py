import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from msgspec import Struct

from bindery.base.errors import BinderyError
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.policy.binding import concern_about, needed_before
from bindery.domain.policy.cancellation import reinstate_by
from bindery.domain.quote.decisions import CancelPolicy
from bindery.domain.quote.lifecycle import AT_THE_DESK, BINDABLE, CONTINGENT
from bindery.domain.quote.quote import Quote
from bindery.http.show_quote import show_quote
from bindery.storage.desk.desk import DeskItem
from bindery.storage.desk.desk_filter import DeskKind
from bindery.storage.quote.quote_view import QuoteRecord
from bindery.storage.submission.earlier import ReadSubmission
from bindery.storage.submission.submissions import StoredSubmission
from bindery.web.case.applicant_shown import Known, shown_background, shown_facts
from bindery.web.case.case_facts import CaseFacts
from bindery.web.case.decision_outcome import (
    Outcome,
    asked_term,
    begins_in_the_past,
    closing_outcome,
    closing_warning,
    concern_in_words,
    decision_outcome,
)
from bindery.web.case.ending_shown import (
    ForeseenEnding,
    as_asked,
    asked_to_cancel,
    canceled_since,
    coverage_ended,
    shown_ending,
)
from bindery.web.case.levers_shown import LeverGroup, shown_levers
from bindery.web.case.reasons_shown import ShownAnswers, ShownReason, shown_answers, shown_reasons
from bindery.web.case.scan_shown import ShownScan, shown_scan
from bindery.web.case.similar_shown import Comparables, shown_comparables
from bindery.web.desk.desk_shown import KINDS
from bindery.web.desk.queue_filter import with_query
from bindery.web.shown.changes import ShownChanges, shown_changes
from bindery.web.shown.comparison import Row, comparison, terms_shown
from bindery.web.shown.option import ShownOption, assessment_of, shown_number, shown_option
from bindery.web.shown.owed import ShownContingency
from bindery.web.shown.questions import ShownBrokerQuestion, shown_questions
from bindery.web.shown.words import Moment, Times, Tone, counted, listed, product_name


@dataclass(frozen=True, slots=True)
class ShownClosing:
    outcome: str
    warning: str


class CasePage(Struct, frozen=True, kw_only=True):
    """One submission on the desk.

    `contingent` are the ids of options whose contingencies can still change, and `closings` says of each that
    is open what closing it leads to; `before_bind` are those that the approval of a bind closes, `to_look_at`
    those of the current option that a file came in for. `along` and
    `further` are the queue filter as a query, and as a continuation of one.
    """

    submission_id: str
    name: str
    company_address: str
    product: str
    facts: tuple[tuple[str, str], ...]
    background: tuple[Known, ...]
    broker: str
    kinds: tuple[str, ...]
    due: Moment | None
    waiting_since: Moment | None
    is_late: bool
    taker: str
    taken_by: str
    take_over: str
    """Where it is asked once whether to take the case over."""
    is_mine: bool
    reasons: tuple[ShownReason, ...]
    notes_of_machine: tuple[str, ...]
    options: tuple[ShownOption, ...]
    contingent: frozenset[str]
    closings: Mapping[str, ShownClosing]
    before_bind: tuple[ShownContingency, ...]
    may_add: bool
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
    to_look_at: tuple[ShownContingency, ...]
    levers: tuple[LeverGroup, ...]
    comparables: Comparables
    outcome: Outcome | None
    may_decide_referral: bool
    may_decide_bind: bool
    may_amend: bool
    is_renewal: bool
    may_cancel: bool
    asked_to_cancel: str
    cancel_from: str
    cancel_because: str
    ending: ForeseenEnding | None
    may_reinstate: bool
    coverage_ended: str
    asked_since: Moment | None
    """Since when all of it waits for the broker."""
    questions: tuple[ShownBrokerQuestion, ...]
    why: Mapping[str, str]
    """Reasons that were begun, by the contingency that they are about."""
    asking: str
    """A question that was begun."""
    may_ask: bool
    previous: str
    following: str
    queue: str
    along: str
    further: str

    @property
    def standing(self) -> str:
        """Return what waits and who has it, as «Cyber referral, you have it»."""
        what = " and ".join(kind.lower() for kind in self.kinds)
        who = "you have it" if self.is_mine else f"{self.taker} has it" if self.taker else "free"
        return f"{self.product} {what}, {who}"

    @property
    def gravest(self) -> str:
        grave = sum(reason.gravity.tone is Tone.BAD for reason in self.reasons)
        return counted(grave, "severe reason") if grave else ""

    @property
    def papers(self) -> int:
        return sum(len(option.contingencies) for option in self.options)

    @property
    def decides(self) -> str:
        """Return what the form decides on."""
        if self.may_decide_bind:
            return "Decide on the bind"
        if self.may_cancel:
            return "Asked to cancel" if self.asked_to_cancel else "Cancel the policy"
        if self.may_amend:
            return f"Amend or withdraw option {self.current.number}"
        return "Reinstate the policy" if self.may_reinstate else "Decide"

    @property
    def takes_terms(self) -> bool:
        return self.may_decide_referral or self.may_amend

    @property
    def may_decide_anything(self) -> bool:
        return self.may_decide_referral or self.may_decide_bind or self.may_cancel or self.may_reinstate


def case_page(
    facts: CaseFacts,
    times: Times,
    *,
    option: int,
    user_id: int,
    priced: Quote | None,
    queue_filter: str,
    cancellation: CancelPolicy | BinderyError | None = None,
    asking: str = "",
    why: Mapping[str, str] = {},
) -> CasePage:
    """Put the page together.

    `priced` is the current option on the terms of the form, `cancellation` what the form says of one, and
    `queue_filter` the query of the part of the queue that the case was opened from.
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
    canceled_on = canceled_since(current.quote, facts.entries, times)
    return CasePage(
        submission_id=str(facts.stored.submission_id),
        name=submission.name,
        company_address=f"/company/{facts.stored.company_id}",
        product=product_name(submission.product),
        facts=shown_facts(facts.stored),
        background=shown_background(facts.stored, facts.origin, current.client, facts.before, times),
        broker=submission.broker_email,
        kinds=tuple(KINDS[item.kind] for item in items),
        due=times.until(min(item.due_at for item in items)) if items else None,
        asked_since=_asked_since(items, times),
        questions=shown_questions(seen, times),
        why=why,
        asking=asking,
        may_ask=bool(items) and status in CONTINGENT,
        waiting_since=times.since(min(item.opened_at for item in items)) if items else None,
        is_late=any(item.asked_at is None and item.due_at < times.now for item in items),
        taker=next((item.taker for item in items if item.taker), "") or "",
        taken_by=" ".join(str(item.taken_by) for item in items if item.taken_by is not None),
        take_over=_take_over(facts.stored.submission_id, queue_filter),
        is_mine=any(item.taken_by == user_id for item in items),
        reasons=shown_reasons(seen, answers, scan, is_rated=is_rated),
        notes_of_machine=_machine_notes(seen, terms_shown(rows)),
        options=options,
        contingent=frozenset(str(record.quote.quote_id) for record in seen if _is_contingent(record)),
        closings={
            owed.contingency_id: ShownClosing(closing_outcome(record, owed), closing_warning(record, owed))
            for record in seen
            if _is_contingent(record)
            for owed in record.contingencies
            if owed.is_open
        },
        before_bind=_before_bind(current, options[place]),
        may_add=status in {QuoteStatus.QUOTE_REFERRED, *BINDABLE}
        or (status is QuoteStatus.POLICY_ACTIVE and not current.is_issued),
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
        to_look_at=_to_look_at(current, options[place]),
        levers=shown_levers(
            facts.stored,
            priced,
            assessed.rated_premium if assessed is not None else None,
            facts.similar,
            today=facts.at.today,
        )
        if status is QuoteStatus.QUOTE_REFERRED and priced is not None
        else (),
        comparables=shown_comparables(
            facts.similar,
            times,
            premium=(priced or current.quote).premium,
            limit=terms.aggregate_limit if (terms := (priced or current.quote).terms) is not None else None,
            revenue=submission.revenue,
        ),
        outcome=decision_outcome(current, canceled_on=canceled_on, today=facts.at.today),
        may_decide_referral=status is QuoteStatus.QUOTE_REFERRED,
        may_decide_bind=status is QuoteStatus.QUOTE_BIND_REQUESTED,
        may_amend=status in BINDABLE,
        is_renewal=facts.stored.renews is not None,
        may_cancel=status is QuoteStatus.POLICY_ACTIVE,
        asked_to_cancel=asked_to_cancel(asked) if asked else "",
        cancel_from=asked.effective.isoformat() if asked else "",
        cancel_because=asked.reason if asked else "",
        ending=_ending(current, facts, cancellation or as_asked(asked)),
        may_reinstate=canceled_on is not None and facts.at.today <= reinstate_by(canceled_on),
        coverage_ended=coverage_ended(bodies[place], facts.at.today),
        previous=_address(items[0].previous, queue_filter) if items else "",
        following=_address(items[0].following, queue_filter) if items else "",
        queue=with_query("/desk", queue_filter),
        along=f"?{queue_filter}" if queue_filter else "",
        further=f"&{queue_filter}" if queue_filter else "",
    )


def _take_over(submission_id: uuid.UUID, queue_filter: str) -> str:
    here = f"/desk/case/{submission_id}"
    to, back = with_query(f"{here}/take", queue_filter), with_query(here, queue_filter)
    return f"/sure?{urlencode({'step': 'take_over', 'to': to, 'back': back})}"


def _asked_since(items: Sequence[DeskItem], times: Times) -> Moment | None:
    asked = [item.asked_at for item in items if item.asked_at is not None]
    return times.at(min(asked)) if asked and len(asked) == len(items) else None


def _is_contingent(record: QuoteRecord) -> bool:
    """Whether its contingencies can change: once the policy is issued, nothing is owed for it."""
    return record.quote.status in CONTINGENT and not record.is_issued


def _before_bind(current: QuoteRecord, option: ShownOption) -> tuple[ShownContingency, ...]:
    if current.quote.status is not QuoteStatus.QUOTE_BIND_REQUESTED:
        return ()
    needed = {owed.contingency_id for owed in needed_before(current.contingencies)}
    return tuple(owed for owed in option.contingencies if owed.number in needed)


def _to_look_at(current: QuoteRecord, option: ShownOption) -> tuple[ShownContingency, ...]:
    """Return what a file came in for that nobody has settled yet."""
    if not current.has_unsettled_papers or not _is_contingent(current):
        return ()
    return tuple(owed for owed in option.contingencies if owed.is_open and owed.is_received)


def _address(submission_id: uuid.UUID | None, queue_filter: str) -> str:
    return "" if submission_id is None else with_query(f"/desk/case/{submission_id}", queue_filter)


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


def _ending(
    current: QuoteRecord, facts: CaseFacts, ask: CancelPolicy | BinderyError
) -> ForeseenEnding | None:
    if current.quote.status is not QuoteStatus.POLICY_ACTIVE:
        return None
    state, today = facts.stored.submission.state, facts.at.today
    return shown_ending(current.quote, current.term, ask, state=state, today=today)


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
