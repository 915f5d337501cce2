from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from bindery.domain.applicant.risk import AnswerValue, bare_id
from bindery.domain.documents.building import printed_answer
from bindery.domain.questions.question import question_set
from bindery.domain.quote.changes import Change, Topic, Version, changes_between, compared_options
from bindery.domain.quote.lifecycle import WITHOUT_PREMIUM
from bindery.domain.quote.quote import Quote
from bindery.domain.submission.value import Submission
from bindery.storage.submission.earlier import ReadSubmission
from bindery.web.shown.option import shown_number
from bindery.web.shown.words import NONE, Moment, Times, money

TITLES: Final[Mapping[Topic, str]] = {
    Topic.PREMIUM: "Premium",
    Topic.TERMS: "Terms",
    Topic.APPLICANT: "Applicant",
    Topic.SCAN: "Scan",
    Topic.ANSWERS: "Answers",
}
MONEY: Final = frozenset(
    {
        "Premium",
        "Revenue",
        "Aggregate limit",
        "Per-claim limit",
        "Retention",
        "Per-claim retention",
    }
)


@dataclass(frozen=True, slots=True)
class ShownChange:
    """One row; `by` is how much an amount moved."""

    name: str
    before: str
    after: str
    by: str


@dataclass(frozen=True, slots=True)
class ShownTopic:
    title: str
    rows: tuple[ShownChange, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownChanges:
    before: Moment
    after: Moment
    sentence: str
    topics: tuple[ShownTopic, ...]
    address: str


def shown_changes(
    before: ReadSubmission, after: ReadSubmission, times: Times, *, sees_all: bool
) -> ShownChanges:
    """Show what changed; `sees_all` is for underwriters, who see what a referral would cost."""
    old, new = compared_options(before.options, after.options)
    changes = changes_between(
        _version(before, old, sees_all=sees_all), _version(after, new, sees_all=sees_all)
    )
    questions = {**_questions(before.submission), **_questions(after.submission)}
    is_expiring = after.renews in {option.quote_id for option in before.options}
    other = f"option {shown_number(old.option_number)} of the earlier submission"
    if is_expiring:
        other = "the expiring policy"
    compared = f"Option {shown_number(new.option_number)} compared with {other}"
    count = "nothing changed" if not changes else "one thing changed" if len(changes) == 1 else ""
    return ShownChanges(
        before=times.at(before.submitted_at),
        after=times.at(after.submitted_at),
        sentence=f"{compared}: {count or f'{len(changes)} things changed'}.",
        topics=tuple(
            ShownTopic(TITLES[topic], tuple(_row(change, questions) for change in group))
            for topic, group in groupby(changes, lambda change: change.topic)
        ),
        address=(f"/company/{after.company_id}/changes?from={before.submission_id}&to={after.submission_id}"),
    )


def _version(read: ReadSubmission, option: Quote, *, sees_all: bool) -> Version:
    is_hidden = option.status in WITHOUT_PREMIUM or option.expires_on is None
    return Version(
        submission=read.submission,
        scan=read.scan,
        terms=option.terms,
        premium=None if is_hidden and not sees_all else option.premium,
    )


def _questions(submission: Submission) -> Mapping[str, str]:
    return {
        bare_id(question.id): question.text
        for question in question_set(submission.product, submission.question_edition)
    }


def _row(change: Change, questions: Mapping[str, str]) -> ShownChange:
    name = questions.get(change.name, change.name) if change.topic is Topic.ANSWERS else change.name
    before, after = change.before, change.after
    is_money = change.topic is not Topic.ANSWERS and change.name in MONEY
    return ShownChange(
        name=name,
        before=_written(before, is_money=is_money),
        after=_written(after, is_money=is_money),
        by=_moved(before, after) if is_money else "",
    )


def _written(value: AnswerValue | None, *, is_money: bool) -> str:
    if is_money and isinstance(value, int):
        return money(value)
    return (printed_answer(value) or NONE).replace("\n", ", ")


def _moved(before: AnswerValue | None, after: AnswerValue | None) -> str:
    if not isinstance(before, int) or not isinstance(after, int) or not before:
        return ""
    return f"{(after - before) / before:+.1%}"
