"""The HTTP application: the table of operations, served."""

import asyncio
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Final

import msgspec
import structlog
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from bindery.actions.submission.submit_quotes import MOST_TOGETHER, submit_quotes
from bindery.api.call import JSON, Call, Shared, ShownQuotes, authenticate
from bindery.api.errors import (
    MethodNotAllowed,
    UnknownPath,
    crash_response,
    error_response,
    unavailable_response,
)
from bindery.api.openapi import openapi_document
from bindery.api.operation import Operation
from bindery.api.operations import OPERATIONS, operations_for
from bindery.api.operations.service import SITE
from bindery.api.packages.shelf import Shelf
from bindery.api.query import query_flaws
from bindery.base.batching import Batcher
from bindery.base.errors import BinderyError, InvalidRequest, TooManyRequests
from bindery.base.nearest import nearest
from bindery.domain.access.caller import WINDOW_S
from bindery.http.observe import MORE_HEADERS, OPERATION, PARTNER, REQUEST_ID, check_head
from bindery.http.representation import Representation, compress
from bindery.runtime import Runtime
from bindery.settings import Environment
from bindery.storage.database import is_outage

_PARAMETER: Final = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Resource:
    """One path with the endpoint of each method; `choices` are the allowed values of its parameters."""

    path: str
    endpoints: Mapping[str, ASGIApp]
    choices: Mapping[str, frozenset[str]]

    @property
    def allowed(self) -> str:
        more = ["HEAD"] if "GET" in self.endpoints else []
        return ", ".join(sorted([*self.endpoints, *more, "OPTIONS"]))

    def endpoint(self, method: str) -> ASGIApp | None:
        """Return the endpoint of a method; `HEAD` is answered as `GET`; the server omits the body."""
        return self.endpoints.get("GET" if method == "HEAD" else method)

    def is_named_by(self, values: Mapping[str, str]) -> bool:
        return all(values[name] in allowed for name, allowed in self.choices.items())


class Resources:
    """All resources; where several templates fit a path, the one with words in place of parameters wins."""

    def __init__(self, endpoints: Iterable[tuple[Operation, ASGIApp]], others: Iterable[Resource]) -> None:
        found = [*_by_path(endpoints), *others]
        self.plain = {resource.path: resource for resource in found if "{" not in resource.path}
        self._templates: dict[int, list[tuple[re.Pattern[str], Resource]]] = defaultdict(list)
        for resource in sorted(found, key=lambda row: [part.startswith("{") for part in row.path.split("/")]):
            if "{" in resource.path:
                pattern = re.compile(_PARAMETER.sub(r"(?P<\1>[^/]+)", resource.path))
                self._templates[resource.path.count("/")].append((pattern, resource))

    def one_word_off(self, path: str) -> str | None:
        """Return the path with its one word put right that no template has, such as an action's name."""
        parts = path.split("/")
        meant: dict[int, dict[str, str]] = defaultdict(dict)
        for _, resource in self._templates.get(path.count("/"), ()):
            words = resource.path.split("/")
            off = [
                place for place, word in enumerate(words) if not word.startswith("{") and word != parts[place]
            ]
            if len(off) == 1:
                right = words[off[0]]
                meant[off[0]][right] = "/".join([*parts[: off[0]], right, *parts[off[0] + 1 :]])
        for place, paths in meant.items():
            if word := nearest(parts[place], paths):
                return paths[word]
        return None

    def find(self, path: str) -> tuple[Resource, Mapping[str, str]] | None:
        plain = self.plain.get(path)
        if plain is not None:
            return plain, {}
        for pattern, resource in self._templates.get(path.count("/"), ()):
            if matched := pattern.fullmatch(path):
                return resource, matched.groupdict()
        return None


def _by_path(endpoints: Iterable[tuple[Operation, ASGIApp]]) -> Iterable[Resource]:
    rows: dict[str, list[tuple[Operation, ASGIApp]]] = defaultdict(list)
    for operation, endpoint in endpoints:
        rows[operation.path].append((operation, endpoint))
    for path, of_path in rows.items():
        methods = {operation.method: endpoint for operation, endpoint in of_path}
        yield Resource(path, methods, _choices([operation for operation, _ in of_path]))


def _choices(operations: Sequence[Operation]) -> dict[str, frozenset[str]]:
    return {
        parameter.name: frozenset(parameter.schema["enum"])
        for operation in operations
        for parameter in operation.parameters
        if parameter.where == "path" and "enum" in parameter.schema
    }


LEADS_ELSEWHERE: Final = {
    **dict.fromkeys(("/docs/", "/v2", "/v2/"), "/docs"),
    "/packages": "/packages/",
    **dict.fromkeys(("/openapi.json", "/.well-known/openapi.json"), "/v2/openapi.json"),
}
"""Where people and tools look first."""
_WRONG_BASE: Final = re.compile(r"^(/api)?(/v[0-9.]+)?(?=/)", re.IGNORECASE)
"""Prefixes that callers use in place of /v2."""
_FIRST_WORD: Final = re.compile(r"/[^/]*")
_SLASHES: Final = re.compile(r"/{2,}")
"""What joining an address that ends in a slash with a path makes."""
log = structlog.get_logger()


def create_api(runtime: Runtime) -> ASGIApp:
    return _Faults(_Routes(runtime), runtime)


@cache
def _first_words() -> frozenset[str]:
    operations = (row for environment in Environment for row in operations_for(environment))
    paths = [*(row.path for row in (*operations, *SITE)), *LEADS_ELSEWHERE]
    return frozenset(found.group() for path in paths if (found := _FIRST_WORD.match(path)))


