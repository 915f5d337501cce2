"""The course of one domain's scan: find it, look its hosts up, then run every check side by side."""

import asyncio
from collections.abc import Sequence
from datetime import datetime

import dns.rdatatype

from bindery.outside.addresses import IPAddress
from bindery.outside.scanner.connector import Connector, Host
from bindery.outside.scanner.dns_checks import ZoneProbe
from bindery.outside.scanner.hosts import HostBook, own_addresses
from bindery.outside.scanner.http_checks import PORTAL_CHECKS, PORTAL_PORTS, WebProbe
from bindery.outside.scanner.lookups import Lookups, Reply
from bindery.outside.scanner.mail_checks import MailProbe
from bindery.outside.scanner.names import hosts_to_try
from bindery.outside.scanner.port_checks import PortProbe
from bindery.outside.scanner.scan_progress import RESOLVES, ScanProgress
from bindery.outside.scanner.tls_checks import HTTPS_PORT, TlsProbe
from bindery.outside.scanner.tls_contexts import TlsContexts
from bindery.outside.scanner.web import PageFetcher


class DomainScan:
    """One domain's scan, writing into its progress."""

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
            progress.domain,
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
        """Ask for addresses, exchangers and the zone, and return whether there is any of them.

        Raises:
            LookupFailed: the DNS gave no usable answer.
        """
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
        """Run every check that the depth of the scan calls for."""
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
            # The web site itself is looked at as such, whatever the ports say.
            if port in open_ports and not (port == HTTPS_PORT and self._is_site(host)):
                await self._web.check_portal(host, port)

    def _is_site(self, host: Host) -> bool:
        return host.name in {self._progress.domain, f"www.{self._progress.domain}"}
