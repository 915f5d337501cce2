"""What a bordereau says of a premium transaction and its policy."""

from datetime import date
from decimal import Decimal
from typing import NamedTuple
from uuid import UUID

import msgspec

from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.policy.ledger import TransactionKind
from bindery.domain.rating.surcharges import Surcharge


class LineAddress(msgspec.Struct, frozen=True):
    street: str | None = None
    street2: str | None = None
    city: str | None = None
    zip: str | None = None


class BordereauLine(NamedTuple):
    """A transaction with its policy as it was bound; a tuple, since there are a hundred thousand of them."""

    transaction_id: int
    quote_id: UUID
    number: int
    kind: TransactionKind
    booked_on: date
    effective: date
    premium: int
    charges: Decimal
    charge_lines: tuple[Surcharge, ...]
    commission_rate: Decimal | None
    commission: Decimal | None
    gross_premium: int
    """The premium of the policy with this transaction and all before it."""
    product: InsuranceProduct
    state: str
    section: str | None
    risk_code: str | None
    risk_class: str | None
    policy_number: str
    inception: date
    expiration: date
    bound_on: date | None
    cancellation_reason: str | None
    is_renewal: bool
    aggregate_limit: int | None
    aggregate_retention: int | None
    per_claim_limit: int | None
    per_claim_retention: int | None
    insured: str
    revenue: int
    sector: str
    employees: int | None
    address: LineAddress
    broker_email: str
    broker: str


class BordereauFrame(NamedTuple):
    """What all lines of a bordereau have in common: its month, the binder and who issues the papers."""

    since: date
    """The first day of the month."""
    until: date
    """The first day after it."""
    agreement: str
    coverholder: str
    pin: str
    year_of_account: int
    licensee: str
    license: str
    licensee_address: tuple[str, ...]
