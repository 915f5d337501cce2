"""The state machine of a quote and its policy.

The table says where a trigger leads, and nothing else: the deciders say whether it may be pulled.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from bindery.base.errors import WrongState
from bindery.contract.vocabulary import EventLevel, QuoteStatus

S = QuoteStatus


class Trigger(StrEnum):
    SCAN = "scan"
    PRICE = "price"
    COMPLETE_PRICING = "complete_pricing"
    PASS_SCREENING = "pass_screening"  # noqa: S105 - a step, not a password
    EXCEED_AUTHORITY = "exceed_authority"
    MISS_DOMAIN = "miss_domain"
    FAIL_SCAN = "fail_scan"
    COLLECT_NOTHING = "collect_nothing"
    FAIL_PRICING = "fail_pricing"
    FIND_RED_FLAGS = "find_red_flags"
    FIND_BROKER_CONFLICT = "find_broker_conflict"
    FAIL_SCREENING = "fail_screening"
    REFER = "refer"
    OFFER_OPTION = "offer_option"
    APPROVE_REFERRAL = "approve_referral"
    PUBLISH = "publish"
    MAKE_DOCUMENTS = "make_documents"
    OFFER_RENEWAL = "offer_renewal"
    AMEND = "amend"
    PUBLISH_AMENDED = "publish_amended"
    ASK_COLLEAGUE = "ask_colleague"
    ANSWER_COLLEAGUE = "answer_colleague"
    DECLINE = "decline"
    REVOKE = "revoke"
    WITHDRAW = "withdraw"
    CHANGE_CONTINGENCIES = "change_contingencies"
    PAUSE_RENEWAL = "pause_renewal"
    RESUME_RENEWAL = "resume_renewal"
    REQUEST_RENEWAL = "request_renewal"
    HOLD_RENEWAL = "hold_renewal"
    RELEASE_RENEWAL = "release_renewal"
    TAKE_OFFER_BACK = "take_offer_back"
    NOT_RENEW = "not_renew"
    RENEW_AFTER_ALL = "renew_after_all"
    REQUEST_CANCELLATION = "request_cancellation"
    DECLINE_CANCELLATION = "decline_cancellation"
    REFER_CHANGE = "refer_change"
    CHANGE_POLICY = "change_policy"
    DECLINE_CHANGE = "decline_change"
    WITHDRAW_CHANGE = "withdraw_change"
    RAISE_SECURITY_ALERT = "raise_security_alert"
    HAND_OVER = "hand_over"
    ISSUE_CERTIFICATES = "issue_certificates"
    SEND_TO_CLIENT = "send_to_client"
    TAKE_LINK_BACK = "take_link_back"
    OPEN_LINK = "open_link"
    CHOOSE_OPTION = "choose_option"
    ANSWER_QUESTIONS = "answer_questions"
    SIGN_APPLICATION = "sign_application"
    DECLINE_TO_SIGN = "decline_to_sign"
    ASK_BROKER = "ask_broker"
    CLOSE_QUESTION = "close_question"
    EXPIRE = "expire"
    GO_STALE = "go_stale"
    REQUEST_BIND = "request_bind"
    PASS_OVER = "pass_over"  # noqa: S105 - as above
    REOPEN = "reopen"
    RETURN_TO_DESK = "return_to_desk"
    SEND_BACK = "send_back"
    SEND_BACK_OFFER = "send_back_offer"
    BIND = "bind"
    ISSUE = "issue"
    LAPSE = "lapse"
    CANCEL = "cancel"
    REINSTATE = "reinstate"
    END_TERM = "end_term"


@dataclass(frozen=True, slots=True)
class PartnerEvent:
    level: EventLevel
    type: str


@dataclass(frozen=True, slots=True)
class Move:
    """One row of the table: from any of `sources`, `trigger` leads to `target`."""

    trigger: Trigger
    sources: tuple[QuoteStatus, ...]
    target: QuoteStatus
    notifies: PartnerEvent | None = None


def _quote(name: str) -> PartnerEvent:
    return PartnerEvent(EventLevel.QUOTE, f"quote.{name}")


def _policy(name: str) -> PartnerEvent:
    return PartnerEvent(EventLevel.POLICY, f"policy.{name}")


def _signature(name: str) -> PartnerEvent:
    return PartnerEvent(EventLevel.QUOTE, f"signature_request.{name}")


IN_PIPELINE: Final = (S.CREATED, S.AQ_CREATED, S.CALCULATING, S.CALC_COMPLETED, S.ELIGIBLE)
PASSING: Final = (
    S.AUTHORITY_FAILED,
    S.MISSING_QUICK_SCAN,
    S.QUICK_SCAN_ERROR,
    S.COLLECTION_ISSUE,
    S.RED_FLAGS_FOUND,
    S.CALC_FAILED,
    S.AQ_NOT_APPROVED,
    S.BROKER_CONFLICT_REFERRAL,
)
"""Statuses that are written with their own journal entry and left in the same transaction."""

BINDABLE: Final = (S.PUBLISHED, S.OFFER_EMAIL)
OPEN_OFFERS: Final = (*BINDABLE, S.QUOTE_REFERRED)
"""A bind of another option of the line passes over these."""

CONTINGENT: Final = (*OPEN_OFFERS, S.QUOTE_BIND_REQUESTED, S.POLICY_ACTIVE)
"""Underwriters can add contingencies to these, or close them."""

OVER: Final = {
    S.STALE: "nobody decided the referral in time",
    S.QUOTE_DECLINED: "it was declined",
    S.QUOTE_EXPIRED: "it expired",
    S.QUOTE_REVOKED: "it was revoked or withdrawn",
    S.QUOTE_NOT_BOUND: "another option was bound",
    S.POLICY_CANCELED: "its policy was canceled",
    S.POLICY_EXPIRED: "its policy has ended",
}
"""Statuses in which nothing is owed any more, and what became of a quote in each."""

AT_THE_DESK: Final = (S.QUOTE_REFERRED, S.QUOTE_BIND_REQUESTED)

TAKES_PAPERS: Final = (*BINDABLE, S.QUOTE_BIND_REQUESTED, S.POLICY_ACTIVE)
"""Statuses in which a person should look at an uploaded file."""

WERE_BOUND: Final = (S.POLICY_ACTIVE, S.POLICY_CANCELED, S.POLICY_EXPIRED)

NOT_READY: Final = frozenset((*IN_PIPELINE, *PASSING))
"""Statuses in which GET answers 202."""

WITHOUT_PREMIUM: Final = frozenset({S.QUOTE_REFERRED, S.STALE, S.QUOTE_DECLINED})
"""No person has confirmed a price here; the calculated one is for the underwriter only."""

UNDECIDING: Final = frozenset(
    {
        Trigger.MAKE_DOCUMENTS,
        Trigger.SEND_TO_CLIENT,
        Trigger.TAKE_LINK_BACK,
        Trigger.OPEN_LINK,
        Trigger.CHOOSE_OPTION,
        Trigger.ASK_COLLEAGUE,
        Trigger.ANSWER_COLLEAGUE,
    }
)
"""Steps that no decision depends on: documents are made and links are read at any time, and what a colleague
is asked to decide has still to be decided."""

DECISIVE: Final = (
    Trigger.APPROVE_REFERRAL,
    Trigger.AMEND,
    Trigger.DECLINE,
    Trigger.REVOKE,
    Trigger.WITHDRAW,
    Trigger.CANCEL,
    Trigger.LAPSE,
)
"""Steps that are shown as a decision: an approval or an amendment until another follows, others while the
status lasts."""
OUTLAST_THEIR_STATUS: Final = (Trigger.APPROVE_REFERRAL, Trigger.AMEND)

MOVES: Final = (
    Move(Trigger.SCAN, (S.CREATED,), S.AQ_CREATED),
    Move(Trigger.PRICE, (S.AQ_CREATED,), S.CALCULATING),
    Move(Trigger.COMPLETE_PRICING, (S.CALCULATING,), S.CALC_COMPLETED),
    Move(Trigger.PASS_SCREENING, (S.CALC_COMPLETED,), S.ELIGIBLE),
    Move(Trigger.EXCEED_AUTHORITY, (S.CREATED,), S.AUTHORITY_FAILED),
    Move(Trigger.MISS_DOMAIN, (S.AQ_CREATED,), S.MISSING_QUICK_SCAN),
    Move(Trigger.FAIL_SCAN, (S.AQ_CREATED,), S.QUICK_SCAN_ERROR),
    Move(Trigger.COLLECT_NOTHING, (S.AQ_CREATED,), S.COLLECTION_ISSUE),
    Move(Trigger.FAIL_PRICING, (S.CALCULATING,), S.CALC_FAILED),
    # Late: the work on it never comes to the end, so that it could be published.
    Move(Trigger.FAIL_PRICING, (S.ELIGIBLE,), S.CALC_FAILED),
    Move(Trigger.FIND_RED_FLAGS, (S.CALC_COMPLETED,), S.RED_FLAGS_FOUND),
    Move(Trigger.FIND_BROKER_CONFLICT, (S.CALC_COMPLETED,), S.BROKER_CONFLICT_REFERRAL),
    Move(Trigger.FAIL_SCREENING, (S.CALC_COMPLETED,), S.AQ_NOT_APPROVED),
    Move(Trigger.REFER, PASSING, S.QUOTE_REFERRED, _quote("referred")),
    Move(Trigger.APPROVE_REFERRAL, (S.QUOTE_REFERRED,), S.ELIGIBLE),
    # An option that an underwriter offers in addition to those asked for: a person has already seen it.
    Move(Trigger.OFFER_OPTION, (S.CREATED,), S.ELIGIBLE),
    Move(Trigger.PUBLISH, (S.ELIGIBLE,), S.PUBLISHED, _quote("published")),
    Move(Trigger.OFFER_RENEWAL, (S.ELIGIBLE,), S.OFFER_EMAIL, _policy("renewal_offered")),
    Move(Trigger.DECLINE, (S.QUOTE_REFERRED, S.QUOTE_BIND_REQUESTED), S.QUOTE_DECLINED, _quote("declined")),
    Move(
        Trigger.REVOKE,
        (*IN_PIPELINE, *OPEN_OFFERS, S.QUOTE_BIND_REQUESTED),
        S.QUOTE_REVOKED,
        _quote("revoked"),
    ),
    Move(Trigger.WITHDRAW, (*IN_PIPELINE, *OPEN_OFFERS), S.QUOTE_REVOKED, _quote("revoked")),
    # A renewal that is held after it was offered: the underwriter offers it again, or does not.
    Move(Trigger.TAKE_OFFER_BACK, BINDABLE, S.QUOTE_REFERRED, _quote("referred")),
    Move(Trigger.EXPIRE, BINDABLE, S.QUOTE_EXPIRED, _quote("expired")),
    Move(Trigger.GO_STALE, (S.QUOTE_REFERRED,), S.STALE, _quote("stale")),
    Move(Trigger.REQUEST_BIND, BINDABLE, S.QUOTE_BIND_REQUESTED, _quote("bind_requested")),
    Move(Trigger.PASS_OVER, OPEN_OFFERS, S.QUOTE_NOT_BOUND, _quote("not_bound")),
    Move(Trigger.REOPEN, (S.QUOTE_NOT_BOUND,), S.PUBLISHED, _quote("published")),
    Move(Trigger.RETURN_TO_DESK, (S.QUOTE_NOT_BOUND,), S.QUOTE_REFERRED, _quote("referred")),
    # The bind is not made as it was asked for, and the option can be bound again; a renewal is offered again.
    Move(Trigger.SEND_BACK, (S.QUOTE_BIND_REQUESTED,), S.PUBLISHED, _quote("published")),
    Move(Trigger.SEND_BACK_OFFER, (S.QUOTE_BIND_REQUESTED,), S.OFFER_EMAIL, _policy("renewal_offered")),
    Move(Trigger.BIND, (*BINDABLE, S.QUOTE_BIND_REQUESTED), S.POLICY_ACTIVE, _policy("bound")),
    # From policy_active to itself: at once with the bind, or when nothing is owed for the binder any more.
    Move(Trigger.ISSUE, (S.POLICY_ACTIVE,), S.POLICY_ACTIVE, _policy("issued")),
    Move(Trigger.LAPSE, (S.POLICY_ACTIVE,), S.QUOTE_EXPIRED, _policy("lapsed")),
    Move(Trigger.CANCEL, (S.POLICY_ACTIVE,), S.POLICY_CANCELED, _policy("canceled")),
    Move(Trigger.REINSTATE, (S.POLICY_CANCELED,), S.POLICY_ACTIVE, _policy("issued")),
    Move(Trigger.END_TERM, (S.POLICY_ACTIVE,), S.POLICY_EXPIRED, _policy("expired")),
)

# An open offer stays open on the terms that an underwriter amends; the partner is told of what was published.
AMENDING_MOVES: Final = tuple(
    Move(trigger, (status,), status, notifies)
    for status in BINDABLE
    for trigger, notifies in ((Trigger.AMEND, None), (Trigger.PUBLISH_AMENDED, _quote("amended")))
)

# What a letter of authority does not cover is asked of a colleague; nothing is decided before the answer.
COLLEAGUE_MOVES: Final = tuple(
    Move(trigger, (status,), status)
    for status in QuoteStatus
    if status not in PASSING
    for trigger in (Trigger.ASK_COLLEAGUE, Trigger.ANSWER_COLLEAGUE)
)

# A contingency moves no status, but partners are notified of it and the journal keeps it.
CONTINGENCY_MOVES: Final = tuple(
    Move(Trigger.CHANGE_CONTINGENCIES, (status,), status, _quote("contingency_changed"))
    for status in CONTINGENT
)

# Nor does it end a policy to decide whether it renews automatically.
RENEWAL_MOVES: Final = (
    Move(Trigger.PAUSE_RENEWAL, (S.POLICY_ACTIVE,), S.POLICY_ACTIVE, _policy("renewal_paused")),
    Move(Trigger.RESUME_RENEWAL, (S.POLICY_ACTIVE,), S.POLICY_ACTIVE, _policy("renewal_resumed")),
    # The offer that follows is announced with the quote that renews it.
    Move(Trigger.REQUEST_RENEWAL, (S.POLICY_ACTIVE,), S.POLICY_ACTIVE),
    # Nor does what an underwriter decides on it. A hold is told with the referral that it leads to.
    Move(Trigger.HOLD_RENEWAL, (S.POLICY_ACTIVE,), S.POLICY_ACTIVE),
    Move(Trigger.RELEASE_RENEWAL, (S.POLICY_ACTIVE,), S.POLICY_ACTIVE),
    Move(Trigger.NOT_RENEW, (S.POLICY_ACTIVE,), S.POLICY_ACTIVE, _policy("not_renewed")),
    Move(Trigger.RENEW_AFTER_ALL, (S.POLICY_ACTIVE,), S.POLICY_ACTIVE, _policy("renewal_restored")),
)

# Nor does a partner's request to cancel it: the policy stays in force until an underwriter decides.
CANCELLATION_MOVES: Final = (
    Move(
        Trigger.REQUEST_CANCELLATION, (S.POLICY_ACTIVE,), S.POLICY_ACTIVE, _policy("cancellation_requested")
    ),
    Move(Trigger.DECLINE_CANCELLATION, (S.POLICY_ACTIVE,), S.POLICY_ACTIVE),
)

# Nor does a change of what it says; one that an underwriter decides on waits on the desk.
CHANGE_MOVES: Final = (
    Move(Trigger.REFER_CHANGE, (S.POLICY_ACTIVE,), S.POLICY_ACTIVE),
    Move(Trigger.CHANGE_POLICY, (S.POLICY_ACTIVE,), S.POLICY_ACTIVE, _policy("changed")),
    Move(Trigger.DECLINE_CHANGE, (S.POLICY_ACTIVE,), S.POLICY_ACTIVE, _policy("change_declined")),
    Move(Trigger.WITHDRAW_CHANGE, (S.POLICY_ACTIVE,), S.POLICY_ACTIVE),
)

# Nor does what a rescan found; a policy that was canceled is watched as long as it covers.
ALERT_MOVES: Final = tuple(
    Move(Trigger.RAISE_SECURITY_ALERT, (status,), status, _policy("security_alert"))
    for status in (S.POLICY_ACTIVE, S.POLICY_CANCELED)
)

# Nor does it to hand the company over to another broker of the partner, who can see all of it anyway.
HANDOVER_MOVES: Final = tuple(
    Move(Trigger.HAND_OVER, (status,), status) for status in QuoteStatus if status not in PASSING
)

# Nor does a certificate for somebody else, who gets it from the broker.
CERTIFICATE_MOVES: Final = (Move(Trigger.ISSUE_CERTIFICATES, (S.POLICY_ACTIVE,), S.POLICY_ACTIVE),)

# Nor does what a client does by a link; partners are told of those about a signature. Who has read or chosen
# has not bound.
CLIENT_MOVES: Final = tuple(
    Move(trigger, (status,), status, notifies)
    for trigger, notifies, statuses in (
        (Trigger.SEND_TO_CLIENT, None, CONTINGENT),
        (Trigger.TAKE_LINK_BACK, None, CONTINGENT),
        (Trigger.OPEN_LINK, _signature("opened"), CONTINGENT),
        (Trigger.CHOOSE_OPTION, None, BINDABLE),
        (Trigger.ANSWER_QUESTIONS, None, CONTINGENT),
        (Trigger.SIGN_APPLICATION, _signature("signed"), TAKES_PAPERS),
        (Trigger.DECLINE_TO_SIGN, _signature("declined"), CONTINGENT),
    )
    for status in statuses
)

# Nor does a question to the broker, or its answer, which may come after the case was decided.
QUESTION_MOVES: Final = (
    *(Move(Trigger.ASK_BROKER, (status,), status, _quote("question_asked")) for status in CONTINGENT),
    *(
        Move(Trigger.CLOSE_QUESTION, (status,), status, _quote("question_closed"))
        for status in QuoteStatus
        if status not in NOT_READY
    ),
)

# Documents that are ready to be downloaded are announced once for the quote and once for the policy.
DOCUMENT_MOVES: Final = (
    *(Move(Trigger.MAKE_DOCUMENTS, (status,), status, _quote("document_ready")) for status in BINDABLE),
    Move(Trigger.MAKE_DOCUMENTS, (S.POLICY_ACTIVE,), S.POLICY_ACTIVE, _policy("document_ready")),
)

ALL_MOVES: Final = (
    *MOVES,
    *AMENDING_MOVES,
    *COLLEAGUE_MOVES,
    *CONTINGENCY_MOVES,
    *RENEWAL_MOVES,
    *CANCELLATION_MOVES,
    *CHANGE_MOVES,
    *ALERT_MOVES,
    *HANDOVER_MOVES,
    *CERTIFICATE_MOVES,
    *CLIENT_MOVES,
    *QUESTION_MOVES,
    *DOCUMENT_MOVES,
)
_BY_START: Final[Mapping[tuple[Trigger, QuoteStatus], Move]] = {
    (move.trigger, source): move for move in ALL_MOVES for source in move.sources
}


_REFUSED: Final[Mapping[Trigger, str]] = {
    Trigger.APPROVE_REFERRAL: "be approved: it is not referred",
    Trigger.AMEND: "be amended: it is not open to be bound",
    Trigger.DECLINE: "be declined: neither its referral nor its bind is waiting for a decision",
    Trigger.REVOKE: "be revoked: it is not open any more",
    Trigger.WITHDRAW: "be withdrawn: it is not open any more",
    Trigger.DECLINE_CANCELLATION: "be left in force: there is no policy",
    Trigger.CHANGE_POLICY: "be changed: there is no policy in force",
    Trigger.DECLINE_CHANGE: "have a change declined: there is no policy in force",
    Trigger.CHANGE_CONTINGENCIES: "be subject to contingencies any more",
    Trigger.SEND_BACK: "be sent back: it has no bind waiting for a decision",
    Trigger.ASK_BROKER: "be asked about: nothing about it waits for an underwriter",
    Trigger.CANCEL: "be canceled: there is no policy in force",
    Trigger.REINSTATE: "be reinstated: it was not canceled",
}
"""Refusals of the steps that people may try on a quote that is not open to them."""
_INSTEAD: Final[Mapping[tuple[Trigger, QuoteStatus], str]] = {
    (Trigger.WITHDRAW, QuoteStatus.POLICY_ACTIVE): "request_cancellation asks for the end of its policy",
}
"""What leads to what was probably meant."""


def sources_of(trigger: Trigger) -> tuple[QuoteStatus, ...]:
    return tuple(source for move in ALL_MOVES if move.trigger is trigger for source in move.sources)


def find_move(status: QuoteStatus, trigger: Trigger) -> Move:
    """Find where the trigger leads from here.

    Raises:
        WrongState: it leads nowhere from this status.
    """
    move = _BY_START.get((trigger, status))
    if move is None:
        done = _REFUSED.get(trigger, f"go through the step {trigger}")
        instead = _INSTEAD.get((trigger, status))
        message = f"A quote that is {status} cannot {done}{f'; {instead}' if instead else ''}."
        raise WrongState(message, status=status, available_statuses=sources_of(trigger))
    return move


def may(status: QuoteStatus, trigger: Trigger) -> bool:
    return (trigger, status) in _BY_START
