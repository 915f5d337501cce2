"""What an operation is: one row of the table that drives both routing and the OpenAPI document."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from starlette.responses import Response

from bindery.api.call import Call
from bindery.contract.errors import ErrorBody, NotReadyBody
from bindery.contract.fields import EXAMPLE_QUOTE
from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.access.caller import Quota
from bindery.settings import Environment

Handler = Callable[[Call], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Answer:
    """A response of an operation; without a `body` it has none, or one that is not JSON.

    `name` is that of an answer which several operations give; `headers` are those that it has beyond what
    its operation and status imply.
    """

    description: str
    body: Any = None
    media_type: str = "application/json"
    name: str = ""
    headers: tuple[str, ...] = ()

    @property
    def is_text(self) -> bool:
        return self.body is not None or self.media_type.startswith("text/")


@dataclass(frozen=True, slots=True)
class OperationParameter:
    name: str
    where: str
    description: str
    schema: Mapping[str, Any]
    example: str | int | list[str]
    is_required: bool = False

    @property
    def required(self) -> bool:
        return self.is_required or self.where == "path"


@dataclass(frozen=True, slots=True)
class NextOperation:
    operation: str
    description: str
    parameters: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    method: str
    path: str
    name: str
    summary: str
    description: str = ""
    tag: str
    handler: Handler
    needs_token: bool = True
    takes_key: bool = False
    body: Any = None
    body_media_type: str = "application/json"
    example: Mapping[str, Any] | None = None
    parameters: tuple[OperationParameter, ...] = ()
    open_parameter: str = ""
    """How parameters begin whose names the caller makes up, such as `metadata.`; there are none without."""
    answers: Mapping[int, Answer]
    links: tuple[NextOperation, ...] = ()
    environments: frozenset[Environment] | None = None
    quota: Quota | None = None

    @property
    def counted_as(self) -> Quota:
        return self.quota or (Quota.READS if self.method == "GET" else Quota.WRITES)

    @property
    def is_versioned(self) -> bool:
        """Whether it is one for programs, under the version of the contract; others are pages and probes."""
        return self.path.startswith("/v2/")

    @property
    def query_names(self) -> tuple[str, ...]:
        return tuple(row.name for row in self.parameters if row.where == "query")

    @property
    def all_answers(self) -> Mapping[int, Answer]:
        implied = {400: MALFORMED}
        if self.needs_token:
            implied |= {401: UNAUTHORIZED, 429: TOO_MANY_REQUESTS, 500: CRASHED, 503: UNAVAILABLE}
        if IF_NONE_MATCH in self.parameters:
            implied |= {304: NOT_MODIFIED}
        if any(parameter.where == "query" for parameter in self.parameters):
            implied |= {400: BAD_REQUEST}
        if self.takes_key:
            implied |= {400: BAD_REQUEST, 409: KEY_IN_FLIGHT, 422: KEY_REUSED}
        if self.body is not None:
            implied |= {400: BAD_REQUEST, 413: TOO_LARGE, 415: WRONG_MEDIA_TYPE}
        return dict(sorted((implied | dict(self.answers)).items()))


IDENTIFIER: Final = OperationParameter(
    "identifier",
    "path",
    "Quote identifier from the receipt; version 0.1 `quote_id` values are accepted.",
    {"type": "string", "minLength": 1, "maxLength": 64, "pattern": "^[A-Za-z0-9_-]+$"},
    EXAMPLE_QUOTE,
)
IDEMPOTENCY_KEY: Final = OperationParameter(
    "Idempotency-Key",
    "header",
    "If the request is sent again with the same body, the first answer is replayed for 30 days, with "
    "`Idempotent-Replayed: true`. Printable ASCII.",
    {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[ -~]+$"},
    "order-17",
)

PREFER_WAIT: Final = OperationParameter(
    "Prefer",
    "header",
    "`wait=N` holds the answer up to N seconds, at most 60, until the quote is ready. At most 20 requests of "
    "a partner are held at once, 200 in the demo; one more is answered 429.",
    {"type": "string", "maxLength": 1000},
    "wait=20",
)
IF_NONE_MATCH: Final = OperationParameter(
    "If-None-Match",
    "header",
    "The `ETag` of an earlier answer; 304 when nothing has changed.",
    {"type": "string", "maxLength": 4000},
    '"2f1d7a0c93be4e58a6f40b7c1d925e83"',
)
RANGE: Final = OperationParameter(
    "Range",
    "header",
    "One range of bytes, such as `bytes=0-1023`; any other is ignored.",
    {"type": "string", "maxLength": 1000},
    "bytes=0-1023",
)


def one_of(choices: Iterable[StrEnum]) -> dict[str, Any]:
    return {"type": "string", "enum": [choice.value for choice in choices]}


PRODUCT: Final = OperationParameter(
    "product", "path", "The insurance product.", one_of(InsuranceProduct), "CYB"
)


def query_parameter(
    name: str, words: str, schema: Mapping[str, Any], example: str | int
) -> OperationParameter:
    return OperationParameter(name, "query", words, schema, example)


def limit_parameter(most: int, unless_given: int) -> OperationParameter:
    schema = {"type": "integer", "format": "int64", "minimum": 1, "maximum": most, "default": unless_given}
    return query_parameter("limit", "How many to return at most.", schema, unless_given)


def quote_link(description: str, place: str = "") -> NextOperation:
    """Link to the quote that an answer names, at the top of its body or at a place inside it."""
    pointer = f"{place}/quote_identifier".removeprefix("/")
    return NextOperation("get_quote", description, {"identifier": f"$response.body#/{pointer}"})


def refusal(description: str, *, name: str = "", headers: tuple[str, ...] = ()) -> Answer:
    return Answer(description, ErrorBody, name=name, headers=headers)


MALFORMED: Final = refusal(
    "The HTTP request is malformed: a header is missing or was sent twice.", name="MalformedRequest"
)
BAD_REQUEST: Final = refusal(
    "The request breaks a rule; every problem is listed with its path.", name="BadRequest"
)
NO_SUCH_REQUEST: Final = refusal("The identifier is malformed.", name="MalformedIdentifier")
NOT_MODIFIED: Final = Answer("Nothing has changed since the caller's copy.", headers=("Vary",))
NOT_FOUND: Final = refusal("There is no such quote, or it is another partner's.", name="NoSuchQuote")
NOT_READY: Final = Answer(
    "The quote is being worked on; ask again after `Retry-After` seconds.",
    NotReadyBody,
    headers=("Retry-After",),
)
UNAUTHORIZED: Final = refusal(
    "The bearer token is missing, wrong, expired or revoked.",
    name="Unauthorized",
    headers=("WWW-Authenticate",),
)
KEY_IN_FLIGHT: Final = refusal(
    "A request with this Idempotency-Key is still being worked on.",
    name="KeyInFlight",
    headers=("Retry-After",),
)
KEY_REUSED: Final = refusal("This Idempotency-Key was used with another request.", name="KeyReused")
TOO_LARGE: Final = refusal(
    "The body is too large. If it has not arrived completely, the connection is closed.", name="TooLarge"
)
WRONG_MEDIA_TYPE: Final = refusal(
    "The body is not of the type this operation takes, or it is compressed.", name="WrongMediaType"
)
TOO_MANY_REQUESTS: Final = refusal(
    "The partner has reached its limit for the minute, which `RateLimit-Policy` states; send this request "
    "again after `Retry-After` seconds.",
    name="TooManyRequests",
    headers=("Retry-After",),
)
TOO_MANY_WAITING: Final = refusal(
    "The partner already has as many waiting requests as it may have at once, or has reached its limit for "
    "the minute; ask again after `Retry-After` seconds, or without `Prefer: wait`.",
    name="TooManyWaiting",
    headers=("Retry-After",),
)
CRASHED: Final = refusal(
    "Something went wrong on our side. A GET changed nothing; of any other request it is not known whether "
    "it took effect: check before you send it again, or send it again with the same `Idempotency-Key`.",
    name="InternalError",
)
UNAVAILABLE: Final = refusal(
    "The service is unavailable at the moment; send the request again after `Retry-After` seconds, with "
    "an `Idempotency-Key` where it takes one.",
    name="Unavailable",
    headers=("Retry-After",),
)
