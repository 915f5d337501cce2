"""What is beyond one underwriter's authority: asked of a colleague, who approves it as the second person."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from bindery.actions.desk.find_decider import Decider, find_decider
from bindery.actions.desk.take_decisions import (
    DecidedQuote,
    LockedDecisions,
    carry_out,
    carry_out_one,
    lock_decided,
)
from bindery.actions.quote.advance_quote import advance_quotes
from bindery.base.errors import ChangedMeanwhile, InvalidRequest, NotFound, Problem
from bindery.domain.access.users import User
from bindery.domain.business_rules import BusinessRules
from bindery.domain.messages.webhooks import ColleagueAnswered, ColleagueAsked
from bindery.domain.quote.authority import Colleague
from bindery.domain.quote.decisions import Decision, reason_of
from bindery.domain.quote.lifecycle import Trigger
from bindery.domain.quote.quote import Quote, Walk, last_step
from bindery.storage.database import Database, Tx
from bindery.storage.desk import asked_approvals, desk
from bindery.storage.desk.asked_approvals import AskedApproval, ColleagueAnswer
from bindery.storage.quote import journal

_KINDS: Final[dict[str, type[Any]]] = {kind.__name__: kind for kind in Decision.__args__}


class _Kept(msgspec.Struct):
    quote_id: uuid.UUID
    kind: str
    decision: dict[str, Any]
    premium: int | None = None


_read_kept = msgspec.json.Decoder(list[_Kept]).decode


@dataclass(frozen=True, slots=True)
class AskedDecision:
    """A decision as somebody wants it approved; `premium` is what the option would be published at."""

    quote_id: uuid.UUID
    decision: Decision
    premium: int | None


def asked_decisions(asked: AskedApproval) -> tuple[AskedDecision, ...]:
    return tuple(
        AskedDecision(kept.quote_id, msgspec.convert(kept.decision, _KINDS[kept.kind]), kept.premium)
        for kept in _read_kept(asked.decisions)
    )


async def ask_colleague(
    database: Database, rules: BusinessRules, decided: Sequence[DecidedQuote], *, user: User, to: int
) -> Colleague:
    """Ask a colleague to approve decisions about options of one submission that are beyond one's authority.

    Everything else has to hold already: what would be refused in any case is refused now. One request of a
    submission waits at a time; the case goes to the colleague.

    Raises:
        InvalidRequest: nothing of it is beyond the user's authority, or the colleague may not approve it.
        ChangedMeanwhile: an option was changed since, or the case waits for a colleague already.
    """
    async with database.transaction() as tx:
        locked = await lock_decided(tx, decided)
        decider = await find_decider(tx, rules, user.email)
        premiums = await _try(tx, rules, locked, decider)
        if decider.who is None or not decider.exceeded:
            raise InvalidRequest.at("send_to", "not_needed", "is not needed: you may decide this yourself")
        colleague = next((who for who in decider.to_ask() if who.user_id == to), None)
        if colleague is None:
            raise InvalidRequest.at("send_to", "not_enough", "must be somebody who may approve all of it")
        quotes = [quote for _, quote in locked]
        submission_id = _one_submission(quotes)
        await _check_nobody_waits(tx, submission_id)
        steps = {
            quote.quote_id: last_step(await journal.of_quote(tx, quote.quote_id), quote.quote_id)
            for quote in quotes
        }
        kept = [
            {
                "quote_id": quote.quote_id,
                "kind": type(decision).__name__,
                "decision": decision,
                "premium": premiums[quote.quote_id],
            }
            for decision, quote in locked
        ]
        await asked_approvals.add(
            tx,
            submission_id,
            asked_by=user.user_id,
            asked_to=to,
            options=list(steps.items()),
            decisions=msgspec.json.encode(kept).decode(),
            beyond=decider.exceeded,
        )
        await advance_quotes(
            tx,
            [
                Walk(quote, ()).then(
                    Trigger.ASK_COLLEAGUE,
                    user.email,
                    ColleagueAsked(
                        decision=type(decision).__name__,
                        to=colleague.email,
                        beyond=list(decider.exceeded),
                        premium=premiums[quote.quote_id],
                        reason=reason_of(decision),
                    ),
                )
                for decision, quote in locked
            ],
        )
        # Where nothing of the submission waited so far, this is what does.
        await desk.refresh_desk_items(tx, [submission_id])
        await desk.take(tx, [submission_id], to=to, from_users=[user.user_id, to])
    return colleague


async def _try(
    tx: Tx, rules: BusinessRules, locked: LockedDecisions, decider: Decider
) -> dict[uuid.UUID, int | None]:
    """Carry everything out and take it back; return the premium that each option would have."""
    async with tx.trial():
        for decision, quote in locked:
            await carry_out_one(tx, rules, quote, decision, decider)
    return {quote.quote_id: ask.premium for (_, quote), ask in zip(locked, decider.asks, strict=True)}


def _one_submission(quotes: Sequence[Quote]) -> uuid.UUID:
    submissions = {quote.submission_id for quote in quotes}
    if len(submissions) != 1:
        raise InvalidRequest.because([Problem("options", "required", "must be of one submission")])
    return submissions.pop()


async def _check_nobody_waits(tx: Tx, submission_id: uuid.UUID) -> None:
    waiting = await asked_approvals.waiting_of(tx, submission_id)
    if waiting is None:
        return
    if await is_outdated(tx, waiting):
        await asked_approvals.settle(tx, waiting.approval_id, ColleagueAnswer.DROPPED, by=None, reason="")
        return
    raise ChangedMeanwhile(
        f"Nothing was sent: {waiting.asker} waits for the approval of {waiting.asked} already."
    )


async def is_outdated(tx: Tx, asked: AskedApproval) -> bool:
    """Whether something has happened to one of the options since the approval was asked for."""
    for quote_id, step in zip(asked.quote_ids, asked.seen_steps, strict=True):
        if last_step(await journal.of_quote(tx, quote_id), quote_id) != step:
            return True
    return False


async def answer_colleague(
    database: Database,
    rules: BusinessRules,
    approval_id: uuid.UUID,
    answer: ColleagueAnswer,
    *,
    user: User,
    reason: str = "",
) -> AskedApproval:
    """Approve what a colleague asked for as the second person, decline it, or send it back; once.

    Who asked can only take it back. An approval is carried out at once, by the letter of whoever approves.

    Raises:
        InvalidRequest: it was asked for by the same person, or a reason is missing.
        BeyondAuthority: the second person may not decide it either.
        ChangedMeanwhile: somebody was faster, or one of the options was changed since it was asked for.
    """
    asked = await _find(database, approval_id)
    is_own, takes_back = asked.asked_by == user.user_id, answer is ColleagueAnswer.TAKEN_BACK
    if is_own and not takes_back:
        raise InvalidRequest.at("answer", "same_person", "must be another person than who asked")
    if takes_back and not is_own:
        raise InvalidRequest.at("answer", "not_yours", "can only be taken back by who asked")
    if answer in {ColleagueAnswer.DECLINED, ColleagueAnswer.SENT_BACK} and not reason.strip():
        raise InvalidRequest.at("reason", "required", f"is required: {asked.asker} reads it")
    try:
        async with database.transaction() as tx:
            await _answer(tx, rules, asked, answer, user=user, reason=reason)
    except ChangedMeanwhile:
        async with database.transaction() as tx:
            if await is_outdated(tx, asked):
                await asked_approvals.settle(tx, approval_id, ColleagueAnswer.DROPPED, by=None, reason="")
                await desk.refresh_desk_items(tx, [asked.submission_id])
        raise
    return await _find(database, approval_id)


async def _find(database: Database, approval_id: uuid.UUID) -> AskedApproval:
    async with database.reading() as tx:
        asked = await asked_approvals.find(tx, approval_id)
    if asked is None:
        raise NotFound("There is no such request.")
    return asked


async def _answer(
    tx: Tx, rules: BusinessRules, asked: AskedApproval, answer: ColleagueAnswer, *, user: User, reason: str
) -> None:
    is_approved = answer is ColleagueAnswer.APPROVED
    steps = dict(zip(asked.quote_ids, asked.seen_steps, strict=True))
    wanted = asked_decisions(asked)
    decided = [
        DecidedQuote(each.quote_id, each.decision, steps[each.quote_id] if is_approved else None)
        for each in wanted
    ]
    locked = await lock_decided(tx, decided)
    if not await asked_approvals.settle(tx, asked.approval_id, answer, by=user.user_id, reason=reason):
        raise ChangedMeanwhile(await _who_was_first(tx, asked.approval_id))
    said = {
        each.quote_id: ColleagueAnswered(
            decision=type(each.decision).__name__, asked_by=asked.asker_email, answer=answer, reason=reason
        )
        for each in wanted
    }
    answered = await advance_quotes(
        tx,
        [
            Walk(quote, ()).then(Trigger.ANSWER_COLLEAGUE, user.email, said[quote.quote_id])
            for _, quote in locked
        ],
    )
    if is_approved:
        decider = await find_decider(tx, rules, user.email)
        both = [(decision, quote) for (decision, _), quote in zip(locked, answered, strict=True)]
        await carry_out(tx, rules, both, decider, but=(asked.asked_by,))
    else:
        await desk.take(
            tx, [asked.submission_id], to=asked.asked_by, from_users=[asked.asked_to, user.user_id]
        )
    await desk.refresh_desk_items(tx, [asked.submission_id])


async def _who_was_first(tx: Tx, approval_id: uuid.UUID) -> str:
    first = await asked_approvals.find(tx, approval_id)
    assert first is not None, "it was found before"
    said = {
        ColleagueAnswer.APPROVED: "approved it",
        ColleagueAnswer.DECLINED: "declined it",
        ColleagueAnswer.SENT_BACK: "sent it back",
        ColleagueAnswer.TAKEN_BACK: "took it back",
        ColleagueAnswer.DROPPED: "The options were decided otherwise",
        None: "",
    }[first.answer]
    who = f"{first.answerer} {said}" if first.answerer else said
    return f"Nothing was done. {who} before."
