import uuid
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from bindery.contract.webhooks import DisabledBecause, WebhookRegistration, WebhookStatus
from bindery.storage.database import Reader, Tx, columns_of, read_row
from bindery.storage.webhooks.delivery_claims import notify_due


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    webhook_id: uuid.UUID
    partner_id: int
    endpoint: str
    quote_level: bool
    policy_level: bool
    status: WebhookStatus
    created_at: datetime
    failing_since: datetime | None
    disabled_at: datetime | None
    disabled_because: DisabledBecause | None


_COLUMNS = columns_of(Webhook)


async def register(tx: Tx, partner_id: int, asked: WebhookRegistration) -> Webhook:
    """Add an endpoint; one that is there already takes the new levels and is active again."""
    (webhook,) = await tx.rows(
        Webhook,
        f"""
        insert into webhooks (webhook_id, partner_id, endpoint, quote_level, policy_level, status, created_at)
        values ($1, $2, $3, $4, $5, 'active', $6)
        on conflict (partner_id, endpoint) where status <> 'removed' do update set
            quote_level = excluded.quote_level, policy_level = excluded.policy_level, status = 'active',
            failing_since = case when webhooks.status = 'active' then webhooks.failing_since end,
            disabled_at = null, disabled_because = null,
            paused_at = case when webhooks.status = 'active' then webhooks.paused_at end,
            paused_by = case when webhooks.status = 'active' then webhooks.paused_by end
        returning {_COLUMNS}
        """,
        tx.new_id(),
        partner_id,
        asked.endpoint,
        asked.quote_level,
        asked.policy_level,
        tx.now,
    )
    # Deliveries to an endpoint that was disabled may have waited for this.
    await notify_due(tx)
    return webhook


async def of_partner(tx: Reader, partner_id: int) -> list[Webhook]:
    statement = f"""
    select {_COLUMNS} from webhooks where partner_id = $1 and status <> 'removed'
    order by created_at, webhook_id
    """
    return await tx.rows(Webhook, statement, partner_id)


async def find(tx: Reader, webhook_id: uuid.UUID, *, partner_id: int) -> Webhook | None:
    statement = f"""
    select {_COLUMNS} from webhooks
    where webhook_id = $1 and partner_id = $2 and status <> 'removed'
    """
    return await tx.row(Webhook, statement, webhook_id, partner_id)


async def remove(tx: Tx, webhook_id: uuid.UUID, *, partner_id: int) -> Webhook | None:
    """Remove a partner's webhook; what is still pending for it is not sent any more."""
    statement = f"""
    update webhooks set status = 'removed', disabled_because = null
    where webhook_id = $1 and partner_id = $2 and status <> 'removed'
    returning {_COLUMNS}
    """
    return await tx.row(Webhook, statement, webhook_id, partner_id)


async def note_failure(tx: Tx, webhook_ids: Collection[uuid.UUID]) -> list[Webhook]:
    """Remember since when these endpoints have been failing, and return those that are active."""
    # Held in one order, so that two workers cannot dead-lock.
    statement = f"""
    select {_COLUMNS} from webhooks where webhook_id = any($1) and status = 'active'
    order by webhook_id for no key update
    """
    failing = await tx.rows(Webhook, statement, list(webhook_ids))
    await tx.execute(
        "update webhooks set failing_since = $2 where webhook_id = any($1) and failing_since is null",
        [webhook.webhook_id for webhook in failing],
        tx.now,
    )
    return failing


async def disable(tx: Tx, webhook_id: uuid.UUID, because: DisabledBecause) -> None:
    await tx.update(
        "webhooks",
        {"webhook_id": webhook_id, "status": WebhookStatus.ACTIVE},
        status=WebhookStatus.DISABLED,
        disabled_at=tx.now,
        disabled_because=because,
    )


async def hold(tx: Tx, webhook_id: uuid.UUID) -> tuple[Webhook, str | None] | None:
    """Lock a webhook, whoever's it is, and return it with who has paused it."""
    statement = f"""
    select {_COLUMNS}, paused_by from webhooks where webhook_id = $1 and status <> 'removed'
    for no key update
    """
    row = await tx.connection.fetchrow(statement, webhook_id)
    return None if row is None else (read_row(Webhook, row), row["paused_by"])


async def pause(tx: Tx, webhook_id: uuid.UUID, *, by: str) -> None:
    await tx.update("webhooks", {"webhook_id": webhook_id}, paused_at=tx.now, paused_by=by)


async def resume(tx: Tx, webhook_id: uuid.UUID) -> None:
    await tx.update("webhooks", {"webhook_id": webhook_id}, paused_at=None, paused_by=None)
    await notify_due(tx)


async def enable(tx: Tx, webhook_id: uuid.UUID) -> None:
    """Deliver again, as when its partner registers it again; it has five days once more."""
    await tx.update(
        "webhooks",
        {"webhook_id": webhook_id},
        status=WebhookStatus.ACTIVE,
        disabled_at=None,
        disabled_because=None,
        failing_since=None,
        paused_at=None,
        paused_by=None,
    )
    await notify_due(tx)


async def contact_of(tx: Reader, partner_id: int) -> str | None:
    statement = """
    select coalesce(contact_email, (select email from brokers b
                                    where b.partner_id = p.partner_id and b.removed_at is null
                                    order by broker_id limit 1))
    from partners p where partner_id = $1
    """
    return await tx.find_value(str, statement, partner_id)


async def fail_next(tx: Tx, webhook_id: uuid.UUID, times: int) -> None:
    await tx.update("webhooks", {"webhook_id": webhook_id}, fail_next=times)


async def take_failures(tx: Tx, webhook_id: uuid.UUID, wanted: int) -> int:
    left = await tx.find_value(
        int, "select fail_next from webhooks where webhook_id = $1 for no key update", webhook_id
    )
    taken = min(left or 0, wanted)
    await tx.execute(
        "update webhooks set fail_next = fail_next - $2 where webhook_id = $1", webhook_id, taken
    )
    return taken
