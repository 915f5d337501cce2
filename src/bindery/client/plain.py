import contextlib
import itertools
import time
from typing import TypeVar

import httpx

from bindery.client import calls
from bindery.client.calls import DEFAULT_URL, ApiCall, Outcome, QuoteRequest
from bindery.contract.errors import NotReadyBody
from bindery.contract.questions import QuestionsResponse
from bindery.contract.quote import QuoteBody
from bindery.contract.quotes import CreateQuotesResponse
from bindery.contract.service import HealthCheck, ValidateResponse

T = TypeVar("T")


class Bindery(contextlib.AbstractContextManager["Bindery"]):
    """A partner's connection to the service; every method raises `ApiError` where it does not succeed."""

    def __init__(
        self, token: str, base_url: str = DEFAULT_URL, *, transport: httpx.BaseTransport | None = None
    ) -> None:
        headers = {"Authorization": f"Bearer {token}"}
        self._http = httpx.Client(base_url=base_url, headers=headers, transport=transport)

    def create_quotes(
        self, request: QuoteRequest, *, idempotency_key: str | None = None
    ) -> CreateQuotesResponse:
        """Request quotes; sent again by itself when the answer is lost, and never taken in twice."""
        return self.send(calls.create_quotes(request, idempotency_key))

    def validate_quotes(self, request: QuoteRequest) -> ValidateResponse:
        """Check a quote request; nothing is written."""
        return self.send(calls.validate_quotes(request))

    def get_quote(self, identifier: str, *, wait: int = 0) -> QuoteBody | NotReadyBody:
        """Get a quote as it is, waiting up to `wait` seconds (at most 60) for it to be ready."""
        return self.send(calls.get_quote(identifier, wait))

    def wait_for_quote(self, identifier: str, *, timeout_s: float = 120) -> QuoteBody:
        """Get a quote when it is ready; `ApiError` with the code `not_ready` when the time is up."""
        until = time.monotonic() + timeout_s
        while True:
            seen = self.get_quote(identifier, wait=calls.next_wait_s(until, time.monotonic()))
            if isinstance(seen, QuoteBody):
                return seen
            if time.monotonic() >= until:
                raise calls.still_waiting(seen)

    def download(self, document_type: str, identifier: str) -> bytes:
        """Download a document as PDF; `ApiError` with the code `not_ready` while the quote is worked on."""
        answer = self.send(calls.download(document_type, identifier))
        if isinstance(answer, NotReadyBody):
            raise calls.still_waiting(answer)
        return answer

    def questions(self, product: str) -> QuestionsResponse:
        """Get a product's questions with their conditions."""
        return self.send(calls.get_questions(product))

    def health(self) -> HealthCheck:
        """Ask whether the service can do its work."""
        return self.send(calls.health_check())

    def send(self, call: ApiCall[T]) -> T:
        """Send a call, again where that is safe and worth it, and read the answer."""
        for tried in itertools.count(1):
            outcome: Outcome
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
