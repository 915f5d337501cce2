"""What changed between two submissions."""

from dataclasses import replace
from datetime import UTC, datetime

from bindery.domain.applicant.risk import Answers, Terms
from bindery.domain.quote.changes import Change, Topic, Version, changes_between
from bindery.domain.scan.scan import Finding, ScanOutcome, ScanResult, Severity
from support.applicants import SUBMISSION

T = Topic
AT = datetime(2026, 11, 16, tzinfo=UTC)
TERMS = Terms(1_000_000, 1_000_000, 10_000, None)


def finding(title: str) -> Finding:
    return Finding(title, title, Severity.HIGH, 10, False, "a.example.com", "")  # noqa: FBT003 - a record


def scan(score: int | None, *titles: str) -> ScanResult:
    findings = tuple(finding(title) for title in titles)
    return ScanResult(ScanOutcome.FINISHED, ("a.example.com",), AT, "test", score, findings)


def version() -> Version:
    return Version(submission=SUBMISSION, scan=scan(80, "Open port"), terms=TERMS, premium=1_500)


def test_nothing_changed_is_no_change() -> None:
    assert changes_between(version(), version()) == ()


def test_every_topic_says_what_it_was_and_what_it_is() -> None:
    before = version()
    values = dict(before.submission.answers.values)
    question = next(name for name, value in values.items() if value is True)
    submission = replace(
        before.submission,
        revenue=before.submission.revenue + 1,
        answers=Answers({**values, question: False}),
    )
    after = Version(
        submission=submission,
        scan=scan(75, "Old software"),
        terms=replace(TERMS, aggregate_retention=25_000),
        premium=1_400,
    )

    assert changes_between(before, after) == (
        Change(T.PREMIUM, "Premium", 1_500, 1_400),
        Change(T.TERMS, "Retention", 10_000, 25_000),
        Change(T.APPLICANT, "Revenue", submission.revenue - 1, submission.revenue),
        Change(T.SCAN, "Score", 80, 75),
        Change(T.SCAN, "Old software", None, "high"),
        Change(T.SCAN, "Open port", "high", None),
        Change(T.ANSWERS, question, before=True, after=False),
    )


def test_what_was_not_there_before_or_is_not_any_more_is_a_change() -> None:
    before = version()
    values = dict(before.submission.answers.values)
    question, answer = values.popitem()
    after = replace(
        before,
        submission=replace(before.submission, answers=Answers(values)),
        scan=None,
        terms=None,
        premium=None,
    )

    found = changes_between(before, after)

    assert Change(T.ANSWERS, question, answer, None) in found
    assert Change(T.SCAN, "Score", 80, None) in found
    assert Change(T.TERMS, "Aggregate limit", 1_000_000, None) in found
    assert changes_between(after, before)[0] == Change(T.PREMIUM, "Premium", None, 1_500)
