"""The cases of the gallery, taken through reading, pricing and building as the service does it."""

import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Final

import msgspec

from bindery.cli.gallery import requests
from bindery.cli.gallery.requests import Body, P
from bindery.contract.documents import DocumentType
from bindery.contract.quotes import CreateQuotesRequest
from bindery.contract.vocabulary import ContingencyStatus, InsuranceProduct, QuoteStatus
from bindery.domain.applicant.risk import Term
from bindery.domain.coverages import COVERAGES
from bindery.domain.papers.access import OF_THE_APPLICANT, OF_THE_BINDER, OF_THE_QUOTE
from bindery.domain.papers.building import applicant_facts, option_facts
from bindery.domain.papers.comparison import comparison_facts
from bindery.domain.papers.facts import ApplicantFacts, Binding, DocumentFacts, OptionFacts, join_facts
from bindery.domain.papers.notices import NOTICE_OF, Canceled, Lapsed, Reinstated, notice_facts
from bindery.domain.policy.contingencies import Contingency, contingencies_for
from bindery.domain.policy.policy import return_premium
from bindery.domain.products import record_of
from bindery.domain.quote.quote import Quote
from bindery.domain.quote.underwriting import assess_option, to_record
from bindery.domain.rating.tariff import TARIFFS
from bindery.domain.scan.scan import ScanResult, merge_results
from bindery.domain.screening.gather import applicant_of
from bindery.domain.submission.parts import parts_of
from bindery.domain.submission.reading import Surroundings, read_submission
from bindery.domain.submission.value import Submission
from bindery.outside.scanner.simulated import SimulatedScanner

D = DocumentType
TODAY: Final = date(2026, 11, 15)
NOW: Final = datetime(2026, 11, 15, 15, 30, tzinfo=UTC)
VALID_UNTIL: Final = TODAY + timedelta(days=60)
BOUND_ON: Final = TODAY + timedelta(days=5)
FULFIL_BY: Final = BOUND_ON + timedelta(days=30)
COMPANY: Final = 123_456_789
SEED: Final = uuid.UUID("019a5b6c-7d8e-7f90-a1b2-c3d4e5f60000")

