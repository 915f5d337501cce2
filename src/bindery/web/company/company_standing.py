"""The sentence under a company's name: what is in force, what is open, and whose turn it is."""

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from bindery.contract.quote import DecisionKind, QuoteBody
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.policy.policy import came_in_time
from bindery.domain.quote.lifecycle import AT_THE_DESK, BINDABLE, NOT_READY
from bindery.http.show_quote import show_quote
from bindery.storage.quote.quote_view import QuoteRecord
from bindery.web.shown.ended import canceled_ahead
from bindery.web.shown.option import is_on_other_terms
from bindery.web.shown.renewal import cancellation_asked_for, outlook_of, renewal_in_words
from bindery.web.shown.words import Times, counted, day

Waiting = Mapping[uuid.UUID, tuple[datetime, datetime]]
Renewals = Mapping[uuid.UUID, QuoteBody]


@dataclass(frozen=True, slots=True)
class StandingSentence:
    """`fact` is what matters most, `more` what follows from it and what else there is."""

    fact: str
    more: str

    @property
    def text(self) -> str:
        return f"{self.fact} {self.more}".strip()


def standing_of(
    seen: Sequence[QuoteRecord],
    waiting: Waiting,
    times: Times,
    renewals: Renewals,
    *,
    newest: str,
) -> StandingSentence:
    said = [
        *_cover(seen, times, renewals),
        *_partly_ready(seen),
        *_open(seen, times),
        *_asked(seen),
        *_with_underwriters(seen, waiting, times),
        *_being_quoted(seen, times),
    ]
    return (
        StandingSentence(said[0], " ".join(said[1:]))
        if said
        else StandingSentence("Nothing is open.", newest)
    )


def _cover(seen: Sequence[QuoteRecord], times: Times, renewals: Renewals) -> Iterator[str]:
    for record in seen:
        body = show_quote(record)
        if record.quote.status is QuoteStatus.POLICY_ACTIVE:
            yield from _binder(body, times) if not record.is_issued else _policy(body, times)
            yield from _then(record, body, times, renewals)
        elif (ahead := canceled_ahead(body, times.today)) is not None:
            number = record.policy_number
            yield f"Policy {number} is in force until {day(ahead)}, when its cancellation takes effect."


def _policy(body: QuoteBody, times: Times) -> Iterator[str]:
    begins = body.dates.effective
    is_in_force = begins <= times.today
    cover = "in force" if is_in_force else f"issued and begins on {day(begins)}"
    yield f"Policy {body.policy_number} is {cover}."


def _binder(body: QuoteBody, times: Times) -> Iterator[str]:
    binder = body.binder
    assert binder is not None, "what is bound has a binder"
    until = binder.fulfil_by
    if until is None or came_in_time(binder.received_on, until):
        yield f"Binder {body.policy_number} waits for an underwriter."
        due = "" if until is None or binder.late else f" and looks at it by {day(until)}"
        yield f"An underwriter has everything since {day(binder.received_on)}{due}."
        return
    left = (until - times.today).days
    within = "today" if left == 0 else f"within {counted(left, 'day')}"
    owed = [owed for owed in body.contingencies if owed.status == "open" and owed.received is None]
    what = owed[0].text.partition(",")[0] if len(owed) == 1 else counted(len(owed), "paper")
    yield f"Binder {body.policy_number} is due {day(until)}."
    yield f"Send {what[0].lower()}{what[1:]} {within}, or it lapses."


def _then(record: QuoteRecord, body: QuoteBody, times: Times, renewals: Renewals) -> Iterator[str]:
    """Return what becomes of a policy that has an offer to renew it, or a cancellation asked for."""
    offer = renewals.get(record.renewed_by) if record.renewed_by is not None else None
    is_offered = offer is not None and offer.quote_status in BINDABLE
    if not is_offered and not record.cancellation_open:
        return
    if asked := cancellation_asked_for(body, times):
        yield asked
    outlook = outlook_of(body, offer)
    assert outlook is not None, "a policy has an outlook"
    yield renewal_in_words(outlook)


def _open(seen: Sequence[QuoteRecord], times: Times) -> Iterator[str]:
    told_of = {record.renewed_by for record in seen if record.quote.status is QuoteStatus.POLICY_ACTIVE}
    open_ = [
        record for record in seen if record.quote.status in BINDABLE and record.quote.quote_id not in told_of
    ]
    if not open_:
        return
    bodies = [show_quote(record) for record in open_]
    last = min(record.quote.expires_on for record in open_ if record.quote.expires_on is not None)
    yield f"{counted(len(open_), 'option')} {_are(open_)} open until {day(last)}{_on_other_terms(bodies)}."
    approved = [
        body.decision for body in bodies if body.decision and body.decision.kind is DecisionKind.APPROVED
    ]
    if len(approved) == len(bodies):
        them = "it" if len(bodies) == 1 else "them"
        yield f"An underwriter approved {them} on {times.on(max(decision.at for decision in approved)).text}."


def _asked(seen: Sequence[QuoteRecord]) -> Iterator[str]:
    open_ = {question.question_id for record in seen for question in record.questions if question.is_open}
    if open_:
        waits = "it waits" if len(open_) == 1 else "they wait"
        yield f"An underwriter has {counted(len(open_), 'question')}: {waits} for your answer."


def _with_underwriters(seen: Sequence[QuoteRecord], waiting: Waiting, times: Times) -> Iterator[str]:
    with_desk = [
        record
        for record in seen
        if record.quote.submission_id in waiting and record.quote.status in AT_THE_DESK
    ]
    if not with_desk:
        return
    opened, due = waiting[with_desk[0].quote.submission_id]
    late = ", and the answer is late" if due < times.now else f", answer expected by {times.at(due).text}"
    have = "has" if len(with_desk) == 1 else "have"
    for_long = f"{have} been with an underwriter for {times.since(opened).text}"
    yield f"{counted(len(with_desk), 'option')} {for_long}{late}."


def _being_quoted(seen: Sequence[QuoteRecord], times: Times) -> Iterator[str]:
    running, ready = _running(seen)
    if running:
        submitted = times.since(running[0].quote.created_at).text
        more = " more" if ready else ""
        yield (
            f"{counted(len(running), f'{more} option'.lstrip())} {_are(running)} being quoted "
            f"(submitted {submitted} ago)."
        )


def _partly_ready(seen: Sequence[QuoteRecord]) -> Iterator[str]:
    running, ready = _running(seen)
    if ready:
        total = sum(record.quote.submission_id == running[0].quote.submission_id for record in seen)
        yield f"{ready} of {counted(total, 'option')} {'is' if ready == 1 else 'are'} ready."


def _running(seen: Sequence[QuoteRecord]) -> tuple[Sequence[QuoteRecord], int]:
    """Return what is being quoted, and how many options of the same submission can be bound already."""
    running = [record for record in seen if record.quote.status in NOT_READY]
    submissions = {record.quote.submission_id for record in running[:1]}
    ready = [
        record
        for record in seen
        if record.quote.submission_id in submissions and record.quote.status in BINDABLE
    ]
    return running, len(ready)


def _on_other_terms(open_: Sequence[QuoteBody]) -> str:
    changed = sum(map(is_on_other_terms, open_))
    if not changed:
        return ""
    return ", approved on other terms" if changed == len(open_) else f", {changed} approved on other terms"


def _are(records: Sequence[QuoteRecord]) -> str:
    return "is" if len(records) == 1 else "are"
