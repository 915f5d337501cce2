from datetime import timedelta

from bindery.base.clock import Clock
from bindery.base.errors import ChangedMeanwhile, InvalidRequest, NotFound
from bindery.base.ids import IDENTIFIER_SHAPE, short_key
from bindery.domain.access.deeds import SERVICE, Deed, Doer
from bindery.domain.access.tokens import TokenClaims, write_token
from bindery.settings import CLAIMS, Settings
from bindery.storage.access import partners
from bindery.storage.access.partners import Partner
from bindery.storage.database import Database
from bindery.storage.operations import deeds


async def issue_token(
    database: Database,
    clock: Clock,
    settings: Settings,
    secret: str,
    partner: Partner,
    *,
    days: int,
    token_id: str | None = None,
    label: str = "",
    by: Doer = SERVICE,
) -> str:
    """Make a bearer token for a partner; only its id is kept, so that it can be revoked.

    A caller that may ask twice passes the id: a token with that id is issued once.
    """
    if token_id is not None and not IDENTIFIER_SHAPE.fullmatch(token_id):
        raise InvalidRequest("The token needs an id. Open the partner's page again to issue one.")
    # Token life is on real time: the demo's moving clock does not age tokens.
    issued_at = clock.real_now().replace(microsecond=0)
    claims = TokenClaims(
        partner_key=partner.key,
        environment=CLAIMS[settings.environment],
        issued_at=issued_at,
        expires_at=issued_at + timedelta(days=days),
        token_id=token_id or short_key(database.rng),
    )
    async with database.transaction() as tx:
        is_new = await partners.record_token(tx, partner, claims, label=label, issued_by=by.name)
        if is_new:
            await deeds.append(
                tx,
                by,
                Deed.TOKEN_ISSUED,
                claims.token_id,
                details=", ".join(filter(None, (label, f"{days} days"))),
                partner_id=partner.partner_id,
                token_id=claims.token_id,
            )
    if not is_new:
        raise ChangedMeanwhile(
            f"Token {claims.token_id} was issued already and is shown only once. "
            "If nobody kept it, revoke it below and issue another."
        )
    return write_token(claims, secret)


async def revoke_token(database: Database, clock: Clock, token_id: str, *, by: Doer = SERVICE) -> None:
    """Revoke a token: it stops working at once, in every process."""
    async with database.transaction() as tx:
        revoked = await partners.revoke_token(tx, token_id, at=clock.real_now())
        if revoked is None:
            raise NotFound("There is no such token.")
        if revoked.is_new:
            await deeds.append(
                tx,
                by,
                Deed.TOKEN_REVOKED,
                token_id,
                details=revoked.label,
                partner_id=revoked.partner_id,
                token_id=token_id,
            )
