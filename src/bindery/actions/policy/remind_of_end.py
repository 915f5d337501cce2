"""Reminding of what is about to end: open quotes, and conditional binders."""

import uuid

from bindery.actions.documents.write_mails import gather_mail_facts, write_mails
from bindery.actions.quote.advance_quote import lock_policy, lock_quote
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.business_rules import BusinessRules
from bindery.domain.messages.desk_mails import ending_mail, is_quote_reminder_due, quote_reminders_due
from bindery.domain.messages.notice_mails import is_lapse_reminder_due, lapse_reminders_due, lapsing_mails
from bindery.storage.database import Database
from bindery.storage.documents import uploads
from bindery.storage.policy import policies
from bindery.storage.quote import quotes
from bindery.storage.submission import submissions


async def remind_of_end(database: Database, rules: BusinessRules, quote_id: uuid.UUID) -> None:
    """Remind the brokers of open options, 10 and 3 days before they end: once for all of a submission.

    After an outage the reminder that is due now stands for those that should have gone out before it.
    """
    async with database.transaction() as tx:
        quote = await lock_quote(tx, quote_id)
        if not is_quote_reminder_due(quote, tx.today) or quote.expires_on is None:
            return
        key = quote.submission_id
        options = (await submissions.lock_options(tx, [key], [QuoteStatus.PUBLISHED]))[key]
        together = sorted(
            (option for option in options if option.expires_on == quote.expires_on),
            key=lambda option: option.option_number,
        )
        due = quote_reminders_due(quote.expires_on, tx.today)
        await quotes.mark_reminded(tx, [option.quote_id for option in together], due)
        mail = ending_mail(await gather_mail_facts(tx, rules, together[0]), together, today=tx.today)
        if mail is not None:
            await write_mails(tx, together[0].quote_id, [mail])


async def remind_of_lapse(database: Database, rules: BusinessRules, quote_id: uuid.UUID) -> None:
    """Remind brokers and insured of a conditional binder, 14, 7 and 2 days before it lapses."""
    async with database.transaction() as tx:
        quote, policy = await lock_policy(tx, quote_id)
        if not is_lapse_reminder_due(policy, tx.today) or policy.fulfil_by is None:
            return
        due = lapse_reminders_due(policy.fulfil_by, tx.today)
        await policies.record_lapse_reminders(tx, quote_id, due)
        facts = await gather_mail_facts(tx, rules, quote, policy)
        received = await uploads.contingencies_with_files(tx, quote_id)
        await write_mails(tx, quote_id, lapsing_mails(facts, received=received, today=tx.today))
