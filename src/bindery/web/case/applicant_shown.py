"""Who applies, in one line of the case."""

from collections.abc import Iterator
from typing import Final

from bindery.domain.applicant.industries import find_industry
from bindery.domain.documents.building import printed_answer
from bindery.storage.submission.submissions import StoredSubmission
from bindery.web.shown.words import NONE, money

COUNTED: Final = {"2314": "Employees", "2404": "Professionals", "2403": "Years in business"}
"""Answers that say how large a firm is, or how old."""
MOST_FACTS: Final = 6


def shown_facts(stored: StoredSubmission) -> tuple[tuple[str, str], ...]:
    return tuple(_facts(stored))[:MOST_FACTS]


def _facts(stored: StoredSubmission) -> Iterator[tuple[str, str]]:
    submission = stored.submission
    yield "Revenue", money(submission.revenue)
    yield "State", submission.state
    yield "Industry", _industry(submission.industry)
    for question, title in COUNTED.items():
        if answer := printed_answer(submission.answers.values.get(question)):
            yield title, answer
    if stored.scan is not None and stored.scan.score is not None:
        yield "Scan", f"{stored.scan.score} of 100"
    yield "Domains", _domains(submission.domains)


def _domains(domains: tuple[str, ...]) -> str:
    more = len(domains) - 1
    return f"{domains[0]} and {more} more" if more > 0 else ", ".join(domains) or "none"


def _industry(code: str | None) -> str:
    title = find_industry(code).title
    return f"{code} {title}" if code and title else code or NONE
