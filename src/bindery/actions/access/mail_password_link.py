import asyncio
import secrets
from typing import Final

import structlog

from bindery.actions.access.sign_in import TOKEN_BYTES, Browser, hash_of
from bindery.documents.mail_body import mail_body
from bindery.domain.access.users import FAILURES_COUNT_FOR, TooManyFailures
from bindery.domain.messages.access_mails import owner_of_address, password_link_mail
from bindery.runtime import Runtime
from bindery.storage.access import password_links, sign_in_attempts, users
from bindery.storage.access.sign_in_attempts import SignInAttempt, Tried
from bindery.storage.documents import mails

ANSWERED_AFTER_S: Final = 0.4
"""Longer than all of it takes: how long the answer takes does not say whether an account exists."""

log = structlog.get_logger()


async def mail_password_link(runtime: Runtime, *, email: str, browser: Browser) -> None:
    """Mail a link to set a new password to a user who may sign in; nobody sees whether there is one.

    Raises:
        TooManyFailures: too many links were asked for, for this address of mail or from this address.
    """
    attempt = SignInAttempt(email.strip().lower(), browser.address, runtime.clock.real_now(), Tried.LINK)
    answered_at = asyncio.get_running_loop().time() + ANSWERED_AFTER_S
    async with runtime.database.transaction() as tx:
        may_ask = await sign_in_attempts.spend(tx, attempt)
        await sign_in_attempts.forget_old(tx, at=attempt.at)
        found = await users.find_by_email(tx, attempt.email) if may_ask else None
        if found is not None:
            user, token = found[0], secrets.token_urlsafe(TOKEN_BYTES)
            expires_at = await password_links.add(tx, user.user_id, hash_of(token))
            mail = password_link_mail(user, expires_at=expires_at, zone=runtime.rules.zone)
            body = mail_body(mail, on=tx.today)
            mail_id = await mails.write(tx, None, mail, body=body.text, html=body.html)
            assert mail_id is not None, "only of a quote there is one of a kind"
            address = f"{runtime.rules.platform_url}/new-password/{token}"
            sealed = runtime.sealer.seal(address.encode(), owner=owner_of_address(mail_id))
            await mails.keep_sealed_link(tx, mail_id, sealed)
    await asyncio.sleep(answered_at - asyncio.get_running_loop().time())
    if not may_ask:
        minutes = int(FAILURES_COUNT_FOR.total_seconds()) // 60
        raise TooManyFailures(f"Too many links were asked for. Try again in {minutes} minutes.")
    log.info("password_link_asked_for", address=browser.address)
