from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who asks for something, and how a request that is sent twice is recognized.

    `actor` is what the journal says. Without an `idempotency_key` each request is one of its own.
    """

    partner_id: int
    actor: str
    idempotency_key: str | None = None
    request_hash: bytes = b""
