"""Words and rows that several documents share."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, Final

from bindery.base.numbers import in_dollars, to_cents, to_whole_dollars
from bindery.contract.documents import DocumentType
from bindery.contract.vocabulary import ClosedAs, ContingencyType, InsuranceProduct
from bindery.documents.plain_text import Whole, drawable, on_one_line
from bindery.documents.wording import typographic
from bindery.domain.applicant.risk import Terms
from bindery.domain.business_rules import long_date
from bindery.domain.coverages.edition import Coverage
from bindery.domain.documents.facts import Binding, DocumentFacts, Offer
from bindery.domain.documents.forms import Form
from bindery.domain.policy.contingencies import Contingency, ContingencyKind
from bindery.domain.products import record_of

Content = dict[str, Any]

PARAMETERS: Final = {
    "waiting_period_hours": "{:,} h waiting period",
    "indemnity_period_days": "{:,} days indemnity",
    "coinsurance_percent": "{}% coinsurance",
    "betterment_percent": "{}% betterment",
    "callback_verification_required": "Call-back required",
    "daily_limit_usd": "${:,} a day",
    "per_event_limit_usd": "${:,} an event",
    "insured_share_percent": "{}% borne by the insured",
}
OF_THE_POLICY: Final = frozenset({"extended_reporting_period_months"})
"""Not the term of one coverage: it is said once, of the whole policy."""
NOTHING: Final = "\N{EN DASH}"
PROFESSIONAL_SERVICES: Final = "Q2401"
OTHER_SERVICES: Final = "Q2402"
OTHER: Final = "Other"
EXPIRING_POLICY_WITHIN: Final = timedelta(days=30)
TERRORISM_PROGRAM_ENDS: Final = date(2027, 12, 31)
TERRORISM_RATE: Final = Decimal("0.01")
PRINTED_IN: Final = {
    "SLN 0800": (DocumentType.QUOTE_LETTER, DocumentType.BINDER),
    "FRD 0830": (DocumentType.APPLICATION,),
    "SLP 0850": (DocumentType.BINDER,),
    "NYP 0860": (DocumentType.BINDER,),
    **{f"{product} D 100": (DocumentType.BINDER,) for product in InsuranceProduct},
}
"""Forms that are no document of their own but a part of these."""
IN_WORDS: Final = {
    DocumentType.QUOTE_LETTER: "this letter",
    DocumentType.BINDER: "this binder",
    DocumentType.APPLICATION: "application",
}


@dataclass(frozen=True, slots=True)
class DocumentInput:
    """The data of a template, and the one date that the file carries."""

    dated: date
    content: Content


class MissingFacts(ValueError):
    """The facts lack what a document is about."""


def offer_of(facts: DocumentFacts) -> Offer:
    if facts.offer is None:
        raise MissingFacts(f"Quote {facts.quote_identifier} has no price")
    return facts.offer


def binding_of(facts: DocumentFacts) -> Binding:
    if facts.binding is None:
        raise MissingFacts(f"Quote {facts.quote_identifier} is not bound")
    return facts.binding


def frame(
    form: Form, product: InsuranceProduct, *, title: str, footnote: str, running: str, reference: str
) -> Content:
    return {
        "title": on_one_line(title),
        "form": form_foot(form),
        "footnote": f"SAMPLE · {footnote}",
        "running": on_one_line(running),
        "running_reference": Whole(reference),
        "subject": on_one_line(f"{form.title}, {reference}"),
        "keywords": [Whole(form.form_number), record_of(product).title],
    }


def basics(facts: DocumentFacts, kind: DocumentType, *, title: str, footnote: str, reference: str) -> Content:
    """Return the parts of almost every document: the frame, insured, broker, product and period."""
    insured, period = facts.insured.name, facts.period
    return {
        "frame": frame(
            facts.form_of(kind),
            facts.product,
            title=f"{title}: {insured}",
            footnote=footnote,
            running=insured,
            reference=reference,
        ),
        "insured": insured,
        "addressee": addressee(facts),
        "broker": broker(facts),
        "product": record_of(facts.product).title,
        "effective": long_date(period.effective),
        "expiration": long_date(period.expiration),
        "replaces": _replaces(facts, kind),
    }


def _replaces(facts: DocumentFacts, kind: DocumentType) -> str | None:
    if facts.replaces is None:
        return None
    # Letters of an offer carry the day of their version; what follows a bind carries the day of the bind.
    of_day = f" of {long_date(facts.issued_on)}" if facts.binding else ""
    name = kind.rpartition("_")[2]
    return f"Version {facts.version}{of_day}, replaces the {name} of {long_date(facts.replaces)}."


def form_foot(form: Form) -> str:
    return Whole(f"{form.form_number} · Edition {form.edition_date:%m/%Y}")


def addressee(facts: DocumentFacts) -> list[str]:
    insured = facts.insured
    trade_name = [f"doing business as {insured.trade_name}"] if insured.trade_name else []
    return [insured.name, *trade_name, *insured.address_lines]


def broker(facts: DocumentFacts) -> Content:
    known = [name for name in (facts.broker_name, facts.broker_firm) if name]
    return {"known": known, "email": facts.broker_email}


def broker_in_words(facts: DocumentFacts) -> str:
    return ", ".join(part for part in (facts.broker_name, facts.broker_firm, facts.broker_email) if part)


def greeting(facts: DocumentFacts) -> str:
    name = facts.contact.name if facts.contact else None
    unnamed = "policyholder" if facts.binding or facts.renewal else "applicant"
    return f"Dear {name or unnamed},"


def retroactive(facts: DocumentFacts) -> str | None:
    period = facts.period
    if period.full_prior_acts:
        return "Full prior acts"
    return long_date(period.retroactive) if period.retroactive else None


def outlasts_terrorism_program(facts: DocumentFacts) -> bool:
    return facts.period.expiration > TERRORISM_PROGRAM_ENDS


def cents(amount: int | Decimal) -> str:
    return in_dollars(Decimal(amount))


def terms_of(terms: Terms) -> list[list[str]]:
    rows = [
        ["Aggregate limit", in_dollars(terms.aggregate_limit)],
        ["Per-claim limit", in_dollars(terms.per_claim_limit)],
    ]
    if terms.per_claim_retention is not None:
        rows.append(["Retention, each claim", in_dollars(terms.per_claim_retention)])
    if terms.aggregate_retention is not None:
        label = "Retention" if terms.per_claim_retention is None else "Retentions, yearly cap"
        rows.append([label, in_dollars(terms.aggregate_retention)])
    return rows


def coverage_rows(coverages: Iterable[Coverage], marks: Mapping[str, list[str]]) -> list[list[Any]]:
    """Return each coverage with its limit, retention, further term and the endorsements it is subject to."""
    return [
        [
            typographic(coverage.coverage_name),
            in_dollars(coverage.limit),
            in_dollars(coverage.retention) if coverage.retention else "None",
            further_term(coverage) or NOTHING,
            marks.get(coverage.code, []),
        ]
        for coverage in coverages
    ]


def cyber_part(offer: Offer) -> int | None:
    """Return the part of the premium that the Terrorism Risk Insurance Act concerns; None for all of it."""
    if offer.terrorism == to_cents(offer.premium * TERRORISM_RATE):
        return None
    return to_whole_dollars(offer.terrorism / TERRORISM_RATE)


def terrorism_basis(offer: Offer) -> str:
    part = cyber_part(offer)
    return "1%" if part is None else f"1% of the cyber part, {cents(part)}"


def premium_rows(offer: Offer) -> list[list[str]]:
    within = (
        f" (includes {cents(offer.terrorism)} for certified acts of terrorism)" if offer.terrorism else ""
    )
    rates = [charge.percentage for charge in offer.surcharges if charge.percentage]
    places = max((_decimals(rate) for rate in rates), default=0)
    charges = [
        [charge.title, rate(charge.percentage, places), cents(charge.price)] for charge in offer.surcharges
    ]
    return [[f"Premium{within}", "", cents(offer.premium)], *charges]


def form_rows(forms: Iterable[Form]) -> list[list[str]]:
    return [
        [Whole(form.form_number), typographic(form.title), Whole(f"{form.edition_date:%m/%Y}")]
        for form in forms
    ]


def number_of(facts: DocumentFacts, stem: str) -> str:
    """Return the number of a form within another document by its beginning, such as `SLN`."""
    return Whole(
        next(form.form_number for form in facts.form_edition.forms if form.form_number.startswith(stem))
    )


def parted_form_rows(
    own: Sequence[Form], policy: Sequence[Form], kind: DocumentType, *, packet: str
) -> list[list[str]]:
    """Return the forms of a document's packet and of the policy in one list, each with where it is found."""
    forms = {form.form_number: form for form in (*own, *policy)}
    of_own, of_policy = ({form.form_number for form in part} for part in (own, policy))
    found_in = {
        number: ", ".join(
            [_place(form, kind, packet)] * (number in of_own) + ["policy"] * (number in of_policy)
        )
        for number, form in forms.items()
    }
    return [[Whole(number), typographic(form.title), found_in[number]] for number, form in forms.items()]


