from dataclasses import dataclass
from enum import StrEnum
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """A caller for the journal; without an `idempotency_key` each request is one of its own."""

    partner_id: int
    actor: str
    idempotency_key: str | None = None
    request_hash: bytes = b""
    request_id: str | None = None
    """Leads from the work on a submission to the request in the log."""


PARTNER_ACTOR: Final = "partner:"
"""How the actor of a journal begins that is a partner's own system; the partner's key follows."""


def actor_of_partner(key: str) -> str:
    return f"{PARTNER_ACTOR}{key}"


WINDOW_S: Final = 60


class Quota(StrEnum):
    READS = "reads"
    SUBMISSIONS = "submissions"
    WRITES = "writes"
    UPLOADS = "uploads"


@dataclass(frozen=True, slots=True)
class Standing:
    limit: int
    remaining: int
    reset_s: int
    is_over: bool
