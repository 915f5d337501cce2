"""Making all documents of a packet, in the order of their kinds."""

import uuid
from collections.abc import Awaitable, Callable

from bindery.actions.documents.gather_facts import find_facts
from bindery.actions.documents.make_document import make_document
from bindery.contract.documents import PacketType
from bindery.domain.documents.access import documents_of, may_be_asked_for
from bindery.runtime import Runtime
from bindery.storage.documents import packets
from bindery.storage.quote import quotes


async def make_packet(runtime: Runtime, quote_id: uuid.UUID, packet: PacketType) -> None:
    """Make all documents of a packet that are not there yet, and tell partners when they are."""
    async with runtime.database.reading() as tx:
        facts = await find_facts(tx, runtime.rules, quote_id, packet)
    for kind in documents_of(packet, has_report=facts.has_report):
        await make_document(runtime, quote_id, kind)


async def make_unmade(
    runtime: Runtime, quote_id: uuid.UUID, packet: PacketType, *, go_on: Callable[[], Awaitable[bool]]
) -> bool:
    """Make the documents of a packet ahead, as long as `go_on` says so; return whether all were made.

    What can no longer be asked for is never made.
    """
    async with runtime.database.reading() as tx:
        quote = await quotes.get(tx, quote_id)
        facts = await find_facts(tx, runtime.rules, quote_id, packet)
    if not may_be_asked_for(packet, quote.status):
        async with runtime.database.transaction() as tx:
            await packets.mark_made(tx, quote_id, packet)
        return True
    for kind in documents_of(packet, has_report=facts.has_report):
        if not await go_on():
            async with runtime.database.transaction() as tx:
                await packets.give_back(tx, quote_id, packet)
            return False
        await make_document(runtime, quote_id, kind)
    return True
