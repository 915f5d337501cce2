"""The firms that brokers work for."""

from typing import Final

from bindery.domain.text import unseen_character

LONGEST_FIRM: Final = 200
WHAT_A_FIRM_IS: Final = f"A firm's name has 1 to {LONGEST_FIRM} characters, all of which can be seen."


def is_firm(name: str) -> bool:
    return 0 < len(name) <= LONGEST_FIRM and unseen_character(name) is None
