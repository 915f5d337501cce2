"""The declarations: who is insured, for how long, for how much, against what."""

from collections.abc import Iterator
from typing import Final

from bindery.base.money import in_dollars
from bindery.contract.documents import DocumentType
from bindery.documents import layout
from bindery.documents.placement import declarations_rows
from bindery.documents.plain_text import Whole
from bindery.documents.wording import endorsement, read_wording, typographic
from bindery.domain.business_rules import long_date
from bindery.domain.coverages.edition import Coverage
from bindery.domain.documents.facts import DocumentFacts
from bindery.domain.documents.forms import FormKind
from bindery.domain.policy.policy import MINIMUM_EARNED

FROM_HOUR: Final = "12:01 a.m. local time at the address of the named insured"
AFTER_RANSOMWARE: Final = ("BI", "DATA", "BRICK")
"""Coverages whose own limits a ransomware sublimit overrides."""


def declarations(facts: DocumentFacts) -> layout.Content:
    offer, binding = layout.offer_of(facts), layout.binding_of(facts)
    period = facts.period
    names = read_wording("issuer", facts.form_edition.edition)
    return {
        "form": Whole(facts.form_of(DocumentType.POLICY).form_number),
        "items": [
            ["1. Named insured", "\n".join(layout.addressee(facts))],
            ["2. Policy number", Whole(binding.policy_number)],
            ["    Renewal of", Whole(binding.renewal_of or "new policy")],
            [
                "3. Policy period",
                f"{long_date(period.effective)} to {long_date(period.expiration)}, {FROM_HOUR}",
            ],
            *[[label, value] for label, value in _numbered_terms(facts)],
            [
                "6. Retroactive date",
                layout.retroactive(facts)
                or "None applies: full prior acts, subject to the exclusion of known matters",
            ],
            ["    Continuity date", long_date(facts.continuity)],
        ],
        "dated": long_date(binding.issued_on or binding.bound_on),
        "coverages": layout.coverage_rows(offer.coverages),
        "premium_rows": layout.premium_rows(offer),
        "total": layout.cents(offer.total),
        "minimum_earned": f"{MINIMUM_EARNED * 100:.0f}%",
        "services": layout.services(facts),
        "further": [
            ["12. Extended reporting", "12, 24 or 36 months for 100%, 150% or 185% of the annual premium"],
            ["13. Notice of claims", f"{', '.join(names['claims_address'])}; {names['claims_email']}"],
            ["      Incident hotline", Whole(names["hotline"])],
            ["14. Forms", "See the schedule of forms."],
            ["15. Broker of record", layout.broker_in_words(facts)],
            ["      Surplus lines licensee", f"{names['licensee']}, license {names['license']}"],
            ["      Agent for service", ", ".join(names["process_agent"])],
            *declarations_rows(facts),
            ["16. Application", _application(facts)],
        ],
        "retroactive": layout.retroactive(facts),
        "notice": layout.notice_content(facts),
    }


def _application(facts: DocumentFacts) -> str:
    signed = facts.signed_application
    if signed is not None:
        return (
            f"Of quote {signed.quote_identifier}, signed for the policy of "
            f"{long_date(signed.relied_on)}, on file with us; fingerprint {signed.fingerprint}"
        )
    return f"Of quote {facts.quote_identifier}, part of the policy; fingerprint {facts.fingerprint}"


def _numbered_terms(facts: DocumentFacts) -> list[tuple[str, str]]:
    terms = facts.terms
    limits = [
        ("4. Aggregate limit", in_dollars(terms.aggregate_limit)),
        ("    Per-claim limit", in_dollars(terms.per_claim_limit)),
    ]
    retentions = [
        (label, in_dollars(amount))
        for label, amount in (
            ("Retention, each claim", terms.per_claim_retention),
            ("Retention", terms.aggregate_retention if terms.per_claim_retention is None else None),
            ("Yearly cap on retentions", terms.aggregate_retention if terms.per_claim_retention else None),
        )
        if amount is not None
    ]
    first, *others = retentions
    return [*limits, (f"5. {first[0]}", first[1]), *((f"    {label}", amount) for label, amount in others)]


def cuts(facts: DocumentFacts) -> list[layout.Content]:
    edition = facts.form_edition.edition
    amounts = _amounts(facts)
    return [
        {
            "number": Whole(form.form_number),
            "title": typographic(form.title),
            "text": wording["in_short"].format_map(amounts),
        }
        for form in facts.forms.policy
        if form.kind is FormKind.ENDORSEMENT
        and "in_short" in (wording := endorsement(form.form_number, edition))
    ]


def _amounts(facts: DocumentFacts) -> dict[str, str]:
    offered = {coverage.code: coverage for coverage in layout.offer_of(facts).coverages}
    extortion, social = offered.get("EXTORT"), offered.get("SE")
    return {
        "social_limit": in_dollars(social.limit) if social else layout.NOTHING,
        "extortion_limit": in_dollars(extortion.limit) if extortion else layout.NOTHING,
        "coinsurance": str(extortion.parameter) if extortion else layout.NOTHING,
        "reduced": ", ".join(_limits(offered)),
        "retroactive": layout.retroactive(facts) or layout.NOTHING,
        "continuity": long_date(facts.continuity),
    }


def _limits(offered: dict[str, Coverage]) -> Iterator[str]:
    for code in AFTER_RANSOMWARE:
        if coverage := offered.get(code):
            yield f"{typographic(coverage.coverage_name)} {in_dollars(coverage.limit)}"
