"""Limits how often and to how many addresses at once the scanner connects, per network and in all."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from ipaddress import IPv4Address, ip_network
from typing import Final

from bindery.outside.addresses import IPAddress, unwrapped

NETWORKS_REMEMBERED: Final = 10_000


@dataclass(frozen=True, slots=True)
class ThrottleLimits:
    """The limits of one gate."""

    per_s: float
    at_once: int


PER_NETWORK: Final = ThrottleLimits(per_s=10, at_once=4)
IN_ALL: Final = ThrottleLimits(per_s=200, at_once=100)


class Gate:
    """A token bucket, filled to one second's worth, with a limit of how many are inside at once."""

    def __init__(self, limits: ThrottleLimits) -> None:
        self._limits = limits
        self._tokens = max(1.0, limits.per_s)
        self._filled_at: float | None = None
        self._inside = asyncio.Semaphore(limits.at_once)

    @contextlib.asynccontextmanager
    async def passage(self) -> AsyncIterator[None]:
        """Wait for a place and a token, and hold the place."""
        async with self._inside:
            await self._take_token()
            yield

    async def _take_token(self) -> None:
        # Monotonic time of the event loop: a throttle has nothing to do with dates.
        now = asyncio.get_running_loop().time()
        elapsed = 0.0 if self._filled_at is None else now - self._filled_at
        self._tokens = min(max(1.0, self._limits.per_s), self._tokens + elapsed * self._limits.per_s)
        self._filled_at = now
        # Taken at once, even into debt, so that those who come later wait behind.
        self._tokens -= 1
        if self._tokens < 0:
            await asyncio.sleep(-self._tokens / self._limits.per_s)


class Throttle:
    """One gate for everything and one per target network: /24 of IPv4, /48 of IPv6."""

    def __init__(self, per_network: ThrottleLimits = PER_NETWORK, in_all: ThrottleLimits = IN_ALL) -> None:
        self._per_network = per_network
        self._everything = Gate(in_all)
        self._networks: dict[str, Gate] = {}

    @contextlib.asynccontextmanager
    async def passage(self, address: IPAddress) -> AsyncIterator[None]:
        """Wait until an address may be contacted, and count it as busy until the end."""
        async with self._gate_of(address).passage(), self._everything.passage():
            yield

    def _gate_of(self, address: IPAddress) -> Gate:
        network = network_of(address)
        gate = self._networks.pop(network, None) or Gate(self._per_network)
        self._networks[network] = gate
        while len(self._networks) > NETWORKS_REMEMBERED:
            del self._networks[next(iter(self._networks))]
        return gate


def network_of(address: IPAddress) -> str:
    """Name the network that an address shares its limits with."""
    inner = unwrapped(address)
    prefix = 24 if isinstance(inner, IPv4Address) else 48
    return str(ip_network((inner, prefix), strict=False))
