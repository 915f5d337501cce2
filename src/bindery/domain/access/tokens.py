"""Bearer tokens: HS256 JSON Web Tokens with five claims."""

import hmac
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, Final

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import OctKey

from bindery.base.errors import Unauthorized
from bindery.base.ids import IDENTIFIER_SHAPE

ALGORITHM = "HS256"
HEADER = {"alg": ALGORITHM, "typ": "JWT"}
LEEWAY: Final = timedelta(seconds=60)
"""How far the issuing machine's clock may be ahead of this one's."""


@dataclass(frozen=True, slots=True)
class TokenClaims:
    partner_key: str
    environment: str
    issued_at: datetime
    expires_at: datetime
    token_id: str
    not_before: datetime | None = None
    """Our tokens have none; one that has it is honored."""


def write_token(claims: TokenClaims, secret: str) -> str:
    return jwt.encode(
        HEADER,
        {
            "sub": claims.partner_key,
            "env": claims.environment,
            "iat": int(claims.issued_at.timestamp()),
            "exp": int(claims.expires_at.timestamp()),
            "jti": claims.token_id,
        },
        _key(secret),
        algorithms=[ALGORITHM],
    )


def read_token(token: str, secret: str, *, environment: str, now: datetime) -> TokenClaims:
    """Check the signature, the environment and the time, but not whether the token was revoked."""
    claims = _verified(token, secret)
    if claims is None:
        raise Unauthorized("The bearer token was not issued by this service.", code="invalid_token")
    if claims.environment != environment:
        raise Unauthorized("The bearer token belongs to another environment.", code="wrong_environment")
    if claims.expires_at <= now:
        raise Unauthorized("The bearer token has expired.", code="expired_token")
    if max(claims.issued_at, claims.not_before or claims.issued_at) > now + LEEWAY:
        raise Unauthorized("The bearer token is not valid yet.", code="token_not_valid_yet")
    return claims


def bearer_of(authorization: str) -> str:
    scheme, _, token = authorization.partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def is_same_secret(given: str, expected: str) -> bool:
    """Whether two secrets are the same; how long the answer takes says nothing about either."""
    return hmac.compare_digest(given.encode(errors="surrogatepass"), expected.encode())


@lru_cache(maxsize=4096)
def _verified(token: str, secret: str) -> TokenClaims | None:
    try:
        claims = jwt.decode(token, _key(secret), algorithms=[ALGORITHM]).claims
        return TokenClaims(
            partner_key=_identifier(claims["sub"]),
            environment=_identifier(claims["env"]),
            issued_at=_moment(claims["iat"]),
            expires_at=_moment(claims["exp"]),
            token_id=_identifier(claims["jti"]),
            not_before=_moment(claims["nbf"]) if "nbf" in claims else None,
        )
    except (JoseError, KeyError, ValueError, TypeError, OverflowError, OSError):
        return None


def _identifier(value: object) -> str:
    # What no identifier looks like could not even be asked for: the database takes no U+0000.
    if not isinstance(value, str) or not IDENTIFIER_SHAPE.fullmatch(value):
        raise TypeError
    return value


def _moment(seconds: Any) -> datetime:  # noqa: ANN401 - whatever JSON holds
    return datetime.fromtimestamp(int(seconds), UTC)


@lru_cache(maxsize=8)
def _key(secret: str) -> OctKey:
    return OctKey.import_key(secret)
