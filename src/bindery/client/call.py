"""A request, how its answer is read, and when it is sent again."""

import secrets
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, Protocol, TypeAlias, TypeVar, cast

import httpx
import msgspec

from bindery.base.numbers import read_digits
from bindery.client.errors import Unreachable, refusal

T = TypeVar("T")
Body: TypeAlias = msgspec.Struct | Mapping[str, Any] | bytes
"""A request body as a struct, as plain values, or as JSON already written."""
Query: TypeAlias = Mapping[str, str | int | Sequence[str] | None]
"""What is asked for in the address; what is None is not sent."""
Reply: TypeAlias = httpx.Response | httpx.TransportError

DEFAULT_URL: Final = "http://127.0.0.1:8000"
VERSION: Final = "/v2"
LONGEST_WAIT_S: Final = 60
TIMEOUT_S: Final = 15.0
TRIES: Final = 4
FIRST_PAUSE_S: Final = 0.25
LONGEST_PAUSE_S: Final = 30.0
WORTH_ANOTHER_TRY: Final = frozenset({429, 502, 503, 504})


class Page(Protocol):
    """A page of a list; `next_cursor` is None on the last one."""

    @property
    def next_cursor(self) -> str | None:
        """Return what to send for the page after it."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A form with one file."""

    fields: Mapping[str, str]
    name: str
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiCall(Generic[T]):
    """A request, and what each answer that is not an error is read as.

    A POST carries an idempotency key unless it writes nothing; one that is not `repeatable` is sent once.
    """

    method: str
    path: str
    answers: Mapping[int, type[T]]
    body: Body | Upload | None = None
    query: Query | None = None
    key: str | None = None
    wait_s: int = 0
    timeout_s: float = TIMEOUT_S
    repeatable: bool = True

    def to_request(self, http: httpx.Client | httpx.AsyncClient) -> httpx.Request:
        """Write the request."""
        headers = {"Idempotency-Key": self.key} if self.key else {}
        if self.wait_s:
            headers["Prefer"] = f"wait={self.wait_s}"
        content: dict[str, Any] = {}
        match self.body:
            case None:
                pass
            case Upload(fields=fields, name=name, content=file):
                content = {"data": fields, "files": {"file": (name, file)}}
            case body:
                headers["Content-Type"] = "application/json"
                content = {"content": body if isinstance(body, bytes) else msgspec.json.encode(body)}
        return http.build_request(
            self.method,
            self.path,
            params={name: value for name, value in (self.query or {}).items() if value is not None},
            headers=headers,
            timeout=self.timeout_s + self.wait_s,
            **content,
        )

    def pause_before_retry(self, outcome: Reply, tried: int) -> float | None:
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

    def read(self, outcome: Reply, url: httpx.URL) -> T:
        """Read the answer.

        Raises:
            ApiError: the service refused, or nobody answered.
        """
        if isinstance(outcome, httpx.TransportError):
            why = str(outcome) or type(outcome).__name__
            raise Unreachable(str(url).rstrip("/"), why) from outcome
        answer_type = self.answers.get(outcome.status_code)
        if answer_type is None:
            raise refusal(outcome)
        if answer_type is bytes:
            return cast("T", outcome.content)
        return msgspec.json.decode(outcome.content, type=answer_type)


def authorized_by(token: str) -> dict[str, str]:
    """Return the header of a token, which may come with the newline of its file; no fault shows it.

    Raises:
        ValueError: it cannot be a token.
    """
    bare = token.strip() if isinstance(token, str) else ""
    if not bare:
        raise ValueError("The token is empty.")
    if "://" in bare:
        raise ValueError("The token is an address: give the token first, then the address of the service.")
    if not bare.isascii() or not bare.isprintable() or " " in bare:
        raise ValueError("The token has characters that no token has.")
    return {"Authorization": f"Bearer {bare}"}


def connected(token: str, address: str) -> dict[str, Any]:
    """Return what a client of HTTP needs of a connection to the service."""
    authorization = authorized_by(token)
    return {"headers": authorization, "base_url": api_url(address), "verify": trust_for(address.strip())}


def api_url(address: str) -> str:
    """Return where the API is: under the `/v2` of the service, whether the address has it or not.

    Raises:
        ValueError: it is no address; what it is instead is not shown, for it may be the token.
    """
    address = address.strip()
    if not address.startswith(("http://", "https://")):
        raise ValueError("The address of the service must begin with http:// or https://.")
    return address.rstrip("/").removesuffix(VERSION).rstrip("/") + VERSION


def trust_for(address: str) -> ssl.SSLContext | bool:
    """Return whose certificates the service is believed by: those that the machine trusts, or nobody's.

    To read the machine's takes a tenth of a second, and an address without TLS shows no certificate.
    """
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if address.startswith("http://") else True


def new_key() -> str:
    """Draw the idempotency key of a POST whose caller has none."""
    return secrets.token_urlsafe(18)


def next_wait_s(until: float, now: float) -> int:
    """Return the seconds to ask the service to wait; at least one, so that nobody asks in a tight loop."""
    return max(1, min(LONGEST_WAIT_S, round(until - now)))
