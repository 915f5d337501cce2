"""What would change the price of an option: findings that the insured closes, and other retentions."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from msgspec import Struct

from bindery.domain.applicant.risk import Terms
from bindery.domain.quote.counter_offer import choices_for
from bindery.domain.rating.option import rate_options
from bindery.domain.rating.tariff import Tariff
from bindery.domain.scan.scan import Finding, ScanResult, score_of
from bindery.domain.screening.case import Applicant

MOST_FINDINGS: Final = 2
MOST_RETENTIONS: Final = 3


class ClosedFindings(Struct, frozen=True):
    """The price after findings are closed; each title is of one failed check."""

    titles: tuple[str, ...]
    score: int
    premium: int


@dataclass(frozen=True, slots=True)
class OtherRetention:
    retention: int
    premium: int


@dataclass(frozen=True, slots=True)
class PriceLevers:
    closed: tuple[ClosedFindings, ...]
    retentions: tuple[OtherRetention, ...]


def price_levers(
    applicant: Applicant, terms: Terms, tariff: Tariff, scan: ScanResult | None
) -> PriceLevers | None:
    """Rate an option as it would be otherwise; None if the tariff has no price for it."""
    try:
        return PriceLevers(
            tuple(_closed(applicant, terms, tariff, scan)) if scan is not None else (),
            tuple(_other_retentions(applicant, terms, tariff)),
        )
    except LookupError:
        return None


def _closed(applicant: Applicant, terms: Terms, tariff: Tariff, scan: ScanResult) -> Iterator[ClosedFindings]:
    if scan.score is None:
        return
    costly = _costliest(scan)
    for group in dict.fromkeys((costly[:1], costly)) if costly else ():
        checks = {finding.check_id for finding in group}
        score = score_of(finding for finding in scan.findings if finding.check_id not in checks)
        better = replace(applicant, risk=replace(applicant.risk, scan_score=score))
        titles = tuple(finding.title for finding in group)
        (premium,) = _premiums(better, (terms,), tariff)
        yield ClosedFindings(titles, score, premium)


def _costliest(scan: ScanResult) -> tuple[Finding, ...]:
    """Return the failed checks that cost most, each once: it costs the same on one host as on five."""
    by_check = {finding.check_id: finding for finding in reversed(scan.findings) if finding.points}
    return tuple(sorted(by_check.values(), key=lambda finding: -finding.points)[:MOST_FINDINGS])


def _other_retentions(applicant: Applicant, terms: Terms, tariff: Tariff) -> Iterator[OtherRetention]:
    """Return the next higher retentions that leave cover for a claim and are a usual share of the limit."""
    choices = choices_for(tariff, applicant.risk.product)
    now = getattr(terms, choices.retention_field) or 0
    most = int(tariff.max_retention_share * terms.aggregate_limit)
    higher = [
        retention
        for retention in choices.retentions
        if now < retention <= most and retention < terms.per_claim_limit
    ][:MOST_RETENTIONS]
    others = (replace(terms, **{choices.retention_field: retention}) for retention in higher)
    rated, *premiums = _premiums(applicant, (terms, *others), tariff)
    for retention, premium in zip(higher, premiums, strict=True):
        if premium != rated:
            yield OtherRetention(retention, premium)


def _premiums(applicant: Applicant, options: Sequence[Terms], tariff: Tariff) -> list[int]:
    hazard_group = applicant.industry.hazard_group
    return [
        sheet.premium for sheet in rate_options(tariff, applicant.risk, options, hazard_group=hazard_group)
    ]
