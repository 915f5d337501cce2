import uuid

from bindery.actions.documents.make_packet import make_packet
from bindery.actions.quote.advance_quote import lock_quote
from bindery.contract.documents import PacketType
from bindery.runtime import Runtime
from bindery.storage.policy import policies


async def finish_bind(runtime: Runtime, quote_id: uuid.UUID) -> None:
    """Make the documents of a bind or an issuance; twice changes nothing more."""
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
