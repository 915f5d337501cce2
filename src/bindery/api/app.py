"""The HTTP application: the table of operations, served."""

import re
from functools import partial
from typing import Final

import structlog
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Match, Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from bindery.actions.submit_together import MOST_TOGETHER, submit_together
from bindery.api.auth import authenticate
from bindery.api.call import Call, Shared
from bindery.api.errors import (
    MethodNotAllowed,
    UnknownPath,
    crash_response,
    error_response,
    unavailable_response,
)
from bindery.api.observe import OPERATION, PARTNER, REQUEST_ID, Observed
from bindery.api.openapi import openapi_document
from bindery.api.operation import Operation
from bindery.api.operations import operations_for
from bindery.api.request_head import check_head
from bindery.api.shown_quotes import ShownQuotes
from bindery.base.batching import Batcher
from bindery.base.errors import BinderyError, InvalidRequest, Problem
from bindery.base.nearest import nearest
from bindery.runtime import Runtime
from bindery.storage.database import is_outage

LEADS_TO_DOCS: Final = frozenset({"/", "/docs/", "/v2", "/v2/"})
"""Where people look first."""
_WRONG_BASE: Final = re.compile(r"^(/api)?(/v[0-9.]+)?(?=/)", re.IGNORECASE)
"""What callers put in place of /v2."""
log = structlog.get_logger()


def create_app(runtime: Runtime) -> ASGIApp:
    """Make the application of one process."""
    return Observed(_Faults(_Routes(runtime), runtime), runtime)


class _Routes:
    """Find the operation of a request."""

    def __init__(self, runtime: Runtime) -> None:
        operations = operations_for(runtime.settings.environment)
        shared = Shared(
            runtime,
            openapi_document(operations, base_url=runtime.settings.base_url),
            Batcher(partial(submit_together, runtime), most=MOST_TOGETHER),
            ShownQuotes(),
        )
        self._routes = [
            Route(operation.path, _Endpoint(operation, shared), methods=[operation.method])
            for operation in operations
        ]
        self._router = Router(self._routes, redirect_slashes=False, default=self._refuse)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        check_head(scope)
        scope["app"] = self  # makes Starlette raise rather than answer a wrong method itself
        try:
            await self._router(scope, receive, send)
        except HTTPException as fault:
            if fault.status_code == 405:  # noqa: PLR2004 - HTTP
                raise MethodNotAllowed(self._methods_for(scope)) from None
            raise

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] in LEADS_TO_DOCS and scope["method"] in {"GET", "HEAD"}:
            await RedirectResponse("/docs")(scope, receive, send)
            return
        meant = self._meant(scope)
        hint = f" The API is under /v2: did you mean {meant}?" if meant else " The API is under /v2."
        raise UnknownPath(f"There is nothing at {scope['path']}.{hint}")

    def _meant(self, scope: Scope) -> str | None:
        """Return the path that was likely meant: under /v2, without a slash at the end, or spelled right."""
        path = scope["path"].rstrip("/")
        below = _WRONG_BASE.sub("", path)
        for candidate in dict.fromkeys((path, f"/v2{below}")):
            if any(
                route.matches({**scope, "path": candidate})[0] is not Match.NONE for route in self._routes
            ):
                return str(candidate)
        return nearest(f"/v2{below}", [route.path for route in self._routes if "{" not in route.path])

    def _methods_for(self, scope: Scope) -> str:
        matching = (route for route in self._routes if route.matches(scope)[0] is not Match.NONE)
        return ", ".join(sorted({method for route in matching for method in route.methods or ()}))


class _Endpoint:
    """Serve one operation."""

    def __init__(self, operation: Operation, shared: Shared) -> None:
        self._operation = operation
        self._shared = shared

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope[OPERATION] = self._operation.name
        request = Request(scope, receive)
        partner = None
        if self._operation.needs_token:
            partner = await authenticate(self._shared.runtime, request)
            scope[PARTNER] = partner.key
        self._check_query(request)
        response = await self._operation.handler(Call(self._shared, request, partner))
        await response(scope, receive, send)

    def _check_query(self, request: Request) -> None:
        """Refuse a parameter that is given twice: somebody on the way may have read the other one."""
        if not request.scope["query_string"]:
            return
        given = request.query_params
        repeated = [
            Problem(parameter.name, "repeated_parameter", "must be given once")
            for parameter in self._operation.parameters
            if parameter.where == "query" and parameter.schema.get("type") != "array"
            if len(given.getlist(parameter.name)) > 1
        ]
        if repeated:
            raise InvalidRequest.because(repeated)


class _Faults:
    """Answer faults in the one error body; a bug is logged and answered 500."""

    def __init__(self, app: ASGIApp, runtime: Runtime) -> None:
        self._app = app
        self._watch = runtime.database.watch

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        response: Response
        try:
            await self._app(scope, receive, send)
        except BinderyError as fault:
            response = error_response(fault, scope[REQUEST_ID])
        except ClientDisconnect:
            return
        except Exception as fault:  # noqa: BLE001 - whatever it is, the caller is answered
            response = self._answer_fault(fault, scope)
        else:
            return
        await response(scope, receive, send)

    def _answer_fault(self, fault: Exception, scope: Scope) -> Response:
        """Answer an outage, whether one task met it or several at once, or else a bug."""
        if not is_outage(fault):
            log.error("crash", exc_info=fault, request_id=scope[REQUEST_ID], operation=scope.get(OPERATION))
            return crash_response(scope[REQUEST_ID])
        # An outage is told once, by the watch; what else keeps the database from its work is told here.
        if not self._watch.is_away:
            log.error(
                "request_not_served",
                request_id=scope[REQUEST_ID],
                reason=str(fault) or type(fault).__name__,
            )
        return unavailable_response(scope[REQUEST_ID])
