"""Operations about the service itself."""

import asyncio

from starlette.responses import Response

from bindery import metrics as figures
from bindery.api.call import Call, check_may_see_metrics, json_response
from bindery.contract.service import HealthCheck
from bindery.storage import health

READY_WITHIN_S = 2.0


async def health_check(call: Call) -> Response:
    return json_response(HealthCheck(healthy=await _is_ready(call)))


async def livez(_call: Call) -> Response:
    return Response("ok\n", media_type="text/plain")


async def readyz(call: Call) -> Response:
    if await _is_ready(call):
        return Response("ready\n", media_type="text/plain")
    return Response("not ready\n", 503, media_type="text/plain")


async def metrics(call: Call) -> Response:
    check_may_see_metrics(call.runtime, call.request)
    return Response(figures.exposition(await call.runtime.backlog.read()), media_type=figures.CONTENT_TYPE)


async def _is_ready(call: Call) -> bool:
    try:
        async with asyncio.timeout(READY_WITHIN_S):
            return await health.is_ready(call.runtime.database)
    except TimeoutError:
        return False
