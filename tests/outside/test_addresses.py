import asyncio
import datetime as dt
import ssl
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bindery.outside.addresses import (
    PUBLIC_ONLY,
    PUBLIC_OR_LOOPBACK,
    AddressRefused,
    AddressRule,
    IPAddress,
    is_public,
)
from bindery.outside.guarded_connect import (
    AddressUnreachable,
    Resolve,
    connect_socket,
    open_checked,
    resolve_checked,
    system_resolve,
)
from bindery.outside.partner_http import (
    ANSWER_KEPT_BYTES,
    NoAnswer,
    PartnerSession,
    open_partner_session,
    post_to_partner,
)
from support.network import (
    HERE,
    Site,
    closed_port,
    greeting,
    http_answer,
    make_authority,
    only_here,
    say_nothing,
    tcp_server,
)

HOSTILE = (
    ("loopback", "127.0.0.1"),
    ("loopback, another of its 16 million", "127.8.9.10"),
    ("this network", "0.0.0.0"),
    ("this network, not its first", "0.1.2.3"),
    ("private 10", "10.0.0.1"),
    ("private 172.16, first", "172.16.0.0"),
    ("private 172.16, last", "172.31.255.255"),
    ("private 192.168", "192.168.1.1"),
    ("link-local", "169.254.0.1"),
    ("metadata", "169.254.169.254"),
    ("metadata on a public address", "168.63.129.16"),
    ("metadata inside carrier-grade NAT", "100.100.100.200"),
    ("metadata inside protocol assignments", "192.0.0.192"),
    ("carrier-grade NAT, first", "100.64.0.0"),
    ("carrier-grade NAT, last", "100.127.255.255"),
    ("documentation", "203.0.113.9"),
    ("benchmarks", "198.19.255.255"),
    ("6to4 relay", "192.88.99.1"),
    ("multicast", "224.0.0.1"),
    ("reserved", "240.0.0.1"),
    ("broadcast", "255.255.255.255"),
    ("IPv6 loopback", "::1"),
    ("IPv6 unspecified", "::"),
    ("IPv6 link-local", "fe80::1"),
    ("IPv6 link-local with its zone", "fe80::1%eth0"),
    ("IPv6 public with a zone", "2606:4700::1%eth0"),
    ("IPv6 site-local", "fec0::1"),
    ("IPv6 private", "fd00:ec2::254"),
    ("IPv6 multicast", "ff02::1"),
    ("IPv6 documentation", "2001:db8::1"),
    ("IPv6 newer documentation", "3fff::1"),
    ("IPv4-compatible loopback", "::127.0.0.1"),
    ("mapped loopback", "::ffff:127.0.0.1"),
    ("mapped metadata", "::ffff:a9fe:a9fe"),
    ("NAT64 of loopback", "64:ff9b::7f00:1"),
    ("NAT64 of metadata", "64:ff9b::a9fe:a9fe"),
    ("local NAT64 of loopback", "64:ff9b:1::7f00:1"),
    ("local NAT64, address in the middle", "64:ff9b:1:7f00:0:100::"),
    ("6to4 of loopback", "2002:7f00:1::"),
    ("6to4 of metadata", "2002:a9fe:a9fe::1"),
    ("Teredo", "2001:0:7f00:1::80ff:fffe"),
    ("octal spelling of loopback", "0177.0.0.1"),
    ("hexadecimal spelling", "0x7f.0.0.1"),
    ("short spelling", "127.1"),
    ("integer spelling", "2130706433"),
    ("hexadecimal integer", "0x7f000001"),
    ("padded spelling", "127.000.000.001"),
    ("a name", "localhost"),
    ("nothing", ""),
)


@pytest.mark.parametrize(("what", "address"), HOSTILE, ids=[what for what, _ in HOSTILE])
def test_a_hostile_address_is_not_public(what: str, address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "1.1.1.1",
        "9.255.255.255",
        "11.0.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "126.255.255.255",
        "128.0.0.0",
        "168.63.129.15",
        "168.63.129.17",
        "169.253.255.255",
        "169.255.0.0",
        "172.15.255.255",
        "172.32.0.0",
        "192.0.1.0",
        "192.167.255.255",
        "192.169.0.0",
        "198.17.255.255",
        "198.20.0.0",
        "223.255.255.255",
        "2001:200::1",
        "2606:4700::1111",
        "2a00:1450::1",
        "::ffff:1.1.1.1",
        "64:ff9b::101:101",
    ],
)
def test_an_address_next_to_the_refused_ranges_is_public(address: str) -> None:
    assert is_public(address)


@given(st.integers(min_value=0, max_value=2**32 - 1).map(IPv4Address))
def test_what_the_guard_calls_public_the_standard_library_calls_global(address: IPv4Address) -> None:
    if is_public(address):
        assert address.is_global
        assert not address.is_multicast


