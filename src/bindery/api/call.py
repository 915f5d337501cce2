"""One request on its way through an operation."""

import asyncio
import hashlib
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, TypeVar

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from bindery.actions.submit_quotes import SubmitAsk
from bindery.api.errors import TooLarge, UnsupportedMediaType
from bindery.api.headers import NO_STORE
from bindery.api.json_text import BYTE_ORDER_MARK
from bindery.api.shown_quotes import ShownQuotes
from bindery.base.batching import Batcher
from bindery.base.digits import read_digits
from bindery.base.errors import InvalidRequest, MalformedIdentifier, Problem
from bindery.base.ids import IDENTIFIER_SHAPE
from bindery.contract.errors import NotReadyBody
from bindery.domain.quote import Quote
from bindery.runtime import Runtime
from bindery.storage.partners import Partner
from bindery.storage.quote_view import Glance

MAX_JSON_BYTES: Final = 1_000_000
MAX_KEY_LENGTH: Final = 255
LONGEST_WAIT_S: Final = 60
RETRY_AFTER_S: Final = 2
JSON: Final = "application/json"
UTF_8: Final = frozenset({"utf-8", "utf8"})

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Shared:
    """What all requests of a process share."""

    runtime: Runtime
    openapi: dict[str, Any]
    submissions: Batcher[SubmitAsk, bytes]
    shown_quotes: ShownQuotes


@dataclass
class Call:
    """A request, what it is served with, and the partner who sent it."""

    shared: Shared
    request: Request
    _partner: Partner | None = None

    @property
    def runtime(self) -> Runtime:
        """Give the runtime of the process."""
        return self.shared.runtime

    @property
    def partner(self) -> Partner:
        """Give the partner; only operations that require a token have one."""
        assert self._partner is not None, "this operation does not require a token"
        return self._partner

    def identifier(self, name: str) -> str:
        """Give an identifier from the path.

        Raises:
            MalformedIdentifier: nothing here has an identifier of that shape.
        """
        text: str = self.request.path_params[name]
        if not IDENTIFIER_SHAPE.fullmatch(text):
            raise MalformedIdentifier("An identifier has 1 to 64 letters, digits, - and _.")
        return text

    @cached_property
    def idempotency_key(self) -> str | None:
        """Give the `Idempotency-Key` header.

        Raises:
            InvalidRequest: it is empty, too long, or not printable ASCII.
        """
        key = self.request.headers.get("idempotency-key")
        if key is None:
            return None
        if not 1 <= len(key) <= MAX_KEY_LENGTH or not key.isascii() or not key.isprintable():
            flaw = f"must be 1 to {MAX_KEY_LENGTH} printable ASCII characters"
            raise InvalidRequest.because([Problem("Idempotency-Key", "bad_idempotency_key", flaw)])
        return key

    @property
    def preferred_wait_s(self) -> float:
        """Return how long the caller is ready to wait, by the first `Prefer: wait=N`; at most a minute.

        A preference that is malformed is ignored, as RFC 7240 says.
        """
        for preference in ",".join(self.request.headers.getlist("prefer")).split(","):
            name, _, value = preference.partition("=")
            if name.strip().lower() == "wait":
                return min(read_digits(value.strip()) or 0, LONGEST_WAIT_S)
        return 0

    async def while_connected(self, answer: Coroutine[Any, Any, T]) -> T:
        """Wait for something as long as the caller does.

        Raises:
            ClientDisconnect: the caller has left.
        """
        working = asyncio.ensure_future(answer)
        leaving = asyncio.ensure_future(self._until_gone())
        try:
            await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if not working.done():
                raise ClientDisconnect
            return working.result()
        finally:
            working.cancel()
            leaving.cancel()
            await asyncio.gather(working, leaving, return_exceptions=True)

    async def _until_gone(self) -> None:
        while (await self.request.receive())["type"] != "http.disconnect":
            pass

    def json_with_etag(self, body: object, *, cache: str = NO_STORE) -> Response:
        """Answer with JSON and its strong `ETag`, or 304 when the caller has it."""
        content = body if isinstance(body, bytes) else msgspec.json.encode(body)
        return self.with_etag(content, JSON, {"Cache-Control": cache})

    def with_etag(self, content: bytes, media_type: str, headers: Mapping[str, str]) -> Response:
        """Answer with the content and its strong `ETag`, or 304 when the caller has it."""
        etag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
        tagged = {**headers, "ETag": etag}
        if self.has_in_cache(etag):
            return Response(status_code=304, headers=tagged)
        return Response(content, headers=tagged, media_type=media_type)

    def has_in_cache(self, etag: str) -> bool:
        """Say whether the caller has what is about to be sent, by `If-None-Match`."""
        known = (tag.strip() for tag in self.request.headers.get("if-none-match", "").split(","))
        return any(tag in {etag, f"W/{etag}", "*"} for tag in known)

    def request_hash(self, body: bytes) -> bytes:
        """Tell this request apart from another sent under the same idempotency key."""
        return hashlib.sha256(f"{self.request.method} {self.request.url.path}\n".encode() + body).digest()

    async def read_json(self) -> bytes:
        """Read a JSON body.

        Raises:
            UnsupportedMediaType: it says it is something else.
            TooLarge: it exceeds one megabyte; the rest is not read.
        """
        content_type, _, parameters = self.request.headers.get("content-type", "").partition(";")
        if content_type.strip().lower() != JSON:
            raise UnsupportedMediaType("The body must be sent as Content-Type: application/json.")
        if _charset(parameters) not in UTF_8:
            raise UnsupportedMediaType("The body must be UTF-8: send charset=utf-8, or no charset.")
        self.check_encoding()
        if (read_digits(self.request.headers.get("content-length", "")) or 0) > MAX_JSON_BYTES:
            raise TooLarge(f"The body must not exceed {MAX_JSON_BYTES:,} bytes.")
        chunks = bytearray()
        async for chunk in self.request.stream():
            chunks += chunk
            if len(chunks) > MAX_JSON_BYTES:
                raise TooLarge(f"The body must not exceed {MAX_JSON_BYTES:,} bytes.")
        return bytes(chunks.removeprefix(BYTE_ORDER_MARK))

    def check_encoding(self) -> None:
        """Take bodies as they are.

        Raises:
            UnsupportedMediaType: the body is compressed or otherwise encoded.
        """
        if self.request.headers.get("content-encoding", "identity").strip().lower() not in {"", "identity"}:
            raise UnsupportedMediaType("The body must be sent as it is, without Content-Encoding.")


def _charset(parameters: str) -> str:
    for parameter in parameters.split(";"):
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            return value.strip().strip('"').lower()
    return "utf-8"


def json_response(body: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:  # noqa: ANN401 - anything that encodes
    """Answer with JSON; bytes are taken as encoded already."""
    content = body if isinstance(body, bytes) else msgspec.json.encode(body)
    return Response(content, status, headers, media_type=JSON)


def not_ready_response(quote: Quote | Glance) -> Response:
    """Answer for a quote that is still being worked on."""
    body = NotReadyBody(
        error="The quote is not ready yet.", quote_identifier=str(quote.quote_id), quote_status=quote.status
    )
    return json_response(body, 202, {"Retry-After": str(RETRY_AFTER_S)})
