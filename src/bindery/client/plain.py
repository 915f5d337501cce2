"""The client for plain code, written by `make docs` from `asynchronous.py`."""

import contextlib
import itertools
import time
from collections.abc import Callable, Iterator
from datetime import date
from typing import TypeVar

import httpx

from bindery.client import calls
from bindery.client.call import DEFAULT_URL, ApiCall, Body, Page, Reply, connected, next_wait_s
from bindery.client.calls import Filters, Key, Quote, QuoteRequest
from bindery.client.errors import NotReady
from bindery.client.plain_changes import Changes
from bindery.client.plain_signatures import Signatures
from bindery.client.plain_webhooks import Webhooks
from bindery.contract.binds import (
    BindReceipt,
    BindRequest,
    BindResponse,
    PauseRenewalResponse,
    RequestRenewalResponse,
    StandingResponse,
)
from bindery.contract.catalogue import (
    IndicationRequest,
    IndicationResponse,
    IndustriesResponse,
    ProductBody,
)
from bindery.contract.demo import ClockShown
from bindery.contract.documents import PacketMetadata, UploadReceipt
from bindery.contract.errors import NotReadyBody
from bindery.contract.events import EventsResponse, FeedEvent
from bindery.contract.lists import (
    CompaniesResponse,
    CompanyBody,
    ListedCompany,
    ListedPolicy,
    ListedQuote,
    PoliciesResponse,
    QuotesResponse,
)
from bindery.contract.questions import QuestionsResponse
from bindery.contract.quote import QuoteBody
from bindery.contract.quotes import CreateQuotesResponse
from bindery.contract.service import HealthCheck, ValidateResponse
from bindery.contract.webhooks import DeliveryBody

T = TypeVar("T")
P = TypeVar("P", bound=Page)


