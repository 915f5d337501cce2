"""Watching the domains of a policy: when they are scanned again, and what of it cannot wait."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final
from uuid import UUID

from bindery.domain.policy.policy import Policy
from bindery.domain.products import record_of
from bindery.domain.scan.scan import Finding, ScanOutcome, ScanResult, merge_results

EVERY: Final = timedelta(days=30)
WITH_A_VIEW: Final = frozenset({ScanOutcome.FINISHED, ScanOutcome.PARTIAL})


def is_watched(policy: Policy, today: date) -> bool:
    """Whether the policy covers today and its domains are scanned; a canceled one covers until its end."""
    end = policy.term.expiration if policy.in_force else policy.ended_on
    is_scanned = record_of(policy.product).is_scanned
    return is_scanned and end is not None and _begins(policy) <= today < end


def next_rescan(policy: Policy, *, after: date) -> date:
    """Return the policy's first turn after a day: every 30 days from a day in its first 30.

    Which day that is follows from the quote's id, so that policies bound together are not scanned together.
    """
    first = _begins(policy) + timedelta(days=1 + _spread(policy.quote_id))
    missed = max(0, (after - first) // EVERY + 1)
    return first + missed * EVERY


def _begins(policy: Policy) -> date:
    effective = policy.term.effective
    return effective if policy.bound_on is None else max(policy.bound_on, effective)


def _spread(quote_id: UUID) -> int:
    # The low bits are random; the migration that began the watch counts them in the same way.
    return (quote_id.int & 0xFFFFFFFF) % EVERY.days


@dataclass(frozen=True, slots=True)
class Rescan:
    """What a rescan of a policy's domains showed.

    `known` are the findings that count as known from now on, `alarming` those that are new and severe.
    """

    result: ScanResult
    known: tuple[Finding, ...]
    alarming: tuple[Finding, ...]


def compare_rescan(known: Collection[Finding], parts: Sequence[ScanResult]) -> Rescan:
    """Compare a rescan, given by domain, with what was known of the policy before.

    A finding is gone only where its check was made again and found nothing: a scan that failed, saw nothing
    or left the check out says nothing about it, and does not make it new the next time.
    """
    assert parts, "something was scanned"
    result = merge_results(parts, at=parts[0].scanned_at, scanner=parts[0].scanner)
    seen = {_key(finding) for finding in result.findings}
    kept = tuple(finding for finding in known if _key(finding) not in seen and not _is_gone(finding, parts))
    before = {_key(finding) for finding in known}
    return Rescan(
        result=result,
        known=(*result.findings, *kept),
        # What refers a quote is what cannot wait.
        alarming=tuple(
            finding for finding in result.findings if finding.red_flag and _key(finding) not in before
        ),
    )


def _key(finding: Finding) -> tuple[str, str]:
    return finding.check_id, finding.host


def _is_gone(finding: Finding, parts: Iterable[ScanResult]) -> bool:
    domains = {part.domains[0]: part for part in parts}
    own = [part for domain, part in domains.items() if _is_of(finding.host, domain)]
    # A mail exchanger may be under somebody else's name: then every domain has to have been looked at.
    return all(
        part.outcome in WITH_A_VIEW and finding.check_id not in part.unchecked
        for part in own or domains.values()
    )


def _is_of(host: str, domain: str) -> bool:
    return host == domain or host.endswith(f".{domain}")


def domain_of(host: str, domains: Iterable[str]) -> str:
    """Return the insured domain that a host belongs to; the host itself where it is under another name."""
    own = [domain for domain in domains if _is_of(host, domain)]
    return max(own, key=len, default=host)
