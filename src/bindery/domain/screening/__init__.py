"""Referral rules: small named functions, all of them run, every reason kept."""

from bindery.domain.screening.authority import AUTHORITY, Authority, authority_reasons
from bindery.domain.screening.case import Applicant, Case, Reason, Recommendation
from bindery.domain.screening.gather import applicant_of, case_of, foreseeable_reasons
from bindery.domain.screening.notes import notes_for
from bindery.domain.screening.rules import (
    PIPELINE_ORDER,
    RuleEntry,
    all_reason_codes,
    answer_reasons,
    rule_catalogue,
    screen,
    screen_before_scan,
)
from bindery.domain.screening.sanctions_list import SanctionsList

__all__ = [
    "AUTHORITY",
    "PIPELINE_ORDER",
    "Applicant",
    "Authority",
    "Case",
    "Reason",
    "Recommendation",
    "RuleEntry",
    "SanctionsList",
    "all_reason_codes",
    "answer_reasons",
    "applicant_of",
    "authority_reasons",
    "case_of",
    "foreseeable_reasons",
    "notes_for",
    "rule_catalogue",
    "screen",
    "screen_before_scan",
]
