"""The cookie that says who is signed in."""

import hashlib
from typing import Final

from starlette.responses import Response

from bindery.domain.access.users import SIGNED_IN_AT_MOST
from bindery.settings import Settings

_PRODUCTION: Final = "__Host-bindery"
"""Browsers take a cookie of such a name only over https, for this very host and all its paths."""
_DEMO: Final = "bindery_demo"


def cookie_name(settings: Settings) -> str:
    """Return the name of the cookie; the demo runs without https and has its own."""
    return _DEMO if settings.is_demo else _PRODUCTION


def give_cookie(response: Response, token: str, settings: Settings) -> None:
    """Set the sign-in cookie."""
    response.set_cookie(
        cookie_name(settings),
        token,
        max_age=int(SIGNED_IN_AT_MOST.total_seconds()),
        secure=not settings.is_demo,
        httponly=True,
        samesite="lax",
    )


def browser_key(token_sha256: bytes) -> str:
    """Return a name that the tabs of one sign-in share, from which nothing can be learned of it."""
    return hashlib.sha256(b"tabs " + token_sha256).hexdigest()[:16]


def take_cookie(response: Response, settings: Settings) -> None:
    """Delete the sign-in cookie and everything else the browser stored for this site."""
    response.delete_cookie(cookie_name(settings), secure=not settings.is_demo, httponly=True, samesite="lax")
    response.headers["Clear-Site-Data"] = '"cache"'
