"""Turning a recorded ask into cover: a conditional binder, or the policy."""

import uuid
from datetime import date

from msgspec import UNSET

from bindery.actions.documents.gather_facts import freeze_packet, renew_documents
from bindery.actions.documents.make_document import make_packet
from bindery.actions.documents.write_mails import write_policy_mails
from bindery.actions.quote.advance_quote import advance_quote, change_contingencies, lock_quote, note_receipt
from bindery.contract.documents import PacketType
from bindery.contract.event_details import PolicyInForce
from bindery.domain.business_rules import BusinessRules
from bindery.domain.jobs import FINISH_BIND, FINISH_ISSUE
from bindery.domain.policy.binders import FoundSection
from bindery.domain.policy.contingencies import ATTESTED
from bindery.domain.policy.ledger import original
from bindery.domain.policy.policy import Policy, policy_number, renewed_number
from bindery.domain.quote.lifecycle import Trigger
from bindery.domain.quote.quote import Quote
from bindery.runtime import Runtime
from bindery.storage.database import Tx
from bindery.storage.jobs import queue
from bindery.storage.policy import ledger, policies
from bindery.storage.quote import contingencies
from bindery.storage.submission import submissions


async def issue_policy(tx: Tx, rules: BusinessRules, quote: Quote, *, actor: str, reason: str = "") -> Quote:
    """Issue the policy of a bind for which nothing is owed any more."""
    await policies.issue(tx, quote.quote_id, issued_on=tx.today)
    policy = await policies.get(tx, quote.quote_id)
    said = PolicyInForce(
        policy_number=policy.number,
        effective=policy.term.effective,
        expiration=policy.term.expiration,
        premium=quote.premium,
        conditional=False,
        reason=reason or UNSET,
    )
    issued = await advance_quote(tx, quote, Trigger.ISSUE, actor=actor, said=said)
    await freeze_packet(tx, rules, issued, PacketType.POLICY)
    if policy.fulfil_by is not None:
        # Its documents spoke of a conditional binder; mails enclose those that do not.
        await renew_documents(tx, rules, [quote.quote_id])
    await write_policy_mails(tx, rules, issued, policy)
    await queue.enqueue(tx, FINISH_ISSUE, [str(quote.quote_id)])
    return issued


async def put_in_force(
    tx: Tx,
    rules: BusinessRules,
    quote: Quote,
    *,
    section: FoundSection | None,
    fulfil_by: date | None,
    actor: str,
    reason: str = "",
) -> Quote:
    """Turn a recorded ask into a policy, or into a conditional binder where something is still owed.

    `section` is that of the binder on which it is written, from whose limit the premium was taken.

    Raises:
        AlreadyBound: the company has cover of the line in the period.
    """
    policy = await policies.get(tx, quote.quote_id)
    number = await _number(tx, quote, policy)
    await policies.put_in_force(tx, policy, number=number, bound_on=tx.today, fulfil_by=fulfil_by)
    said = PolicyInForce(
        policy_number=number,
        effective=policy.term.effective,
        expiration=policy.term.expiration,
        premium=quote.premium,
        conditional=fulfil_by is not None,
        fulfil_by=fulfil_by or UNSET,
        reason=reason or UNSET,
    )
    bound = await advance_quote(tx, quote, Trigger.BIND, actor=actor, said=said)
    await ledger.book(tx, original(bound, policy.term, section, today=tx.today))
    if fulfil_by is not None:
        await note_receipt(tx, quote.quote_id)
        await freeze_packet(tx, rules, bound, PacketType.BINDER)
        await write_policy_mails(tx, rules, bound, await policies.get(tx, quote.quote_id))
        await queue.enqueue(tx, FINISH_BIND, [str(quote.quote_id)])
        return bound
    # An attested issuance closes the signature contingency at once, as does one that was signed on the page.
    on_page = await contingencies.page_signature(tx, quote.quote_id)
    closing = ATTESTED if policy.attested or on_page is None else on_page.closing(rules.zone)
    signature = [
        (contingency, closing)
        for contingency in await contingencies.of_quote(tx, quote.quote_id)
        if contingency.is_open and contingency.is_signature
    ]
    settled = await change_contingencies(tx, bound, close=signature, actor=actor)
    issued = await issue_policy(tx, rules, settled, actor=actor, reason=reason)
    # Only now do the documents of the bind say that nothing is owed for it.
    await freeze_packet(tx, rules, issued, PacketType.BINDER)
    return issued


async def _number(tx: Tx, quote: Quote, policy: Policy) -> str:
    """Number a renewal as what it renews with the next suffix, anything else with a number of its own."""
    renews = await submissions.renewed_by(tx, quote.submission_id)
    if renews is not None:
        expiring = await policies.find(tx, renews)
        if expiring is not None and expiring.policy_number is not None:
            return renewed_number(expiring.policy_number)
    return policy_number(quote.product, policy.term.effective, await policies.next_sequence(tx))


async def finish_bind(runtime: Runtime, quote_id: uuid.UUID) -> None:
    """Make the documents of a bind or an issuance; running it twice changes nothing more."""
    async with runtime.database.reading() as tx:
        policy = await policies.find(tx, quote_id)
    if policy is None or policy.policy_number is None:
        return
    await make_packet(runtime, quote_id, PacketType.BINDER)
    if policy.is_issued:
        await make_packet(runtime, quote_id, PacketType.POLICY)
    async with runtime.database.transaction() as tx:
        await lock_quote(tx, quote_id)
        await policies.mark_finished(tx, policy)
