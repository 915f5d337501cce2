import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.applicant.industries import Industry
from bindery.domain.applicant.risk import OptionAsk, Risk
from bindery.domain.scan.scan import ScanResult

EMBARGOED_TOP_LEVELS: Final = frozenset({
    "cu",
    "ir",
    "xn--mgba3a4f16a",  # Iran, in Arabic letters
    "xn--mgba3a4fra",  # Iran, with the Arabic form of one letter
    "kp",
    "sy",
    "xn--ogbpf8fl",  # Syria, in Arabic letters
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class SanctionsList:
    compared: frozenset[str] = frozenset()

    @classmethod
    def of(cls, names: Iterable[str]) -> "SanctionsList":
        return cls(frozenset(comparable_name(name) for name in names) - {""})

    def holds(self, name: str) -> bool:
        return comparable_name(name) in self.compared


EMPTY_LIST: Final = SanctionsList()


def comparable_name(name: str) -> str:
    """Reduce a name to its letters and digits: `Élan, S.A.` and `ELAN S A` are the same."""
    letters = unicodedata.normalize("NFKD", name).casefold()
    spelled = (letter if letter.isalnum() else " " for letter in letters if not unicodedata.combining(letter))
    return " ".join("".join(spelled).split())


def is_embargoed_domain(domain: str) -> bool:
    return domain.rstrip(".").rpartition(".")[2].lower() in EMBARGOED_TOP_LEVELS


class Recommendation(StrEnum):
    """Advice to the underwriter; the service itself never declines."""

    REFER = "refer"
    DECLINE = "decline"


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason for a person to look at a quote; the journal shows it under `status`."""

    code: str
    text: str
    recommendation: Recommendation = Recommendation.REFER
    status: QuoteStatus = QuoteStatus.AQ_NOT_APPROVED


@dataclass(frozen=True, slots=True)
class Applicant:
    """The facts before any scan, the same for every option.

    `names` are the named insured and its trade name; `domains` are in their ASCII form; `question_edition` is
    the one of the answers.
    """

    risk: Risk
    industry: Industry
    names: tuple[str, ...]
    question_edition: str
    domains: tuple[str, ...] = ()
    sanctions: SanctionsList = EMPTY_LIST

    @property
    def has_domain(self) -> bool:
        return bool(self.domains)


@dataclass(frozen=True, slots=True)
class Case:
    """One option of an applicant; its first three flags are results of settling the terms."""

    applicant: Applicant
    ask: OptionAsk
    scan: ScanResult | None = None
    retention_above_share: bool = False
    limit_too_small: bool = False
    no_cover_per_claim: bool = False
    broker_conflict: bool = False
    pricing_failed: bool = False
    renewal_held: bool = False
    outside_binder: str = ""
    """Why no binder of the first day covers it; empty where one does, and without any binder on file."""


ApplicantRule = Callable[[Applicant], Reason | None]
CaseRule = Callable[[Case], Reason | None]


@dataclass(frozen=True, slots=True)
class Rulebook:
    applicant: tuple[ApplicantRule, ...]
    option: tuple[CaseRule, ...]
    scan: tuple[CaseRule, ...] = ()