def _place(form: Form, kind: DocumentType, packet: str) -> str:
    within = (form.document,) if form.document is kind else PRINTED_IN.get(form.stem, ())
    if kind in within:
        return IN_WORDS[kind]
    return next((IN_WORDS[document] for document in within if document in IN_WORDS), packet)


def still_owed(facts: DocumentFacts, *kinds: ContingencyType) -> list[Content]:
    """Return the open contingencies of these kinds, each with its due day unless its text has it.

    Nothing is owed for a bind without conditions, though the signature may be frozen with it as open.
    """
    if facts.binding is not None and not facts.conditional:
        return []
    return [
        {"text": contingency.text, "note": _due(contingency, facts)}
        for kind in kinds
        for contingency in facts.contingencies
        if contingency.type is kind and contingency.is_open
    ]


def received(facts: DocumentFacts) -> list[str]:
    return [
        contingency.text
        for contingency in facts.contingencies
        if not contingency.is_open and contingency.closed_as is not ClosedAs.WAIVED
    ]


def _due(owed: Contingency, facts: DocumentFacts) -> str | None:
    lapses = facts.binding.fulfil_by if facts.binding else None
    if owed.kind is ContingencyKind.EXPIRING_POLICY:
        return _expiring_policy_due(facts.period.effective + EXPIRING_POLICY_WITHIN, lapses)
    if lapses is not None:
        return f"due {long_date(lapses)}"
    by_itself = owed.type is ContingencyType.PRE_BIND or owed.kind is ContingencyKind.REMOTE_ACCESS_MFA
    return None if by_itself else "within 30 days of the bind"


