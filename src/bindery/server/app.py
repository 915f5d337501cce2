"""The application of one process: the API and the platform by path."""

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from bindery.api.app import create_api, is_of_the_api
from bindery.base import tracing
from bindery.http.observe import Observed
from bindery.http.traced import Traced
from bindery.runtime import Runtime
from bindery.web.app import Platform, is_of_the_platform


def create_app(runtime: Runtime) -> ASGIApp:
    app = Observed(_Doors(create_api(runtime), Platform(runtime)), runtime)
    return Traced(app) if tracing.is_on() else app


class _Doors:
    """Send people to the platform and programs to the API, by the path.

    Where nobody has such a path, people are who asks for a page: they get one that says so.
    """

    def __init__(self, api: ASGIApp, platform: ASGIApp) -> None:
        self._api = api
        self._platform = platform

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_page = scope["type"] == "http" and not is_of_the_api(scope["path"]) and _is_for_a_person(scope)
        await (self._platform if is_page else self._api)(scope, receive, send)


def _is_for_a_person(scope: Scope) -> bool:
    wants_page = scope["method"] in {"GET", "HEAD"} and "text/html" in Headers(scope=scope).get("accept", "")
    return wants_page or is_of_the_platform(scope["path"])
