from dataclasses import dataclass

from bindery.actions.policy.weigh_bind import weigh_bind
from bindery.actions.quote.reprice_quote import reprice_quote
from bindery.contract.binds import BindRequest
from bindery.domain.business_rules import BusinessRules
from bindery.domain.policy.bind_ask import read_bind_ask
from bindery.domain.policy.binding import BindDecision, check_bindable
from bindery.domain.quote.quote import Quote
from bindery.storage.database import Reader
from bindery.storage.submission import submissions


@dataclass(frozen=True, slots=True)
class ForeseenBind:
    """What a bind would lead to, and the quote as it would be bound, priced for the period asked for."""

    decision: BindDecision
    quote: Quote


async def foresee_bind(tx: Reader, rules: BusinessRules, quote: Quote, request: BindRequest) -> ForeseenBind:
    """Decide what a bind would lead to if it were asked for now; change nothing.

    Raises:
        WrongState: the quote is not open.
        InvalidRequest: the ask breaks a rule.
        AlreadyBound: the company is covered in that period.
    """
    stored = await submissions.get(tx, quote.submission_id)
    ask = read_bind_ask(request, contacts=None, quoted=stored.submission.term, product=quote.product)
    check_bindable(quote, tx.today, policy=None, chosen=None)
    weighed = await weigh_bind(tx, quote, ask)
    if ask.term != stored.submission.term:
        quote = await reprice_quote(tx, rules, quote, term=ask.term)
    return ForeseenBind(weighed.decision, quote)
