"""`bindery list`: the quotes, policies and companies of a partner."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, Final, TypeVar

import typer
from rich.table import Table
from rich.text import Text

from bindery.base.money import in_dollars
from bindery.cli.common import (
    DataOption,
    JsonOption,
    console,
    filled,
    one_line_each,
    plain_table,
    print_json,
    refuse,
    say,
)
from bindery.cli.connection import TokenOption, UrlOption, connection_to, talk
from bindery.cli.quote_shown import NONE, limit_text, status_text
from bindery.client import AsyncBindery
from bindery.client.calls import Filters
from bindery.contract.lists import ListedCompany, ListedPolicy, ListedQuote
from bindery.contract.vocabulary import InsuranceProduct, QuoteStatus

T = TypeVar("T")
MOST_ON_A_PAGE: Final = 100


class Listed(StrEnum):
    """What can be listed."""

    QUOTES = "quotes"
    POLICIES = "policies"
    COMPANIES = "companies"


def list_(
    what: Annotated[
        Listed, typer.Argument(metavar="[quotes|policies|companies]", help="What to list.")
    ] = Listed.QUOTES,
    *,
    status: Annotated[
        list[QuoteStatus] | None,
        typer.Option(metavar="STATUS", help="Only this status; may be given again.", show_default=False),
    ] = None,
    product: Annotated[
        InsuranceProduct | None, typer.Option(help="Only this product.", show_default=False)
    ] = None,
    company: Annotated[
        str | None, typer.Option(metavar="ID", help="Only this company.", show_default=False)
    ] = None,
    broker: Annotated[
        str | None, typer.Option(metavar="EMAIL", help="Only this broker of record.", show_default=False)
    ] = None,
    search: Annotated[
        str | None,
        typer.Option(metavar="WORDS", help="Words of the applicant's name.", show_default=False),
    ] = None,
    metadata: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUE", help="Only with this metadata; may be given again.", show_default=False
        ),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=100_000, metavar="ROWS", help="At most so many.")] = 20,
    url: UrlOption = None,
    token: TokenOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> int:
    """List quotes, policies or companies, the newest first.

    Example: bindery list policies --status policy_active --search harbor --limit 50
    """
    if company and what is Listed.COMPANIES:
        refuse(
            f"--company goes with quotes and policies; `bindery list --company {company}` lists its quotes."
        )
    given = {
        "quote_status": list(status or ()),
        "insurance_product": product,
        "company_id": company,
        "broker_email": broker,
        "q": search,
        **_metadata(metadata or ()),
    }
    filters: Filters = {name: value for name, value in given.items() if value}

    async def work(bindery: AsyncBindery) -> None:
        shape = SHAPES[what]
        found = await _first(
            shape.rows(bindery, {**filters, "limit": min(limit + 1, MOST_ON_A_PAGE)}), limit + 1
        )
        rows, is_more = found[:limit], len(found) > limit
        if as_json:
            print_json(rows)
            return
        if rows:
            console.print(shape.table(rows, console.width))
            say("")
        more = "; there are more: --limit shows them" if is_more else ""
        say(f"{len(rows):,} {shape.noun if len(rows) == 1 else what}{more}.")

    return talk(connection_to(url, token, data), work, as_json=as_json)


def _metadata(given: Sequence[str]) -> dict[str, str]:
    found = {}
    for pair in given:
        key, is_pair, value = pair.partition("=")
        if not (key and is_pair):
            refuse(f"--metadata takes KEY=VALUE, not {pair!r}.")
        found[f"metadata.{key}"] = value
    return found


async def _first(rows: AsyncIterator[T], most: int) -> list[T]:
    found: list[T] = []
    async for row in rows:
        found.append(row)
        if len(found) == most:
            break
    return found


@dataclass(frozen=True, slots=True)
class Shape:
    """How the rows of a list are asked for and shown.

    `narrow` names the columns that give way on a terminal of less than that many characters.
    """

    noun: str
    rows: Callable[[AsyncBindery, Filters], AsyncIterator[Any]]
    columns: Mapping[str, Callable[[Any], str | Text]]
    narrow: Mapping[str, int]

    def table(self, rows: Sequence[Any], width: int) -> Table:
        """Put rows into a table that fits; a name is cut before anything else is."""
        shown = {name: cell for name, cell in self.columns.items() if width >= self.narrow.get(name, 0)}
        table = filled(
            plain_table(*shown, right=("LIMIT", "TOTAL")),
            [[cell(row) for cell in shown.values()] for row in rows],
        )
        one_line_each(table, giving_way="NAME", width=width)
        return table


def _total(row: ListedQuote | ListedPolicy) -> str:
    # The JSON edge gave a double; its shortest text is the amount that the service wrote.
    return NONE if row.total is None else in_dollars(Decimal(str(row.total)))


def _limit(row: ListedQuote) -> str:
    return limit_text(row.aggregate_limit, row.per_claim_limit).rpartition(", ")[2]


def _until(row: ListedPolicy) -> str:
    return f"fulfil by {row.fulfil_by}" if row.conditional and row.fulfil_by else row.renewal_type


def _statuses(row: ListedCompany) -> str:
    return ", ".join(row.quote_statuses)


SHAPES: Final[Mapping[Listed, Shape]] = {
    Listed.QUOTES: Shape(
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
    Listed.POLICIES: Shape(
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
    Listed.COMPANIES: Shape(
        "company",
        AsyncBindery.companies,
        {
            "COMPANY": lambda row: row.company_id,
            "NAME": lambda row: row.name,
            "PRODUCTS": lambda row: ", ".join(row.insurance_products),
            "BROKER": lambda row: row.broker_email,
            "STATUSES": _statuses,
            "SINCE": lambda row: f"{row.created_at:%Y-%m-%d}",
        },
        {"BROKER": 120, "SINCE": 100},
    ),
}
"""In the order of the columns."""
