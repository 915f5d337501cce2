from bindery.contract.webhooks import SecretResponse
from bindery.domain.webhooks import MOST_SIGNATURES, OVERLAP, new_secret, secret_text
from bindery.runtime import Runtime
from bindery.storage import secrets
from bindery.storage.database import Tx

RESEAL_BATCH = 500


async def set_webhook_secret(runtime: Runtime, partner_id: int) -> SecretResponse:
    """Make a new secret and show it this once; the one before signs along for a day."""
    async with runtime.database.transaction() as tx:
        await secrets.hold(tx, partner_id)
        signs_until = await secrets.retire_current(tx, partner_id, after=OVERLAP)
        secret = await _make(runtime, tx, partner_id)
        await secrets.forget_retired(tx, partner_id, keep=MOST_SIGNATURES)
        return SecretResponse(
            secret=secret_text(secret), created_at=tx.now, previous_secret_signs_until=signs_until
        )


async def ensure_webhook_secret(runtime: Runtime, tx: Tx, partner_id: int) -> None:
    """Make a secret that nobody sees for a partner who has none, so that nothing ever leaves unsigned."""
    await secrets.hold(tx, partner_id)
    if not await secrets.has_current(tx, partner_id):
        await _make(runtime, tx, partner_id)


async def reseal_webhook_secrets(runtime: Runtime) -> int:
    """Seal with the newest key what is sealed with a former one, so that the former can be forgotten."""
    async with runtime.database.transaction() as tx:
        former = await secrets.sealed_with_other_keys(tx, runtime.sealer.newest_key_name, limit=RESEAL_BATCH)
        for kept in former:
            owner = owner_name(kept.partner_id)
            opened = runtime.sealer.open(kept.sealed, owner=owner)
            await secrets.replace_sealed(tx, kept.secret_id, runtime.sealer.seal(opened, owner=owner))
    return len(former)


def owner_name(partner_id: int) -> str:
    """Give the name that a partner's secrets are sealed for."""
    return f"partner {partner_id}"


async def _make(runtime: Runtime, tx: Tx, partner_id: int) -> bytes:
    secret = new_secret(tx.rng)
    await secrets.add(tx, partner_id, runtime.sealer.seal(secret, owner=owner_name(partner_id)))
    return secret
