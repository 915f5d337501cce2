import asyncio
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


class AsyncBindery(contextlib.AbstractAsyncContextManager["AsyncBindery"]):
    """A partner's connection to the service; every method raises `ApiError` where it does not succeed."""

    def __init__(
        self, token: str, base_url: str = DEFAULT_URL, *, transport: httpx.AsyncBaseTransport | None = None
    ) -> None:
        headers = {"Authorization": f"Bearer {token}"}
        self._http = httpx.AsyncClient(base_url=base_url, headers=headers, transport=transport)

    async def create_quotes(
        self, request: QuoteRequest, *, idempotency_key: str | None = None
    ) -> CreateQuotesResponse:
        """Request quotes; sent again by itself when the answer is lost, and never taken in twice."""
        return await self.send(calls.create_quotes(request, idempotency_key))

    async def validate_quotes(self, request: QuoteRequest) -> ValidateResponse:
        """Check a quote request; nothing is written."""
        return await self.send(calls.validate_quotes(request))

    async def get_quote(self, identifier: str, *, wait: int = 0) -> QuoteBody | NotReadyBody:
        """Get a quote as it is, waiting up to `wait` seconds (at most 60) for it to be ready."""
        return await self.send(calls.get_quote(identifier, wait))

    async def wait_for_quote(self, identifier: str, *, timeout_s: float = 120) -> QuoteBody:
        """Get a quote when it is ready; `ApiError` with the code `not_ready` when the time is up."""
        until = time.monotonic() + timeout_s
        while True:
            seen = await self.get_quote(identifier, wait=calls.next_wait_s(until, time.monotonic()))
            if isinstance(seen, QuoteBody):
                return seen
            if time.monotonic() >= until:
                raise calls.still_waiting(seen)

    async def download(self, document_type: str, identifier: str) -> bytes:
        """Download a document as PDF; `ApiError` with the code `not_ready` while the quote is worked on."""
        answer = await self.send(calls.download(document_type, identifier))
        if isinstance(answer, NotReadyBody):
            raise calls.still_waiting(answer)
        return answer

    async def questions(self, product: str) -> QuestionsResponse:
        """Get a product's questions with their conditions."""
        return await self.send(calls.get_questions(product))

    async def health(self) -> HealthCheck:
        """Ask whether the service can do its work."""
        return await self.send(calls.health_check())

    async def send(self, call: ApiCall[T]) -> T:
        """Send a call, again where that is safe and worth it, and read the answer."""
        for tried in itertools.count(1):
            outcome: Outcome
            try:
                outcome = await self._http.send(call.to_request(self._http))
            except httpx.TransportError as fault:
                outcome = fault
            pause_s = call.pause_before_retry(outcome, tried)
            if pause_s is None:
                break
            await asyncio.sleep(pause_s)
        return call.read(outcome, self._http.base_url)

    async def __aexit__(self, *_: object) -> None:
        """Close the connections."""
        await self._http.aclose()
