"""Changing a policy during its term: asked for with a price, accepted, and issued or decided by a person."""

import uuid
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import msgspec

from bindery.actions.documents.gather_facts import write_notice
from bindery.actions.policy.cancel_policy import withdraw_renewal
from bindery.actions.policy.price_of_change import PolicyNow, policy_now, price_of_change
from bindery.actions.policy.take_capacity import refuse
from bindery.actions.quote.advance_quote import advance_quote, lock_quote
from bindery.base.errors import ChangeOpen, ChangeSettled, InvalidRequest, NotFound, WrongState
from bindery.contract.changes import ChangeStatus, PolicyChangeAsk
from bindery.contract.event_details import PolicyChanged, PolicyChangeDeclined
from bindery.domain.access.caller import Caller
from bindery.domain.business_rules import BusinessRules
from bindery.domain.documents.endorsing import changed_event
from bindery.domain.messages.webhooks import ChangeReferred, ChangeWithdrawn
from bindery.domain.policy.binders import FoundSection, NoAuthority
from bindery.domain.policy.change_ask import (
    changed_client,
    changed_contacts,
    changed_fields,
    changed_submission,
    is_about_the_risk,
    submission_fields,
)
from bindery.domain.policy.changing import (
    ChangeReferral,
    PricedChange,
    authority_for,
    check_changeable,
    referral_for,
)
from bindery.domain.policy.kept_change import KeptChange
from bindery.domain.policy.ledger import endorsement
from bindery.domain.quote.decisions import ApproveChange, DeclineChange
from bindery.domain.quote.lifecycle import Trigger
from bindery.domain.quote.quote import Quote
from bindery.domain.submission.parts import or_none
from bindery.storage.database import Database, Reader, Tx
from bindery.storage.idempotency import idempotently
from bindery.storage.policy import capacity, changes, ledger, policies
from bindery.storage.submission import submissions


async def ask_for_change(
    database: Database, rules: BusinessRules, caller: Caller, quote_id: uuid.UUID, ask: PolicyChangeAsk
) -> bytes:
    """Price a change of a policy and keep it until it is accepted; nothing of the policy moves.

    Raises:
        WrongState: there is no issued policy in force.
        ChangeOpen: another change of it is open; the message names it.
        InvalidRequest: it cannot be changed so; every problem is listed.
    """
    async with database.transaction() as tx:
        return await idempotently(tx, caller, partial(_ask, tx, rules, caller, quote_id, ask))


async def _ask(
    tx: Tx, rules: BusinessRules, caller: Caller, quote_id: uuid.UUID, ask: PolicyChangeAsk
) -> bytes:
    quote = await lock_quote(tx, quote_id)
    priced = await price_of_change(tx, rules, quote, ask)
    change_id = await keep_change(tx, quote_id, ask, priced, by=caller.actor)
    return await _shown(tx, quote_id, change_id)


async def keep_change(
    tx: Tx, quote_id: uuid.UUID, ask: PolicyChangeAsk, priced: PricedChange, *, by: str
) -> uuid.UUID:
    """Keep a change of a locked policy until it is accepted.

    Raises:
        ChangeOpen: another one is open.
    """
    await changes.expire(tx, quote_id)
    await check_none_open(tx, quote_id)
    change_id = tx.new_id()
    await changes.add(tx, quote_id, change_id, ask, priced, by=by)
    return change_id


async def check_none_open(tx: Reader, quote_id: uuid.UUID) -> None:
    there = await changes.find_open(tx, quote_id)
    if there is None or there.status_on(tx.today) is ChangeStatus.EXPIRED:
        return
    way_out = (
        "accept or withdraw it first"
        if there.status is ChangeStatus.QUOTED
        else "an underwriter decides on it; withdraw it, or wait for the decision"
    )
    raise ChangeOpen(f"The change {there.change_id} of this policy is {there.status}: {way_out}.")


async def accept_change(
    database: Database, rules: BusinessRules, caller: Caller, quote_id: uuid.UUID, change_id: uuid.UUID
) -> bytes:
    """Issue a change at its price, or have an underwriter decide; accepting it twice changes nothing more.

    Raises:
        NotFound: the policy has no such change.
        ChangeSettled: it was declined or withdrawn, or was not accepted in time.
    """
    async with database.transaction() as tx:
        return await idempotently(tx, caller, partial(_accept, tx, rules, caller, quote_id, change_id))


