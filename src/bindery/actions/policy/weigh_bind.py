from collections.abc import Sequence
from dataclasses import dataclass

from bindery.domain.policy.bind_ask import BindAsk
from bindery.domain.policy.binding import BindDecision, decide_bind, withdrawn_contingencies
from bindery.domain.policy.contingencies import Contingency
from bindery.domain.quote.quote import Quote
from bindery.storage.database import Reader
from bindery.storage.documents import signed_applications
from bindery.storage.policy import policies
from bindery.storage.quote import contingencies


@dataclass(frozen=True, slots=True)
class WeighedBind:
    """What a bind leads to, and the contingencies that it withdraws."""

    decision: BindDecision
    withdrawn: Sequence[Contingency]


async def weigh_bind(tx: Reader, quote: Quote, ask: BindAsk) -> WeighedBind:
    """Decide on the bind of an open quote from what is known of it; change nothing.

    Raises:
        InvalidRequest: the ask breaks a rule.
        AlreadyBound: the company is covered in that period.
    """
    owed = await contingencies.of_quote(tx, quote.quote_id)
    withdrawn = withdrawn_contingencies(ask, owed)
    decision = decide_bind(
        quote,
        ask,
        contingencies=[contingency for contingency in owed if contingency not in withdrawn],
        paper=await signed_applications.signed_application(tx, quote.quote_id),
        cover=await policies.covered_by(tx, quote, ask.term),
        today=tx.today,
    )
    return WeighedBind(decision, withdrawn)
