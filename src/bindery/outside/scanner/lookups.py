"""Questions to the DNS; records, no records, and a name that is not there are kept apart."""

import asyncio
import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import dns.asyncresolver
import dns.exception
import dns.name
import dns.rdata
import dns.rdatatype
import dns.resolver
import dns.reversename
from dns.rdatatype import RdataType
from dns.rdtypes.ANY.MX import MX
from dns.rdtypes.ANY.TXT import TXT

from bindery.outside.addresses import IPAddress

LOOKUP_S: Final = 4.0
QUESTIONS_AT_ONCE: Final = 50


class LookupFailed(Exception):
    """The DNS gave no usable answer: a server failure, or silence."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer for one name and type; `aliases` is the CNAME chain, its end last."""

    name_exists: bool
    records: tuple[dns.rdata.Rdata, ...] = ()
    aliases: tuple[str, ...] = ()


class Lookups:
    def __init__(self, resolver: dns.asyncresolver.Resolver, *, lookup_s: float = LOOKUP_S) -> None:
        self._resolver = resolver
        self._lookup_s = lookup_s
        self._open_questions = asyncio.Semaphore(QUESTIONS_AT_ONCE)

    async def ask(self, name: str, kind: RdataType) -> Reply:
        async with self._open_questions:
            try:
                question = dns.name.from_text(name)
                answer = await self._resolver.resolve(
                    question, kind, raise_on_no_answer=False, search=False, lifetime=self._lookup_s
                )
            except dns.resolver.NXDOMAIN as error:
                response = error.response(question)  # type: ignore[no-untyped-call]  # dnspython leaves it bare
                return Reply(name_exists=False, aliases=_aliases(response))
            except (dns.exception.DNSException, OSError) as error:
                raise LookupFailed(f"{name}: the DNS did not answer ({type(error).__name__})") from error
        return Reply(name_exists=True, records=tuple(answer.rrset or ()), aliases=_aliases(answer.response))

    async def address_replies(self, name: str) -> tuple[Reply, Reply]:
        questions = (self.ask(name, kind) for kind in (dns.rdatatype.A, dns.rdatatype.AAAA))
        # Both are waited for, also where one fails: no question outlives the scan that asked it.
        four, six = await asyncio.gather(*questions, return_exceptions=True)
        if isinstance(four, BaseException):
            raise four
        if isinstance(six, BaseException):
            raise six
        return four, six

    async def mail_exchangers(self, name: str) -> tuple[str, ...]:
        """Return the mail exchangers by preference; a null MX is the name `.`, given as empty text."""
        reply = await self.ask(name, dns.rdatatype.MX)
        records = sorted(
            (record for record in reply.records if isinstance(record, MX)),
            key=lambda record: (record.preference, record.exchange),
        )
        return tuple(dict.fromkeys(_plain(record.exchange) for record in records))

    async def texts(self, name: str) -> tuple[str, ...]:
        reply = await self.ask(name, dns.rdatatype.TXT)
        return tuple(
            b"".join(record.strings).decode("utf-8", "replace")
            for record in reply.records
            if isinstance(record, TXT)
        )

    async def has(self, name: str, kind: RdataType) -> bool:
        return bool((await self.ask(name, kind)).records)

    async def names_of(self, address: IPAddress) -> tuple[str, ...]:
        reverse = dns.reversename.from_address(str(address)).to_text()
        reply = await self.ask(reverse, dns.rdatatype.PTR)
        return tuple(record.to_text().rstrip(".").lower() for record in reply.records)


def addresses_in(replies: Sequence[Reply]) -> tuple[IPAddress, ...]:
    return tuple(
        dict.fromkeys(ipaddress.ip_address(record.to_text()) for reply in replies for record in reply.records)
    )


def _aliases(response: dns.message.QueryMessage) -> tuple[str, ...]:
    chain = response.resolve_chaining()
    return tuple(_plain(rrset[0].target) for rrset in chain.cnames)


def _plain(name: dns.name.Name) -> str:
    return name.to_text(omit_final_dot=True).lower().removeprefix(".") if name != dns.name.root else ""
