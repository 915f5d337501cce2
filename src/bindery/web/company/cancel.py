"""Asking for the cancellation of a policy, with what it comes to before it is asked for."""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from starlette.responses import Response

from bindery.actions.policy.cancel_policy import REQUESTED, request_cancellation
from bindery.base.errors import BinderyError, InvalidRequest, Problem, WrongState
from bindery.contract.binds import CancellationAsk, InsuredReason
from bindery.contract.policy_ending import CanceledBy, CancellationReason
from bindery.domain.access.caller import Caller
from bindery.domain.policy.cancellation import (
    REASON_WORDS,
    REASONS_OF,
    Cancellation,
    decide_cancel,
    first_day,
)
from bindery.domain.quote.decisions import CancelPolicy
from bindery.domain.text import flaws_of_lines
from bindery.http.show_quote import show_quote
from bindery.storage.quote.quote_view import QuoteRecord
from bindery.storage.submission import submissions
from bindery.web.company.book import see_quote
from bindery.web.company.forms import LONGEST_WORDS, FormProblem, problems_of, status_of
from bindery.web.frame.render import page
from bindery.web.frame.visit import Visit
from bindery.web.shown.cancellation import amount_of, amounts_of
from bindery.web.shown.renewal import cancellation_asked_for
from bindery.web.shown.words import day

LABELS: Final = {"effective": "Canceled as of", "reason": "Reason", "text": "More for the underwriter"}
INSURED: Final = CanceledBy.INSURED


@dataclass(frozen=True, slots=True, kw_only=True)
class CancellationForm:
    """What was typed; `shown` are the amounts that were on the page."""

    effective: str
    reason: str
    text: str = ""
    shown: str = ""

    def read(self) -> CancelPolicy:
        """Read the form.

        Raises:
            InvalidRequest: with all that is wrong.
        """
        problems = list(flaws_of_lines(self.text, "text", longest=LONGEST_WORDS))
        if self.reason not in REASONS_OF[INSURED]:
            problems.append(Problem("reason", "not_allowed", "must be one of the list"))
        on = _day(self.effective)
        if on is None:
            problems.append(Problem("effective", "bad_date", "must be a date"))
        if problems:
            raise InvalidRequest.because(problems)
        return CancelPolicy(on, INSURED, CancellationReason(self.reason), self.text)


@dataclass(frozen=True, slots=True)
class Foreseen:
    """A policy, and what its cancellation comes to or why it cannot be asked for."""

    record: QuoteRecord
    today: date
    outcome: Cancellation | BinderyError

    @property
    def key(self) -> str:
        """Identify the outcome that was shown, so that nothing is asked for on amounts that nobody saw."""
        if isinstance(self.outcome, BinderyError):
            return ""
        return f"{self.outcome.effective} {self.outcome.returned} {self.outcome.charges_returned}"


async def show_cancellation(visit: Visit) -> Response:
    foreseen, form = await _foresee(visit, None)
    return _page(visit, foreseen, form)


async def send_cancellation(visit: Visit) -> Response:
    given = await visit.form()
    typed = CancellationForm(**{name: given.get(name, "") for name in CancellationForm.__slots__})
    foreseen, form = await _foresee(visit, typed)
    if given.get("step") != "ask" or isinstance(foreseen.outcome, BinderyError):
        return _page(visit, foreseen, form)
    if typed.shown != foreseen.key:
        said = f"The amounts are now those of {day(foreseen.outcome.effective)}: look at them and ask again."
        return _page(visit, foreseen, form, more=FormProblem("", "", said))
    quote = foreseen.record.quote
    ask = CancellationAsk(
        effective=foreseen.outcome.effective, reason=InsuredReason(foreseen.outcome.reason), text=typed.text
    )
    caller = Caller(partner_id=quote.partner_id, actor=visit.actor)
    await request_cancellation(visit.runtime.database, caller, quote.quote_id, ask)
    said = f"Cancellation as of {day(ask.effective)} is asked for. {REQUESTED}"
    return await visit.done(f"/quote/{quote.quote_id}", said)


async def _foresee(visit: Visit, typed: CancellationForm | None) -> tuple[Foreseen, CancellationForm]:
    async with visit.runtime.database.reading() as tx:
        record = await see_quote(tx, visit.path_id("quote_id"), partner_id=visit.partner_id)
        state = (await submissions.get(tx, record.quote.submission_id)).submission.state
    first = CancelPolicy(None, INSURED, CancellationReason.INSURED_REQUEST, "")
    form = typed or CancellationForm(
        effective=first_day(first, record.term, state=state, today=tx.today).isoformat(), reason=first.reason
    )
    outcome: Cancellation | BinderyError
    try:
        outcome = decide_cancel(record.quote, record.term, form.read(), state=state, today=tx.today)
    except (InvalidRequest, WrongState) as fault:
        outcome = fault
    return Foreseen(record, tx.today, outcome), form


def _page(
    visit: Visit, foreseen: Foreseen, form: CancellationForm, *, more: FormProblem | None = None
) -> Response:
    record, outcome = foreseen.record, foreseen.outcome
    fault = outcome if isinstance(outcome, BinderyError) else None
    body = show_quote(record)
    status = status_of(fault) if fault else 422 if more else 200
    return page(
        visit,
        "company/cancel.html",
        status=status,
        name=str(record.client["name"]),
        policy=body.policy_number or "",
        quote_id=record.quote.quote_id,
        form=form,
        first=max(record.term.effective, min(foreseen.today, record.term.effective)).isoformat(),
        last=(record.term.expiration - timedelta(days=1)).isoformat(),
        reasons=tuple((reason.value, REASON_WORDS[reason]) for reason in REASONS_OF[INSURED]),
        longest=LONGEST_WORDS,
        asked=cancellation_asked_for(body, visit.times(visit.runtime.clock.real_now())),
        problems=(*(problems_of(fault, LABELS) if fault else ()), *((more,) if more else ())),
        may_send=not isinstance(fault, WrongState),
        on=day(outcome.effective) if isinstance(outcome, Cancellation) else "",
        amount=amount_of(record.quote, outcome) if isinstance(outcome, Cancellation) else "",
        amounts=amounts_of(record.quote, record.term, outcome) if isinstance(outcome, Cancellation) else (),
        shown=foreseen.key,
    )


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
