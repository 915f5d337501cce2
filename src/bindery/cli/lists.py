"""`bindery list`: the quotes, policies and companies of a partner."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, Final, TypeVar

import typer
from rich.table import Table
from rich.text import Text

from bindery.base.numbers import in_dollars
from bindery.cli import common
from bindery.cli.connection import Service, service_command
from bindery.cli.quote_shown import NONE, limit_text, status_text
from bindery.client import AsyncBindery
from bindery.client.calls import Filters
from bindery.contract.lists import ListedPolicy, ListedQuote
from bindery.contract.vocabulary import InsuranceProduct, QuoteStatus

T = TypeVar("T")
MOST_ON_A_PAGE: Final = 100


class Listed(StrEnum):
    QUOTES = "quotes"
    POLICIES = "policies"
    COMPANIES = "companies"


@service_command
async def list_(
    service: Service,
    what: Annotated[
        Listed, typer.Argument(metavar="[quotes|policies|companies]", help="What to list.")
    ] = Listed.QUOTES,
    *,
    status: Annotated[
        list[QuoteStatus] | None, common.optional("Only this status; may be given again.", metavar="STATUS")
    ] = None,
    product: Annotated[InsuranceProduct | None, common.optional("Only this product.")] = None,
    company: Annotated[str | None, common.optional("Only this company.", metavar="ID")] = None,
    broker: Annotated[str | None, common.optional("Only this broker of record.", metavar="EMAIL")] = None,
    search: Annotated[str | None, common.optional("Words of the applicant's name.", metavar="WORDS")] = None,
    metadata: Annotated[
        list[str] | None, common.optional("Only with this metadata; may be given again.", metavar="KEY=VALUE")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=100_000, metavar="ROWS", help="At most this many.")] = 20,
) -> None:
    """List quotes, policies or companies, the newest first.

    Rows that are piped are not cut: look at them with less -S.

    Example: bindery list policies --status policy_active --search harbor --limit 50
    """
    if company and what is Listed.COMPANIES:
        common.refuse(
            f"--company goes with quotes and policies; `bindery list --company {company}` lists its quotes."
        )
    given = {
        "quote_status": list(status or ()),
        "insurance_product": product,
        "company_id": company,
        "broker_email": broker,
        "q": search,
        **{
            f"metadata.{key}": value
            for key, value in common.pairs_of("--metadata", "KEY=VALUE", metadata or ())
        },
    }
    filters: Filters = {name: value for name, value in given.items() if value}
    shape = SHAPES[what]
    async with service.client() as bindery:
        found = await _first(
            shape.rows(bindery, {**filters, "limit": min(limit + 1, MOST_ON_A_PAGE)}), limit + 1
        )
    rows, is_more = found[:limit], len(found) > limit
    if service.as_json:
        common.print_json(rows)
        return
    if rows:
        common.console.print(shape.table(rows, common.console.width))
        common.say("")
    more = "; there are more: raise --limit to see them" if is_more else ""
    common.say(f"{len(rows):,} {shape.noun if len(rows) == 1 else what}{more}.")


async def _first(rows: AsyncIterator[T], most: int) -> list[T]:
    found: list[T] = []
    async for row in rows:
        found.append(row)
        if len(found) == most:
            break
    return found


@dataclass(frozen=True, slots=True)
class ListShape:
    """How to request and show the rows of a list.

    `narrow` names the columns that are left out on a terminal with fewer characters.
    """

    noun: str
    rows: Callable[[AsyncBindery, Filters], AsyncIterator[Any]]
    columns: Mapping[str, Callable[[Any], str | Text]]
    narrow: Mapping[str, int]

    def table(self, rows: Sequence[Any], width: int) -> Table:
        cells = [[cell(row) for cell in self.columns.values()] for row in rows]
        table = common.fitting_table(
            [*self.columns], cells, width=width, narrow=self.narrow, right=("LIMIT", "TOTAL")
        )
        common.one_line_each(table, giving_way="NAME", width=width)
        return table


def _total(row: ListedQuote | ListedPolicy) -> str:
    # The JSON edge gave a double; its shortest text is the amount that the service wrote.
    return NONE if row.total is None else in_dollars(Decimal(str(row.total)))


def _limit(row: ListedQuote) -> str:
    return limit_text(row.aggregate_limit, row.per_claim_limit).rpartition(", ")[2]


def _until(row: ListedPolicy) -> str:
    return f"fulfill by {row.fulfil_by}" if row.conditional and row.fulfil_by else row.renewal_type


SHAPES: Final[Mapping[Listed, ListShape]] = {
    Listed.QUOTES: ListShape(
        "quote",
        AsyncBindery.quotes,
        {
            "QUOTE": lambda row: row.quote_identifier,
            "NAME": lambda row: row.name,
            "PRODUCT": lambda row: row.insurance_product,
            "LIMIT": _limit,
            "TOTAL": _total,
            "STATUS": lambda row: status_text(row.quote_status),
            "CREATED": lambda row: f"{row.created_at:%Y-%m-%d}",
        },
        {"PRODUCT": 90, "TOTAL": 100, "LIMIT": 115, "CREATED": 130},
    ),
    Listed.POLICIES: ListShape(
        "policy",
        AsyncBindery.policies,
        {
            "POLICY": lambda row: row.policy_number,
            "NAME": lambda row: row.name,
            "QUOTE": lambda row: row.quote_identifier,
            "TOTAL": _total,
            "TERM": lambda row: f"{row.dates.effective} to {row.dates.expiration}",
            "RENEWAL": _until,
            "STATUS": lambda row: status_text(row.quote_status),
        },
        {"QUOTE": 145, "TOTAL": 90, "RENEWAL": 110},
    ),
    Listed.COMPANIES: ListShape(
        "company",
        AsyncBindery.companies,
        {
            "COMPANY": lambda row: row.company_id,
            "NAME": lambda row: row.name,
            "PRODUCTS": lambda row: ", ".join(row.insurance_products),
            "BROKER": lambda row: row.broker_email,
            "STATUSES": lambda row: ", ".join(row.quote_statuses),
            "SINCE": lambda row: f"{row.created_at:%Y-%m-%d}",
        },
        {"BROKER": 120, "SINCE": 100},
    ),
}
