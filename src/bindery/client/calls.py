"""What both clients send: one function an operation, by the operation's name in the OpenAPI document."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any, Final, TypeAlias
from urllib.parse import quote as escaped

from bindery.client.call import ApiCall, Body, Upload, new_key
from bindery.contract.binds import (
    BindReceipt,
    BindRequest,
    BindResponse,
    CancellationAsk,
    PauseRenewalResponse,
    StandingResponse,
)
from bindery.contract.catalogue import (
    IndicationRequest,
    IndicationResponse,
    IndustriesResponse,
    ProductBody,
)
from bindery.contract.demo import ClockShown, MoveClock
from bindery.contract.documents import PacketMetadata, UploadReceipt
from bindery.contract.errors import NotReadyBody
from bindery.contract.events import EventsResponse
from bindery.contract.lists import CompaniesResponse, CompanyBody, PoliciesResponse, QuotesResponse
from bindery.contract.questions import QuestionsResponse
from bindery.contract.quote import QuoteBody
from bindery.contract.quotes import CreateQuotesRequest, CreateQuotesResponse, QuoteReceipt
from bindery.contract.service import HealthCheck, ValidateResponse
from bindery.contract.webhooks import (
    DeliveriesResponse,
    FailRequest,
    FailResponse,
    PingResponse,
    RegisteredWebhook,
    ReplayResponse,
    SecretResponse,
    WebhookBody,
    WebhookRegistration,
    WebhooksResponse,
)

QuoteRequest: TypeAlias = CreateQuotesRequest | Body
Quote: TypeAlias = str | QuoteBody | QuoteReceipt | BindReceipt
"""A quote, or its identifier."""

Filters: TypeAlias = Mapping[str, str | int | Sequence[str]]
"""What a list is narrowed by, as the API names it: `{"quote_status": "published", "metadata.crm": "A-17"}`.

`limit` is how many a page has, `cursor` where it begins.
"""

UPLOAD_WITHIN_S: Final = 120.0
CLOCK_MOVES_WITHIN_S: Final = 900.0
"""The demo answers when everything is done that became due: for years ahead, minutes."""


def identifier_of(quote: Quote) -> str:
    """Return the identifier of a quote."""
    return quote if isinstance(quote, str) else quote.quote_identifier


def _path(*parts: str) -> str:
    return "".join(f"/{escaped(part, safe='')}" for part in parts)


def _page(filters: Filters | None, cursor: str | None) -> Filters:
    return {**(filters or {}), **({"cursor": cursor} if cursor else {})}


def create_quotes(request: QuoteRequest, key: str | None) -> ApiCall[CreateQuotesResponse]:
    """Request quotes."""
    answers = {200: CreateQuotesResponse}
    return ApiCall(method="POST", path="/quotes", answers=answers, body=request, key=key or new_key())


def validate_quotes(request: QuoteRequest) -> ApiCall[ValidateResponse]:
    """Check a quote request."""
    return ApiCall(method="POST", path="/quotes/validate", answers={200: ValidateResponse}, body=request)


def get_quote(quote: Quote, wait_s: int) -> ApiCall[QuoteBody | NotReadyBody]:
    """Get a quote."""
    path = _path("quotes", identifier_of(quote))
    return ApiCall(method="GET", path=path, answers={200: QuoteBody, 202: NotReadyBody}, wait_s=wait_s)


def list_quotes(filters: Filters | None, cursor: str | None = None) -> ApiCall[QuotesResponse]:
    """List quotes."""
    return ApiCall(method="GET", path="/quotes", answers={200: QuotesResponse}, query=_page(filters, cursor))


def list_policies(filters: Filters | None, cursor: str | None = None) -> ApiCall[PoliciesResponse]:
    """List policies."""
    return ApiCall(
        method="GET", path="/policies", answers={200: PoliciesResponse}, query=_page(filters, cursor)
    )


def list_companies(filters: Filters | None, cursor: str | None = None) -> ApiCall[CompaniesResponse]:
    """List companies."""
    return ApiCall(
        method="GET", path="/companies", answers={200: CompaniesResponse}, query=_page(filters, cursor)
    )


def get_company(company_id: str) -> ApiCall[CompanyBody]:
    """Get a company with its options side by side."""
    return ApiCall(method="GET", path=_path("companies", company_id), answers={200: CompanyBody})


def list_industries(words: str, limit: int | None) -> ApiCall[IndustriesResponse]:
    """Find an industry."""
    query = {"q": words, "limit": limit}
    return ApiCall(method="GET", path="/industries", answers={200: IndustriesResponse}, query=query)


def get_product(product: str) -> ApiCall[ProductBody]:
    """Get what may be asked for."""
    return ApiCall(method="GET", path=_path("products", product), answers={200: ProductBody})


def indicate_price(request: IndicationRequest | Body) -> ApiCall[IndicationResponse]:
    """Get a price range."""
    return ApiCall(method="POST", path="/quotes/indication", answers={200: IndicationResponse}, body=request)


def get_questions(product: str, given: Filters | None) -> ApiCall[QuestionsResponse]:
    """Get a product's questions."""
    path = _path("questions", product)
    return ApiCall(method="GET", path=path, answers={200: QuestionsResponse}, query=given)


def download_document(document_type: str, quote: Quote) -> ApiCall[bytes]:
    """Download a document."""
    path = _path("quotes", document_type, identifier_of(quote))
    return ApiCall(method="GET", path=path, answers={200: bytes})


def packet_metadata(quote: Quote, packet_type: str) -> ApiCall[PacketMetadata]:
    """List the forms of a packet."""
    path = _path("quotes", identifier_of(quote), "documents", packet_type, "metadata")
    return ApiCall(method="GET", path=path, answers={200: PacketMetadata})


