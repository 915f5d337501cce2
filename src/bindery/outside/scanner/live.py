"""The scanner that looks: DNS, mail, TLS, web pages and the listed ports, inside a fixed time."""

import asyncio
import dataclasses
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Final

import dns.asyncresolver
import dns.rdatatype

from bindery.base.stages import stage
from bindery.domain.scan.checks import EDITION
from bindery.domain.scan.scan import ScanOutcome, ScanResult
from bindery.outside.addresses import PUBLIC_ONLY, AddressRule, IPAddress
from bindery.outside.scanner.connector import AS_LISTED, Connector, Host, ScanLimits, Throttle
from bindery.outside.scanner.dns_checks import ZoneProbe
from bindery.outside.scanner.hosts import HostBook, NotScannable, hosts_to_try, own_addresses, scannable_name
from bindery.outside.scanner.http_checks import PORTAL_CHECKS, PORTAL_PORTS, WebProbe
from bindery.outside.scanner.lookups import LOOKUP_S, LookupFailed, Lookups, Reply
from bindery.outside.scanner.mail_checks import MailProbe
from bindery.outside.scanner.port_checks import PortProbe
from bindery.outside.scanner.scan_progress import RESOLVES, ScanProgress
from bindery.outside.scanner.signatures import is_under
from bindery.outside.scanner.tls_checks import HTTPS_PORT, TlsContexts, TlsProbe, tls_contexts
from bindery.outside.scanner.web import PageFetcher

USER_AGENT: Final = f"Bindery-Scan/{EDITION} (security check for an insurance application)"


class DomainScan:
    def __init__(
        self,
        progress: ScanProgress,
        *,
        lookups: Lookups,
        connector: Connector,
        contexts: TlsContexts,
        user_agent: str,
        at: datetime,
    ) -> None:
        self._progress = progress
        self._lookups = lookups
        self._hosts = HostBook(lookups=lookups, connector=connector, progress=progress)
        browser = PageFetcher(
            domain=progress.domain,
            connector=connector,
            hosts=self._hosts,
            tls=contexts.reading,
            user_agent=user_agent,
        )
        self._tls = TlsProbe(connector=connector, progress=progress, contexts=contexts, at=at)
        self._web = WebProbe(browser=browser, progress=progress, tls=self._tls)
        self._ports = PortProbe(connector=connector, progress=progress, tls=self._tls)
        self._mail = MailProbe(lookups=lookups, connector=connector, progress=progress, browser=browser)
        self._zone = ZoneProbe(lookups=lookups, connector=connector, progress=progress, hosts=self._hosts)
        self._replies: tuple[Reply, ...] = ()
        self._exchangers: tuple[str, ...] = ()

    async def find_domain(self) -> bool:
        domain = self._progress.domain
        self._replies = await self._lookups.address_replies(domain)
        self._exchangers = await self._lookups.mail_exchangers(domain)
        resolves = (
            bool(self._exchangers)
            or any(reply.records for reply in self._replies)
            or await self._lookups.has(domain, dns.rdatatype.NS)
            or await self._lookups.has(domain, dns.rdatatype.SOA)
        )
        if resolves:
            self._progress.complete(RESOLVES)
        return resolves

    async def check_all(self, *, thorough: bool, try_zone_transfers: bool) -> None:
        apex_name, *other_names = hosts_to_try(self._progress.domain, self._exchangers, thorough=thorough)
        apex = await self._hosts.enter(apex_name, self._replies)
        others = await self._hosts.look_up_all(other_names)
        hosts = (apex, *others)
        sites = [host for host in hosts if self._is_site(host) and host.addresses]
        self._zone.check_aliases(hosts)
        async with asyncio.TaskGroup() as group:
            group.create_task(self._zone.check_zone())
            group.create_task(self._mail.check_senders(self._exchangers))
            for site in sites:
                group.create_task(self._tls.check(site))
            if try_zone_transfers:
                group.create_task(self._zone.check_transfers())
            if thorough:
                for site in sites:
                    group.create_task(self._web.check_site(site))
                group.create_task(self._mail.check_exchangers(hosts, self._exchangers))
                group.create_task(self._mail.check_exchange(hosts, self._exchangers))
                for address, host in own_addresses(hosts):
                    group.create_task(self._check_services(host, address, hosts))

    async def _check_services(self, host: Host, address: IPAddress, hosts: Sequence[Host]) -> None:
        """Try the ports of one address, then the portals of every host that lives there."""
        tenants = [tenant for tenant in hosts if address in tenant.addresses and not tenant.shared_platform]
        # Held from the start: when time runs out over the ports, the portals were not looked at either.
        with self._progress.attempt(*PORTAL_CHECKS):
            open_ports = await self._ports.check(host, address)
            for tenant in tenants:
                await self._check_portals(tenant.at(address), open_ports)

    async def _check_portals(self, host: Host, open_ports: frozenset[int]) -> None:
        if HTTPS_PORT in open_ports and not self._is_site(host):
            await self._tls.check(host)
        for port in PORTAL_PORTS:
            # The web site itself has its own checks.
            if port in open_ports and not (port == HTTPS_PORT and self._is_site(host)):
                await self._web.check_portal(host, port)

    def _is_site(self, host: Host) -> bool:
        return host.name in {self._progress.domain, f"www.{self._progress.domain}"}


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
                with stage("scan_domain", domain):
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
