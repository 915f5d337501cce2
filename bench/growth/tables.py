"""How the rows of a company become those of its copy, table by table.

Ids and company numbers are new, times and dates are moved, all other columns are kept: of a column that is
added to a table one day, copies have what the real rows have.
"""

from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Final

from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.policy.policy import occupied_days
from bindery.storage.database import Connection
from bindery.storage.quote.journals_checked import CONTENT

FIRST_COUNTED: Final = 1_000_000
"""Contingencies and deliveries of copies are numbered from here; those of the seeds have lower numbers."""

_DAY = date(2027, 1, 1)
_NUMBERS_OF_A_COMPANY: Final = (
    occupied_days(2, InsuranceProduct.CYB, _DAY, _DAY)[0]
    - occupied_days(1, InsuranceProduct.CYB, _DAY, _DAY)[0]
)
_MOVED: Final = f"{_NUMBERS_OF_A_COMPANY} * (n.company_id - t.company_id)::bigint - n.days"


@dataclass(frozen=True)
class Copied:
    """Where the rows of the seeds are found, and the columns that are made in a way of their own.

    Of what is kept for a number of days only, older copies are left out; `dated` says when it was made.
    """

    source: str
    made: dict[str, str] = field(default_factory=dict)
    dated: str = ""
    kept_days: int = 0


_BY_COMPANY: Final = "{0} t join copies n on n.seed = t.company_id"
_BY_QUOTE: Final = "{0} t join seed_quotes s using (quote_id) join copies n using (seed)"
_CONTINGENCY: Final = f"{FIRST_COUNTED} + n.contingencies + p.place"
_DELIVERY: Final = f"{FIRST_COUNTED} + n.deliveries + p.place"

TABLES: Final[dict[str, Copied]] = {
    "companies": Copied(_BY_COMPANY),
    "submissions": Copied(_BY_COMPANY),
    "applicant_facts": Copied(
        "{0} t join submissions m using (submission_id) join copies n on n.seed = m.company_id"
    ),
    "submission_metadata": Copied(
        "{0} t join submissions m using (submission_id) join copies n on n.seed = m.company_id"
    ),
    "search_texts": Copied(
        _BY_COMPANY,
        {
            "text": "case t.kind when 'company' then n.company_id::text else t.text || ' ' || n.number end",
            "words": "case t.kind when 'company' then search_words('company', n.company_id::text) "
            "else t.words || ' copy' || n.number end",
        },
    ),
    "clearance_keys": Copied(_BY_COMPANY, {"value": "t.value || '-' || n.number"}),
    # Journals are copied before: a quote keeps the hash of its last entry.
    "quotes": Copied(
        _BY_COMPANY,
        {
            "journal_hash": "(select j.hash from journal j where j.entry = t.journal_entries "
            "and j.quote_id = pg_temp.copied(t.quote_id, n.number, n.milliseconds))"
        },
    ),
    "contingencies": Copied(
        "{0} t join seed_contingencies p using (contingency_id) join copies n using (seed)",
        {"contingency_id": _CONTINGENCY},
    ),
    "events": Copied(
        "{0} t join seed_events p using (position) join copies n using (seed)",
        {"position": "{feed_end} + n.events + p.place"},
    ),
    "finished_deliveries": Copied(
        "{0} t join seed_deliveries p using (delivery_id) join copies n using (seed)",
        {"delivery_id": _DELIVERY},
        dated="p.created_at",
        kept_days=90,
    ),
    "delivery_attempts": Copied(
        "{0} t join seed_deliveries p using (delivery_id) join copies n using (seed)",
        {"delivery_id": _DELIVERY},
        dated="p.created_at",
        kept_days=90,
    ),
    "binds": Copied(
        _BY_COMPANY,
        {
            "policy_number": "left(t.policy_number, 7) || lpad((1000 + n.number)::text, 7, '0') "
            "|| substr(t.policy_number, 15)",
            "occupies": f"int8range(lower(t.occupies) + {_MOVED}, upper(t.occupies) + {_MOVED})",
        },
    ),
    "premium_transactions": Copied(
        _BY_QUOTE,
        {"transaction_id": "nextval(pg_get_serial_sequence('premium_transactions', 'transaction_id'))"},
    ),
    # Every policy has its turn within the next 30 days, however long ago it began.
    "watched_policies": Copied(
        _BY_QUOTE,
        {"due_on": "(select (now() + ahead)::date from service_clock) + 2 + n.number % 30"},
    ),
    "rescans": Copied(_BY_QUOTE, dated="t.scanned_at", kept_days=730),
    "editions": Copied(_BY_QUOTE),
    "documents": Copied(_BY_QUOTE),
    "packets": Copied(_BY_QUOTE),
    "uploads": Copied(
        "{0} t left join seed_contingencies p using (contingency_id) "
        "join seed_quotes s on s.quote_id = t.quote_id join copies n on n.seed = s.seed",
        {"contingency_id": _CONTINGENCY},
    ),
    "certificate_issues": Copied(_BY_QUOTE),
    "certificates": Copied(_BY_QUOTE),
    "client_links": Copied(
        _BY_QUOTE, {"token_sha256": "sha256(t.token_sha256 || convert_to(n.number::text, 'UTF8'))"}
    ),
    "signatures": Copied(_BY_QUOTE),
    "mails": Copied(_BY_QUOTE),
    "idempotency_keys": Copied(
        # Of the seeds alone: a copy of before begins so too, and each would be copied with every batch.
        "{0} t join companies k on t.key ~ '^seed-[^-]+$' "
        "and convert_from(t.response, 'UTF8')::json ->> 'company_id' = k.company_id::text "
        "join copies n on n.seed = k.company_id",
        {"key": "t.key || '-' || n.number"},
        dated="t.created_at",
        kept_days=30,
    ),
}

