import uuid
from dataclasses import dataclass
from datetime import date
from typing import TypeAlias

from bindery.contract.policy_ending import CanceledBy, CancellationReason, NonrenewalReason
from bindery.domain.applicant.risk import OptionAsk
from bindery.domain.policy.binding import Closings
from bindery.domain.policy.contingencies import FULFILLED, Closing, DraftContingency
from bindery.domain.quote.repricing import AS_ASSESSED, ChangedTerms


@dataclass(frozen=True, slots=True)
class ApproveReferral:
    """Publish a referred quote; at another premium than `shown_premium`, nothing is published.

    `is_sure` is the second yes to terms far beyond the guidelines; None where no person decides on a page.
    """

    changed: ChangedTerms = AS_ASSESSED
    shown_premium: int | None = None
    contingencies: tuple[DraftContingency, ...] = ()
    reason: str = ""
    is_sure: bool | None = None


@dataclass(frozen=True, slots=True)
class AmendOption:
    """Change an open offer, which keeps its identifier and its last day."""

    reason: str
    changed: ChangedTerms = AS_ASSESSED
    shown_premium: int | None = None
    contingencies: tuple[DraftContingency, ...] = ()
    is_sure: bool | None = None


@dataclass(frozen=True, slots=True)
class OfferOption:
    """Offer another option beside the one that this is about; at another premium, nothing is offered."""

    ask: OptionAsk
    reason: str
    shown_premium: int | None = None


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
class AskBroker:
    """Have the case wait for an answer of its broker; `about` are codes of referral reasons."""

    text: str
    about: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GoOnUnanswered:
    """Withdraw an open question to the broker; None is every one of the case."""

    question_id: uuid.UUID | None = None


@dataclass(frozen=True, slots=True)
class SendBack:
    """Open the option of a requested bind again, with what the broker is to change."""

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
    """Ask for something again; `reason` tells the broker why."""

    contingency_id: str
    reason: str = ""


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
class ApproveChange:
    """Issue the change of a policy that waits for an underwriter; with an id, only that one."""

    reason: str = ""
    change_id: str = ""


@dataclass(frozen=True, slots=True)
class DeclineChange:
    reason: str
    change_id: str = ""


@dataclass(frozen=True, slots=True)
class ReinstatePolicy:
    """Put a canceled policy back in force; `no_known_loss` says that the insured signed to know of none."""

    reason: str
    no_known_loss: bool = False


@dataclass(frozen=True, slots=True)
class HoldRenewal:
    """Have a person look at the renewal of a policy, instead of offering or binding it by itself."""

    reason: str


@dataclass(frozen=True, slots=True)
class ReleaseRenewal:
    """Lift a hold: the renewal is offered and bound by itself again."""

    reason: str = ""


@dataclass(frozen=True, slots=True)
class NotRenew:
    """Let a policy end with its term, with notice to the insured."""

    reason: NonrenewalReason
    text: str = ""


@dataclass(frozen=True, slots=True)
class RenewAfterAll:
    reason: str


def reason_of(decision: "Decision") -> str:
    """Return the words of whoever decides; those about an end have them beside the reason from a list."""
    match decision:
        case CancelPolicy(text=text) | NotRenew(text=text) | AskBroker(text=text):
            return text
        case AddContingency(draft):
            return draft.text
        case CloseContingency(closing=closing):
            return closing.reason
        case GoOnUnanswered():
            return ""
        case _:
            return decision.reason


Decision: TypeAlias = (
    ApproveReferral
    | AmendOption
    | OfferOption
    | ApproveBind
    | DeclineQuote
    | RevokeQuote
    | AskBroker
    | GoOnUnanswered
    | SendBack
    | AddContingency
    | CloseContingency
    | ReopenContingency
    | CancelPolicy
    | DeclineCancellation
    | ApproveChange
    | DeclineChange
    | ReinstatePolicy
    | HoldRenewal
    | ReleaseRenewal
    | NotRenew
    | RenewAfterAll
)
