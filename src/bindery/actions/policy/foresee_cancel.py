import uuid
from dataclasses import dataclass
from datetime import date

from bindery.domain.policy.ending import Cancellation, decide_cancel
from bindery.domain.policy.policy import Policy
from bindery.domain.quote.quote import Quote
from bindery.storage.database import Reader
from bindery.storage.policy import policies
from bindery.storage.quote import quotes


@dataclass(frozen=True, slots=True)
class ForeseenCancellation:
    """What canceling a policy would lead to."""

    quote: Quote
    policy: Policy
    cancellation: Cancellation


async def foresee_cancel(tx: Reader, quote_id: uuid.UUID, *, on: date | None) -> ForeseenCancellation | None:
    """Work out what canceling a policy as of a day would lead to; None where there is no policy.

    Raises:
        WrongState: there is no active policy.
        InvalidRequest: the day is outside the policy's term.
    """
    policy = await policies.find(tx, quote_id)
    if policy is None:
        return None
    quote = await quotes.get(tx, quote_id)
    return ForeseenCancellation(quote, policy, decide_cancel(quote, policy, on=on, today=tx.today))
