from datetime import timedelta

from bindery.base.ids import short_key
from bindery.domain.access.tokens import TokenClaims, write_token
from bindery.runtime import Runtime
from bindery.storage import partners
from bindery.storage.partners import Partner


async def issue_token(runtime: Runtime, partner: Partner, *, days: int) -> str:
    """Make a bearer token for a partner; only its id is kept, so that it can be revoked."""
    # Token life is on real time: the demo's moving clock does not age tokens.
    issued_at = runtime.clock.real_now().replace(microsecond=0)
    claims = TokenClaims(
        partner_key=partner.key,
        environment=runtime.settings.environment.claim,
        issued_at=issued_at,
        expires_at=issued_at + timedelta(days=days),
        token_id=short_key(runtime.database.rng),
    )
    async with runtime.database.transaction() as tx:
        await partners.record_token(tx, partner, claims)
    return write_token(claims, runtime.secret)
