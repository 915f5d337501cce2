"""The zone of a domain: signed, restricted to some authorities, nothing dangling, no copies for strangers."""

from collections.abc import Sequence
from typing import Final

import dns.exception
import dns.message
import dns.name
import dns.rcode
import dns.rdatatype

from bindery.outside.scanner.connector import Connector, Host
from bindery.outside.scanner.hosts import HostBook
from bindery.outside.scanner.lookups import Lookups
from bindery.outside.scanner.names import HOST_NAME, registrable_of
from bindery.outside.scanner.scan_progress import ScanProgress

DNS_PORT: Final = 53
NAME_SERVERS_ASKED: Final = 4
LARGEST_MESSAGE: Final = 65_535


class ZoneProbe:
    """Checks the zone of one domain."""

    def __init__(
        self, *, lookups: Lookups, connector: Connector, progress: ScanProgress, hosts: HostBook
    ) -> None:
        self._lookups = lookups
        self._hosts = hosts
        self._connector = connector
        self._progress = progress

    async def check_zone(self) -> None:
        """Check that the zone is signed and names its certificate authorities."""
        domain = self._progress.domain
        organization = registrable_of(domain) or domain
        with self._progress.attempt("DNS_DNSSEC"):
            if not await self._lookups.has(organization, dns.rdatatype.DS):
                self._progress.find("DNS_DNSSEC", domain, f"No DS record for {organization}.")
        with self._progress.attempt("DNS_CAA"):
            if not await self._has_caa(domain, organization):
                self._progress.find("DNS_CAA", domain, f"No CAA record from {domain} up to {organization}.")

    def check_aliases(self, hosts: Sequence[Host]) -> None:
        """Check that no host is an alias of a name outside that does not exist."""
        with self._progress.attempt("DNS_DANGLING"):
            for host in hosts:
                target = host.aliases[-1] if host.aliases else None
                # An alias inside one's own domain cannot be claimed by a stranger.
                if (
                    target
                    and not host.name_exists
                    and registrable_of(target) != registrable_of(self._progress.domain)
                ):
                    self._progress.find(
                        "DNS_DANGLING", host.name, f"It is an alias of {target}, which does not exist."
                    )

    async def check_transfers(self) -> None:
        """Ask each name server for the zone and stop at its first message."""
        with self._progress.attempt("DNS_AXFR"):
            organization = registrable_of(self._progress.domain) or self._progress.domain
            reply = await self._lookups.ask(organization, dns.rdatatype.NS)
            names = sorted(record.to_text().rstrip(".").lower() for record in reply.records)
            for name in names[:NAME_SERVERS_ASKED]:
                if HOST_NAME.fullmatch(name) and await self._gives_zone_away(name, organization):
                    self._progress.find("DNS_AXFR", name, f"It hands out the zone {organization} to anybody.")

    async def _has_caa(self, domain: str, organization: str) -> bool:
        name = domain
        while True:
            if await self._lookups.has(name, dns.rdatatype.CAA):
                return True
            if name == organization:
                return False
            name = name.partition(".")[2]

    async def _gives_zone_away(self, name_server: str, zone: str) -> bool:
        host = await self._hosts.look_up(name_server)
        question = dns.message.make_query(dns.name.from_text(zone), dns.rdatatype.AXFR)
        wire = question.to_wire()
        try:
            async with self._connector.connection(host, DNS_PORT) as (reader, writer):
                writer.write(len(wire).to_bytes(2, "big") + wire)
                prefix = await self._connector.read_start(reader, 2, self._connector.limits.read_s)
                length = min(int.from_bytes(prefix, "big"), LARGEST_MESSAGE)
                message = await self._connector.read_start(reader, length, self._connector.limits.read_s)
            answer = dns.message.from_wire(message, ignore_trailing=True)
        except (OSError, dns.exception.DNSException):
            return False
        kinds = {rrset.rdtype for rrset in answer.answer}
        return answer.rcode() == dns.rcode.NOERROR and dns.rdatatype.SOA in kinds and len(answer.answer) > 1
