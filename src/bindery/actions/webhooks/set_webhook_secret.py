import structlog

from bindery.base.errors import Misconfigured
from bindery.base.signatures import secret_text
from bindery.contract.webhooks import SecretResponse
from bindery.domain.messages.webhooks import MOST_SIGNATURES, OVERLAP, new_secret, owner_name
from bindery.outside.sealing import Sealer
from bindery.runtime import Runtime
from bindery.storage.database import Tx
from bindery.storage.webhooks import secrets
from bindery.storage.webhooks.secrets import SealedSecret

RESEAL_BATCH = 500

log = structlog.get_logger()


async def set_webhook_secret(runtime: Runtime, partner_id: int) -> SecretResponse:
    """Make a new secret and show it this once; the previous one also signs for a day."""
    async with runtime.database.transaction() as tx:
        await secrets.hold(tx, partner_id)
        signs_until = await secrets.retire_current(tx, partner_id, after=OVERLAP)
        secret = await _make(tx, runtime.sealer, partner_id)
        await secrets.forget_retired(tx, partner_id, keep=MOST_SIGNATURES)
        return SecretResponse(
            secret=secret_text(secret), created_at=tx.now, previous_secret_signs_until=signs_until
        )


async def ensure_webhook_secret(tx: Tx, sealer: Sealer, partner_id: int) -> None:
    """Make a secret that nobody sees for a partner who has none, so that no delivery leaves unsigned."""
    await secrets.hold(tx, partner_id)
    if not await secrets.has_current(tx, partner_id):
        await _make(tx, sealer, partner_id)


async def reseal_webhook_secrets(runtime: Runtime) -> int:
    """Seal with the newest key every secret that is sealed with a former one, and return how many.

    A secret that no key opens is counted, logged and passed over: it must not keep the others from being
    sealed again.
    """
    resealed = unreadable = last_id = 0
    while former := await _sealed_with_former_keys(runtime, after=last_id):
        last_id = former[-1].secret_id
        for kept in former:
            owner = owner_name(kept.partner_id)
            try:
                opened = runtime.sealer.open(kept.sealed, owner=owner)
            except Misconfigured as fault:
                unreadable += 1
                log.error(  # noqa: TRY400 - its trace says nothing
                    "webhook_secret_unreadable", partner_id=kept.partner_id, reason=fault.message
                )
                continue
            async with runtime.database.transaction() as tx:
                await secrets.replace_sealed(tx, kept, runtime.sealer.seal(opened, owner=owner))
            resealed += 1
    if resealed or unreadable:
        log.info("webhook_secrets_resealed", count=resealed, unreadable=unreadable)
    return resealed


async def _sealed_with_former_keys(runtime: Runtime, *, after: int) -> list[SealedSecret]:
    async with runtime.database.reading() as tx:
        return await secrets.sealed_with_other_keys(
            tx, runtime.sealer.newest_key_name, after=after, limit=RESEAL_BATCH
        )


async def _make(tx: Tx, sealer: Sealer, partner_id: int) -> bytes:
    secret = new_secret(tx.rng)
    await secrets.add(tx, partner_id, sealer.seal(secret, owner=owner_name(partner_id)))
    return secret
