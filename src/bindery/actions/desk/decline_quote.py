from bindery.actions.desk.rule_on_renewal import give_notice_of_decline
from bindery.actions.quote.advance_quote import advance_quote, bring_back_siblings, policy_of
from bindery.base.errors import WrongState
from bindery.contract.event_details import QuoteDeclined, QuoteRevoked
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.business_rules import BusinessRules
from bindery.domain.messages.webhooks import CancellationDeclined
from bindery.domain.quote.lifecycle import Trigger, find_move
from bindery.domain.quote.quote import Quote
from bindery.storage.database import Tx
from bindery.storage.policy import policies


async def decline_quote(tx: Tx, rules: BusinessRules, quote: Quote, *, actor: str, reason: str) -> None:
    """Decline a referral or a bind request; options that the request had set aside come back.

    The partner receives `reason`. Of a policy whose renewal is declined, so do broker and insured.
    """
    said = QuoteDeclined(reason=reason)
    declined = await advance_quote(tx, quote, Trigger.DECLINE, actor=actor, said=said)
    if quote.status is QuoteStatus.QUOTE_BIND_REQUESTED:
        await bring_back_siblings(tx, declined, actor=actor)
    await give_notice_of_decline(tx, rules, declined, reason=reason, actor=actor)


async def revoke_quote(tx: Tx, quote: Quote, *, actor: str, reason: str) -> None:
    """Revoke an open quote; options that a requested bind had set aside come back.

    The partner receives `reason`.
    """
    said = QuoteRevoked(reason=reason)
    revoked = await advance_quote(tx, quote, Trigger.REVOKE, actor=actor, said=said)
    if quote.status is QuoteStatus.QUOTE_BIND_REQUESTED:
        await bring_back_siblings(tx, revoked, actor=actor)


async def decline_cancellation(tx: Tx, quote: Quote, *, actor: str, reason: str) -> None:
    """Leave a policy in force whose cancellation a partner asked for; the partner receives `reason`."""
    policy = await policy_of(tx, quote)
    find_move(quote.status, Trigger.DECLINE_CANCELLATION)
    if await policies.open_cancellation(tx, policy.quote_id) is None:
        raise WrongState(
            "This policy has no cancellation waiting for a decision.",
            status=quote.status,
            available_statuses=[],
        )
    await policies.decline_cancellation(tx, policy.quote_id, reason)
    said = CancellationDeclined(reason=reason)
    await advance_quote(tx, quote, Trigger.DECLINE_CANCELLATION, actor=actor, said=said)