def is_of_the_api(path: str) -> bool:
    """Whether a path begins like those of the API or its documentation."""
    found = _FIRST_WORD.match(_SLASHES.sub("/", path))
    return found is not None and found.group() in _first_words()


@cache
def _described(environment: Environment, base_url: str, *, with_webhooks: bool) -> Representation:
    """Return the OpenAPI document; making it is most of an application's start, so a process does it once."""
    document = openapi_document(operations_for(environment), base_url=base_url, with_webhooks=with_webhooks)
    return Representation(msgspec.json.encode(document), JSON, is_kept=True)


@cache
def _shelf(environment: Environment, base_url: str) -> Shelf:
    """Return the packages; the clients are made of every operation, the collections of this environment's."""
    return Shelf(
        lambda: _described(environment, base_url, with_webhooks=True).content,
        lambda: msgspec.json.encode(openapi_document(OPERATIONS, base_url=base_url)),
    )


class _Routes:
    def __init__(self, runtime: Runtime) -> None:
        operations = operations_for(runtime.settings.environment)
        described = partial(_described, runtime.settings.environment, runtime.settings.base_url)
        shared = Shared(
            runtime,
            described(with_webhooks=True),
            partial(described, with_webhooks=False),
            Batcher(partial(submit_quotes, runtime.database, runtime.rules), most=MOST_TOGETHER),
            ShownQuotes(),
            _shelf(runtime.settings.environment, runtime.settings.base_url),
        )
        self._resources = Resources(
            ((operation, _Endpoint(operation, shared)) for operation in (*operations, *SITE)),
            (Resource(path, {"GET": RedirectResponse(to)}, {}) for path, to in LEADS_ELSEWHERE.items()),
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        check_head(scope)
        found = self._resources.find(scope["path"])
        if found is None:
            raise self._nothing_at(scope["path"])
        resource, scope["path_params"] = found
        endpoint = resource.endpoint(scope["method"])
        if endpoint is None:
            # No value of its parameters leads there; `GET` itself says which of them is wrong.
            if not resource.is_named_by(scope["path_params"]):
                raise self._nothing_at(scope["path"])
            if scope["method"] != "OPTIONS":
                raise MethodNotAllowed(resource.allowed)
            endpoint = Response(status_code=204, headers={"Allow": resource.allowed})
        await endpoint(scope, receive, send)

    def _nothing_at(self, path: str) -> UnknownPath:
        meant = self._meant(_SLASHES.sub("/", path).rstrip("/"))
        if path.startswith("/v2/"):
            hint = f" Did you mean {meant}?" if meant else ""
        else:
            hint = f" The API is under /v2: did you mean {meant}?" if meant else " The API is under /v2."
        return UnknownPath(f"There is nothing at {path}.{hint}")

    def _meant(self, path: str) -> str | None:
        """Return the path that was likely meant: under /v2, without a slash at the end, or spelled right."""
        under_v2 = f"/v2{_WRONG_BASE.sub('', path)}"
        for candidate in (path, under_v2):
            found = self._resources.find(candidate)
            if found is not None and found[0].is_named_by(found[1]):
                return candidate
        return nearest(under_v2, self._resources.plain) or self._resources.one_word_off(path)


class _Endpoint:
    def __init__(self, operation: Operation, shared: Shared) -> None:
        self._operation = operation
        self._shared = shared
        limit = shared.runtime.request_counts.limits[operation.counted_as]
        self._policy = (b"ratelimit-policy", f'"{operation.counted_as}";q={limit};w={WINDOW_S}'.encode())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope[OPERATION] = self._operation.name
        request = Request(scope, receive)
        partner = None
        if self._operation.needs_token:
            partner = await authenticate(self._shared.runtime, request)
            scope[PARTNER] = partner.key
            self._check_rate(scope, partner.partner_id)
        flaws = query_flaws(self._operation, request) if scope["query_string"] else ()
        if flaws and not self._operation.query_names:
            raise InvalidRequest.because(flaws)
        call = Call(self._shared, request, partner, flaws)
        try:
            response = await self._operation.handler(call)
        except BinderyError as fault:
            fault.warnings = call.warnings
            raise
        compress(response, request.headers)
        await response(scope, receive, send)

    def _check_rate(self, scope: Scope, partner_id: int) -> None:
        kind = self._operation.counted_as
        standing = self._shared.runtime.request_counts.count(partner_id, kind)
        stands = f'"{kind}";r={standing.remaining};t={standing.reset_s}'
        scope[MORE_HEADERS] = (self._policy, (b"ratelimit", stands.encode()))
        if standing.is_over:
            raise TooManyRequests(standing.limit, kind, standing.reset_s)


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
        except asyncio.CancelledError:
            # A server that has to stop waits for a while and then cancels what is still under way.
            response = unavailable_response(scope[REQUEST_ID])
        except Exception as fault:  # noqa: BLE001 - whatever it is, the caller is answered
            response = self._answer_fault(fault, scope)
        else:
            return
        compress(response, Headers(scope=scope))
        await response(scope, receive, send)

    def _answer_fault(self, fault: Exception, scope: Scope) -> Response:
        """Answer an outage, whether one task met it or several at once, or else a bug."""
        if not is_outage(fault):
            log.error("crash", exc_info=fault, request_id=scope[REQUEST_ID], operation=scope.get(OPERATION))
            return crash_response(scope[REQUEST_ID], scope["method"])
        # The watch logs an outage once; other faults of the database are logged here.
        if not self._watch.is_away:
            log.error(
                "request_not_served",
                request_id=scope[REQUEST_ID],
                reason=str(fault) or type(fault).__name__,
            )
        return unavailable_response(scope[REQUEST_ID])
