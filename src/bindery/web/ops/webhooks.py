"""Webhooks with their deliveries."""

from collections.abc import Sequence
from dataclasses import dataclass

from starlette.responses import Response

from bindery.actions.webhooks.register_webhook import WebhookAsk
from bindery.actions.webhooks.replay_since import ping_webhook
from bindery.contract.webhooks import WebhookStatus
from bindery.domain.access.caller import Caller
from bindery.storage.operations import overview
from bindery.storage.operations.overview import ListedWebhook
from bindery.storage.webhooks import delivery_desk, delivery_view
from bindery.web.charts.spark import spark
from bindery.web.frame import paging
from bindery.web.frame.render import page
from bindery.web.frame.visit import Visit
from bindery.web.ops.deliveries import find_webhook
from bindery.web.shown.times import Times


@dataclass(frozen=True, slots=True)
class ShownWebhook:
    """One endpoint."""

    address: str
    endpoint: str
    partner: str
    levels: str
    state: str
    is_bad: bool
    is_active: bool
    """Whether anything is sent to it; nothing is to a disabled one until its partner registers it again."""
    pending: str
    """How many deliveries wait to be sent, or are held because nothing is."""


async def show_webhooks(visit: Visit) -> Response:
    """List the endpoints of all partners, failing ones first."""
    async with visit.runtime.database.reading() as tx:
        found = await overview.list_webhooks(
            tx, cursor=paging.cursor_of(visit, visit.as_id), limit=paging.ROWS
        )
    times = visit.times(tx.now)
    rows = tuple(shown_webhook(webhook, times) for webhook in found.rows)
    return page(
        visit, "ops/webhooks.html", rows=rows, pager=paging.pager_of(visit, found), at=tx.real_now.isoformat()
    )


async def show_webhook(visit: Visit) -> Response:
    """Show one endpoint: how it fares by the hour, and its deliveries."""
    found = await find_webhook(visit)
    async with visit.runtime.database.reading() as tx:
        cursor = paging.cursor_of(visit, paging.read_long_number)
        deliveries = await delivery_view.list_deliveries(
            tx, found.webhook_id, cursor=cursor, limit=paging.ROWS
        )
        fares = await delivery_desk.how_fares(tx, found.webhook_id)
    times = visit.times(tx.now)
    words = success_words(fares.hours)
    return page(
        visit,
        "ops/webhook.html",
        webhook=shown_webhook(found, times),
        times=times,
        rows=deliveries.rows,
        pager=paging.pager_of(visit, deliveries),
        spark=spark(fares.hours, words),
        spark_words=words,
        next_try=times.until(fares.next_try)
        if fares.next_try and found.status == WebhookStatus.ACTIVE
        else None,
    )


async def send_ping(visit: Visit) -> Response:
    """Send a ping."""
    found = await find_webhook(visit)
    caller = Caller(partner_id=found.partner_id, actor=visit.actor)
    await ping_webhook(visit.runtime.database, WebhookAsk(caller=caller, identifier=str(found.webhook_id)))
    return await visit.done(f"/ops/webhooks/{found.webhook_id}", "A ping is on its way.")


def success_words(hours: Sequence[tuple[int, int]]) -> str:
    """Return in words how the tries of the last hours went."""
    good, bad = sum(count for count, _ in hours), sum(count for _, count in hours)
    total = good + bad
    if not total:
        return "Nothing was tried in the last 24 hours."
    last = next(ago for ago, tries in enumerate(reversed(hours)) if any(tries))
    when = "within the last hour" if last == 0 else f"{last} hours ago" if last > 1 else "an hour ago"
    if total == 1:
        return f"The only try of the last 24 hours {'succeeded' if good else 'failed'}, {when}."
    said = f"{good:,} of {total:,}" if good else f"None of the {total:,}"
    return f"{said} tries of the last 24 hours succeeded; the last try was {when}."


def shown_webhook(webhook: ListedWebhook, times: Times) -> ShownWebhook:
    """Show an endpoint: whose it is, what it hears of, and how it fares."""
    state = "active"
    if webhook.status == WebhookStatus.DISABLED:
        state = f"disabled: {webhook.disabled_because}"
    elif webhook.failing_since is not None:
        state = f"failing for {times.since(webhook.failing_since).text}"
    levels = [name for name, on in (("quote", webhook.quote_level), ("policy", webhook.policy_level)) if on]
    is_active = webhook.status == WebhookStatus.ACTIVE
    count = f"{overview.MOST_ROWS}+" if webhook.pending > overview.MOST_ROWS else str(webhook.pending)
    return ShownWebhook(
        address=f"/ops/webhooks/{webhook.webhook_id}",
        endpoint=webhook.endpoint,
        partner=webhook.partner_name,
        levels=" and ".join(levels),
        state=state,
        is_bad=state != "active",
        is_active=is_active,
        pending=f"{count} {'waiting' if is_active else 'held'}",
    )
