"""What brokers choose about their mail: at once, in the daily digest, or not at all."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from enum import StrEnum
from typing import Final
from zoneinfo import ZoneInfo

DIGEST_AT: Final = time(7)
"""The hour of the business's time zone at which yesterday's digest goes out."""


class MailSwitch(StrEnum):
    """Kinds of mail that a broker may switch off; notices that law asks for are not among them."""

    REFERRAL_APPROVED = "referral_approved"
    QUOTE_DECLINED = "quote_declined"
    CONTINGENCY = "contingency"
    FILE_READ = "file_read"
    BINDER_LAPSING = "binder_lapsing"
    QUOTE_ENDING = "quote_ending"
    RENEWAL = "renewal"
    POLICY = "policy"
    CLIENT = "client"
    QUESTION = "question"


IN_WORDS: Final[Mapping[MailSwitch, str]] = {
    MailSwitch.REFERRAL_APPROVED: "An underwriter approved an option",
    MailSwitch.QUOTE_DECLINED: "An underwriter declined an option or a bind",
    MailSwitch.CONTINGENCY: "A contingency was added or closed",
    MailSwitch.FILE_READ: "A file was read",
    MailSwitch.BINDER_LAPSING: "A binder lapses in 14, 7 or 2 days",
    MailSwitch.QUOTE_ENDING: "Quotes end in 10 or 3 days",
    MailSwitch.RENEWAL: "A renewal is offered, and its reminders",
    MailSwitch.POLICY: "A binder or a policy is issued",
    MailSwitch.QUESTION: "An underwriter asks you something, or sends a bind back",
    MailSwitch.CLIENT: "A client signed, answered or sent something back",
}


class MailChoice(StrEnum):
    AT_ONCE = "at_once"
    DIGEST = "digest"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class DigestEntry:
    """What happened, as the daily digest lists it."""

    at: datetime
    sentence: str
    link: str


def digest_covers_until(now: datetime, zone: ZoneInfo) -> datetime:
    """Return the last 7 a.m. that has come: the digest that is due holds what happened before it."""
    here = now.astimezone(zone)
    day = here.date() if here.time() >= DIGEST_AT else here.date() - timedelta(days=1)
    return datetime.combine(day, DIGEST_AT, zone)
