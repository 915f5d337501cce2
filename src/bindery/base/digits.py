from typing import Final

ENDLESS: Final = 10**18
"""Stands for every number of more digits than anything here is counted in."""


def read_digits(text: str) -> int | None:
    """Return the number that a text of ASCII digits writes, `ENDLESS` at most; None if it is anything else.

    Python itself refuses to read some thousands of digits, and takes signs, spaces, underscores and digits of
    other scripts.
    """
    if not text.isascii() or not text.isdecimal():
        return None
    digits = text.lstrip("0")
    return min(int(digits[:19] or "0"), ENDLESS)
