"""The companies list as a production report: a line for each policy, and one for a company without any."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import partial
from typing import Final

from starlette.responses import Response

from bindery.contract.vocabulary import QuoteStatus
from bindery.storage.database import Reader
from bindery.storage.list_pages import Cursor, ListPage
from bindery.storage.lists import company_book, company_lines, company_list, production
from bindery.storage.lists.company_lines import CompanyLine
from bindery.storage.lists.company_list import CompanyFilter
from bindery.storage.lists.production import ProducedPolicy
from bindery.web.company.companies import Whose, filter_of, whose_of
from bindery.web.company.companies_shown import status_of
from bindery.web.frame.spreadsheets import Cells, long_spreadsheet
from bindery.web.frame.visit import Visit
from bindery.web.shown.words import STATUS_WORDS, Times, day, product_name

HEADS: Final = (
    *("Company", "Name", "DBA", "Policy number", "Product", "Status", "Effective", "Expiration", "Premium"),
    *("Taxes and fees", "Total", "Broker", "Secondary broker", "Bound on"),
)


async def send_csv(visit: Visit) -> Response:
    """Send what the list shows with its filters, the newest company first.

    What is not bound has no premium here, so that the columns add up to what was produced.
    """
    database = visit.runtime.database
    asked, times = filter_of(visit), visit.times(await database.now())
    if whose_of(visit) is Whose.TEAM:
        asked = await database.read(lambda tx: company_book.with_team(tx, asked))
    return await long_spreadsheet(
        database,
        "companies",
        (*HEADS, f"Submitted ({times.zone_name})"),
        partial(part_of_report, asked=asked, times=times),
    )


async def part_of_report(
    tx: Reader, *, asked: CompanyFilter, times: Times, after: Cursor | None, together: int
) -> ListPage[Cells]:
    found = await company_list.list_companies(tx, asked, cursor=after, limit=together, most_named=None)
    company_ids = [int(row.company_id) for row in found.rows]
    lines = {line.company_id: line for line in await company_lines.lines_of(tx, company_ids)}
    bound: dict[int, list[ProducedPolicy]] = {}
    for policy in await production.policies_of(tx, company_ids):
        bound.setdefault(policy.company_id, []).append(policy)
    without = [company_id for company_id in company_ids if company_id not in bound]
    dbas = await production.trade_names_of(tx, without)
    return ListPage([*rows_of(company_ids, lines, bound, dbas, times)], next=found.next)


def rows_of(
    company_ids: Sequence[int],
    lines: Mapping[int, CompanyLine],
    bound: Mapping[int, Sequence[ProducedPolicy]],
    dbas: Mapping[int, str],
    times: Times,
) -> Iterator[list[str]]:
    for company_id in company_ids:
        line = lines[company_id]
        submitted = line.created_at.astimezone(times.zone).date().isoformat()
        for policy in bound.get(company_id, ()):
            yield [*_bound(policy, times.today), submitted]
        if company_id not in bound:
            yield [*_unbound(line, dbas.get(company_id, ""), times.today), submitted]


def _bound(policy: ProducedPolicy, today: date) -> tuple[str, ...]:
    return (
        *(
            str(policy.company_id),
            policy.name,
            policy.dba,
            policy.policy_number,
            product_name(policy.product),
        ),
        *(_status(policy, today), policy.effective.isoformat(), policy.expiration.isoformat()),
        *(f"{policy.premium}", f"{policy.total - policy.premium:.2f}", f"{policy.total:.2f}"),
        *(policy.broker, policy.secondary_broker, policy.bound_on.isoformat() if policy.bound_on else ""),
    )


def _unbound(line: CompanyLine, dba: str, today: date) -> tuple[str, ...]:
    product = ", ".join(map(product_name, sorted(line.products)))
    return (
        *(str(line.company_id), line.name, dba, "", product, status_of(line, today)),
        *(line.effective.isoformat(), line.expiration.isoformat(), "", "", ""),
        *(line.broker, line.secondary_broker or "", ""),
    )


def _status(policy: ProducedPolicy, today: date) -> str:
    match policy.status:
        case QuoteStatus.POLICY_ACTIVE if policy.issued_on is None:
            return f"Binder, due {day(policy.fulfil_by)}"
        case QuoteStatus.POLICY_ACTIVE:
            return f"Starts {day(policy.effective)}" if policy.effective > today else "In force"
        case QuoteStatus.POLICY_CANCELED:
            return f"Canceled as of {day(policy.ended_on)}"
        case QuoteStatus.QUOTE_EXPIRED:
            return "Lapsed"
        case status:
            return STATUS_WORDS[status].text
