"""One span for each request, which goes on with the caller's trace; only where tracing is on."""

from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bindery.base.tracing import SpanKind, span
from bindery.http.observe import OPERATION

UNTRACED: Final = ("/livez", "/readyz", "/metrics", "/static/")
"""What machines ask every few seconds, and files that never change."""
METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
LEFT: Final = 499
FAULT: Final = 500


class Traced:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].startswith(UNTRACED):
            await self._app(scope, receive, send)
            return
        status = LEFT

        async def send_seen(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        # Anything may be called a method.
        method = scope["method"] if scope["method"] in METHODS else "_OTHER"
        with span("request", kind=SpanKind.REQUEST, parent=_callers_trace(scope), method=method) as request:
            try:
                await self._app(scope, receive, send_seen)
            finally:
                operation = scope.get(OPERATION, "unknown")
                request.rename(f"request {operation}")
                request.add(operation=operation, status=status)
                if status >= FAULT:
                    request.note_fault(str(status))


def _callers_trace(scope: Scope) -> str:
    """Return the caller's `traceparent`; of two nobody knows which one is meant."""
    found = [value for name, value in scope["headers"] if name == b"traceparent"]
    return found[0].decode("latin-1") if len(found) == 1 else ""
