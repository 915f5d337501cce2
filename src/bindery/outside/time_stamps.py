"""Asking a time-stamp server (RFC 3161 over HTTP)."""

from typing import Final

from bindery.outside.addresses import AddressRule
from bindery.outside.partner_http import NoAnswer, open_partner_session, post_to_partner

HEADERS: Final = {
    "Content-Type": "application/timestamp-query",
    "Accept": "application/timestamp-reply",
}
USER_AGENT: Final = "Bindery"
ANSWER_WITHIN_S: Final = 5.0
"""Somebody waits for the signed application; public servers answer within a second."""
MOST_BYTES: Final = 16_384
OK: Final = 200


async def ask_for_stamp(url: str, request: bytes, *, rule: AddressRule) -> bytes:
    """Send a request for a time stamp and return the answer, which is for the caller to check.

    Raises:
        OSError: the server could not be reached, may not be, took too long or refused.
    """
    async with open_partner_session(timeout_s=ANSWER_WITHIN_S, user_agent=USER_AGENT, rule=rule) as session:
        answer = await post_to_partner(session, url, body=request, headers=HEADERS, kept_bytes=MOST_BYTES)
    if answer.status != OK:
        raise NoAnswer(f"it answered {answer.status}")
    return answer.body_start
