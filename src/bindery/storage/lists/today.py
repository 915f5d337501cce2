"""What is due for a broker: each list walks along an index of the partner by day, up to a limit.

A row is the broker's own where the submission names the user as its broker or its secondary broker. A broker
of few companies is asked about these alone; with many of them it is sooner to walk along all rows of the
partner, of which that many are the broker's.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from bindery.contract.quotes import MAX_OPTIONS
from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.policy.renewal import ASKED_FOR_BEFORE
from bindery.domain.submission.value import CHANGED_BY_UNDERWRITER
from bindery.domain.today import (
    MOST_COUNTED,
    QUOTES_WITHIN,
    AnsweredCase,
    EndingQuotes,
    EndingTerm,
    Owed,
)
from bindery.storage.database import Reader
from bindery.storage.lists import policy_list
from bindery.storage.lists.policy_list import EndingPolicy

LIMIT: Final = MOST_COUNTED + 1
MOST_COMPANIES: Final = 2_000
"""Up to how many submissions of a broker the companies are looked up one by one."""
MOST_ASKED_FOR: Final = 500
"""How many open contingencies, the newest first, are looked at for files that are owed before a bind."""
MOST_REQUESTED: Final = 200
"""How many binds of a product that wait for an underwriter are looked at for files that are owed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Book:
    """A broker's own companies; `companies` is None where there are too many to look each of them up."""

    partner_id: int
    broker: str
    broker_id: int | None
    companies: list[int] | None

    def own(self, row: str, *, of: str = "") -> str:
        """Return the condition on rows with a submission and a company, or with the company `of` others.

        It is asked of each row in turn, in the order of the index: the planner takes a broker of the whole
        book for one of a few submissions, and would read and sort all of them before it leaves out others.
        For the same reason `limit 1` stands below where `exists` would do: that may read a whole table.
        """
        few = "$4::int[] is null" if self.companies is None else f"{of or row}.company_id = any($4::int[])"
        return f"""{few} and (select o.broker_id = $2 or o.secondary_broker_email = $3
            from submissions o where o.submission_id = {row}.submission_id)"""

    @property
    def values(self) -> tuple[object, ...]:
        return self.partner_id, self.broker_id, self.broker, self.companies


async def find_book(tx: Reader, *, partner_id: int, broker: str) -> Book:
    # In the order of the indexes, which have all that is read here: otherwise the planner takes the table.
    newest = f"order by created_at desc limit {MOST_COMPANIES + 1}"
    statement = f"""
    with own as (select broker_id from brokers where partner_id = $1 and email = $2), found as (
        (select company_id from submissions where broker_id = (select broker_id from own) {newest})
        union all
        (select company_id from submissions where partner_id = $1 and secondary_broker_email = $2 {newest})
    )
    select (select broker_id from own) as broker_id,
           case when count(*) <= {MOST_COMPANIES}
                then coalesce(array_agg(distinct company_id), '{{}}') end as companies
    from found
    """
    (row,) = await tx.connection.fetch(statement, partner_id, broker)
    return Book(partner_id=partner_id, broker=broker, broker_id=row["broker_id"], companies=row["companies"])


_NOT_RECEIVED: Final = """
    c.status = 'open' and not exists (
        select from uploads u where u.quote_id = c.quote_id and u.contingency_id = c.contingency_id
          and (c.asked_again_at is null or c.asked_again_at < u.uploaded_at))
"""
_WITH_PRICE: Final = "q.status in ('published', 'offer_email', 'quote_bind_requested', 'policy_active')"


def _binders(book: Book) -> str:
    return f"""
    select b.company_id, b.quote_id, s.name, b.product, q.premium as lowest, q.premium as highest,
           b.fulfil_by as due, q.status, b.policy_number as binder, c.missing, c.is_asked_again,
           coalesce(c.asked_at, b.asked_at) as asked_at, null::uuid as question_id
    from binds b
        join quotes q on q.quote_id = b.quote_id
        join submissions s on s.submission_id = q.submission_id
        cross join lateral (
            select coalesce(array_agg(c.text order by c.contingency_id), '{{}}') as missing,
                   coalesce(bool_or(c.asked_again_at is not null), false) as is_asked_again,
                   min(coalesce(c.asked_again_at, c.created_at)) as asked_at
            from contingencies c where c.quote_id = b.quote_id and {_NOT_RECEIVED}) c
    where b.partner_id = $1 and b.in_force and b.issued_on is null
      and (b.received_on is null or b.received_on > b.fulfil_by) and {book.own("q", of="b")}
    order by b.fulfil_by, b.quote_id limit {LIMIT}
    """


