"""Recommendations to an applicant, from its answers and from the findings of the scan."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice
from typing import Any, Final

import msgspec

from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.applicant.risk import Risk
from bindery.domain.editions import Editions, packaged
from bindery.domain.questions.conditions import Condition, Facts, QuestionContext, read_condition
from bindery.domain.scan.checks import Effort, scan_catalogue
from bindery.domain.scan.scan import Finding, ScanResult, Severity

WORST_FIRST: Final = tuple(reversed(Severity))
HOSTS_NAMED: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Improvement:
    id: str
    title: str
    severity: Severity
    seen: str
    why: str
    advice: str
    effort: Effort
    proof: str


@dataclass(frozen=True, slots=True)
class Advice:
    products: tuple[InsuranceProduct, ...]
    when: Condition
    text: Improvement


@dataclass(frozen=True, slots=True)
class AdviceEdition:
    edition: str
    effective_from: date
    advice: tuple[Advice, ...]


def recommendations_for(risk: Risk, scan: ScanResult | None, *, on: date) -> tuple[Improvement, ...]:
    """Return the recommendations as of a day, the worst first.

    Of one severity, those from the scan come first.
    """
    seen = _from_findings(scan.findings) if scan is not None else ()
    advised = _from_answers(risk, ADVICE.in_force(on))
    return tuple(
        sorted((*seen, *advised), key=lambda recommendation: WORST_FIRST.index(recommendation.severity))
    )


def _from_answers(risk: Risk, edition: AdviceEdition) -> tuple[Improvement, ...]:
    circumstances = QuestionContext(risk.revenue, risk.term)
    facts = Facts(risk.answers.values, circumstances)
    return tuple(
        advice.text
        for advice in edition.advice
        if risk.product in advice.products and advice.when.holds(facts)
    )


def _from_findings(findings: Iterable[Finding]) -> tuple[Improvement, ...]:
    """Word each failed check once, with the hosts it failed on; those that only give context are left out."""
    by_check: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.severity is not Severity.INFO:
            by_check.setdefault(finding.check_id, []).append(finding)
    ranked = sorted(by_check.values(), key=lambda found: (-found[0].points, found[0].check_id))
    return tuple(_from_finding(found) for found in ranked)


def _from_finding(found: Sequence[Finding]) -> Improvement:
    check = scan_catalogue().check(found[0].check_id)
    return Improvement(
        id=check.id,
        title=check.title,
        severity=found[0].severity,
        seen="; ".join(_seen(found)),
        why=check.why,
        advice=check.advice,
        effort=check.effort,
        proof=check.proof,
    )


def _seen(found: Iterable[Finding]) -> Iterator[str]:
    hosts_by_evidence: dict[str, list[str]] = {}
    for finding in found:
        hosts_by_evidence.setdefault(finding.evidence.removesuffix("."), []).append(finding.host)
    for evidence, hosts in islice(hosts_by_evidence.items(), HOSTS_NAMED):
        more = f" and {len(hosts) - HOSTS_NAMED} more" if len(hosts) > HOSTS_NAMED else ""
        yield f"{evidence} ({', '.join(hosts[:HOSTS_NAMED])}{more})"
    if len(hosts_by_evidence) > HOSTS_NAMED:
        yield f"and {len(hosts_by_evidence) - HOSTS_NAMED} more"


# The rows come from our own packaged file, whose shape the tests hold fast.
def _read_advice(row: dict[str, Any]) -> Advice:
    products = msgspec.convert(row["products"], tuple[InsuranceProduct, ...])
    return Advice(products, read_condition(row["when"], {}), msgspec.convert(row, Improvement))


def _read_edition(text: bytes) -> AdviceEdition:
    raw = json.loads(text)
    advice = tuple(_read_advice(row) for row in raw["advice"])
    return AdviceEdition(raw["edition"], date.fromisoformat(raw["effective_from"]), advice)


ADVICE: Final = Editions("advice", lambda: map(_read_edition, packaged("advice")))
