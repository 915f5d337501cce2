from typing import Final

from bindery.actions.documents.write_mails import write_mails
from bindery.domain.business_rules import BusinessRules
from bindery.domain.messages.desk_mails import digest_mail
from bindery.domain.messages.mail_choices import digest_covers_until
from bindery.storage.database import Database
from bindery.storage.documents import mails

BATCH: Final = 1_000


async def send_digests(database: Database, rules: BusinessRules) -> int:
    """Write the digests that are due, one for each broker with something in it; return how many.

    What waits is taken into a mail in the transaction that writes it, so that no entry is lost or told twice,
    whoever runs this and however late.
    """
    async with database.reading() as tx:
        until = digest_covers_until(tx.now, rules.zone)
        waiting = await mails.users_with_digest(tx, before=until, limit=BATCH)
    written = 0
    for user in waiting:
        async with database.transaction() as tx:
            entries = await mails.take_for_digest(tx, user.user_id, before=until)
            if entries:
                mail = digest_mail(user.email, user.name, entries, account=f"{rules.platform_url}/account")
                await write_mails(tx, None, [mail])
                written += 1
    return written
