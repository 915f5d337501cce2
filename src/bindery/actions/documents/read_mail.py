import uuid

from bindery.base.errors import NotFound
from bindery.domain.access.deeds import Deed, Doer
from bindery.domain.messages.mails import kind_in_words
from bindery.storage.database import Database
from bindery.storage.documents import mails
from bindery.storage.documents.mails import ListedMail
from bindery.storage.operations import deeds


async def read_mail(database: Database, mail_id: uuid.UUID, *, by: Doer) -> tuple[ListedMail, str]:
    """Return a mail with its text, which holds an applicant's data, and note who has read it."""
    async with database.transaction() as tx:
        found = await mails.find(tx, mail_id)
        if found is None:
            raise NotFound("There is no such mail.")
        mail, _ = found
        details = f"{kind_in_words(mail.kind)} to {', '.join(mail.recipients)}"
        await deeds.append(tx, by, Deed.MAIL_READ, str(mail_id), details=details, quote_id=mail.quote_id)
    return found
