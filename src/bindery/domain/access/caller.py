from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """A caller, and how a request that is sent twice is recognized.

    The journal names the `actor`. Without an `idempotency_key` each request is one of its own.
    """

    partner_id: int
    actor: str
    idempotency_key: str | None = None
    request_hash: bytes = b""
