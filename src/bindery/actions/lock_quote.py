import uuid

from bindery.base.errors import NotFound, WrongState
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.policy.policy import Policy
from bindery.domain.quote.quote import Quote
from bindery.storage import companies, policies, quotes
from bindery.storage.database import Tx


async def lock_quote(tx: Tx, quote_id: uuid.UUID) -> Quote:
    """Hold a quote's company and then the quote: the order in which everybody takes them.

    Raises:
        NotFound: there is no such quote.
    """
    company_id = await quotes.company_of(tx, quote_id)
    if company_id is None:
        raise NotFound("There is no such quote.")
    await companies.lock(tx, company_id)
    return await quotes.lock(tx, quote_id)


async def lock_policy(tx: Tx, quote_id: uuid.UUID) -> tuple[Quote, Policy]:
    """Hold a quote that was bound, and return it with its policy.

    Raises:
        NotFound: there is no such quote.
        WrongState: it was never bound.
    """
    quote = await lock_quote(tx, quote_id)
    policy = await policies.find(tx, quote_id)
    if policy is None:
        raise WrongState(
            f"A quote that is {quote.status} has no policy.",
            status=quote.status,
            available_statuses=[QuoteStatus.POLICY_ACTIVE],
        )
    return quote, policy
