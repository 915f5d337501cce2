"""The cases of the gallery, taken through reading, pricing and building as the service does it."""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

import msgspec

from bindery.cli.gallery.cases import Case
from bindery.cli.gallery.requests import Body
from bindery.contract.documents import DocumentType
from bindery.contract.quotes import CreateQuotesRequest
from bindery.contract.vocabulary import ContingencyStatus, ContingencyType, QuoteStatus
from bindery.domain.applicant.risk import Term
from bindery.domain.coverages import COVERAGES
from bindery.domain.papers.access import OF_THE_APPLICANT, OF_THE_BINDER, OF_THE_QUOTE
from bindery.domain.papers.building import applicant_facts, option_facts
from bindery.domain.papers.comparison import comparison_facts
from bindery.domain.papers.facts import ApplicantFacts, Binding, DocumentFacts, OptionFacts, join_facts
from bindery.domain.papers.notices import Canceled, Lapsed, Reinstated, notice_facts
from bindery.domain.policy.contingencies import Contingency, contingencies_for
from bindery.domain.policy.policy import return_premium
from bindery.domain.policy.renewal import renewed_term
from bindery.domain.products import record_of
from bindery.domain.quote.quote import Quote
from bindery.domain.quote.underwriting import assess_option, to_record
from bindery.domain.rating.tariff import TARIFFS
from bindery.domain.scan.scan import ScanResult, merge_results, score_of
from bindery.domain.screening.gather import applicant_of
from bindery.domain.submission.parts import parts_of
from bindery.domain.submission.reading import ReadingContext, read_submission
from bindery.domain.submission.value import Submission
from bindery.outside.scanner.simulated import SimulatedScanner

D = DocumentType
COMPANY: Final = 123_456_789
SEED: Final = uuid.UUID("019a5b6c-7d8e-7f90-a1b2-c3d4e5f60000")


@dataclass(frozen=True, slots=True)
class Days:
    """When the terms of a case are offered, and when they are bound."""

    offered: date
    bound: date

    @property
    def offered_at(self) -> datetime:
        """Return the moment of the scan and the offer."""
        return datetime.combine(self.offered, time(15, 30), UTC)

    @property
    def valid_until(self) -> date:
        """Return the last day of the offer."""
        return self.offered + timedelta(days=60)

    @property
    def fulfil_by(self) -> date:
        """Return the last day of a conditional binder."""
        return self.bound + timedelta(days=30)


FIRST_YEAR: Final = Days(date(2026, 11, 15), date(2026, 11, 20))
SECOND_YEAR: Final = Days(date(2027, 10, 2), date(2027, 12, 1))
"""A renewal is offered sixty days before the policy expires and bound on the day."""


async def papers_of(case: Case) -> Iterator[tuple[DocumentType, DocumentFacts]]:
    """Return every paper of a case with the facts that it is made of, in the order in which they come."""
    body = case.body()
    if not case.is_renewal:
        submission = _read(body, FIRST_YEAR)
        return _papers(_told(case, FIRST_YEAR, body, submission, await _scan(submission, FIRST_YEAR)))
    body["policy"]["quotes"] = body["policy"]["quotes"][:1]
    expiring = _read(body, FIRST_YEAR)
    scan = await _scan(expiring, SECOND_YEAR)
    policy = _policy(_told(case, FIRST_YEAR, body, expiring, _of_last_year(scan) if scan else None))
    renewal = replace(expiring, term=renewed_term(expiring.term, case.product))
    return _papers(_told(case, SECOND_YEAR, body, renewal, scan, policy))


@dataclass(frozen=True, slots=True)
class _Told:
    case: Case
    days: Days
    body: Body
    submission: Submission
    scan: ScanResult | None
    applicant: ApplicantFacts
    expiring: DocumentFacts | None

    def option(self, place: int, binding: Binding | None = None, *, is_open: bool = True) -> OptionFacts:
        """Return what the papers of an option show; everything owed is open until the policy is issued."""
        applicant = applicant_of(self.submission, scan=self.scan)
        offered = self.days.offered
        assessment = assess_option(
            TARIFFS.in_force(offered),
            COVERAGES.in_force(offered),
            applicant,
            self.submission.options[place],
            scan=self.scan,
        )
        assert assessment.price is not None, "every case has a price"
        drafts = contingencies_for(
            applicant.risk,
            record_of(self.case.product).contingencies,
            renewal=self.expiring is not None,
            pre_bind=self.case.needs_before_bind,
        )
        owed = [
            Contingency(
                str(number),
                draft.kind,
                draft.type,
                draft.text,
                # What was owed before the bind is there once it is bound.
                ContingencyStatus.OPEN
                if is_open and not (binding and draft.type is ContingencyType.PRE_BIND)
                else ContingencyStatus.CLOSED,
            )
            for number, draft in enumerate(drafts, start=100_001)
        ]
        quote = Quote(
            quote_id=uuid.UUID(int=SEED.int + offered.toordinal() * 100 + place + 1),
            submission_id=SEED,
            company_id=COMPANY,
            partner_id=1,
            option_number=place,
            product=self.case.product,
            status=QuoteStatus.PUBLISHED,
            version=1,
            created_at=self.days.offered_at,
            updated_at=self.days.offered_at,
            ask=self.submission.options[place],
            terms=assessment.terms,
            premium=assessment.price.premium,
            expires_on=self.days.valid_until,
            assessment=to_record(assessment),
        )
        return option_facts(
            self.applicant,
            quote,
            term=self.submission.term,
            client=self.body["client"],
            contingencies=owed,
            issued_on=offered,
            binding=binding,
            expiring=self.expiring,
        )

    def binding(self, *, is_issued: bool) -> Binding:
        """Return the bind, of a conditional binder or of an issued policy."""
        stem = f"{self.case.product}-26-0001234-7"
        return Binding(
            policy_number=f"{stem}-01" if self.expiring else f"{stem}-00",
            bound_on=self.days.bound,
            fulfil_by=None if is_issued else self.days.fulfil_by,
            issued_on=self.days.bound if is_issued else None,
            renewal_of=f"{stem}-00" if self.expiring else None,
        )


