import asyncio
import time

from bindery.domain.lifecycle import NOT_READY
from bindery.metrics import long_polls
from bindery.runtime import Runtime
from bindery.storage import legacy_ids, quote_view
from bindery.storage.quote_view import Glance, SeenQuote

FIRST_LOOK_AFTER_S = 0.02
LONGEST_PAUSE_S = 0.1


async def wait_until_ready(
    runtime: Runtime, identifier: str, *, partner_id: int, wait_s: float = 0
) -> Glance | None:
    """Look at a partner's quote, for up to `wait_s` until it is ready; no connection is held meanwhile."""
    until = time.monotonic() + wait_s
    pause_s = FIRST_LOOK_AFTER_S
    while True:
        async with runtime.database.reading() as tx:
            quote_id = await legacy_ids.quote_id_of(tx, identifier, partner_id=partner_id)
            glance = await quote_view.glance(tx, quote_id, partner_id=partner_id) if quote_id else None
        left_s = until - time.monotonic()
        if glance is None or glance.status not in NOT_READY or left_s <= 0:
            return glance
        with long_polls.track_inprogress():
            await asyncio.sleep(min(pause_s, left_s))
        pause_s = min(pause_s * 1.5, LONGEST_PAUSE_S)


async def wait_for_quote(
    runtime: Runtime, identifier: str, *, partner_id: int, wait_s: float = 0
) -> SeenQuote | None:
    """Find a partner's quote with all that is shown of it, waiting up to `wait_s` for it to be ready."""
    glance = await wait_until_ready(runtime, identifier, partner_id=partner_id, wait_s=wait_s)
    if glance is None:
        return None
    async with runtime.database.reading() as tx:
        return await quote_view.see(tx, glance.quote_id, partner_id=partner_id)
