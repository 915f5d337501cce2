"""Whatever an address does differently is found by the row that is about it, and by no other."""

import uuid
from collections.abc import AsyncIterator, Sequence
from zoneinfo import ZoneInfo

import httpx
import pytest
import pytest_asyncio
from aiohttp import web

from bindery.conformance.play import Means, RowVerdict
from bindery.conformance.run import Target, chosen_rows, player
from support.postgres import create_database, drop_database
from support.processes import NO_TLS, free_port
from support.receiver import Received, receiving
from support.service import Service, serving, working
from support.spoiled_answers import CASES, Case
from support.spoiling import Spoil, Spoiling

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def demo(
    server: str, template: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Service]:
    """A demo with its worker, for all tests here."""
    name = f"test_{uuid.uuid4().hex}"
    dsn = await create_database(server, name, template=template)
    async with serving(dsn, tmp_path_factory.mktemp("demo")) as service, working(service):
        yield service
    await drop_database(server, name)


async def flaws(
    demo: Service, areas: Sequence[str], *spoils: Spoil, listen: int = 0, endpoint: str = ""
) -> dict[str, str]:
    """Play areas against what is spoiled, and return why rows did not hold."""
    target = Target(
        url="http://127.0.0.1/v2",
        token=demo.token,
        means=Means(zone=ZoneInfo("America/New_York"), broker="broker@example.com"),
        listen=("127.0.0.1", listen),
        endpoint=endpoint,
    )
    transport = Spoiling(demo.http._transport, spoils)
    async with (
        httpx.AsyncClient(transport=transport, base_url=target.url, timeout=60) as http,
        player(target, http) as playing,
    ):
        played = [row async for row in playing.play_all(chosen_rows(areas, decisions=True), parallel=8)]
    assert len(played) > 1
    return {row.row.id: row.why for row in played if row.verdict is RowVerdict.NOT_HELD}


AT_ONCE = ("a field is dropped", "a premium is a text", "a limit has no lower end", "a document has no title")
"""These are quick; each of the others plays an area that binds, prints or prices a good deal."""


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=name, marks=() if name in AT_ONCE else pytest.mark.long)
        for name, case in CASES.items()
    ],
)
async def test_what_is_different_is_found_by_its_row_alone(demo: Service, case: Case) -> None:
    assert set(await flaws(demo, case.areas, case.spoil)) == set(case.rows)


async def test_what_is_found_is_said(demo: Service) -> None:
    found = await flaws(demo, ["quote.MPL"], CASES["a field is dropped"].spoil)

    assert found == {"quote.MPL.surcharges_effective_from": "surcharges_effective_from is missing"}


@pytest.mark.long
async def test_what_is_not_spoiled_holds(demo: Service) -> None:
    assert await flaws(demo, ["quote", "binds", "webhooks", "codes.404"]) == {}


@pytest.mark.parametrize(
    ("spoiled", "rows"),
    [
        ("webhook-signature", {"webhooks.signed.quote", "webhooks.signed.policy"}),
        pytest.param(
            "webhook-timestamp", {"webhooks.signed.quote", "webhooks.signed.policy"}, marks=pytest.mark.long
        ),
        pytest.param("the body", {"webhooks.signed.quote", "webhooks.signed.policy"}, marks=pytest.mark.long),
    ],
)
async def test_a_delivery_that_is_not_signed_as_it_came_is_found(
    demo: Service, spoiled: str, rows: set[str]
) -> None:
    behind = f"http://127.0.0.1:{free_port()}"

    async def relay(delivery: Received) -> web.Response:
        headers = {name: value for name, value in delivery.headers.items() if name != spoiled}
        body = delivery.body + b" " if spoiled == "the body" else delivery.body
        hook = delivery.path.rpartition("/")[2]
        async with httpx.AsyncClient(verify=NO_TLS) as http:
            answer = await http.post(f"{behind}/{hook}", content=body, headers=_plain(headers))
        return web.Response(status=answer.status_code)

    async with receiving() as between:
        between.answer = relay
        found = await flaws(demo, ["webhooks"], listen=int(behind.rpartition(":")[2]), endpoint=between.url)

    assert set(found) == rows


def _plain(headers: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name.startswith(("webhook-", "content-type"))}
