"""Spans on their way out of a process: they wait in a queue, and a thread sends them batch by batch."""

import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

Send: TypeAlias = Callable[[Sequence[bytes]], None]

MOST_KEPT: Final = "OTEL_BSP_MAX_QUEUE_SIZE", 2_048
MOST_SENT: Final = "OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 512
DELAY_MS: Final = "OTEL_BSP_SCHEDULE_DELAY", 5_000
"""OpenTelemetry's own variables for its batches, and what they are unless set."""


class SpanBatches:
    """Sends when there is a batch, or after a while what there is.

    What the queue has no room for is dropped without a word: to write one takes as long as the span. The
    thread has to be born in the process that uses it: after a fork, not before.
    """

    def __init__(self, send: Send, variables: Mapping[str, str]) -> None:
        self._send = send
        self._most_kept = _number_of(variables, MOST_KEPT)
        self._most_sent = min(_number_of(variables, MOST_SENT), self._most_kept)
        self._delay_s = _number_of(variables, DELAY_MS) / 1000
        self._waiting: deque[bytes] = deque()
        self._looks = threading.Event()
        self._is_closed = False
        self._thread = threading.Thread(target=self._run, name="traces", daemon=True)
        self._thread.start()

    def add(self, span: bytes) -> None:
        if self._is_closed or len(self._waiting) >= self._most_kept:
            return
        self._waiting.append(span)
        if len(self._waiting) >= self._most_sent and not self._looks.is_set():
            self._looks.set()

    def close(self, *, within_s: float) -> None:
        self._is_closed = True
        self._looks.set()
        self._thread.join(within_s)

    def _run(self) -> None:
        while not self._is_closed:
            is_batch = self._looks.wait(self._delay_s)
            self._looks.clear()
            # A part of a batch waits for more of it, unless it has waited long enough.
            while len(self._waiting) >= self._most_sent or (self._waiting and not is_batch):
                self._send_some()
                is_batch = True
        while self._waiting:
            self._send_some()

    def _send_some(self) -> None:
        self._send([self._waiting.popleft() for _ in range(min(len(self._waiting), self._most_sent))])


def _number_of(variables: Mapping[str, str], asked: tuple[str, int]) -> int:
    """Return a number that a variable sets; the specification says to ignore what is not a number."""
    name, usual = asked
    value = variables.get(name, "").strip()
    return int(value) if value.isdecimal() and int(value) > 0 else usual
