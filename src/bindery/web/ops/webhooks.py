from collections.abc import Sequence
from dataclasses import dataclass
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
from bindery.actions.webhooks.steer_webhook import WebhookStep, steer_webhook
from bindery.base.clock import in_utc
from bindery.base.errors import InvalidRequest, NotFound
from bindery.contract.events import PING
from bindery.contract.webhooks import WebhookStatus
from bindery.domain.access.caller import Caller
from bindery.storage.database import Reader
from bindery.storage.list_pages import ListPage
from bindery.storage.operations import overview
from bindery.storage.operations.overview import ListedWebhook
from bindery.storage.webhooks import delivery_view
from bindery.web.charts.bars import spark
from bindery.web.frame import paging
from bindery.web.frame.render import page
from bindery.web.frame.visit import Visit
from bindery.web.ops.health_shown import capped
from bindery.web.ops.states_shown import ShownState, delivery_state, webhooks_standing
from bindery.web.shown.words import StatusDot, Times

A_DAY: Final = timedelta(days=1)
A_YEAR: Final = timedelta(days=365)


async def show_delivery(visit: Visit) -> Response:
    written = await _written(visit)
    event, message = written.seen.claimed.event, written.message
    return page(
        visit,
        "ops/delivery.html",
        headers={"Cache-Control": "no-store"},
        times=visit.times(await visit.runtime.database.now()),
        seen=written.seen,
        state=delivery_state(
            written.seen.status,
            is_waiting=written.seen.next_attempt_at is not None,
            is_sent_to=written.seen.is_sent_to,
        ),
        claimed=written.seen.claimed,
        type=event.type if event else PING,
        request_headers=message.headers if message else {},
        body=msgspec.json.format(message.body, indent=2).decode() if message else "",
        curl=written.curl,
    )


async def send_delivery_again(visit: Visit) -> Response:
    seen = (await _written(visit)).seen.claimed
    ask = _ask(visit, partner_id=seen.partner_id, webhook_id=str(seen.webhook_id))
    if seen.is_ping:
        await ping_webhook(visit.runtime.database, ask, by=visit.doer)
        return await visit.done(f"/ops/webhooks/{seen.webhook_id}", "A ping is on its way.")
    await replay_event(visit.runtime.database, ask, seen.message_id, by=visit.doer)
    return await visit.done(f"/ops/webhooks/{seen.webhook_id}", "The event is on its way again.")


async def show_recovery(visit: Visit) -> Response:
    found = await find_webhook(visit)
    async with visit.runtime.database.reading() as tx:
        since = _since(visit.word("since"), visit, tx.now)
        failed = await delivery_view.failed_since(tx, found.webhook_id, since, limit=MOST_REPLAYED + 1)
        fares = await delivery_view.how_fares(tx, found.webhook_id)
    times = visit.times(tx.now)
    return page(
        visit,
        "ops/recover.html",
        webhook=shown_webhook(found, times),
        waiting=waiting_words(found, fares.next_try, times),
        waits=bool(found.pending) and found.paused_at is None,
        since=since.astimezone(times.zone).strftime("%Y-%m-%dT%H:%M"),
        since_words=times.at(since),
        zone=times.zone_name,
        count=len(failed),
        counted=f"{MOST_REPLAYED:,}+" if len(failed) > MOST_REPLAYED else f"{len(failed):,}",
    )


async def send_recovery(visit: Visit) -> Response:
    found = await find_webhook(visit)
    form = await visit.form()
    since = _since(form.get("since", ""), visit, await visit.runtime.database.now())
    ask = _ask(visit, partner_id=found.partner_id, webhook_id=str(found.webhook_id))
    count = await recover_deliveries(visit.runtime.database, ask, since, by=visit.doer)
    said = "1 event is" if count == 1 else f"{count:,} events are"
    return await visit.done(f"/ops/webhooks/{found.webhook_id}", f"{said} on the way again.")


async def find_webhook(visit: Visit) -> ListedWebhook:
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
    try:
        given = datetime.fromisoformat(text)
    except ValueError:
        return now - A_DAY
    found = in_utc(given if given.tzinfo else given.replace(tzinfo=visit.runtime.settings.zone))
    # Deliveries are not kept for a year, and the ends of the calendar are no times in every zone.
    return min(max(found, now - A_YEAR), now) if found else now - A_DAY


@dataclass(frozen=True, slots=True)
class ShownWebhook:
    address: str
    endpoint: str
    partner: str
    levels: str
    standing: ShownState
    is_active: bool
    """Whether it is not disabled; a disabled one waits until it is enabled or registered again."""
    is_paused: bool
    pending: str


