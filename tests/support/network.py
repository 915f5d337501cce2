"""Loopback stand-ins for the internet: a DNS server, made certificates, web and TCP servers."""

import asyncio
import contextlib
import datetime as dt
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import dns.message
import dns.name
import dns.rcode
import dns.rdatatype
import dns.rrset
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID

from bindery.domain.scan.checks import scan_catalogue
from bindery.outside.addresses import IPAddress

HERE = "127.0.0.1"
NOW = dt.datetime(2026, 11, 15, 12, 0, tzinfo=dt.UTC)
Records = Mapping[str, Mapping[str, Sequence[str]]]
Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def only_here(address: IPAddress, port: int) -> bool:
    """The rule of tests: this one loopback address, no other of the machine and none of the internet."""
    return str(address) == HERE


@dataclass
class LoopbackDns:
    """Answers from a table; names may also fail or stay silent."""

    records: Records
    failing: frozenset[str] = frozenset()
    silent: frozenset[str] = frozenset()
    port: int = 0
    asked: list[tuple[str, str]] = field(default_factory=list)
    successive: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    """What a name answers first, second and so on, for names that change."""

    def answer(self, query: dns.message.Message) -> bytes | None:
        name, kind = query.question[0].name, query.question[0].rdtype
        text = name.to_text(omit_final_dot=True).lower()
        self.asked.append((text, dns.rdatatype.to_text(kind)))
        if text in self.silent:
            return None
        response = dns.message.make_response(query)
        if text in self.failing:
            response.set_rcode(dns.rcode.SERVFAIL)
            return response.to_wire()
        while "CNAME" in self.records.get(text, {}) and kind != dns.rdatatype.CNAME:
            target = self.records[text]["CNAME"][0]
            response.answer.append(dns.rrset.from_text(text + ".", 60, "IN", "CNAME", target + "."))
            text = target
        found = self.records.get(text, {}).get(dns.rdatatype.to_text(kind), ())
        if changing := self.successive.get((text, dns.rdatatype.to_text(kind))):
            found = [changing.pop(0)]
        if found:
            response.answer.append(
                dns.rrset.from_text(text + ".", 60, "IN", dns.rdatatype.to_text(kind), *found)
            )
        elif not any(known == text or known.endswith("." + text) for known in self.records):
            response.set_rcode(dns.rcode.NXDOMAIN)
        return response.to_wire()

    def times_asked(self, name: str, kind: str) -> int:
        return self.asked.count((name, kind))


class _DnsProtocol(asyncio.DatagramProtocol):
    def __init__(self, server: LoopbackDns) -> None:
        self.server = server

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.DatagramTransport", transport)

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        answer = self.server.answer(dns.message.from_wire(data))
        if answer is not None:
            self.transport.sendto(answer, addr)


@contextlib.asynccontextmanager
async def dns_server(
    records: Records, *, failing: Sequence[str] = (), silent: Sequence[str] = ()
) -> AsyncIterator[LoopbackDns]:
    server = LoopbackDns(records, frozenset(failing), frozenset(silent))
    transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(
        lambda: _DnsProtocol(server), local_addr=(HERE, 0)
    )
    server.port = transport.get_extra_info("sockname")[1]
    try:
        yield server
    finally:
        transport.close()
        await asyncio.sleep(0)


@dataclass
class Listener:
    """A TCP server on a free port, with what it was asked."""

    port: int
    connections: int = 0
    requests: list[str] = field(default_factory=list)


@contextlib.asynccontextmanager
async def tcp_server(
    handler: Handler, *, tls: ssl.SSLContext | None = None, address: str = HERE
) -> AsyncIterator[Listener]:
    listener = Listener(0)
    running: set[asyncio.Task[Any]] = set()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        listener.connections += 1
        task = asyncio.current_task()
        assert task is not None
        running.add(task)
        try:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError):
                await handler(reader, writer)
        finally:
            running.discard(task)
            writer.transport.abort()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    server = await asyncio.start_server(handle, address, 0, ssl=tls)
    listener.port = server.sockets[0].getsockname()[1]
    try:
        yield listener
    finally:
        server.close()
        await server.wait_closed()
        for task in tuple(running):
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


