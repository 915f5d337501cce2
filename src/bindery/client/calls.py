"""What both clients send: one function an operation, and the rules for trying again."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeAlias, TypeVar, cast
from urllib.parse import quote as escaped

import httpx
import msgspec

from bindery.base.digits import read_digits
from bindery.client.errors import ApiError, refusal
from bindery.contract.errors import NotReadyBody
from bindery.contract.questions import QuestionsResponse
from bindery.contract.quote import QuoteBody
from bindery.contract.quotes import CreateQuotesRequest, CreateQuotesResponse
from bindery.contract.service import HealthCheck, ValidateResponse

T = TypeVar("T")
Body: TypeAlias = msgspec.Struct | Mapping[str, Any] | bytes
Outcome: TypeAlias = httpx.Response | httpx.TransportError
QuoteRequest: TypeAlias = CreateQuotesRequest | Mapping[str, Any] | bytes
"""A create-quote request as a struct, as plain values, or as JSON already written."""

DEFAULT_URL: Final = "http://127.0.0.1:8000/v2"
LONGEST_WAIT_S: Final = 60
TIMEOUT_S: Final = 15.0
TRIES: Final = 4
FIRST_PAUSE_S: Final = 0.25
LONGEST_PAUSE_S: Final = 30.0
WORTH_ANOTHER_TRY: Final = frozenset({429, 502, 503, 504})


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiCall(Generic[T]):
    """A request, and what each answer that is not an error is read as.

    A POST carries an idempotency key unless it writes nothing; one that is not `repeatable` is sent once.
    """

    method: str
    path: str
    answers: Mapping[int, type[T]]
    body: Body | None = None
    key: str | None = None
    wait_s: int = 0
    repeatable: bool = True

    def to_request(self, http: httpx.Client | httpx.AsyncClient) -> httpx.Request:
        """Write the request."""
        headers = {"Idempotency-Key": self.key} if self.key else {}
        if self.wait_s:
            headers["Prefer"] = f"wait={self.wait_s}"
        content = self.body if isinstance(self.body, bytes | None) else msgspec.json.encode(self.body)
        if content is not None:
            headers["Content-Type"] = "application/json"
        timeout = TIMEOUT_S + self.wait_s
        return http.build_request(self.method, self.path, content=content, headers=headers, timeout=timeout)

    def pause_before_retry(self, outcome: Outcome, tried: int) -> float | None:
        """Return how long to pause before sending it again; None where it should not be."""
        if not self.repeatable or tried >= TRIES:
            return None
        pause_s: float = FIRST_PAUSE_S * 2 ** (tried - 1)
        if isinstance(outcome, httpx.Response):
            asked = outcome.headers.get("retry-after", "")
            # A conflict passes by itself where the service says when: the same key is still in flight.
            passes = outcome.status_code == httpx.codes.CONFLICT and asked
            if not passes and outcome.status_code not in WORTH_ANOTHER_TRY:
                return None
            seconds = read_digits(asked)
            if seconds is not None:
                pause_s = seconds
        return min(pause_s, LONGEST_PAUSE_S)

    def read(self, outcome: Outcome, url: httpx.URL) -> T:
        """Read the answer.

        Raises:
            ApiError: the service refused, or nobody answered.
        """
        if isinstance(outcome, httpx.TransportError):
            why = str(outcome) or type(outcome).__name__
            raise ApiError(
                f"Nothing answers at {str(url).rstrip('/')}: {why}.", status=0, code="unreachable"
            ) from outcome
        answer_type = self.answers.get(outcome.status_code)
        if answer_type is None:
            raise refusal(outcome)
        if answer_type is bytes:
            return cast("T", outcome.content)
        return msgspec.json.decode(outcome.content, type=answer_type)


def create_quotes(request: QuoteRequest, key: str | None) -> ApiCall[CreateQuotesResponse]:
    """Request quotes."""
    answers = {200: CreateQuotesResponse}
    return ApiCall(method="POST", path="/quotes", answers=answers, body=request, key=key or new_key())


def validate_quotes(request: QuoteRequest) -> ApiCall[ValidateResponse]:
    """Check a quote request."""
    return ApiCall(method="POST", path="/quotes/validate", answers={200: ValidateResponse}, body=request)


def get_quote(identifier: str, wait_s: int) -> ApiCall[QuoteBody | NotReadyBody]:
    """Get a quote."""
    path = f"/quotes/{escaped(identifier, safe='')}"
    return ApiCall(method="GET", path=path, answers={200: QuoteBody, 202: NotReadyBody}, wait_s=wait_s)


def download(document_type: str, identifier: str) -> ApiCall[bytes | NotReadyBody]:
    """Download a document."""
    path = f"/quotes/{escaped(document_type, safe='')}/{escaped(identifier, safe='')}"
    return ApiCall(method="GET", path=path, answers={200: bytes, 202: NotReadyBody})


def get_questions(product: str) -> ApiCall[QuestionsResponse]:
    """Get a product's questions."""
    path = f"/questions/{escaped(product, safe='')}"
    return ApiCall(method="GET", path=path, answers={200: QuestionsResponse})


def health_check() -> ApiCall[HealthCheck]:
    """Check the service's health."""
    return ApiCall(method="GET", path="/health_check", answers={200: HealthCheck})


def new_key() -> str:
    """Draw the idempotency key of a POST whose caller has none."""
    return secrets.token_urlsafe(18)


def next_wait_s(until: float, now: float) -> int:
    """Return the seconds to ask the service to wait; at least one, so that nobody asks in a tight loop."""
    return max(1, min(LONGEST_WAIT_S, round(until - now)))


def still_waiting(seen: NotReadyBody) -> ApiError:
    """Word a quote that was not ready in the time given."""
    message = f"Quote {seen.quote_identifier} is still {seen.quote_status}; ask again later."
    return ApiError(message, status=202, code="not_ready")
