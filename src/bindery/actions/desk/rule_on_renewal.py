"""What underwriters decide on the renewal of a policy: to look at it first, or not to make it."""

from typing import TypeAlias, assert_never

from bindery.actions.documents.gather_facts import write_notice
from bindery.actions.documents.write_mails import write_restored_mail
from bindery.actions.policy.cancel_policy import withdraw_renewal
from bindery.actions.quote.advance_quote import advance_quote, advance_quotes, lock_policy, policy_of
from bindery.base.errors import InvalidRequest
from bindery.contract.event_details import PolicyNotRenewed, PolicyRenewalRestored
from bindery.contract.policy_ending import NonrenewalReason
from bindery.domain.business_rules import BusinessRules
from bindery.domain.documents.notices import NotRenewed
from bindery.domain.messages.webhooks import RenewalHeld
from bindery.domain.policy.nonrenewal import (
    KeptRuling,
    NoticeWindow,
    check_holdable,
    check_not_renewed,
    check_releasable,
    check_renewable_after_all,
    window_of_decline,
)
from bindery.domain.policy.policy import Policy, RenewalRuling
from bindery.domain.quote.decisions import HoldRenewal, NotRenew, ReleaseRenewal, RenewAfterAll
from bindery.domain.quote.lifecycle import BINDABLE, Trigger
from bindery.domain.quote.pipeline import take_offer_back
from bindery.domain.quote.quote import Quote
from bindery.storage.database import Tx
from bindery.storage.policy import policies
from bindery.storage.quote import quotes
from bindery.storage.submission import submissions

RenewalRule: TypeAlias = HoldRenewal | ReleaseRenewal | NotRenew | RenewAfterAll


async def rule_on_renewal(
    tx: Tx, rules: BusinessRules, quote: Quote, decision: RenewalRule, *, actor: str
) -> None:
    match decision:
        case HoldRenewal():
            await hold_renewal(tx, quote, decision, actor=actor)
        case ReleaseRenewal():
            await release_renewal(tx, quote, decision, actor=actor)
        case NotRenew():
            await not_renew(tx, rules, quote, decision, actor=actor)
        case RenewAfterAll():
            await renew_after_all(tx, rules, quote, decision, actor=actor)
        case _:
            assert_never(decision)


async def hold_renewal(tx: Tx, quote: Quote, decision: HoldRenewal, *, actor: str) -> None:
    """Have a person look at a renewal before it is offered; an offer goes back to the desk."""
    policy = await policy_of(tx, quote)
    renewal = await _renewal_of(tx, policy)
    check_holdable(quote, policy, renewal.status if renewal else None, today=tx.today)
    # The renewal before the policy that shows it: an offer of one locks the two in that order.
    if renewal is not None:
        key = renewal.submission_id
        offered = (await submissions.lock_options(tx, [key], BINDABLE))[key]
        if offered:
            await advance_quotes(tx, [take_offer_back(each, now=tx.now, actor=actor) for each in offered])
    kept = KeptRuling(by=actor, on=tx.today, text=decision.reason)
    await policies.rule_on_renewal(tx, quote.quote_id, RenewalRuling.HELD, kept)
    said = RenewalHeld(reason=decision.reason)
    await advance_quote(tx, quote, Trigger.HOLD_RENEWAL, actor=actor, said=said)


async def release_renewal(tx: Tx, quote: Quote, decision: ReleaseRenewal, *, actor: str) -> None:
    """Lift a hold, so that the renewal is offered and bound by itself again."""
    policy = await policy_of(tx, quote)
    renewal = await _renewal_of(tx, policy)
    check_releasable(quote, policy, renewal.status if renewal else None)
    await policies.rule_on_renewal(tx, quote.quote_id, None, None)
    said = RenewalHeld(reason=decision.reason)
    await advance_quote(tx, quote, Trigger.RELEASE_RENEWAL, actor=actor, said=said)


async def not_renew(tx: Tx, rules: BusinessRules, quote: Quote, ask: NotRenew, *, actor: str) -> None:
    """Let a policy end with its term: withdraw what would renew it, and mail the notice."""
    policy = await policy_of(tx, quote)
    renewal = await _renewal_of(tx, policy)
    state = (await submissions.get(tx, quote.submission_id)).submission.state
    status = renewal.status if renewal else None
    window = check_not_renewed(quote, policy, status, ask, state=state, today=tx.today)
    await withdraw_renewal(tx, policy, reason="policy_not_renewed", actor=actor)
    await _give_notice(tx, rules, quote, policy, ask, window, actor=actor)


async def give_notice_of_decline(
    tx: Tx, rules: BusinessRules, renewal: Quote, *, reason: str, actor: str
) -> None:
    """Mail the notice of nonrenewal of the policy whose renewal was declined, late if need be."""
    stored = await submissions.get(tx, renewal.submission_id)
    if stored.renews is None:
        return
    quote, policy = await lock_policy(tx, stored.renews)
    window = window_of_decline(policy, state=stored.submission.state, today=tx.today)
    if window is None or policy.renewal_submission_id != renewal.submission_id:
        return
    if not reason.strip():
        raise InvalidRequest.at("reason", "required", "is required: the notice of nonrenewal says why")
    ask = NotRenew(NonrenewalReason.OTHER, reason)
    await _give_notice(tx, rules, quote, policy, ask, window, actor=actor)


async def _give_notice(
    tx: Tx,
    rules: BusinessRules,
    quote: Quote,
    policy: Policy,
    ask: NotRenew,
    window: NoticeWindow,
    *,
    actor: str,
) -> None:
    kept = KeptRuling(by=actor, on=tx.today, reason=ask.reason, text=ask.text)
    await policies.rule_on_renewal(tx, quote.quote_id, RenewalRuling.NOT_RENEWED, kept)
    said = PolicyNotRenewed(
        policy_number=policy.number,
        expiration=policy.term.expiration,
        reason=ask.reason,
        text=ask.text,
        notified_on=tx.today,
    )
    told = await advance_quote(tx, quote, Trigger.NOT_RENEW, actor=actor, said=said)
    notice = NotRenewed(on=tx.today, expiration=policy.term.expiration, reason=kept.words, days=window.days)
    await write_notice(tx, rules, told, notice)


async def renew_after_all(
    tx: Tx, rules: BusinessRules, quote: Quote, decision: RenewAfterAll, *, actor: str
) -> None:
    """Withdraw a nonrenewal while the term runs; the timetable offers the renewal when it is due."""
    policy = await policy_of(tx, quote)
    check_renewable_after_all(quote, policy, today=tx.today)
    # What there was of a renewal was withdrawn, or is over: another is made.
    await policies.forget_renewal(tx, quote.quote_id)
    await policies.rule_on_renewal(tx, quote.quote_id, None, None)
    said = PolicyRenewalRestored(
        policy_number=policy.number, expiration=policy.term.expiration, reason=decision.reason
    )
    told = await advance_quote(tx, quote, Trigger.RENEW_AFTER_ALL, actor=actor, said=said)
    await write_restored_mail(tx, rules, told, reason=decision.reason)


async def _renewal_of(tx: Tx, policy: Policy) -> Quote | None:
    if policy.renewal_submission_id is None:
        return None
    return await quotes.first_of(tx, policy.renewal_submission_id)
