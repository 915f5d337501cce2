"""Decisions about a case, and options offered in addition to those asked for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from starlette.responses import Response

from bindery.actions.desk.offer_option import offer_option
from bindery.actions.desk.take_decisions import DecidedQuote, take_decisions
from bindery.base.errors import BinderyError, ChangedMeanwhile, InvalidRequest, Problem
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.policy.binding import needed_before
from bindery.domain.quote.decisions import (
    AddContingency,
    ApproveBind,
    ApproveReferral,
    Decision,
    DeclineCancellation,
    DeclineQuote,
    ReinstatePolicy,
)
from bindery.domain.quote.lifecycle import Trigger
from bindery.domain.quote.quote import Quote, last_step
from bindery.storage.desk import desk
from bindery.storage.quote.quote_view import QuoteRecord
from bindery.web.case.case import read_case, show_case
from bindery.web.case.case_forms import DecisionForm, read_decision, read_offer, whole
from bindery.web.case.case_shown import CaseFacts
from bindery.web.desk.queue_filter import case_address, desk_address
from bindery.web.frame.visit import Visit
from bindery.web.shown.option import shown_number
from bindery.web.shown.words import money

PRESSED_TWICE: Final = timedelta(seconds=10)
"""Within this time the same decision by the same user is one decision."""
TRIGGERS_OF: Final[Mapping[str, frozenset[str]]] = {
    "approve": frozenset({Trigger.APPROVE_REFERRAL, Trigger.BIND}),
    "decline": frozenset({Trigger.DECLINE}),
    "cancel": frozenset({Trigger.CANCEL}),
    "decline_cancellation": frozenset({Trigger.DECLINE_CANCELLATION}),
    "reinstate": frozenset({Trigger.REINSTATE}),
}
NEED_A_REASON: Final = frozenset({"decline", "decline_cancellation", "reinstate"})
NOT_SHOWN: Final = Problem("premium", "not_shown", "was not on the page; it is now")


async def send_offer(visit: Visit) -> Response:
    submission_id = visit.path_id("submission_id")
    await read_case(visit)
    form = await read_offer(visit)
    shown = (await visit.form()).get("shown_premium", "")
    try:
        form.check()
        if not shown:
            raise InvalidRequest.because([NOT_SHOWN])
        quote = await offer_option(
            visit.runtime.database,
            visit.runtime.rules,
            submission_id,
            form.ask,
            actor=visit.actor,
            reason=form.reason,
            shown_premium=whole(shown, "premium"),
        )
    except ChangedMeanwhile:
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
        changed = [
            record
            for record in picked
            if raw.get(f"version-{record.quote.quote_id}")
            != str(last_step(facts.entries, record.quote.quote_id))
        ]
        if changed and _is_done_by(visit, form, facts, picked):
            return await visit.done(await _after(visit))
        if changed:
            return await show_case(visit, form, meanwhile=[record.quote for record in changed])
        done = await _decide(visit, form, [_Picked.of(record, raw) for record in picked])
    except BinderyError as fault:
        # Of two clicks the second may have waited for the first.
        if picked and _is_done_by(visit, form, await read_case(visit), picked):
            return await visit.done(await _after(visit))
        return await show_case(visit, form, fault=fault)
    return await visit.done(await _after(visit), f"{facts.stored.submission.name}: {done}")


def _is_done_by(visit: Visit, form: DecisionForm, facts: CaseFacts, quotes: Sequence[QuoteRecord]) -> bool:
    """Whether the same user made the same decision a moment ago: a button was pressed twice."""
    triggers, since = TRIGGERS_OF.get(form.decision, frozenset()), facts.at.now - PRESSED_TWICE
    done = {
        entry.quote_id
        for entry in facts.entries
        if entry.actor == visit.actor and entry.trigger in triggers and entry.at >= since
    }
    return all(record.quote.quote_id in done for record in quotes)


@dataclass(frozen=True, slots=True)
class _Picked:
    quote: Quote
    seen_step: int
    shown_premium: str | None
    owed: frozenset[str]

    @classmethod
    def of(cls, record: QuoteRecord, form: Mapping[str, str]) -> "_Picked":
        quote_id = record.quote.quote_id
        return cls(
            record.quote,
            int(form[f"version-{quote_id}"]),
            form.get(f"shown_premium-{quote_id}"),
            frozenset(owed.contingency_id for owed in needed_before(record.contingencies)),
        )

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
    if (form.changed.anything or form.decision in NEED_A_REASON) and not form.reason:
        raise InvalidRequest.because([Problem("reason", "required", "is required: it goes on record")])
    decided = [(option, *_decision(form, option)) for option in picked]
    await take_decisions(
        visit.runtime.database,
        visit.runtime.rules,
        [DecidedQuote(option.quote.quote_id, decision, option.seen_step) for option, decision, _ in decided],
        actor=visit.actor,
    )
    return f"{'. '.join(said for _, _, said in decided)}."


def _decision(form: DecisionForm, option: _Picked) -> tuple[Decision, str]:  # noqa: PLR0911 - one line each
    reason, number = form.reason, shown_number(option.quote.option_number)
    match form.decision, option.quote.status:
        case "approve", QuoteStatus.QUOTE_REFERRED:
            premium = option.premium_seen(form.changed.premium)
            approval = ApproveReferral(form.changed, premium, form.contingency, reason)
            return approval, f"Option {number} is published at {money(premium)}"
        case "approve", QuoteStatus.QUOTE_BIND_REQUESTED:
            closings = form.closings_of(option.owed)
            return ApproveBind(reason, closings), f"Option {number} is bound"
        case "decline", _:
            return DeclineQuote(reason), f"Option {number} is declined"
        case "contingency", _ if (contingency := form.contingency) is not None:
            return AddContingency(contingency), f"Option {number} is subject to it"
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
