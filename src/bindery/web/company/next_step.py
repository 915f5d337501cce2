"""What the reader can do next with the selected option, and what comes of it."""

from dataclasses import dataclass
from datetime import date
from typing import Final

from bindery.contract.quote import QuestionStatus, QuoteBody
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.applicant.risk import whole_months
from bindery.domain.policy.binding import first_days, opens_on
from bindery.domain.policy.policy import BINDER_LAPSES_AFTER
from bindery.domain.quote.lifecycle import AT_THE_DESK, BINDABLE, NOT_READY
from bindery.web.shown.option import ShownOption, is_reviewed
from bindery.web.shown.owed import is_signed_for
from bindery.web.shown.words import Times, cents, counted, day, day_of_year

A_YEAR: Final = 12
LITTLE_TIME_DAYS: Final = 14


@dataclass(frozen=True, slots=True, kw_only=True)
class NextStep:
    """`figure` is the total, or how long a binder has; `button` leads to `address`, filled if `is_main`.

    `is_upload`: the papers are the next step, and their button is the filled one.
    """

    eyebrow: str = "Next step"
    figure: str = ""
    unit: str = ""
    button: str = ""
    address: str = ""
    is_main: bool = False
    says: str = ""
    warns: str = ""
    is_upload: bool = False
    is_running: bool = False


def next_step(
    option: ShownOption,
    body: QuoteBody,
    times: Times,
    *,
    offer: str,
    renews_by_itself: bool,
    again: str,
) -> NextStep:
    """Return the step that follows.

    `offer` is the sentence about a renewal offer, `again` the address at which to ask for a new quote.
    """
    eyebrow = f"Next step \N{MIDDLE DOT} option {option.number}"
    if body.quote_status in NOT_READY:
        return NextStep(
            eyebrow=eyebrow, says="The price appears here as soon as it is ready.", is_running=True
        )
    if body.quote_status in BINDABLE:
        return _bind(option, body, times, eyebrow, offer=offer, renews_by_itself=renews_by_itself)
    if body.quote_status is QuoteStatus.POLICY_ACTIVE:
        return _keep(option, body, times)
    if body.quote_status in AT_THE_DESK:
        return _with_underwriter(option, body, eyebrow)
    if again and body.quote_status is not QuoteStatus.QUOTE_DECLINED:
        return NextStep(
            eyebrow=eyebrow, says=option.sentence, button="Ask for a new quote", address=again, is_main=True
        )
    return NextStep(eyebrow=f"Option {option.number}", says=option.sentence)


def _with_underwriter(option: ShownOption, body: QuoteBody, eyebrow: str) -> NextStep:
    total = cents(body.total) if body.total is not None else ""
    for question in body.questions:
        if question.status is QuestionStatus.OPEN:
            return NextStep(
                eyebrow=eyebrow,
                figure=total,
                button="Answer the underwriter",
                address=f"#question-{question.question_id}",
                says="The case waits for your answer.",
            )
    return NextStep(eyebrow="With an underwriter", figure=total, says=option.sentence)


def _bind(
    option: ShownOption, body: QuoteBody, times: Times, eyebrow: str, *, offer: str, renews_by_itself: bool
) -> NextStep:
    months = whole_months(body.dates.effective, body.dates.expiration)
    length = "a year" if months == A_YEAR else f"for {counted(months, 'month')}"
    if not option.may_bind:
        return NextStep(
            eyebrow=eyebrow,
            figure=cents(body.total),
            unit=f"{length}, taxes in",
            says=f"{offer} {option.sentence}".strip(),
        )
    asks = is_reviewed(body)
    return NextStep(
        eyebrow=eyebrow,
        figure=cents(body.total),
        unit=f"{length}, taxes in",
        button=f"{'Ask to bind' if asks else 'Bind'} option {option.number}",
        address=f"/quote/{option.quote_id}/bind",
        is_main=not renews_by_itself,
        says=f"{offer} {_consequence(body)}".strip() if offer else _consequence(body),
        warns=_warning(body, times.today),
    )


def _consequence(body: QuoteBody) -> str:
    if is_reviewed(body):
        return "An underwriter decides on the bind, because something is needed before it."
    owed = [contingency for contingency in body.contingencies if contingency.status == "open"]
    if owed and all(any(is_signed_for(upload, each) for upload in body.uploads) for each in owed):
        return "The client has signed the application: the policy is issued at once."
    if owed:
        return (
            "With the signed application the policy is issued at once. Without it you get a binder for "
            f"{BINDER_LAPSES_AFTER.days} days."
        )
    return "The policy is issued at once."


def _warning(body: QuoteBody, today: date) -> str:
    first, last = first_days(today)
    effective, until = body.dates.effective, body.quote_expiration_date
    if effective < first:
        return (
            f"The effective date quoted, {day_of_year(effective)}, is too long ago. Choose "
            f"{day_of_year(first)} or later when you bind."
        )
    if effective > last:
        opens = day(opens_on(effective))
        return f"With the effective date quoted, {day(effective)}, it can be bound from {opens} on."
    if until is not None and (until - today).days <= LITTLE_TIME_DAYS:
        left = (until - today).days
        when = (
            "Today is the last day to bind it."
            if left == 0
            else f"It is open for {counted(left, 'more day')}."
        )
        return f"{when} The last day is {day(until)}." if left else when
    return ""


def _keep(option: ShownOption, body: QuoteBody, times: Times) -> NextStep:
    binder = body.binder
    if binder is None or not binder.conditional or binder.fulfil_by is None:
        return NextStep(eyebrow="Nothing is needed now", says=option.sentence)
    if not any(owed.is_needed and not owed.is_received for owed in option.contingencies):
        return NextStep(eyebrow="With an underwriter", says=option.sentence)
    left = (binder.fulfil_by - times.today).days
    return NextStep(
        figure="Last day" if left == 0 else f"{counted(left, 'day')} left",
        unit=f"to {day_of_year(binder.fulfil_by)}",
        says="Without what is needed the binder lapses and counts as never in force.",
        is_upload=option.may_upload,
    )
