"""Connections that are slow, idle or too many are closed, so that nobody keeps others out by holding them."""

import asyncio
import math
import random
import resource
import select
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Any, ClassVar, Final

import httptools
import structlog
from starlette.responses import Response
from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from bindery.api.errors import error_response, unavailable_response
from bindery.base.errors import InvalidRequest
from bindery.http.errors import HeadTooLarge
from bindery.http.observe import new_request_id
from bindery.metrics import connections_closed, http_connections

FEWEST_OTHER_FILES: Final = 64

log = structlog.get_logger()
_rng = random.SystemRandom()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionLimits:
    head_s: float = 10.0
    body_s: float = 30.0
    keep_alive_s: float = 75.0
    answer_s: float = 30.0
    linger_s: float = 10.0
    slowest_bytes_per_s: int = 1_000
    most_headers: int = 100
    most_head_bytes: int = 64 * 1024
    most_connections: int = 8_192
    look_every_s: float = 1.0

    @property
    def connections_here(self) -> int:
        """Return how many connections this process may have; a part of its files is for everything else."""
        files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        return min(self.most_connections, files - max(FEWEST_OTHER_FILES, files // 4))


class Closed(StrEnum):
    SLOW_HEAD = "slow_head"
    SLOW_BODY = "slow_body"
    SLOW_READER = "slow_reader"
    IDLE = "idle"
    MADE_ROOM = "made_room"
    NO_ROOM = "no_room"
    HEAD_TOO_LARGE = "head_too_large"
    MALFORMED = "malformed"


class Phase(StrEnum):
    """What should come next on a connection."""

    IDLE = "idle"
    HEAD = "head"
    BODY = "body"
    ANSWER = "answer"
    LINGER = "linger"


_SLOW: Final = {
    Phase.HEAD: Closed.SLOW_HEAD,
    Phase.BODY: Closed.SLOW_BODY,
    Phase.LINGER: Closed.SLOW_BODY,
}


class Share(ServerState):
    """What the connections of a server share; since when and for how long they part."""

    def __init__(self) -> None:
        super().__init__()
        self.leaving_since: float | None = None
        self.farewell_s = 0.0

    def leave(self, farewell_s: float) -> None:
        """From now on every answer is the last of its connection; idle ones may still send for so long."""
        self.farewell_s = farewell_s if self.leaving_since is None else min(farewell_s, self.farewell_s)
        self.leaving_since = self.leaving_since or time.monotonic()


class LimitedConnection(HttpToolsProtocol):
    """A connection of uvicorn's that looks at its own time.

    `waiting` are the connections of this process on which no request is being worked on, those that have
    waited longest first: they make room where there are too many.
    """

    limits: ClassVar[ConnectionLimits] = ConnectionLimits()
    waiting: ClassVar[dict["LimitedConnection", None]] = {}

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401 - uvicorn's own
        super().__init__(*arguments, **options)
        # Somebody else's server has none, and does not tell when it ends.
        self._share = self.server_state if isinstance(self.server_state, Share) else Share()
        self._phase = Phase.HEAD
        self._since = self._last = self.loop.time()
        self._received = 0
        self._header_count = 0
        self._head_bytes = 0
        self._transfer_codings: list[bytes] = []
        self._answered_by: float | None = None
        self._is_last = False
        self._watch: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Accept a connection; where there are too many, the one that has waited longest is closed."""
        super().connection_made(transport)
        http_connections.inc()
        self._enter(Phase.HEAD)
        self.waiting[self] = None
        self._watch = self.loop.call_later(self.limits.look_every_s, self._look)
        if len(self.connections) <= self.limits.connections_here:
            return
        longest = next(iter(self.waiting))
        if longest is self:
            self._answer(unavailable_response, Closed.NO_ROOM)
        else:
            longest._end(Closed.MADE_ROOM)  # noqa: SLF001 - another one of us

    def connection_lost(self, exc: Exception | None) -> None:
        http_connections.dec()
        self.waiting.pop(self, None)
        if self._watch is not None:
            self._watch.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._phase is Phase.IDLE:
            self._enter(Phase.HEAD)
        super().data_received(data)
        self._last = self.loop.time()
        self._received += len(data)
        if self._phase is Phase.HEAD and self._received > self.limits.most_head_bytes:
            self._refuse_head()

    def on_message_begin(self) -> None:
        if self._phase is not Phase.HEAD:
            self._enter(Phase.HEAD)
        self._header_count = self._head_bytes = 0
        self._transfer_codings = []
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        self._header_count += 1
        self._head_bytes += len(name) + len(value)
        if name.lower() == b"transfer-encoding":
            self._transfer_codings.append(value.strip().lower())
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        if self._phase is Phase.LINGER:
            # The last answer said that this connection is at its end.
            raise httptools.HttpParserError
        limits = self.limits
        if (
            self._header_count > limits.most_headers
            or self._head_bytes + len(self.url) > limits.most_head_bytes
        ):
            self._refuse_head()
            # Ends the parsing; uvicorn's own answer to that is not written any more.
            raise httptools.HttpParserError
        if self._transfer_codings not in ([], [b"chunked"]):
            # The parser finds out with the body, when the request is being worked on and answered already.
            self.send_400_response("")
            raise httptools.HttpParserError
        self.waiting.pop(self, None)
        self._enter(Phase.BODY)
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        super().on_message_complete()
        if self._phase is Phase.LINGER:
            self.transport.close()
            return
        self._enter(Phase.ANSWER if self._is_at_work else Phase.IDLE)

    def on_response_complete(self) -> None:
        """End an answer; a part of the request may still be to come, or the next one have come already."""
        super().on_response_complete()
        if not self._is_at_work:
            self.waiting[self] = None
            if self._is_last:
                # What is left of the body is read and thrown away for a while: were the connection closed at
                # once, a client that is still sending would lose the answer.
                self._enter(Phase.LINGER)
                self.transport.write_eof()
            elif self._phase is Phase.ANSWER:
                self._enter(Phase.IDLE)

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        """Work on a request; an answer given before its body has come is the last of the connection.

        The next request could not be distinguished from the rest of a body that the client gave up sending.
        """

        async def work(scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401 - ASGI
            async def answer(message: Any) -> None:  # noqa: ANN401 - ASGI
                if message["type"] == "http.response.start":
                    self._is_last = cycle.more_body and self.transport.can_write_eof()
                    if self._is_last or self._share.leaving_since is not None:
                        message["headers"] = [*message["headers"], (b"connection", b"close")]
                await send(message)
                if self._is_last:
                    # Or uvicorn would close it with the last byte of the answer.
                    cycle.keep_alive = True

            await app(scope, receive, answer)

        super()._start_asgi_task(cycle, work)

    def timeout_keep_alive_handler(self) -> None:
        """Do nothing: `_look` closes what is idle."""

    def shutdown(self) -> None:
        """Close if it need not be waited for; HTTP/1.1 cannot tell an idle client anything but in an answer.

        Were it just closed, a request that is under way to us would be broken, and its client could not know
        whether it was worked on. The last answer of a connection says that it is.
        """
        self._close_if_late()

    def pause_writing(self) -> None:
        """Pause until the client has read what was written; it has only so long."""
        super().pause_writing()
        self._answered_by = self._time_to_read()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._answered_by = None

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - we have words of our own
        fault = InvalidRequest("The request is not valid HTTP.", code="malformed_http")
        self._answer(partial(error_response, fault), Closed.MALFORMED)

    def _refuse_head(self) -> None:
        limits = self.limits
        fault = HeadTooLarge(
            f"A request has at most {limits.most_headers} headers, {limits.most_head_bytes:,} bytes of them."
        )
        self._answer(partial(error_response, fault), Closed.HEAD_TOO_LARGE)

    @property
    def _is_at_work(self) -> bool:
        return self.cycle is not None and (not self.cycle.response_complete or bool(self.pipeline))

    def _enter(self, phase: Phase) -> None:
        self._phase = phase
        self._since = self._last = self.loop.time()
        self._received = 0

    def _look(self) -> None:
        self._watch = self.loop.call_later(self.limits.look_every_s, self._look)
        self._close_if_late()

    def _close_if_late(self) -> None:
        now = self.loop.time()
        if self.transport.is_closing() and self._answered_by is None:
            self._answered_by = self._time_to_read()
        if self._answered_by is not None:
            if now >= self._answered_by:
                self._end(Closed.SLOW_READER)
        elif self._is_idle and now >= self._idle_until():
            self._end_unless_unread()
        elif now >= self._deadline(now):
            self._end(_SLOW[self._phase])

    @property
    def _is_idle(self) -> bool:
        """Whether no byte of a request has been read since the last answer, or at all."""
        return self._phase is Phase.IDLE or (self._phase is Phase.HEAD and not self._received)

    def _idle_until(self) -> float:
        # One that has sent nothing at all is slow with its first head, and not idle, before the server ends.
        until = self._since + self.limits.keep_alive_s if self._phase is Phase.IDLE else math.inf
        if (leaving_since := self._share.leaving_since) is None:
            return until
        return min(until, max(self._since, leaving_since) + self._share.farewell_s)

    def _end_unless_unread(self) -> None:
        """Close, unless a request has come that the event loop has not seen yet: it would be broken."""
        poll = select.poll()
        poll.register(self.transport.get_extra_info("socket").fileno(), select.POLLIN)
        # The end of what the client sends can be read as well; the loop sees it in a moment, and closes.
        if not poll.poll(0):
            self._end(Closed.IDLE)

    def _deadline(self, now: float) -> float:
        limits = self.limits
        match self._phase:
            case Phase.LINGER:
                return self._since + limits.linger_s
            case Phase.HEAD if not self._is_at_work:
                return self._since + limits.head_s
            case Phase.BODY if self.flow.read_paused:
                # It is we who do not read on.
                self._last = now
                return math.inf
            case Phase.BODY:
                at_this_pace = self._since + limits.body_s + self._received / limits.slowest_bytes_per_s
                return min(self._last + limits.body_s, at_this_pace)
            case _:
                return math.inf

    def _time_to_read(self) -> float:
        unread = self.transport.get_write_buffer_size() / self.limits.slowest_bytes_per_s
        return self.loop.time() + self.limits.answer_s + unread

    def _answer(self, respond: Callable[[str], Response], reason: Closed) -> None:
        """Answer without the application, and close; an answer that is under way ends there."""
        if self.transport.is_closing():
            return
        request_id = new_request_id(_rng)
        if not self._is_at_work:
            response = respond(request_id)
            head = (
                *self.server_state.default_headers,
                *response.raw_headers,
                (b"x-request-id", request_id.encode()),
                (b"connection", b"close"),
            )
            lines = b"".join(b"%s: %s\r\n" % line for line in head)
            self.transport.write(b"%s%s\r\n%s" % (STATUS_LINE[response.status_code], lines, response.body))
        self._report(reason, request_id=request_id)
        self.transport.close()

    def _end(self, reason: Closed) -> None:
        self._report(reason)
        self.transport.abort()

    def _report(self, reason: Closed, **more: str) -> None:
        self.waiting.pop(self, None)
        connections_closed.labels(reason).inc()
        # Closing what is idle is everyday life.
        if reason is not Closed.IDLE:
            client = self.client[0] if self.client else None
            log.info("connection_closed", reason=reason, client=client, **more)
