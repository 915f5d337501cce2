"""How a page that asks for a password answers where it is refused."""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from bindery.domain.access.users import FAILURES_COUNT_FOR, PasswordRefused, TooManyFailures, TooManyPasswords

TRY_AGAIN_AFTER_S: Final = 5


@dataclass(frozen=True, slots=True)
class PasswordRefusal:
    sentence: str
    status: int
    headers: Mapping[str, str]


def password_refusal(fault: PasswordRefused, *, wrong: str) -> PasswordRefusal:
    """Return the answer to a refused password; `wrong` is the page's sentence for a wrong one."""
    match fault:
        case TooManyFailures():
            wait_s = int(FAILURES_COUNT_FOR.total_seconds())
            status = HTTPStatus.TOO_MANY_REQUESTS
            return PasswordRefusal(fault.message, status, {"Retry-After": str(wait_s)})
        case TooManyPasswords():
            status = HTTPStatus.SERVICE_UNAVAILABLE
            return PasswordRefusal(fault.message, status, {"Retry-After": str(TRY_AGAIN_AFTER_S)})
        case _:
            return PasswordRefusal(wrong, HTTPStatus.UNPROCESSABLE_ENTITY, {})
