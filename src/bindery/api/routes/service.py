"""The service itself: health, metrics, the OpenAPI document, and the site that explains it."""

from enum import StrEnum

from starlette.responses import HTMLResponse, Response

from bindery import metrics as figures
from bindery.api.call import Call, check_may_see_metrics, json_response
from bindery.api.docs_page import CONTENT_POLICY as REFERENCE_POLICY
from bindery.api.errors import UnknownPath
from bindery.api.guide.site import CONTENT_POLICY
from bindery.api.query import Query
from bindery.contract.service import HealthCheck
from bindery.http.representation import REVALIDATE, Representation
from bindery.settings import DEMO_TOKEN_FILE, Settings
from bindery.storage import health


async def health_check(call: Call) -> Response:
    return json_response(HealthCheck(healthy=await health.is_ready_in_time(call.runtime.database)))


async def livez(_call: Call) -> Response:
    return Response("ok\n", media_type="text/plain")


async def readyz(call: Call) -> Response:
    if call.runtime.leaving.is_set():
        return Response("leaving\n", 503, media_type="text/plain")
    if await health.is_ready_in_time(call.runtime.database):
        return Response("ready\n", media_type="text/plain")
    return Response("not ready\n", 503, media_type="text/plain")


async def metrics(call: Call) -> Response:
    check_may_see_metrics(call.runtime, call.request)
    return Response(figures.exposition(await call.runtime.backlog.read()), media_type=figures.CONTENT_TYPE)


class WithWebhooks(StrEnum):
    YES = "yes"
    NO = "no"


async def openapi_document(call: Call) -> Response:
    query = Query(call)
    asked = query.choice("webhooks", WithWebhooks)
    query.check()
    shown = call.shared.openapi_without_webhooks() if asked is WithWebhooks.NO else call.shared.openapi
    return call.with_etag(shown, {"Cache-Control": REVALIDATE})


async def docs_page(call: Call) -> Response:
    return _shown(call, call.shared.site.page("overview"), CONTENT_POLICY)


async def guide_page(call: Call) -> Response:
    return _shown(call, call.shared.site.page(call.request.path_params["page"]), CONTENT_POLICY)


async def reference(call: Call) -> Response:
    page = call.shared.site.reference(_token_of_visitors(call.runtime.settings))
    return _shown(call, page, REFERENCE_POLICY)


async def operation(call: Call) -> Response:
    name = call.request.path_params["operation"]
    page = call.shared.site.operation(name, _token_of_visitors(call.runtime.settings))
    return _shown(call, page, REFERENCE_POLICY)


def _token_of_visitors(settings: Settings) -> str:
    """Return the token that `bindery demo` keeps for its visitors; no other service has one for everybody."""
    if not settings.is_demo:
        return ""
    try:
        return (settings.data_dir / DEMO_TOKEN_FILE).read_text().strip()
    except OSError:
        return ""


async def question_list(call: Call) -> Response:
    return _shown(call, call.shared.site.question_list, CONTENT_POLICY)


async def for_programs(call: Call) -> Response:
    return call.with_etag(call.shared.site.for_programs, {"Cache-Control": REVALIDATE})


async def changelog_feed(call: Call) -> Response:
    return call.with_etag(call.shared.site.changelog_feed, {"Cache-Control": REVALIDATE})


async def search(call: Call) -> Response:
    page = call.shared.site.found(call.request.query_params.get("q", ""))
    return HTMLResponse(
        page, headers={"Content-Security-Policy": CONTENT_POLICY, "Cache-Control": REVALIDATE}
    )


def _shown(call: Call, page: Representation | None, policy: str) -> Response:
    if page is None:
        raise UnknownPath(f"There is nothing at {call.request.url.path}; /docs has the contents.")
    return call.with_etag(page, {"Cache-Control": REVALIDATE, "Content-Security-Policy": policy})
