from dataclasses import dataclass
from datetime import date
from typing import TypeAlias

from bindery.contract.quote import CanceledBy, CancellationReason
from bindery.domain.policy.binding import Closings
from bindery.domain.policy.contingencies import FULFILLED, Closing, DraftContingency
from bindery.domain.quote.repricing import AS_ASSESSED, ChangedTerms


@dataclass(frozen=True, slots=True)
class ApproveReferral:
    """Publish a referred quote; at another premium than `shown_premium`, nothing is published."""

    changed: ChangedTerms = AS_ASSESSED
    shown_premium: int | None = None
    contingency: DraftContingency | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ApproveBind:
    """Bind as requested; without `closings`, all that was needed before the bind was fulfilled."""

    reason: str = ""
    closings: Closings | None = None


@dataclass(frozen=True, slots=True)
class DeclineQuote:
    reason: str


@dataclass(frozen=True, slots=True)
class RevokeQuote:
    reason: str


@dataclass(frozen=True, slots=True)
class AddContingency:
    draft: DraftContingency


@dataclass(frozen=True, slots=True)
class CloseContingency:
    contingency_id: str
    closing: Closing = FULFILLED


@dataclass(frozen=True, slots=True)
class ReopenContingency:
    contingency_id: str


@dataclass(frozen=True, slots=True)
class CancelPolicy:
    """Cancel from a day of the term; None is the first possible day."""

    on: date | None = None
    canceled_by: CanceledBy = CanceledBy.INSURED
    reason: CancellationReason = CancellationReason.INSURED_REQUEST
    text: str = ""


@dataclass(frozen=True, slots=True)
class DeclineCancellation:
    reason: str


@dataclass(frozen=True, slots=True)
class ReinstatePolicy:
    """Put a canceled policy back in force; `no_known_loss` says that the insured signed to know of none."""

    reason: str
    no_known_loss: bool = False


Decision: TypeAlias = (
    ApproveReferral
    | ApproveBind
    | DeclineQuote
    | RevokeQuote
    | AddContingency
    | CloseContingency
    | ReopenContingency
    | CancelPolicy
    | DeclineCancellation
    | ReinstatePolicy
)
