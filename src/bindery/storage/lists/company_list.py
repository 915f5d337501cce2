import re
import uuid
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from bindery.contract.lists import ListedCompany
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.quote.standing import CompanyStanding
from bindery.storage.conditions import Conditions
from bindery.storage.database import Reader
from bindery.storage.list_pages import Cursor, ListPage, page_of
from bindery.storage.lists.company_lines import STANDING

MOST_FOUND: Final = 200
"""How many companies of a name are looked at: to see more, give a more specific name."""
MOST_OF_BROKER: Final = 5_000
"""Up to how many companies of a broker are found by the broker's submissions; with more of them it is sooner
to walk along all companies, of which that many are the broker's."""
_WORD: Final = re.compile(r"\w+")
_COMPANY_NUMBER: Final = re.compile(r"[1-9][0-9]{8}")


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanyFilter:
    """Which companies; `partner_id` is None for users who see all.

    `broker` is the address of the broker of record, or of the secondary one with `or_secondary`; `team` are
    more addresses that count like it.
    """

    partner_id: int | None
    words: str = ""
    product: str | None = None
    statuses: tuple[QuoteStatus, ...] = ()
    broker: str | None = None
    or_secondary: bool = False
    team: tuple[str, ...] = ()
    standing: CompanyStanding | None = None
    metadata: tuple[tuple[str, str], ...] = ()
    created_after: datetime | None = None
    created_before: datetime | None = None


def words_query(words: str) -> str:
    return " & ".join(f"{word}:*" for word in _WORD.findall(words.lower()))


def named(conditions: Conditions, words: str, partner_id: int | None) -> str:
    query = conditions.value(words_query(words))
    matches = f"words_of(name) @@ to_tsquery('simple', {query})"
    if partner_id is None:
        return matches
    # Not by the index of partners, which would be read from end to end for a rare name.
    return f"{matches} and partner_id + 0 = {conditions.value(partner_id)}"


async def list_companies(
    tx: Reader,
    asked: CompanyFilter,
    *,
    cursor: Cursor | None = None,
    limit: int,
    most_named: int | None = MOST_FOUND,
) -> ListPage[ListedCompany]:
    conditions = Conditions()
    where, where_if_given = conditions.where, conditions.where_if_given
    where_if_given("c.partner_id = {}", asked.partner_id)
    if asked.words:
        # Fenced by a limit of its own; otherwise the planner reads the whole table to sort it.
        names = named(conditions, asked.words, asked.partner_id)
        found = f"(select company_id from submissions where {names} limit {most_named or 'all'})"
        where(f"c.company_id in (select company_id from {found} found)")
    for key, value in asked.metadata:
        where(
            "c.company_id in (select company_id from (select o.company_id from submission_metadata m "
            "join submissions o using (submission_id) where m.partner_id = {} and m.key = {} "
            f"and m.value = {{}} order by m.created_at desc limit {MOST_FOUND}) found)",
            asked.partner_id,
            key,
            value,
        )
    where_if_given(
        "exists (select from quotes q where q.company_id = c.company_id and q.product = {})",
        asked.product,
    )
    if asked.statuses:
        where(
            "exists (select from quotes q where q.company_id = c.company_id and q.status = any({}))",
            list(asked.statuses),
        )
    if asked.standing is not None:
        _where_standing(conditions, asked.standing, tx.today)
    if asked.broker is not None:
        await _where_broker(tx, conditions, asked)
    where_if_given("c.created_at > {}", asked.created_after)
    where_if_given("c.created_at < {}", asked.created_before)
    direction, sign = ("asc", ">") if cursor is not None and cursor.backward else ("desc", "<")
    if cursor is not None:
        where(f"(c.created_at, c.company_id) {sign} ({{}}, {{}})", *cursor.key)
    most = conditions.value(limit + 1)
    rows = await tx.rows(
        ListedCompany,
        f"""
        select c.company_id::text, c.created_at, s.name, b.email as broker_email,
            array(select distinct q.product from quotes q where q.company_id = c.company_id order by 1)
                as insurance_products,
            array(select distinct q.status from quotes q where q.company_id = c.company_id order by 1)
                as quote_statuses
        from (select c.company_id, c.created_at from companies c {conditions.clause}
              order by c.created_at {direction}, c.company_id {direction} limit {most}) c
        join lateral (select name, broker_id from submissions s where s.company_id = c.company_id
                      order by s.created_at desc limit 1) s on true
        join brokers b using (broker_id)
        order by c.created_at {direction}, c.company_id {direction}
        """,
        *conditions.values,
    )
    return page_of(rows, cursor=cursor, limit=limit, key=lambda row: (row.created_at, int(row.company_id)))


