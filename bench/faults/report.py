"""The results of a run: a line while it lasts, and tables in Markdown at the end."""

import bisect
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from bench.faults.caller import Counts, Waited
from bench.faults.checking import Finding, took_effect
from bench.faults.gathering import Found
from bench.faults.kinds import KINDS
from bench.faults.model import Effect, Model, Outcome

SHOWN = 5


@dataclass
class Fault:
    """A fault that was done, and the longest stretches after it without an answer and without work."""

    kind: str
    started: float
    ended: float
    unanswered_s: float = 0.0
    idle_s: float = 0.0


@dataclass
class Report:
    """Everything that is told of a run."""

    mode: str
    seed: int
    command: str
    load_s: float
    left_out: list[str]
    faults: list[Fault]
    counts: Counts
    model: Model
    found: Found
    ended_by_themselves: int
    last_final_s: float
    all_done_s: float
    clock_days: int
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


def waited_for_nothing(wait: Waited, faults: Sequence[Fault]) -> float:
    """Return how long an answer took from the fault that struck in the meantime: what was done before it was
    work.

    A move of the clock plays weeks of business and may be struck after many seconds of it.
    """
    ended = wait.started + wait.seconds
    struck = (fault.started for fault in faults if wait.started < fault.started < ended)
    return ended - max(struck, default=wait.started)


def progress_line(seconds: float, faults: Sequence[Fault], model: Model, findings: int) -> str:
    return (
        f"{seconds // 60:3.0f}:{seconds % 60:02.0f}  {len(faults):4} faults  "
        f"{model.acknowledged_submissions():5} submissions  {model.acknowledged_binds():5} binds  "
        f"{len(model.arrivals):6} deliveries  {findings:3} findings"
    )


def markdown(report: Report) -> str:
    """Write the tables for `docs/reliability.md`."""
    first = (
        f"`{report.command}`: {report.load_s / 60:.1f} minutes of load, seed {report.seed}, mode "
        f"{report.mode}, {report.clock_days} days of business clock."
    )
    return "\n".join(
        [
            first,
            "",
            *_faults(report),
            "",
            *_counts(report),
            "",
            *_findings(report.findings),
        ]
    )


def _faults(report: Report) -> Iterator[str]:
    by_kind = defaultdict(list)
    for fault in report.faults:
        by_kind[fault.kind].append(fault)
    yield "| Fault | Count | Longest after it without an answer, s | without a delivery, s |"
    yield "|---|---:|---:|---:|"
    for kind, entry in KINDS.items():
        if done := by_kind.get(kind):
            yield f"| {entry.title} | {len(done)} | {_longest(done)} |"
        elif kind in report.left_out:
            yield f"| {entry.title} | not possible here | | |"
    yield f"| **All, {len(by_kind)} kinds** | **{len(report.faults)}** | {_longest(report.faults)} |"


def _longest(faults: Sequence[Fault]) -> str:
    unanswered = max((fault.unanswered_s for fault in faults), default=0.0)
    idle = max((fault.idle_s for fault in faults), default=0.0)
    return f"{unanswered:.1f} | {idle:.1f}"


def _counts(report: Report) -> Iterator[str]:
    model, found, counts = report.model, report.found, report.counts
    kinds = Counter(finding.kind for finding in report.findings)
    twice = len(model.arrivals) - len({(arrival.path, arrival.event_id) for arrival in model.arrivals})
    renewals = sum(1 for row in found.submissions if row.renews is not None)
    answers = ", ".join(f"{status}: {count:,}" for status, count in sorted(counts.statuses.items()))
    slowest = max((waited_for_nothing(wait, report.faults) for wait in counts.unavailable), default=0.0)
    rows = [
        ("Submissions acknowledged", f"{model.acknowledged_submissions():,}"),
        ("… lost, doubled", f"{kinds['submission lost']}, {kinds['submission doubled']}"),
        ("Quotes, not final in the end", f"{len(found.quotes):,}, {kinds['quote not final']}"),
        ("Uploads acknowledged, lost, doubled", _three(model.uploads, kinds, "upload")),
        ("Binds acknowledged, lost", f"{model.acknowledged_binds():,}, {kinds['bind lost']}"),
        ("Policies in the end, of them renewals", f"{len(found.policies):,}, {_bound_renewals(report):,}"),
        ("Renewals made; missing, doubled", f"{renewals:,}; {_renewal_flaws(kinds)}"),
        ("Pauses acknowledged, lost", f"{_acknowledged(model.pauses)}, {kinds['pause lost']}"),
        ("Papers of policies downloaded, wrong", f"{len(found.documents):,}, {_paper_flaws(kinds)}"),
        ("Mails, lost, doubled", f"{len(found.mails):,}, {kinds['mail lost']}, {kinds['mail doubled']}"),
        ("Events, gaps", f"{len(found.events):,}, {kinds['gap in a sequence']}"),
        ("Webhooks registered", str(_acknowledged(model.hooks))),
        ("Deliveries, of them again", f"{len(model.arrivals):,}, {twice}"),
        (
            "… missing, out of order, wrong signature",
            f"{kinds['event not delivered']}, {kinds['deliveries out of order']}, {model.bad_signatures}",
        ),
        ("Journals, entries, flaws", _journal(found)),
        ("Requests without an answer or with 503, sent again or looked up", f"{_lost_tries(model):,}"),
        ("… without a key: done, not done", _looked_up(report)),
        ("Answers by status", answers),
        ("Slowest 503, s", f"{slowest:.1f}"),
        ("Processes that ended by themselves", str(report.ended_by_themselves)),
        ("Last quote final after the load, s", f"{report.last_final_s:.1f}"),
        ("Everything done after the load, s", f"{report.all_done_s:.1f}"),
    ]
    yield "| What | Count |"
    yield "|---|---|"
    for name, value in rows:
        yield f"| {name} | {value} |"


def _three(effects: Sequence[Effect], kinds: Counter[str], name: str) -> str:
    return f"{_acknowledged(effects):,}, {kinds[f'{name} lost']}, {kinds[f'{name} doubled']}"


def _acknowledged(effects: Sequence[Effect]) -> int:
    return sum(effect.is_acknowledged for effect in effects)


def _bound_renewals(report: Report) -> int:
    renewals = {quote for row in report.found.submissions if row.renews for quote in row.quotes}
    return len(renewals & report.found.policies.keys())


def _renewal_flaws(kinds: Counter[str]) -> str:
    return f"{kinds['policy not renewed'] + kinds['renewal not bound']}, {kinds['policy renewed twice']}"


def _paper_flaws(kinds: Counter[str]) -> int:
    return kinds["document not available"] + kinds["policy without its papers"]


def _journal(found: Found) -> str:
    journal = found.journal
    return f"{journal.get('quotes', 0):,}, {journal.get('entries', 0):,}, {len(journal['flaws'])}"


def _lost_tries(model: Model) -> int:
    return sum(effect.lost for effect in model.effects())


def _looked_up(report: Report) -> str:
    unknown = [effect for effect in report.model.effects() if effect.outcome is Outcome.UNKNOWN]
    done = sum(took_effect(effect, report.found) for effect in unknown)
    return f"{done}, {len(unknown) - done}"


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
