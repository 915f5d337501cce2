from starlette.requests import Request

from bindery.base.errors import Unauthorized
from bindery.domain.tokens import read_token
from bindery.runtime import Runtime
from bindery.storage.partners import Partner

LONGEST_TOKEN = 1_000


async def authenticate(runtime: Runtime, request: Request) -> Partner:
    """Find the partner of the bearer token.

    Raises:
        Unauthorized: there is no token, or it does not open this service.
    """
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    token = token.strip()
    if scheme.lower() != "bearer" or not token:
        raise Unauthorized("Send the header Authorization: Bearer <token>.", code="missing_token")
    if len(token) > LONGEST_TOKEN:
        raise Unauthorized("The bearer token is not one of this service.", code="invalid_token")
    claims = read_token(
        token,
        runtime.secret,
        environment=runtime.settings.environment.claim,
        # Token life is on real time, also where the business clock has been moved.
        now=runtime.clock.real_now(),
    )
    partner = await runtime.access.find_partner(claims.partner_key, claims.token_id)
    if partner is None:
        raise Unauthorized("The bearer token was revoked.", code="revoked_token")
    return partner
