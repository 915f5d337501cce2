"""What a bordereau says of a premium transaction and its policy."""

from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal
from itertools import zip_longest
from typing import NamedTuple
from uuid import UUID

import msgspec

from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.policy.ledger import TransactionKind


class LineAddress(msgspec.Struct, frozen=True):
    street: str | None = None
    street2: str | None = None
    city: str | None = None
    zip: str | None = None


class LineTax(msgspec.Struct, frozen=True, gc=False):
    """A tax or fee, with its numbers as the ledger writes them: most need not be read."""

    title: str
    percentage: str
    price: str


class Lines(NamedTuple):
    """Transactions and their policies as they were bound, column by column: there are a hundred thousand."""

    transaction_id: Sequence[int]
    quote_id: Sequence[UUID]
    number: Sequence[int]
    kind: Sequence[TransactionKind]
    booked_on: Sequence[date]
    effective: Sequence[date]
    premium: Sequence[int]
    charges: Sequence[Decimal]
    taxes: Sequence[Sequence[LineTax | None]]
    """The first tax or fee of each, the second, and so on."""
    commission_rate: Sequence[Decimal | None]
    commission: Sequence[Decimal | None]
    gross_premium: Sequence[int]
    """The premium of the policy with this transaction and all before it."""
    product: Sequence[InsuranceProduct]
    state: Sequence[str]
    section: Sequence[str | None]
    risk_code: Sequence[str | None]
    risk_class: Sequence[str | None]
    policy_number: Sequence[str]
    inception: Sequence[date]
    expiration: Sequence[date]
    bound_on: Sequence[date | None]
    cancellation_reason: Sequence[str | None]
    is_renewal: Sequence[bool]
    aggregate_limit: Sequence[int | None]
    aggregate_retention: Sequence[int | None]
    per_claim_limit: Sequence[int | None]
    per_claim_retention: Sequence[int | None]
    insured: Sequence[str]
    revenue: Sequence[int]
    sector: Sequence[str]
    employees: Sequence[int | None]
    address: Sequence[LineAddress]
    broker_email: Sequence[str]
    broker: Sequence[str]


def by_place(charged: Iterable[Sequence[LineTax]]) -> Sequence[Sequence[LineTax | None]]:
    """Return the first charge of each transaction, the second, and so on; a return has fewer of them."""
    return list(zip_longest(*charged))


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
