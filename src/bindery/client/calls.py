"""How both clients write their requests, and the operations that need more than a path and a body."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any, Final, TypeAlias, TypeVar
from urllib.parse import quote as escaped

from bindery.client.call import ApiCall, Body, Query, Upload, new_key
from bindery.contract.binds import BindReceipt, BindRequest, StandingResponse
from bindery.contract.catalogue import IndustriesResponse
from bindery.contract.demo import ClockShown, MoveClock
from bindery.contract.documents import UploadReceipt
from bindery.contract.errors import NotReadyBody
from bindery.contract.events import EventsResponse
from bindery.contract.quote import SIGNED_APPLICATION, QuoteBody
from bindery.contract.quotes import CreateQuotesRequest, PolicyDates, QuoteReceipt
from bindery.contract.signature_requests import SignatureRequestAsk, SignatureRequestBody
from bindery.contract.vocabulary import ContingencyStatus
from bindery.contract.webhooks import DeliveriesResponse, FailRequest, FailResponse, ReplayResponse

T = TypeVar("T")
QuoteRequest: TypeAlias = CreateQuotesRequest | Body
Quote: TypeAlias = str | QuoteBody | QuoteReceipt | BindReceipt
"""A quote, or its identifier."""
Key: TypeAlias = str | None
"""An idempotency key; None has the client make one."""

Filters: TypeAlias = Mapping[str, str | int | Sequence[str]]
"""What a list is narrowed by, as the API names it: `{"quote_status": "published", "metadata.crm": "A-17"}`.