async def _accept(
    tx: Tx, rules: BusinessRules, caller: Caller, quote_id: uuid.UUID, change_id: uuid.UUID
) -> bytes:
    quote = await lock_quote(tx, quote_id)
    change = await _find(tx, quote_id, change_id)
    match change.status_on(tx.today):
        case ChangeStatus.ISSUED | ChangeStatus.REFERRED:
            pass
        case ChangeStatus.QUOTED:
            await issue_or_refer(tx, rules, quote, change, actor=caller.actor)
        case status:
            raise ChangeSettled(_not_open(change, status))
    return await _shown(tx, quote_id, change_id)


async def issue_or_refer(
    tx: Tx, rules: BusinessRules, quote: Quote, change: KeptChange, *, actor: str
) -> None:
    """Issue a change that was accepted, or leave it to an underwriter."""
    policy = check_changeable(quote, await policies.find(tx, quote.quote_id), tx.today)
    now = await policy_now(tx, quote, policy)
    referrals = await _still_referred(tx, quote, now, change.priced)
    if referrals:
        await _refer(tx, quote, change, referrals, actor=actor)
    else:
        await change_policy(tx, rules, quote, now, change, actor=actor)


async def _still_referred(
    tx: Tx, quote: Quote, now: PolicyNow, priced: PricedChange
) -> tuple[ChangeReferral, ...]:
    """Return why a person decides; where nobody has to, the premium is taken from the binder's limit."""
    if priced.referrals:
        return priced.referrals
    lacking = await _take_premium(tx, quote, now, priced)
    return () if lacking is None else (referral_for(lacking),)


async def _take_premium(tx: Tx, quote: Quote, now: PolicyNow, priced: PricedChange) -> NoAuthority | None:
    """Take a change's premium from the limit of the policy's binder; return why it cannot be taken."""
    if now.section is None:
        return None
    lacking = authority_for(now.section, quote, priced.terms, priced.premium_difference)
    if lacking is None and not await _take(tx, now.section, priced.premium_difference):
        section = await capacity.find_section(tx, now.section.section_id)
        lacking = authority_for(section, quote, priced.terms, priced.premium_difference)
        assert lacking is not None, "what could not be taken was not there"
    return lacking


async def _take(tx: Tx, section: FoundSection, premium: int) -> bool:
    if premium > 0:
        return await capacity.take_again(tx, section.section_id, premium)
    await capacity.give_back(tx, section.section_id, -premium)
    return True


async def _refer(
    tx: Tx, quote: Quote, change: KeptChange, referrals: Sequence[ChangeReferral], *, actor: str
) -> None:
    # Before the step, which looks at what waits on the desk.
    await changes.refer(tx, change.change_id, replace(change.priced, referrals=tuple(referrals)))
    said = ChangeReferred(
        change_id=str(change.change_id),
        effective=change.effective,
        reason=change.asked.reason,
        reasons=[referral.text for referral in referrals],
    )
    await advance_quote(tx, quote, Trigger.REFER_CHANGE, actor=actor, said=said)


async def change_policy(
    tx: Tx,
    rules: BusinessRules,
    quote: Quote,
    now: PolicyNow,
    change: KeptChange,
    *,
    actor: str,
    answer: str | None = None,
) -> None:
    """Make the policy what was accepted; its binder's limit holds the premium already."""
    asked, priced = change.asked.changes, change.priced
    assert quote.terms is not None, "a policy has terms"
    fields = changed_fields(quote.terms, now.insured, asked)
    if is_about_the_risk(fields):
        # Before the policy's own row is written; the timetable offers it again on what is changed.
        await withdraw_renewal(tx, now.policy, reason="policy_changed", actor=actor)
    if submission_fields(fields):
        submission = changed_submission(now.stored.submission, asked)
        await submissions.change_insured(tx, now.stored, submission, changed_client(asked))
    await policies.change_insured(
        tx,
        quote.quote_id,
        contacts=changed_contacts(now.insured, asked) if "contacts" in fields else None,
        additional_insured=or_none(asked.additional_insured) if "additional_insured" in fields else None,
    )
    version = await changes.count_issued(tx, quote.quote_id) + 1
    premium = (quote.premium or 0) + priced.premium_difference
    changed = replace(quote, terms=priced.terms, premium=premium, assessment=priced.assessment)
    said = PolicyChanged(
        policy_number=now.policy.number,
        change_id=str(change.change_id),
        effective=priced.effective,
        changed=list(fields),
        premium_difference=priced.premium_difference,
        total=float(priced.total),
        premium=premium,
        endorsement=version,
        reason=change.asked.reason,
    )
    # Before the step, which looks at what waits on the desk.
    await changes.issue(
        tx,
        change.change_id,
        by=actor,
        answer=answer,
        endorsement=version,
        journal_entry=quote.journal.entries + 1,
    )
    moved = await advance_quote(tx, changed, Trigger.CHANGE_POLICY, actor=actor, said=said)
    await ledger.book(tx, endorsement(moved, priced, now.bound, today=tx.today))
    event = changed_event(quote, now.insured, change.asked, priced, number=version, on=tx.today)
    await write_notice(tx, rules, moved, event, before=quote)


