"""The scanner of the demo environment: it looks at the name and touches no network."""

import asyncio
import hashlib
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final

from bindery.domain.scan.checks import EDITION, CheckSource, finding_of, scan_catalogue
from bindery.domain.scan.scan import Finding, ScanOutcome, ScanResult, score_of

MAGIC_ZONE: Final = ".example.com"
SLOW_S: Final = 30.0

CLEAN: Final = ("DNS_DNSSEC", "DNS_CAA", "HTTP_HSTS", "HTTP_HEADERS", "HTTP_BANNER")
WEAK: Final = (
    "HTTP_EOL",
    "TLS_EXPIRED",
    "MAIL_DMARC_MISSING",
    "MAIL_SPF_PERMISSIVE",
    "DNS_DNSSEC",
    "DNS_CAA",
)
RED_FLAGS: Final = ("RDP_OPEN", "DB_OPEN", "MAIL_DMARC_NONE")
EXPOSED: Final = ("RDP_OPEN", *CLEAN)

_EXPOSED_LABEL: Final = re.compile(r"exposed-(\d{4}-\d\d-\d\d)(?:-(\d{4}-\d\d-\d\d))?")
"""From a day, in UTC, and until another, if that is given."""

ALTERNATIVES: Final = (
    ("MAIL_SPF_MISSING", "MAIL_SPF_PERMISSIVE", "MAIL_SPF_LOOKUPS"),
    ("MAIL_DMARC_MISSING", "MAIL_DMARC_NONE"),
    ("MAIL_STARTTLS",),
    ("DNS_DNSSEC",),
    ("DNS_CAA",),
    ("TLS_EXPIRED", "TLS_EXPIRING"),
    ("TLS_OLD",),
    ("TLS_WEAKKEY",),
    ("HTTP_NO_REDIRECT",),
    ("HTTP_HSTS",),
    ("HTTP_HEADERS",),
    ("HTTP_BANNER",),
    ("HTTP_EOL",),
    ("HTTP_LOGIN_PANEL",),
    ("VPN_PORTAL",),
    ("FTP_OPEN",),
    ("PLAINMAIL_OPEN",),
    ("SSH_OPEN",),
    ("MAIL_MX_SEG",),
)
"""Findings of an ordinary name: of each line at most one, since they exclude each other."""

MOST_POINTS_OF_AN_ORDINARY_NAME: Final = 30
"""An ordinary name scores 70 or more, so nothing about its scan ever refers the quote."""


class SimulatedScanner:
    """Answers from the domain name alone, the same for the same name on every machine.

    Under example.com the first label chooses: `clean`, `weak`, `red-flags`, `scan-error`, `no-data`, `slow`;
    `exposed-2027-03-01` is clean until that day. Any other name is drawn by its hash.
    """

    name = f"simulated {EDITION}"
    is_worth_keeping = False  # asking again costs nothing

    def __init__(self, *, slow_s: float = SLOW_S) -> None:
        self._slow_s = slow_s

    async def scan_each(self, domains: Sequence[str], *, at: datetime) -> tuple[ScanResult, ...]:
        """Answer for each domain; a slow one keeps all of them waiting."""
        if any(_magic_label(domain) == "slow" for domain in domains):
            await asyncio.sleep(self._slow_s)
        return tuple(self._answer(domain, at) for domain in domains)

    def _answer(self, domain: str, at: datetime) -> ScanResult:
        check_ids: tuple[str, ...]
        match _magic_label(domain):
            case "scan-error":
                return self._without_findings(domain, at, ScanOutcome.FAILED, "the simulated scan broke off")
            case "no-data":
                return self._without_findings(
                    domain, at, ScanOutcome.NOTHING_COLLECTED, "the name does not resolve"
                )
            case "red-flags":
                check_ids = RED_FLAGS
            case "weak":
                check_ids = WEAK
            # Of `calc-error` it is the pricing that breaks; its scan is clean.
            case "clean" | "slow" | "calc-error":
                check_ids = CLEAN
            case str(label) if exposed := _EXPOSED_LABEL.fullmatch(label):
                check_ids = EXPOSED if _is_between(at.date().isoformat(), *exposed.groups()) else CLEAN
            case _:
                check_ids = tuple(_drawn_by_hash(_normal(domain)))
        return self._with_findings(domain, at, check_ids)

    def _with_findings(self, domain: str, at: datetime, check_ids: Sequence[str]) -> ScanResult:
        findings = tuple(_simulated_finding(check_id, domain) for check_id in check_ids)
        return ScanResult(
            ScanOutcome.FINISHED,
            domains=(domain,),
            scanned_at=at,
            scanner=self.name,
            score=score_of(findings),
            findings=findings,
            passed=tuple(_passed_beside(check_ids)),
            notes=(f"{domain}: simulated, nothing was contacted",),
        )

    def _without_findings(self, domain: str, at: datetime, outcome: ScanOutcome, why: str) -> ScanResult:
        return ScanResult(
            outcome, domains=(domain,), scanned_at=at, scanner=self.name, notes=(f"{domain}: {why}",)
        )


def _normal(domain: str) -> str:
    return domain.strip().rstrip(".").lower()


def _magic_label(domain: str) -> str | None:
    name = _normal(domain)
    return name.partition(".")[0] if name.endswith(MAGIC_ZONE) else None


def _is_between(day: str, start: str, end: str | None) -> bool:
    """Whether a day is in a period, all written as in ISO 8601, whose order is that of the days."""
    return start <= day and (end is None or day < end)


def _simulated_finding(check_id: str, domain: str) -> Finding:
    check = scan_catalogue().check(check_id)
    return finding_of(check_id, host=_normal(domain), evidence=f"Simulated: {check.title}.")


def _drawn_by_hash(name: str) -> Iterator[str]:
    points_left = _hash_of(name) % (MOST_POINTS_OF_AN_ORDINARY_NAME + 1)
    for alternatives in sorted(ALTERNATIVES, key=lambda line: _hash_of(f"{name} {line[0]}")):
        check_id = alternatives[_hash_of(f"{name} which {alternatives[0]}") % len(alternatives)]
        points = scan_catalogue().check(check_id).points
        if points <= points_left:
            points_left -= points
            yield check_id


def _hash_of(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def _passed_beside(found: Sequence[str]) -> Iterator[str]:
    undecided = {other for line in ALTERNATIVES if set(line) & set(found) for other in line}
    for check in scan_catalogue().checks:
        is_context = check.points == 0 and check.id != "DNS_RESOLVES"
        if (
            check.source is CheckSource.OUTSIDE_VIEW
            and not is_context
            and check.id not in undecided | set(found)
        ):
            yield check.id
