"""The zone of a domain: signed, restricted to some authorities, nothing dangling, no copies for strangers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import dns.exception
import dns.message
import dns.name
import dns.rcode
import dns.rdatatype

from bindery.outside.scanner.connector import Connector, Host
from bindery.outside.scanner.hosts import HOST_NAME, HostBook, registrable_of
from bindery.outside.scanner.lookups import Lookups
from bindery.outside.scanner.scan_progress import ScanProgress

DNS_PORT: Final = 53
NAME_SERVERS_ASKED: Final = 4
LARGEST_MESSAGE: Final = 65_535


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoneProbe:
    lookups: Lookups
    connector: Connector
    progress: ScanProgress
    hosts: HostBook

    async def check_zone(self) -> None:
        domain = self.progress.domain
        organization = registrable_of(domain) or domain
        with self.progress.attempt("DNS_DNSSEC"):
            if not await self.lookups.has(organization, dns.rdatatype.DS):
                self.progress.find("DNS_DNSSEC", domain, f"No DS record for {organization}.")
        with self.progress.attempt("DNS_CAA"):
            if not await self._has_caa(domain, organization):
                self.progress.find("DNS_CAA", domain, f"No CAA record from {domain} up to {organization}.")

    def check_aliases(self, hosts: Sequence[Host]) -> None:
        """Check that no host is an alias of a name outside that does not exist."""
        with self.progress.attempt("DNS_DANGLING"):
            for host in hosts:
                target = host.aliases[-1] if host.aliases else None
                # An alias inside one's own domain cannot be claimed by a stranger.
                if (
                    target
                    and not host.name_exists
                    and registrable_of(target) != registrable_of(self.progress.domain)
                ):
                    self.progress.find(
                        "DNS_DANGLING", host.name, f"It is an alias of {target}, which does not exist."
                    )

    async def check_transfers(self) -> None:
        """Ask each name server for the zone and stop at its first message."""
        with self.progress.attempt("DNS_AXFR"):
            organization = registrable_of(self.progress.domain) or self.progress.domain
            reply = await self.lookups.ask(organization, dns.rdatatype.NS)
            names = sorted(record.to_text().rstrip(".").lower() for record in reply.records)
            for name in names[:NAME_SERVERS_ASKED]:
                if HOST_NAME.fullmatch(name) and await self._gives_zone_away(name, organization):
                    self.progress.find("DNS_AXFR", name, f"It hands out the zone {organization} to anybody.")

    async def _has_caa(self, domain: str, organization: str) -> bool:
        name = domain
        while True:
            if await self.lookups.has(name, dns.rdatatype.CAA):
                return True
            if name == organization:
                return False
            name = name.partition(".")[2]

    async def _gives_zone_away(self, name_server: str, zone: str) -> bool:
        host = await self.hosts.look_up(name_server)
        question = dns.message.make_query(dns.name.from_text(zone), dns.rdatatype.AXFR)
        wire = question.to_wire()
        try:
            async with self.connector.connection(host, DNS_PORT) as (reader, writer):
                writer.write(len(wire).to_bytes(2, "big") + wire)
                prefix = await self.connector.read_start(reader, 2, self.connector.limits.read_s)
                length = min(int.from_bytes(prefix, "big"), LARGEST_MESSAGE)
                message = await self.connector.read_start(reader, length, self.connector.limits.read_s)
            answer = dns.message.from_wire(message, ignore_trailing=True)
        except (OSError, dns.exception.DNSException):
            return False
        kinds = {rrset.rdtype for rrset in answer.answer}
        return answer.rcode() == dns.rcode.NOERROR and dns.rdatatype.SOA in kinds and len(answer.answer) > 1
