"""Invitations: a link with which a new user sets the password, that nobody else ever types or sees."""

import secrets
from dataclasses import dataclass
from datetime import datetime

from bindery.actions.access.sign_in import TOKEN_BYTES, hash_of
from bindery.base.errors import InvalidRequest, NotFound
from bindery.documents.mail_body import mail_body
from bindery.domain.access.deeds import Deed, Doer
from bindery.domain.access.users import INVITATION_LASTS, User
from bindery.domain.business_rules import BusinessRules
from bindery.domain.messages.access_mails import invitation_mail, owner_of_address
from bindery.outside.sealing import Sealer
from bindery.runtime import Runtime
from bindery.settings import Settings
from bindery.storage.access import password_links, users
from bindery.storage.database import Database, Reader, Tx
from bindery.storage.documents import mails
from bindery.storage.jobs import queue
from bindery.storage.operations import deeds


@dataclass(frozen=True, slots=True)
class Invitation:
    """An invitation that was made; `address` is the link where no mail took it, and empty otherwise."""

    email: str
    expires_at: datetime
    address: str


@dataclass(frozen=True, slots=True)
class InvitationPost:
    """What an invitation is written and sealed with."""

    rules: BusinessRules
    settings: Settings
    sealer: Sealer


def post_of(runtime: Runtime) -> InvitationPost:
    return InvitationPost(runtime.rules, runtime.settings, runtime.sealer)


async def sends_mail(tx: Reader, settings: Settings) -> bool:
    """Whether mail goes out: by what the workers say, and by this process's settings while none runs."""
    worker_sends = await queue.has_worker_with_mail(tx)
    return bool(settings.smtp_url) if worker_sends is None else worker_sends


async def invite_user(runtime: Runtime, user_id: int, *, by: Doer) -> Invitation:
    """Invite a user who has no password yet, once more if need be: earlier links work no more.

    Raises:
        InvalidRequest: the user is disabled, or has a password.
    """
    post = post_of(runtime)
    async with runtime.database.transaction() as tx:
        user = await users.find(tx, user_id)
        if user is None:
            raise NotFound("There is no such user.")
        record = await users.find_record(tx, user_id)
        assert record is not None, "just found"
        if record.disabled_at is not None:
            raise InvalidRequest(f"{user.email} is disabled; enable the account first.")
        if record.has_password:
            raise InvalidRequest(f"{user.email} has a password already.")
        return await invite(tx, post, user, by=by)


async def invite(tx: Tx, post: InvitationPost, user: User, *, by: Doer) -> Invitation:
    """Invite a user who was just added or who has no password."""
    await password_links.remove_all(tx, user.user_id)
    token = secrets.token_urlsafe(TOKEN_BYTES)
    expires_at = await password_links.add(
        tx, user.user_id, hash_of(token), lasts=INVITATION_LASTS, is_invitation=True
    )
    address = f"{post.rules.platform_url}/new-password/{token}"
    is_mailed = await sends_mail(tx, post.settings)
    if is_mailed:
        mail = invitation_mail(user, by=by.name, expires_at=expires_at, zone=post.rules.zone)
        body = mail_body(mail, on=tx.today)
        mail_id = await mails.write(tx, None, mail, body=body.text, html=body.html)
        assert mail_id is not None, "only of a quote there is one of a kind"
        sealed = post.sealer.seal(address.encode(), owner=owner_of_address(mail_id))
        await mails.keep_sealed_link(tx, mail_id, sealed)
    await deeds.append(
        tx,
        by,
        Deed.USER_INVITED,
        user.email,
        details="by mail" if is_mailed else "the link was shown",
        partner_id=user.partner_id,
        user_id=user.user_id,
    )
    return Invitation(user.email, expires_at, "" if is_mailed else address)


async def take_back_invitation(database: Database, user_id: int, *, by: Doer) -> bool:
    """Void a user's invitation; return whether there was one that still worked."""
    async with database.transaction() as tx:
        user = await users.find(tx, user_id)
        if user is None:
            raise NotFound("There is no such user.")
        is_new = await password_links.remove_invitations(tx, user_id)
        if is_new:
            await deeds.append(
                tx, by, Deed.INVITATION_REVOKED, user.email, partner_id=user.partner_id, user_id=user_id
            )
    return is_new
