"""Words and rows that several documents share."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Final

from bindery.base.money import in_dollars
from bindery.contract.vocabulary import ContingencyType, InsuranceProduct
from bindery.documents.plain_text import Whole
from bindery.domain.coverages import Coverage
from bindery.domain.papers.facts import Binding, DocumentFacts, Offer
from bindery.domain.papers.forms import Form
from bindery.domain.policy.contingencies import Contingency
from bindery.domain.products import record_of

Content = dict[str, Any]
"""The data of a template: texts, lists and mappings of them."""

PARAMETERS: Final = {
    "waiting_period_hours": "{:,} h waiting period",
    "indemnity_period_days": "{:,} days indemnity",
    "coinsurance_percent": "{}% coinsurance",
    "betterment_percent": "{}% betterment",
    "callback_verification_required": "Call-back required",
    "daily_limit_usd": "${:,} a day",
    "per_event_limit_usd": "${:,} an event",
    "insured_share_percent": "{}% insured's share",
    "extended_reporting_period_months": "{} months ERP offer",
}
NOTHING: Final = "\N{EN DASH}"


@dataclass(frozen=True, slots=True)
class Paper:
    """What a template needs: its data, and the one date that the file carries."""

    dated: date
    content: Content


class MissingFacts(ValueError):
    """The facts lack what a document is about."""


def offer_of(facts: DocumentFacts) -> Offer:
    """Return the price and cover that a document needs.

    Raises:
        MissingFacts: nobody has put a price to the quote.
    """
    if facts.offer is None:
        raise MissingFacts(f"Quote {facts.quote_identifier} has no price")
    return facts.offer


def binding_of(facts: DocumentFacts) -> Binding:
    """Return the bind that a document needs.

    Raises:
        MissingFacts: the quote is not bound.
    """
    if facts.binding is None:
        raise MissingFacts(f"Quote {facts.quote_identifier} is not bound")
    return facts.binding


def frame(
    form: Form, product: InsuranceProduct, *, title: str, footnote: str, running: str, reference: str
) -> Content:
    """Return what stands around every page: the form's number, the running head, the foot."""
    return {
        "title": title,
        "form": form_foot(form),
        "footnote": f"SAMPLE · {footnote}",
        "running": _shortened(running),
        "running_reference": Whole(reference),
        "keywords": [Whole(form.form_number), record_of(product).title],
    }


def form_foot(form: Form) -> str:
    """Write a form's number and edition as they stand at the foot of its pages."""
    return Whole(f"{form.form_number} · Edition {form.edition_date:%m/%Y}")


def addressee(facts: DocumentFacts) -> list[str]:
    """Return the insured's name and address, line by line."""
    insured = facts.insured
    trade_name = [f"doing business as {insured.trade_name}"] if insured.trade_name else []
    return [insured.name, *trade_name, *insured.address_lines]


def greeting(facts: DocumentFacts) -> str:
    """Greet the insured's contact by name where there is one."""
    name = facts.contact.name if facts.contact else None
    return f"Dear {name}," if name else "Dear policyholder,"


def long_date(day: date) -> str:
    """Write a date as a letter does: `November 15, 2026`."""
    return f"{day:%B} {day.day}, {day.year}"


def retroactive(facts: DocumentFacts) -> str | None:
    """Word the retroactive date; None where the cover has none."""
    period = facts.period
    if period.full_prior_acts:
        return "Full prior acts"
    return long_date(period.retroactive) if period.retroactive else None


def cents(amount: int | Decimal) -> str:
    """Write an amount to the cent."""
    return in_dollars(Decimal(amount))


def principal_terms(facts: DocumentFacts) -> list[list[str]]:
    """Return the terms that are looked for first, with their labels."""
    terms = facts.terms
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


def coverage_rows(coverages: Iterable[Coverage]) -> list[list[str]]:
    """Return the schedule of coverages."""
    return [
        [
            coverage.coverage_name,
            in_dollars(coverage.limit),
            in_dollars(coverage.retention) if coverage.retention else "None",
            _parameter(coverage),
        ]
        for coverage in coverages
    ]


def premium_rows(offer: Offer) -> list[list[str]]:
    """Return the premium and each tax and fee, line by line."""
    within = (
        f" (includes {cents(offer.terrorism)} for certified acts of terrorism)" if offer.terrorism else ""
    )
    charges = [[charge.title, _rate(charge.percentage), cents(charge.price)] for charge in offer.surcharges]
    return [[f"Premium{within}", "", cents(offer.premium)], *charges]


def form_rows(forms: Iterable[Form]) -> list[list[str]]:
    """Return a list of forms."""
    return [[Whole(form.form_number), form.title, Whole(f"{form.edition_date:%m/%Y}")] for form in forms]


def owed(
    contingencies: Sequence[Contingency], kind: ContingencyType, *, note: str, closed_note: str = "received"
) -> list[Content]:
    """Return the contingencies of a kind, each with a word on where it stands."""
    return [
        {"text": one.text, "closed": not one.is_open, "note": note if one.is_open else closed_note}
        for one in contingencies
        if one.type is kind
    ]


def notice_content(facts: DocumentFacts) -> Content:
    """Return the surplus lines notice and how it is printed."""
    notice = facts.notice
    return {
        "state": notice.state_name,
        "paragraphs": list(notice.paragraphs),
        "points": notice.points,
        "bold": notice.bold,
        "capitals": notice.capitals,
        "signed": notice.signed,
    }


def _parameter(coverage: Coverage) -> str:
    if not coverage.parameter or coverage.parameter_name is None:
        return NOTHING
    return PARAMETERS[coverage.parameter_name].format(coverage.parameter)


def _rate(percentage: Decimal) -> str:
    return f"{percentage.normalize():f}%" if percentage else "flat"


def _shortened(text: str, length: int = 44) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"
