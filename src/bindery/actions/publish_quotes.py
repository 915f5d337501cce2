import uuid

from bindery.actions.open_offer import last_day_of_offer, open_offer
from bindery.actions.render_documents import keep_documents, make_documents, read_facts
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.document_access import AT_PUBLICATION
from bindery.runtime import Runtime
from bindery.storage import companies, submissions


async def publish_quotes(runtime: Runtime, submission_id: uuid.UUID) -> None:
    """Make the documents of a submission's approved options, then open them.

    A crash before the last step repeats the making. An option that is no longer approved by then is left as
    it is, and one approved meanwhile to whoever approved it.
    """
    async with runtime.database.reading() as tx:
        approved = await submissions.options_with(tx, submission_id, QuoteStatus.ELIGIBLE)
        stored = await submissions.find(tx, submission_id)
        if stored is None or not approved:
            return
        # The letter names the last day, so the day on which it is written decides, also past midnight.
        last_day = await last_day_of_offer(runtime, tx, approved[0])
        facts = {
            quote.quote_id: await read_facts(runtime, tx, quote, stored, valid_until=last_day)
            for quote in approved
        }
    made = await make_documents(runtime, facts, AT_PUBLICATION)
    async with runtime.database.transaction() as tx:
        if stored.renews is not None:
            # An offered renewal is shown by the policy that it renews: both rows are written, and whoever
            # holds both has taken the company first.
            await companies.lock(tx, stored.company_id)
        for quote in await submissions.lock_options(tx, submission_id, [QuoteStatus.ELIGIBLE]):
            if quote.quote_id in made:
                opened = await open_offer(runtime, tx, quote, last_day=last_day)
                await keep_documents(tx, opened, made[quote.quote_id])
