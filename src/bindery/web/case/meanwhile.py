"""What somebody else did about a case while its form was open, next to what was typed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bindery.domain.quote.quote import Quote
from bindery.web.case.case_forms import DecisionForm
from bindery.web.case.case_shown import CaseFacts
from bindery.web.shown.history import history_of
from bindery.web.shown.option import shown_number
from bindery.web.shown.times import Times
from bindery.web.shown.words import Moment, money


@dataclass(frozen=True, slots=True)
class Happened:
    at: Moment
    text: str
    by: str
    premium: str


@dataclass(frozen=True, slots=True)
class Meanwhile:
    happened: tuple[Happened, ...]
    typed: tuple[tuple[str, str], ...]


def shown_meanwhile(facts: CaseFacts, form: DecisionForm, moved: Sequence[Quote], times: Times) -> Meanwhile:
    return Meanwhile(
        happened=tuple(_happened(facts, quote, times) for quote in moved), typed=tuple(_typed(form))
    )


def _happened(facts: CaseFacts, quote: Quote, times: Times) -> Happened:
    number = shown_number(quote.option_number)
    entries = [entry for entry in facts.entries if entry.quote_id == quote.quote_id]
    lines = history_of(entries, {quote.quote_id: number}, times, named=None)
    # Publication follows an approval by itself: who approved is what the other one wants to know.
    newest = next((line for line in lines if "@" in line.by), lines[0])
    is_open = quote.expires_on is not None
    return Happened(newest.at, newest.text, newest.by, money(quote.premium) if is_open else "")


def _typed(form: DecisionForm) -> Iterator[tuple[str, str]]:
    if form.decision:
        yield "Decision", form.decision
    if form.aggregate_retention or form.per_claim_retention:
        yield "Retention", form.aggregate_retention or form.per_claim_retention
    for name, text in (
        ("Premium", form.premium),
        ("Reason", form.reason),
        ("Subject to", form.contingency_text),
    ):
        if text:
            yield name, text
