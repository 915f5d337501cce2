"""How the service behaved while things broke: processes that ended, answers that were late or wrong."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bench.faults.caller import Counts, Waited
from bench.faults.checking import Finding
from bench.faults.kinds import KINDS
from bench.faults.processes import EndedByItself
from bench.faults.report import Fault, waited_for_nothing


@dataclass(frozen=True)
class Limits:
    """How long things may take; a slow machine is given a multiple."""

    patience: float = 1.0

    @property
    def recovery_s(self) -> float:
        """Return within what time after a fault there are answers, and deliveries, again."""
        return 20 * self.patience

    @property
    def unavailable_s(self) -> float:
        """Return within what time a caller is told 503."""
        return 2 * self.patience

    @property
    def gives_up_s(self) -> float:
        """Return how long a fault, or a request, is waited for at most."""
        return 30 + 60 * self.patience

    @property
    def settles_s(self) -> float:
        """Return within what time everything is done once the load is over."""
        return 240 + 60 * self.patience

    @property
    def margin_s(self) -> float:
        """Return how long the end of a stopped API is still felt."""
        return 5 * self.patience


def misbehavior(
    faults: Sequence[Fault], counts: Counts, ended: Sequence[EndedByItself], limits: Limits
) -> Iterator[Finding]:
    """Yield what was wrong while it ran."""
    for process in ended:
        yield Finding("needed a person", f"{process.name} ended with {process.code}: {process.last_words}")
    for crash in counts.crashes:
        yield Finding("answered 500", crash)
    for fault in faults:
        if fault.unanswered_s > limits.recovery_s:
            yield Finding("long without an answer", f"{fault.kind}: {fault.unanswered_s:.1f} s")
        if fault.idle_s > limits.recovery_s:
            yield Finding("long without a delivery", f"{fault.kind}: {fault.idle_s:.1f} s")
    for wait in (*counts.unavailable, *counts.timed_out):
        seconds = waited_for_nothing(wait, faults)
        if seconds > limits.unavailable_s and not _was_api_stopped(wait, faults, limits):
            yield Finding("kept waiting", f"{wait.what}: {seconds:.1f} s")


def _was_api_stopped(wait: Waited, faults: Sequence[Fault], limits: Limits) -> bool:
    """Whether we had processes of the API down or frozen at the time, or they were just coming back."""
    return any(
        KINDS[fault.kind].stops_the_api
        and fault.started < wait.started + wait.seconds
        and wait.started < fault.ended + max(fault.unanswered_s, limits.margin_s)
        for fault in faults
    )
