"""The addresses that this service may connect to when an applicant or partner chose the name.

Applicants name the domains we scan and partners the endpoints we call, so both are held to the same rule.
The ranges are our own lists: the standard library's `is_global` of Python 3.11 lets translated forms of
loopback and metadata addresses, multicast and site-local through.
"""

import ipaddress
from collections.abc import Callable, Collection, Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Final, TypeAlias

IPAddress: TypeAlias = IPv4Address | IPv6Address
AddressRule: TypeAlias = Callable[[IPAddress, int], bool]
"""Whether a connection may be made to an address and port."""

HIGHEST_PORT: Final = 65_535
REFUSED_V4: Final = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # carrier-grade NAT, and a cloud's metadata service
        "127.0.0.0/8",  # loopback
        "168.63.129.16/32",  # a cloud's metadata and DNS service on an otherwise public address
        "169.254.0.0/16",  # link-local, and most clouds' metadata service
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments, and a cloud's metadata service
        "192.0.2.0/24",  # documentation
        "192.88.99.0/24",  # former 6to4 relays
        "192.168.0.0/16",  # private
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, and broadcast
    )
)
ALLOWED_V6: Final = IPv6Network("2000::/3")
REFUSED_V6: Final = tuple(
    IPv6Network(network)
    for network in (
        "2001::/23",  # protocol assignments, Teredo among them
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4: the packet goes to whatever IPv4 address is inside
        "3fff::/20",  # documentation
    )
)
TRANSLATED: Final = IPv6Network("64:ff9b::/96")
"""The well-known NAT64 prefix, the last 32 bits being the IPv4 address.

The local one, 64:ff9b:1::/48, stays refused: only its network knows where in it the IPv4 address sits.
"""


class AddressRefused(OSError):
    """An address that may not be connected to; an `OSError`, so HTTP clients treat it as unreachable."""


def is_public(address: str | IPAddress) -> bool:
    """Whether an address is on the public internet; anything but a plain address is not."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    inner = unwrapped(parsed)
    if isinstance(inner, IPv4Address):
        return not any(inner in network for network in REFUSED_V4)
    return (
        inner.scope_id is None and inner in ALLOWED_V6 and not any(inner in network for network in REFUSED_V6)
    )


def unwrapped(address: IPAddress) -> IPAddress:
    """Return the IPv4 address that a mapped or NAT64-translated one leads to, else the address itself."""
    if isinstance(address, IPv4Address):
        return address
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address in TRANSLATED:
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address


def allow_public(address: IPAddress, port: int) -> bool:
    return 0 < port <= HIGHEST_PORT and is_public(address)


def allow_public_or_loopback(address: IPAddress, port: int) -> bool:
    return allow_public(address, port) or unwrapped(address).is_loopback


def public_on_ports(ports: Collection[int]) -> AddressRule:
    """Return the rule for partners' endpoints in production: the public internet, and these ports only.

    A partner's endpoint may be another company's host: without this, a webhook could knock at its SSH or
    its database.
    """

    def allow(address: IPAddress, port: int) -> bool:
        return port in ports and allow_public(address, port)

    return allow


PUBLIC_ONLY: Final[AddressRule] = allow_public
PUBLIC_OR_LOOPBACK: Final[AddressRule] = allow_public_or_loopback
"""The rule for partners' endpoints in the demo environment, which run next to it; never in production."""


def check_addresses(name: str, addresses: Iterable[IPAddress], port: int, rule: AddressRule) -> None:
    """Refuse a name if any of its addresses is refused."""
    for address in addresses:
        if not rule(address, port):
            raise AddressRefused(f"{name} leads to {address} port {port}, which may not be contacted")
