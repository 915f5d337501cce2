"""What an operation is: one row of the table that drives both routing and the OpenAPI document."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from starlette.responses import Response

from bindery.api.call import Call
from bindery.contract.errors import ErrorBody, NotReadyBody
from bindery.settings import Environment

Handler = Callable[[Call], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Answer:
    """A response of an operation; without a `body` it has none, or one that is no JSON."""

    description: str
    body: Any = None
    media_type: str = "application/json"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter in the path, the query or a header."""

    name: str
    where: str
    description: str
    schema: Mapping[str, Any] = field(default_factory=lambda: {"type": "string"})

    @property
    def required(self) -> bool:
        """Say whether the operation is impossible without it."""
        return self.where == "path"


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One method on one path."""

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
    parameters: tuple[Parameter, ...] = ()
    answers: Mapping[int, Answer]
    environments: frozenset[Environment] | None = None


IDENTIFIER: Final = Parameter(
    "identifier",
    "path",
    "Quote identifier from the receipt; version 0.1 `quote_id` values are accepted.",
    {"type": "string", "minLength": 1, "maxLength": 64, "pattern": "^[A-Za-z0-9_-]+$"},
)
IDEMPOTENCY_KEY: Final = Parameter(
    "Idempotency-Key",
    "header",
    "Sent again with the same body, the first answer is replayed for 30 days.",
    {"type": "string", "minLength": 1, "maxLength": 255},
)

PREFER_WAIT: Final = Parameter(
    "Prefer",
    "header",
    "`wait=N` holds the answer up to N seconds, at most 60, until the quote is ready. At most 20 requests of "
    "a partner are held at once, 200 in the demo; one more is answered 429.",
)
IF_NONE_MATCH: Final = Parameter(
    "If-None-Match", "header", "The `ETag` of an earlier answer; 304 when nothing has changed."
)

BAD_REQUEST: Final = Answer("The request breaks a rule; every problem is listed with its path.", ErrorBody)
NO_SUCH_REQUEST: Final = Answer("The identifier has a shape that nothing here has.", ErrorBody)
NOT_MODIFIED: Final = Answer("Nothing has changed since the answer that the caller has.")
NOT_FOUND: Final = Answer("There is no such quote, or it is another partner's.", ErrorBody)
NOT_READY: Final = Answer(
    "The quote is being worked on; ask again after `Retry-After` seconds.", NotReadyBody
)
UNAUTHORIZED: Final = Answer("The bearer token is missing, wrong, expired or revoked.", ErrorBody)
KEY_IN_FLIGHT: Final = Answer("A request with this Idempotency-Key is still being worked on.", ErrorBody)
KEY_REUSED: Final = Answer("This Idempotency-Key was used with another request.", ErrorBody)
TOO_LARGE: Final = Answer("The body is too large.", ErrorBody)
WRONG_MEDIA_TYPE: Final = Answer("The body is not of the type this operation takes.", ErrorBody)
TOO_MANY_WAITING: Final = Answer(
    "As many requests of this partner wait as may at once; ask again after `Retry-After` seconds, or without "
    "`Prefer: wait`.",
    ErrorBody,
)
