"""How many requests a partner may send: a number a minute for each kind."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

WINDOW_S: Final = 60


class Quota(StrEnum):
    """Kinds of requests that are counted separately."""

    READS = "reads"
    SUBMISSIONS = "submissions"
    WRITES = "writes"
    UPLOADS = "uploads"


@dataclass(frozen=True, slots=True)
class Standing:
    """How many more requests a partner may send, and when it may send all again."""

    limit: int
    remaining: int
    reset_s: int
    is_over: bool
