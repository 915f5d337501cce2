import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, assert_never

from bindery.actions.desk.approve_referral import amend_option, approve_bind, approve_referral
from bindery.actions.desk.ask_broker import ask_broker, go_on_unanswered
from bindery.actions.desk.close_contingency import add_contingency, close_contingency, reopen_contingency
from bindery.actions.desk.decline_quote import decline_cancellation, decline_quote, revoke_quote
from bindery.actions.desk.find_decider import Decider, find_decider
from bindery.actions.desk.offer_option import add_offer
from bindery.actions.desk.rule_on_renewal import rule_on_renewal
from bindery.actions.desk.send_back import send_back
from bindery.actions.documents.gather_facts import renew_documents
from bindery.actions.documents.write_mails import write_decision_mails
from bindery.actions.policy.cancel_policy import cancel_policy, reinstate_policy
from bindery.actions.policy.change_policy import approve_change, decline_change
from bindery.actions.quote.advance_quote import lock_quote
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.business_rules import BusinessRules, PlayedDecision
from bindery.domain.quote.authority import Act
from bindery.domain.quote.decisions import (
    AddContingency,
    AmendOption,
    ApproveBind,
    ApproveChange,
    ApproveReferral,
    AskBroker,
    CancelPolicy,
    CloseContingency,
    Decision,
    DeclineCancellation,
    DeclineChange,
    DeclineQuote,
    GoOnUnanswered,
    HoldRenewal,
    NotRenew,
    OfferOption,
    ReinstatePolicy,
    ReleaseRenewal,
    RenewAfterAll,
    ReopenContingency,
    RevokeQuote,
    SendBack,
)
from bindery.domain.quote.pipeline import PLAYED_BECAUSE, PLAYED_BY
from bindery.domain.quote.quote import Quote
from bindery.storage.database import Database, Tx
from bindery.storage.desk import asked_approvals, desk
from bindery.storage.submission import submissions


@dataclass(frozen=True, slots=True)
class DecidedQuote:
    """A decision about a quote; `seen_step` is the last step of the quote that the decider saw."""

    quote_id: uuid.UUID
    decision: Decision
    seen_step: int | None = None


async def take_decisions(
    database: Database, rules: BusinessRules, decided: Sequence[DecidedQuote], *, actor: str
) -> None:
    """Carry out decisions about quotes in one transaction: all or none.

    Each is about its quote as it was when all of them were locked.

    Raises:
        NotFound: there is no such quote.
        ChangedMeanwhile: something has happened to one of them that was not seen.
        BeyondAuthority: the actor is an underwriter who may not decide all of it alone.
    """
    async with database.transaction() as tx:
        await carry_out(tx, rules, await lock_decided(tx, decided), await find_decider(tx, rules, actor))


LockedDecisions = Sequence[tuple[Decision, Quote]]


async def lock_decided(tx: Tx, decided: Sequence[DecidedQuote]) -> LockedDecisions:
    # Always in the same order, so that people who decide about the same quotes wait for each other.
    return [
        (each.decision, await lock_quote(tx, each.quote_id, seen_step=each.seen_step))
        for each in sorted(decided, key=lambda each: each.quote_id)
    ]


async def carry_out(
    tx: Tx, rules: BusinessRules, locked: LockedDecisions, decider: Decider, *, but: Collection[int] = ()
) -> None:
    """Carry out decisions about quotes that are held; `but` are users whom it is no use to ask."""
    for decision, quote in locked:
        await carry_out_one(tx, rules, quote, decision, decider)
    decider.check(but=but)
    # Once for all of them: what was decided together is one version of a document.
    await renew_documents(tx, rules, [quote.quote_id for _, quote in locked])
    await write_decision_mails(tx, rules, locked)
    await drop_asked(tx, [quote for _, quote in locked])


async def drop_asked(tx: Tx, quotes: Sequence[Quote]) -> None:
    """Put aside what a colleague was asked to approve about these quotes: it was decided otherwise."""
    submission_ids = {quote.submission_id for quote in quotes}
    if await asked_approvals.drop(tx, [quote.quote_id for quote in quotes], submission_ids):
        await desk.refresh_desk_items(tx, submission_ids)


