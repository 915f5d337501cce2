"""The list of subjectivities beside the decision: first those that the reasons suggest, none ticked."""

import re
from datetime import date
from functools import lru_cache
from typing import Final

from markupsafe import Markup
from msgspec import Struct

from bindery.contract.vocabulary import ContingencyType
from bindery.domain.quote.subjectivities import DAYS, SUBJECTIVITIES, Subjectivity
from bindery.web.case.case_facts import CaseFacts
from bindery.web.case.case_forms import DecisionForm
from bindery.web.frame.render import TEMPLATES
from bindery.web.shown.option import assessment_of

_PARTS: Final = re.compile(r"(\{\w+\})")


class ShownBlank(Struct, frozen=True):
    name: str
    label: str
    value: str
    is_short: bool


class ShownSubjectivity(Struct, frozen=True, kw_only=True):
    """One of the list; its text with a sign for each blank, and the fields of the blanks."""

    code: str
    text: str
    when: str
    is_ticked: bool
    blanks: tuple[ShownBlank, ...]


def shown_subjectivities(facts: CaseFacts, form: DecisionForm) -> Markup:
    """Return the list as it stands on the page."""
    reasons = frozenset(
        reason["code"]
        for record in facts.seen
        if (assessed := assessment_of(record.quote)) is not None
        for reason in assessed.reasons
    )
    if form.subjectivities or form.blanks:
        return _rendered(facts.at.today, reasons, form)
    return _untouched(facts.at.today, reasons)


@lru_cache(maxsize=256)
def _untouched(today: date, reasons: frozenset[str]) -> Markup:
    """Return the list with nothing ticked or typed: it is the same for all cases with these reasons."""
    return _rendered(today, reasons, DecisionForm())


def _rendered(today: date, reasons: frozenset[str], form: DecisionForm) -> Markup:
    suggested, others = SUBJECTIVITIES.in_force(today).ordered(reasons)
    text = TEMPLATES.get_template("case/_subjectivities.html").render(
        suggested=[_shown(each, form) for each in suggested],
        others=[_shown(each, form) for each in others],
        is_begun=bool(form.subjectivities),
    )
    return Markup(text)  # noqa: S704 - escaped by the template


def _shown(each: Subjectivity, form: DecisionForm) -> ShownSubjectivity:
    parts = [f"[{part[1:-1]}]" if _PARTS.fullmatch(part) else part for part in _PARTS.split(each.text)]
    return ShownSubjectivity(
        code=each.code,
        text="".join(parts),
        when="before the bind" if each.type is ContingencyType.PRE_BIND else "after the bind",
        is_ticked=each.code in form.subjectivities,
        blanks=tuple(
            ShownBlank(
                name=name,
                label=name.capitalize(),
                value=form.blanks.get((each.code, name), each.usual(name)),
                is_short=name in {DAYS, "years"},
            )
            for name in each.blanks
        ),
    )
