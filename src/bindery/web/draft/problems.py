"""What is wrong with a draft: the sentences of the API's checks, led to their fields."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from bindery.base.errors import Problem
from bindery.domain.drafts.draft import DraftStep, field_of, step_of
from bindery.domain.drafts.fields import ADDRESS, CONTACTS, DOMAINS, METADATA, OPTIONS, QUESTION
from bindery.domain.questions.values import AnswerProblem
from bindery.web.draft.carried import field_of_contact
from bindery.web.shown.words import american

LABELS: Final[Mapping[str, str]] = {
    "policy.insurance_product": "Product",
    "client.name": "Legal name",
    "client.revenue": "Revenue, last 12 months",
    "client.industry": "Industry",
    DOMAINS: "Websites and email domains",
    f"{ADDRESS}.street": "Street",
    f"{ADDRESS}.city": "City",
    f"{ADDRESS}.zip": "ZIP",
    f"{ADDRESS}.state": "State",
    f"{ADDRESS}.street2": "Suite",
    "policy.dates.effective": "First day of cover",
    "policy.dates.expiration": "Last day",
    "policy.dates.mpl_retroactive_date": "Retroactive date",
    "policy.dates.teo_retroactive_date": "Retroactive date",
    "client.dba": "Also trades as",
    "client.insured_main_contact.email": "Contact's email",
    "client.insured_main_contact.first_name": "Contact's first name",
    "client.insured_main_contact.last_name": "Contact's last name",
    "client.insured_main_contact.cell_phone": "Contact's phone",
    "client.broker_email": "Broker",
    "client.secondary_broker_email": "Second broker",
    "policy.program_code": "Program",
    "client.company_id": "Company number",
    CONTACTS: "Further contacts",
    METADATA: "Notes of your systems",
    OPTIONS: "Options",
}
"""The fields of the step Company, in their order, and those that no question has."""


_IN_LIST: Final = re.compile(r"client\.domains\[(\d+)\]")


@dataclass(frozen=True, slots=True)
class FoundProblem:
    """`field` is the id of the control on the page of its step; `label` names it in words."""

    step: DraftStep
    field: str
    label: str
    text: str


def found_problems(problems: Iterable[Problem], body: Mapping[str, Any]) -> tuple[FoundProblem, ...]:
    found = [_found(problem, body) for problem in problems]
    order = {name: place for place, name in enumerate(LABELS)}
    steps = list(DraftStep)
    return tuple(sorted(found, key=lambda one: (steps.index(one.step), order.get(one.field, len(order)))))


def _found(problem: Problem, body: Mapping[str, Any]) -> FoundProblem:
    field = field_of(problem, body)
    step = step_of(field)
    if problem.code == AnswerProblem.MISSING_ANSWER:
        _, _, question = problem.message.partition(": ")
        return FoundProblem(step, field, question, "Not answered.")
    text = _sentence(problem, field, body)
    if found := field_of_contact(problem.path, body["client"].get("additional_contacts", ())):
        return FoundProblem(step, *found, text)
    label = LABELS.get(field) or (field.removeprefix(QUESTION) if field.startswith(QUESTION) else "")
    return FoundProblem(step, field, label or problem.path, text)


def _sentence(problem: Problem, field: str, body: Mapping[str, Any]) -> str:
    text = american(problem.message).removesuffix(".")
    if field == DOMAINS and (found := _IN_LIST.fullmatch(problem.path)):
        return f"“{body['client']['domains'][int(found[1])]}” {text}."
    return f"{text[:1].upper()}{text[1:]}."
