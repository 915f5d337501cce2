"""The closed choices of the specification, to the letter."""

from enum import StrEnum
from typing import Final, Literal


class InsuranceProduct(StrEnum):
    """The three surplus lines products."""

    CYB = "CYB"
    TEO = "TEO"
    MPL = "MPL"


class QuoteStatus(StrEnum):
    """The 25 values of `quote_status`."""

    CREATED = "created"
    AQ_CREATED = "aq_created"
    CALCULATING = "calculating"
    CALC_COMPLETED = "calc_completed"
    BROKER_CONFLICT_REFERRAL = "broker_conflict_referral"
    COLLECTION_ISSUE = "collection_issue"
    RED_FLAGS_FOUND = "red_flags_found"
    CALC_FAILED = "calc_failed"
    AUTHORITY_FAILED = "authority_failed"
    ELIGIBLE = "eligible"
    QUICK_SCAN_ERROR = "quick_scan_error"
    MISSING_QUICK_SCAN = "missing_quick_scan"
    AQ_NOT_APPROVED = "aq_not_approved"
    OFFER_EMAIL = "offer_email"
    STALE = "stale"
    QUOTE_REFERRED = "quote_referred"
    PUBLISHED = "published"
    QUOTE_DECLINED = "quote_declined"
    QUOTE_EXPIRED = "quote_expired"
    QUOTE_REVOKED = "quote_revoked"
    QUOTE_BIND_REQUESTED = "quote_bind_requested"
    QUOTE_NOT_BOUND = "quote_not_bound"
    POLICY_ACTIVE = "policy_active"
    POLICY_CANCELED = "policy_canceled"
    POLICY_EXPIRED = "policy_expired"


class QuoteAction(StrEnum):
    """What the partner can do with a quote."""

    BIND = "bind"
    WITHDRAW = "withdraw"
    PAUSE_RENEWAL = "pause_renewal"
    RESUME_RENEWAL = "resume_renewal"
    REQUEST_RENEWAL = "request_renewal"
    REQUEST_CANCELLATION = "request_cancellation"


class EventLevel(StrEnum):
    """Which of a webhook's two subscriptions an event belongs to."""

    QUOTE = "quote"
    POLICY = "policy"


class ContactRole(StrEnum):
    """What an additional contact is told about."""

    SECURITY_ALERTS = "security_alerts"
    POLICY_NOTICES = "policy_notices"


class ClosedAs(StrEnum):
    """How a contingency ended: it was met, an underwriter waived it, or an attested bind closed it."""

    FULFILLED = "fulfilled"
    WAIVED = "waived"
    ATTESTED = "attested"


class ContingencyType(StrEnum):
    """Whether a contingency stands before or after the bind."""

    PRE_BIND = "pre_bind"
    POST_BIND = "post_bind"


class ContingencyStatus(StrEnum):
    """A contingency is open until an underwriter closes it."""

    OPEN = "open"
    CLOSED = "closed"


# msgspec turns Literal into an `enum` of the schema, so the allowed values are written once, here.
AggregateLimit = Literal[
    100_000, 250_000, 300_000, 500_000, 750_000, 900_000, 1_000_000, 1_500_000, 2_000_000, 2_500_000,
    3_000_000, 4_000_000, 5_000_000, 6_000_000, 7_000_000, 8_000_000, 9_000_000, 10_000_000,
]  # fmt: skip
PerClaimLimit = Literal[
    100_000, 250_000, 500_000, 750_000, 1_000_000, 2_000_000, 3_000_000, 4_000_000, 5_000_000, 6_000_000,
    7_000_000, 8_000_000, 9_000_000, 10_000_000,
]  # fmt: skip
AggregateRetention = Literal[
    2_500, 5_000, 10_000, 15_000, 25_000, 50_000, 75_000, 100_000, 150_000, 250_000, 500_000,
]  # fmt: skip
PerClaimRetention = Literal[
    500, 1_000, 1_500, 2_500, 5_000, 7_500, 10_000, 15_000, 20_000, 25_000, 35_000, 50_000, 75_000, 100_000,
    150_000, 250_000, 500_000,
]  # fmt: skip

DEFAULT_PRODUCT: Final = InsuranceProduct.CYB
WHICH_PRODUCT: Final = "Which of the three products; CYB when missing."
DEFAULT_AGGREGATE_LIMIT: Final = 1_000_000
