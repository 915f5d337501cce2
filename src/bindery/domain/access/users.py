"""The users of the platform, its partners and brokers, and the limits that keep accounts safe."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Final

from bindery.base.errors import BinderyError, Problem
from bindery.domain.submission.checks import is_email
from bindery.domain.text import unseen_character

SHORTEST_PASSWORD: Final = 12
LONGEST_PASSWORD: Final = 256
COMMON_PASSWORDS: Final = (
    *("password", "passwort", "passphrase", "passcode", "letmein", "welcome", "iloveyou", "changeme"),
    *("administrator", "admin", "secret", "default", "access", "login", "master", "monkey", "dragon"),
    *("football", "baseball", "basketball", "princess", "sunshine", "superman", "batman", "pokemon"),
    *("starwars", "whatever", "trustno", "freedom", "shadow", "michael", "jennifer", "charlie", "jordan"),
    *("qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiop", "qwerty", "qwertz", "azerty", "asdfgh", "zxcvbn"),
    *("abcdefghijklmnopqrstuvwxyz", "abcdef", "abc", "insurance", "broker", "underwriter", "bindery"),
    *("january", "february", "march", "april", "june", "july", "august", "september", "october"),
    *("november", "december", "monday", "friday", "spring", "summer", "autumn", "winter", "company"),
)
"""The most common stolen passwords, and the words of this trade; longer ones before their parts."""
KEY_ROWS: Final = (
    "qwertyuiopasdfghjklzxcvbnm",
    "abcdefghijklmnopqrstuvwxyz",
    "1q2w3e4r5t6y7u8i9o0p",
    "1qaz2wsx3edc4rfv5tgb6yhn7ujm",
    "01234567890123456789012345678901234567890",
    "09876543210987654321098765432109876543210",
)
MOST_FILLING: Final = 4
"""How many letters beside common words leave a password common."""
_SPELLED: Final = str.maketrans("@$0!3", "asoie")
LONGEST_NAME: Final = 100
IDLE_AT_MOST: Final = timedelta(hours=12)
SIGNED_IN_AT_MOST: Final = timedelta(days=7)
CONFIRMED_FOR: Final = timedelta(minutes=10)
"""The most dangerous steps ask for the password again after this time."""

FAILURES_COUNT_FOR: Final = timedelta(minutes=15)
MOST_FAILURES_OF_AN_ACCOUNT: Final = 5
MOST_FAILURES_OF_AN_ADDRESS: Final = 20
ADDRESS_KNOWN_FOR: Final = timedelta(days=90)
"""How long after a sign-in its address passes the lock of the account."""
LINK_LASTS: Final = timedelta(hours=1)
"""How long a mailed link to set a new password works."""
INVITATION_LASTS: Final = timedelta(days=7)
"""How long an invitation works, by which a new user sets the first password."""


class Role(StrEnum):
    BROKER = "broker"
    UNDERWRITER = "underwriter"
    OPERATOR = "operator"


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """Somebody who may sign in; only brokers belong to a partner."""

    user_id: int
    email: str
    name: str
    role: Role
    partner_id: int | None
    scheme: str = "system"
    has_keys: bool = True


def may_see_quotes_of(user: User, partner_id: int) -> bool:
    match user.role:
        case Role.UNDERWRITER:
            return True
        case Role.BROKER:
            return user.partner_id == partner_id
        case Role.OPERATOR:
            return False


class PasswordRefused(BinderyError):
    """A password is wrong, or was not checked."""


class NotSignedIn(PasswordRefused):
    code = "not_signed_in"


class TooManyFailures(PasswordRefused):
    code = "too_many_failures"


class LinkVoid(PasswordRefused):
    """A link to set a new password was used, is too old, or never was one."""

    code = "link_void"


class TooManyPasswords(PasswordRefused):
    """Too many passwords are waiting to be checked, from the address or in all."""

    code = "too_many_passwords"


def problems_of_user(email: str, name: str, role: str, partner: str | None) -> Iterator[Problem]:
    if not is_email(email):
        yield Problem("email", "bad_email", "must be an email address")
    if not name.strip():
        yield Problem("name", "required", "is required")
    elif len(name) > LONGEST_NAME:
        yield Problem("name", "too_long", f"must have at most {LONGEST_NAME} characters")
    elif (character := unseen_character(name)) is not None:
        yield Problem("name", "bad_character", f"must not contain the character {character}")
    yield from problems_of_role(role, partner)


def problems_of_role(role: str, partner: str | None) -> Iterator[Problem]:
    if role not in set(Role):
        yield Problem("role", "unknown_role", f"must be one of {', '.join(Role)}")
    elif role == Role.BROKER and not partner:
        yield Problem("partner", "required", "is required for a broker")
    elif role != Role.BROKER and partner:
        yield Problem("partner", "unexpected", "is for brokers only")


def problems_of_password(password: str, *, email: str) -> Iterator[Problem]:
    if len(password) < SHORTEST_PASSWORD:
        yield Problem("password", "too_short", f"must have at least {SHORTEST_PASSWORD} characters")
    elif len(password) > LONGEST_PASSWORD:
        yield Problem("password", "too_long", f"must have at most {LONGEST_PASSWORD} characters")
    elif email.partition("@")[0].lower() in password.lower() or len(set(password)) < SHORTEST_PASSWORD // 2:
        yield Problem("password", "weak_password", "must not contain the address or repeat a few characters")
    elif _is_common(password):
        flaw = "is one of the first that others try; use several words that do not belong together"
        yield Problem("password", "weak_password", flaw)


def _is_common(password: str) -> bool:
    """Whether a password is a common word or a row of keys, however it is spelled and filled up."""
    typed = "".join(filter(str.isalnum, password.lower()))
    if any(typed in row for row in KEY_ROWS):
        return True
    letters = left = "".join(filter(str.isalpha, password.lower().translate(_SPELLED)))
    for word in COMMON_PASSWORDS:
        left = left.replace(word, "")
    # A few letters to fill up make a common word no better, nor do the keys next to it.
    return left != letters and (len(left) <= MOST_FILLING or any(left in row for row in KEY_ROWS))


LONGEST_FIRM: Final = 200
WHAT_A_FIRM_IS: Final = f"A firm's name has 1 to {LONGEST_FIRM} characters, all of which can be seen."


def is_firm(name: str) -> bool:
    return 0 < len(name) <= LONGEST_FIRM and unseen_character(name) is None


LONGEST_PARTNER_NAME: Final = 200


def problems_of_partner(name: str, contact: str | None) -> Iterator[Problem]:
    if not name:
        yield Problem("name", "required", "is required")
    if len(name) > LONGEST_PARTNER_NAME:
        yield Problem("name", "too_long", f"must have at most {LONGEST_PARTNER_NAME} characters")
    if (character := unseen_character(name)) is not None:
        yield Problem("name", "bad_character", f"must not contain the character {character}")
    if contact is not None and not is_email(contact):
        yield Problem("contact", "bad_email", "must be an email address")


def problems_of_broker(email: str, firm: str | None) -> Iterator[Problem]:
    if not is_email(email):
        yield Problem("email", "bad_email", "The broker needs an email address.")
    if firm is not None and not is_firm(firm):
        yield Problem("firm", "bad_firm", WHAT_A_FIRM_IS)
