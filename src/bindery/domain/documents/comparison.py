"""Comparisons: the options of a submission side by side, and a renewal with its expiring policy."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date

from bindery.domain.documents.facts import (
    ApplicantFacts,
    ChangedAnswer,
    DocumentFacts,
    OptionFacts,
    Renewal,
    ScanView,
    SignedApplication,
    join_facts,
)
from bindery.domain.scan.scan import Finding


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
    applicant: ApplicantFacts,
    options: Mapping[int, OptionFacts],
    *,
    asked_for: int,
    version: int = 1,
    replaces: date | None = None,
) -> ComparisonFacts:
    compared = tuple(
        ComparedOption(number=number, facts=join_facts(applicant, options[number]))
        for number in sorted(options)
    )
    of_sheet = {**vars(compared[0].facts), "version": version, "replaces": replaces}
    return ComparisonFacts(**of_sheet, options=compared, asked_for=asked_for)


def renewal_of(expiring: DocumentFacts, applicant: ApplicantFacts, alarms: Iterable[Finding] = ()) -> Renewal:
    binding = expiring.binding
    assert binding is not None, "what is renewed is bound"
    assert expiring.offer is not None, "what is bound has a price"
    before, now = _titles(expiring.scan), _titles(applicant.scan)
    announced = dict.fromkeys(finding.title for finding in alarms)
    own = SignedApplication(
        quote_identifier=expiring.quote_identifier,
        fingerprint=expiring.fingerprint,
        relied_on=binding.issued_on or binding.bound_on,
        on_file=expiring.is_signature_on_file,
    )
    return Renewal(
        policy_number=binding.policy_number,
        expiration=expiring.period.expiration,
        premium=expiring.offer.premium,
        terms=expiring.terms,
        continuity=expiring.continuity,
        signed=expiring.signed_application or own,
        answers=tuple(_changed_answers(expiring, applicant)),
        score=expiring.scan.score if expiring.scan else None,
        found=tuple(title for title in now if title not in before),
        settled=tuple(title for title in before | announced if _is_settled(title, applicant.scan)),
        forms=expiring.forms.policy,
    )


def _changed_answers(expiring: DocumentFacts, applicant: ApplicantFacts) -> Iterator[ChangedAnswer]:
    before = {question.id: question.answer for question in expiring.questions}
    for question in applicant.questions:
        answered = before.get(question.id)
        if answered != question.answer:
            yield ChangedAnswer(text=question.text, before=answered, now=question.answer)


def _is_settled(title: str, scan: ScanView | None) -> bool:
    """Whether a finding is gone: a check that gave no verdict does not say so."""
    if scan is None or not scan.has_report:
        return False
    return title not in _titles(scan) and title not in scan.unchecked


def _titles(scan: ScanView | None) -> dict[str, None]:
    return {finding.title: None for finding in scan.findings if finding.points} if scan else {}
