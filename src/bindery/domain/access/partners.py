from collections.abc import Iterator
from typing import Final

from bindery.base.errors import Problem
from bindery.domain.submission.checks import is_email
from bindery.domain.text import unseen_character

LONGEST_FIRM: Final = 200
WHAT_A_FIRM_IS: Final = f"A firm's name has 1 to {LONGEST_FIRM} characters, all of which can be seen."


def is_firm(name: str) -> bool:
    return 0 < len(name) <= LONGEST_FIRM and unseen_character(name) is None


LONGEST_NAME: Final = 200


def problems_of_partner(name: str, contact: str | None) -> Iterator[Problem]:
    if not name:
        yield Problem("name", "required", "is required")
    if len(name) > LONGEST_NAME:
        yield Problem("name", "too_long", f"must have at most {LONGEST_NAME} characters")
    if (character := unseen_character(name)) is not None:
        yield Problem("name", "bad_character", f"must not contain the character {character}")
    if contact is not None and not is_email(contact):
        yield Problem("contact", "bad_email", "must be an e-mail address")


def problems_of_broker(email: str, firm: str | None) -> Iterator[Problem]:
    if not is_email(email):
        yield Problem("email", "bad_email", "The broker needs an e-mail address.")
    if firm is not None and not is_firm(firm):
        yield Problem("firm", "bad_firm", WHAT_A_FIRM_IS)
