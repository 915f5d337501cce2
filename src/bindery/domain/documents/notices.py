from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Final, TypeAlias

import msgspec

from bindery.contract.documents import DocumentType
from bindery.contract.policy_ending import CanceledBy, CancellationReason
from bindery.domain.documents.facts import Binding, DocumentFacts
from bindery.domain.policy.cancellation import Cancellation
from bindery.domain.rating.surcharges import Surcharge


@dataclass(frozen=True, slots=True, kw_only=True)
class Canceled:
    """A cancellation: `on` is the day of the notice, `effective` the day from which there is no cover.

    `reason` is in words. Notices from before somebody was asked who cancels have the first four alone.
    """

    on: date
    effective: date
    reason: str
    returned_premium: int
    canceled_by: CanceledBy | None = None
    reason_code: CancellationReason | None = None
    earned: int | None = None
    due: int = 0
    charges_returned: Decimal | None = None
    charges_due: Decimal = Decimal(0)


def as_noticed(binding: Binding, event: "PolicyEvent | None") -> Binding:
    """Return a canceled bind with the amounts of its notice, so that the bill asks for the same."""
    if not isinstance(event, Canceled) or event.effective != binding.canceled_from:
        return binding
    is_unpaid = event.reason_code is CancellationReason.NONPAYMENT
    return replace(
        binding,
        earned=event.earned,
        charges_returned=event.charges_returned,
        charges_due=event.charges_due if is_unpaid else None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Lapsed:
    on: date
    fulfil_by: date


@dataclass(frozen=True, slots=True, kw_only=True)
class Reinstated:
    """A cancellation that was undone; what was canceled from when and returned is from its notice.

    `is_unpaid` is one for nonpayment; `charges_returned` is None where the notice did not say.
    """

    on: date
    reason: str
    canceled_from: date
    returned_premium: int
    is_unpaid: bool = False
    charges_returned: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NotRenewed:
    """The insurer's decision to let a policy end with its term; `days` is the notice that it had to give."""

    on: date
    expiration: date
    reason: str
    days: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedItem:
    """One thing of a policy that is otherwise; None is nothing."""

    label: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """A change during the term, the `number`-th of the policy; amounts less than zero are returned."""

    on: date
    number: int
    effective: date
    reason: str
    items: tuple[ChangedItem, ...]
    premium_difference: int
    charges: tuple[Surcharge, ...]
    premium_before: int
    premium_after: int
    days_left: int
    days: int
    new_forms: tuple[str, ...] = ()
    """Numbers of the forms that the policy did not have until then."""

    @property
    def total(self) -> Decimal:
        return sum((charge.price for charge in self.charges), start=Decimal(self.premium_difference))


PolicyEvent: TypeAlias = Canceled | Lapsed | Reinstated | NotRenewed | Changed

NOTICE_OF: Final[Mapping[type[PolicyEvent], DocumentType]] = {
    Canceled: DocumentType.CANCELLATION_NOTICE,
    Lapsed: DocumentType.LAPSE_NOTICE,
    Reinstated: DocumentType.REINSTATEMENT_NOTICE,
    NotRenewed: DocumentType.NONRENEWAL_NOTICE,
    Changed: DocumentType.ENDORSEMENT,
}
NOTICES: Final = frozenset(NOTICE_OF.values())

_DECODERS: Final = {kind: msgspec.json.Decoder(event) for event, kind in NOTICE_OF.items()}


@dataclass(frozen=True, kw_only=True)
class NoticeFacts(DocumentFacts):
    event: PolicyEvent


def canceled_event(decided: Cancellation, *, on: date) -> Canceled:
    return Canceled(
        on=on,
        effective=decided.effective,
        reason=decided.text,
        returned_premium=decided.returned,
        canceled_by=decided.canceled_by,
        reason_code=decided.reason,
        earned=decided.earned,
        due=decided.due,
        charges_returned=decided.charges_returned,
        charges_due=decided.charges_due,
    )


def notice_facts(facts: DocumentFacts, event: PolicyEvent) -> NoticeFacts:
    return NoticeFacts(**vars(facts), event=event)


def write_event(event: PolicyEvent) -> str:
    return msgspec.json.encode(event).decode()


def read_event(kind: DocumentType, text: str) -> PolicyEvent:
    return _DECODERS[kind].decode(text)
