"""What a receiver may trust."""

from datetime import UTC, datetime

import pytest

from bindery.base.signatures import secret_text, signed_headers
from bindery.client import SignatureError, verify_delivery

KEY = bytes(range(32))
NOW = datetime(2026, 8, 15, 12, 0, tzinfo=UTC)
BODY = b'{"type":"quote.published","timestamp":"2026-08-15T11:59:58Z","data":{"premium":1536}}'


def headers(body: bytes = BODY, key: bytes = KEY) -> dict[str, str]:
    return signed_headers([key], message_id="msg_1", timestamp=int(NOW.timestamp()), body=body)


def test_a_delivery_is_the_event_of_the_feed() -> None:
    event = verify_delivery(secret_text(KEY), headers(), BODY, now=NOW)

    assert (event.id, event.type, event.data) == ("msg_1", "quote.published", {"premium": 1536})
    assert event.timestamp == datetime(2026, 8, 15, 11, 59, 58, tzinfo=UTC)


def test_names_of_headers_may_be_written_in_any_case() -> None:
    shouted = {name.title(): value for name, value in headers().items()}

    assert verify_delivery(secret_text(KEY), shouted, BODY, now=NOW).id == "msg_1"


@pytest.mark.parametrize(
    ("signed", "sent", "why"),
    [
        (headers(key=bytes(32)), BODY, "no signature matches the secret"),
        (headers(), BODY + b" ", "no signature matches the secret"),
        ({}, BODY, "missing or malformed"),
        (headers(b"hello"), b"hello", "not an event"),
    ],
)
def test_a_delivery_that_is_not_the_services_is_refused(
    signed: dict[str, str], sent: bytes, why: str
) -> None:
    with pytest.raises(SignatureError, match=why):
        verify_delivery(secret_text(KEY), signed, sent, now=NOW)


def test_an_old_delivery_is_refused() -> None:
    with pytest.raises(SignatureError, match="five minutes off"):
        verify_delivery(secret_text(KEY), headers(), BODY)


def test_a_secret_that_cannot_be_read_is_named() -> None:
    with pytest.raises(ValueError, match="whsec_"):
        verify_delivery("nonsense", headers(), BODY, now=NOW)
