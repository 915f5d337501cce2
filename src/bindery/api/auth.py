from starlette.requests import Request

from bindery.api.errors import UnknownPath
from bindery.base.errors import Unauthorized
from bindery.domain.access.tokens import bearer_of, is_same_secret, read_token
from bindery.runtime import Runtime
from bindery.storage.access.partners import Partner

LONGEST_TOKEN = 1_000


async def authenticate(runtime: Runtime, request: Request) -> Partner:
    """Find the partner of the bearer token.

    Raises:
        Unauthorized: there is no token, or it does not open this service.
    """
    token = bearer_of(request.headers.get("authorization", ""))
    if not token:
        raise Unauthorized("Send the header Authorization: Bearer <token>.", code="missing_token")
    if len(token) > LONGEST_TOKEN:
        raise Unauthorized("The bearer token was not issued by this service.", code="invalid_token")
    # Token life is on real time, also where the business clock has been moved.
    now = runtime.clock.real_now()
    claims = read_token(
        token,
        runtime.secret,
        environment=runtime.settings.environment.claim,
        now=now,
    )
    partner = await runtime.access.find_partner(claims.partner_key, claims.token_id)
    if partner is None:
        raise Unauthorized("The bearer token was revoked.", code="revoked_token")
    runtime.token_uses.notice(claims.token_id, at=now)
    return partner


def check_may_see_metrics(runtime: Runtime, request: Request) -> None:
    """Check that the caller has the metrics token; the demo needs none unless one is configured.

    Raises:
        Unauthorized: the token is missing or another.
        UnknownPath: production has no metrics token, so no metrics.
    """
    expected = runtime.settings.metrics_token
    if not expected:
        if runtime.settings.is_demo:
            return
        raise UnknownPath("There is nothing at /metrics.")
    token = bearer_of(request.headers.get("authorization", ""))
    if not token:
        raise Unauthorized("Send the header Authorization: Bearer <metrics token>.", code="missing_token")
    if not is_same_secret(token, expected):
        raise Unauthorized("The bearer token is not the metrics token.", code="invalid_token")