def upload_document(
    quote: Quote, content: bytes, *, name: str, contingency: str | None, key: str | None
) -> ApiCall[UploadReceipt]:
    """Upload a document."""
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


def bind_quote(request: BindRequest | Body, key: str | None) -> ApiCall[BindResponse]:
    """Bind a quote."""
    answers = {200: BindResponse}
    return ApiCall(method="POST", path="/binds", answers=answers, body=request, key=key or new_key())


def pause_renewal(quote: Quote, key: str | None) -> ApiCall[PauseRenewalResponse]:
    """Pause automatic renewal."""
    path = _path("quotes", identifier_of(quote), "pause_renewal")
    return ApiCall(method="POST", path=path, answers={200: PauseRenewalResponse}, key=key or new_key())


def resume_renewal(quote: Quote, key: str | None) -> ApiCall[PauseRenewalResponse]:
    """Resume automatic renewal."""
    path = _path("quotes", identifier_of(quote), "resume_renewal")
    return ApiCall(method="POST", path=path, answers={200: PauseRenewalResponse}, key=key or new_key())


def withdraw_quote(quote: Quote, key: str | None) -> ApiCall[StandingResponse]:
    """Take an open quote back."""
    path = _path("quotes", identifier_of(quote), "withdraw")
    return ApiCall(method="POST", path=path, answers={200: StandingResponse}, key=key or new_key())


def request_cancellation(
    quote: Quote, *, effective: date, reason: str, key: str | None
) -> ApiCall[StandingResponse]:
    """Ask an underwriter to cancel a policy."""
    return ApiCall(
        method="POST",
        path=_path("quotes", identifier_of(quote), "request_cancellation"),
        answers={200: StandingResponse},
        body=CancellationAsk(effective=effective, reason=reason),
        key=key or new_key(),
    )


def set_webhook_secret() -> ApiCall[SecretResponse]:
    """Make a new webhook secret; each call makes one, so it is not sent twice."""
    return ApiCall(
        method="POST", path="/settings/webhook_secret", answers={200: SecretResponse}, repeatable=False
    )


def list_webhooks() -> ApiCall[WebhooksResponse]:
    """List the partner's webhooks."""
    return ApiCall(method="GET", path="/webhooks", answers={200: WebhooksResponse})


def register_webhook(registration: WebhookRegistration, key: str | None) -> ApiCall[RegisteredWebhook]:
    """Register a webhook."""
    answers = {200: RegisteredWebhook}
    return ApiCall(method="POST", path="/webhooks", answers=answers, body=registration, key=key or new_key())


def remove_webhook(webhook_id: str) -> ApiCall[WebhookBody]:
    """Remove a webhook."""
    return ApiCall(method="DELETE", path=_path("webhooks", webhook_id), answers={200: WebhookBody})


def list_deliveries(webhook_id: str, cursor: str | None, limit: int | None) -> ApiCall[DeliveriesResponse]:
    """See how deliveries fared."""
    return ApiCall(
        method="GET",
        path=_path("webhooks", webhook_id, "deliveries"),
        answers={200: DeliveriesResponse},
        query={"cursor": cursor, "limit": limit},
    )


def replay_deliveries(
    webhook_id: str, *, event_id: str | None, since: datetime | None, key: str | None
) -> ApiCall[ReplayResponse]:
    """Send events again."""
    asked: dict[str, Any] = {"event_id": event_id, "since": since}
    return ApiCall(
        method="POST",
        path=_path("webhooks", webhook_id, "replay"),
        answers={200: ReplayResponse},
        body={name: value for name, value in asked.items() if value is not None},
        key=key or new_key(),
    )


def ping_webhook(webhook_id: str, key: str | None) -> ApiCall[PingResponse]:
    """Try a webhook."""
    path = _path("webhooks", webhook_id, "ping")
    return ApiCall(method="POST", path=path, answers={200: PingResponse}, key=key or new_key())


def list_events(
    *, after: str | None, quote: Quote | None, event_type: str | None, level: str | None, limit: int | None
) -> ApiCall[EventsResponse]:
    """Read a page of the event feed."""
    return ApiCall(
        method="GET",
        path="/events",
        answers={200: EventsResponse},
        query={
            "after": after,
            "quote_identifier": None if quote is None else identifier_of(quote),
            "type": event_type,
            "level": level,
            "limit": limit,
        },
    )


def health_check() -> ApiCall[HealthCheck]:
    """Check the service's health."""
    return ApiCall(method="GET", path="/health_check", answers={200: HealthCheck})


def show_clock() -> ApiCall[ClockShown]:
    """Show the demo's clock."""
    return ApiCall(method="GET", path="/demo/clock", answers={200: ClockShown})


def move_clock(days: int) -> ApiCall[ClockShown]:
    """Move the demo's clock."""
    return ApiCall(
        method="POST",
        path="/demo/clock",
        answers={200: ClockShown},
        body=MoveClock(advance_days=days),
        timeout_s=CLOCK_MOVES_WITHIN_S,
        repeatable=False,
    )


def review_quote(quote: Quote, request: Body) -> ApiCall[QuoteBody]:
    """Play the underwriter of the demo."""
    path = _path("demo", "quotes", identifier_of(quote), "review")
    return ApiCall(method="POST", path=path, answers={200: QuoteBody}, body=request, repeatable=False)


def fail_webhook(webhook_id: str, times: int) -> ApiCall[FailResponse]:
    """Make the next deliveries of the demo to a webhook fail."""
    path = _path("demo", "webhooks", webhook_id, "fail")
    return ApiCall(method="POST", path=path, answers={200: FailResponse}, body=FailRequest(times=times))
