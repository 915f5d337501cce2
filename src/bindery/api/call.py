"""One request on its way through an operation."""

import asyncio
import hashlib
import uuid
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, TypeVar

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from bindery.actions.submission.submit_quotes import SubmitAsk
from bindery.api.errors import UnknownPath
from bindery.api.guide.site import Site
from bindery.api.packages.shelf import Shelf
from bindery.base.batching import Batcher
from bindery.base.errors import InvalidRequest, MalformedIdentifier, Problem, Unauthorized
from bindery.base.ids import IDENTIFIER_SHAPE
from bindery.base.numbers import read_digits
from bindery.contract.errors import NotReadyBody
from bindery.domain.access.caller import Caller, actor_of_partner
from bindery.domain.access.tokens import bearer_of, is_same_secret, read_token
from bindery.domain.quote.quote import Quote
from bindery.http.bodies import BYTE_ORDER_MARK, BodyDecoder, Malformed, WellFormed
from bindery.http.errors import TooLarge, UnsupportedMediaType
from bindery.http.observe import REQUEST_ID
from bindery.http.representation import NO_STORE, VARY, Representation
from bindery.memory.shown_versions import ShownVersion
from bindery.runtime import Runtime
from bindery.settings import CLAIMS
from bindery.storage.access import legacy_ids
from bindery.storage.access.partners import Partner
from bindery.storage.idempotency import FirstAnswer

MAX_JSON_BYTES: Final = 1_000_000
MAX_KEY_LENGTH: Final = 255
LONGEST_WAIT_S: Final = 60
RETRY_AFTER_S: Final = 2
JSON: Final = "application/json"
UTF_8: Final = ("utf-8", "utf8", "us-ascii")

MOST_SHOWN_QUOTES: Final = 2_000
"""About 20 MB of answers, some of them compressed too."""

T = TypeVar("T")


class ShownQuotes:
    """The latest answers, each with the version of the quote that it shows.

    Partners poll: the same quote is asked for again and again while nothing changes. Everything that is shown
    raises the quote's version, so one look at that by the key shows whether the last answer still holds.
    """

    def __init__(self, most: int = MOST_SHOWN_QUOTES) -> None:
        self._most = most
        self._answers: OrderedDict[uuid.UUID, tuple[int, Representation]] = OrderedDict()

    def find(self, quote_id: uuid.UUID, version: int) -> Representation | None:
        kept = self._answers.get(quote_id)
        if kept is None or kept[0] != version:
            return None
        self._answers.move_to_end(quote_id)
        return kept[1]

    def keep(self, quote_id: uuid.UUID, version: int, answer: Representation) -> None:
        self._answers[quote_id] = (version, answer)
        self._answers.move_to_end(quote_id)
        if len(self._answers) > self._most:
            self._answers.popitem(last=False)


@dataclass(frozen=True)
class Shared:
    runtime: Runtime
    openapi: Representation
    openapi_without_webhooks: Callable[[], Representation]
    submissions: Batcher[SubmitAsk, bytes]
    shown_quotes: ShownQuotes
    shelf: Shelf

    @cached_property
    def site(self) -> Site:
        return Site(self.openapi)


