from collections.abc import Sequence
from typing import assert_never

import structlog

from bindery.actions.documents.write_mails import write_mails
from bindery.actions.webhooks.send_delivery import DeliveryTry
from bindery.contract.webhooks import DeliveryStatus, DisabledBecause
from bindery.domain.business_rules import BusinessRules
from bindery.domain.messages.desk_mails import disabled_mail
from bindery.domain.messages.webhooks import (
    Delivered,
    EndpointGone,
    GiveUp,
    TryAgainAt,
    Verdict,
    is_failing_for_good,
    is_success,
    judge_attempt,
)
from bindery.storage.database import Database, Tx
from bindery.storage.webhooks import deliveries, webhooks
from bindery.storage.webhooks.deliveries import TryRecord
from bindery.storage.webhooks.webhooks import Webhook

log = structlog.get_logger()


async def record_tries(database: Database, rules: BusinessRules, tries: Sequence[DeliveryTry]) -> None:
    """Record how tries went, and disable webhooks that are gone or have failed for too long."""
    accepted = [tried for tried in tries if is_success(tried.status)]
    failed = [tried for tried in tries if not is_success(tried.status)]
    if accepted:
        # One statement on its own: the sooner it is written, the less is repeated after a crash.
        async with database.connection() as connection:
            await deliveries.record(connection, [_record(tried, Delivered()) for tried in accepted])
    if failed:
        async with database.transaction() as tx:
            await _record_failures(tx, rules, failed)


async def _record_failures(tx: Tx, rules: BusinessRules, failed: Sequence[DeliveryTry]) -> None:
    gone = set()
    records = []
    for tried in failed:
        verdict = judge_attempt(
            tried.status,
            tries=tried.claimed.try_number,
            at=tx.now,
            retry_after=tried.retry_after,
            rng=tx.rng,
        )
        records.append(_record(tried, verdict))
        if isinstance(verdict, EndpointGone):
            gone.add(tried.claimed.webhook_id)
    await deliveries.record(tx.connection, records)
    await deliveries.hold_back_followers(
        tx, [record for record in records if record.state is DeliveryStatus.PENDING]
    )
    for webhook in await webhooks.note_failure(tx, {tried.claimed.webhook_id for tried in failed}):
        is_gone = webhook.webhook_id in gone
        if is_gone or (webhook.failing_since and is_failing_for_good(webhook.failing_since, at=tx.now)):
            because = DisabledBecause.GONE if is_gone else DisabledBecause.FAILING
            await disable_webhook(tx, rules, webhook, because)
            log.warning("webhook_disabled", webhook=str(webhook.webhook_id), because=because)


def _record(tried: DeliveryTry, verdict: Verdict) -> TryRecord:
    due_at = tried.at
    match verdict:
        case Delivered():
            state = DeliveryStatus.DELIVERED
        case TryAgainAt(moment):
            state, due_at = DeliveryStatus.PENDING, moment
        case GiveUp() | EndpointGone():
            state = DeliveryStatus.FAILED
        case _:
            assert_never(verdict)
    return TryRecord(
        delivery_id=tried.claimed.delivery_id,
        claimed_until=tried.claimed.claimed_until,
        number=tried.claimed.try_number,
        at=tried.at,
        status=tried.status,
        error=tried.error,
        duration_ms=tried.duration_ms,
        answer=tried.answer,
        state=state,
        due_at=due_at,
    )


async def disable_webhook(tx: Tx, rules: BusinessRules, webhook: Webhook, because: DisabledBecause) -> None:
    """Send nothing more to a webhook, and tell its partner by mail."""
    await webhooks.disable(tx, webhook.webhook_id, because)
    contact = await webhooks.contact_of(tx, webhook.partner_id)
    if contact is not None:
        mail = disabled_mail(
            contact, endpoint=webhook.endpoint, because=because, docs_url=f"{rules.docs_url}#webhooks"
        )
        await write_mails(tx, None, [mail])
