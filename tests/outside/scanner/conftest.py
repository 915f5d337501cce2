import contextlib
import ssl
from collections.abc import AsyncIterator, Mapping, Sequence

import pytest

from outside.scanner.town import FAR_AWAY, SOUND_RECORDS, BuildTown, Town
from support.network import (
    WELL_SET_UP,
    Authority,
    Handler,
    Records,
    Site,
    closed_port,
    dns_server,
    http_answer,
    make_authority,
    ports_with,
    tcp_server,
)

TLS_PORTS = {443, 4443, 8443, 10443, 5986}


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return make_authority(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="session")
def good_tls(authority: Authority) -> ssl.SSLContext:
    return authority.server("example.com", "*.example.com", until=FAR_AWAY)


@pytest.fixture
async def town(authority: Authority, good_tls: ssl.SSLContext) -> AsyncIterator[BuildTown]:
    """Build a town; its web site is well kept unless told otherwise, and a port set to None is closed."""
    async with contextlib.AsyncExitStack() as stack:

        async def build(
            records: Records = SOUND_RECORDS,
            servers: Mapping[int, Handler | None] | None = None,
            *,
            tls: ssl.SSLContext = good_tls,
            failing: Sequence[str] = (),
            silent: Sequence[str] = (),
        ) -> Town:
            served: dict[int, Handler | None] = {
                80: Site({"/": http_answer(301, Location="https://example.com/")}),
                443: Site({"/": WELL_SET_UP}),
                **(servers or {}),
            }
            closed = stack.enter_context(closed_port())
            listeners = {}
            for port, server in served.items():
                if server is not None:
                    context = tls if port in TLS_PORTS else None
                    listener = await stack.enter_async_context(tcp_server(server, tls=context))
                    listeners[port] = listener.port
            dns = await stack.enter_async_context(dns_server(records, failing=failing, silent=silent))
            return Town(dns, ports_with(listeners, closed=closed), authority)

        yield build
