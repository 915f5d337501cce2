import uuid

from bindery.actions.render_documents import render_for_quote
from bindery.actions.write_mails import write_policy_mails
from bindery.contract.documents import DocumentType
from bindery.runtime import Runtime
from bindery.storage import policies, quotes

BINDER_PACKET = (
    DocumentType.BINDER,
    DocumentType.BINDER_TRIA,
    DocumentType.BILLING_STATEMENT,
    DocumentType.SECURITY_LETTER,
)
POLICY_PACKET = (*BINDER_PACKET, DocumentType.POLICY)


async def finish_bind(runtime: Runtime, quote_id: uuid.UUID) -> None:
    """Make the papers of a bind and write to its people; done twice it changes nothing more."""
    async with runtime.database.reading() as tx:
        policy = await policies.find(tx, quote_id)
    if policy is None or policy.policy_number is None:
        return
    await render_for_quote(runtime, quote_id, POLICY_PACKET if policy.is_issued else BINDER_PACKET)
    async with runtime.database.transaction() as tx:
        quote = await quotes.lock(tx, quote_id)
        assert quote is not None, "a quote is never deleted"
        await write_policy_mails(tx, quote, policy)