def _where_standing(conditions: Conditions, standing: CompanyStanding, today: date) -> None:
    quotes = "select from quotes q left join binds b using (quote_id) where q.company_id = c.company_id"
    its = STANDING.format(today=f"{conditions.value(today)}::date")
    if standing is CompanyStanding.OVER:
        conditions.where(f"not exists ({quotes} and {its} <> {{}}::text)", standing)
    else:
        conditions.where(f"exists ({quotes} and {its} = {{}}::text)", standing)


_BROKER_IDS: Final = "(select broker_id from brokers where partner_id = {} and email = any({}::text[]))"


def brokers_of(asked: CompanyFilter) -> list[str]:
    return [email.lower() for email in (asked.broker, *asked.team) if email is not None]


async def _where_broker(tx: Reader, conditions: Conditions, asked: CompanyFilter) -> None:
    """Limit the companies to those of brokers: found by their submissions, unless these are many.

    The planner takes every broker for an average one, and would read the whole book of a partner for a broker
    who has a handful of companies.
    """
    company_ids = await newest_of_brokers(tx, asked, most=MOST_OF_BROKER)
    if len(company_ids) <= MOST_OF_BROKER:
        conditions.where("c.company_id = any({}::int[])", company_ids)
        return
    own, given = f"o.broker_id in {_BROKER_IDS}", [asked.partner_id, brokers_of(asked)]
    if asked.or_secondary:
        own, given = f"({own} or o.secondary_broker_email = any({{}}))", [*given, brokers_of(asked)]
    statement = f"exists (select from submissions o where o.company_id = c.company_id and {own})"
    conditions.where(statement, *given)


async def newest_of_brokers(tx: Reader, asked: CompanyFilter, *, most: int) -> list[int]:
    """Return the companies of the newest submissions of brokers; of more than `most`, one more."""
    # In the order of the indexes, which have all that is read here: otherwise the planner takes the table.
    order = f"order by created_at desc limit {most + 1}"
    found = f"""
    select found.* from unnest(array{_BROKER_IDS.format("$1", "$2")}) as own(id), lateral (
        select company_id, created_at from submissions where broker_id = own.id {order}) found
    """
    if asked.or_secondary:
        found += f"""
        union all select found.* from unnest($2::text[]) as own(email), lateral (
            select company_id, created_at from submissions
            where partner_id = $1 and secondary_broker_email = own.email {order}) found
        """
    statement = f"""
    select company_id from ({found}) found group by company_id order by max(created_at) desc limit {most + 1}
    """
    return await tx.column(int, statement, asked.partner_id, brokers_of(asked))


async def find_by_number(tx: Reader, text: str, *, partner_id: int | None) -> int | None:
    text = text.strip()
    if _COMPANY_NUMBER.fullmatch(text):
        statement = "select company_id, partner_id from companies where company_id = $1::int"
        value: object = int(text)
    else:
        try:
            value = uuid.UUID(text)
            statement = (
                "select company_id, partner_id from quotes where quote_id = $1 union all "
                "select company_id, partner_id from submissions where submission_id = $1"
            )
        except ValueError:
            value = text.upper()
            statement = "select company_id, partner_id from binds where policy_number = $1"
    row = await tx.connection.fetchrow(statement, value)
    if row is None or partner_id not in {None, row["partner_id"]}:
        return None
    company_id: int = row["company_id"]
    return company_id
