"""A list of companies as it is shown."""

from collections.abc import Iterable
from dataclasses import dataclass

from bindery.storage.company_list import ListedCompany
from bindery.web.shown.times import Times
from bindery.web.shown.words import STATUS_WORDS, Moment, StatusWord, product_name


@dataclass(frozen=True, slots=True)
class ShownCompany:
    """One row."""

    address: str
    name: str
    number: str
    products: str
    statuses: tuple[StatusWord, ...]
    broker: str
    since: Moment


def shown_companies(rows: Iterable[ListedCompany], times: Times) -> tuple[ShownCompany, ...]:
    """Return the rows of a list."""
    return tuple(
        ShownCompany(
            address=f"/company/{row.company_id}",
            name=row.name,
            number=str(row.company_id),
            products=", ".join(product_name(product) for product in row.products),
            statuses=tuple(dict.fromkeys(STATUS_WORDS[status] for status in row.statuses)),
            broker=row.broker,
            since=times.at(row.created_at),
        )
        for row in rows
    )
