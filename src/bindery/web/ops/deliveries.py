"""One delivery with all that was tried, and sending again what failed."""

from datetime import datetime, timedelta
from typing import Final

import msgspec
from starlette.responses import Response

from bindery.actions.webhooks.register_webhook import WebhookAsk
from bindery.actions.webhooks.replay_since import (
    MOST_REPLAYED,
    ping_webhook,
    recover_deliveries,
    replay_event,
)
from bindery.actions.webhooks.send_delivery import WrittenDelivery, write_delivery
from bindery.base.clock import in_utc
from bindery.base.errors import NotFound
from bindery.contract.events import PING
from bindery.domain.access.caller import Caller
from bindery.storage.operations import overview
from bindery.storage.operations.overview import ListedWebhook
from bindery.storage.webhooks import delivery_desk
from bindery.web.frame.render import page
from bindery.web.frame.visit import Visit

A_DAY: Final = timedelta(days=1)
A_YEAR: Final = timedelta(days=365)


async def show_delivery(visit: Visit) -> Response:
    """Show one delivery: what is sent, and how every try went."""
    written = await _written(visit)
    event = written.seen.claimed.event
    return page(
        visit,
        "ops/delivery.html",
        headers={"Cache-Control": "no-store"},
        times=visit.times(await visit.runtime.database.now()),
        seen=written.seen,
        claimed=written.seen.claimed,
        type=PING if event is None else event.type,
        request_headers=written.message.headers,
        body=msgspec.json.format(written.message.body, indent=2).decode(),
        curl=written.curl,
    )


async def send_delivery_again(visit: Visit) -> Response:
    """Send the event of a delivery again, or another ping."""
    seen = (await _written(visit)).seen.claimed
    ask = _ask(visit, partner_id=seen.partner_id, webhook_id=str(seen.webhook_id))
    if seen.event is None:
        await ping_webhook(visit.runtime.database, ask)
        return await visit.done(f"/ops/webhooks/{seen.webhook_id}", "A ping is on its way.")
    await replay_event(visit.runtime.database, ask, seen.message_id)
    return await visit.done(f"/ops/webhooks/{seen.webhook_id}", "The event is on its way again.")


async def show_recovery(visit: Visit) -> Response:
    """Show how many deliveries failed since a time, before they are sent again."""
    found = await find_webhook(visit)
    async with visit.runtime.database.reading() as tx:
        since = _since(visit.word("since"), visit, tx.now)
        failed = await delivery_desk.failed_since(tx, found.webhook_id, since, limit=MOST_REPLAYED + 1)
    times = visit.times(tx.now)
    return page(
        visit,
        "ops/recover.html",
        address=f"/ops/webhooks/{found.webhook_id}",
        endpoint=found.endpoint,
        partner=found.partner_name,
        since=since.astimezone(times.zone).strftime("%Y-%m-%dT%H:%M"),
        since_words=times.at(since),
        zone=times.zone_name,
        count=len(failed),
        counted=f"{MOST_REPLAYED:,}+" if len(failed) > MOST_REPLAYED else f"{len(failed):,}",
        is_active=found.status == "active",
    )


async def send_recovery(visit: Visit) -> Response:
    """Send again what failed since a time."""
    found = await find_webhook(visit)
    form = await visit.form()
    since = _since(form.get("since", ""), visit, await visit.runtime.database.now())
    ask = _ask(visit, partner_id=found.partner_id, webhook_id=str(found.webhook_id))
    count = await recover_deliveries(visit.runtime.database, ask, since)
    said = "1 event is" if count == 1 else f"{count:,} events are"
    return await visit.done(f"/ops/webhooks/{found.webhook_id}", f"{said} on the way again.")


async def find_webhook(visit: Visit) -> ListedWebhook:
    """Find the webhook of the path, no matter whose it is.

    Raises:
        NotFound: there is no such delivery.
    """
    async with visit.runtime.database.reading() as tx:
        found = await overview.find_webhook(tx, visit.path_id("webhook_id"))
    if found is None:
        raise NotFound("There is no such webhook.")
    return found


def _ask(visit: Visit, *, partner_id: int, webhook_id: str) -> WebhookAsk:
    return WebhookAsk(caller=Caller(partner_id=partner_id, actor=visit.actor), identifier=webhook_id)


async def _written(visit: Visit) -> WrittenDelivery:
    written = await write_delivery(visit.runtime, visit.path_number("delivery_id"))
    if written is None:
        raise NotFound("There is no such delivery, or it is older than we keep them.")
    return written


def _since(text: str, visit: Visit, now: datetime) -> datetime:
    """Read a time of the business zone; a day ago where none can be read."""
    try:
        given = datetime.fromisoformat(text)
    except ValueError:
        return now - A_DAY
    found = in_utc(given if given.tzinfo else given.replace(tzinfo=visit.runtime.settings.zone))
    # Deliveries are not kept for a year, and the ends of the calendar are no times in every zone.
    return min(max(found, now - A_YEAR), now) if found else now - A_DAY