def greeting(text: bytes) -> Handler:
    """Send something first, then wait for the other side to leave."""

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(text)
        await writer.drain()
        await reader.read()

    return handle


async def say_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read()


def send_without_end(start: bytes) -> Handler:
    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.write(start)
        while True:
            writer.write(b"x" * 16_384)
            await writer.drain()

    return handle


@dataclass
class Site:
    """Raw answers by path; a path that is not listed answers 404."""

    answers: Mapping[str, bytes]
    hosts_asked: list[str] = field(default_factory=list)
    paths_asked: list[str] = field(default_factory=list)

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        path = head.split(" ")[1]
        self.paths_asked.append(path)
        self.hosts_asked += [line[6:] for line in head.split("\r\n") if line.startswith("Host: ")]
        writer.write(self.answers.get(path, http_answer(404, "not here")))
        await writer.drain()


def http_answer(status: int, body: str = "", **headers: str) -> bytes:
    fields = {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"HTTP/1.1 {status} Whatever", f"Content-Length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in fields.items()]
    return ("\r\n".join(lines) + "\r\n\r\n" + body).encode()


WELL_SET_UP = http_answer(
    200,
    "<title>Welcome</title>",
    Strict_Transport_Security="max-age=31536000",
    Content_Security_Policy="default-src 'self'; frame-ancestors 'none'",
    X_Content_Type_Options="nosniff",
    Referrer_Policy="no-referrer",
    Server="plain",
)


@contextlib.contextmanager
def closed_port() -> Iterator[int]:
    """Hold a port that refuses every connection."""
    with socket.socket() as holder:
        holder.bind((HERE, 0))
        yield holder.getsockname()[1]


def ports_with(open_ports: Mapping[int, int], *, closed: int) -> dict[int, int]:
    """Map every port a scan may touch to a loopback port, so that nothing else on the machine is touched."""
    listed = dict.fromkeys((port.number for port in scan_catalogue().ports), closed)
    return listed | {53: closed} | dict(open_ports)


@dataclass(frozen=True)
class Authority:
    """A certificate authority of our own, and the certificates it signs."""

    folder: Path
    key: ec.EllipticCurvePrivateKey
    certificate: x509.Certificate

    @property
    def pem(self) -> str:
        return self.certificate.public_bytes(serialization.Encoding.PEM).decode()

    def server(self, *names: str, until: dt.datetime, weak: bool = False) -> ssl.SSLContext:
        """Sign a certificate and give a server context that shows it."""
        key = (
            rsa.generate_private_key(public_exponent=65_537, key_size=1024)
            if weak
            else ec.generate_private_key(ec.SECP256R1())
        )
        certificate = (
            _builder(names[0], self.certificate.subject, key.public_key(), until)
            .add_extension(
                x509.SubjectAlternativeName([x509.DNSName(name) for name in names]), critical=False
            )
            .sign(self.key, hashes.SHA256())
        )
        path = self.folder / f"{names[0]}-{until:%Y%m%d%H%M%S}{'-weak' * weak}.pem"
        path.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
            + certificate.public_bytes(serialization.Encoding.PEM)
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        # Some builds of Python, Debian's for one, let a server speak TLS 1.0 unless it is told otherwise.
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        if weak:
            context.set_ciphers("ALL:@SECLEVEL=0")
        context.load_cert_chain(path)
        return context


def make_authority(folder: Path) -> Authority:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Loopback Authority")])
    certificate = (
        _builder("Loopback Authority", name, key.public_key(), dt.datetime(2120, 1, 1, tzinfo=dt.UTC))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    return Authority(folder, key, certificate)


def _builder(
    common_name: str,
    issuer: x509.Name,
    key: ec.EllipticCurvePublicKey | rsa.RSAPublicKey,
    until: dt.datetime,
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)]))
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(dt.datetime(2020, 1, 1, tzinfo=dt.UTC))
        .not_valid_after(until)
    )