async def show_webhooks(visit: Visit) -> Response:
    cursor = paging.cursor_of(visit, visit.as_id)

    async def read(tx: Reader) -> tuple[ListPage[ListedWebhook], Times, str]:
        found = await overview.list_webhooks(tx, cursor=cursor, limit=paging.ROWS)
        return found, visit.times(tx.now), tx.real_now.isoformat()

    found, times, at = await visit.runtime.database.read(read)
    rows = tuple(shown_webhook(webhook, times) for webhook in found.rows)
    return page(
        visit,
        "ops/webhooks.html",
        standing=webhooks_standing([row.standing for row in rows]),
        rows=rows,
        pager=paging.pager_of(visit, found),
        at=at,
    )


async def show_webhook(visit: Visit) -> Response:
    found = await find_webhook(visit)
    async with visit.runtime.database.reading() as tx:
        cursor = paging.cursor_of(visit, paging.read_long_number)
        deliveries = await delivery_view.list_deliveries(
            tx, found.webhook_id, cursor=cursor, limit=paging.ROWS
        )
        fares = await delivery_view.how_fares(tx, found.webhook_id)
    times = visit.times(tx.now)
    words, shown = success_words(fares.hours), shown_webhook(found, times)
    return page(
        visit,
        "ops/webhook.html",
        webhook=shown,
        state_of=delivery_state,
        times=times,
        rows=deliveries.rows,
        pager=paging.pager_of(visit, deliveries),
        spark=spark(fares.hours, words),
        spark_words=words,
        next_try=times.until(fares.next_try)
        if fares.next_try and found.status == WebhookStatus.ACTIVE and found.paused_at is None
        else None,
        waits=bool(found.pending),
    )


async def send_step(visit: Visit) -> Response:
    found = await find_webhook(visit)
    step = (await visit.form()).get("step", "")
    if step not in set(WebhookStep):
        raise InvalidRequest("Choose what to do with the webhook.")
    said = await steer_webhook(
        visit.runtime.database, visit.runtime.rules, found.webhook_id, WebhookStep(step), by=visit.doer
    )
    return await visit.done(f"/ops/webhooks/{found.webhook_id}", said)


async def send_ping(visit: Visit) -> Response:
    found = await find_webhook(visit)
    ask = _ask(visit, partner_id=found.partner_id, webhook_id=str(found.webhook_id))
    await ping_webhook(visit.runtime.database, ask, by=visit.doer)
    return await visit.done(f"/ops/webhooks/{found.webhook_id}", "A ping is on its way.")


def success_words(hours: Sequence[tuple[int, int]]) -> str:
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


def waiting_words(webhook: ListedWebhook, next_try: datetime | None, times: Times) -> str:
    """Return what is still being tried, which is not what failed; empty where nothing is."""
    if not webhook.pending or webhook.status != WebhookStatus.ACTIVE:
        return ""
    what = "1 event is" if webhook.pending == 1 else f"{capped(webhook.pending)} events are"
    if webhook.paused_at is not None:
        return f"{what} not counted here: kept until the webhook is resumed."
    when = f", next {times.until(next_try).text}" if next_try else ""
    return f"{what} not counted here: still being tried{when}."


def shown_webhook(webhook: ListedWebhook, times: Times) -> ShownWebhook:
    standing = ShownState(StatusDot.OPEN, "active")
    if webhook.status == WebhookStatus.DISABLED:
        standing = ShownState(StatusDot.BAD, f"disabled: {webhook.disabled_because}")
    elif webhook.paused_at is not None:
        standing = ShownState(StatusDot.WARN, f"paused by {webhook.paused_by}")
    elif webhook.failing_since is not None:
        standing = ShownState(StatusDot.BAD, f"failing for {times.since(webhook.failing_since).text}")
    levels = [name for name, on in (("quote", webhook.quote_level), ("policy", webhook.policy_level)) if on]
    is_active = webhook.status == WebhookStatus.ACTIVE
    is_paused = is_active and webhook.paused_at is not None
    return ShownWebhook(
        address=f"/ops/webhooks/{webhook.webhook_id}",
        endpoint=webhook.endpoint,
        partner=webhook.partner_name,
        levels=" and ".join(levels),
        standing=standing,
        is_active=is_active,
        is_paused=is_paused,
        pending=f"{capped(webhook.pending)} {'waiting' if is_active and not is_paused else 'held'}",
    )
