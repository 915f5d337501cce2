"""A partner's request to cancel a policy."""

from datetime import date, datetime

import msgspec

from bindery.contract.quote import CancellationBody, CancellationStatus
from bindery.contract.vocabulary import QuoteStatus


class KeptRequest(msgspec.Struct, frozen=True, kw_only=True):
    effective: date
    reason: str
    at: datetime

    def is_like(self, other: "KeptRequest | None") -> bool:
        return other is not None and (self.effective, self.reason) == (other.effective, other.reason)


read_request = msgspec.json.Decoder(KeptRequest).decode


def shown_request(kept: str, answer: str | None, status: QuoteStatus, *, is_open: bool) -> CancellationBody:
    request = read_request(kept)
    if is_open:
        came = CancellationStatus.OPEN
    elif answer is not None:
        came = CancellationStatus.DECLINED
    elif status is QuoteStatus.POLICY_CANCELED:
        came = CancellationStatus.GRANTED
    else:
        came = CancellationStatus.OVERTAKEN
    return CancellationBody(
        effective=request.effective,
        reason=request.reason,
        requested_at=request.at,
        status=came,
        answer=answer or None,
    )
