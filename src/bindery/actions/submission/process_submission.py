"""From a submission to priced quotes or referrals: scan once, then decide all its options.

Any stage may run twice, and a worker may die between any two lines: finished work stays done, and the worker
that takes the job over does the rest. Submissions that are worked on at the same time share transactions.
"""

import asyncio
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

import structlog

from bindery.actions.documents.gather_facts import freeze_published_offers
from bindery.actions.quote.advance_quote import advance_quotes
from bindery.base.batching import Batcher
from bindery.base.stages import add_stage, current_work, stage
from bindery.base.tracing import add_span, current_trace, going_on_with, traces_of_each
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.business_rules import BusinessRules
from bindery.domain.jobs import PROCESS_SUBMISSION
from bindery.domain.policy.policy import Policy
from bindery.domain.products import record_of
from bindery.domain.quote.clearance import clearance_keys
from bindery.domain.quote.lifecycle import BINDABLE, IN_PIPELINE, Trigger
from bindery.domain.quote.pipeline import (
    ACTOR,
    SubmissionCase,
    case_of,
    contingencies_of,
    decide_option,
    give_up,
    is_scanned_automatically,
    rate_asked,
)
from bindery.domain.quote.quote import Quote, Step, Walk
from bindery.domain.quote.underwriting import RatedOption
from bindery.domain.scan.scan import ScanOutcome, ScanResult, merge_results, nothing_to_scan
from bindery.domain.submission.value import Submission
from bindery.metrics import quote_ready_seconds, scans
from bindery.runtime import Runtime
from bindery.storage.database import Tx, is_outage
from bindery.storage.jobs import queue
from bindery.storage.lists import search
from bindery.storage.policy import capacity, policies
from bindery.storage.quote import contingencies
from bindery.storage.submission import scan_cache, submissions
from bindery.storage.submission.submissions import StoredSubmission, UnreadableSubmission

WORTH_KEEPING = frozenset({ScanOutcome.FINISHED, ScanOutcome.PARTIAL})
SCAN_TRIES: Final = 3
SCAN_RETRY_AFTER: Final = timedelta(seconds=1)
MOST_STARTS: Final = 10
"""A submission whose work was begun more often than this and never ended is referred with an error."""
SOON_S: Final = 0.1
"""A scan that takes longer than this is shown as being under way."""
MOST_TOGETHER: Final = 8
"""Submissions that share a transaction; more of them would hold their rows for longer than a reader likes."""
DECIDED_AT_ONCE: Final = 2
"""Transactions under way at the same time: while the database writes one, the next is worked out."""
Scanned = tuple[StoredSubmission, ScanResult]
_Traced = tuple[Scanned, str | None]

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Decided:
    """How many options of a submission were decided, and how many seconds each part of that took.

    `rated_at` and `publishing_at` are moments of `time.perf_counter()`; what is published is committed.
    """

    options: int = 0
    rated_at: float = 0.0
    pricing_s: float = 0.0
    screening_s: float = 0.0
    publishing_at: float = 0.0
    publishing_s: float = 0.0
    together: int = 1


async def decide_submissions(
    tx: Tx,
    rules: BusinessRules,
    scanned: Sequence[Scanned],
    *,
    traces: Mapping[uuid.UUID, str | None] | None = None,
) -> dict[uuid.UUID, Decided]:
    """Bring every option that is under way to an offer or to the desk, all of them in a few statements.

    Options that have left the pipeline in the meantime stay as they are.
    """
    found = {stored.submission_id: (stored, scan) for stored, scan in scanned}
    await submissions.keep_scans(tx, {key: scan for key, (_, scan) in found.items()})
    expiring = await _lock_renewed(tx, [stored for stored, _ in scanned])
    options = await submissions.lock_options(tx, list(found), IN_PIPELINE)
    conflicts = await submissions.with_other_broker(
        tx, {key: _broker_keys(rules, stored) for key, (stored, _) in found.items()}
    )
    sections = await capacity.in_force(tx)
    cases = {
        key: case_of(
            stored.submission,
            scan,
            rules,
            now=tx.now,
            broker_conflict=key in conflicts,
            expiring=expiring.get(key),
            sections=sections,
        )
        for key, (stored, scan) in found.items()
    }
    await contingencies.add(
        tx,
        {
            quote.quote_id: drafts
            for key, case in cases.items()
            if (drafts := contingencies_of(case))
            for quote in options[key]
        },
    )
    walks: list[Walk] = []
    measured: dict[uuid.UUID, Decided] = {}
    for key, its_options in options.items():
        case = cases[key]
        started = time.perf_counter()
        rated = [_rate(case, quote) for quote in its_options]
        priced = time.perf_counter()
        walks += [_decide(case, quote, price) for quote, price in zip(its_options, rated, strict=True)]
        screened = time.perf_counter()
        measured[key] = Decided(
            options=len(its_options),
            rated_at=started,
            pricing_s=priced - started,
            screening_s=screened - priced,
            together=len(scanned),
        )
    publishing_at = time.perf_counter()
    of_each = {quote.quote_id: (traces or {}).get(key) for key, its in options.items() for quote in its}
    with traces_of_each(of_each):
        decided = await advance_quotes(tx, walks) if walks else []
    opened: dict[uuid.UUID, tuple[StoredSubmission, list[Quote]]] = {}
    for quote in decided:
        if quote.status in BINDABLE:
            stored, scan = found[quote.submission_id]
            opened.setdefault(quote.submission_id, (replace(stored, scan=scan), []))[1].append(quote)
    await freeze_published_offers(tx, rules, opened, expiring)
    await search.write(tx, [stored for stored, _ in scanned])
    return {key: replace(found, publishing_at=publishing_at) for key, found in measured.items()}


