"""A domain on loopback: its zone, its servers, and a scanner pointed at them."""

import datetime as dt
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import dns.asyncresolver

from bindery.domain.scan.scan import Finding, ScanResult, merge_results
from bindery.outside.addresses import AddressRule
from bindery.outside.scanner import Scanner
from bindery.outside.scanner.connector import ScanLimits, Throttle, ThrottleLimits
from bindery.outside.scanner.live import LiveScanner
from support.network import HERE, NOW, Authority, Handler, LoopbackDns, Records, only_here

FAR_AWAY = dt.datetime(2120, 1, 1, tzinfo=dt.UTC)
UNHURRIED = ThrottleLimits(per_s=10_000, at_once=100)
PATIENT = ScanLimits(budget_s=120, connect_s=30, quick_connect_s=30, read_s=30, greeting_s=30)
"""So long that only a fault reaches them, on the busiest machine too: for servers that answer."""

SILENT = replace(PATIENT, read_s=2, greeting_s=0.2)
"""For servers that accept a connection and never say anything, so that there is nothing to wait for."""

SOUND_RECORDS = {
    "example.com": {
        "A": [HERE],
        "NS": ["ns.example.com."],
        "MX": ["10 mx.example.net."],
        "TXT": ['"v=spf1 ip4:192.0.2.1 -all"'],
        "CAA": ['0 issue "ca.example.net"'],
        "DS": ["12345 13 2 " + "ab" * 32],
    },
    "www.example.com": {"A": [HERE]},
    "_dmarc.example.com": {"TXT": ['"v=DMARC1; p=reject"']},
}


def resolver_asking(nameservers: Sequence[str], *, port: int = 53) -> dns.asyncresolver.Resolver:
    """Make a resolver that asks the given name servers and no others."""
    resolver = dns.asyncresolver.Resolver(configure=False)
    resolver.nameservers = list(nameservers)
    resolver.port = port
    return resolver


async def scan_all(scanner: Scanner, domains: Sequence[str], *, at: dt.datetime) -> ScanResult:
    """Scan all domains of an applicant into one result; without a domain it is not applicable."""
    results = await scanner.scan_each(domains, at=at) if domains else ()
    return merge_results(results, at=at, scanner=scanner.name)


def with_records(changes: Mapping[str, Mapping[str, list[str] | None] | None]) -> Records:
    """Change the sound zone: None takes a name, or a kind of record, away."""
    records = dict(SOUND_RECORDS)
    for name, kinds in changes.items():
        merged = {**records.pop(name, {}), **(kinds or {})}
        if kinds is not None:
            records[name] = {kind: values for kind, values in merged.items() if values is not None}
    return records


@dataclass
class Town:
    dns: LoopbackDns
    ports: dict[int, int]
    authority: Authority

    def scanner(
        self,
        *,
        limits: ScanLimits = PATIENT,
        throttle: Throttle | None = None,
        rule: AddressRule = only_here,
        lookup_s: float = 30.0,
        **others: Any,
    ) -> LiveScanner:
        return LiveScanner(
            resolver=resolver_asking([HERE], port=self.dns.port),
            rule=rule,
            throttle=throttle or Throttle(UNHURRIED, UNHURRIED),
            ports=self.ports,
            limits=limits,
            lookup_s=lookup_s,
            trusted_roots=self.authority.pem,
            **others,
        )

    async def scan(self, domain: str = "example.com", **options: Any) -> ScanResult:
        (result,) = await self.scanner(**options).scan_each([domain], at=NOW)
        return result


class BuildTown(Protocol):
    """What the fixture `town` gives."""

    async def __call__(
        self,
        records: Records = SOUND_RECORDS,
        servers: Mapping[int, Handler | None] | None = None,
        *,
        tls: ssl.SSLContext = ...,
        failing: Sequence[str] = (),
        silent: Sequence[str] = (),
    ) -> Town: ...


def found(result: ScanResult) -> set[str]:
    return {finding.check_id for finding in result.findings}


def the(result: ScanResult, check_id: str) -> Finding:
    (finding,) = [finding for finding in result.findings if finding.check_id == check_id]
    return finding
