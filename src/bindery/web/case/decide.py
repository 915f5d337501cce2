"""Decisions about a case, and options offered in addition to those asked for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from starlette.responses import Response

from bindery.actions.desk.ask_colleague import answer_colleague, ask_colleague
from bindery.actions.desk.offer_option import offer_option
from bindery.actions.desk.take_decisions import DecidedQuote, take_decisions
from bindery.base.errors import BinderyError, ChangedMeanwhile, InvalidRequest, Problem
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.policy.binding import needed_before
from bindery.domain.policy.contingencies import DraftContingency
from bindery.domain.quote.counter_offer import LEAVES_ROOM
from bindery.domain.quote.decisions import (
    AddContingency,
    AmendOption,
    ApproveBind,
    ApproveReferral,
    Decision,
    DeclineCancellation,
    DeclineQuote,
    OfferOption,
    ReinstatePolicy,
    RevokeQuote,
    SendBack,
)
from bindery.domain.quote.quote import Quote, last_step
from bindery.storage.desk import desk
from bindery.storage.desk.asked_approvals import ColleagueAnswer
from bindery.storage.quote.quote_view import QuoteRecord
from bindery.web.case.case import show_case
from bindery.web.case.case_facts import CaseFacts, read_case
from bindery.web.case.case_forms import DecisionForm, check_words, read_decision, read_offer, whole
from bindery.web.case.limits_shown import sure_of
from bindery.web.case.pressed_twice import SEND, is_pressed_twice
from bindery.web.desk.queue_filter import case_address, desk_address
from bindery.web.frame.visit import Visit, read_number
from bindery.web.shown.option import shown_number
from bindery.web.shown.words import money

NEED_A_REASON: Final = frozenset(
    {"decline", "send_back", "decline_cancellation", "reinstate", "withdraw", "amend"}
)
NOT_SHOWN: Final = Problem("premium", "not_shown", "was not on the page; it is now")


async def send_offer(visit: Visit) -> Response:
    submission_id = visit.path_id("submission_id")
    options = [record.quote for record in (await read_case(visit)).seen]
    form, given = await read_offer(visit), await visit.form()
    shown, is_sent = given.get("shown_premium", ""), given.get("step") == "send"
    try:
        form.check()
        if not shown:
            raise InvalidRequest.because([NOT_SHOWN])
        offer = OfferOption(form.ask, form.reason, whole(shown, "premium"))
        database, rules = visit.runtime.database, visit.runtime.rules
        if is_sent:
            beside = next((each for each in options if each.status in LEAVES_ROOM), options[0])
            asked = [DecidedQuote(beside.quote_id, offer)]
            sent = await _send(visit, asked, to=form.send_to)
            return await visit.done(case_address(visit, submission_id), sent)
        quote = await offer_option(database, rules, submission_id, offer, actor=visit.actor)
    except ChangedMeanwhile as changed:
        if is_sent and (await read_case(visit)).asked is not None:
            return await show_case(visit, offer=form, offer_fault=changed)
        # It is that of other terms, which the form began with.
        return await show_case(visit, offer=form, offer_fault=InvalidRequest.because([NOT_SHOWN]))
    except BinderyError as fault:
        return await show_case(visit, offer=form, offer_fault=fault)
    number = shown_number(quote.option_number)
    return await visit.done(
        case_address(visit, submission_id),
        f"Option {number} is offered and open at {money(quote.premium)}.",
    )


async def send_decision(visit: Visit) -> Response:
    facts = await read_case(visit)
    form = await read_decision(visit)
    raw = dict(await visit.form_fields())
    picked = [record for record in facts.seen if str(record.quote.quote_id) in form.options]
    try:
        if not picked:
            raise InvalidRequest.because([Problem("", "required", "Pick at least one option.")])
        changed = _changed_since(facts, picked, raw)
        if changed and _is_done_by(visit, form, facts, picked, raw):
            return await visit.done(await _after(visit))
        if changed:
            return await show_case(visit, form, meanwhile=[record.quote for record in changed])
        done = await _decide(visit, form, [_Picked.of(record, raw) for record in picked])
    except BinderyError as fault:
        # Of two clicks, or two people, the second may have waited for the first.
        facts = await read_case(visit)
        if picked and _is_done_by(visit, form, facts, picked, raw):
            return await visit.done(await _after(visit))
        if changed := _changed_since(facts, picked, raw):
            return await show_case(visit, form, meanwhile=[record.quote for record in changed])
        return await show_case(visit, form, fault=fault)
    return await visit.done(await _after(visit), f"{facts.stored.submission.name}: {done}")


def _changed_since(
    facts: CaseFacts, picked: Sequence[QuoteRecord], form: Mapping[str, str]
) -> Sequence[QuoteRecord]:
    """Return the picked options that were moved since the form was opened."""
    return [
        record
        for record in picked
        if form.get(f"version-{record.quote.quote_id}")
        != str(last_step(facts.entries, record.quote.quote_id))
    ]


def _is_done_by(
    visit: Visit, form: DecisionForm, facts: CaseFacts, picked: Sequence[QuoteRecord], raw: Mapping[str, str]
) -> bool:
    return is_pressed_twice(visit.actor, form, raw, picked, facts.entries, now=facts.at.now)


@dataclass(frozen=True, slots=True)
class _Picked:
    quote: Quote
    seen_step: int
    shown_premium: str | None
    owed: frozenset[str]
    contingencies: tuple[DraftContingency, ...] = ()

    @classmethod
    def of(cls, record: QuoteRecord, form: Mapping[str, str]) -> "_Picked":
        quote_id = record.quote.quote_id
        return cls(
            record.quote,
            int(form[f"version-{quote_id}"]),
            form.get(f"shown_premium-{quote_id}"),
            frozenset(owed.contingency_id for owed in needed_before(record.contingencies)),
        )

    def is_sure(self, said: str, premium: int) -> bool:
        """Whether the second yes was given, and to this premium."""
        return sure_of(shown_number(self.quote.option_number), premium) in said.split(",")

    def premium_seen(self, by_hand: int | None) -> int:
        """Return the premium on the page, or the one set by hand if the page had none; 0 for neither.

        Raises:
            InvalidRequest: the page did not show it.
        """
        shown = whole(self.shown_premium or "", "premium")
        if shown is None and (self.shown_premium is None or self.quote.premium is not None):
            raise InvalidRequest.because([NOT_SHOWN])
        if shown is not None and by_hand is not None and shown != by_hand:
            flaw = f"{NOT_SHOWN.message}: press Approve again to publish at {money(by_hand)}"
            raise InvalidRequest.because([replace(NOT_SHOWN, message=flaw)])
        return shown or by_hand or 0


async def _decide(visit: Visit, form: DecisionForm, picked: Sequence[_Picked]) -> str:
    form.check()
    is_sent = form.decision.startswith(SEND)
    form = replace(form, decision=form.decision.removeprefix(SEND))
    is_changed = any(form.changed(str(option.quote.quote_id)).anything for option in picked)
    if (is_changed or form.decision in NEED_A_REASON) and not form.reason:
        raise InvalidRequest.because([Problem("reason", "required", "is required: it goes on record")])
    subject_to = form.contingencies(await visit.runtime.database.today())
    if form.decision == "contingency" and len(subject_to) > 1:
        # Each is a step of its own.
        raise InvalidRequest.because([Problem("contingency_text", "one_of_two", "is added one at a time")])
    picked = [replace(option, contingencies=subject_to) for option in picked]
    decided = [(option, *_decision(form, option)) for option in picked]
    database, rules = visit.runtime.database, visit.runtime.rules
    asked = [
        DecidedQuote(option.quote.quote_id, decision, option.seen_step) for option, decision, _ in decided
    ]
    if is_sent:
        return await _send(visit, asked, to=form.send_to)
    await take_decisions(database, rules, asked, actor=visit.actor)
    return f"{'. '.join(said for _, _, said in decided)}."


async def _send(visit: Visit, asked: Sequence[DecidedQuote], *, to: str) -> str:
    number, runtime = read_number(to), visit.runtime
    if number is None:
        raise InvalidRequest.because([Problem("send_to", "required", "has to be chosen")])
    colleague = await ask_colleague(runtime.database, runtime.rules, asked, user=visit.user, to=number)
    return f"Sent to {colleague.name}, who decides as the second person. Nothing is decided yet."


def _decision(form: DecisionForm, option: _Picked) -> tuple[Decision, str]:  # noqa: C901, PLR0911 - one line each
    reason, number = form.reason, shown_number(option.quote.option_number)
    match form.decision, option.quote.status:
        case "approve", QuoteStatus.QUOTE_REFERRED:
            changed = form.changed(str(option.quote.quote_id))
            premium = option.premium_seen(changed.premium)
            sure = option.is_sure(form.sure, premium)
            approval = ApproveReferral(changed, premium, option.contingencies, reason, sure)
            return approval, f"Option {number} is published at {money(premium)}"
        case "approve" | "bind", QuoteStatus.QUOTE_BIND_REQUESTED:
            closings = form.closings_of(option.owed)
            return ApproveBind(reason, closings), f"Option {number} is bound"
        case "amend", QuoteStatus.PUBLISHED | QuoteStatus.OFFER_EMAIL:
            changed = form.changed(str(option.quote.quote_id))
            shown = option.premium_seen(changed.premium) if changed.anything else option.quote.premium or 0
            is_sure = option.is_sure(form.sure, shown)
            amendment = AmendOption(reason, changed, shown, option.contingencies, is_sure)
            return amendment, f"Option {number} is amended and open at {money(shown)}"
        case "withdraw", QuoteStatus.PUBLISHED | QuoteStatus.OFFER_EMAIL:
            return RevokeQuote(reason), f"Option {number} is withdrawn"
        case "decline", _:
            return DeclineQuote(reason), f"Option {number} is declined"
        case "send_back", _:
            return SendBack(reason), f"The bind of option {number} is sent back, and the option is open"
        case "contingency", _ if option.contingencies:
            return AddContingency(option.contingencies[0]), f"Option {number} is subject to it"
        case "cancel", _:
            return form.cancellation, f"The policy of option {number} is canceled"
        case "decline_cancellation", _:
            return DeclineCancellation(reason), f"The policy of option {number} stays in force"
        case "reinstate", _:
            return ReinstatePolicy(
                reason, bool(form.no_known_loss)
            ), f"The policy of option {number} is reinstated"
        case _:
            flaw = "cannot be made for this option"
            raise InvalidRequest.because([Problem("decision", "unknown_decision", flaw)])


async def _after(visit: Visit) -> str:
    submission_id = visit.path_id("submission_id")
    async with visit.runtime.database.reading() as tx:
        items = await desk.items_of(tx, submission_id)
    return case_address(visit, submission_id) if items else desk_address(visit)


ANSWERED: Final[Mapping[ColleagueAnswer, str]] = {
    ColleagueAnswer.APPROVED: "Approved and carried out.",
    ColleagueAnswer.DECLINED: "Not approved; {} reads why.",
    ColleagueAnswer.SENT_BACK: "Sent back to {}.",
    ColleagueAnswer.TAKEN_BACK: "Taken back.",
}


UNKNOWN_ANSWER: Final = Problem("answer", "unknown_decision", "must be one of the buttons")


async def send_second(visit: Visit) -> Response:
    """Answer what a colleague asks to approve."""
    await read_case(visit)
    form, submission_id = await visit.form(), visit.path_id("submission_id")
    said, approval_id = form.get("answer", ""), visit.as_id(form.get("approval_id", ""))
    reason = form.get("reason", "").strip()
    try:
        if said not in ANSWERED or approval_id is None:
            raise InvalidRequest.because([UNKNOWN_ANSWER])
        answer = ColleagueAnswer(said)
        check_words(reason=reason)
        runtime = visit.runtime
        asked = await answer_colleague(
            runtime.database, runtime.rules, approval_id, answer, user=visit.user, reason=reason
        )
    except BinderyError as fault:
        return await show_case(visit, DecisionForm(answer=reason), fault=fault)
    back = await _after(visit) if answer is ColleagueAnswer.APPROVED else case_address(visit, submission_id)
    return await visit.done(back, ANSWERED[answer].format(asked.asker))
