"""What changed between two submissions of a company."""

from itertools import groupby

from starlette.responses import Response

from bindery.base.errors import NotFound
from bindery.domain.access.users import Role
from bindery.storage.submission import earlier
from bindery.web.company.book import find_company
from bindery.web.frame.render import page
from bindery.web.frame.visit import Visit
from bindery.web.shown.changes import shown_changes


async def show_changes(visit: Visit) -> Response:
    """Compare two submissions; the newest two of a product if none are named."""
    company_id = visit.path_number("company_id")
    async with visit.runtime.database.reading() as tx:
        seen = await find_company(tx, company_id, partner_id=visit.partner_id)
        groups = [next(group) for _, group in groupby(seen, lambda record: record.quote.submission_id)]
        newest = groups[0].quote
        to = visit.as_id(visit.word("to")) or newest.submission_id
        of_product = next(
            (record.quote.product for record in groups if record.quote.submission_id == to), None
        )
        alike = [record.quote.submission_id for record in groups if record.quote.product == of_product]
        following = alike[alike.index(to) + 1 :] if to in alike else []
        chosen = visit.as_id(visit.word("from")) or next(iter(following), to)
        after = await earlier.read(tx, to, company_id=company_id)
        before = await earlier.read(tx, chosen, company_id=company_id)
    if before is None or after is None:
        raise NotFound("There is no such submission of this company.")
    times = visit.times(tx.now)
    return page(
        visit,
        "company/changes.html",
        name=str(seen[0].client["name"]),
        company_id=company_id,
        changes=shown_changes(before, after, times, sees_all=visit.user.role is Role.UNDERWRITER),
        times=times,
        choices=[record.quote for record in groups],
        chosen=chosen,
        to=to,
    )
