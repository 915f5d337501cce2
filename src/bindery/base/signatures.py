"""Signatures of deliveries by Standard Webhooks: made by the service, verified by receivers."""

import base64
import hashlib
import hmac
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

SECRET_PREFIX: Final = "whsec_"  # noqa: S105 - what secrets begin with, not one of them
SHORTEST_SECRET_BYTES: Final = 24
"""What the Standard Webhooks specification asks for at least."""
TOLERANCE: Final = timedelta(minutes=5)
"""How far from a receiver's clock `webhook-timestamp` may be."""


def secret_text(secret: bytes) -> str:
    return SECRET_PREFIX + base64.b64encode(secret).decode()


def read_secret(text: str) -> bytes:
    prefix, rest = text.strip()[: len(SECRET_PREFIX)], text.strip()[len(SECRET_PREFIX) :]
    try:
        secret = base64.b64decode(rest, validate=True)
    except ValueError:
        secret = b""
    if prefix != SECRET_PREFIX or len(secret) < SHORTEST_SECRET_BYTES:
        raise ValueError(
            f"A secret is {SECRET_PREFIX} and base64 of at least {SHORTEST_SECRET_BYTES} bytes, as returned "
            f"by POST /v2/settings/webhook_secret."
        )
    return secret


def sign(secret: bytes, *, message_id: str, timestamp: int, body: bytes) -> str:
    signed = hmac.digest(secret, f"{message_id}.{timestamp}.".encode() + body, hashlib.sha256)
    return f"v1,{base64.b64encode(signed).decode()}"


def signed_headers(
    secrets: Sequence[bytes], *, message_id: str, timestamp: int, body: bytes
) -> dict[str, str]:
    """Return the headers of a delivery, with one signature for each secret, the newest first."""
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(
            sign(secret, message_id=message_id, timestamp=timestamp, body=body) for secret in secrets
        ),
    }


def flaw_of_delivery(secret: bytes, headers: Mapping[str, str], body: bytes, *, now: datetime) -> str:
    """Return why a receiver must not trust a delivery; empty when it may."""
    message_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not message_id or not timestamp.isascii() or not timestamp.isdecimal():
        return "the headers webhook-id and webhook-timestamp are missing or malformed"
    if abs(now.timestamp() - int(timestamp[:12])) > TOLERANCE.total_seconds():
        return "webhook-timestamp is more than five minutes off"
    expected = sign(secret, message_id=message_id, timestamp=int(timestamp), body=body)
    given = headers.get("webhook-signature", "").split(" ")
    if not any(hmac.compare_digest(expected.encode(), signature.encode()) for signature in given):
        return "no signature matches the secret"
    return ""