async def take_decision(
    database: Database, rules: BusinessRules, quote_id: uuid.UUID, decision: Decision, *, actor: str
) -> None:
    await take_decisions(database, rules, [DecidedQuote(quote_id, decision)], actor=actor)


async def carry_out_one(  # noqa: C901, PLR0912 - one line a decision
    tx: Tx, rules: BusinessRules, quote: Quote, decision: Decision, decider: Decider
) -> None:
    actor = decider.actor
    # Others take as much as their terms and premium do, which are worked out on the way.
    if (act := _ACTS.get(type(decision))) is not None:
        decider.note(act, quote)
    match decision:
        case ApproveReferral():
            await approve_referral(tx, rules, quote, decision, decider=decider)
        case AmendOption():
            await amend_option(tx, rules, quote, decision, decider=decider)
        case OfferOption():
            stored = await submissions.get(tx, quote.submission_id)
            await add_offer(tx, rules, stored, decision, decider=decider)
        case ApproveBind():
            await approve_bind(tx, rules, quote, decision, actor=actor)
        case DeclineQuote(reason):
            await decline_quote(tx, rules, quote, actor=actor, reason=reason)
        case RevokeQuote(reason):
            await revoke_quote(tx, quote, actor=actor, reason=reason)
        case AskBroker():
            await ask_broker(tx, rules, quote, decision, actor=actor)
        case GoOnUnanswered(question_id):
            await go_on_unanswered(tx, quote, question_id, actor=actor)
        case SendBack(reason):
            await send_back(tx, rules, quote, actor=actor, reason=reason)
        case AddContingency(draft):
            await add_contingency(tx, quote, draft, actor=actor)
        case CloseContingency(contingency_id, closing):
            await close_contingency(tx, rules, quote, contingency_id, closing, actor=actor)
        case ReopenContingency(contingency_id, reason):
            await reopen_contingency(tx, quote, contingency_id, actor=actor, reason=reason)
        case CancelPolicy():
            await cancel_policy(tx, rules, quote, decision, actor=actor)
        case DeclineCancellation(reason):
            await decline_cancellation(tx, quote, actor=actor, reason=reason)
        case ApproveChange():
            decider.note(Act.AMEND, await approve_change(tx, rules, quote, decision, actor=actor))
        case DeclineChange():
            await decline_change(tx, quote, decision, actor=actor)
        case ReinstatePolicy():
            await reinstate_policy(tx, rules, quote, decision, actor=actor)
        case HoldRenewal() | ReleaseRenewal() | NotRenew() | RenewAfterAll():
            await rule_on_renewal(tx, rules, quote, decision, actor=actor)
        case _:
            assert_never(decision)


_ACTS: Final[Mapping[type[Decision], Act]] = {
    ApproveBind: Act.BIND,
    DeclineQuote: Act.REFUSE,
    RevokeQuote: Act.WITHDRAW,
    SendBack: Act.REFUSE,
    NotRenew: Act.REFUSE,
    HoldRenewal: Act.SETTLE,
    ReleaseRenewal: Act.SETTLE,
    RenewAfterAll: Act.SETTLE,
    AddContingency: Act.SETTLE,
    CloseContingency: Act.SETTLE,
    ReopenContingency: Act.SETTLE,
    CancelPolicy: Act.CANCEL,
    DeclineCancellation: Act.REFUSE,
    DeclineChange: Act.REFUSE,
    ReinstatePolicy: Act.REINSTATE,
}


async def play_underwriter(database: Database, rules: BusinessRules, submission_id: uuid.UUID) -> None:
    """Decide the requested binds of a submission as the demo's underwriter, by the applicant's name."""
    async with database.reading() as tx:
        stored = await submissions.get(tx, submission_id)
        requested = await submissions.options_in(tx, submission_id, QuoteStatus.QUOTE_BIND_REQUESTED)
    for quote_id in requested:
        match rules.demo_outcomes.played_decision(stored.submission.name):
            case PlayedDecision.APPROVE:
                decision: Decision = ApproveBind(PLAYED_BECAUSE)
            case PlayedDecision.DECLINE:
                decision = DeclineQuote(PLAYED_BECAUSE)
            case None:
                return
            case played:
                assert_never(played)
        await take_decision(database, rules, quote_id, decision, actor=PLAYED_BY)
