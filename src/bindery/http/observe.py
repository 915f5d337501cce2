"""Request ids, one log line and the metrics of each request; never a body, an answer or a secret."""

import random
import re
import time
from functools import cache
from typing import Final

import structlog
from prometheus_client import Counter, Histogram
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bindery import metrics
from bindery.base.errors import InvalidRequest, Problem
from bindery.base.ids import short_key
from bindery.http.representation import default_headers, with_defaults
from bindery.runtime import Runtime

REQUEST_ID: Final = "bindery.request_id"
LEFT: Final = 499
"""What is said of a request whose client left before an answer."""
OPERATION: Final = "bindery.operation"
PARTNER: Final = "bindery.partner"
STATUS: Final = "bindery.status"
"""Where the status of the answer is once there was one."""
MORE_HEADERS: Final = "bindery.more_headers"
"""Where a handler puts headers for its answer, whether a refusal or not."""
_ACCEPTABLE_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")

log = structlog.get_logger()


class Observed:
    def __init__(self, app: ASGIApp, runtime: Runtime) -> None:
        self._app = app
        self._rng = runtime.database.rng
        self._headers = default_headers(runtime.settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = self._request_id(scope)
        scope[REQUEST_ID] = request_id
        header = (b"x-request-id", request_id.encode())
        started = time.perf_counter()
        status = LEFT

        async def send_observed(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                more = scope.get(MORE_HEADERS, ())
                message["headers"] = with_defaults([*message["headers"], *more, header], self._headers)
            await send(message)

        try:
            await self._app(scope, receive, send_observed)
        finally:
            elapsed = time.perf_counter() - started
            scope[STATUS] = status
            operation = scope.get(OPERATION, "unknown")
            answered, seconds = _counted(operation, status)
            answered.inc()
            seconds.observe(elapsed)
            log.info(
                "request",
                request_id=request_id,
                method=scope["method"],
                operation=operation,
                partner=scope.get(PARTNER),
                status=status,
                ms=round(elapsed * 1000, 2),
            )

    def _request_id(self, scope: Scope) -> str:
        for name, value in scope["headers"]:
            if name == b"x-request-id":
                text = value.decode("latin-1")
                if _ACCEPTABLE_REQUEST_ID.fullmatch(text):
                    return str(text)
        return new_request_id(self._rng)


@cache
def _counted(operation: str, status: int) -> tuple[Counter, Histogram]:
    """Return the counters of such answers; the library's lookup by labels takes longer than counting."""
    return (
        metrics.http_requests.labels(operation, status),
        metrics.http_request_seconds.labels(operation),
    )


def new_request_id(rng: random.Random) -> str:
    return f"req_{short_key(rng, 16)}"


SENT_ONCE: Final = (b"Authorization", b"Content-Type", b"Host", b"Idempotency-Key")
"""A proxy may have read the other one of two."""


def check_head(scope: Scope) -> None:
    """Check the headers that every operation depends on; HTTP/1.0 alone knows requests without `Host`."""
    names = [name for name, _ in scope["headers"]]
    problems = [
        Problem(name.decode(), "repeated_header", "must be sent once")
        for name in SENT_ONCE
        if names.count(name.lower()) > 1
    ]
    if b"host" not in names and scope["http_version"] != "1.0":
        problems.append(Problem("Host", "required", "is required"))
    if problems:
        raise InvalidRequest.because(problems)
