from typing import Final

from bindery.actions.access.sign_in import hash_of
from bindery.actions.documents.write_mails import write_mails
from bindery.base.errors import InvalidRequest
from bindery.domain.access.users import LinkVoid, User, problems_of_password
from bindery.domain.business_rules import BusinessRules
from bindery.domain.messages.access_mails import password_changed_mail
from bindery.runtime import Runtime
from bindery.storage.access import password_links, sign_in_attempts, users
from bindery.storage.database import Database, Tx

VOID: Final = "The link was used already, has expired, was taken back, or was not copied whole."


async def find_user_of_link(database: Database, token: str) -> User:
    """Return whose password a link sets; looking at it does not use it up.

    Raises:
        LinkVoid: it was used, has expired, or never was one.
    """
    async with database.reading() as tx:
        user = await password_links.find_user(tx, hash_of(token))
    if user is None:
        raise LinkVoid(VOID)
    return user


async def set_new_password(runtime: Runtime, token: str, password: str) -> User:
    """Set a password with a mailed link, which works once; end every sign-in and every other link.

    Raises:
        LinkVoid: it was used, has expired, or never was one.
        InvalidRequest: the password is refused; the link still works.
    """
    user = await find_user_of_link(runtime.database, token)
    if problems := [*problems_of_password(password, email=user.email)]:
        raise InvalidRequest.because(problems)
    password_hash = await runtime.passwords.hash(password)
    async with runtime.database.transaction() as tx:
        is_invitation = await password_links.use(tx, hash_of(token))
        if is_invitation is None:
            raise LinkVoid(VOID)
        if is_invitation:
            # The first one: there is nothing that a mail would say was changed.
            await users.set_password(tx, user.user_id, password_hash)
        else:
            await replace_password(tx, runtime.rules, user, password_hash, by_operator=False)
    return user


async def replace_password(
    tx: Tx, rules: BusinessRules, user: User, password_hash: str, *, by_operator: bool
) -> None:
    """Set a password, end every sign-in and every link, and tell the owner."""
    await users.set_password(tx, user.user_id, password_hash)
    # Whoever has tried the old one too often signs in with the new one at once.
    await sign_in_attempts.forgive(tx, user.email)
    sign_in = f"{rules.platform_url}/sign-in"
    mail = password_changed_mail(
        user, at=tx.real_now, zone=rules.zone, by_operator=by_operator, sign_in=sign_in
    )
    await write_mails(tx, None, [mail])
