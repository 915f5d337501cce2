"""Identifiers; time and randomness come in as arguments."""

import random
import re
import uuid
from datetime import datetime

IDENTIFIER_SHAPE = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""What any identifier on the wire may look like, version 0.1 ids included."""

_READABLE_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"


def uuid7(at: datetime, rng: random.Random) -> uuid.UUID:
    """Make a time-ordered UUID: 48 bits of milliseconds, 74 random ones."""
    milliseconds = int(at.timestamp() * 1000)
    chance = rng.getrandbits(74)
    value = (milliseconds & 0xFFFF_FFFF_FFFF) << 80
    value |= 0x7 << 76
    value |= (chance >> 62) << 64
    value |= 0b10 << 62
    value |= chance & 0x3FFF_FFFF_FFFF_FFFF
    return uuid.UUID(int=value)


def company_id(rng: random.Random) -> int:
    """Return a random nine-digit company number; the database refuses a number drawn twice."""
    return rng.randrange(100_000_000, 1_000_000_000)


def short_key(rng: random.Random, length: int = 8) -> str:
    """Return random characters that people can read out: for partner keys, token ids and request ids."""
    # All at once, five bits for a letter: the system is asked for chance once and not for each letter.
    chance = rng.getrandbits(5 * length)
    return "".join([_READABLE_LETTERS[chance >> shift & 31] for shift in range(0, 5 * length, 5)])
