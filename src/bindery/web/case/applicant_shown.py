"""Who applies, in one line of the case."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from bindery.domain.applicant.industries import find_industry
from bindery.domain.documents.building import printed_answer
from bindery.domain.products import IndustryUse, record_of
from bindery.storage.desk.desk_notes import Origin
from bindery.storage.submission.earlier import ReadSubmission
from bindery.storage.submission.submissions import StoredSubmission
from bindery.web.shown.words import NONE, Times, day, money, status_word

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


@dataclass(frozen=True, slots=True)
class Known:
    """Something to know about an applicant; `linked` is the part of it that leads to `address`."""

    text: str
    linked: str = ""
    address: str = ""
    more: str = ""


def shown_background(
    stored: StoredSubmission,
    origin: Origin,
    client: Mapping[str, Any],
    before: ReadSubmission | None,
    times: Times,
) -> tuple[Known, ...]:
    """Return through whom an applicant came, where it is, from when it wants cover, and what was before."""
    said = [Known(text) for text in _background(stored, origin, client)]
    return (*said, _what_was_before(stored, origin, before, times))


def _background(stored: StoredSubmission, origin: Origin, client: Mapping[str, Any]) -> Iterator[str]:
    submission = stored.submission
    yield f"through {origin.partner}"
    if origin.firm:
        yield f"broker of {origin.firm}"
    address = client.get("address") or {}
    lines = [address.get(part) for part in ("street", "city", "state", "zip")]
    if any(lines):
        yield ", ".join(str(line) for line in lines if line)
    yield f"effective {day(submission.term.effective)}"
    if record_of(submission.product).industry is not IndustryUse.NOT_ASKED:
        yield f"hazard group {find_industry(submission.industry).hazard_group}"


def _what_was_before(
    stored: StoredSubmission, origin: Origin, before: ReadSubmission | None, times: Times
) -> Known:
    if before is None:
        return Known("not submitted before")
    outcomes = Counter(status_word(option.status).text.lower() for option in before.options)
    what = ", ".join(
        word if count == 1 and len(outcomes) == 1 else f"{count} {word}" for word, count in outcomes.items()
    )
    on = times.on(before.submitted_at).text
    if stored.renews is None:
        return Known(f"submitted before on {on}: {what}")
    address = f"/desk/case/{origin.bound_in}"
    return Known("renews ", origin.policy or f"the policy of {on}", address, f", {what}")


def _domains(domains: tuple[str, ...]) -> str:
    more = len(domains) - 1
    return f"{domains[0]} and {more} more" if more > 0 else ", ".join(domains) or "none"


def _industry(code: str | None) -> str:
    title = find_industry(code).title
    return f"{code} {title}" if code and title else code or NONE
