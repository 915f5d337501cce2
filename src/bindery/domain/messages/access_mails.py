"""Mails to a user of the platform about the way in: a link to set a password, and what was changed."""

import uuid
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from bindery.domain.access.users import User
from bindery.domain.business_rules import long_date
from bindery.domain.messages.mails import Link, Mail, MailMessage, in_one_line

ADDRESS_PLACE: Final = "(an address that only the recipient sees)"
"""Stands for the address in a mail that is kept; it is put in when the mail is sent."""
CODE_PLACE: Final = "(a code that only the recipient sees)"
NOT_YOU: Final = (
    "If it was not you, set a new password at once (“Forgot the password?” on the sign-in page), and tell us."
)
NOT_ASKED: Final = "If you did not ask for that, tell us at once."


def owner_of_address(mail_id: uuid.UUID) -> str:
    """Return the name that the address in a mail is sealed with."""
    return f"mail {mail_id}"


def with_secret(text: str, secret: str) -> str:
    """Put the address or the code of a mail in its place."""
    return text.replace(ADDRESS_PLACE, secret).replace(CODE_PLACE, secret)


def password_link_mail(user: User, *, expires_at: datetime, zone: ZoneInfo) -> Mail:
    return Mail(
        kind="password_link",
        recipients=(user.email,),
        subject="Set a new password",
        message=MailMessage(
            heading="Set a new password",
            greeting=_greeting(user),
            sentences=(
                f"Somebody asked for a new password for {user.email}.",
                "If it was you, follow the link. It works once.",
                "If it was not you, ignore this mail: your password stays as it is.",
            ),
            rows=(("Works until", clock_words(expires_at, zone)),),
            link=Link("Set a new password", ADDRESS_PLACE),
        ),
    )


def invitation_mail(user: User, *, by: str, expires_at: datetime, zone: ZoneInfo) -> Mail:
    return Mail(
        kind="invitation",
        recipients=(user.email,),
        subject="Your account is ready",
        message=MailMessage(
            heading="Your account is ready",
            greeting=_greeting(user),
            sentences=(
                f"{in_one_line(by)} has added you as {user.email}.",
                "Follow the link and choose a password: nobody but you knows it. The link works once.",
                "If you do not know why, ignore this mail.",
            ),
            rows=(("Works until", clock_words(expires_at, zone)),),
            link=Link("Choose a password", ADDRESS_PLACE),
        ),
    )


def password_changed_mail(
    user: User, *, at: datetime, zone: ZoneInfo, by_operator: bool, sign_in: str
) -> Mail:
    who = "An operator changed the password" if by_operator else "The password was changed"
    return _notice(
        user,
        kind="password_changed",
        heading="Your password was changed",
        sentence=f"{who} of {user.email}. You are signed out in every browser, and links to set a password "
        "that were mailed before no longer work.",
        otherwise=NOT_ASKED if by_operator else NOT_YOU,
        at=at,
        zone=zone,
        link=Link("Sign in", sign_in),
    )


def two_step_on_mail(user: User, *, at: datetime, zone: ZoneInfo, account: str) -> Mail:
    return _notice(
        user,
        kind="two_step_on",
        heading="Two-step sign-in is on",
        sentence=f"From now on, signing in as {user.email} takes a code of your authenticator app after the "
        "password. Keep your recovery codes where you find them without your phone.",
        otherwise=NOT_YOU,
        at=at,
        zone=zone,
        link=Link("Open your account", account),
    )


def two_step_off_mail(user: User, *, at: datetime, zone: ZoneInfo, by_operator: bool, account: str) -> Mail:
    who = "An operator turned off two-step sign-in" if by_operator else "Two-step sign-in was turned off"
    again = " Turn it on again once you have your new phone." if by_operator else ""
    return _notice(
        user,
        kind="two_step_off",
        heading="Two-step sign-in is off",
        sentence=f"{who} for {user.email}: the password alone signs in.{again}",
        otherwise=NOT_ASKED if by_operator else NOT_YOU,
        at=at,
        zone=zone,
        link=Link("Open your account", account),
    )


def _notice(
    user: User,
    *,
    kind: str,
    heading: str,
    sentence: str,
    otherwise: str,
    at: datetime,
    zone: ZoneInfo,
    link: Link,
) -> Mail:
    return Mail(
        kind=kind,
        recipients=(user.email,),
        subject=heading,
        message=MailMessage(
            heading=heading,
            greeting=_greeting(user),
            sentences=(sentence, otherwise),
            rows=(("When", clock_words(at, zone)),),
            link=link,
        ),
    )


def _greeting(user: User) -> str:
    return f"Dear {in_one_line(user.name)}," if user.name else "Hello,"


def clock_words(moment: datetime, zone: ZoneInfo) -> str:
    here = moment.astimezone(zone)
    half = "a.m." if here.hour < 12 else "p.m."  # noqa: PLR2004 - noon
    return f"{long_date(here)}, {here.hour % 12 or 12}:{here:%M} {half} {here.tzname()}"