def _papers(book: Book) -> str:
    # Before a bind only what somebody asked for is owed: the rest comes with it. Binders are listed above.
    return f"""
    select q.company_id, (array_agg(q.quote_id order by q.option_number))[1] as quote_id, s.name, q.product,
           min(q.premium) as lowest, max(q.premium) as highest,
           min(q.expires_on) filter (where q.status in ('published', 'offer_email')) as due,
           (array_agg(q.status order by q.option_number))[1] as status, null as binder,
           array_agg(distinct c.text) as missing, bool_or(c.asked_again_at is not null) as is_asked_again,
           min(coalesce(c.asked_again_at, c.created_at)) as asked_at, null::uuid as question_id
    from (
        select requested.quote_id
        from unnest($5::text[]) product(is_), lateral (
            select quote_id from quotes
            where partner_id = $1 and product = product.is_ and status = 'quote_bind_requested'
            order by created_at desc, submission_id desc limit {MOST_REQUESTED}) requested
        union
        select quote_id from (
            select quote_id from contingencies where owed_by = $1 and status = 'open'
            order by contingency_id desc limit {MOST_ASKED_FOR}) newest
    ) asked
        join quotes q on q.quote_id = asked.quote_id
        join submissions s on s.submission_id = q.submission_id
        join contingencies c on c.quote_id = q.quote_id
        left join binds b on b.quote_id = q.quote_id
    where {_WITH_PRICE} and (q.status not in ('published', 'offer_email') or c.owed_by is not null)
      and (b.in_force is not true or b.issued_on is not null) and {_NOT_RECEIVED} and {book.own("q")}
    group by q.company_id, q.submission_id, s.name, q.product
    order by due, asked_at limit {LIMIT}
    """


def _questions(book: Book) -> str:
    return f"""
    select q.company_id, a.quote_id, s.name, q.product, null, null, null, q.status, null, array[a.text],
           false, a.asked_at, a.question_id
    from broker_questions a
        join quotes q on q.quote_id = a.quote_id
        join submissions s on s.submission_id = q.submission_id
    where a.partner_id = $1
      and a.answered_at is null and a.withdrawn_at is null and a.overtaken_at is null and {book.own("q")}
    order by a.asked_at, a.question_id limit {LIMIT}
    """


async def owed(tx: Reader, book: Book) -> list[Owed]:
    """List binders that lapse, and files and answers that an underwriter waits for, in one statement."""
    statement = f"({_binders(book)}) union all ({_papers(book)}) union all ({_questions(book)})"
    return await tx.rows(Owed, statement, *book.values, list(InsuranceProduct))


async def answered_cases(tx: Reader, book: Book, *, since: datetime, not_seen_by: int) -> list[AnsweredCase]:
    """List what underwriters and clients answered since then, unless a user has opened the company after."""
    statement = f"""
    select d.company_id, coalesce(d.quote_id, o.quote_id) as quote_id, d.name, d.product, o.lowest, o.highest,
           o.due, d.kind as case,
           d.submission_id, d.closed_at as answered_at, o.open_options, o.approved, o.declined,
           o.on_other_terms, o.is_bound, o.is_issued, o.is_canceled, o.is_brokers_bind, coalesce((
               select true from quotes q join contingencies c using (quote_id)
               where q.submission_id = d.submission_id and c.closed_at = d.closed_at
                 and c.closed_as <> 'attested' limit 1), false) as is_accepted, (
               select c.status from quotes q join policy_changes c using (quote_id)
               where q.submission_id = d.submission_id and c.settled_at = d.closed_at limit 1) as change
    from (
        (select d.company_id, null::uuid as quote_id, d.name, d.product, d.kind, d.submission_id, d.closed_at
            from desk_items d
            left join company_looks l on l.user_id = $6 and l.company_id = d.company_id
        where d.partner_id = $1 and d.closed_at >= $5 and (l.looked_at is null or l.looked_at < d.closed_at)
          and {book.own("d")}
        order by d.closed_at desc limit {LIMIT})
        union all
        (select q.company_id, k.quote_id, s.name, q.product, k.status, q.submission_id, k.settled_at
            from client_links k join quotes q on q.quote_id = k.quote_id
            join submissions s on s.submission_id = q.submission_id
            left join company_looks l on l.user_id = $6 and l.company_id = q.company_id
        where k.partner_id = $1 and k.settled_at >= $5 and k.status in ('signed', 'declined', 'answered')
          and (l.looked_at is null or l.looked_at < k.settled_at) and {book.own("q")}
        order by k.settled_at desc limit {LIMIT})
    ) d cross join lateral (
        select (array_agg(q.quote_id order by q.status in ('published', 'offer_email') desc,
                          q.status = 'policy_active' desc, q.option_number))[1] as quote_id,
               count(*) filter (where q.status in ('published', 'offer_email')) as open_options,
               count(*) filter (where q.status in ('published', 'offer_email') and q.referred_at is not null)
                   as approved,
               count(*) filter (where q.status = 'quote_declined') as declined,
               coalesce(bool_or(strpos(q.assessment, '{CHANGED_BY_UNDERWRITER}') > 0)
                   filter (where q.status in ('published', 'offer_email')), false) as on_other_terms,
               bool_or(q.status = 'policy_active') as is_bound,
               coalesce(bool_or(b.in_force and b.issued_on is not null), false) as is_issued,
               bool_or(q.status = 'policy_canceled') as is_canceled,
               coalesce(bool_or(b.asked_at = d.closed_at), false) as is_brokers_bind,
               min(q.premium) filter (where {_WITH_PRICE}) as lowest,
               max(q.premium) filter (where {_WITH_PRICE}) as highest,
               min(q.expires_on) filter (where q.status in ('published', 'offer_email')) as due
        from quotes q left join binds b on b.quote_id = q.quote_id
        where q.submission_id = d.submission_id
    ) o
    """
    return await tx.rows(AnsweredCase, statement, *book.values, since, not_seen_by)


