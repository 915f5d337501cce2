"""What is screened, and what screening finds."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.applicant.industries import Industry
from bindery.domain.applicant.risk import OptionAsk, Risk
from bindery.domain.scan.scan import ScanResult
from bindery.domain.screening.sanctions_list import EMPTY_LIST, SanctionsList


class Recommendation(StrEnum):
    """What the underwriter is advised to do; the service itself never declines."""

    REFER = "refer"
    DECLINE = "decline"


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a person has to look at a quote.

    `status` is the pipeline status under which the journal shows the reason.
    """

    code: str
    text: str
    recommendation: Recommendation = Recommendation.REFER
    status: QuoteStatus = QuoteStatus.AQ_NOT_APPROVED


@dataclass(frozen=True, slots=True)
class Applicant:
    """What is known before any scan, and is the same for every option.

    `names` are the named insured and its trade name; `domains` are in their ASCII form; `question_edition`
    is the one that the answers were given to.
    """

    risk: Risk
    industry: Industry
    names: tuple[str, ...]
    question_edition: str
    domains: tuple[str, ...] = ()
    sanctions: SanctionsList = EMPTY_LIST

    @property
    def has_domain(self) -> bool:
        """Whether there is anything to scan."""
        return bool(self.domains)


@dataclass(frozen=True, slots=True)
class Case:
    """One option of an applicant, with everything a decision about it rests on.

    `retention_above_share`, `limit_too_small` and `no_cover_per_claim` are what settling the terms found.
    """

    applicant: Applicant
    ask: OptionAsk
    scan: ScanResult | None = None
    retention_above_share: bool = False
    limit_too_small: bool = False
    no_cover_per_claim: bool = False
    broker_conflict: bool = False
    pricing_failed: bool = False


ApplicantRule = Callable[[Applicant], Reason | None]
CaseRule = Callable[[Case], Reason | None]


@dataclass(frozen=True, slots=True)
class Rulebook:
    """The rules of one product: about the applicant, about an option, and about the scan."""

    applicant: tuple[ApplicantRule, ...]
    option: tuple[CaseRule, ...]
    scan: tuple[CaseRule, ...] = ()
