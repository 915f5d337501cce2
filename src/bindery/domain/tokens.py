"""Bearer tokens: HS256 JSON Web Tokens with five claims."""

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import OctKey

from bindery.base.errors import Unauthorized

ALGORITHM = "HS256"
HEADER = {"alg": ALGORITHM, "typ": "JWT"}


@dataclass(frozen=True, slots=True)
class TokenClaims:
    """What a token says of its bearer."""

    partner_key: str
    environment: str
    issued_at: datetime
    expires_at: datetime
    token_id: str


def write_token(claims: TokenClaims, secret: str) -> str:
    """Sign the claims."""
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
    """Check the signature, the environment and the expiry.

    Raises:
        Unauthorized: any of them fails. Whether the token was revoked is the caller's to ask.
    """
    claims = _verified(token, secret)
    if claims is None:
        raise Unauthorized("The bearer token is not one of this service.", code="invalid_token")
    if claims.environment != environment:
        raise Unauthorized("The bearer token belongs to another environment.", code="wrong_environment")
    if claims.expires_at <= now:
        raise Unauthorized("The bearer token has expired.", code="expired_token")
    return claims


@lru_cache(maxsize=4096)
def _verified(token: str, secret: str) -> TokenClaims | None:
    try:
        claims = jwt.decode(token, _key(secret), algorithms=[ALGORITHM]).claims
        return TokenClaims(
            partner_key=_text(claims["sub"]),
            environment=_text(claims["env"]),
            issued_at=datetime.fromtimestamp(int(claims["iat"]), UTC),
            expires_at=datetime.fromtimestamp(int(claims["exp"]), UTC),
            token_id=_text(claims["jti"]),
        )
    except (JoseError, KeyError, ValueError, TypeError, OverflowError, OSError):
        return None


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


@lru_cache(maxsize=8)
def _key(secret: str) -> OctKey:
    return OctKey.import_key(secret)
