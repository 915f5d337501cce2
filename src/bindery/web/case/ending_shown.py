"""What canceling a policy comes to, shown while the form is filled in and before it is done."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from bindery.base.errors import BinderyError
from bindery.contract.policy_ending import CanceledBy, CancellationBody
from bindery.contract.quote import QuoteBody
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.applicant.risk import Term
from bindery.domain.policy.cancellation import REASON_WORDS, REASONS_OF, canceled_by, decide_cancel, has_ended
from bindery.domain.quote.decisions import CancelPolicy
from bindery.domain.quote.lifecycle import Trigger
from bindery.domain.quote.quote import JournalEntry, Quote
from bindery.web.case.case_forms import sentences
from bindery.web.shown.cancellation import amount_of, amounts_of, earliest_day
from bindery.web.shown.words import Times, day

GROUPS: Final[Mapping[CanceledBy, str]] = {
    CanceledBy.INSURED: "The insured cancels",
    CanceledBy.INSURER: "The insurer cancels, with notice",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeseenEnding:
    """What a cancellation comes to, or why it cannot be; `earliest` is the first possible day."""

    first: str
    last: str
    earliest: str
    on: str = ""
    amount: str = ""
    rows: tuple[tuple[str, str], ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def said(self) -> str:
        return f"If canceled as of {self.on}, {self.amount}" if self.amount else ""


def reason_choices() -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    """Return the reasons to choose from, by who can have them."""
    return tuple(
        (GROUPS[who], tuple((reason.value, REASON_WORDS[reason]) for reason in reasons))
        for who, reasons in REASONS_OF.items()
    )


def shown_ending(
    quote: Quote, term: Term, ask: CancelPolicy | BinderyError, *, state: str, today: date
) -> ForeseenEnding:
    """Foresee a cancellation; `ask` is what is wrong with the form, where it cannot be read."""
    first, last = term.effective.isoformat(), (term.expiration - timedelta(days=1)).isoformat()
    if isinstance(ask, BinderyError):
        return ForeseenEnding(first=first, last=last, earliest="", problems=tuple(sentences(ask)))
    earliest = earliest_day(ask, term, state=state, today=today)
    try:
        foreseen = decide_cancel(quote, term, ask, state=state, today=today)
    except BinderyError as fault:
        return ForeseenEnding(first=first, last=last, earliest=earliest, problems=tuple(sentences(fault)))
    return ForeseenEnding(
        first=first,
        last=last,
        earliest=earliest,
        on=day(foreseen.effective),
        amount=amount_of(quote, foreseen),
        rows=amounts_of(quote, term, foreseen),
    )


def asked_to_cancel(asked: CancellationBody) -> str:
    because = ": ".join(part for part in (REASON_WORDS[asked.reason], asked.text) if part)
    return f"from {day(asked.effective)}: {because}"


def as_asked(asked: CancellationBody | None) -> CancelPolicy:
    if asked is None:
        return CancelPolicy()
    return CancelPolicy(asked.effective, canceled_by(asked.reason), asked.reason, asked.text)


def coverage_ended(body: QuoteBody, today: date) -> str:
    """Return since when a canceled policy covers nothing; empty while it still does."""
    canceled = body.cancellation
    return day(canceled.effective) if canceled and has_ended(canceled.effective, today) else ""


def canceled_since(quote: Quote, entries: Sequence[JournalEntry], times: Times) -> date | None:
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