@given(st.integers(min_value=0, max_value=2**128 - 1).map(IPv6Address))
def test_no_ipv6_address_outside_the_global_unicast_range_is_public(address: IPv6Address) -> None:
    if is_public(address) and address.ipv4_mapped is None and not str(address).startswith("64:ff9b::"):
        assert int(address) >> 125 == 0b001


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "::ffff:127.0.0.1"])
def test_loopback_is_allowed_by_the_demo_rule_alone(address: str) -> None:
    assert PUBLIC_OR_LOOPBACK(ip_address(address), 8080)
    assert not PUBLIC_ONLY(ip_address(address), 8080)


@pytest.mark.parametrize("address", ["10.0.0.1", "169.254.169.254", "fe80::1"])
def test_the_demo_rule_allows_nothing_else_inside(address: str) -> None:
    assert not PUBLIC_OR_LOOPBACK(ip_address(address), 443)


@pytest.mark.parametrize(("port", "allowed"), [(0, False), (1, True), (65_535, True), (65_536, False)])
def test_a_port_must_exist(port: int, allowed: bool) -> None:
    assert PUBLIC_ONLY(ip_address("1.1.1.1"), port) is allowed


class Answering:
    """A resolver that has one list of addresses per look-up, and keeps the names it was asked for."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self.answers = answers
        self.asked: list[str] = []

    async def __call__(self, name: str) -> list[IPAddress]:
        self.asked.append(name)
        return [ip_address(address) for address in self.answers[len(self.asked) - 1]]


async def test_a_name_that_leads_to_a_public_address_is_resolved() -> None:
    assert await resolve_checked("example.com", 443, resolve=Answering(["1.1.1.1", "2606:4700::1"])) == (
        IPv4Address("1.1.1.1"),
        IPv6Address("2606:4700::1"),
    )


@pytest.mark.parametrize("address", ["127.0.0.1", "10.1.2.3", "169.254.169.254", "64:ff9b::7f00:1", "::1"])
async def test_a_name_that_leads_inside_is_refused(address: str) -> None:
    with pytest.raises(AddressRefused):
        await resolve_checked("inside.example.com", 443, resolve=Answering([address]))


@pytest.mark.parametrize("position", [0, 1, 2])
async def test_one_bad_address_among_good_ones_refuses_the_name(position: int) -> None:
    addresses = ["1.1.1.1", "8.8.8.8"]
    addresses.insert(position, "192.168.0.1")

    with pytest.raises(AddressRefused):
        await resolve_checked("mixed.example.com", 443, resolve=Answering(addresses))


@pytest.mark.parametrize("spelling", ["0177.0.0.1", "2130706433", "127.1", "0x7f.0.0.1", "localhost"])
async def test_odd_spellings_of_loopback_are_refused_whatever_the_machine_makes_of_them(
    spelling: str,
) -> None:
    with pytest.raises(OSError, match=r"127\.0\.0\.1|::1|not known|Name"):
        await resolve_checked(spelling, 80, resolve=system_resolve)


async def test_a_name_without_an_address_is_unreachable() -> None:
    with pytest.raises(AddressUnreachable):
        await resolve_checked("empty.example.com", 443, resolve=Answering([]))


async def test_the_socket_itself_refuses_a_hostile_address() -> None:
    async with tcp_server(say_nothing) as listener:
        with pytest.raises(AddressRefused):
            await connect_socket(ip_address(HERE), listener.port, timeout_s=1)

        assert listener.connections == 0


async def test_opening_checks_every_address_before_it_connects_to_the_first() -> None:
    async with tcp_server(greeting(b"hello")) as listener:
        with pytest.raises(AddressRefused):
            async with open_checked(
                "mixed.example.com",
                (ip_address(HERE), ip_address("10.0.0.1")),
                listener.port,
                rule=only_here,
                connect_timeout_s=1,
                handshake_timeout_s=1,
            ):
                pass

        assert listener.connections == 0


async def test_a_closed_port_is_unreachable() -> None:
    with closed_port() as port, pytest.raises(AddressUnreachable):
        await connect_socket(ip_address(HERE), port, rule=only_here, timeout_s=1)


async def test_a_handshake_that_never_comes_ends_in_time() -> None:
    async with tcp_server(say_nothing) as listener:
        with pytest.raises(TimeoutError):
            async with open_checked(
                "example.com",
                (ip_address(HERE),),
                listener.port,
                rule=only_here,
                tls=ssl.create_default_context(),
                connect_timeout_s=1,
                handshake_timeout_s=0.1,
            ):
                pass


def session_for(
    resolve: Resolve,
    *,
    rule: AddressRule = PUBLIC_ONLY,
    timeout_s: float = 60.0,
    tls: ssl.SSLContext | None = None,
) -> PartnerSession:
    return open_partner_session(
        timeout_s=timeout_s, user_agent="Bindery-Tests", rule=rule, resolve=resolve, tls=tls
    )


async def test_a_partner_endpoint_gets_the_body_under_its_own_name() -> None:
    site = Site({"/hook": http_answer(200, "thanks", Retry_After="30")})
    resolve = Answering([HERE])
    async with tcp_server(site) as listener, session_for(resolve, rule=only_here) as session:
        answer = await post_to_partner(
            session, f"http://hooks.example.com:{listener.port}/hook", body=b"{}", headers={}
        )

    assert (answer.status, answer.retry_after, answer.body_start) == (200, "30", b"thanks")
    assert site.hosts_asked == [f"hooks.example.com:{listener.port}"]


async def test_an_https_endpoint_is_verified_by_its_name(tmp_path: Path) -> None:
    authority = make_authority(tmp_path)
    tls = ssl.create_default_context(cadata=authority.pem)
    until = dt.datetime(2120, 1, 1, tzinfo=dt.UTC)
    server_tls = authority.server("hooks.example.com", until=until)
    site = Site({"/": http_answer(204)})
    async with (
        tcp_server(site, tls=server_tls) as listener,
        session_for(Answering([HERE], [HERE]), rule=only_here, tls=tls) as session,
    ):
        url = f"https://hooks.example.com:{listener.port}/"
        assert (await post_to_partner(session, url, body=b"{}", headers={})).status == 204

        with pytest.raises(NoAnswer, match="certificate"):
            await post_to_partner(session, url.replace("hooks", "other"), body=b"{}", headers={})

    assert site.paths_asked == ["/"]


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "169.254.169.254", "2130706433", "127.1", "0177.0.0.1"],
)
async def test_an_endpoint_written_as_a_hostile_number_is_never_connected_to(host: str) -> None:
    async with tcp_server(say_nothing) as listener, session_for(system_resolve) as session:
        with pytest.raises(NoAnswer):
            await post_to_partner(session, f"http://{host}:{listener.port}/", body=b"{}", headers={})

        assert listener.connections == 0


async def test_an_endpoint_name_with_one_bad_address_is_never_connected_to() -> None:
    async with (
        tcp_server(say_nothing) as listener,
        session_for(Answering([HERE, "10.0.0.1"]), rule=only_here) as session,
    ):
        with pytest.raises(NoAnswer):
            await post_to_partner(
                session, f"http://hooks.example.com:{listener.port}/", body=b"{}", headers={}
            )

        assert listener.connections == 0


async def test_a_name_that_changes_its_address_after_the_check_is_not_looked_up_again() -> None:
    rebinding = Answering([HERE], ["10.0.0.1"])
    site = Site({"/": http_answer(200)})
    async with tcp_server(site) as listener, session_for(rebinding, rule=only_here) as session:
        await post_to_partner(session, f"http://hooks.example.com:{listener.port}/", body=b"", headers={})

    assert rebinding.asked == ["hooks.example.com"]
    assert listener.connections == 1


async def test_a_redirect_is_an_answer_and_is_not_followed() -> None:
    async with tcp_server(say_nothing) as inside:
        site = Site({"/": http_answer(307, Location=f"http://{HERE}:{inside.port}/")})
        async with tcp_server(site) as listener, session_for(Answering([HERE]), rule=only_here) as session:
            answer = await post_to_partner(
                session, f"http://hooks.example.com:{listener.port}/", body=b"{}", headers={}
            )

        assert answer.status == 307
        assert inside.connections == 0


async def test_a_connection_is_used_again_for_the_next_request() -> None:
    async def keep_alive(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.readuntil(b"\r\n\r\n"):
            await reader.readexactly(2)
            writer.write(http_answer(200, "thanks"))
            await writer.drain()

    async with tcp_server(keep_alive) as listener, session_for(Answering([HERE]), rule=only_here) as session:
        for _ in range(3):
            url = f"http://hooks.example.com:{listener.port}/"
            assert (await post_to_partner(session, url, body=b"{}", headers={})).status == 200

        assert listener.connections == 1


async def test_only_the_start_of_a_long_answer_is_read() -> None:
    async def pour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 500 No\r\nContent-Type: text/plain\r\n\r\n")
        while True:
            writer.write(b"y" * 65_536)
            await writer.drain()

    async with tcp_server(pour) as listener, session_for(Answering([HERE]), rule=only_here) as session:
        answer = await post_to_partner(
            session, f"http://hooks.example.com:{listener.port}/", body=b"{}", headers={}
        )

    assert answer.body_start == b"y" * ANSWER_KEPT_BYTES


async def test_an_endpoint_that_never_answers_ends_in_time() -> None:
    async with (
        tcp_server(say_nothing) as listener,
        session_for(Answering([HERE]), rule=only_here, timeout_s=0.2) as session,
    ):
        async with asyncio.timeout(60):
            with pytest.raises(TimeoutError):
                await post_to_partner(
                    session, f"http://hooks.example.com:{listener.port}/", body=b"{}", headers={}
                )


async def test_a_proxy_of_the_environment_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    async with tcp_server(say_nothing) as proxy, tcp_server(Site({"/": http_answer(200)})) as listener:
        monkeypatch.setenv("http_proxy", f"http://{HERE}:{proxy.port}")
        async with session_for(Answering([HERE]), rule=only_here) as session:
            url = f"http://hooks.example.com:{listener.port}/"
            assert (await post_to_partner(session, url, body=b"{}", headers={})).status == 200

        assert proxy.connections == 0
