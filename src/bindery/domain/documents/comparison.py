"""The options of a submission side by side."""

from collections.abc import Mapping
from dataclasses import dataclass

from bindery.domain.documents.facts import ApplicantFacts, DocumentFacts, OptionFacts, join_facts


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedOption:
    """An option with a price; `number` is the one that people know it by, from 1."""

    number: int
    facts: DocumentFacts


@dataclass(frozen=True, kw_only=True)
class ComparisonFacts(DocumentFacts):
    """The facts of a comparison, the same whichever option it is requested for.

    `asked_for` is how many options the submission has; those without a price when the sheet was made are not
    on it.
    """

    options: tuple[ComparedOption, ...]
    asked_for: int


def comparison_facts(
    applicant: ApplicantFacts, options: Mapping[int, OptionFacts], *, asked_for: int
) -> ComparisonFacts:
    compared = tuple(
        ComparedOption(number=number, facts=join_facts(applicant, options[number]))
        for number in sorted(options)
    )
    return ComparisonFacts(**vars(compared[0].facts), options=compared, asked_for=asked_for)