def _told(
    case: Case,
    days: Days,
    body: Body,
    submission: Submission,
    scan: ScanResult | None,
    expiring: DocumentFacts | None = None,
) -> _Told:
    applicant = applicant_facts(
        submission,
        company_id=COMPANY,
        client=body["client"],
        scan=scan,
        submitted_on=days.offered,
        broker_name=case.broker_name,
        broker_firm=case.broker_firm,
        earlier=expiring.scan if expiring else None,
    )
    return _Told(case, days, body, submission, scan, applicant, expiring)


def _read(body: Body, days: Days) -> Submission:
    parts = parts_of(msgspec.convert(body, CreateQuotesRequest))
    return read_submission(parts, ReadingContext(today=days.offered)).accepted()


def _policy(told: _Told) -> DocumentFacts:
    return join_facts(told.applicant, told.option(0, told.binding(is_issued=True), is_open=False))


def _papers(told: _Told) -> Iterator[tuple[DocumentType, DocumentFacts]]:
    offered = [told.option(place) for place in range(len(told.submission.options))]
    quote = join_facts(told.applicant, offered[0])
    for kind in (*OF_THE_QUOTE, *OF_THE_APPLICANT):
        if kind is not D.SECURITY_REPORT or quote.has_report:
            yield kind, quote
    yield (
        D.COMPARISON,
        comparison_facts(
            told.applicant, dict(enumerate(offered, start=1)), asked_for=len(told.submission.options)
        ),
    )
    policy = _policy(told)
    binder = join_facts(told.applicant, told.option(0, told.binding(is_issued=False)))
    # Nothing is owed for a renewal on the same answers, so that it is issued as it is bound.
    is_conditional = bool(binder.contingencies)
    for kind in OF_THE_BINDER:
        yield kind, binder if is_conditional else policy
    for kind in (D.POLICY, D.CERTIFICATE):
        yield kind, policy
    yield from _notices(policy)
    if is_conditional:
        fulfil_by = told.days.fulfil_by
        lapsed = Lapsed(on=fulfil_by + timedelta(days=1), fulfil_by=fulfil_by)
        yield D.LAPSE_NOTICE, notice_facts(binder, lapsed)


def _notices(policy: DocumentFacts) -> Iterator[tuple[DocumentType, DocumentFacts]]:
    assert policy.offer is not None, "every case has a price"
    term = Term(policy.period.effective, policy.period.expiration)
    ends = term.effective + timedelta(days=183)
    returned = return_premium(policy.offer.premium, term, ends)
    canceled = Canceled(
        on=ends - timedelta(days=20),
        effective=ends,
        reason="The business was sold.",
        returned_premium=returned,
    )
    reinstated = Reinstated(
        on=ends + timedelta(days=10),
        reason="The sale fell through.",
        canceled_from=ends,
        returned_premium=returned,
    )
    yield D.CANCELLATION_NOTICE, notice_facts(policy, canceled)
    yield D.REINSTATEMENT_NOTICE, notice_facts(policy, reinstated)


async def _scan(submission: Submission, days: Days) -> ScanResult | None:
    if not record_of(submission.product).is_scanned or not submission.domains:
        return None
    scanner = SimulatedScanner()
    results = await scanner.scan_each(submission.domains, at=days.offered_at)
    return merge_results(results, at=days.offered_at, scanner=scanner.name)


def _of_last_year(scan: ScanResult) -> ScanResult:
    """Return the scan of the policy that expires: half of the findings were there already."""
    findings = scan.findings[::2]
    return replace(scan, scanned_at=FIRST_YEAR.offered_at, findings=findings, score=score_of(findings))
