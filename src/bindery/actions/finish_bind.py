import uuid

from bindery.actions.render_documents import render_for_quote
from bindery.actions.write_mails import write_policy_mails
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.document_access import OF_THE_BINDER, OF_THE_POLICY
from bindery.runtime import Runtime
from bindery.storage import policies, quotes


async def finish_bind(runtime: Runtime, quote_id: uuid.UUID) -> None:
    """Make the papers of a bind or an issuance and write to its people; twice changes nothing more."""
    async with runtime.database.reading() as tx:
        policy = await policies.find(tx, quote_id)
    if policy is None or policy.policy_number is None:
        return
    papers = (*OF_THE_BINDER, *OF_THE_POLICY) if policy.is_issued else OF_THE_BINDER
    await render_for_quote(runtime, quote_id, papers)
    async with runtime.database.transaction() as tx:
        quote = await quotes.lock(tx, quote_id)
        assert quote is not None, "a quote is never deleted"
        if quote.status is QuoteStatus.POLICY_ACTIVE:
            await write_policy_mails(tx, quote, policy)
        await policies.mark_finished(tx, policy)
