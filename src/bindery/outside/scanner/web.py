"""One GET, as small as it can be: raw, capped, no cookies, no compression, redirects judged hop by hop."""

import asyncio
import re
import ssl
from dataclasses import dataclass
from html import unescape
from typing import Final
from urllib.parse import quote, urljoin, urlsplit

from bindery.outside.scanner.connector import Connector, Host
from bindery.outside.scanner.hosts import HostBook, NotScannable, registrable_of, scannable_name

WEB_PORTS: Final = frozenset({80, 443, 8443})
SAFE_IN_URLS: Final = "/%:@!$&'()*+,;=-._~?"
DEFAULT_PORTS: Final = {"http": 80, "https": 443}
REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
STATUS_LINE: Final = re.compile(rb"HTTP/1\.[01] (\d{3})")
TITLE: Final = re.compile(r"<title[^>]*>([^<]{0,200})", re.IGNORECASE)
META: Final = re.compile(
    r"<meta\s+name=[\"'](generator|ajs-version-number)[\"']\s+content=[\"']([^\"'<>]{1,200})[\"']",
    re.IGNORECASE,
)


class NotHttp(OSError):
    """The server does not speak HTTP, or sends too much."""


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """One answer: its headers with small-letter names, and the start of its body."""

    host: Host
    url: str
    status: int
    headers: tuple[tuple[str, str], ...]
    body: str

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key == name), None)

    @property
    def is_secure(self) -> bool:
        return self.url.startswith("https:")

    @property
    def redirect(self) -> str | None:
        location = self.header("location")
        return _joined(self.url, location) if self.status in REDIRECTS and location else None

    @property
    def facts(self) -> tuple[str, ...]:
        """List the lines that products give themselves away by: headers, title, generator."""
        title = TITLE.search(self.body)
        return (
            *(f"{key}: {value}" for key, value in self.headers),
            *((f"title: {_one_line(title[1])}",) if title else ()),
            *(f"{name.lower()}: {_one_line(content)}" for name, content in META.findall(self.body)),
        )


@dataclass(frozen=True, slots=True)
class Fetch:
    """The pages of a visit in order, and a redirect that was not followed."""

    pages: tuple[FetchedPage, ...]
    went_no_further: str | None = None

    @property
    def landing(self) -> FetchedPage:
        return self.pages[-1]

    @property
    def reached_https(self) -> bool:
        return self.landing.is_secure or (self.went_no_further or "").startswith("https:")


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFetcher:
    domain: str
    connector: Connector
    hosts: HostBook
    tls: ssl.SSLContext
    user_agent: str

    async def visit(self, host: Host, url: str) -> Fetch:
        """Fetch a page and follow its redirects, three at most, inside the registrable domain.

        A hop elsewhere, to a port that is not listed, or to an address that may not be contacted is
        recorded and not fetched.
        """
        pages = [await self.fetch(host, url)]
        for _ in range(self.connector.limits.redirects):
            target = pages[-1].redirect
            if target is None:
                return Fetch(tuple(pages))
            next_host = await self._host_of(host, target)
            if next_host is None:
                break
            try:
                pages.append(await self.fetch(next_host, target))
            except TimeoutError:
                raise
            except OSError:
                break
        return Fetch(tuple(pages), went_no_further=pages[-1].redirect)

    async def fetch(self, host: Host, url: str) -> FetchedPage:
        parts = urlsplit(url)
        port = parts.port or DEFAULT_PORTS[parts.scheme]
        path = quote(parts.path or "/", safe=SAFE_IN_URLS)
        query = f"?{quote(parts.query, safe=SAFE_IN_URLS)}" if parts.query else ""
        request = (
            f"GET {path}{query} HTTP/1.1\r\n"
            f"Host: {host.name}{'' if port == DEFAULT_PORTS[parts.scheme] else f':{port}'}\r\n"
            f"User-Agent: {self.user_agent}\r\n"
            "Accept: text/html\r\nAccept-Encoding: identity\r\nConnection: close\r\n\r\n"
        )
        tls = self.tls if parts.scheme == "https" else None
        async with self.connector.connection(host, port, tls=tls) as (reader, writer):
            writer.write(request.encode("ascii"))
            status, headers = await self._read_head(reader)
            body = await self.connector.read_start(
                reader, self.connector.limits.body_bytes, self.connector.limits.read_s
            )
        chunked = any(key == "transfer-encoding" and "chunked" in value.lower() for key, value in headers)
        text = (_without_chunks(body) if chunked else body).decode("utf-8", "replace")
        return FetchedPage(host, url, status, headers, text)

    async def _read_head(self, reader: asyncio.StreamReader) -> tuple[int, tuple[tuple[str, str], ...]]:
        most_bytes = self.connector.limits.header_bytes
        head = bytearray()
        async with asyncio.timeout(self.connector.limits.read_s):
            while not head.endswith((b"\r\n\r\n", b"\n\n")):
                line = await _read_line(reader, most_bytes - len(head))
                head += line
        status = STATUS_LINE.match(head)
        if status is None:
            raise NotHttp("the server does not answer in HTTP")
        lines = head.decode("latin-1").splitlines()[1:]
        fields = (line.partition(":") for line in lines if ":" in line)
        return int(status[1]), tuple((key.strip().lower(), value.strip()) for key, _, value in fields)

    async def _host_of(self, host: Host, url: str) -> Host | None:
        try:
            parts = urlsplit(url)
            port = parts.port or DEFAULT_PORTS[parts.scheme]
            name = scannable_name(parts.hostname or "")
        except (NotScannable, ValueError, KeyError):
            return None
        if parts.username is not None or port not in WEB_PORTS:
            return None
        if registrable_of(name) != registrable_of(self.domain):
            return None
        if name == host.name:
            return host
        return await self.hosts.look_up(name)


async def _read_line(reader: asyncio.StreamReader, most_bytes: int) -> bytes:
    try:
        line = await reader.readuntil(b"\n")
    except asyncio.IncompleteReadError as error:
        raise NotHttp("the server stopped in the middle of its headers") from error
    except asyncio.LimitOverrunError as error:
        raise NotHttp("the server sends a header line without end") from error
    if len(line) > most_bytes:
        raise NotHttp("the server sends more headers than are read")
    return line


def _without_chunks(body: bytes) -> bytes:
    """Remove the chunk marks from a body that may be cut off anywhere."""
    text, position = bytearray(), 0
    while (line_end := body.find(b"\r\n", position)) >= 0:
        try:
            length = int(body[position:line_end].partition(b";")[0], 16)
        except ValueError:
            break
        if length <= 0:
            break
        text += body[line_end + 2 : line_end + 2 + length]
        position = line_end + 2 + length + 2
    return bytes(text)


def _joined(url: str, location: str) -> str:
    try:
        return urljoin(url, location)
    except ValueError:
        return location


def _one_line(text: str) -> str:
    return " ".join(unescape(text).split())
