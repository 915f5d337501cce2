import hashlib
import re
from typing import Final

from starlette.responses import Response

from bindery.domain.access.users import SIGNED_IN_AT_MOST
from bindery.settings import Settings

_PRODUCTION: Final = "__Host-bindery"
"""Browsers accept a cookie with this prefix only over https, for this very host and all its paths."""
_DEMO: Final = "bindery_demo"


def cookie_name(settings: Settings) -> str:
    return _DEMO if settings.is_demo else _PRODUCTION


def give_cookie(response: Response, token: str, settings: Settings) -> None:
    response.set_cookie(
        cookie_name(settings),
        token,
        max_age=int(SIGNED_IN_AT_MOST.total_seconds()),
        secure=not settings.is_demo,
        httponly=True,
        samesite="lax",
    )


def browser_key(token_sha256: bytes) -> str:
    """Return a name that the tabs of one sign-in share and that reveals nothing about it."""
    return hashlib.sha256(b"tabs " + token_sha256).hexdigest()[:16]


def take_cookie(response: Response, settings: Settings) -> None:
    response.delete_cookie(cookie_name(settings), secure=not settings.is_demo, httponly=True, samesite="lax")
    response.headers["Clear-Site-Data"] = '"cache"'


LONGEST: Final = 60
# Most name others as well, to be served like them: whoever is named by the most comes last.
_BROWSERS: Final = (
    ("Edge", re.compile(r"Edg(?:e|A|iOS)?/(\d+)")),
    ("Opera", re.compile(r"OPR/(\d+)")),
    ("Firefox", re.compile(r"(?:Firefox|FxiOS)/(\d+)")),
    ("Chrome", re.compile(r"(?:HeadlessChrome|Chrome|CriOS)/(\d+)")),
    ("Safari", re.compile(r"Version/(\d+)[\d.]* (?:Mobile/\S+ )?Safari/")),
)
_SYSTEMS: Final = (
    ("Android", re.compile("Android")),
    ("iPhone", re.compile("iPhone")),
    ("iPad", re.compile("iPad")),
    ("Windows", re.compile("Windows")),
    ("Mac", re.compile("Mac OS X|Macintosh")),
    ("ChromeOS", re.compile("CrOS")),
    ("Linux", re.compile("Linux|X11")),
)


def browser_words(agent: str) -> str:
    browser = next(
        (f"{name} {found[1]}" for name, pattern in _BROWSERS if (found := pattern.search(agent))), ""
    )
    system = next((name for name, pattern in _SYSTEMS if pattern.search(agent)), "")
    if browser and system:
        return f"{browser} on {system}"
    return browser or agent[:LONGEST]
