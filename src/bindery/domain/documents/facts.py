"""Everything a document shows, as plain values: the same facts make the same document."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

import msgspec

from bindery.contract.documents import DocumentType, PacketType
from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.applicant.risk import Terms
from bindery.domain.coverages.edition import COVERAGES, Coverage, CoverageEdition
from bindery.domain.documents.application_marks import application_mark
from bindery.domain.documents.forms import FORMS, Form, FormEdition, StateNotice
from bindery.domain.documents.recommendations import Improvement
from bindery.domain.documents.signing_record import SigningRecord
from bindery.domain.policy.binders import Carrier
from bindery.domain.policy.contingencies import Contingency
from bindery.domain.rating.surcharges import Surcharge
from bindery.domain.scan.scan import Finding, FirstSeen, ScanOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Insured:
    name: str
    trade_name: str | None
    address_lines: tuple[str, ...]
    state: str
    revenue: int
    industry: str | None
    domains: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contact:
    name: str | None
    email: str
    phone: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """The policy period; `retroactive` is None where no such date limits the cover."""

    effective: date
    expiration: date
    retroactive: date | None = None
    full_prior_acts: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    premium: int
    terrorism: Decimal
    surcharges: tuple[Surcharge, ...]
    total: Decimal
    coverages: tuple[Coverage, ...]
    tariff_edition: str
    term_premium: int | None = None
    """What the whole term would cost on the terms since the last change; None where nothing was changed."""

    @property
    def of_the_term(self) -> int:
        return self.premium if self.term_premium is None else self.term_premium


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredQuestion:
    """A question as it was put and the answer as it is printed; None where none was needed."""

    id: str
    text: str
    answer: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanView:
    """The result of a scan, in words; `first_seen` has the findings that an earlier scan had too."""

    outcome: ScanOutcome
    scanned_at: datetime
    scanner: str
    domains: tuple[str, ...]
    score: int | None
    band: str | None
    band_meaning: str | None
    findings: tuple[Finding, ...]
    passed: tuple[str, ...]
    unchecked: tuple[str, ...]
    notes: tuple[str, ...]
    first_seen: tuple[FirstSeen, ...] = ()

    @property
    def has_report(self) -> bool:
        return self.score is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """The bind; `fulfil_by` ends a binder, `issued_on` is the day the policy was issued.

    Of a canceled policy, `canceled_from` is the first day without coverage, `earned` the premium until then
    and `charges_returned` the taxes and fees given back, if that was kept; of one that was not paid,
    `charges_due` are those still owed.
    """

    policy_number: str
    bound_on: date
    fulfil_by: date | None = None
    issued_on: date | None = None
    renewal_of: str | None = None
    canceled_from: date | None = None
    returned_premium: int = 0
    earned: int | None = None
    charges_returned: Decimal | None = None
    charges_due: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedApplication:
    """The application signed for an earlier policy; `on_file` unless it was waived or never came in."""

    quote_identifier: str
    fingerprint: str
    relied_on: date
    on_file: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedAnswer:
    text: str
    before: str | None
    now: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Renewal:
    """The expiring policy of a renewal, and the changes since.

    `continuity` is the first day of the first policy without a gap to this one; `found` and `settled` name
    the findings that are new since the last scan, and those of that scan or of a rescan during the term that
    are gone. `forms` are those of the expiring policy, none where they were not frozen.
    """

    policy_number: str
    expiration: date
    premium: int
    terms: Terms
    continuity: date
    signed: SignedApplication
    answers: tuple[ChangedAnswer, ...] = ()
    score: int | None = None
    found: tuple[str, ...] = ()
    settled: tuple[str, ...] = ()
    forms: tuple[Form, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Insurers:
    """The carriers of a binder, each with its share, and who handles claims for them."""

    carriers: tuple[Carrier, ...]
    claims_administrator: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PacketForms:
    quote: tuple[Form, ...]
    binder: tuple[Form, ...]
    policy: tuple[Form, ...]

    def of(self, packet: PacketType) -> tuple[Form, ...]:
        return {
            PacketType.QUOTE: self.quote,
            PacketType.BINDER: self.binder,
            PacketType.POLICY: self.policy,
        }[packet]


@dataclass(frozen=True, kw_only=True)
class ApplicantFacts:
    """What the documents of all options of a submission show; `scan` is None where nothing was scanned.

    `broker_name` is that of the broker's account on the platform, None without one; `broker_firm` the
    brokerage, where an operator named it.
    """

    company_id: str
    product: InsuranceProduct
    insured: Insured
    broker_email: str
    submitted_on: date
    questions: tuple[AnsweredQuestion, ...]
    question_edition: str
    scan: ScanView | None
    recommendations: tuple[Improvement, ...]
    broker_name: str | None = None
    broker_firm: str | None = None


@dataclass(frozen=True, kw_only=True)
class OptionFacts:
    """The facts of one option in addition.

    `offer` and `valid_until` are None while nobody has confirmed a price, `binding` before a bind.
    `fingerprint` is that of the application. `version` is that of the document that the facts are frozen for,
    and `replaces` the day of the version before it.
    """

    quote_identifier: str
    contact: Contact | None
    alert_contacts: tuple[Contact, ...]
    issued_on: date
    valid_until: date | None
    period: Period
    terms: Terms
    offer: Offer | None
    contingencies: tuple[Contingency, ...]
    fingerprint: str
    forms: PacketForms
    notice: StateNotice
    binding: Binding | None = None
    # Facts frozen before documents showed these read as if there were none.
    notice_contacts: tuple[Contact, ...] = ()
    renewal: Renewal | None = None
    version: int = 1
    replaces: date | None = None
    is_signature_on_file: bool = True
    insurers: Insurers | None = None
    """None where no binder is on file: then the form edition names the insurer."""
    insured_now: Insured | None = None
    """The insured as a change of the policy left it; None where it is the one who applied."""
    additional_insured: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class DocumentFacts(ApplicantFacts, OptionFacts):
    """The facts of a document; with `signing` the application is the signed one, and has a certificate."""

    signing: SigningRecord | None = None

    @property
    def form_edition(self) -> FormEdition:
        return FORMS.in_force(self.submitted_on)

    @property
    def coverage_edition(self) -> CoverageEdition:
        """Return the coverages as they were offered; without a price, those of the day of the request."""
        if self.offer is None:
            return COVERAGES.in_force(self.submitted_on)
        return COVERAGES.named(self.offer.coverages[0].edition)

    def form_of(self, kind: DocumentType) -> Form:
        return self.form_edition.of_document(kind, self.product)

    @property
    def has_report(self) -> bool:
        return self.scan is not None and self.scan.has_report

    @property
    def policy_number(self) -> str | None:
        return self.binding.policy_number if self.binding else None

    @property
    def conditional(self) -> bool:
        # Of a bind that was issued at once, the day of the issue used not to be frozen with the binder.
        bind = self.binding
        return bind is not None and bind.issued_on is None and bind.fulfil_by is not None

    @property
    def continuity(self) -> date:
        return self.renewal.continuity if self.renewal else self.period.effective

    @property
    def signed_application(self) -> SignedApplication | None:
        """Return the application signed for an earlier policy; None where this quote has its own."""
        if self.renewal is None or any(owed.is_signature for owed in self.contingencies):
            return None
        return self.renewal.signed

    @property
    def application_mark(self) -> str:
        return application_mark(self.quote_identifier, self.fingerprint)


def join_facts(applicant: ApplicantFacts, option: OptionFacts) -> DocumentFacts:
    insured = option.insured_now or applicant.insured
    return DocumentFacts(**{**vars(applicant), **vars(option), "insured": insured})


read_applicant_facts = msgspec.json.Decoder(ApplicantFacts).decode
read_option_facts = msgspec.json.Decoder(OptionFacts).decode
read_document_facts = msgspec.json.Decoder(DocumentFacts).decode


def write_facts(facts: ApplicantFacts | OptionFacts) -> str:
    return msgspec.json.encode(facts).decode()


def application_fingerprint(
    quote_identifier: str, insured: Insured, questions: Sequence[AnsweredQuestion]
) -> str:
    """Return the fingerprint of what the applicant signs: the quote, the insured, every answer.

    Contacts and dates do not count: a bind may change them after the application was signed.
    """
    content = (
        quote_identifier,
        insured.name,
        insured.trade_name,
        insured.address_lines,
        insured.revenue,
        insured.industry,
        insured.domains,
        [(question.id, question.text, question.answer) for question in questions],
    )
    return hashlib.sha256(msgspec.json.encode(content)).hexdigest()
