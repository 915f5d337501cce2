from bindery.actions.weigh_bind import weigh_bind
from bindery.contract.binds import BindRequest
from bindery.domain.policy.bind_ask import read_bind_ask
from bindery.domain.policy.binding import BindDecision, check_bindable
from bindery.domain.quote.quote import Quote
from bindery.storage import submissions
from bindery.storage.database import Reader


async def foresee_bind(tx: Reader, quote: Quote, request: BindRequest) -> BindDecision:
    """Decide what a bind would lead to if it were asked for now; change nothing.

    Raises:
        WrongState: the quote is not open.
        InvalidRequest: the ask breaks a rule.
        AlreadyBound: the company is covered in that period.
    """
    stored = await submissions.get(tx, quote.submission_id)
    ask = read_bind_ask(request, contacts=None, quoted=stored.submission.term, product=quote.product)
    check_bindable(quote, tx.today, policy=None, chosen=None)
    return (await weigh_bind(tx, quote, ask)).decision
