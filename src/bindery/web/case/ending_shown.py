"""What canceling a policy comes to, shown while the form is filled in and before it is done."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from bindery.base.errors import BinderyError
from bindery.contract.quote import CanceledBy
from bindery.domain.applicant.risk import Term
from bindery.domain.policy.cancellation import REASON_WORDS, REASONS_OF, decide_cancel
from bindery.domain.quote.decisions import CancelPolicy
from bindery.domain.quote.quote import Quote
from bindery.web.case.case_forms import sentences
from bindery.web.shown.cancellation import amount_of, amounts_of, earliest_day
from bindery.web.shown.words import day

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
