import uuid

from bindery.actions.open_offer import open_offer
from bindery.contract.vocabulary import QuoteStatus
from bindery.runtime import Runtime
from bindery.storage import submissions


async def publish_quotes(runtime: Runtime, submission_id: uuid.UUID) -> None:
    """Open the options of a submission that are approved."""
    async with runtime.database.transaction() as tx:
        for quote in await submissions.lock_options(tx, submission_id, [QuoteStatus.ELIGIBLE]):
            await open_offer(runtime, tx, quote)
