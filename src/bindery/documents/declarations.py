"""The declarations: who is insured, for how long, for how much, against what."""

from collections.abc import Iterator
from typing import Final

from bindery.base.numbers import in_dollars
from bindery.contract.documents import DocumentType
from bindery.documents import layout
from bindery.documents.placement import declarations_rows
from bindery.documents.plain_text import Whole
from bindery.documents.wording import endorsement, typographic
from bindery.domain.business_rules import long_date
from bindery.domain.coverages.edition import Coverage
from bindery.domain.documents.facts import DocumentFacts
from bindery.domain.documents.forms import FormKind
from bindery.domain.policy.extended_reporting import annual_premium, extended_reporting_prices
from bindery.domain.policy.policy import minimum_earned

FROM_HOUR: Final = "12:01 a.m. local time at the address of the named insured"
AFTER_RANSOMWARE: Final = ("BI", "DATA", "BRICK")
"""Coverages whose own limits a ransomware sublimit overrides."""
NO_RETROACTIVE_DATE: Final = "None applies: full prior acts, subject to the exclusion of known matters"


def declarations(facts: DocumentFacts) -> layout.Content:
    offer, binding = layout.offer_of(facts), layout.binding_of(facts)
    period = facts.period
    return {
        "form": Whole(facts.form_of(DocumentType.POLICY).form_number),
        "items": [
            ["1. Named insured", "\n".join(layout.addressee(facts))],
            *(
                [["    Additional insureds", "\n".join(facts.additional_insured)]]
                if facts.additional_insured
                else []
            ),
            ["2. Policy number", Whole(binding.policy_number)],
            ["    Renewal of", Whole(binding.renewal_of or "new policy")],
            [
                "3. Policy period",
                f"{long_date(period.effective)} to {long_date(period.expiration)}, {FROM_HOUR}",
            ],
            *[[label, value] for label, value in _numbered_terms(facts)],
            ["6. Retroactive date", layout.retroactive(facts) or NO_RETROACTIVE_DATE],
            ["    Continuity date", long_date(facts.continuity)],
        ],
        "dated": long_date(binding.issued_on or binding.bound_on),
        "coverages": layout.coverage_rows(offer.coverages, marks(facts)),
        "premium_rows": layout.premium_rows(offer),
        "total": layout.cents(offer.total),
        "minimum_earned": layout.cents(minimum_earned(offer.premium)),
        "services": layout.services(facts),
        "extended_reporting": _extended_reporting(facts),
        "broker": layout.broker(facts),
        "state_rows": declarations_rows(facts),
        "application": _application(facts),
        "retroactive": layout.retroactive(facts),
        "notice": layout.notice_content(facts),
    }


def extended_reporting_rows(facts: DocumentFacts) -> list[list[str]]:
    annual = _annual_premium(facts)
    return [
        [f"{months} months", f"{percent}% of the annual premium: {layout.cents(price)}"]
        for months, percent, price in extended_reporting_prices(annual)
    ]


def _annual_premium(facts: DocumentFacts) -> int:
    return annual_premium(layout.offer_of(facts).of_the_term, facts.period.effective, facts.period.expiration)


def _extended_reporting(facts: DocumentFacts) -> str:
    periods = extended_reporting_prices(_annual_premium(facts))
    named = [f"{months} months for {layout.cents(price)}" for months, _, price in periods]
    shares = ", ".join(f"{percent}%" for _, percent, _ in periods[:-1])
    return (
        f"{', '.join(named[:-1])} or {named[-1]}, taxes and fees not included "
        f"({shares} or {periods[-1][1]}% of the annual premium of {layout.cents(_annual_premium(facts))})"
    )


def _application(facts: DocumentFacts) -> str:
    signed = facts.signed_application
    if signed is not None:
        relied_on = f"for the policy of {long_date(signed.relied_on)}"
        where = f"signed {relied_on}, on file with us" if signed.on_file else f"issued {relied_on}"
        return f"Of quote {signed.quote_identifier}, {where}; fingerprint {signed.fingerprint}"
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
    shown = amounts(facts)
    return [
        {
            "number": Whole(form.form_number),
            "stem": Whole(form.stem),
            "title": typographic(form.title),
            "text": wording["in_short"].format_map(shown),
        }
        for form in facts.forms.policy
        if form.kind is FormKind.ENDORSEMENT and "in_short" in (wording := endorsement(form, edition))
    ]


def marks(facts: DocumentFacts) -> dict[str, list[str]]:
    """Return for each coverage the endorsements that limit it, by the numbers in its schedule."""
    found: dict[str, list[str]] = {}
    for form in facts.forms.policy:
        if form.kind is FormKind.ENDORSEMENT:
            for code in endorsement(form, facts.form_edition.edition).get("limits", ()):
                found.setdefault(code, []).append(Whole(form.stem))
    return found


def amounts(facts: DocumentFacts) -> dict[str, str]:
    """Return the amounts of the offer that endorsements name."""
    offer = layout.offer_of(facts)
    offered = {coverage.code: coverage for coverage in offer.coverages}
    basis = layout.terrorism_basis(offer)
    extortion, social = offered.get("EXTORT"), offered.get("SE")
    return {
        "social_limit": in_dollars(social.limit) if social else layout.NOTHING,
        "extortion_limit": in_dollars(extortion.limit) if extortion else layout.NOTHING,
        "coinsurance": str(extortion.parameter) if extortion else layout.NOTHING,
        "reduced": ", ".join(_limits(offered)),
        "retroactive": layout.retroactive(facts) or layout.NOTHING,
        "continuity": long_date(facts.continuity),
        "annual_premium": layout.cents(_annual_premium(facts)),
        "terrorism": layout.cents(offer.terrorism),
        "cyber_part": f" ({basis})" if "cyber" in basis else "",
    }


def _limits(offered: dict[str, Coverage]) -> Iterator[str]:
    for code in AFTER_RANSOMWARE:
        if coverage := offered.get(code):
            yield f"{typographic(coverage.coverage_name)} {in_dollars(coverage.limit)}"
