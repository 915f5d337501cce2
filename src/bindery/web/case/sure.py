"""Dangerous steps ask once, on a page that says what they lead to; what was typed goes along.

A button of such a step sends its form here first, and from here on to where it does its work. Nothing is
decided here: whoever may not take the step is refused there. Of a decision it says which options it is about
and asks for its reason, of a cancellation what it comes to and who is written to.
"""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec
from starlette.responses import Response

from bindery.base.errors import NotFound
from bindery.contract.fields import LONGEST_BY_HAND
from bindery.domain.access.users import Role
from bindery.domain.messages.mails import addressees_of, notice_recipients
from bindery.domain.policy.nonrenewal import window_of_decline
from bindery.domain.policy.policy import REINSTATE_WITHIN, Policy
from bindery.domain.submission.value import client_of
from bindery.storage.policy import policies
from bindery.storage.quote import quotes
from bindery.storage.submission import submissions
from bindery.web.case.case_forms import read_decision
from bindery.web.case.ending_shown import ForeseenEnding, shown_ending
from bindery.web.frame.render import page
from bindery.web.frame.visit import Visit, is_path_of_ours
from bindery.web.shown.option import options_named, shown_number
from bindery.web.shown.words import day, listed

DECISION: Final = "decision"
RULING: Final = "ruling"


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
    "decline_renewal": DangerousStep(
        "Decline the renewal?",
        (
            "The partner is notified, with your reason, which the notice says too.",
            "Until the policy ends it can be renewed after all, in the renewal book.",
        ),
        "Decline",
        DECISION,
        "decline",
        "Decline the renewal of {}?",
    ),
    "withdraw": DangerousStep(
        "Withdraw the offer?",
        (
            "The partner is notified, with your reason, and the broker gets an email.",
            "It cannot be undone: it can only be offered anew.",
            "Links to clients say that it was withdrawn.",
        ),
        "Withdraw",
        DECISION,
        "withdraw",
        "Withdraw the offer to {}?",
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
    "send_back": DangerousStep(
        "Send the bind back?",
        (
            "The option is open again at the premium offered, and so are those that were set aside for it.",
            "The broker gets your text by mail, the partner as an event, and can ask for the bind again.",
        ),
        "Send it back",
        DECISION,
        "send_back",
        "Send the bind of {} back?",
    ),
    "cancel": DangerousStep(
        "Cancel the policy?",
        (
            "The partner is notified, with the reason.",
            f"An underwriter can reinstate it for {REINSTATE_WITHIN.days} days from today.",
        ),
        "Cancel the policy",
        DECISION,
        "cancel",
        "Cancel the policy of {}?",
    ),
    "take_over": DangerousStep(
        "Take the case over?",
        (
            "Your colleague is told on the page of the case, and its history says who took it from whom.",
            "What your colleague has typed into a decision stays with them.",
        ),
        "Take it over",
        "",
        "",
        "Take the case over from {}?",
    ),
    "hold_renewal": DangerousStep(
        "Hold the renewal?",
        (
            "It becomes a case on the desk, and is neither offered nor bound by itself.",
            "If it was offered, the offer is taken back until somebody approves it, and the partner is told.",
        ),
        "Hold for review",
        RULING,
        "hold",
        "Hold the renewal of {}?",
    ),
    "not_renew": DangerousStep(
        "Do not renew?",
        (
            "The notice is made and mailed at once: to the broker and to the insured, with your reason.",
            "A renewal that was made or offered is withdrawn. The partner is notified.",
            "Until the policy ends you can renew it after all.",
        ),
        "Do not renew",
        RULING,
        "not_renew",
        "Let the policy of {} end with its term?",
    ),
    "renew_after_all": DangerousStep(
        "Renew after all?",
        (
            "The notice of nonrenewal no longer holds. The broker, the insured and the partner are told.",
            "The renewal is offered 60 days before the end, or at once where that day is past.",
        ),
        "Renew after all",
        RULING,
        "renew_after_all",
        "Renew the policy of {} after all?",
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
    "remove_broker": DangerousStep(
        "Remove the broker?",
        (
            "New submissions that name this broker are refused.",
            "What is on record stays with the broker; a colleague can take a company over on its page.",
            "The broker's account, if there is one, can still sign in: disable it under Users.",
        ),
        "Remove the broker",
        "",
        "",
    ),
    "disable_webhook": DangerousStep(
        "Disable the webhook?",
        (
            "Nothing is sent to it any more, and its partner is told by mail.",
            "Events from now on are not kept for it, but in the partner's event feed. Pause it to keep them.",
            "You can enable it again, and so can the partner by registering the endpoint again.",
        ),
        "Disable the webhook",
        "step",
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
    about = await _about(visit, step, fields)
    effects = (*about.said, *(() if about.problems else step.effects))
    # What is promised to the partner has to be there: without a reason the page asks for it.
    is_worded = step is not STEPS["cancel"]
    asks_reason = step.name == DECISION and is_worded and not given.get("reason", "").strip()
    if asks_reason:
        fields = tuple((name, value) for name, value in fields if name != "reason")
    return page(
        visit,
        "case/sure.html",
        step=step,
        question=question,
        effects=effects,
        problems=about.problems,
        to=to,
        back=back,
        again=_begun_at(back) if step.name == DECISION else "",
        fields=fields,
        asks_reason=asks_reason,
        longest=LONGEST_BY_HAND,
    )


def _begun_at(back: str) -> str:
    """Return where the decision that was begun is shown again."""
    path, _, query = back.partition("?")
    return f"{path}/preview?{query}"


@dataclass(frozen=True, slots=True)
class _About:
    said: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


async def _about(visit: Visit, step: DangerousStep, fields: Sequence[tuple[str, str]]) -> _About:
    """Return the options that a decision is about and what a cancellation comes to, for underwriters only."""
    if step.name != DECISION or visit.user.role is not Role.UNDERWRITER:
        return _About()
    picked = [quote_id for name, value in fields if name == "options" and (quote_id := visit.as_id(value))]
    async with visit.runtime.database.reading() as tx:
        options = await quotes.numbers_of(tx, picked)
    if not options:
        return _About(problems=("No option is ticked: go back and tick at least one.",))
    about = f"This is about {options_named([str(shown_number(number)) for number in options])}."
    if step is STEPS["decline_renewal"]:
        return _About((about, *await _notices(visit, picked)))
    if step is not STEPS["cancel"]:
        return _About((about,))
    endings = await _endings(visit, picked)
    return _About((about, *endings.said), endings.problems)


async def _endings(visit: Visit, picked: Sequence[uuid.UUID]) -> _About:
    ask = (await read_decision(visit)).cancellation_or_fault
    said: list[str] = []
    problems: list[str] = []
    async with visit.runtime.database.reading() as tx:
        for quote_id in picked:
            policy = await policies.find(tx, quote_id)
            if policy is None:
                continue
            quote = await quotes.get(tx, quote_id)
            stored = await submissions.get(tx, quote.submission_id)
            contacts = await policies.contacts_of(tx, quote_id)
            ending = shown_ending(quote, policy.term, ask, state=stored.submission.state, today=tx.today)
            problems += ending.problems
            if not ending.problems:
                to = addressees_of(
                    client_of(stored.body), msgspec.json.decode(contacts) if contacts else None
                )
                said += _ending(policy, ending, notice_recipients(to))
    return _About(tuple(said), tuple(problems))


async def _notices(visit: Visit, picked: Sequence[uuid.UUID]) -> list[str]:
    """Return the notices of nonrenewal that declining these renewals leads to."""
    said: list[str] = []
    async with visit.runtime.database.reading() as tx:
        for quote_id in picked:
            stored = await submissions.get(tx, (await quotes.get(tx, quote_id)).submission_id)
            policy = await policies.find(tx, stored.renews) if stored.renews is not None else None
            state = stored.submission.state
            window = window_of_decline(policy, state=state, today=tx.today) if policy is not None else None
            if policy is None or window is None:
                continue
            contacts = await policies.contacts_of(tx, policy.quote_id)
            to = addressees_of(client_of(stored.body), msgspec.json.decode(contacts) if contacts else None)
            said.append(
                f"The notice of nonrenewal of {policy.number} is made and emailed at once, to "
                f"{listed(list(dict.fromkeys(notice_recipients(to))))}. Coverage ends on "
                f"{day(policy.term.expiration)}."
            )
            if tx.today > window.last:
                said.append(f"It is late: {window.days} days' notice had to be mailed by {day(window.last)}.")
    return said


def _ending(policy: Policy, ending: ForeseenEnding, recipients: Sequence[str]) -> list[str]:
    renewal = ["Its renewal is withdrawn."] if policy.renewal_submission_id is not None else []
    return [
        f"{policy.number} ends on {ending.on}; {ending.amount}",
        *(f"{name}: {value}." for name, value in ending.rows),
        *renewal,
        f"The notice is emailed to {listed(list(dict.fromkeys(recipients)))}.",
    ]