async def withdraw_change(
    database: Database, caller: Caller, quote_id: uuid.UUID, change_id: uuid.UUID
) -> bytes:
    """Take back a change that is not issued; withdrawing it twice changes nothing more."""
    async with database.transaction() as tx:
        return await idempotently(tx, caller, partial(_withdraw, tx, caller, quote_id, change_id))


async def _withdraw(tx: Tx, caller: Caller, quote_id: uuid.UUID, change_id: uuid.UUID) -> bytes:
    quote = await lock_quote(tx, quote_id)
    change = await _find(tx, quote_id, change_id)
    match change.status:
        case ChangeStatus.WITHDRAWN | ChangeStatus.EXPIRED:
            pass
        case ChangeStatus.QUOTED | ChangeStatus.REFERRED:
            await changes.settle(tx, change_id, ChangeStatus.WITHDRAWN, by=caller.actor)
            if change.status is ChangeStatus.REFERRED:
                said = ChangeWithdrawn(change_id=str(change_id))
                await advance_quote(tx, quote, Trigger.WITHDRAW_CHANGE, actor=caller.actor, said=said)
        case status:
            raise ChangeSettled(_not_open(change, status))
    return await _shown(tx, quote_id, change_id)


async def approve_change(
    tx: Tx, rules: BusinessRules, quote: Quote, decision: ApproveChange, *, actor: str
) -> Quote:
    """Issue the change that waits for an underwriter, and return the quote as its terms will be.

    Raises:
        WrongState: none waits.
        ChangeSettled: another waits than the one that was decided on.
        InvalidRequest: the binder's authority does not cover it.
    """
    change = await waiting_change(tx, quote, decision.change_id)
    policy = check_changeable(quote, await policies.find(tx, quote.quote_id), tx.today)
    now = await policy_now(tx, quote, policy)
    priced = change.priced
    lacking = await _take_premium(tx, quote, now, priced)
    if lacking is not None:
        refuse(lacking)
    await change_policy(tx, rules, quote, now, change, actor=actor, answer=decision.reason or None)
    return replace(quote, terms=priced.terms, premium=(quote.premium or 0) + priced.premium_difference)


async def decline_change(tx: Tx, quote: Quote, decision: DeclineChange, *, actor: str) -> None:
    """Leave a policy as it is; the partner receives the reason."""
    reason, change = decision.reason, await waiting_change(tx, quote, decision.change_id)
    if not reason:
        raise InvalidRequest.at("reason", "required", "is required: the partner receives it")
    await changes.settle(tx, change.change_id, ChangeStatus.DECLINED, by=actor, answer=reason)
    said = PolicyChangeDeclined(change_id=str(change.change_id), effective=change.effective, reason=reason)
    await advance_quote(tx, quote, Trigger.DECLINE_CHANGE, actor=actor, said=said)


async def waiting_change(tx: Reader, quote: Quote, change_id: str = "") -> KeptChange:
    there = await changes.find_open(tx, quote.quote_id)
    if there is None or there.status is not ChangeStatus.REFERRED:
        said = "This policy has no change waiting for a decision."
        raise WrongState(said, status=quote.status, available_statuses=[])
    if change_id not in {"", str(there.change_id)}:
        raise ChangeSettled("Another change waits by now; nothing was done.")
    return there


async def _find(tx: Reader, quote_id: uuid.UUID, change_id: uuid.UUID) -> KeptChange:
    change = await changes.find(tx, quote_id, change_id)
    if change is None:
        raise NotFound("The policy has no such change.")
    return change


def _not_open(change: KeptChange, status: ChangeStatus) -> str:
    why = {
        ChangeStatus.ISSUED: "is issued: ask for another change",
        ChangeStatus.DECLINED: f"was declined: {change.answer}",
        ChangeStatus.WITHDRAWN: "was withdrawn",
        ChangeStatus.EXPIRED: f"could be accepted until {change.valid_until}: ask for it again",
    }
    return f"The change {change.change_id} {why[status]}."


async def _shown(tx: Reader, quote_id: uuid.UUID, change_id: uuid.UUID) -> bytes:
    return msgspec.json.encode((await _find(tx, quote_id, change_id)).shown(tx.today))
