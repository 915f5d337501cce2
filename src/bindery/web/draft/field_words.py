"""The fields of a draft in words: what they are called, and what was typed or chosen in them."""

from collections.abc import Sequence
from typing import Final

import msgspec

from bindery.domain.applicant.industries import find_industry
from bindery.domain.applicant.risk import FULL_PRIOR_ACTS
from bindery.domain.drafts.fields import (
    CONTACTS,
    DOMAINS,
    METADATA,
    OPTIONS,
    PRODUCT,
    QUESTION,
    REVENUE,
    domains_of,
    number_in,
)
from bindery.domain.questions.question import QuestionSet
from bindery.web.draft.carried import contacts_in_words, shortened
from bindery.web.draft.problems import LABELS
from bindery.web.shown.words import american, money, product_name

INDUSTRY: Final = "client.industry"


def in_words(value: str) -> str:
    """Return what was typed or chosen as its page shows it."""
    return {"true": "Yes", "false": "No"}.get(value, value)


def name_in_words(name: str, questions: QuestionSet) -> str:
    """Return what a field is called, a question by its text."""
    if not name.startswith(QUESTION):
        return LABELS.get(name, name)
    question = questions.find(name.removeprefix(QUESTION))
    return f"“{question.text}”" if question else name.removeprefix(QUESTION)


def values_in_words(name: str, values: Sequence[str]) -> str:
    """Return what a field holds; empty if it holds nothing."""
    if not values:
        return ""
    text = "\n".join(values)
    if name == OPTIONS:
        return "; ".join(map(_option, values))
    if name == CONTACTS:
        return contacts_in_words(values)
    if name == DOMAINS:
        return ", ".join(domains_of({name: tuple(values)}))
    if name == REVENUE:
        revenue = number_in(values[-1])
        return money(revenue) if isinstance(revenue, int) else text
    if name == INDUSTRY:
        return f"{text} {find_industry(text).title or ''}".strip()
    if name == PRODUCT:
        return product_name(text)
    if name == METADATA:
        return shortened(text)
    if text == FULL_PRIOR_ACTS:
        return "Full prior acts"
    return american(", ".join(map(in_words, values)))


def option_in_words(option: object) -> tuple[str, str]:
    """Return an asked option's limit in words, and what else of it was asked."""
    if not isinstance(option, dict):
        return str(option), "cannot be read"
    limit, per_claim, cap = (
        option.get(name) for name in ("aggregate_limit", "per_claim_retention", "aggregate_retention")
    )
    retention = per_claim or cap
    words = [f"{money(retention)} retention" if isinstance(retention, int) else "the usual retention"]
    if isinstance(one_claim := option.get("per_claim_limit"), int):
        words.insert(0, f"{money(one_claim)} per claim")
    if per_claim and isinstance(cap, int):
        words.append(f"at most {money(cap)} a year")
    return money(limit) if isinstance(limit, int) else str(limit), ", ".join(words)


def _option(text: str) -> str:
    try:
        limit, rest = option_in_words(msgspec.json.decode(text))
    except (msgspec.DecodeError, RecursionError):
        return shortened(text)
    return f"{limit} limit, {rest}"
