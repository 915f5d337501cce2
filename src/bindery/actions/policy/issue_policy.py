from msgspec import UNSET

from bindery.actions.documents.gather_facts import freeze_packet
from bindery.actions.documents.write_mails import write_policy_mails
from bindery.actions.quote.advance_quote import advance_quote
from bindery.contract.documents import PacketType
from bindery.contract.events import PolicyInForce
from bindery.domain.business_rules import BusinessRules
from bindery.domain.jobs import FINISH_ISSUE
from bindery.domain.quote.lifecycle import Trigger
from bindery.domain.quote.quote import Quote
from bindery.storage.database import Tx
from bindery.storage.jobs import queue
from bindery.storage.policy import policies


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
    await write_policy_mails(tx, issued, policy)
    await queue.enqueue(tx, FINISH_ISSUE, [str(quote.quote_id)])
    return issued
