"""The sentence at the head of a company page: what is in force, what is open, and whose turn it is."""

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime

from bindery.contract.quote import QuoteBody
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.quote.lifecycle import AT_THE_DESK, BINDABLE, NOT_READY
from bindery.http.show_quote import show_quote
from bindery.storage.quote.quote_view import QuoteRecord
from bindery.web.shown.option import canceled_ahead, is_on_other_terms
from bindery.web.shown.renewal import outlook_of, renewal_in_words
from bindery.web.shown.words import Times, counted, day

Waiting = Mapping[uuid.UUID, tuple[datetime, datetime]]
Renewals = Mapping[uuid.UUID, QuoteBody]


def standing_of(
    seen: Sequence[QuoteRecord],
    waiting: Waiting,
    times: Times,
    renewals: Renewals,
    *,
    newest: str,
) -> str:
    bound = [record for record in seen if record.quote.status is QuoteStatus.POLICY_ACTIVE]
    parts = [
        f"policy {record.policy_number} is {_cover(record, times)}{_then(record, renewals)}"
        for record in bound
    ]
    told_of = {record.renewed_by for record in bound}
    open_ = [
        record for record in seen if record.quote.status in BINDABLE and record.quote.quote_id not in told_of
    ]
    parts += [
        f"policy {record.policy_number} is in force until {day(ahead)}, when its cancellation takes effect"
        for record in seen
        if record.quote.status is QuoteStatus.POLICY_CANCELED
        and (ahead := canceled_ahead(show_quote(record), times.today)) is not None
    ]
    if open_:
        last = min(record.quote.expires_on for record in open_ if record.quote.expires_on is not None)
        parts.append(
            f"{counted(len(open_), 'option')} {_are(open_)} open until {day(last)}{_on_other_terms(open_)}"
        )
    with_desk = [
        record
        for record in seen
        if record.quote.submission_id in waiting and record.quote.status in AT_THE_DESK
    ]
    if with_desk:
        opened, due = waiting[with_desk[0].quote.submission_id]
        late = ", and the answer is late" if due < times.now else f", answer expected by {times.at(due).text}"
        have = "has" if len(with_desk) == 1 else "have"
        for_long = f"{have} been with an underwriter for {times.since(opened).text}"
        parts.append(f"{counted(len(with_desk), 'option')} {for_long}{late}")
    running = [record for record in seen if record.quote.status in NOT_READY]
    if running:
        submitted = times.since(running[0].quote.created_at).text
        parts.append(
            f"{counted(len(running), 'option')} {_are(running)} being quoted (submitted {submitted} ago)"
        )
    if not parts:
        return f"Nothing is open. {newest}"
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def _on_other_terms(open_: Sequence[QuoteRecord]) -> str:
    changed = sum(is_on_other_terms(show_quote(record)) for record in open_)
    if not changed:
        return ""
    return ", approved on other terms" if changed == len(open_) else f", {changed} approved on other terms"


def _then(record: QuoteRecord, renewals: Renewals) -> str:
    """Say what becomes of a policy that has an offer to renew it, or a cancellation asked for."""
    body = show_quote(record)
    offer = renewals.get(record.renewed_by) if record.renewed_by is not None else None
    is_offered = offer is not None and offer.quote_status in BINDABLE
    if not is_offered and not record.cancellation_open:
        return ""
    outlook = outlook_of(body, offer)
    assert outlook is not None, "a policy has an outlook"
    said = renewal_in_words(outlook).removesuffix(".")
    cancellation = ", its cancellation is asked for," if record.cancellation_open else ""
    return f"{cancellation} and {said[0].lower()}{said[1:]}"


def _cover(record: QuoteRecord, times: Times) -> str:
    if record.issued_on is None:
        return "conditionally bound"
    begins = record.term.effective
    return "in force" if begins <= times.today else f"issued and begins on {day(begins)}"


def _are(records: Sequence[QuoteRecord]) -> str:
    return "is" if len(records) == 1 else "are"