class Bindery(Signatures, Changes, Webhooks, contextlib.AbstractContextManager["Bindery"]):
    """A partner's connection to the service; `base_url` may lack its `/v2`. What fails raises `ApiError`.

    What changes something is sent under an idempotency key, and again by itself when the answer is lost.
    """

    def __init__(
        self, token: str, base_url: str = DEFAULT_URL, *, transport: httpx.BaseTransport | None = None
    ) -> None:
        self._http = httpx.Client(transport=transport, **connected(token, base_url))

    # From a request to a policy.

    def quote(self, request: QuoteRequest, *, timeout_s: float = 120) -> list[QuoteBody]:
        """Request quotes and wait until every option is ready: published, or with an underwriter."""
        receipt = self.create_quotes(request)
        return [self.wait_for_quote(option, timeout_s=timeout_s) for option in receipt.quotes]

    def wait_for_quote(self, quote: Quote, *, timeout_s: float = 120) -> QuoteBody:
        """Get a quote when it is ready; `NotReady` when the time is up."""
        until = time.monotonic() + timeout_s
        while True:
            seen = self.get_quote(quote, wait=next_wait_s(until, time.monotonic()))
            if isinstance(seen, QuoteBody):
                return seen
            if time.monotonic() >= until:
                raise NotReady(seen)

    def sign_and_upload(self, quote: Quote, sign: Callable[[bytes], bytes]) -> UploadReceipt:
        """Download the application, have `sign` sign it, and upload it; days later, use `upload_signed`."""
        return self.upload_signed(quote, sign(self.download("application", quote)))

    def upload_signed(self, quote: Quote, content: bytes, *, name: str = "application.pdf") -> UploadReceipt:
        """Upload the signed application; `finding` and `signature` say what it turned out to be."""
        shown = quote if isinstance(quote, QuoteBody) else self.wait_for_quote(quote)
        contingency = calls.signature_contingency(shown)
        return self.upload_document(shown, content, name=name, contingency=contingency)

    def bind(
        self,
        quote: Quote,
        *,
        attested: bool = False,
        effective: date | None = None,
        idempotency_key: Key = None,
    ) -> BindReceipt:
        """Bind what was quoted, from the quoted day unless another is given; `outcome` says what happened.

        `attested` says that the uploaded application is complete and unchanged: the policy is issued.
        """
        shown = quote if isinstance(quote, QuoteBody) else self.wait_for_quote(quote)
        request = calls.bind_request(shown, attested=attested, effective=effective)
        return (self.bind_quote(request, idempotency_key=idempotency_key)).quotes[0]

    def download(self, document_type: str, quote: Quote) -> bytes:
        """Download a document as PDF, once the quote is ready."""
        try:
            return self.download_document(document_type, quote)
        except NotReady:
            return self.download_document(document_type, self.wait_for_quote(quote))

    # Lists, page by page and row by row.

    def events(
        self,
        *,
        after: str | None = None,
        quote: Quote | None = None,
        event_type: str | None = None,
        level: str | None = None,
    ) -> Iterator[FeedEvent]:
        """Iterate over the feed up to its end as it is now, the oldest event first."""
        for page in self.event_pages(after=after, quote=quote, event_type=event_type, level=level):
            for event in page.events:
                yield event

    def event_pages(
        self,
        *,
        after: str | None = None,
        quote: Quote | None = None,
        event_type: str | None = None,
        level: str | None = None,
        limit: int | None = None,
    ) -> Iterator[EventsResponse]:
        """Iterate over the feed by pages; keep `next_cursor` of the last one, and continue `after` it."""
        while True:
            page = self.list_events(after=after, quote=quote, event_type=event_type, level=level, limit=limit)
            if not page.events:
                return
            yield page
            after = page.next_cursor

    def deliveries(self, webhook_id: str) -> Iterator[DeliveryBody]:
        """Iterate over the deliveries to a webhook, the newest first."""
        for page in self.pages(lambda cursor: self.list_deliveries(webhook_id, cursor=cursor)):
            for delivery in page.deliveries:
                yield delivery

    def quotes(self, filters: Filters | None = None) -> Iterator[ListedQuote]:
        """Iterate over the quotes that fit, the newest submission first."""
        for page in self.pages(lambda cursor: self.list_quotes(calls.page_at(cursor, filters))):
            for row in page.quotes:
                yield row

    def policies(self, filters: Filters | None = None) -> Iterator[ListedPolicy]:
        """Iterate over the policies that fit, the newest bind first."""
        for page in self.pages(lambda cursor: self.list_policies(calls.page_at(cursor, filters))):
            for row in page.policies:
                yield row

    def companies(self, filters: Filters | None = None) -> Iterator[ListedCompany]:
        """Iterate over the companies that fit, the newest first."""
        for page in self.pages(lambda cursor: self.list_companies(calls.page_at(cursor, filters))):
            for row in page.companies:
                yield row

    def pages(self, page_at: Callable[[str | None], P]) -> Iterator[P]:
        """Iterate over the pages of a list, to the last one."""
        page = page_at(None)
        yield page
        while page.next_cursor is not None:
            page = page_at(page.next_cursor)
            yield page

    # Every operation, by its name in the OpenAPI document.

    def create_quotes(self, request: QuoteRequest, *, idempotency_key: Key = None) -> CreateQuotesResponse:
        """Request quotes; the receipt has the identifier of each option."""
        return self.send(calls.write(CreateQuotesResponse, "quotes", body=request, key=idempotency_key))

    def validate_quotes(self, request: QuoteRequest) -> ValidateResponse:
        """Check a quote request; nothing is written."""
        return self.send(calls.post(ValidateResponse, "quotes", "validate", body=request))

    def get_quote(self, quote: Quote, *, wait: int = 0) -> QuoteBody | NotReadyBody:
        """Get a quote as it is, waiting up to `wait` seconds (at most 60) for it to be ready."""
        return self.send(calls.get_quote(quote, wait))

    def list_quotes(self, filters: Filters | None = None) -> QuotesResponse:
        """Get a page of quotes, the newest submission first."""
        return self.send(calls.get(QuotesResponse, "quotes", query=filters))

    def list_policies(self, filters: Filters | None = None) -> PoliciesResponse:
        """Get a page of policies, the newest bind first."""
        return self.send(calls.get(PoliciesResponse, "policies", query=filters))

    def list_companies(self, filters: Filters | None = None) -> CompaniesResponse:
        """Get a page of companies, the newest first."""
        return self.send(calls.get(CompaniesResponse, "companies", query=filters))

    def get_company(self, company_id: str) -> CompanyBody:
        """Get a company with everything that was asked for it, options side by side."""
        return self.send(calls.get(CompanyBody, "companies", company_id))

    def list_industries(self, words: str, *, limit: int | None = None) -> IndustriesResponse:
        """Find NAICS codes by words of the title or by the beginning of the code."""
        return self.send(calls.list_industries(words, limit))

    def get_product(self, product: str) -> ProductBody:
        """Get a product's limits, retentions, terms and coverages."""
        return self.send(calls.get(ProductBody, "products", product))

    def indicate_price(self, request: IndicationRequest | Body) -> IndicationResponse:
        """Get a price range; it is not a quote, and nothing is written."""
        return self.send(calls.post(IndicationResponse, "quotes", "indication", body=request))

    def get_questions(self, product: str, given: Filters | None = None) -> QuestionsResponse:
        """Get a product's questions; with `{"revenue": 2500000, "answer.Q2134": "true"}` what is left too."""
        return self.send(calls.get(QuestionsResponse, "questions", product, query=given))

    def download_document(self, document_type: str, quote: Quote, *, version: int | None = None) -> bytes:
        """Download a document as PDF, the newest `version` if not given; `NotReady` while in progress."""
        return self.send(calls.get(bytes, "quotes", document_type, quote, query={"version": version}))

    def packet_metadata(self, quote: Quote, packet_type: str) -> PacketMetadata:
        """List the forms of a packet: `quote`, `binder` or `policy`."""
        return self.send(calls.get(PacketMetadata, "quotes", quote, "documents", packet_type, "metadata"))

    def upload_document(
        self,
        quote: Quote,
        content: bytes,
        *,
        name: str,
        contingency: str | None = None,
        idempotency_key: Key = None,
    ) -> UploadReceipt:
        """Upload a file for a quote, and for the contingency that it fulfills."""
        return self.send(
            calls.upload_document(quote, content, name=name, contingency=contingency, key=idempotency_key)
        )

    def bind_quote(self, request: BindRequest | Body, *, idempotency_key: Key = None) -> BindResponse:
        """Bind a quote by a whole request; `NotReady` while the quote is worked on."""
        return self.send(calls.write(BindResponse, "binds", body=request, key=idempotency_key))

    def pause_renewal(self, quote: Quote, *, idempotency_key: Key = None) -> PauseRenewalResponse:
        """Pause the automatic renewal of a policy."""
        return self.send(calls.act_on(PauseRenewalResponse, quote, "pause_renewal", idempotency_key))

    def resume_renewal(self, quote: Quote, *, idempotency_key: Key = None) -> PauseRenewalResponse:
        """Resume the automatic renewal of a policy."""
        return self.send(calls.act_on(PauseRenewalResponse, quote, "resume_renewal", idempotency_key))

    def request_renewal(self, quote: Quote, *, idempotency_key: Key = None) -> RequestRenewalResponse:
        """Ask for the offer to renew a policy, from 90 days before it ends."""
        return self.send(calls.act_on(RequestRenewalResponse, quote, "request_renewal", idempotency_key))

    def withdraw_quote(self, quote: Quote, *, idempotency_key: Key = None) -> StandingResponse:
        """Withdraw an open quote."""
        return self.send(calls.act_on(StandingResponse, quote, "withdraw", idempotency_key))

    def list_events(
        self,
        *,
        after: str | None = None,
        quote: Quote | None = None,
        event_type: str | None = None,
        level: str | None = None,
        limit: int | None = None,
    ) -> EventsResponse:
        """Get a page of the feed; none of its events may be new, and `next_cursor` is always there."""
        return self.send(
            calls.list_events(after=after, quote=quote, event_type=event_type, level=level, limit=limit)
        )

    def health_check(self) -> HealthCheck:
        """Ask whether the service can do its work."""
        return self.send(calls.get(HealthCheck, "health_check"))

    # What only the demo has.

    def show_clock(self) -> ClockShown:
        """Show the demo's clock."""
        return self.send(calls.get(ClockShown, "demo", "clock"))

    def signed_application(self, quote: Quote) -> bytes:
        """Play the applicant: return the application of a quote, signed."""
        return self.send(calls.get(bytes, "demo", "quotes", quote, "signed_application"))

    def move_clock(self, days: int) -> ClockShown:
        """Move the demo's clock ahead; everything that becomes due is done before the answer."""
        return self.send(calls.move_clock(days))

    def review_quote(self, quote: Quote, request: Body) -> QuoteBody:
        """Play the underwriter: approve, decline, revoke, cancel, add or close a contingency."""
        return self.send(calls.review_quote(quote, request))

    def send(self, call: ApiCall[T]) -> T:
        """Send a call, again where that is safe and worth it, and read the answer."""
        for tried in itertools.count(1):
            outcome: Reply
            try:
                outcome = self._http.send(call.to_request(self._http))
            except httpx.TransportError as fault:
                outcome = fault
            pause_s = call.pause_before_retry(outcome, tried)
            if pause_s is None:
                break
            time.sleep(pause_s)
        return call.read(outcome, self._http.base_url)

    def __exit__(self, *_: object) -> None:
        """Close the connections."""
        self._http.close()