@dataclass
class Call:
    shared: Shared
    request: Request
    _partner: Partner | None
    query_flaws: tuple[Problem, ...] = ()
    """What is wrong with the names of the query's parameters; `Query` refuses it with all that is wrong."""
    warnings: tuple[Problem, ...] = ()
    """The fields of the body that were passed over; a refusal, whatever it is about, names them too."""

    @property
    def runtime(self) -> Runtime:
        return self.shared.runtime

    @property
    def partner(self) -> Partner:
        """Return the partner; only operations that require a token have one."""
        assert self._partner is not None, "this operation does not require a token"
        return self._partner

    def identifier(self, name: str) -> str:
        text: str = self.request.path_params[name]
        if not IDENTIFIER_SHAPE.fullmatch(text):
            raise MalformedIdentifier("An identifier has 1 to 64 letters, digits, - and _.")
        return text

    async def quote_id_of(self, identifier: str) -> uuid.UUID | None:
        async with self.runtime.database.reading() as tx:
            return await legacy_ids.quote_id_of(tx, identifier, partner_id=self.partner.partner_id)

    @cached_property
    def idempotency_key(self) -> str | None:
        key = self.request.headers.get("idempotency-key")
        if key is None:
            return None
        if not 1 <= len(key) <= MAX_KEY_LENGTH or not key.isascii() or not key.isprintable():
            flaw = f"must be 1 to {MAX_KEY_LENGTH} printable ASCII characters"
            raise InvalidRequest.at("Idempotency-Key", "bad_idempotency_key", flaw)
        return key

    @property
    def preferred_wait_s(self) -> int:
        """Return how long the caller is ready to wait, by the first `Prefer: wait=N`; at most a minute.

        A preference that is malformed is ignored, as RFC 7240 says.
        """
        if "prefer" not in self.request.headers:
            return 0
        for preference in ",".join(self.request.headers.getlist("prefer")).split(","):
            name, _, value = preference.partition("=")
            if name.strip().lower() == "wait":
                return min(read_digits(value.strip()) or 0, LONGEST_WAIT_S)
        return 0

    async def while_connected(self, answer: Coroutine[Any, Any, T]) -> T:
        """Wait for a coroutine; raise `ClientDisconnect` when the caller leaves before it is done."""
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
        return self.with_etag(Representation(msgspec.json.encode(body), JSON), {"Cache-Control": cache})

    def with_etag(self, shown: Representation, headers: dict[str, str]) -> Response:
        held = self.held_tag(*shown.etags)
        if held is not None:
            return Response(status_code=304, headers={**headers, **VARY, "ETag": held})
        return shown.response(self.request.headers, headers)

    def held_tag(self, *etags: str) -> str | None:
        """Return the caller's own tag among those that the answer may have."""
        named = self.request.headers.get("if-none-match", "").split(",")
        known = {tag.strip().removeprefix("W/") for tag in named}
        return next((tag for tag in etags if tag in known), etags[0] if "*" in known else None)

    def check_idempotency_key(self) -> None:
        _ = self.idempotency_key

    def caller(self, body: bytes) -> Caller:
        head = f"{self.request.method} {self.request.scope['path']}\n"
        return Caller(
            partner_id=self.partner.partner_id,
            actor=actor_of_partner(self.partner.key),
            idempotency_key=self.idempotency_key,
            request_hash=hashlib.sha256(head.encode() + body).digest(),
            request_id=self.request.scope.get(REQUEST_ID),
        )

    def _check_json_type(self) -> None:
        media_type, *parameters = self.request.headers.get("content-type", "").lower().split(";")
        if media_type.strip() != JSON:
            raise UnsupportedMediaType("The body must be sent as Content-Type: application/json.")
        named = dict(parameter.strip().partition("=")[::2] for parameter in parameters)
        if named.get("charset", "utf-8").strip('"') not in UTF_8:
            raise UnsupportedMediaType("The body must be UTF-8: send charset=utf-8, or no charset.")
        self.check_encoding()

    def decoded(self, decoder: BodyDecoder[T], body: bytes) -> WellFormed[T]:
        found = decoder.decode(body)
        self.warnings = found.unknown
        if isinstance(found, Malformed):
            raise InvalidRequest.because(found.problems)
        return found

    async def read_json(self) -> bytes:
        self._check_json_type()
        if (read_digits(self.request.headers.get("content-length", "")) or 0) > MAX_JSON_BYTES:
            raise TooLarge(f"The body must not exceed {MAX_JSON_BYTES:,} bytes.")
        chunks = bytearray()
        async for chunk in self.request.stream():
            chunks += chunk
            if len(chunks) > MAX_JSON_BYTES:
                raise TooLarge(f"The body must not exceed {MAX_JSON_BYTES:,} bytes.")
        return bytes(chunks.removeprefix(BYTE_ORDER_MARK))

    def check_encoding(self) -> None:
        if self.request.headers.get("content-encoding", "identity").strip().lower() not in {"", "identity"}:
            raise UnsupportedMediaType("The body must be sent as it is, without Content-Encoding.")


def json_response(body: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:  # noqa: ANN401 - anything that encodes
    """Answer with JSON; bytes are taken as encoded already, and marked as a replayed first answer."""
    content = body if isinstance(body, bytes) else msgspec.json.encode(body)
    if isinstance(body, FirstAnswer):
        headers = {**(headers or {}), "Idempotent-Replayed": "true"}
    return Response(content, status, headers, media_type=JSON)


def not_ready_response(quote: Quote | ShownVersion, headers: Mapping[str, str] | None = None) -> Response:
    body = NotReadyBody(
        error="The quote is not ready yet.", quote_identifier=str(quote.quote_id), quote_status=quote.status
    )
    return json_response(body, 202, {"Retry-After": str(RETRY_AFTER_S), **(headers or {})})


LONGEST_TOKEN = 1_000


async def authenticate(runtime: Runtime, request: Request) -> Partner:
    token = bearer_of(request.headers.get("authorization", ""))
    if not token:
        raise Unauthorized("Send the header Authorization: Bearer <token>.", code="missing_token")
    if len(token) > LONGEST_TOKEN:
        raise Unauthorized("The bearer token was not issued by this service.", code="invalid_token")
    # Token life is on real time, also where the business clock has been moved.
    now = runtime.clock.real_now()
    claims = read_token(
        token,
        runtime.secret,
        environment=CLAIMS[runtime.settings.environment],
        now=now,
    )
    partner = await runtime.access.find_partner(claims.partner_key, claims.token_id)
    if partner is None:
        raise Unauthorized("The bearer token was revoked.", code="revoked_token")
    runtime.token_uses.notice(claims.token_id, at=now)
    return partner


def check_may_see_metrics(runtime: Runtime, request: Request) -> None:
    """Check that the caller has the metrics token; the demo needs none unless one is configured."""
    expected = runtime.settings.metrics_token
    if not expected:
        if runtime.settings.is_demo:
            return
        raise UnknownPath("There is nothing at /metrics.")
    token = bearer_of(request.headers.get("authorization", ""))
    if not token:
        raise Unauthorized("Send the header Authorization: Bearer <metrics token>.", code="missing_token")
    if not is_same_secret(token, expected):
        raise Unauthorized("The bearer token is not the metrics token.", code="invalid_token")
