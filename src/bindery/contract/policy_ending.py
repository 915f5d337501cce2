"""What a quote shows of the renewal and the end of its policy."""

from datetime import date
from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct

from bindery.contract.fields import Moment, Uuid


class RenewalState(StrEnum):
    """Where the renewal of a policy stands, or the renewal that a quote is.

    `not_due`: nothing is offered yet. `referred`: an underwriter decides. `offered`: it can be bound until
    the policy ends. `bound`: cover goes on. `ends`: no renewal is made, or none came of it.
    """

    NOT_DUE = "not_due"
    REFERRED = "referred"
    OFFERED = "offered"
    BOUND = "bound"
    ENDS = "ends"


class RenewalStop(StrEnum):
    """What keeps a policy from renewing by itself.

    `paused`: the partner did. `cancellation_requested`: nobody has decided on the request yet. `held`: an
    underwriter looks at it before it is offered. `not_renewed`: the insurer does not renew the policy.
    """

    PAUSED = "paused"
    CANCELLATION_REQUESTED = "cancellation_requested"
    HELD = "held"
    NOT_RENEWED = "not_renewed"


class NonrenewalReason(StrEnum):
    """Why the insurer does not renew a policy; with `other` the text says it."""

    LOSS_HISTORY = "loss_history"
    SECURITY = "security"
    APPETITE = "appetite"
    INFORMATION = "information"
    OTHER = "other"


class NonrenewalBody(Struct, frozen=True, kw_only=True):
    """The insurer's decision not to renew a policy; its `nonrenewal_notice` says what follows."""

    reason: NonrenewalReason
    text: Annotated[str, Meta(description="The underwriter's words beside the reason; may be empty.")]
    notified_on: Annotated[date, Meta(description="The day on which the notice was mailed.")]


class RenewalBody(Struct, frozen=True, kw_only=True):
    """How a policy renews, what a quote renews, and what renews it."""

    type: Annotated[str, Meta(description="Whether it renews automatically.")]
    renews: Annotated[Uuid | None, Meta(description="Identifier of the quote whose policy this one renews.")]
    renewed_by: Annotated[
        Uuid | None,
        Meta(description="Identifier of the quote that renews this policy, from the day it is worked out."),
    ]
    state: RenewalState
    stopped_by: Annotated[
        RenewalStop | None,
        Meta(description="What keeps it from renewing by itself; null for nothing."),
    ]


class CanceledBy(StrEnum):
    """Who cancels a policy."""

    INSURED = "insured"
    INSURER = "insurer"


class CancellationReason(StrEnum):
    """Why a policy is canceled: the first four are the insured's reasons, the last two the insurer's."""

    INSURED_REQUEST = "insured_request"
    BUSINESS_SOLD = "business_sold"
    REWRITTEN = "rewritten"
    NOT_TAKEN_UP = "not_taken_up"
    NONPAYMENT = "nonpayment"
    FRAUD = "fraud"


class CanceledPolicy(Struct, frozen=True, kw_only=True):
    """A cancellation: who canceled, why and from when, and what it comes to in whole USD."""

    canceled_by: Annotated[
        CanceledBy | None, Meta(description="Null for a cancellation from before this was recorded.")
    ]
    reason: Annotated[
        CancellationReason | None, Meta(description="Null for a cancellation from before this was recorded.")
    ]
    text: Annotated[str, Meta(description="The reason in the underwriter's own words; may be empty.")]
    effective: Annotated[date, Meta(description="The day from which there is no coverage.")]
    earned: Annotated[int, Meta(description="The part of the premium that the insurer keeps.")]
    returned: Annotated[int, Meta(description="The part that is returned; 0 for `nonpayment`.")]
    due: Annotated[int, Meta(description="For `nonpayment`, the earned premium that is owed; otherwise 0.")]


class CancellationStatus(StrEnum):
    """What became of a request to cancel.

    `open`: an underwriter decides. `granted`: the policy is canceled. `declined`: it stays in force.
    `overtaken`: its cover ended otherwise before anybody decided.
    """

    OPEN = "open"
    GRANTED = "granted"
    DECLINED = "declined"
    OVERTAKEN = "overtaken"


class CancellationBody(Struct, frozen=True, kw_only=True):
    """The partner's request to cancel a policy."""

    effective: Annotated[date, Meta(description="The day from which there would be no cover.")]
    reason: Annotated[CancellationReason, Meta(description="Why; one of the insured's reasons.")]
    text: Annotated[str, Meta(description="The partner's words beside the reason; may be empty.")]
    requested_at: Annotated[Moment, Meta(description="When it was asked for.")]
    status: CancellationStatus
    answer: Annotated[str | None, Meta(description="Why it was declined; otherwise null.")]
