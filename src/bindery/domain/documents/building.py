"""Gather the facts that the documents of a quote show."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Final

from bindery.base.numbers import in_dollars
from bindery.contract.documents import PacketType
from bindery.contract.vocabulary import ContactRole, InsuranceProduct
from bindery.domain.applicant.industries import find_industry
from bindery.domain.applicant.risk import FULL_PRIOR_ACTS, AnswerValue, Term
from bindery.domain.coverages.edition import COVERAGES, Coverage
from bindery.domain.documents.comparison import renewal_of
from bindery.domain.documents.facts import (
    AnsweredQuestion,
    ApplicantFacts,
    Binding,
    Contact,
    DocumentFacts,
    Insured,
    Insurers,
    Offer,
    OptionFacts,
    PacketForms,
    Period,
    ScanView,
    application_fingerprint,
)
from bindery.domain.documents.forms import FORMS, Form, FormReason, state_notice
from bindery.domain.documents.recommendations import recommendations_for
from bindery.domain.policy.contingencies import Contingency
from bindery.domain.products import record_of
from bindery.domain.questions.question import question_set
from bindery.domain.quote.lifecycle import WITHOUT_PREMIUM
from bindery.domain.quote.quote import Quote
from bindery.domain.quote.underwriting import AssessmentRecord, from_record
from bindery.domain.rating.surcharges import Surcharge
from bindery.domain.rating.worksheet import worksheet_from_plain
from bindery.domain.scan.checks import band_of, scan_catalogue
from bindery.domain.scan.scan import Finding, FirstSeen, ScanOutcome, ScanResult, Severity, known_before
from bindery.domain.submission.value import Submission

SOFTWARE_CHECKS: Final = frozenset({"HTTP_EOL", "HTTP_EOL_CRITICAL"})
SERIOUS: Final = frozenset({Severity.HIGH, Severity.CRITICAL})


def applicant_facts(
    submission: Submission,
    *,
    company_id: int,
    client: Mapping[str, Any],
    scan: ScanResult | None,
    submitted_on: date,
    broker_name: str | None = None,
    broker_firm: str | None = None,
    earlier: ScanView | None = None,
) -> ApplicantFacts:
    """Gather the facts that the documents of all options of a submission share.

    `client` is the client as it was sent, `earlier` the view of the company's scan before this one.
    """
    return ApplicantFacts(
        company_id=str(company_id),
        product=submission.product,
        insured=_insured(submission, client),
        broker_email=submission.broker_email,
        submitted_on=submitted_on,
        questions=tuple(_questions(submission)),
        question_edition=submission.question_edition,
        scan=_scan_view(scan, earlier),
        recommendations=recommendations_for(submission.risk(), scan, on=submitted_on),
        broker_name=broker_name,
        broker_firm=broker_firm,
    )


def option_facts(
    applicant: ApplicantFacts,
    quote: Quote,
    *,
    term: Term,
    client: Mapping[str, Any],
    contingencies: Sequence[Contingency],
    issued_on: date,
    binding: Binding | None = None,
    expiring: DocumentFacts | None = None,
    is_signature_on_file: bool = True,
    alarms: Sequence[Finding] = (),
    insurers: Insurers | None = None,
) -> OptionFacts:
    """Gather the facts of one option in addition to the applicant's.

    `client` is the client as it was sent, or with the contacts that a bind replaced; `term` the one
    submitted, or the one that was bound; `expiring` the facts of the policy that a renewal renews, `alarms`
    the findings that were announced during its term.
    """
    product, state = applicant.product, applicant.insured.state
    # A quote keeps the forms of the day on which it was asked for, through its bind and its policy.
    forms = FORMS.in_force(applicant.submitted_on)
    period = _period(product, term)
    offer = _offer(quote)
    identifier = str(quote.quote_id)
    circumstances = _circumstances(product, period, offer, applicant.scan)
    return OptionFacts(
        quote_identifier=identifier,
        contact=_main_contact(client),
        alert_contacts=_contacts_for(ContactRole.SECURITY_ALERTS, client),
        notice_contacts=_contacts_for(ContactRole.POLICY_NOTICES, client),
        issued_on=issued_on,
        valid_until=quote.expires_on,
        period=period,
        terms=quote.terms or quote.ask.as_terms(),
        offer=offer,
        contingencies=tuple(contingencies),
        fingerprint=application_fingerprint(identifier, applicant.insured, applicant.questions),
        forms=PacketForms(
            **{packet.value: forms.of_packet(packet, product, state, circumstances) for packet in PacketType}
        ),
        notice=state_notice(state, offer.surcharges if offer else (), edition=forms.edition),
        binding=binding,
        renewal=renewal_of(expiring, applicant, alarms) if expiring else None,
        is_signature_on_file=is_signature_on_file,
        insurers=insurers,
    )


def policy_forms(applicant: ApplicantFacts, quote: Quote, period: Period) -> tuple[Form, ...]:
    """Return the forms that make up the policy of a quote as it is."""
    circumstances = _circumstances(applicant.product, period, _offer(quote), applicant.scan)
    forms = FORMS.in_force(applicant.submitted_on)
    return forms.of_packet(PacketType.POLICY, applicant.product, applicant.insured.state, circumstances)


def printed_answer(value: AnswerValue | None) -> str | None:  # noqa: PLR0911 - one return for each type
    match value:
        case None | "" | ():
            return None
        case bool():
            return "Yes" if value else "No"
        case Decimal():
            return in_dollars(value)
        case int():
            return f"{value:,}"
        case date():
            return value.isoformat()
        case tuple():
            return "\n".join(value)
        case str():
            return value


def _questions(submission: Submission) -> Iterator[AnsweredQuestion]:
    for question in question_set(submission.product, submission.question_edition):
        answer = printed_answer(submission.given.get(question.bare_id))
        yield AnsweredQuestion(id=question.id, text=question.text, answer=answer)


def _insured(submission: Submission, client: Mapping[str, Any]) -> Insured:
    address = client["address"]
    place = f"{address['city'].strip()}, {submission.state} {address['zip'].strip()}"
    lines = (address["street"].strip(), (address.get("street2") or "").strip(), place)
    industry = find_industry(submission.industry)
    return Insured(
        name=submission.name,
        trade_name=submission.trade_name,
        address_lines=tuple(line for line in lines if line),
        state=submission.state,
        revenue=submission.revenue,
        industry=" ".join(part for part in (industry.code, industry.title) if part) or None,
        domains=submission.domains,
    )


def _main_contact(client: Mapping[str, Any]) -> Contact | None:
    main = client.get("insured_main_contact")
    return _contact(main) if main else None


def _contacts_for(role: ContactRole, client: Mapping[str, Any]) -> tuple[Contact, ...]:
    return tuple(
        _contact(contact)
        for contact in client.get("additional_contacts") or ()
        if role in contact["contact_roles"]
    )


def _contact(plain: Mapping[str, Any]) -> Contact:
    names = ((plain.get("first_name") or "").strip(), (plain.get("last_name") or "").strip())
    return Contact(
        name=" ".join(name for name in names if name) or None,
        email=plain["email"],
        phone=(plain.get("cell_phone") or "").strip() or None,
    )


def _period(product: InsuranceProduct, term: Term) -> Period:
    limit = record_of(product).retroactive_date(term)
    return Period(
        effective=term.effective,
        expiration=term.expiration,
        retroactive=limit if isinstance(limit, date) else None,
        full_prior_acts=limit == FULL_PRIOR_ACTS,
    )


def _offer(quote: Quote) -> Offer | None:
    if quote.premium is None or quote.assessment is None or quote.status in WITHOUT_PREMIUM:
        return None
    record = from_record(quote.assessment)
    terrorism, edition = _rated(quote.premium, record)
    surcharges = tuple(
        Surcharge(surcharge.title, surcharge.percentage, surcharge.price) for surcharge in record.surcharges
    )
    return Offer(
        premium=quote.premium,
        terrorism=terrorism,
        surcharges=surcharges,
        total=sum((surcharge.price for surcharge in surcharges), start=Decimal(quote.premium)),
        coverages=tuple(record.coverages),
        tariff_edition=edition,
        term_premium=record.changes[-1].term_premium if record.changes else None,
    )


def _rated(premium: int, record: AssessmentRecord) -> tuple[Decimal, str]:
    if record.worksheet is None:
        assert record.override is not None, "a premium comes from a worksheet or a person"
        return Decimal(record.override["terrorism"]), ""
    worksheet = worksheet_from_plain(record.worksheet)
    return worksheet.terrorism_within(premium), worksheet.tariff_edition


def _scan_view(scan: ScanResult | None, earlier: ScanView | None) -> ScanView | None:
    if scan is None or scan.outcome is ScanOutcome.NOT_APPLICABLE:
        return None
    band = band_of(scan.score) if scan.score is not None else None
    return ScanView(
        outcome=scan.outcome,
        scanned_at=scan.scanned_at,
        scanner=scan.scanner,
        domains=scan.domains,
        score=scan.score,
        band=band.letter if band else None,
        band_meaning=band.meaning if band else None,
        findings=scan.findings,
        passed=_titles(scan.passed),
        unchecked=_titles(scan.unchecked),
        notes=scan.notes,
        first_seen=_known_before(scan, earlier) if earlier else (),
    )


def _known_before(scan: ScanResult, earlier: ScanView) -> tuple[FirstSeen, ...]:
    return known_before(
        scan.findings,
        earlier=earlier.findings,
        since=earlier.first_seen,
        on=earlier.scanned_at.date(),
    )


def _titles(check_ids: Sequence[str]) -> tuple[str, ...]:
    """Name the subjects of checks; those that only give context can be neither right nor wrong."""
    checks = (scan_catalogue().check(check_id) for check_id in check_ids)
    return tuple(check.title for check in checks if check.severity is not Severity.INFO)


def _circumstances(
    product: InsuranceProduct, period: Period, offer: Offer | None, scan: ScanView | None
) -> frozenset[FormReason]:
    found = dict(_of_cover(product, offer.coverages)) if offer else {}
    reaches_back = period.retroactive is not None and period.retroactive < period.effective
    found |= {
        FormReason.SCANNED: scan is not None and scan.has_report,
        FormReason.NEGLECTED_SOFTWARE: scan is not None
        and any(
            finding.check_id in SOFTWARE_CHECKS and finding.severity in SERIOUS for finding in scan.findings
        ),
        FormReason.RETROACTIVE_DATE: reaches_back,
        FormReason.FULL_PRIOR_ACTS: period.full_prior_acts,
    }
    return frozenset(circumstance for circumstance, holds in found.items() if holds)


def _of_cover(product: InsuranceProduct, coverages: Sequence[Coverage]) -> Iterator[tuple[FormReason, bool]]:
    by_code = {coverage.code: coverage for coverage in coverages}
    social, extortion = by_code.get("SE"), by_code.get("EXTORT")
    yield FormReason.LARGE_SOCIAL_ENGINEERING_LIMIT, bool(social and social.parameter)
    yield FormReason.RESTRICTED_RANSOMWARE, bool(extortion and extortion.parameter)
    offered = {rule.code for rule in COVERAGES.named(coverages[0].edition).products[product]}
    yield FormReason.NO_WRONGFUL_COLLECTION, "WRONGCOLL" in offered and "WRONGCOLL" not in by_code
