"""Passwords at rest: hashed by argon2id with the parameters that OWASP recommends."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from bindery.base.fair_queue import FairQueue

MEMORY_KIB: Final = 19_456
PASSES: Final = 2
LANES: Final = 1
AT_ONCE: Final = 2
"""Each takes 19 MiB and some 40 milliseconds of a core; a flood of sign-ins must not take them all."""
MOST_OF_AN_ADDRESS: Final = 20
"""Passwords from one address that may wait; a whole office may sign in at nine o'clock."""
MOST_WAITING: Final = 200
"""The same of all addresses together: the last of them waits for some four seconds."""
OURS: Final = ""
"""The queue's name for our own new passwords; no request has this address."""


class Passwords:
    """Hashes and checks passwords in threads, a few at a time and addresses in turn."""

    def __init__(self, *, memory_kib: int = MEMORY_KIB, passes: int = PASSES) -> None:
        self._hasher = PasswordHasher(time_cost=passes, memory_cost=memory_kib, parallelism=LANES)
        self._turns = FairQueue(at_once=AT_ONCE, most_of_one=MOST_OF_AN_ADDRESS, most_in_all=MOST_WAITING)
        self._nobodys: str | None = None

    @asynccontextmanager
    async def turn(self, address: str) -> AsyncIterator[None]:
        """Wait until a password from an address may be checked; addresses take turns."""
        with self._turns.admitted(address):
            async with self._turns.turn(address):
                yield

    async def hash(self, password: str) -> str:
        async with self._turns.turn(OURS):
            return await asyncio.to_thread(self._hasher.hash, password)

    async def check(self, password_hash: str | None, password: str) -> bool:
        """Whether the password matches; call it within `turn`. An account without one takes as long."""
        if password_hash is None and self._nobodys is None:
            self._nobodys = await asyncio.to_thread(self._hasher.hash, "nobody's")
        matches = await asyncio.to_thread(self._matches, password_hash or self._nobodys or "", password)
        return matches and password_hash is not None

    def _matches(self, password_hash: str, password: str) -> bool:
        try:
            return self._hasher.verify(password_hash, password)
        except (VerificationError, InvalidHashError):
            return False
