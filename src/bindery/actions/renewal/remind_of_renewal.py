import uuid

from bindery.actions.documents.write_mails import write_offer_mail
from bindery.actions.quote.advance_quote import lock_quote
from bindery.domain.business_rules import BusinessRules
from bindery.domain.policy.renewal import is_reminder_due, reminders_due
from bindery.domain.quote.lifecycle import BINDABLE
from bindery.storage.database import Database
from bindery.storage.policy import policies


async def remind_of_renewal(database: Database, rules: BusinessRules, quote_id: uuid.UUID) -> None:
    """Remind the broker of an open renewal offer, once 30 and once 10 days before it binds."""
    async with database.transaction() as tx:
        await lock_quote(tx, quote_id)
        policy = await policies.find(tx, quote_id)
        if policy is None or not is_reminder_due(policy, tx.today):
            return
        assert policy.renewal_quote_id is not None, "what is reminded of was offered"
        due = reminders_due(policy.term.expiration, tx.today)
        await policies.record_renewal(tx, quote_id, reminders_sent=due)
        renewal = await lock_quote(tx, policy.renewal_quote_id)
        if renewal.status in BINDABLE and tx.today < policy.term.expiration:
            await write_offer_mail(tx, rules, renewal, policy, reminder=due)
