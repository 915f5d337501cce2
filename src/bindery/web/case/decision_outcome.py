"""What an underwriter's decision leads to, shown before the button is pressed."""

from collections.abc import Iterable
from datetime import date
from typing import assert_never

from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.policy.binding import BindConcern, decide_approval, is_last_open
from bindery.domain.policy.cancellation import reinstate_by
from bindery.domain.policy.contingencies import Contingency, in_the_way
from bindery.domain.quote.quote import expires_on
from bindery.domain.text import listed
from bindery.storage.quote.quote_view import QuoteRecord
from bindery.web.shown.words import counted, day


def decision_outcome(record: QuoteRecord, *, is_renewal: bool, canceled_on: date | None, today: date) -> str:
    match record.quote.status:
        case QuoteStatus.QUOTE_REFERRED if is_renewal:
            return "Approving offers the renewal at the premium shown, until the expiring policy ends."
        case QuoteStatus.QUOTE_REFERRED:
            return f"Approving publishes it at the premium shown, open until {day(expires_on(today))}."
        case QuoteStatus.QUOTE_BIND_REQUESTED:
            return _approved_bind(record, today)
        case QuoteStatus.POLICY_CANCELED if canceled_on is not None:
            last_day = reinstate_by(canceled_on)
            if today > last_day:
                return f"{record.policy_number} could be reinstated until {day(last_day)}."
            return (
                f"Reinstating puts {record.policy_number} back in force without a gap. "
                f"This is possible until {day(last_day)}."
            )
        case _:
            return ""


def asked_term(record: QuoteRecord) -> str:
    if record.quote.status is not QuoteStatus.QUOTE_BIND_REQUESTED:
        return ""
    return f"{day(record.term.effective)} to {day(record.term.expiration)}"


def begins_in_the_past(record: QuoteRecord, today: date) -> str:
    """Return how far back the cover of a requested bind would begin; empty if it would not."""
    gone = (today - record.term.effective).days
    if record.quote.status is not QuoteStatus.QUOTE_BIND_REQUESTED or gone <= 0:
        return ""
    return f"Cover would begin on {day(record.term.effective)}, {counted(gone, 'day')} in the past."


def _approved_bind(record: QuoteRecord, today: date) -> str:
    approval = decide_approval(
        record.contingencies, attested=bool(record.attested), effective=record.term.effective, today=today
    )
    if approval.fulfil_by is None:
        outcome = "Binding issues the policy at once"
    else:
        outcome = f"Binding gives a conditional binder until {day(approval.fulfil_by)}"
    closed = [f"“{owed.text}”" for owed, _ in approval.closes]
    end = f" and closes {listed(closed)}." if closed else "."
    return f"Cover is for {asked_term(record)}. {outcome}{end}"


def closing_outcome(record: QuoteRecord, contingency: Contingency) -> str:
    """Return what accepting or waiving an open contingency leads to."""
    is_bound = record.quote.status is QuoteStatus.POLICY_ACTIVE
    if is_bound and is_last_open(contingency, record.contingencies):
        return (
            f"It is the last open item: accepting or waiving it issues policy {record.policy_number} and "
            "mails the broker."
        )
    return "Accepting or waiving it closes it and notifies the partner."


def closing_warning(record: QuoteRecord, contingency: Contingency) -> str:
    if not contingency.is_signature or contingency.contingency_id in record.uploaded_for:
        return ""
    return (
        "No signed application is on file. If you close this all the same, the policy does not say that a "
        "signed copy is there."
    )


def concern_in_words(concern: BindConcern, owed: Iterable[Contingency]) -> str:
    """Return the clause that follows `because`; `owed` are the contingencies of the quote."""
    match concern:
        case BindConcern.RETROACTIVE_DATE:
            return "the retroactive date reaches back further than quoted"
        case BindConcern.STILL_OPEN:
            still_open = [f"“{contingency.text}”" for contingency in in_the_way(owed)]
            return f"this is still open: {listed(still_open)}" if still_open else "something was still open"
        case _:
            assert_never(concern)
