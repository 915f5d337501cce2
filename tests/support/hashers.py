"""Hashers of passwords that count what they are asked for, and wait where a test wants them to."""

import threading
import time
from typing import Literal

from argon2 import PasswordHasher


class CountingHasher(PasswordHasher):
    """A hasher that counts what it is asked for, and how much of it at once."""

    def __init__(self) -> None:
        super().__init__(time_cost=1, memory_cost=8, parallelism=1)
        self.verified = self.at_once = self.most_at_once = 0
        self._lock = threading.Lock()

    def hash(self, password: str | bytes, *, salt: bytes | None = None) -> str:
        self._work()
        return super().hash(password, salt=salt)

    def verify(self, hash: str | bytes, password: str | bytes) -> Literal[True]:  # noqa: A002 - as argon2 has it
        with self._lock:
            self.verified += 1
        self._work()
        return super().verify(hash, password)

    def _work(self) -> None:
        with self._lock:
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        time.sleep(0.02)
        with self._lock:
            self.at_once -= 1


class HeldHasher(CountingHasher):
    """A hasher that takes as long over one password as the test likes."""

    def __init__(self, held: str) -> None:
        super().__init__()
        self.held = held
        self.go_on = threading.Event()

    def verify(self, hash: str | bytes, password: str | bytes) -> Literal[True]:  # noqa: A002 - as argon2 has it
        if password == self.held:
            self.go_on.wait()
        return super().verify(hash, password)
