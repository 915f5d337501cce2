import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final

from bindery.base.errors import BinderyError, InvalidRequest, Problem
from bindery.domain.policy.binding import ASK_AGAIN, first_days, opens_on
from bindery.domain.products import all_products
from bindery.domain.quote.quote import Quote, is_expired
from bindery.web.shown.words import day

RETROACTIVE: Final = tuple(record.retroactive for record in all_products() if record.retroactive is not None)
LABELS: Final[Mapping[str, str]] = {
    "effective": "Effective date",
    "expiration": "Expiration date",
    **{rule.field: "Retroactive date" for rule in RETROACTIVE},
    "first_name": "Contact's first name",
    "last_name": "Contact's last name",
    "cell_phone": "Contact's phone",
    "email": "Contact's email",
    "contingency": "What it is for",
    "file": "The file",
    "app_attestation": "The signed application",
    "premium": "The premium",
}
FOR_PEOPLE: Final[Mapping[str, str]] = {
    "application_none": "is needed for the statements: choose its file, or bind on condition without them",
    "application_other_quote": "is that of another quote: upload the one that belongs to this quote",
    "application_altered": "differs from the one issued with this quote: have that one signed, and upload it",
    "application_damaged": "cannot be opened: upload it again",
    "application_not_signed": "is not signed: have it signed, and upload it again, or bind on condition",
    "pages_missing": "is not complete: upload the missing pages too, or bind on condition",
}
"""Sentences about the attestation, which pages do not call by that name."""
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d")
ASK_IN_WORDS: Final = "Ask for a new quote for the company."


FIELDS: Final = tuple(name for name in LABELS if name != "premium")
"""The fields of the form in their order; what is wrong with anything else leads nowhere."""


@dataclass(frozen=True, slots=True)
class FieldProblem:
    field: str
    label: str
    text: str


def problems_of(fault: BinderyError) -> list[Problem]:
    listed = fault.problems if isinstance(fault, InvalidRequest) else ()
    return list(listed) or [Problem("", fault.code, fault.message)]


def unless_said(problems: list[Problem], said: str) -> list[Problem]:
    """Drop problems of the effective date if the page already says what can be done about it."""
    return [problem for problem in problems if not said or problem.path != "dates.effective"]


def field_problem(problem: Problem) -> FieldProblem:
    """Return a problem with its field; a message that is a whole sentence needs no label."""
    field = problem.path.rpartition(".")[2]
    is_sentence = problem.message[:1].isupper()
    label = LABELS.get(field, "The bind") if field and not is_sentence else ""
    text = FOR_PEOPLE.get(problem.code, problem.message)
    return FieldProblem(field if field in FIELDS else "bind", label, in_words(text))


def in_order(problems: Iterable[FieldProblem]) -> tuple[FieldProblem, ...]:
    """Return problems in the order of the form's fields, those of none of them first."""
    return tuple(
        sorted(problems, key=lambda found: FIELDS.index(found.field) if found.field in FIELDS else -1)
    )


def in_words(message: str) -> str:
    text = _DATE.sub(lambda found: day(date.fromisoformat(found[0])), message)
    text = text.replace("after effective", "after the effective date")
    return text.replace(ASK_AGAIN, ASK_IN_WORDS)


def first_day_in_words(quote: Quote, effective: date, *, today: date) -> str:
    """Return why the quoted effective date cannot be bound today, and which can; empty if it can be."""
    first, last = first_days(today)
    quoted = f"The effective date quoted, {day(effective)},"
    if effective < first:
        return f"{quoted} is too long ago to bind: choose another, {day(first)} or later."
    if effective <= last:
        return ""
    opens = opens_on(effective)
    if quote.expires_on is not None and is_expired(quote.expires_on, today=opens):
        closed = f"could be bound from {day(opens)} on, but the quote is open until {day(quote.expires_on)}"
        return f"{quoted} {closed}. Choose an earlier one, up to {day(last)} today."
    return f"{quoted} can be bound from {day(opens)} on. Today it can be {day(last)} at the latest."
