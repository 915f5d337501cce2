"""The list of subjectivities beside the decision: first those that the reasons suggest, none ticked."""

import re
from dataclasses import dataclass
from typing import Final

from msgspec import Struct

from bindery.contract.vocabulary import ContingencyType
from bindery.domain.quote.subjectivities import DAYS, SUBJECTIVITIES, Subjectivity
from bindery.web.case.case_facts import CaseFacts
from bindery.web.case.case_forms import DecisionForm
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownSubjectivities:
    suggested: tuple[ShownSubjectivity, ...]
    others: tuple[ShownSubjectivity, ...]


def shown_subjectivities(facts: CaseFacts, form: DecisionForm) -> ShownSubjectivities:
    reasons = {
        reason["code"]
        for record in facts.seen
        if (assessed := assessment_of(record.quote)) is not None
        for reason in assessed.reasons
    }
    suggested, others = SUBJECTIVITIES.in_force(facts.at.today).ordered(reasons)
    return ShownSubjectivities(
        suggested=tuple(_shown(each, form) for each in suggested),
        others=tuple(_shown(each, form) for each in others),
    )


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
