"""Two-step sign-in: codes of an authenticator app (RFC 6238) and recovery codes."""

import base64
import hashlib
import hmac
import secrets
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import quote, urlencode

from bindery.domain.access.users import PasswordRefused

SECRET_BYTES: Final = 20
"""As long as the hash, as RFC 4226 recommends; authenticator apps take SHA-1, six digits, 30 seconds."""
DIGITS: Final = 6
STEP_S: Final = 30
STEPS_AROUND: Final = 1
"""How many steps before and after the current one also count: clocks differ, and people type slowly."""
RECOVERY_CODES: Final = 10
RECOVERY_BYTES: Final = 10
"""80 bits: a plain hash of it keeps it, because nobody can try them all."""
ENROLL_WITHIN: Final = timedelta(hours=1)
"""How long the same secret is shown to somebody who sets up the app; later there is a new one."""
SECOND_STEP_WITHIN: Final = timedelta(minutes=10)
"""How long after the password the code may come."""
APP_NAME: Final = "Bindery"


class CodeRefused(PasswordRefused):
    """A code is wrong, was used before, or is too old."""

    code = "wrong_code"


class SignInTooLate(PasswordRefused):
    """The password was given too long ago, or its sign-in was finished or ended meanwhile."""

    code = "sign_in_too_late"


def new_secret() -> bytes:
    return secrets.token_bytes(SECRET_BYTES)


def step_of(moment: datetime) -> int:
    return int(moment.timestamp()) // STEP_S


def code_of(secret: bytes, step: int, *, digits: int = DIGITS) -> str:
    """Return the code of a step: the truncated HMAC-SHA-1 of its number (RFC 4226, section 5.3)."""
    digest = hmac.digest(secret, step.to_bytes(8, "big"), "sha1")
    start = digest[-1] & 0x0F
    number = int.from_bytes(digest[start : start + 4], "big") & 0x7FFFFFFF
    return f"{number % 10**digits:0{digits}d}"


def step_of_code(secret: bytes, code: str, *, at: datetime, after: int) -> int | None:
    """Return the step that a code belongs to; None if it is of another time, or used already."""
    now = step_of(at)
    given = code.encode(errors="surrogatepass")
    found = None
    # Every step is compared, whichever matches: the time taken says nothing.
    for step in range(now - STEPS_AROUND, now + STEPS_AROUND + 1):
        is_same = hmac.compare_digest(code_of(secret, step).encode(), given)
        if is_same and step > after and found is None:
            found = step
    return found


def owner_of_secret(user_id: int) -> str:
    """Return the name that a user's secret is sealed with."""
    return f"two-step {user_id}"


def app_address(secret: bytes, email: str) -> str:
    """Return what the drawn code says: the address that authenticator apps read."""
    asked = {"secret": in_letters(secret), "issuer": APP_NAME}
    return f"otpauth://totp/{quote(f'{APP_NAME}:{email}', safe='@:')}?{urlencode(asked)}"


def in_letters(secret: bytes) -> str:
    return base64.b32encode(secret).decode().rstrip("=")


def in_groups(letters: str) -> str:
    return " ".join(letters[start : start + 4] for start in range(0, len(letters), 4))


def new_recovery_codes() -> tuple[str, ...]:
    made = (in_letters(secrets.token_bytes(RECOVERY_BYTES)).lower() for _ in range(RECOVERY_CODES))
    return tuple(in_groups(letters).replace(" ", "-") for letters in made)


def as_typed(code: str) -> str:
    """Return a code without the spaces and hyphens that people type."""
    return "".join(filter(str.isalnum, code)).lower()


def is_app_code(typed: str) -> bool:
    return len(typed) == DIGITS and typed.isascii() and typed.isdecimal()


def hash_of_recovery_code(typed: str) -> bytes:
    return hashlib.sha256(typed.encode(errors="surrogatepass")).digest()
