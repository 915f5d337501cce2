"""Which names may be scanned, and which hosts of a domain are tried."""

import ipaddress
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import idna
from publicsuffixlist import PublicSuffixList

from bindery.outside.scanner.signatures import is_under

LONGEST_NAME: Final = 253
MOST_HOSTS: Final = 15
HOST_LABELS: Final = ("www", "mail", "autodiscover", "vpn", "remote", "owa", "ftp")
"""The only names tried under a domain: nothing is guessed."""
HOST_NAME: Final = re.compile(r"[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})+")
SPECIAL_USE: Final = ("localhost", "local", "internal", "test", "example", "invalid", "onion", "arpa", "alt")
"""Names that mean something else than a host on the internet (RFC 6761 and its followers)."""


class NotScannable(ValueError):
    """A name that is no public domain."""


def scannable_name(domain: str) -> str:
    """Return a domain as the DNS spells it.

    Raises:
        NotScannable: it is an address, a single label, a special-use name, or under no public suffix.
    """
    try:
        ipaddress.ip_address(domain)
    except ValueError:
        pass
    else:
        raise NotScannable(f"{domain} is an address, not a domain")
    try:
        name = idna.encode(domain.strip().rstrip("."), uts46=True).decode("ascii").lower()
    except idna.IDNAError as error:
        raise NotScannable(f"{domain} is not a domain name") from error
    if len(name) > LONGEST_NAME:
        raise NotScannable(f"{domain} is too long")
    if any(is_under(name, special) for special in SPECIAL_USE):
        raise NotScannable(f"{domain} is a special-use name")
    if registrable_of(name) is None:
        raise NotScannable(f"{domain} is not under a public suffix")
    return name


def registrable_of(name: str) -> str | None:
    """Return the part of a name that somebody registered; None for a bare or unknown suffix."""
    return _public_suffixes().privatesuffix(name)


def hosts_to_try(domain: str, mail_exchangers: Sequence[str], *, thorough: bool) -> tuple[str, ...]:
    """List the host names of a domain that are looked at, the domain itself first.

    Mail exchangers count where they are the applicant's own, that is of the same registrable domain.
    """
    labels = HOST_LABELS if thorough else HOST_LABELS[:1]
    own_exchangers = [
        exchanger
        for exchanger in mail_exchangers
        if thorough and HOST_NAME.fullmatch(exchanger) and registrable_of(exchanger) == registrable_of(domain)
    ]
    names = (domain, *(f"{label}.{domain}" for label in labels), *own_exchangers)
    return tuple(dict.fromkeys(names))[:MOST_HOSTS]


@lru_cache(maxsize=1)
def _public_suffixes() -> PublicSuffixList:
    return PublicSuffixList(accept_unknown=False)
