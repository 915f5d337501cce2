"""What operators and administrators of the desk do, and how the list of it names each deed."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


@dataclass(frozen=True, slots=True)
class Doer:
    """Who does something: a user of the platform, or an account of the machine at the command line."""

    name: str
    user_id: int | None = None
    place: str = ""
    """From where: a network address, or the machine of the command line."""


SERVICE: Final = Doer("bindery", place="the service itself")


class Deed(StrEnum):
    PARTNER_ADDED = "partner_added"
    CONTACT_SET = "contact_set"
    BROKER_ADDED = "broker_added"
    BROKER_REMOVED = "broker_removed"
    TOKEN_ISSUED = "token_issued"  # noqa: S105 - the name of a deed
    TOKEN_REVOKED = "token_revoked"  # noqa: S105 - as above
    USER_ADDED = "user_added"
    USER_INVITED = "user_invited"
    INVITATION_REVOKED = "invitation_revoked"
    USER_DISABLED = "user_disabled"
    USER_ENABLED = "user_enabled"
    USER_SIGNED_OUT = "user_signed_out"
    PASSWORD_SET = "password_set"  # noqa: S105 - as above
    TWO_STEP_OFF = "two_step_off"
    ROLE_CHANGED = "role_changed"
    AUTHORITY_SET = "authority_set"
    AUTHORITY_REMOVED = "authority_removed"
    MAIL_READ = "mail_read"
    MAIL_RESENT = "mail_resent"
    EVENT_RESENT = "event_resent"
    EVENTS_RECOVERED = "events_recovered"
    WEBHOOK_PINGED = "webhook_pinged"
    WEBHOOK_FLUSHED = "webhook_flushed"
    WEBHOOK_PAUSED = "webhook_paused"
    WEBHOOK_RESUMED = "webhook_resumed"
    WEBHOOK_DISABLED = "webhook_disabled"
    WEBHOOK_ENABLED = "webhook_enabled"
    JOB_RETRIED = "job_retried"
    LEGACY_IDS_IMPORTED = "legacy_ids_imported"
    CARRIER_ADDED = "carrier_added"
    BINDER_IMPORTED = "binder_imported"
    BORDEREAU_MADE = "bordereau_made"
    BORDEREAU_SENT = "bordereau_sent"
    FILING_MARKED = "filing_marked"
    FILING_UNMARKED = "filing_unmarked"
    CALENDAR_MADE = "calendar_made"
    CALENDAR_REMOVED = "calendar_removed"


DEED_WORDS: Final[Mapping[Deed, str]] = {
    Deed.PARTNER_ADDED: "Partner added",
    Deed.CONTACT_SET: "Contact set",
    Deed.BROKER_ADDED: "Broker added",
    Deed.BROKER_REMOVED: "Broker removed",
    Deed.TOKEN_ISSUED: "Token issued",
    Deed.TOKEN_REVOKED: "Token revoked",
    Deed.USER_ADDED: "User added",
    Deed.USER_INVITED: "User invited",
    Deed.INVITATION_REVOKED: "Invitation taken back",
    Deed.USER_DISABLED: "User disabled",
    Deed.USER_ENABLED: "User enabled",
    Deed.USER_SIGNED_OUT: "User signed out everywhere",
    Deed.PASSWORD_SET: "Password set",
    Deed.TWO_STEP_OFF: "Two-step sign-in turned off",
    Deed.ROLE_CHANGED: "Role or partner changed",
    Deed.AUTHORITY_SET: "Letter of authority set",
    Deed.AUTHORITY_REMOVED: "Letter of authority taken away",
    Deed.MAIL_READ: "Mail read",
    Deed.MAIL_RESENT: "Mail sent again",
    Deed.EVENT_RESENT: "Event sent again",
    Deed.EVENTS_RECOVERED: "Failed events sent again",
    Deed.WEBHOOK_PINGED: "Ping sent",
    Deed.WEBHOOK_FLUSHED: "Waiting events sent",
    Deed.WEBHOOK_PAUSED: "Webhook paused",
    Deed.WEBHOOK_RESUMED: "Webhook resumed",
    Deed.WEBHOOK_DISABLED: "Webhook disabled",
    Deed.WEBHOOK_ENABLED: "Webhook enabled",
    Deed.JOB_RETRIED: "Jobs tried again",
    Deed.LEGACY_IDS_IMPORTED: "Old identifiers imported",
    Deed.CARRIER_ADDED: "Carrier added",
    Deed.BINDER_IMPORTED: "Binder imported",
    Deed.BORDEREAU_MADE: "Bordereau made",
    Deed.BORDEREAU_SENT: "Bordereau sent",
    Deed.FILING_MARKED: "Filing marked",
    Deed.FILING_UNMARKED: "Mark of a filing taken back",
    Deed.CALENDAR_MADE: "Calendar address made",
    Deed.CALENDAR_REMOVED: "Calendar address taken back",
}
