import time

from bindery.domain.quote.lifecycle import NOT_READY
from bindery.memory.shown_versions import ShownVersion
from bindery.metrics import long_polls
from bindery.runtime import Runtime
from bindery.storage.access import legacy_ids
from bindery.storage.quote import quote_view
from bindery.storage.quote.quote_view import QuoteRecord


async def wait_until_ready(
    runtime: Runtime, identifier: str, *, partner_id: int, wait_s: float = 0
) -> ShownVersion | None:
    """Look at a partner's quote, waiting up to `wait_s` for it to be ready without holding a connection.

    Raises:
        TooManyWaiting: as many requests of the partner wait as may at once.
    """
    if not wait_s:
        return await _look(runtime, identifier, partner_id)
    until = time.monotonic() + wait_s
    room = runtime.waiting_room
    with room.waiter(partner_id) as waiter:
        while True:
            seen = await _look(runtime, identifier, partner_id)
            left_s = until - time.monotonic()
            if seen is None or seen.status not in NOT_READY or left_s <= 0 or room.is_closed:
                return seen
            if waiter.submission_id is None:
                waiter.wait_for(seen.submission_id)
            else:
                with long_polls.track_inprogress():
                    await waiter.wait(left_s)


async def _look(runtime: Runtime, identifier: str, partner_id: int) -> ShownVersion | None:
    quote_id = legacy_ids.read_quote_id(identifier)
    if quote_id is None:
        async with runtime.database.reading() as tx:
            quote_id = await legacy_ids.quote_id_of(tx, identifier, partner_id=partner_id)
    return await runtime.shown_versions.look(quote_id, partner_id=partner_id) if quote_id else None


async def wait_for_quote(
    runtime: Runtime, identifier: str, *, partner_id: int, wait_s: float = 0
) -> QuoteRecord | None:
    """Find a partner's quote with all that is shown of it, waiting up to `wait_s` for it to be ready."""
    shown = await wait_until_ready(runtime, identifier, partner_id=partner_id, wait_s=wait_s)
    if shown is None:
        return None
    async with runtime.database.reading() as tx:
        return await quote_view.see(tx, shown.quote_id, partner_id=partner_id)
