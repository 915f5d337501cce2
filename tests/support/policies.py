import random
import uuid
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

from bindery.base.ids import uuid7
from bindery.contract.vocabulary import InsuranceProduct, QuoteStatus
from bindery.domain.applicant.risk import OptionAsk, Term
from bindery.domain.policy.policy import Policy
from bindery.domain.quote.quote import Quote

POLICY = Policy(
    quote_id=uuid7(datetime(2026, 11, 15, tzinfo=UTC), random.Random(1)),
    company_id=123_456_789,
    partner_id=1,
    product=InsuranceProduct.CYB,
    ask_fingerprint=b"",
    attested=True,
    term=Term(date(2026, 12, 1), date(2027, 12, 1)),
    policy_number="CYB-26-0000001-8-00",
    bound_on=date(2026, 11, 15),
    issued_on=date(2026, 11, 15),
    in_force=True,
)


def a_quote(status: QuoteStatus, **changes: Any) -> Quote:
    """Return a quote in a status, changed by the test."""
    quote = Quote(
        quote_id=uuid.UUID(int=1),
        submission_id=uuid.UUID(int=2),
        company_id=POLICY.company_id,
        partner_id=POLICY.partner_id,
        option_number=0,
        product=POLICY.product,
        status=status,
        version=0,
        created_at=datetime(2026, 11, 15, tzinfo=UTC),
        updated_at=datetime(2026, 11, 15, tzinfo=UTC),
        ask=OptionAsk(1_000_000, None, None, None),
    )
    return replace(quote, **changes)


def a_policy(**changes: Any) -> Policy:
    """Return an issued policy, changed by the test."""
    return replace(POLICY, **changes)
