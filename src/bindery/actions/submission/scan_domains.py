from datetime import datetime

from bindery.domain.products import record_of
from bindery.domain.scan.scan import ScanOutcome, ScanResult, merge_results, nothing_to_scan
from bindery.domain.submission.value import Submission
from bindery.metrics import scans
from bindery.runtime import Runtime
from bindery.storage.submission import scan_cache

WORTH_KEEPING = frozenset({ScanOutcome.FINISHED, ScanOutcome.PARTIAL})


async def scan_domains(runtime: Runtime, submission: Submission, *, at: datetime) -> ScanResult:
    """Scan the applicant's domains, asking the world only for those not scanned in the last 24 hours.

    A crash between the scan and its record repeats the scan. The demo's simulator keeps no cache.
    """
    scanner = runtime.scanner
    domains = submission.domains if record_of(submission.product).is_scanned else ()
    if not domains:
        return nothing_to_scan(at=at, scanner=scanner.name)
    known: dict[str, ScanResult] = {}
    if scanner.is_worth_keeping:
        async with runtime.database.reading() as tx:
            known = await scan_cache.fresh(tx, domains)
    asked = [domain for domain in domains if domain not in known]
    found = dict(zip(asked, await scanner.scan_each(asked, at=at), strict=True)) if asked else {}
    for result in found.values():
        scans.labels(result.outcome).inc()
    keep = [(domain, result) for domain, result in found.items() if result.outcome in WORTH_KEEPING]
    if keep and scanner.is_worth_keeping:
        async with runtime.database.transaction() as tx:
            await scan_cache.keep(tx, keep)
    return merge_results(
        (known.get(domain) or found[domain] for domain in domains), at=at, scanner=scanner.name
    )
