"""Passwords at rest: hashed by argon2id with the parameters that OWASP recommends."""

import asyncio
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

MEMORY_KIB: Final = 19_456
PASSES: Final = 2
LANES: Final = 1
AT_ONCE: Final = 2
"""Each takes 19 MiB and some 40 milliseconds of a core; a flood of sign-ins must not take them all."""


class Passwords:
    """Hashes and checks passwords in threads, a few at a time."""

    def __init__(self, *, memory_kib: int = MEMORY_KIB, passes: int = PASSES) -> None:
        self._hasher = PasswordHasher(time_cost=passes, memory_cost=memory_kib, parallelism=LANES)
        self._turns = asyncio.Semaphore(AT_ONCE)
        self._nobodys: str | None = None

    async def hash(self, password: str) -> str:
        """Hash a password with a salt of its own."""
        async with self._turns:
            return await asyncio.to_thread(self._hasher.hash, password)

    async def check(self, password_hash: str | None, password: str) -> bool:
        """Whether it is the password; an account without one takes as long to refuse."""
        if password_hash is None:
            self._nobodys = self._nobodys or await self.hash("nobody's")
        async with self._turns:
            matches = await asyncio.to_thread(self._matches, password_hash or self._nobodys or "", password)
        return matches and password_hash is not None

    def _matches(self, password_hash: str, password: str) -> bool:
        try:
            return self._hasher.verify(password_hash, password)
        except (VerificationError, InvalidHashError):
            return False
