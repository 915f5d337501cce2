"""The listed ports of an address: which are open, and what greets there. Nothing is sent but a TLS hello."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from bindery.domain.scan.checks import ListedPort, scan_catalogue
from bindery.domain.scan.scan import Confidence
from bindery.outside.addresses import IPAddress
from bindery.outside.scanner.connector import Connector, Host
from bindery.outside.scanner.scan_progress import ScanProgress
from bindery.outside.scanner.tls_checks import TlsProbe

FIRST_PORTS: Final = (443, 80, 25, 22)
"""Tried first: most hosts answer on one, and the time it takes decides how long to wait on the others."""
PATIENCE: Final = 4
"""The remaining ports get this many times the quickest answer."""
KNOCKS_AT_ONCE: Final = 4
SERVICE_CHECKS: Final = tuple(
    dict.fromkeys(port.check_id for port in scan_catalogue().ports if port.check_id is not None)
)


@dataclass(frozen=True, slots=True)
class OpenPort:
    port: ListedPort
    took_s: float
    greeting: bytes
    certificate: str | None


@dataclass(slots=True)
class _Knocks:
    tried: int = 0
    accepted: list[OpenPort] = field(default_factory=list)

    def look_like_a_liar(self, most_open: int) -> bool:
        """Whether too many ports accept to be true; of ports tried so far, the same share counts."""
        listed = len(scan_catalogue().ports)
        return len(self.accepted) * listed > most_open * self.tried


@dataclass(frozen=True, slots=True, kw_only=True)
class PortProbe:
    connector: Connector
    progress: ScanProgress
    tls: TlsProbe

    async def check(self, host: Host, address: IPAddress) -> frozenset[int]:
        knocks = _Knocks()
        try:
            with self.progress.attempt(*SERVICE_CHECKS):
                await self._try_ports(host.at(address), knocks)
        finally:
            # Also when time runs out: what was found by then counts.
            believable = not knocks.look_like_a_liar(self.connector.limits.open_ports_of_a_liar)
            if believable:
                for open_port in knocks.accepted:
                    self._judge(host.name, open_port)
        if not believable:
            self.progress.leave_undecided(*SERVICE_CHECKS)
            self.progress.note(
                f"{host.name}: answers on every port, as some firewalls do; its services are not judged"
            )
            return frozenset()
        return frozenset(open_port.port.number for open_port in knocks.accepted)

    async def _try_ports(self, host: Host, knocks: "_Knocks") -> None:
        limits = self.connector.limits
        ports = {port.number: port for port in scan_catalogue().ports}
        first = [ports.pop(number) for number in FIRST_PORTS]
        await self._knock_all(host, first, limits.connect_s, knocks)
        quickest_s = min((open_port.took_s for open_port in knocks.accepted), default=0.0)
        wait_s = max(limits.quick_connect_s, min(limits.connect_s, PATIENCE * quickest_s))
        await self._knock_all(host, sorted(ports.values(), key=_points, reverse=True), wait_s, knocks)

    async def _knock_all(
        self, host: Host, ports: Sequence[ListedPort], wait_s: float, knocks: "_Knocks"
    ) -> None:
        places = asyncio.Semaphore(KNOCKS_AT_ONCE)

        async def knock(port: ListedPort) -> None:
            async with places:
                open_port = await self._knock(host, port, wait_s)
            knocks.tried += 1
            if open_port is not None:
                knocks.accepted.append(open_port)

        async with asyncio.TaskGroup() as group:
            for port in ports:
                group.create_task(knock(port))

    async def _knock(self, host: Host, port: ListedPort, wait_s: float) -> OpenPort | None:
        clock = asyncio.get_running_loop().time
        started = clock()
        greets = port.check_id is not None and not port.speaks_tls
        try:
            async with self.connector.connection(host, port.number, connect_s=wait_s) as (reader, _):
                took_s = clock() - started
                greeting = await self.connector.read_greeting(reader) if greets else b""
        except OSError:
            return None
        shows_certificate = port.check_id is not None and port.speaks_tls
        certificate = await self._certificate(host, port) if shows_certificate else None
        return OpenPort(port, took_s, greeting, certificate)

    async def _certificate(self, host: Host, port: ListedPort) -> str | None:
        try:
            shown = await self.tls.read_certificate(host, port.number)
        except TimeoutError:
            return None
        return shown.subject if shown else None

    def _judge(self, host: str, open_port: OpenPort) -> None:
        port = open_port.port
        if port.check_id is None:
            return
        where = f"TCP {port.number} ({port.service})"
        if open_port.certificate is not None:
            self.progress.find(
                port.check_id, host, f"{where} showed a certificate for {open_port.certificate}."
            )
            return
        if not open_port.greeting:
            self.progress.find(port.check_id, host, f"{where} accepts connections.", Confidence.OBSERVED)
            return
        said = printable(open_port.greeting)
        if port.greeting is not None and port.greeting.search(open_port.greeting):
            self.progress.find(port.check_id, host, f"{where} greeted: {said}", Confidence.CONFIRMED)
        elif others := _services_that_greet_so(open_port.greeting):
            self._judge_stranger(host, open_port, others)
        else:
            self.progress.find(port.check_id, host, f"{where} said: {said}", Confidence.OBSERVED)

    def _judge_stranger(self, host: str, open_port: OpenPort, services: Sequence[ListedPort]) -> None:
        names = " or ".join(dict.fromkeys(service.service for service in services))
        evidence = f"TCP {open_port.port.number} greets as {names}: {printable(open_port.greeting)}"
        check_ids = {service.check_id for service in services}
        check_id = check_ids.pop()
        if check_ids or check_id is None:
            self.progress.note(f"{host}: {evidence}")
        else:
            self.progress.find(check_id, host, evidence)


def printable(greeting: bytes) -> str:
    text = re.sub(r"[^ -~]+", " ", greeting[:80].decode("latin-1")).strip()
    return text or f"{len(greeting)} bytes"


def _services_that_greet_so(greeting: bytes) -> list[ListedPort]:
    return [port for port in scan_catalogue().ports if port.greeting and port.greeting.search(greeting)]


def _points(port: ListedPort) -> int:
    return scan_catalogue().check(port.check_id).points if port.check_id else 0
