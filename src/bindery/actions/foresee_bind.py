from bindery.base.errors import AlreadyBound
from bindery.contract.binds import BindRequest
from bindery.domain.policy.bind_ask import read_bind_ask
from bindery.domain.policy.binding import BindDecision, check_bindable, decide_bind, withdrawn_contingencies
from bindery.domain.practice import Practice
from bindery.domain.quote.quote import Quote
from bindery.storage import contingencies, papers, policies, submissions
from bindery.storage.database import Reader


async def foresee_bind(tx: Reader, practice: Practice, quote: Quote, request: BindRequest) -> BindDecision:
    """Decide what a bind would lead to if it were asked for now; change nothing.

    Raises:
        WrongState: the quote is not open.
        InvalidRequest: the ask breaks a rule.
        AlreadyBound: the company is covered in that period.
    """
    stored = await submissions.get(tx, quote.submission_id)
    ask = read_bind_ask(request, contacts=None, quoted=stored.submission.term, product=quote.product)
    today = practice.day_of(tx.now)
    check_bindable(quote, today, policy=None, chosen=None)
    owed = await contingencies.of_quote(tx, quote.quote_id)
    withdrawn = withdrawn_contingencies(ask, owed)
    decision = decide_bind(
        quote,
        ask,
        contingencies=[one for one in owed if one not in withdrawn],
        paper=await papers.signed_application(tx, quote.quote_id),
        today=today,
    )
    cover = await policies.covered_by(tx, quote, ask.term)
    if cover is not None:
        raise AlreadyBound(cover)
    return decision