def _rate(case: SubmissionCase, quote: Quote) -> RatedOption | None:
    """Price an option; a bug in pricing refers it rather than leaving it waiting forever."""
    try:
        return rate_asked(case, quote)
    except Exception:
        log.exception("pricing_crashed", quote=str(quote.quote_id))
        return rate_asked(replace(case, breaks_pricing=True), quote)


def _decide(case: SubmissionCase, quote: Quote, rated: RatedOption | None) -> Walk:
    """Decide an option; a bug in what follows its price refers it as one without a price."""
    try:
        return decide_option(case, quote, rated)
    except Exception:
        log.exception("pricing_crashed", quote=str(quote.quote_id))
        broken = replace(case, breaks_pricing=True)
        return decide_option(broken, quote, rate_asked(broken, quote))


def _broker_keys(rules: BusinessRules, stored: StoredSubmission) -> list[tuple[str, str]]:
    # In the demo every domain is under example.com, so only the company itself shows a conflict.
    return [] if rules.demo_outcomes.shares_domains else clearance_keys(stored.submission)


async def _lock_renewed(tx: Tx, stored: Sequence[StoredSubmission]) -> dict[uuid.UUID, Policy]:
    """Find the policies that submissions renew.

    An offered renewal is shown by the policy that it renews: both rows are written, and the company is locked
    before either.
    """
    renewals = [submission for submission in stored if submission.renews is not None]
    expiring = {}
    for renewal in sorted(renewals, key=lambda renewal: renewal.company_id):
        await submissions.lock(tx, renewal.company_id)
        assert renewal.renews is not None, "it is a renewal"
        policy = await policies.find(tx, renewal.renews)
        assert policy is not None, "what is renewed was bound"
        expiring[renewal.submission_id] = policy
    return expiring


async def scan_domains(runtime: Runtime, submission: Submission, *, at: datetime) -> ScanResult:
    """Scan the applicant's domains, using results of the last 24 hours where there are any.

    A crash between the scan and its record repeats the scan. The demo's simulator keeps no cache.
    """
    domains = submission.domains if record_of(submission.product).is_scanned else ()
    if not domains:
        return nothing_to_scan(at=at, scanner=runtime.scanner.name)
    return merge_results(await scan_each(runtime, domains, at=at), at=at, scanner=runtime.scanner.name)


async def scan_each(runtime: Runtime, domains: Sequence[str], *, at: datetime) -> tuple[ScanResult, ...]:
    """Scan domains and return the result of each, in order."""
    scanner = runtime.scanner
    known: dict[str, ScanResult] = {}
    if scanner.is_worth_keeping:
        async with runtime.database.reading() as tx:
            known = await scan_cache.fresh(tx, domains)
    asked = [domain for domain in domains if domain not in known]
    for domain in known:
        with stage("scan_kept", domain):
            pass
    found = dict(zip(asked, await scanner.scan_each(asked, at=at), strict=True)) if asked else {}
    for result in found.values():
        scans.labels(result.outcome).inc()
    keep = [(domain, result) for domain, result in found.items() if result.outcome in WORTH_KEEPING]
    if keep and scanner.is_worth_keeping:
        async with runtime.database.transaction() as tx:
            await scan_cache.keep(tx, keep)
    return tuple(known.get(domain) or found[domain] for domain in domains)


@dataclass(frozen=True, slots=True)
class _Started:
    """A submission on which the work has started but that has not been read yet."""

    at: datetime
    read: Callable[[], StoredSubmission]


@dataclass(frozen=True, slots=True)
class TryAgain:
    after: timedelta


async def process_submission(runtime: Runtime, submission_id: uuid.UUID) -> TryAgain | None:
    return await Pipeline(runtime).process(submission_id)


def _add_parts(decided: Decided) -> None:
    """Add what a decision consisted of to the job; its parts follow each other."""
    if not decided.options:
        return
    screened_at = decided.rated_at + decided.pricing_s
    add_stage("price", started=decided.rated_at, seconds=decided.pricing_s)
    add_stage("screen", started=screened_at, seconds=decided.screening_s)
    add_span("publish", began=decided.publishing_at, seconds=decided.publishing_s)


