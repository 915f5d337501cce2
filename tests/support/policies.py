import random
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

from bindery.base.ids import uuid7
from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.applicant.risk import Term
from bindery.domain.policy.policy import Policy

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


def a_policy(**changes: Any) -> Policy:
    """Return an issued policy, changed by the test."""
    return replace(POLICY, **changes)
