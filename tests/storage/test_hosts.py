"""Addresses that name several servers: the one that takes writes is found, whatever the others do."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from urllib.parse import parse_qs, urlsplit

import asyncpg
import pytest
from asyncpg.connect_utils import SessionAttribute

from bindery.storage.database import Database
from bindery.storage.hosts import HostPort, hosts_of, without_hosts
from bindery.storage.watch import NoPrimary, connect
from support.debian_postgres import debian_postgres, standby_of
from support.processes import free_port
from support.service import Service

NOBODY_IN_TIME = "the server does not answer"


@pytest.mark.parametrize(
    ("dsn", "hosts"),
    [
        ("postgresql://db.example.com/bindery", ()),
        ("postgresql://u:p@db.example.com:5433/bindery", ()),
        ("postgresql://u@/bindery?host=/run/postgresql", ()),
        (
            "postgresql://u:p@a,b:5433,c/bindery",
            (HostPort("a"), HostPort("b", 5433), HostPort("c")),
        ),
        ("postgresql://a:1,[2001:db8::1]:2/bindery", (HostPort("a", 1), HostPort("2001:db8::1", 2))),
        ("postgresql://u@/bindery?host=a,b&port=5433", (HostPort("a", 5433), HostPort("b", 5433))),
        ("postgresql://u@/bindery?host=a,/run/b&port=1,2", (HostPort("a", 1), HostPort("/run/b", 2))),
        ("postgresql://u@/bindery?host=a,b", (HostPort("a"), HostPort("b"))),
    ],
)
def test_the_servers_of_an_address_are_read(dsn: str, hosts: tuple[HostPort, ...]) -> None:
    assert hosts_of(dsn) == hosts


@pytest.mark.parametrize(
    "dsn",
    ["postgresql://a,,c/bindery", "postgresql://a,b:c:d/bindery", "postgresql:///b?host=a,b&port=1,2,3"],
)
def test_an_address_that_cannot_be_read_is_refused(dsn: str) -> None:
    with pytest.raises(ValueError, match="the database's address"):
        hosts_of(dsn)


@pytest.mark.parametrize(
    ("dsn", "rest"),
    [
        (
            "postgresql://u:p%40@a,[2001:db8::1]:2/bindery?ssl=require",
            "postgresql://u:p%40@/bindery?ssl=require",
        ),
        ("postgresql://a,b", "postgresql://"),
        ("postgresql:///bindery?host=a,b", "postgresql:///bindery?host=a,b"),
    ],
)
def test_an_address_is_used_for_one_of_its_servers(dsn: str, rest: str) -> None:
    assert without_hosts(dsn) == rest


async def test_servers_are_named_by_their_addresses_whatever_their_order() -> None:
    ports = free_port(), free_port()

    with pytest.raises(NoPrimary, match="none of the servers takes writes") as refused:
        await connect(f"postgresql://u:p@127.0.0.1:{ports[0]},[::1]:{ports[1]}/bindery")

    assert f"::1:{ports[1]}: " in str(refused.value)


def naming(dsn: str, *others: str) -> str:
    """Return an address that names other servers before the one of `dsn`."""
    query = parse_qs(urlsplit(dsn).query)
    hosts = [other.rpartition(":") for other in others]
    names = ",".join([*(name for name, _, _ in hosts), query["host"][0]])
    ports = ",".join([*(port for _, _, port in hosts), query["port"][0]])
    return f"{dsn.partition('?')[0]}?host={names}&port={ports}"


@contextlib.asynccontextmanager
async def swallowing() -> AsyncIterator[str]:
    """A server that lets everybody connect and never says a word."""
    held: list[asyncio.StreamWriter] = []

    async def hold(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        held.append(writer)

    server = await asyncio.start_server(hold, "127.0.0.1", 0)
    try:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        for writer in held:
            writer.transport.abort()


async def test_servers_that_are_down_or_silent_do_not_hide_the_one_that_works(dsn: str) -> None:
    async with swallowing() as silent:
        connection = await connect(naming(dsn, f"127.0.0.1:{free_port()}", silent))

        assert await connection.fetchval("select 1") == 1
        await connection.close()


async def test_the_server_that_took_writes_last_is_asked_first(dsn: str) -> None:
    async with swallowing() as silent:
        address = naming(dsn, silent)
        await (await connect(address)).close()
        async with asyncio.timeout(1.5):  # less than the silent one gets
            await (await connect(address)).close()


async def test_every_server_and_what_it_answered_is_named_where_none_works() -> None:
    dead = free_port()
    async with swallowing() as silent:
        with pytest.raises(NoPrimary) as refused:
            await connect(f"postgresql://bindery@{silent},127.0.0.1:{dead}/bindery")

    assert str(refused.value).startswith(f"none of the servers takes writes ({silent}: {NOBODY_IN_TIME}; ")
    assert f"127.0.0.1:{dead}: " in str(refused.value)


async def test_a_connection_to_a_server_that_takes_no_writes_any_more_is_not_lent_again(
    service: Service,
) -> None:
    database: Database = service.runtime.database

    async def write() -> int:
        async with database.autocommit() as tx:
            pid = await tx.value(int, "select pg_backend_pid()")
            await tx.connection.execute("set default_transaction_read_only = on")
            await tx.execute("delete from sign_in_failures")
        return pid

    with pytest.raises(asyncpg.ReadOnlySQLTransactionError):
        await write()

    async with database.autocommit() as tx:
        await tx.execute("delete from sign_in_failures")


@pytest.mark.long
async def test_the_primary_is_found_before_and_after_its_standby_takes_over() -> None:
    with debian_postgres() as first, standby_of(first) as second:
        address = f"postgresql://bindery@/postgres?host={second.folder},{first.folder}"
        connection = await connect(address)
        await connection.execute("create table written (number int)")
        await connection.close()
        with pytest.raises(asyncpg.TargetServerAttributeNotMatched):
            await asyncpg.connect(second.dsn, target_session_attrs=SessionAttribute.primary)

        first.stop()
        with pytest.raises(NoPrimary, match="none of the servers takes writes"):
            await connect(address)
        second.run("pg_ctl", "promote", "--wait")
        connection = await connect(address)

        await connection.execute("insert into written values (1)")
        await connection.close()