JOURNAL: Final = f"""
with entries as (
    select pg_temp.copied(t.quote_id, n.number, n.milliseconds) as quote_id, t.entry,
           pg_temp.copied(t.event_id, n.number, n.milliseconds) as event_id, t.at - n.shift as at,
           t.actor, t.trigger, t.status_before, t.status_after, t.level, t.sequence, t.type, t.data
    from journal t join seed_quotes s using (quote_id) join copies n using (seed)
    where n.number between $1 and $2
), chained as (
    select *, pg_temp.chained(convert_to({CONTENT}, 'UTF8'))
              over (partition by quote_id order by entry) as hash
    from entries
)
insert into journal (quote_id, entry, event_id, at, actor, trigger, status_before, status_after, level,
                     sequence, type, data, previous_hash, hash)
select quote_id, entry, event_id, at, actor, trigger, status_before, status_after, level,
       sequence, type, data, lag(hash) over (partition by quote_id order by entry), hash
from chained
"""
"""Copy journals and chain their entries again."""


async def insert_of(connection: Connection, table: str, feed_end: int, now: datetime) -> str:
    """Return the statement that copies a table's rows for the copies from $1 to $2."""
    how = TABLES[table]
    rows = await connection.fetch(
        "select column_name, data_type from information_schema.columns "
        "where table_schema = 'public' and table_name = $1 order by ordinal_position",
        table,
    )
    columns = {row["column_name"]: row["data_type"] for row in rows}
    values = [how.made.get(name) or _copied(name, kind) for name, kind in columns.items()]
    kept = (
        f"and {how.dated} - n.shift > '{now.isoformat()}'::timestamptz - interval '{how.kept_days} days'"
        if how.kept_days
        else ""
    )
    return (
        f"insert into {table} ({', '.join(columns)}) overriding system value\n"
        f"select {', '.join(values)}\nfrom {how.source.format(table)}\n"
        f"where n.number between $1 and $2 {kept} order by n.number"
    ).replace("{feed_end}", str(feed_end))


def _copied(name: str, kind: str) -> str:
    if name == "company_id":
        return "n.company_id"
    if kind == "timestamp with time zone":
        return f"t.{name} - n.shift"
    if kind == "date":
        return f"t.{name} - n.days"
    # Webhooks are not copied: all of a partner's events go to them.
    if kind == "uuid" and name != "webhook_id":
        return f"pg_temp.copied(t.{name}, n.number, n.milliseconds)"
    return f"t.{name}"
