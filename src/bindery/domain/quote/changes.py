import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby

from bindery.contract.lists import SupersededBecause
from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.applicant.risk import AnswerValue, OptionAsk, Terms
from bindery.domain.quote.lifecycle import BINDABLE, WERE_BOUND
from bindery.domain.quote.quote import Quote
from bindery.domain.scan.scan import ScanResult, Severity
from bindery.domain.submission.value import Submission


class Topic(StrEnum):
    """Subjects of changes, in the order in which they are shown."""

    PREMIUM = "premium"
    TERMS = "terms"
    APPLICANT = "applicant"
    SCAN = "scan"
    ANSWERS = "answers"


@dataclass(frozen=True, slots=True)
class Change:
    """One difference; among the answers `name` is a question's bare id. None: it is not there."""

    topic: Topic
    name: str
    before: AnswerValue | None
    after: AnswerValue | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    submission: Submission
    scan: ScanResult | None
    terms: Terms | None
    premium: int | None


def changes_between(before: Version, after: Version) -> tuple[Change, ...]:
    return (
        *_fields(Topic.PREMIUM, [("Premium", before.premium, after.premium)]),
        *_fields(Topic.TERMS, _terms(before.terms, after.terms)),
        *_fields(Topic.APPLICANT, _applicant(before.submission, after.submission)),
        *_scan(before.scan, after.scan),
        *_answers(before.submission, after.submission),
    )


def compared_options(before: Sequence[Quote], after: Sequence[Quote]) -> tuple[Quote, Quote]:
    """Return the options to compare: the bound one, and the one most like it now.

    Where nothing was bound, the first open one counts, and the other is the one with the same limit.
    """
    taken = next(
        (quote for quote in before if quote.status in WERE_BOUND),
        next((quote for quote in before if quote.status in BINDABLE), before[0]),
    )
    limit = taken.terms.aggregate_limit if taken.terms else taken.ask.aggregate_limit
    like = (quote for quote in after if quote.ask.aggregate_limit == limit)
    return taken, next(like, after[0])


_Field = tuple[str, AnswerValue | None, AnswerValue | None]


def _fields(topic: Topic, fields: Sequence[_Field]) -> Iterator[Change]:
    for name, before, after in fields:
        if before != after:
            yield Change(topic, name, before, after)


def _terms(before: Terms | None, after: Terms | None) -> list[_Field]:
    names = {
        "aggregate_limit": "Aggregate limit",
        "per_claim_limit": "Per-claim limit",
        "aggregate_retention": "Retention",
        "per_claim_retention": "Per-claim retention",
    }
    return [
        (title, getattr(before, name) if before else None, getattr(after, name) if after else None)
        for name, title in names.items()
    ]


def _applicant(before: Submission, after: Submission) -> list[_Field]:
    return [
        ("Name", before.name, after.name),
        ("Revenue", before.revenue, after.revenue),
        ("State", before.state, after.state),
        ("Industry", before.industry, after.industry),
        ("Domains", before.domains, after.domains),
        ("Broker", before.broker_email, after.broker_email),
    ]


def _scan(before: ScanResult | None, after: ScanResult | None) -> Iterator[Change]:
    scores = ("Score", before.score if before else None, after.score if after else None)
    yield from _fields(Topic.SCAN, [scores])
    old, new = _severities(before), _severities(after)
    for title in (*new, *(title for title in old if title not in new)):
        yield from _fields(Topic.SCAN, [(title, old.get(title), new.get(title))])


def _severities(scan: ScanResult | None) -> dict[str, Severity]:
    """Return the findings that cost points; the others only give context."""
    findings = scan.findings if scan else ()
    return {finding.title: finding.severity for finding in findings if finding.severity is not Severity.INFO}


def _answers(before: Submission, after: Submission) -> Iterator[Change]:
    old, new = before.answers.values, after.answers.values
    for question in (*new, *(question for question in old if question not in new)):
        yield from _fields(Topic.ANSWERS, [(question, old.get(question), new.get(question))])


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    quote_id: uuid.UUID
    submission_id: uuid.UUID
    product: InsuranceProduct
    ask: OptionAsk
    passed_over_for: uuid.UUID | None
    renewed_by: uuid.UUID | None
    is_renewal: bool
    was_outdated: bool


Successors = Mapping[uuid.UUID, tuple[uuid.UUID, SupersededBecause]]


def successors(quotes: Iterable[Candidate]) -> Successors:
    """Return the quote that replaced each one, where any did; the newest submission comes first."""
    found: dict[uuid.UUID, tuple[uuid.UUID, SupersededBecause]] = {}
    newer: dict[InsuranceProduct, list[Candidate]] = {}
    for _, options in groupby(quotes, lambda quote: quote.submission_id):
        submission = list(options)
        product = submission[0].product
        for quote in submission:
            if quote.passed_over_for is not None:
                found[quote.quote_id] = (quote.passed_over_for, SupersededBecause.OTHER_OPTION_BOUND)
            elif quote.renewed_by is not None:
                found[quote.quote_id] = (quote.renewed_by, SupersededBecause.RENEWED)
            elif quote.was_outdated and product in newer:
                options_now = newer[product]
                heir = next((other for other in options_now if other.ask == quote.ask), options_now[0])
                found[quote.quote_id] = (heir.quote_id, SupersededBecause.SUBMISSION_CHANGED)
        if not submission[0].is_renewal:
            newer[product] = submission
    return found
