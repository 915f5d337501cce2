"""Bodies of the operations that only the demo environment has."""

from datetime import date
from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct

from bindery.contract.fields import LONGEST_BY_HAND, ContingencyId, Lines, Moment
from bindery.contract.policy_ending import CanceledBy
from bindery.contract.vocabulary import AggregateRetention, ContingencyType


class MoveClock(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How far to move the clock ahead."""

    advance_days: Annotated[int, Meta(ge=0, le=4000, description="Days to move ahead.")]


class ClockShown(Struct, frozen=True, kw_only=True):
    """The service's business time."""

    now: Annotated[Moment, Meta(description="The business time.")]


class ReviewDecision(StrEnum):
    """What the underwriter decides."""

    APPROVE = "approve"
    DECLINE = "decline"
    REVOKE = "revoke"
    WITHDRAW = "withdraw"
    AMEND = "amend"
    ASK = "ask"
    GO_ON = "go_on"
    SEND_BACK = "send_back"
    ADD_CONTINGENCY = "add_contingency"
    CLOSE_CONTINGENCY = "close_contingency"
    CANCEL = "cancel"
    APPROVE_CHANGE = "approve_change"
    DECLINE_CHANGE = "decline_change"
    REINSTATE = "reinstate"
    HOLD_RENEWAL = "hold_renewal"
    NOT_RENEW = "not_renew"
    RENEW_AFTER_ALL = "renew_after_all"
    SECOND_APPROVAL = "second_approval"


class ClosedByHand(StrEnum):
    """How an underwriter closes a contingency."""

    FULFILLED = "fulfilled"
    WAIVED = "waived"


class SecondAnswer(StrEnum):
    """What a second person says to a decision that is beyond a colleague's authority."""

    APPROVED = "approved"
    DECLINED = "declined"
    SENT_BACK = "sent_back"
    TAKEN_BACK = "taken_back"


class ReviewTerms(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Terms to approve or to offer instead of those that there are."""

    aggregate_retention: Annotated[
        AggregateRetention | None, Meta(description="The retention that is approved, in USD.")
    ] = None
    premium: Annotated[
        Annotated[int, Meta(ge=1, le=100_000_000)] | None,
        Meta(description="The premium that is approved, in whole USD."),
    ] = None


class ReviewContingency(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A contingency to add."""

    type: ContingencyType
    text: Annotated[
        Lines, Meta(min_length=1, max_length=LONGEST_BY_HAND, description="What is owed, in words.")
    ]


class ReviewClosing(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How something that was needed before a bind is closed with its approval."""

    contingency_id: ContingencyId
    closed_as: ClosedByHand = ClosedByHand.FULFILLED
    reason: Annotated[
        Annotated[Lines, Meta(max_length=LONGEST_BY_HAND)] | None,
        Meta(description="Why; required to waive it."),
    ] = None


class ReviewRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An underwriter's decision about a quote."""

    decision: ReviewDecision
    reason: Annotated[
        Annotated[Lines, Meta(max_length=LONGEST_BY_HAND)] | None,
        Meta(
            description="Why, in words for the partner; with `ask`, the question; with `cancel`, a "
            "`CancellationReason`, with `not_renew` a `NonrenewalReason`."
        ),
    ] = ""
    terms: Annotated[ReviewTerms | None, Meta(description="With `approve` and `amend`.")] = None
    contingency: Annotated[ReviewContingency | None, Meta(description="With `add_contingency`.")] = None
    contingency_id: Annotated[str | None, Meta(description="With `close_contingency`.")] = None
    closed_as: Annotated[
        ClosedByHand | None,
        Meta(description="With `close_contingency`: `fulfilled` when missing; `waived` requires a `reason`."),
    ] = None
    contingencies: Annotated[
        Annotated[list[ReviewClosing], Meta(max_length=100)] | None,
        Meta(
            description="With `approve` of a bind: how each contingency is closed that had to be met before "
            "it. Those that are not listed are closed as fulfilled."
        ),
    ] = None
    effective: Annotated[
        date | None,
        Meta(
            description="With `cancel`: the first day without coverage; when missing, the first possible one."
        ),
    ] = None
    canceled_by: Annotated[
        CanceledBy | None,
        Meta(description="With `cancel`: who cancels; when missing, whoever can have the reason."),
    ] = None
    text: Annotated[
        Annotated[Lines, Meta(max_length=LONGEST_BY_HAND)] | None,
        Meta(description="With `cancel` and `not_renew`: the reason in words."),
    ] = ""
    no_known_loss: Annotated[
        bool | None,
        Meta(
            description="With `reinstate`: whether the signed statement of no known losses was received, "
            "which is needed once the coverage had ended."
        ),
    ] = True
    underwriter: Annotated[
        Annotated[str, Meta(max_length=255)] | None,
        Meta(
            description="The address of an underwriter of the platform who decides, within the guidelines "
            "and the letter of authority; when missing, a simulated one decides, who has no bounds."
        ),
    ] = None
    send_to: Annotated[
        Annotated[str, Meta(max_length=255)] | None,
        Meta(
            description="With `underwriter`: the address of a colleague who is asked to approve the decision "
            "as the second person, since it is beyond the underwriter's authority; nothing is decided yet."
        ),
    ] = None
    answer: Annotated[
        SecondAnswer | None,
        Meta(
            description="With `second_approval`: `approved` when missing, which carries out what was sent; "
            "`declined` and `sent_back` require a `reason`, `taken_back` is for who sent it."
        ),
    ] = None
    sure: Annotated[
        bool | None,
        Meta(
            description="With `underwriter`: the second yes to a premium below the minimum, or more than "
            "25 % off the tariff."
        ),
    ] = False
