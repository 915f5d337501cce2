"""Who applies, in one line of the case."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import Struct

from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.applicant.industries import find_industry
from bindery.domain.documents.building import printed_answer
from bindery.domain.products import IndustryUse, record_of
from bindery.storage.desk.desk_notes import MOST_EARLIER, Origin
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


class Known(Struct, frozen=True):
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
    said = _background(stored, origin, client)
    return (*said, _what_was_before(stored, origin, before, times))


def _background(stored: StoredSubmission, origin: Origin, client: Mapping[str, Any]) -> Iterator[Known]:
    submission = stored.submission
    yield Known(f"through {origin.partner}")
    if origin.firm:
        yield Known(f"broker of {origin.firm}")
    address = client.get("address") or {}
    lines = [address.get(part) for part in ("street", "city", "state", "zip")]
    if any(lines):
        yield Known(", ".join(str(line) for line in lines if line))
    contact = client.get("insured_main_contact") or {}
    if email := contact.get("email"):
        name = " ".join(str(contact.get(part) or "") for part in ("first_name", "last_name")).strip()
        yield Known("contact ", name or email, f"mailto:{email}")
    yield Known(f"company {stored.company_id}")
    yield Known(f"effective {day(submission.term.effective)}")
    if record_of(submission.product).industry is not IndustryUse.NOT_ASKED:
        yield Known(f"hazard group {find_industry(submission.industry).hazard_group}")


def _what_was_before(
    stored: StoredSubmission, origin: Origin, before: ReadSubmission | None, times: Times
) -> Known:
    if not origin.earlier:
        return Known("not submitted before")
    every = _outcomes(origin.outcomes)
    often = f"{origin.earlier} times" if origin.earlier > 1 else "once"
    if origin.earlier == MOST_EARLIER:
        often = f"{MOST_EARLIER} times or more"
    if before is None:
        return Known(f"submitted {often} before: {every}")
    last = _outcomes(Counter(option.status for option in before.options))
    on = times.on(before.submitted_at).text
    if stored.renews is not None:
        address = f"/desk/case/{origin.bound_in}"
        return Known("renews ", origin.policy or f"the policy of {on}", address, f", {last}")
    if origin.earlier == 1:
        return Known(f"submitted before on {on}: {last}")
    return Known(f"submitted {often} before: {every}; last on {on}: {last}")


def _outcomes(options: Mapping[QuoteStatus, int]) -> str:
    """Return what became of options, in words; statuses that share a word are counted together."""
    counts: Counter[str] = Counter()
    for status, count in sorted(options.items()):
        counts[status_word(status).text.lower()] += count
    return ", ".join(
        word if count == 1 and len(counts) == 1 else f"{count} {word}" for word, count in counts.items()
    )


def _domains(domains: tuple[str, ...]) -> str:
    more = len(domains) - 1
    return f"{domains[0]} and {more} more" if more > 0 else ", ".join(domains) or "none"


def _industry(code: str | None) -> str:
    title = find_industry(code).title
    return f"{code} {title}" if code and title else code or NONE