class Pipeline:
    """Works on submissions; concurrent ones share their transactions."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._starts: Batcher[uuid.UUID, _Started | None] = Batcher(self._start, most=MOST_TOGETHER)
        self._decisions: Batcher[_Traced, Decided] = Batcher(
            self._decide, most=MOST_TOGETHER, at_once=DECIDED_AT_ONCE
        )

    async def process(self, submission_id: uuid.UUID) -> TryAgain | None:
        """Bring every option of a submission to a status that a person or partner can act on.

        A submission that cannot be read, or whose work never ends, is referred to a person.
        """
        # The start is counted, whatever comes of it: reading the submission may be what ends the worker.
        with stage("start"):
            started = await self._starts.do(submission_id)
        if started is None:
            return None
        if (work := current_work()) is not None:
            work.began_at = started.at
        try:
            stored = started.read()
        except UnreadableSubmission:
            log.exception("submission_unreadable", submission=str(submission_id))
            await self._give_up(submission_id, "what is stored of it cannot be read")
            return None
        if await self._starts_but_for_outages(stored) > MOST_STARTS:
            await self._give_up(submission_id, f"it was started {MOST_STARTS} times and never finished")
            return None
        with stage("scan"):
            scan = stored.scan or await self._scan(stored, started.at)
        if scan.outcome is ScanOutcome.FAILED and stored.scan is None and stored.starts < SCAN_TRIES:
            return TryAgain(SCAN_RETRY_AFTER)
        with stage("decide"):
            decided = await self._decisions.do(((stored, scan), current_trace()))
            _add_parts(decided)
        if work is not None:
            work.together = decided.together
        return None

    async def _start(self, submission_ids: Sequence[uuid.UUID]) -> list[_Started | Exception | None]:
        async with self._runtime.database.transaction() as tx:
            readings = await submissions.start(tx, submission_ids)
        return [
            _Started(tx.now, readings[submission_id]) if submission_id in readings else None
            for submission_id in submission_ids
        ]

    async def _starts_but_for_outages(self, stored: StoredSubmission) -> int:
        if stored.starts <= MOST_STARTS:
            return stored.starts
        async with self._runtime.database.reading() as tx:
            held_up = await queue.times_held_up(tx, PROCESS_SUBMISSION, str(stored.submission_id))
        return stored.starts - held_up

    async def _scan(self, stored: StoredSubmission, at: datetime) -> ScanResult:
        """Scan, and show the options as being scanned if that takes a while."""
        scanning = asyncio.ensure_future(scan_domains(self._runtime, stored.submission, at=at))
        try:
            done, _ = await asyncio.wait({scanning}, timeout=SOON_S)
            if not done:
                await self._show_scan(stored)
            return await scanning
        finally:
            scanning.cancel()

    async def _show_scan(self, stored: StoredSubmission) -> None:
        """Mark the options inside automatic authority as being scanned."""
        async with self._runtime.database.transaction() as tx:
            created = await submissions.lock_options(tx, [stored.submission_id], [QuoteStatus.CREATED])
            walks = [
                Walk(quote, (Step(Trigger.SCAN, ACTOR),))
                for quote in created[stored.submission_id]
                if is_scanned_automatically(quote, stored.submission)
            ]
            if walks:
                await advance_quotes(tx, walks)

    async def _decide(self, items: Sequence[_Traced]) -> list[Decided | Exception]:
        """Decide submissions in one transaction; if that fails, each alone, so that one fails alone."""
        started = time.perf_counter()
        scanned = [found for found, _ in items]
        traces = {stored.submission_id: trace for (stored, _), trace in items}
        try:
            with going_on_with(None):
                async with self._runtime.database.transaction() as tx:
                    decided = await decide_submissions(tx, self._runtime.rules, scanned, traces=traces)
        except Exception as fault:  # noqa: BLE001 - each job receives its own
            if len(items) == 1 or is_outage(fault):
                return [fault] * len(items)
            return [outcome for alone in items for outcome in await self._decide([alone])]
        committed = time.perf_counter()
        at = tx.now + timedelta(seconds=time.perf_counter() - started)
        for stored, _ in scanned:
            seconds = max(0.0, (at - stored.created_at).total_seconds())
            for _ in range(decided[stored.submission_id].options):
                quote_ready_seconds.labels(stored.submission.product).observe(seconds)
        return [
            replace(found, publishing_s=committed - found.publishing_at)
            for found in (decided[stored.submission_id] for stored, _ in scanned)
        ]

    async def _give_up(self, submission_id: uuid.UUID, because: str) -> None:
        """Refer the options left in the pipeline to the desk, as a pricing that failed, with the reason."""
        async with self._runtime.database.transaction() as tx:
            left = await submissions.lock_options(tx, [submission_id], IN_PIPELINE)
            walks = [give_up(quote, because, now=tx.now) for quote in left[submission_id]]
            if walks:
                await advance_quotes(tx, walks)
        log.error("submission_given_up", submission=str(submission_id), reason=because)
