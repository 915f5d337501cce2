import uuid
from collections.abc import Sequence

import msgspec

from bindery.actions.submission.submit_quotes import SubmitAsk, submit_quotes
from bindery.base.errors import InvalidRequest, Problem, WrongState
from bindery.contract.quotes import CreateQuotesRequest, CreateQuotesResponse
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.access.caller import Caller
from bindery.domain.applicant.risk import OptionAsk
from bindery.domain.business_rules import BusinessRules
from bindery.domain.quote.lifecycle import OVER
from bindery.domain.quote.quote import Quote
from bindery.domain.submission.again import asked_again, same_terms, term_again
from bindery.domain.submission.parts import parts_of
from bindery.domain.submission.reading import ReadingContext, read_submission
from bindery.storage import idempotency
from bindery.storage.access import partners
from bindery.storage.database import Database
from bindery.storage.submission import submissions


async def ask_for_option(
    database: Database,
    rules: BusinessRules,
    caller: Caller,
    submission_id: uuid.UUID,
    ask: OptionAsk,
    *,
    beside: Sequence[Quote],
    programs: Sequence[str],
) -> CreateQuotesResponse:
    """Ask for another option on the applicant and the answers of a submission, as POST `/quotes` would.

    Options that are open stay so: what they were rated on is the same. `beside` are the company's options of
    the product, none of which may have these terms.

    Raises:
        WrongState: the submission renews a policy, which is one offer.
        InvalidRequest: the request would not be taken today, or an option has these terms already.
    """
    async with database.reading() as tx:
        stored = await submissions.get(tx, submission_id)
        broker = await partners.find_broker_by_id(tx, stored.broker_id)
        first_answer = await idempotency.replay(tx, caller)
        today = tx.today
    if first_answer is not None:
        return msgspec.json.decode(first_answer, type=CreateQuotesResponse)
    if stored.renews is not None:
        said = "A renewal is one offer: no other option can be asked for with it."
        raise WrongState(said, status=beside[0].status, available_statuses=[QuoteStatus.PUBLISHED, *OVER])
    if (twin := same_terms(ask, beside)) is not None:
        # People count options from one.
        flaw = f"is that of option {twin.option_number + 1} with the same retention"
        raise InvalidRequest.because([Problem("aggregate_limit", "same_terms", flaw)])
    request = asked_again(stored.body, stored.company_id, ask, term_again(stored.submission.term, today))
    reading = read_submission(
        parts_of(msgspec.convert(request, CreateQuotesRequest)),
        ReadingContext(today=today, programs=programs),
    )
    (outcome,) = await submit_quotes(
        database,
        rules,
        [
            SubmitAsk(
                caller=caller,
                broker=broker,
                submission=reading.accepted(),
                company_id=stored.company_id,
                body=msgspec.json.encode(request).decode(),
            )
        ],
    )
    if isinstance(outcome, Exception):
        raise outcome
    return msgspec.json.decode(outcome, type=CreateQuotesResponse)