__all__ = ["CASES", "Case", "papers_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A company whose papers are hard to print in some way."""

    key: str
    title: str
    product: InsuranceProduct
    body: Callable[[], Body]
    is_renewal: bool = False
    needs_before_bind: bool = False


def _of(product: InsuranceProduct) -> Callable[[], Body]:
    return lambda: requests.plain(product)


CASES: Final = (
    *(
        Case(key=str(product), title=f"An ordinary company, {product}", product=product, body=_of(product))
        for product in InsuranceProduct
    ),
    Case(
        key="A",
        title="CYB, California: 400-letter name, 75 domains, red flags, 4,000-letter answers",
        product=P.CYB,
        body=requests.long_texts,
    ),
    Case(
        key="B",
        title="TEO, New York: 15 options, many scripts, retroactive date of 2019",
        product=P.TEO,
        body=requests.many_options,
    ),
    Case(
        key="C",
        title="MPL, Kentucky: full prior acts, 27 services",
        product=P.MPL,
        body=requests.all_services,
    ),
    Case(
        key="D",
        title="TEO, Louisiana: retroactive date, signed legend",
        product=P.TEO,
        body=requests.retroactive_technology,
    ),
    Case(
        key="E",
        title="CYB, California: no MFA, weak scan, canceled",
        product=P.CYB,
        body=requests.weak_security,
    ),
    Case(key="F", title="CYB, Oregon: nothing optional", product=P.CYB, body=requests.nothing_optional),
    Case(key="G", title="CYB: the scan failed", product=P.CYB, body=requests.failed_scan),
    Case(
        key="H",
        title="CYB: something is owed before the bind",
        product=P.CYB,
        body=_of(P.CYB),
        needs_before_bind=True,
    ),
    *(
        Case(
            key=f"R-{product}",
            title=f"A renewal, {product}",
            product=product,
            body=_of(product),
            is_renewal=True,
        )
        for product in InsuranceProduct
    ),
)


async def papers_of(case: Case) -> Iterator[tuple[DocumentType, DocumentFacts]]:
    """Return every paper of a case with the facts that it is made of, in the order in which they come."""
    body = case.body()
    parts = parts_of(msgspec.convert(body, CreateQuotesRequest))
    submission = read_submission(parts, Surroundings(today=TODAY)).accepted()
    scan = await _scan(submission)
    applicant = applicant_facts(
        submission, company_id=COMPANY, client=body["client"], scan=scan, submitted_on=TODAY
    )
    return _papers(_Told(case, body, submission, scan, applicant))


@dataclass(frozen=True, slots=True)
class _Told:
    case: Case
    body: Body
    submission: Submission
    scan: ScanResult | None
    applicant: ApplicantFacts

    def option(self, place: int, binding: Binding | None = None, *, is_open: bool = True) -> OptionFacts:
        """Return what the papers of an option show; everything owed is open until the policy is issued."""
        applicant = applicant_of(self.submission, scan=self.scan)
        assessment = assess_option(
            TARIFFS.in_force(TODAY),
            COVERAGES.in_force(TODAY),
            applicant,
            self.submission.options[place],
            scan=self.scan,
        )
        assert assessment.price is not None, "every case has a price"
        drafts = contingencies_for(
            applicant.risk,
            record_of(self.case.product).contingencies,
            renewal=self.case.is_renewal,
            pre_bind=self.case.needs_before_bind,
        )
        status = ContingencyStatus.OPEN if is_open else ContingencyStatus.CLOSED
        owed = [
            Contingency(str(number), draft.kind, draft.type, draft.text, status)
            for number, draft in enumerate(drafts, start=100_001)
        ]
        quote = Quote(
            quote_id=uuid.UUID(int=SEED.int + place + 1),
            submission_id=SEED,
            company_id=COMPANY,
            partner_id=1,
            option_number=place,
            product=self.case.product,
            status=QuoteStatus.PUBLISHED,
            version=1,
            created_at=NOW,
            updated_at=NOW,
            ask=self.submission.options[place],
            terms=assessment.terms,
            premium=assessment.price.premium,
            expires_on=VALID_UNTIL,
            assessment=to_record(assessment),
        )
        return option_facts(
            self.applicant,
            quote,
            term=self.submission.term,
            client=self.body["client"],
            contingencies=owed,
            issued_on=TODAY,
            binding=binding,
        )


def _papers(told: _Told) -> Iterator[tuple[DocumentType, DocumentFacts]]:
    offered = [told.option(place) for place in range(len(told.submission.options))]
    quote = join_facts(told.applicant, offered[0])
    for kind in (*OF_THE_QUOTE, *OF_THE_APPLICANT):
        if kind is not D.SECURITY_REPORT or (quote.scan is not None and quote.scan.has_report):
            yield kind, quote
    yield (
        D.COMPARISON,
        comparison_facts(
            told.applicant, dict(enumerate(offered, start=1)), asked_for=len(told.submission.options)
        ),
    )
    binder = join_facts(told.applicant, told.option(0, _binding(told.case, is_issued=False)))
    for kind in OF_THE_BINDER:
        yield kind, binder
    policy = join_facts(told.applicant, told.option(0, _binding(told.case, is_issued=True), is_open=False))
    for kind in (D.POLICY, D.CERTIFICATE):
        yield kind, policy
    yield from _notices(binder, policy)


def _notices(binder: DocumentFacts, policy: DocumentFacts) -> Iterator[tuple[DocumentType, DocumentFacts]]:
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
    lapsed = Lapsed(on=FULFIL_BY + timedelta(days=1), fulfil_by=FULFIL_BY)
    for facts, event in ((policy, canceled), (policy, reinstated), (binder, lapsed)):
        yield NOTICE_OF[type(event)], notice_facts(facts, event)


def _binding(case: Case, *, is_issued: bool) -> Binding:
    stem = f"{case.product}-26-0001234-7"
    return Binding(
        policy_number=f"{stem}-01" if case.is_renewal else f"{stem}-00",
        bound_on=BOUND_ON,
        fulfil_by=None if is_issued else FULFIL_BY,
        issued_on=BOUND_ON if is_issued else None,
        renewal_of=f"{stem}-00" if case.is_renewal else None,
    )


async def _scan(submission: Submission) -> ScanResult | None:
    if not record_of(submission.product).is_scanned or not submission.domains:
        return None
    scanner = SimulatedScanner()
    results = await scanner.scan_each(submission.domains, at=NOW)
    return merge_results(results, at=NOW, scanner=scanner.name)
