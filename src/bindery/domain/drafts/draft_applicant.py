"""What an unfinished request tells of its applicant: which questions are asked, and what it may cost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from bindery.contract.vocabulary import DEFAULT_PRODUCT
from bindery.domain.applicant.domains import NotADomain, normalize_domain
from bindery.domain.applicant.industries import TECHNOLOGY, find_industry
from bindery.domain.applicant.risk import Answers, OptionAsk, Risk
from bindery.domain.applicant.us_states import find_state, state_of_zip
from bindery.domain.products import IndustryUse, record_of
from bindery.domain.questions.conditions import Facts, QuestionContext
from bindery.domain.questions.layout import unsettled_questions
from bindery.domain.questions.question import QUESTIONS, QuestionSet
from bindery.domain.questions.sheet import read_answers
from bindery.domain.rating.indication import Indication, indicate
from bindery.domain.rating.option import settle_terms
from bindery.domain.rating.tariff import Tariff, tariff_in_force
from bindery.domain.screening.case import Applicant, Reason, SanctionsList
from bindery.domain.screening.rules import answer_reasons, case_of, option_reasons
from bindery.domain.submission.parts import Parts, salvage_parts
from bindery.domain.submission.reading import circumstances_of


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftApplicant:
    """`required` are the bare ids of the questions that are asked now, `answers` those that count.

    `industry` is None where it is missing though it is rated, `state` where neither it nor the ZIP tells.
    """

    parts: Parts
    questions: QuestionSet
    circumstances: QuestionContext
    answers: Answers
    required: frozenset[str]
    state: str | None
    tariff: Tariff

    @property
    def revenue(self) -> int | None:
        return self.parts.revenue

    @property
    def missing_facts(self) -> tuple[str, ...]:
        """Return what the step Company has to tell before anything can be priced."""
        record = record_of(self.questions.product)
        lacks = {
            "revenue": self.parts.revenue is None,
            "state": self.state is None,
            "industry": self.parts.industry is None and record.industry is IndustryUse.RATED,
        }
        return tuple(fact for fact, is_missing in lacks.items() if is_missing)

    def indications(self, asks: Sequence[OptionAsk]) -> tuple[Indication, ...]:
        """Return the price range of each option, none while a fact for it is missing."""
        if self.missing_facts:
            return ()
        facts = Facts(self.answers.values, self.circumstances)
        return indicate(
            self.tariff,
            self._risk(),
            asks,
            hazard_group=find_industry(self._industry).hazard_group,
            unsettled=unsettled_questions(self.questions, facts),
        )

    def reasons(self, sanctions: SanctionsList) -> tuple[Reason, ...]:
        """Return why an underwriter decides every option, as far as is known."""
        return answer_reasons(self._applicant(sanctions))

    def option_reasons(
        self, asks: Sequence[OptionAsk], sanctions: SanctionsList
    ) -> tuple[tuple[Reason, ...], ...]:
        """Return why an underwriter decides each option, beyond the reasons for all of them."""
        applicant = self._applicant(sanctions)
        product, revenue = applicant.risk.product, applicant.risk.revenue
        return tuple(
            option_reasons(case_of(applicant, ask, settle_terms(self.tariff, revenue, product, ask)))
            for ask in asks
        )

    @property
    def _industry(self) -> str | None:
        return None if self.parts.industry == TECHNOLOGY else self.parts.industry

    def _risk(self) -> Risk:
        return Risk(
            product=self.questions.product,
            revenue=self.circumstances.revenue,
            state=self.state or "",
            industry=self._industry,
            answers=self.answers,
            term=self.circumstances.term,
        )

    def _applicant(self, sanctions: SanctionsList) -> Applicant:
        return Applicant(
            risk=self._risk(),
            industry=find_industry(self._industry),
            names=tuple(name for name in (self.parts.name, self.parts.dba) if name),
            question_edition=self.questions.edition,
            domains=tuple(_readable_domains(self.parts)),
            sanctions=sanctions,
        )


def read_applicant(body: Mapping[str, Any], today: date) -> DraftApplicant:
    """Read whatever can be read of a request, right or wrong."""
    parts = salvage_parts(body)
    product = parts.product or DEFAULT_PRODUCT
    questions = QUESTIONS.in_force(today).sets[product]
    circumstances = circumstances_of(parts, product, today)
    given = [(question.id, question.value) for _, question in parts.questions or ()]
    answers = read_answers(questions, given, circumstances).counting
    facts = Facts(answers.values, circumstances)
    return DraftApplicant(
        parts=parts,
        questions=questions,
        circumstances=circumstances,
        answers=answers,
        required=frozenset(question.bare_id for question in questions if question.required_when.holds(facts)),
        state=_state(body["client"].get("address", {})),
        tariff=tariff_in_force(today),
    )


def _state(address: Mapping[str, Any]) -> str | None:
    """Return the state that was typed, or that of the ZIP; `Parts` puts others in their place."""
    named = address.get("state") or state_of_zip(str(address.get("zip", "")).strip())
    return find_state(str(named or ""))


def _readable_domains(parts: Parts) -> list[str]:
    found = []
    for _, name in parts.domains:
        try:
            found.append(normalize_domain(name))
        except NotADomain:
            continue
    return found
