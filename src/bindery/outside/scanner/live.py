"""The scanner that looks: DNS, mail, TLS, web pages and the listed ports, inside a fixed time."""

import asyncio
import dataclasses
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Final

import dns.asyncresolver

from bindery.domain.scan.checks import EDITION
from bindery.domain.scan.scan import ScanOutcome, ScanResult
from bindery.outside.addresses import PUBLIC_ONLY, AddressRule
from bindery.outside.scanner.connector import AS_LISTED, Connector, ScanLimits
from bindery.outside.scanner.domain_scan import DomainScan
from bindery.outside.scanner.lookups import LOOKUP_S, LookupFailed, Lookups
from bindery.outside.scanner.names import NotScannable, scannable_name
from bindery.outside.scanner.scan_progress import ScanProgress
from bindery.outside.scanner.signatures import is_under
from bindery.outside.scanner.throttle import Throttle
from bindery.outside.scanner.tls_contexts import tls_contexts

USER_AGENT: Final = f"Bindery-Scan/{EDITION} (security check for an insurance application)"


class LiveScanner:
    """Looks at domains from outside: it connects and reads, and never logs in or sends a payload.

    The address rule, the ports and the trusted roots are arguments for code alone: no setting reaches them.
    """

    name = f"live {EDITION}"
    is_worth_keeping = True  # it takes seconds, and others see it

    def __init__(
        self,
        *,
        resolver: dns.asyncresolver.Resolver | None = None,
        rule: AddressRule = PUBLIC_ONLY,
        throttle: Throttle | None = None,
        ports: Mapping[int, int] = AS_LISTED,
        limits: ScanLimits | None = None,
        lookup_s: float = LOOKUP_S,
        trusted_roots: str | None = None,
        never_scan: Collection[str] = (),
        user_agent: str = USER_AGENT,
        try_zone_transfers: bool = False,
    ) -> None:
        self._limits = limits or ScanLimits()
        self._lookups = Lookups(resolver or dns.asyncresolver.Resolver(), lookup_s=lookup_s)
        self._connector = Connector(rule=rule, throttle=throttle, ports=ports, limits=self._limits)
        self._contexts = tls_contexts(trusted_roots)
        self._never_scan = tuple(never_scan)
        self._user_agent = user_agent
        self._try_zone_transfers = try_zone_transfers

    async def scan_each(self, domains: Sequence[str], *, at: datetime) -> tuple[ScanResult, ...]:
        """Scan the domains side by side inside one time budget; the first few get the port checks too."""
        deadline = asyncio.get_running_loop().time() + self._limits.budget_s
        places = asyncio.Semaphore(self._limits.domains_at_once)

        async def scan(position: int, domain: str) -> ScanResult:
            thorough = position < self._limits.domains_with_ports
            async with places:
                return await self._scan_one(domain, at=at, deadline=deadline, thorough=thorough)

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(scan(position, domain)) for position, domain in enumerate(domains)]
        return tuple(task.result() for task in tasks)

    async def _scan_one(self, domain: str, *, at: datetime, deadline: float, thorough: bool) -> ScanResult:
        try:
            progress = ScanProgress(self._allowed_name(domain))
        except NotScannable as refusal:
            progress = ScanProgress(domain)
            progress.note(str(refusal))
            return progress.close_without_findings(ScanOutcome.NOTHING_COLLECTED, at=at, scanner=self.name)
        outcome = await self._look(progress, at=at, deadline=deadline, thorough=thorough)
        result = (
            progress.close(at=at, scanner=self.name)
            if outcome is None
            else progress.close_without_findings(outcome, at=at, scanner=self.name)
        )
        return dataclasses.replace(result, domains=(domain,))

    async def _look(
        self, progress: ScanProgress, *, at: datetime, deadline: float, thorough: bool
    ) -> ScanOutcome | None:
        """Fill the progress; return an outcome only where there is nothing in it to judge."""
        scan = DomainScan(
            progress,
            lookups=self._lookups,
            connector=self._connector,
            contexts=self._contexts,
            user_agent=self._user_agent,
            at=at,
        )
        try:
            async with asyncio.timeout_at(deadline):
                if not await scan.find_domain():
                    progress.note(f"{progress.domain}: the name does not resolve")
                    return ScanOutcome.NOTHING_COLLECTED
                await scan.check_all(thorough=thorough, try_zone_transfers=self._try_zone_transfers)
        except LookupFailed as error:
            progress.note(str(error))
            return ScanOutcome.FAILED
        except TimeoutError:
            progress.run_out_of_time()
        return None

    def _allowed_name(self, domain: str) -> str:
        name = scannable_name(domain)
        if any(is_under(name, blocked) for blocked in self._never_scan):
            raise NotScannable(f"{domain} is not scanned: its owner asked for that")
        return name