async def ending_quotes(tx: Reader, book: Book) -> list[EndingQuotes]:
    """List the submissions whose open options end soon, and the one that ends next after them."""
    options = f"""
    select q.company_id, q.submission_id, q.quote_id, q.option_number, q.product, q.premium, q.expires_on
    from quotes q where q.partner_id = $1 and q.status = 'published' and {book.own("q")}
    """
    statement = f"""
    select q.company_id, (array_agg(q.quote_id order by q.option_number))[1] as quote_id, s.name, q.product,
           min(q.premium) as lowest, max(q.premium) as highest, q.expires_on as due, count(*) as options
    from (
        ({options} and q.expires_on between $5 and $6
         order by q.expires_on, q.submission_id limit {LIMIT * MAX_OPTIONS})
        union all
        ({options} and q.expires_on > $6 order by q.expires_on, q.submission_id limit {MAX_OPTIONS})
    ) q join submissions s on s.submission_id = q.submission_id
    group by q.company_id, q.submission_id, s.name, q.product, q.expires_on
    order by q.expires_on, q.submission_id limit {LIMIT}
    """
    return await tx.rows(EndingQuotes, statement, *book.values, tx.today, tx.today + QUOTES_WITHIN)


async def ending_terms(tx: Reader, book: Book) -> list[EndingTerm]:
    """List the policies that end, also those that end a little later than the page lists them."""
    found = await policy_list.ending(
        tx,
        partner_id=book.partner_id,
        until=tx.today + ASKED_FOR_BEFORE,
        broker=book.broker,
        companies=book.companies,
        cursor=None,
        limit=LIMIT,
    )
    return [_ending_term(policy) for policy in found.rows]


def _ending_term(policy: EndingPolicy) -> EndingTerm:
    premium = policy.premium if policy.offered_premium is None else policy.offered_premium
    return EndingTerm(
        company_id=policy.company_id,
        quote_id=policy.quote_id,
        name=policy.name,
        product=InsuranceProduct(policy.product),
        lowest=premium,
        highest=premium,
        due=policy.expiration,
        state=policy.state,
        stopped_by=policy.stopped_by,
        is_owed=policy.is_owed,
        renewed_by=policy.renewed_by,
        expiring=policy.premium,
        offered=policy.offered_premium,
    )


class RailPart(StrEnum):
    WAITING = "waiting"
    RECENT = "recent"


@dataclass(frozen=True, slots=True, kw_only=True)
class RailRow:
    """A company at the side of the page: with an underwriter until `due_at`, or opened not long ago."""

    part: RailPart
    company_id: int
    name: str
    lowest: int | None
    highest: int | None
    due_at: datetime | None


async def rail(tx: Reader, book: Book, *, user_id: int, recent: int) -> list[RailRow]:
    """List what is with an underwriter, late first, and the companies that a user opened last."""
    statement = f"""
    (select 'waiting' as part, d.company_id, d.name, null::bigint as lowest, null::bigint as highest, d.due_at
     from desk_items d
     where d.partner_id = $1 and d.closed_at is null and d.asked_at is null and {book.own("d")}
     order by d.due_at, d.item_id limit {LIMIT})
    union all
    (select 'recent', l.company_id, s.name, q.lowest, q.highest, null
     from company_looks l
         join companies k on k.company_id = l.company_id and k.partner_id = $1
         cross join lateral (
             select name from submissions s where s.company_id = l.company_id
             order by s.created_at desc limit 1) s
         cross join lateral (
             select min(q.premium) as lowest, max(q.premium) as highest from quotes q
             where q.company_id = l.company_id and {_WITH_PRICE}) q
     where l.user_id = $5 order by l.looked_at desc limit $6)
    """
    return await tx.rows(RailRow, statement, *book.values, user_id, recent)


async def note_look(tx: Reader, *, user_id: int, company_id: int) -> None:
    """Note that a user has a company's page in front of them.

    The page does not wait for the disk: a look that a crash loses shows an answer once more.
    """
    statement = """
    with unsynced as (select set_config('synchronous_commit', 'off', true))
    insert into company_looks (user_id, company_id, looked_at) select $1, $2, $3 from unsynced
    on conflict (user_id, company_id) do update set looked_at = excluded.looked_at
    where company_looks.looked_at < excluded.looked_at
    """
    await tx.connection.execute(statement, user_id, company_id, tx.now)
