"""What an operation may raise, and what the caller is answered."""

import asyncpg
import httpx
import pytest
from starlette.types import Receive, Scope, Send

from bindery.api.app import _Faults
from bindery.http.observe import REQUEST_ID
from support.service import Service

AWAY = ConnectionRefusedError("nobody there")
STOPPING = asyncpg.AdminShutdownError("terminating connection")
WRONG_ARGUMENT = asyncpg.DataError("invalid input for query argument $1")
BUG = KeyError("bug")


async def answer_to(service: Service, fault: BaseException, method: str = "GET") -> httpx.Response:
    async def operation(_scope: Scope, _receive: Receive, _send: Send) -> None:
        if method == "POST":
            await service.runtime.database.pool.execute("create table committed ()")
        raise fault

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await _Faults(operation, service.runtime)({**scope, REQUEST_ID: "req_1"}, receive, send)

    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as http:
        return await http.request(method, "/")


@pytest.mark.parametrize(
    "fault",
    [
        AWAY,
        STOPPING,
        ExceptionGroup("tasks", [AWAY, STOPPING]),
        ExceptionGroup("", [ExceptionGroup("", [AWAY])]),
    ],
    ids=["refused", "stopping", "several at once", "nested"],
)
async def test_an_outage_is_503_however_many_tasks_met_it(service: Service, fault: Exception) -> None:
    answer = await answer_to(service, fault)

    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
    assert answer.headers["retry-after"] == "2"


@pytest.mark.parametrize(
    "fault",
    [BUG, WRONG_ARGUMENT, ExceptionGroup("tasks", [AWAY, BUG])],
    ids=["bug", "argument", "among others"],
)
async def test_a_bug_is_500_also_beside_an_outage(service: Service, fault: Exception) -> None:
    answer = await answer_to(service, fault)

    assert (answer.status_code, answer.json()["code"]) == (500, "internal_error")
    assert "bug" not in answer.text


async def test_a_bug_says_that_nothing_was_changed_only_where_that_is_known(service: Service) -> None:
    read = await answer_to(service, BUG, "GET")
    written = await answer_to(service, BUG, "POST")

    assert "nothing was changed" in read.json()["message"]
    assert await service.runtime.database.pool.fetchval("select count(*) from committed") == 0
    assert (written.status_code, written.json()["code"]) == (500, "internal_error")
    assert "we do not know whether the request took effect. Check before" in written.json()["message"]
    assert "nothing was changed" not in written.json()["message"]