`limit` is how many a page has, `cursor` where it begins.
"""

SIGNATURES: Final = "signature_requests"
UPLOAD_WITHIN_S: Final = 120.0
CLOCK_MOVES_WITHIN_S: Final = 900.0
"""The demo answers when everything is done that became due: for years ahead, minutes."""


def get(answer: type[T], *path: Quote, query: Query | None = None) -> ApiCall[T]:
    """Write a request that reads; a quote in its path stands for its identifier."""
    return ApiCall(method="GET", path=_path(*path), answers={200: answer}, query=query)


def post(answer: type[T], *path: Quote, body: Body | None = None, repeatable: bool = True) -> ApiCall[T]:
    """Write a POST without an idempotency key."""
    return ApiCall(method="POST", path=_path(*path), answers={200: answer}, body=body, repeatable=repeatable)


def write(answer: type[T], *path: Quote, body: Body | None = None, key: str | None) -> ApiCall[T]:
    """Write a POST under an idempotency key, which is drawn where the caller has none."""
    return ApiCall(method="POST", path=_path(*path), answers={200: answer}, body=body, key=key or new_key())


def act_on(
    answer: type[T], quote: Quote, action: str, key: str | None, body: Body | None = None
) -> ApiCall[T]:
    """Write a request that does something with a quote."""
    return write(answer, "quotes", quote, action, body=body, key=key)


def delete(answer: type[T], *path: Quote) -> ApiCall[T]:
    """Write a request that removes something."""
    return ApiCall(method="DELETE", path=_path(*path), answers={200: answer})


def page_at(cursor: str | None, filters: Filters | None) -> Filters:
    """Return the filters of a list with the place where a page of it begins."""
    return {**(filters or {}), **({"cursor": cursor} if cursor else {})}


def identifier_of(quote: Quote) -> str:
    """Return the identifier of a quote.

    Raises:
        TypeError: the identifier is None, as after a lookup that found nothing.
    """
    identifier = quote if isinstance(quote, str) else getattr(quote, "quote_identifier", None)
    if not isinstance(identifier, str) or not identifier:
        raise TypeError("A quote, a receipt or an identifier is needed.")
    return identifier


def _path(*parts: Quote) -> str:
    return "".join(f"/{escaped(identifier_of(part), safe='')}" for part in parts)


def get_quote(quote: Quote, wait_s: int) -> ApiCall[QuoteBody | NotReadyBody]:
    path = _path("quotes", quote)
    return ApiCall(method="GET", path=path, answers={200: QuoteBody, 202: NotReadyBody}, wait_s=wait_s)


def list_industries(words: str, limit: int | None) -> ApiCall[IndustriesResponse]:
    return get(IndustriesResponse, "industries", query={"q": words, "limit": limit})


def upload_document(
    quote: Quote, content: bytes, *, name: str, contingency: str | None, key: str | None
) -> ApiCall[UploadReceipt]:
    fields = {"quote_identifier": identifier_of(quote), "name": name}
    if contingency is not None:
        fields["contingency"] = contingency
    return ApiCall(
        method="POST",
        path="/documents",
        answers={200: UploadReceipt},
        body=Upload(fields, name, content),
        key=key or new_key(),
        timeout_s=UPLOAD_WITHIN_S,
    )


def request_cancellation(
    quote: Quote, effective: date, reason: str, text: str, key: str | None
) -> ApiCall[StandingResponse]:
    # As it was given: the service says which reasons there are.
    asked = {"effective": effective, "reason": reason, "text": text}
    return act_on(StandingResponse, quote, "request_cancellation", key, asked)


def request_signature(
    quote: Quote, email: str, name: str | None, message: str | None, key: str | None
) -> ApiCall[SignatureRequestBody]:
    asked = SignatureRequestAsk(email=email, name=name, message=message)
    return act_on(SignatureRequestBody, quote, SIGNATURES, key, asked)


def list_deliveries(webhook_id: str, cursor: str | None, limit: int | None) -> ApiCall[DeliveriesResponse]:
    query = {"cursor": cursor, "limit": limit}
    return get(DeliveriesResponse, "webhooks", webhook_id, "deliveries", query=query)


def replay_deliveries(
    webhook_id: str, *, event_id: str | None, since: datetime | None, key: str | None
) -> ApiCall[ReplayResponse]:
    asked: dict[str, Any] = {"event_id": event_id, "since": since}
    body = {name: value for name, value in asked.items() if value is not None}
    return write(ReplayResponse, "webhooks", webhook_id, "replay", body=body, key=key)


def list_events(
    *, after: str | None, quote: Quote | None, event_type: str | None, level: str | None, limit: int | None
) -> ApiCall[EventsResponse]:
    query: Query = {
        "after": after,
        "quote_identifier": None if quote is None else identifier_of(quote),
        "type": event_type,
        "level": level,
        "limit": limit,
    }
    return get(EventsResponse, "events", query=query)


def move_clock(days: int) -> ApiCall[ClockShown]:
    return ApiCall(
        method="POST",
        path="/demo/clock",
        answers={200: ClockShown},
        body=MoveClock(advance_days=days),
        timeout_s=CLOCK_MOVES_WITHIN_S,
        repeatable=False,
    )


def review_quote(quote: Quote, request: Body) -> ApiCall[QuoteBody]:
    return post(QuoteBody, "demo", "quotes", quote, "review", body=request, repeatable=False)


def fail_webhook(webhook_id: str, times: int) -> ApiCall[FailResponse]:
    return post(FailResponse, "demo", "webhooks", webhook_id, "fail", body=FailRequest(times=times))


def signature_contingency(quote: QuoteBody) -> str:
    """Return the id of the contingency that the signed application is for.

    Raises:
        ValueError: the quote needs none, such as a renewal on unchanged answers.
    """
    for contingency in quote.contingencies:
        is_open = contingency.status is ContingencyStatus.OPEN
        if is_open and contingency.text.startswith(SIGNED_APPLICATION):
            return contingency.contingency_id
    raise ValueError(f"Quote {quote.quote_identifier} does not need a signed application.")


def bind_request(quote: QuoteBody, *, attested: bool, effective: date | None) -> BindRequest:
    """Write the request that binds what was quoted; another first day keeps the length of the term."""
    dates = PolicyDates(effective=effective or quote.dates.effective)
    return BindRequest(quote_identifier=quote.quote_identifier, dates=dates, app_attestation=attested)
