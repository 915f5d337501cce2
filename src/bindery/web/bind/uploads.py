"""Files for a quote from the company's page; one that cannot be taken is reported there."""

from http import HTTPStatus

from starlette.responses import Response

from bindery.base.errors import WrongState
from bindery.domain.policy.contingencies import check_takes_files
from bindery.storage.policy import policies
from bindery.web.bind.bind_file import read_sent_form
from bindery.web.company.book import find_quote
from bindery.web.company.company import company_shown
from bindery.web.company.unfit_file import in_sentences
from bindery.web.frame.visit import Visit


async def send_upload(visit: Visit) -> Response:
    async with visit.runtime.database.reading() as tx:
        quote = await find_quote(tx, visit.path_id("quote_id"), partner_id=visit.partner_id)
        was_bound = await policies.find(tx, quote.quote_id) is not None
    try:
        check_takes_files(quote.status, was_bound=was_bound)
    except WrongState as fault:
        return await company_shown(
            visit, quote.company_id, problems=(fault.message,), status=HTTPStatus.CONFLICT
        )
    sent = await read_sent_form(visit, quote)
    if sent.problems:
        sentences = in_sentences(sent.problems)
        return await company_shown(visit, quote.company_id, problems=sentences, status=sent.status)
    return await visit.done(f"/quote/{quote.quote_id}", sent.said)
