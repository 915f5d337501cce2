"""The fields of a draft in words: what they are called, and what was typed or chosen in them."""

from collections.abc import Callable, Mapping, Sequence
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

_WORDS: Final = {"true": "Yes", "false": "No", FULL_PRIOR_ACTS: "Full prior acts"}


def in_words(value: str) -> str:
    """Return what was typed or chosen as its page shows it."""
    return _WORDS.get(value, value)


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
    if (say := _SAID_OTHERWISE.get(name)) is not None:
        return say(values)
    return american(", ".join(map(in_words, values)))


def _revenue(values: Sequence[str]) -> str:
    revenue = number_in(values[-1])
    return money(revenue) if isinstance(revenue, int) else values[-1]


def _industry(values: Sequence[str]) -> str:
    return f"{values[-1]} {find_industry(values[-1]).title or ''}".strip()


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


_SAID_OTHERWISE: Final[Mapping[str, Callable[[Sequence[str]], str]]] = {
    PRODUCT: lambda values: product_name(values[-1]),
    DOMAINS: lambda values: ", ".join(domains_of({DOMAINS: tuple(values)})),
    REVENUE: _revenue,
    "client.industry": _industry,
    OPTIONS: lambda values: "; ".join(map(_option, values)),
    CONTACTS: contacts_in_words,
    METADATA: lambda values: shortened(values[-1]),
}