def _expiring_policy_due(day: date, lapses: date | None) -> str:
    """Word its day: thirty days from the effective date, unless a binder lapses before."""
    if lapses is None:
        return f"{long_date(day)}, and no later than 30 days after the bind"
    if lapses < day:
        return f"needed by {long_date(lapses)}, when this binder lapses"
    return f"due {long_date(day)}"


def notice_content(facts: DocumentFacts) -> Content:
    notice = facts.notice
    return {
        "state": notice.state_name,
        "form": number_of(facts, "SLN"),
        "paragraphs": [typographic(paragraph) for paragraph in notice.paragraphs],
        "face": [typographic(notice.face)] if notice.face else None,
        "points": notice.points,
        "bold": notice.bold,
        "capitals": notice.capitals,
        "signed": notice.signed,
    }


def further_term(coverage: Coverage) -> str:
    if not coverage.parameter or coverage.parameter_name is None or coverage.parameter_name in OF_THE_POLICY:
        return ""
    return PARAMETERS[coverage.parameter_name].format(coverage.parameter)


def services(facts: DocumentFacts) -> list[str]:
    """Return the professional services that are insured; the last of them is in the applicant's own words."""
    answers = {question.id: question.answer for question in facts.questions}
    chosen = (answers.get(PROFESSIONAL_SERVICES) or "").split("\n")
    described = answers.get(OTHER_SERVICES)
    return [described if service == OTHER and described else service for service in chosen if service]


def shown_domains(domains: Iterable[str]) -> list[str]:
    return [_shown_domain(domain) for domain in domains]


def _shown_domain(domain: str) -> str:
    """Write a domain in its own letters, with the name that the DNS knows it by."""
    if "xn--" not in domain:
        return domain
    try:
        own = domain.encode("ascii").decode("idna")
    except UnicodeError:
        return domain
    return f"{own} ({domain})" if drawable(own) == own else domain


def _decimals(rate: Decimal) -> int:
    exponent = rate.normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def rate(percentage: Decimal, places: int | None = None) -> str:
    places = _decimals(percentage) if places is None else places
    return f"{percentage:.{places}f}%" if percentage else "flat"
