"""How a run went: the faults, the time after each without answers, and tables in Markdown at the end."""

import bisect
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from faults.lab.caller import Counts, Waited
from faults.lab.checking import Finding
from faults.lab.gathering import Found
from faults.lab.kinds import KINDS
from faults.lab.model import Model, Outcome
from faults.lab.processes import EndedByItself

SHOWN = 5


@dataclass
class Fault:
    """A fault that was done, and the longest stretches after it without an answer and without work.

    Of a cluster, also how long it took to be whole again.
    """

    kind: str
    started: float
    ended: float
    unanswered_s: float = 0.0
    idle_s: float = 0.0
    whole_s: float = 0.0


class Limits:
    """How long things may take; a slow machine is given a multiple."""

    def __init__(self, patience: float = 1.0) -> None:
        self.patience = patience
        self.unavailable_s = 2 * patience  # until a caller is told 503
        self.gives_up_s = 30 + 60 * patience  # how long a fault, or a request, is waited for
        self.settles_s = 240 + 60 * patience  # until everything is done once the load is over
        self.margin_s = 5 * patience  # how long the end of a stopped API is still felt


@dataclass
class Report:
    """Everything that is told of a run."""

    headline: str
    faults: list[Fault]
    counts: Counts
    model: Model
    found: Found
    all_done_s: float
    findings: list[Finding] = field(default_factory=list)


def measure(
    faults: Sequence[Fault], *, successes: Sequence[float], deliveries: Sequence[float], until: float
) -> None:
    """Note for each fault the longest stretches without a success and without a delivery before the next."""
    ends = [*(fault.started for fault in faults[1:]), until]
    for fault, end in zip(faults, ends, strict=True):
        fault.unanswered_s = longest_stretch(successes, fault.ended, end)
        fault.idle_s = longest_stretch(deliveries, fault.ended, end)


def longest_stretch(moments: Sequence[float], start: float, end: float) -> float:
    """Return the longest time between two moments, or the edges, of a window."""
    inside = moments[bisect.bisect_left(moments, start) : bisect.bisect_right(moments, end)]
    return max((later - earlier for earlier, later in pairwise((start, *inside, end))), default=0.0)


def misbehavior(
    faults: Sequence[Fault], counts: Counts, ended: Sequence[EndedByItself], limits: Limits
) -> Iterator[Finding]:
    """Yield what was wrong while it ran: processes that ended, answers that were late or wrong."""
    for process in ended:
        yield Finding("needed a person", f"{process.name} ended with {process.code}: {process.last_words}")
    for crash in counts.crashes:
        yield Finding("answered 500", crash)
    for fault in faults:
        if fault.whole_s == math.inf:
            yield Finding("cluster not whole again", fault.kind)
        recovery_s = KINDS[fault.kind].recovers_within_s * limits.patience
        if fault.unanswered_s > recovery_s:
            yield Finding("long without an answer", f"{fault.kind}: {fault.unanswered_s:.1f} s")
        if fault.idle_s > recovery_s:
            yield Finding("long without a delivery", f"{fault.kind}: {fault.idle_s:.1f} s")
    for wait in (*counts.unavailable, *counts.timed_out):
        seconds = _waited_for_nothing(wait, faults)
        if seconds > limits.unavailable_s and not _was_api_stopped(wait, faults, limits):
            yield Finding("kept waiting", f"{wait.what}: {seconds:.1f} s")


def _waited_for_nothing(wait: Waited, faults: Sequence[Fault]) -> float:
    """Return how long an answer took from the fault that struck in the meantime.

    What was done before it was work: a move of the clock plays weeks of business and may be struck after many
    seconds of it.
    """
    ended = wait.started + wait.seconds
    struck = (fault.started for fault in faults if wait.started < fault.started < ended)
    return ended - max(struck, default=wait.started)


def _was_api_stopped(wait: Waited, faults: Sequence[Fault], limits: Limits) -> bool:
    """Whether we had processes of the API down or frozen at the time, or they were just coming back."""
    return any(
        KINDS[fault.kind].stops_the_api
        and fault.started < wait.started + wait.seconds
        and wait.started < fault.ended + max(fault.unanswered_s, limits.margin_s)
        for fault in faults
    )


def markdown(report: Report) -> str:
    """Write the tables for `docs/reliability.md`."""
    return "\n".join(
        [report.headline, "", *_faults(report), "", *_counts(report), "", *_findings(report.findings)]
    )


def _faults(report: Report) -> Iterator[str]:
    by_kind = defaultdict(list)
    for fault in report.faults:
        by_kind[fault.kind].append(fault)
    yield "| Fault | Count | Longest after it without an answer, s | without a delivery, s | until whole, s |"
    yield "|---|---:|---:|---:|---:|"
    for kind, entry in KINDS.items():
        done = by_kind.get(kind)
        yield (
            f"| {entry.title} | {len(done)} | {_longest(done)} |" if done else f"| {entry.title} | 0 | | | |"
        )
    yield f"| **All, {len(by_kind)} kinds** | **{len(report.faults)}** | {_longest(report.faults)} |"


def _longest(faults: Sequence[Fault]) -> str:
    unanswered = max((fault.unanswered_s for fault in faults), default=0.0)
    idle = max((fault.idle_s for fault in faults), default=0.0)
    return f"{unanswered:.1f} | {idle:.1f} | {max((fault.whole_s for fault in faults), default=0.0):.1f}"


def _counts(report: Report) -> Iterator[str]:
    model, found, counts = report.model, report.found, report.counts
    yield "| What | Count |"
    yield "|---|---|"
    for name, effects in model.by_kind().items():
        unknown = sum(effect.outcome is Outcome.UNKNOWN for effect in effects)
        done = sum(effect.is_acknowledged for effect in effects)
        yield f"| {name} acknowledged, never answered | {done:,}, {unknown:,} |"
    for name in ("quotes", "policies", "documents", "mails", "events"):
        yield f"| {name} in the end | {len(getattr(found, name)):,} |"
    twice = len(model.arrivals) - len({(arrival.path, arrival.event_id) for arrival in model.arrivals})
    yield f"| deliveries, of them again | {len(model.arrivals):,}, {twice} |"
    answers = ", ".join(f"{status}: {count:,}" for status, count in sorted(counts.statuses.items()))
    yield f"| answers by status | {answers} |"
    yield f"| everything done after the load, s | {report.all_done_s:.1f} |"


def _findings(findings: Sequence[Finding]) -> Iterator[str]:
    if not findings:
        yield "No findings."
        return
    by_kind = defaultdict(list)
    for finding in findings:
        by_kind[finding.kind].append(finding.what)
    yield f"{len(findings)} findings:"
    yield ""
    for kind, whats in sorted(by_kind.items(), key=lambda item: -len(item[1])):
        yield f"- {kind} ({len(whats)}): {'; '.join(whats[:SHOWN])}"
