"""The coverages of options side by side: the few that clients ask for, and all of them."""

from collections.abc import Mapping, Sequence
from typing import Final

from bindery.contract.quote import CoverageBody, QuoteBody
from bindery.documents.layout import OF_THE_POLICY, PARAMETERS
from bindery.web.shown.comparison import Row, row_of
from bindery.web.shown.words import NONE, money

ASKED_FOR: Final[Mapping[str, str]] = {
    "Technology Errors and Omissions Liability": "Technology E&O",
    "Miscellaneous Professional Liability": "Professional liability",
    "Social Engineering Fraud": "Social engineering",
    "Computer Fraud and Funds Transfer Fraud": "Funds transfer fraud",
    "Cyber Extortion and Ransomware Payments": "Ransomware",
    "Business Interruption and Extra Expense": "Business interruption",
    "Breach Response and Incident Management": "Breach response",
    "Dependent Business Interruption - IT Providers": "Dependent interruption, IT",
    "Intellectual Property Infringement": "Intellectual property",
    "Privacy and Network Security Liability (Sublimited)": "Privacy and security",
    "Regulatory and Disciplinary Proceedings": "Disciplinary proceedings",
    "Contingent Bodily Injury and Property Damage": "Bodily injury, property",
    "Withheld Fees and Rectification": "Withheld fees",
}
"""The coverages that clients ask for, the first ones first, and what people call them."""
SHOWN_FIRST: Final = 6


def coverages_asked_for(bodies: Sequence[QuoteBody]) -> tuple[Row, ...]:
    """Return a row for each of the coverages that clients ask for first and one of the options has."""
    named = [name for name in ASKED_FOR if any(_find(body, name) for body in bodies)]
    return tuple(_row(ASKED_FOR[name], name, bodies) for name in named[:SHOWN_FIRST])


def all_coverages(bodies: Sequence[QuoteBody]) -> tuple[Row, ...]:
    names = dict.fromkeys(coverage.coverage_name for body in bodies for coverage in body.coverages)
    return tuple(_row(name, name, bodies) for name in names)


def _row(title: str, name: str, bodies: Sequence[QuoteBody]) -> Row:
    found = [_find(body, name) for body in bodies]
    return row_of(
        title,
        [_limit(coverage, body) for coverage, body in zip(found, bodies, strict=True)],
        more=[_further(coverage, body) for coverage, body in zip(found, bodies, strict=True)],
    )


def _find(body: QuoteBody, name: str) -> CoverageBody | None:
    return next((coverage for coverage in body.coverages if coverage.coverage_name == name), None)


def _limit(coverage: CoverageBody | None, body: QuoteBody) -> str:
    if coverage is not None:
        return money(coverage.limit)
    return NONE if body.premium is None else "not covered"


def _further(coverage: CoverageBody | None, body: QuoteBody) -> str:
    """Return a retention of its own, and the further term that a coverage has."""
    if coverage is None:
        return ""
    own = {body.aggregate_retention, body.per_claim_retention, 0}
    parts = []
    if coverage.retention not in own:
        parts.append(f"retention {money(coverage.retention)}")
    name, figure = coverage.parameter_name, coverage.parameter
    if figure and name is not None and name not in OF_THE_POLICY:
        words = PARAMETERS[name].format(figure)
        parts.append(f"{words[0].lower()}{words[1:]}")
    return ", ".join(parts)
