"""Dangerous steps ask once, on a page that says what they lead to; what was typed goes along.

A button of such a step sends its form here first, and from here on to where it does its work. Nothing is
decided here: whoever may not take the step is refused there. Of a decision it says which options it is about
and asks for its reason, of a cancellation what is returned.
"""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from starlette.responses import Response

from bindery.base.errors import BinderyError, NotFound
from bindery.contract.fields import LONGEST_BY_HAND
from bindery.domain.access.users import Role
from bindery.domain.policy.ending import Cancellation, decide_cancel
from bindery.domain.policy.policy import REINSTATE_WITHIN, Policy
from bindery.domain.quote.quote import Quote
from bindery.storage.database import Reader
from bindery.storage.policy import policies
from bindery.storage.quote import quotes
from bindery.web.case.case_forms import read_decision, sentences
from bindery.web.frame.render import page
from bindery.web.frame.visit import Visit, is_path_of_ours
from bindery.web.shown.option import options_named, shown_number
from bindery.web.shown.words import day, money


@dataclass(frozen=True, slots=True)
class ForeseenCancellation:
    """What canceling a policy would lead to."""

    quote: Quote
    policy: Policy
    cancellation: Cancellation


async def foresee_cancel(tx: Reader, quote_id: uuid.UUID, *, on: date | None) -> ForeseenCancellation | None:
    """Work out what canceling a policy as of a day would lead to; None where there is no policy.

    Raises:
        WrongState: there is no active policy.
        InvalidRequest: the day is outside the policy's term.
    """
    policy = await policies.find(tx, quote_id)
    if policy is None:
        return None
    quote = await quotes.get(tx, quote_id)
    return ForeseenCancellation(quote, policy, decide_cancel(quote, policy, on=on, today=tx.today))


DECISION: Final = "decision"


@dataclass(frozen=True, slots=True)
class DangerousStep:
    """A step that asks first; its button sends `name` and `value`.

    `question_about` asks about the company that the form names, if it names one.
    """

    question: str
    effects: tuple[str, ...]
    button: str
    name: str
    value: str
    question_about: str = ""

    def asked_about(self, company: str) -> str:
        return self.question_about.format(company) if company and self.question_about else self.question


STEPS: Final[Mapping[str, DangerousStep]] = {
    "decline": DangerousStep(
        "Decline?",
        (
            "The partner is notified, with your reason.",
            "It cannot be undone: the company would have to be submitted again.",
        ),
        "Decline",
        DECISION,
        "decline",
        "Decline {}?",
    ),
    "decline_bind": DangerousStep(
        "Decline the bind?",
        (
            "The partner is notified, with your reason.",
            "It cannot be undone: this option stays declined.",
            "The other options of the submission can be bound again while they are open.",
        ),
        "Decline",
        DECISION,
        "decline",
        "Decline the bind of {}?",
    ),
    "cancel": DangerousStep(
        "Cancel the policy?",
        (
            "The partner is notified, with your reason; the broker and the insured get an e-mail.",
            f"An underwriter can reinstate it for {REINSTATE_WITHIN.days} days from today.",
        ),
        "Cancel the policy",
        DECISION,
        "cancel",
        "Cancel the policy of {}?",
    ),
    "revoke": DangerousStep(
        "Revoke the token?",
        (
            "It stops working at once, in every process.",
            "It cannot be undone: the partner needs another token.",
        ),
        "Revoke the token",
        "",
        "",
    ),
    "disable": DangerousStep(
        "Disable the user?",
        ("The user is signed out everywhere at once and cannot sign in.", "You can enable the user again."),
        "Disable the user",
        "change",
        "disable",
    ),
}


async def ask_if_sure(visit: Visit) -> Response:
    step = STEPS.get(visit.word("step"))
    to, back = visit.word("to"), visit.word("back")
    if step is None or not (is_path_of_ours(to) and is_path_of_ours(back)):
        raise NotFound("There is no such page.")
    fields = tuple((name, value) for name, value in await visit.form_fields() if name != step.name)
    given = dict(fields)
    question = step.asked_about(given.get("company", ""))
    effects = (*await _about(visit, step, fields), *step.effects)
    # What is promised to the partner has to be there: without a reason the page asks for it.
    asks_reason = step.name == DECISION and not given.get("reason", "").strip()
    if asks_reason:
        fields = tuple((name, value) for name, value in fields if name != "reason")
    return page(
        visit,
        "case/sure.html",
        step=step,
        question=question,
        effects=effects,
        to=to,
        back=back,
        fields=fields,
        asks_reason=asks_reason,
        longest=LONGEST_BY_HAND,
    )


async def _about(visit: Visit, step: DangerousStep, fields: Sequence[tuple[str, str]]) -> list[str]:
    """Return the options that a decision is about and what a cancellation returns, for underwriters only."""
    if step.name != DECISION or visit.user.role is not Role.UNDERWRITER:
        return []
    picked = [quote_id for name, value in fields if name == "options" and (quote_id := visit.as_id(value))]
    async with visit.runtime.database.reading() as tx:
        options = await quotes.numbers_of(tx, picked)
    if not options:
        return ["No option is ticked: go back and tick at least one."]
    numbers = [str(shown_number(number)) for number in options]
    return [
        f"This is about {options_named(numbers)}.",
        *(await _endings(visit, picked) if step is STEPS["cancel"] else []),
    ]


async def _endings(visit: Visit, picked: Sequence[uuid.UUID]) -> list[str]:
    form = await read_decision(visit)
    said: list[str] = []
    async with visit.runtime.database.reading() as tx:
        for quote_id in picked:
            try:
                foreseen = await foresee_cancel(tx, quote_id, on=form.day)
            except BinderyError as fault:
                said += sentences(fault)
                continue
            if foreseen is not None:
                said.append(_ending(foreseen))
    return said


def _ending(foreseen: ForeseenCancellation) -> str:
    policy, cancellation = foreseen.policy, foreseen.cancellation
    returned, premium = money(cancellation.returned_premium), money(foreseen.quote.premium or 0)
    renewal = " Its renewal is withdrawn." if policy.renewal_submission_id is not None else ""
    return f"{policy.number} ends on {day(cancellation.on)}; {returned} of {premium} is returned.{renewal}"
