"""What a bind leads to and costs, for the form as it is: shown before the button, which has its name."""

from dataclasses import dataclass
from datetime import date
from typing import assert_never

from bindery.actions.policy.bind_quote import ForeseenBind
from bindery.domain.applicant.risk import Term, whole_months
from bindery.domain.policy.binding import (
    OUTCOME_OF,
    BindConcern,
    BindDecision,
    IssueConditionalBinder,
    IssuePolicy,
    ReferBind,
)
from bindery.domain.policy.contingencies import in_the_way
from bindery.domain.policy.policy import BINDER_LAPSES_AFTER, payment_due
from bindery.domain.products import record_of
from bindery.domain.quote.quote import Quote
from bindery.domain.quote.underwriting import total_of
from bindery.storage.quote.quote_view import QuoteRecord
from bindery.web.bind.bind_problems import FieldProblem
from bindery.web.case.decision_outcome import concern_in_words
from bindery.web.shown.option import assessment_of
from bindery.web.shown.words import cents, counted, day, day_of_year


@dataclass(frozen=True, slots=True)
class Path:
    title: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownPrice:
    """What the quote costs for the period of the form; `change` is empty where that is as quoted."""

    premium: str
    charges: tuple[tuple[str, str], ...]
    total: str
    lasts: str
    due: str
    change: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownOutcome:
    """What will happen, what else could, and the button; with `problems`, nothing would be bound."""

    outcome: str = ""
    happens: Path = Path("", "")
    instead: tuple[Path, ...] = ()
    button: str = ""
    after: str = ""
    price: ShownPrice
    problems: tuple[FieldProblem, ...] = ()

    @property
    def said(self) -> str:
        """Return what a reader of the screen is told when it changes."""
        if self.problems:
            return " ".join(f"{problem.label} {problem.text}.".strip() for problem in self.problems)
        return f"{self.happens.title}. {self.price.total} in total."


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """What the outcome depends on besides the form.

    `unread_file` is the name of a file that is chosen and not sent yet; `closes` are the other open options.
    """

    today: date
    unread_file: str = ""
    closes: int = 0


def shown_outcome(found: ForeseenBind, seen: QuoteRecord, known: Circumstances) -> ShownOutcome:
    decision = found.decision
    return ShownOutcome(
        outcome=OUTCOME_OF[type(decision)],
        happens=_happens(found, seen, known),
        instead=_instead(decision, seen, known.today),
        button=_button(decision, known.today),
        after=_after(decision),
        price=shown_price(found.quote, found.term, seen),
    )


def shown_price(priced: Quote, term: Term, seen: QuoteRecord) -> ShownPrice:
    record = assessment_of(priced)
    more = total_of(priced) - total_of(seen.quote)
    quoted = f"{day(seen.term.effective)} to {day(seen.term.expiration)}"
    sign = "more" if more > 0 else "less"
    return ShownPrice(
        premium=str(priced.premium or ""),
        charges=(
            ("Premium", cents(priced.premium)),
            *((charge.title, cents(charge.price)) for charge in (record.surcharges if record else ())),
        ),
        total=cents(total_of(priced)),
        lasts=_lasts(term),
        due=day(payment_due(term.effective)),
        change=f"{cents(abs(more))} {sign} than quoted for {quoted}" if more else "",
    )


def _lasts(term: Term) -> str:
    months = whole_months(term.effective, term.expiration)
    is_whole = term.effective.day == term.expiration.day
    return f"for {counted(months, 'month')}" if is_whole else f"until {day(term.expiration)}"


def _happens(found: ForeseenBind, seen: QuoteRecord, known: Circumstances) -> Path:
    term = f"{day(found.term.effective)} to {day(found.term.expiration)}"
    when = f"Starts {term}" if found.term.effective > known.today else f"In force {term}"
    closes = f" {counted(known.closes, 'other open option')} of the company close." if known.closes else ""
    if known.closes == 1:
        closes = " 1 other open option of the company closes."
    match found.decision:
        case IssuePolicy() if known.unread_file:
            read = f"If {known.unread_file} is the signed application: it is read when you send this."
            return Path("The policy is issued at once", f"{when}. {read}{closes}")
        case IssuePolicy():
            return Path("The policy is issued at once", f"{when}.{closes}")
        case IssueConditionalBinder(fulfil_by):
            title = f"Binder, due {_short(fulfil_by, known.today)}"
            text = "The binder becomes the policy when everything open is closed, and lapses otherwise."
            return Path(title, f"{when}. {text}{closes}")
        case ReferBind(because):
            why = concern_in_words(because, seen.contingencies)
            text = f"Because {why}. Nothing is bound until they decide."
            return Path("An underwriter decides", text)
        case _:
            assert_never(found.decision)


def _instead(decision: BindDecision, seen: QuoteRecord, today: date) -> tuple[Path, ...]:
    """Return the outcomes that another form, or another day, would have, and what would lead there."""
    needs_signature = any(owed.is_signature and owed.is_open for owed in seen.contingencies)
    paths = []
    if isinstance(decision, IssueConditionalBinder):
        text = "With the signed application uploaded and all three statements."
        paths.append(Path("Or the policy is issued at once", text))
    is_signed_here = any(file.judged.signed_electronically for file in seen.files)
    if isinstance(decision, IssuePolicy) and needs_signature and not is_signed_here:
        until = _short(today + BINDER_LAPSES_AFTER, today)
        paths.append(Path(f"Or a binder, due {until}", "Without one of the statements."))
    if not isinstance(decision, ReferBind) and record_of(seen.quote.product).retroactive is not None:
        text = "If the retroactive date reaches back further than quoted."
        paths.append(Path("Or an underwriter decides", text))
    reaches_back = isinstance(decision, ReferBind) and decision.because is BindConcern.RETROACTIVE_DATE
    if reaches_back and not in_the_way(seen.contingencies):
        paths.append(Path("Or without an underwriter", "If the retroactive date stays as quoted."))
    return tuple(paths)


def _button(decision: BindDecision, today: date) -> str:
    match decision:
        case IssuePolicy():
            return "Bind and issue the policy"
        case IssueConditionalBinder(fulfil_by):
            return f"Bind on condition until {_short(fulfil_by, today)}"
        case ReferBind():
            return "Ask an underwriter"
        case _:
            assert_never(decision)


def _after(decision: BindDecision) -> str:
    if isinstance(decision, ReferBind):
        return "You are mailed when they have decided."
    return "The insured and you are mailed. It cannot be undone; a policy can be canceled."


def _short(on: date, today: date) -> str:
    return day_of_year(on) if on.year == today.year else day(on)
