"""Facts of the documents outside the packets: notices of what happened, and options side by side."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Final

from bindery.contract.documents import DocumentType
from bindery.contract.policy_ending import CanceledBy, CancellationReason
from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.documents.comparison import ComparisonFacts, comparison_facts
from bindery.domain.documents.facts import ApplicantFacts, DocumentFacts, OptionFacts
from bindery.domain.documents.notices import (
    Canceled,
    Changed,
    ChangedItem,
    Lapsed,
    NotRenewed,
    PolicyEvent,
    Reinstated,
    notice_facts,
)
from bindery.domain.rating.surcharges import Surcharge
from documents.cases import facts_of

CANCELED: Final = Canceled(
    on=date(2027, 5, 3),
    effective=date(2027, 6, 1),
    reason="Sold to a competitor.",
    returned_premium=837,
    canceled_by=CanceledBy.INSURED,
    reason_code=CancellationReason.BUSINESS_SOLD,
    earned=833,
    charges_returned=Decimal("25.11"),
)
UNPAID: Final = Canceled(
    on=date(2027, 5, 3),
    effective=date(2027, 6, 1),
    reason="",
    returned_premium=0,
    canceled_by=CanceledBy.INSURER,
    reason_code=CancellationReason.NONPAYMENT,
    earned=833,
    due=833,
    charges_returned=Decimal(0),
    charges_due=Decimal("44.99"),
)
LAPSED: Final = Lapsed(on=date(2026, 12, 21), fulfil_by=date(2026, 12, 20))
REINSTATED: Final = Reinstated(
    on=date(2027, 6, 12),
    reason="The premium was paid.",
    canceled_from=date(2027, 6, 1),
    returned_premium=837,
    charges_returned=Decimal("25.11"),
)
NOT_RENEWED: Final = NotRenewed(
    on=date(2027, 9, 17),
    expiration=date(2027, 12, 1),
    reason="Loss history: Three losses in two years, the last of them $86,000.",
    days=60,
)
CHANGED: Final = Changed(
    on=date(2027, 5, 3),
    number=1,
    effective=date(2027, 5, 1),
    reason="A customer's contract asks for a higher limit.",
    items=(
        ChangedItem(label="Aggregate limit", before="$500,000", after="$1,000,000"),
        ChangedItem(label="Additional insureds", before=None, after="Example Property Trust, Landlord"),
    ),
    premium_difference=352,
    charges=(
        Surcharge("Surplus lines tax", Decimal(3), Decimal("10.56")),
        Surcharge("Stamping fee", Decimal(0), Decimal(0)),
    ),
    premium_before=1_070,
    premium_after=1_670,
    days_left=214,
    days=365,
)
EVENTS: Final[dict[DocumentType, PolicyEvent]] = {
    DocumentType.CANCELLATION_NOTICE: CANCELED,
    DocumentType.LAPSE_NOTICE: LAPSED,
    DocumentType.REINSTATEMENT_NOTICE: REINSTATED,
    DocumentType.NONRENEWAL_NOTICE: NOT_RENEWED,
    DocumentType.ENDORSEMENT: CHANGED,
}

Ask = dict[str, Any]

ASKED: Final = (
    {"aggregate_limit": 1_000_000, "aggregate_retention": 2_500},
    {"aggregate_limit": 2_000_000, "aggregate_retention": 5_000},
    {"aggregate_limit": 500_000, "aggregate_retention": 10_000},
)


def compared(
    product: InsuranceProduct = InsuranceProduct.CYB,
    asked: Sequence[Ask] = ASKED,
    *,
    asked_for: int | None = None,
) -> ComparisonFacts:
    """Return the facts of a comparison of options that were asked for together."""

    def ask(body: dict[str, Any]) -> None:
        body["policy"]["quotes"] = [dict(option) for option in asked]

    each = [facts_of(product, ask, option=place) for place in range(len(asked))]
    return side_by_side(each, asked_for=asked_for or len(asked))


def completed(kind: DocumentType, facts: DocumentFacts) -> DocumentFacts:
    """Return the facts with what a document of this kind tells in addition."""
    if kind is DocumentType.COMPARISON:
        return side_by_side([facts], asked_for=1)
    return notice_facts(facts, EVENTS[kind]) if kind in EVENTS else facts


def side_by_side(each: Sequence[DocumentFacts], *, asked_for: int) -> ComparisonFacts:
    """Put the facts of options side by side, as the service does with what it has frozen."""
    applicant = ApplicantFacts(**_part(each[0], ApplicantFacts))
    options = {number: OptionFacts(**_part(facts, OptionFacts)) for number, facts in enumerate(each, start=1)}
    return comparison_facts(applicant, options, asked_for=asked_for)


def _part(facts: DocumentFacts, kind: type[ApplicantFacts] | type[OptionFacts]) -> dict[str, Any]:
    return {name: getattr(facts, name) for name in kind.__dataclass_fields__}
