"""One span for each request, which goes on with the caller's trace; only where tracing is on."""

from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

from bindery.base.tracing import SpanKind, span
from bindery.http.observe import LEFT, OPERATION, STATUS

UNTRACED: Final = ("/livez", "/readyz", "/metrics", "/static/")
"""What machines ask every few seconds, and files that never change."""
METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
FAULT: Final = 500


class Traced:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].startswith(UNTRACED):
            await self._app(scope, receive, send)
            return
        # Anything may be called a method.
        method = scope["method"] if scope["method"] in METHODS else "_OTHER"
        with span("request", kind=SpanKind.REQUEST, parent=_callers_trace(scope)) as request:
            try:
                await self._app(scope, receive, send)
            finally:
                operation, status = scope.get(OPERATION, "unknown"), scope.get(STATUS, LEFT)
                request.rename(f"request {operation}")
                request.add(method=method, operation=operation, status=status)
                if status >= FAULT:
                    request.note_fault(str(status))


def _callers_trace(scope: Scope) -> str:
    """Return the caller's `traceparent`; of two nobody knows which one is meant."""
    found = [value for name, value in scope["headers"] if name == b"traceparent"]
    return found[0].decode("latin-1") if len(found) == 1 else ""
