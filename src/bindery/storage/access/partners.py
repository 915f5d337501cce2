import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from bindery.base.ids import short_key
from bindery.domain.access.tokens import TokenClaims
from bindery.storage.database import Reader, Tx, columns_of, of_table
from bindery.storage.list_pages import Cursor, ListPage, page_of_list


@dataclass(frozen=True, slots=True)
class Partner:
    partner_id: int
    key: str
    name: str


@dataclass(frozen=True, slots=True)
class Broker:
    broker_id: int
    partner_id: int
    email: str


@dataclass(frozen=True, slots=True)
class TokenRecord:
    """A token's record; the token itself is never kept."""

    token_id: str
    partner_name: str
    environment: str
    issued_at: datetime
    expires_at: datetime
    revoked_at: datetime | None
    label: str = ""
    issued_by: str = ""
    """Who issued it; empty for tokens from before that was kept."""


@dataclass(frozen=True, slots=True)
class PartnerRecord:
    name: str
    key: str
    contact: str | None
    created_at: datetime
    brokers: int
    tokens: int


@dataclass(frozen=True, slots=True)
class BrokerRecord:
    email: str
    partner_name: str
    created_at: datetime
    firm: str | None
    removed_at: datetime | None
    """Since when the broker is on nothing new; what is on record stays."""


@dataclass(frozen=True, slots=True)
class ListedBroker(BrokerRecord):
    broker_id: int


_PARTNER: Final = "partner_id, partner_key as key, name"
_BROKER: Final = columns_of(Broker)


async def add_partner(tx: Tx, name: str, *, contact: str | None = None) -> Partner:
    """Add a partner, or find it by name; a new contact replaces the old one."""
    statement = f"""
    insert into partners (partner_key, name, created_at, contact_email) values ($1, $2, $3, $4)
    on conflict (name) do update set
        contact_email = coalesce(excluded.contact_email, partners.contact_email)
    returning {_PARTNER}
    """
    (partner,) = await tx.rows(Partner, statement, short_key(tx.rng), name, tx.now, contact)
    return partner


async def add_new_partner(tx: Tx, name: str, *, contact: str | None) -> Partner | None:
    statement = f"""
    insert into partners (partner_key, name, created_at, contact_email) values ($1, $2, $3, $4)
    on conflict (name) do nothing returning {_PARTNER}
    """
    return await tx.row(Partner, statement, short_key(tx.rng), name, tx.now, contact)


async def find_partner(tx: Reader, name: str) -> Partner | None:
    return await tx.row(Partner, f"select {_PARTNER} from partners where name = $1", name)


async def find_partner_as_typed(tx: Reader, name: str) -> Partner | None:
    """Find a partner by name, or by the name in other capitals if only one partner has it."""
    found = await tx.rows(
        Partner,
        f"select {_PARTNER} from partners where lower(name) = lower($1) order by (name = $1) desc limit 2",
        name,
    )
    is_clear = len(found) == 1 or (found and found[0].name == name)
    return found[0] if is_clear else None


async def find_partner_by_key(tx: Reader, key: str) -> Partner | None:
    return await tx.row(Partner, f"select {_PARTNER} from partners where partner_key = $1", key)


async def find_partner_by_id(tx: Reader, partner_id: int) -> Partner:
    (partner,) = await tx.rows(Partner, f"select {_PARTNER} from partners where partner_id = $1", partner_id)
    return partner


async def own_contact_of(tx: Reader, partner_id: int) -> str | None:
    return await tx.find_value(str, "select contact_email from partners where partner_id = $1", partner_id)


async def find_broker_by_id(tx: Reader, broker_id: int) -> Broker:
    (broker,) = await tx.rows(Broker, f"select {_BROKER} from brokers where broker_id = $1", broker_id)
    return broker


async def find_broker_of(tx: Reader, submission_id: uuid.UUID) -> Broker:
    statement = f"""
    select {of_table("b", _BROKER)} from brokers b join submissions using (broker_id)
    where submission_id = $1
    """
    (broker,) = await tx.rows(Broker, statement, submission_id)
    return broker


_PARTNERS: Final = """
select p.name, p.partner_key as key, p.contact_email as contact, p.created_at,
    (select count(*) from brokers b where b.partner_id = p.partner_id and b.removed_at is null) as brokers,
    (select count(*) from tokens t where t.partner_id = p.partner_id and t.revoked_at is null
                                     and t.expires_at > $1) as tokens
from partners p where $1::timestamptz is not null
"""


async def list_partners(tx: Reader, *, at: datetime) -> list[PartnerRecord]:
    return await tx.rows(PartnerRecord, f"{_PARTNERS} order by p.name", at)


async def page_of_partners(
    tx: Reader, *, at: datetime, cursor: Cursor | None, limit: int
) -> ListPage[PartnerRecord]:
    return await page_of_list(
        tx,
        PartnerRecord,
        _PARTNERS,
        at,
        order=("p.name",),
        place="select name from partners where partner_key = {}",
        key="key",
        cursor=cursor,
        limit=limit,
    )


async def first_names(tx: Reader, *, limit: int) -> list[str]:
    rows = await tx.connection.fetch("select name from partners order by name limit $1", limit)
    return [row["name"] for row in rows]


async def page_of_brokers(tx: Reader, *, cursor: Cursor | None, limit: int) -> ListPage[ListedBroker]:
    return await page_of_list(
        tx,
        ListedBroker,
        """
        select b.broker_id, b.email, p.name as partner_name, b.created_at, b.firm, b.removed_at
        from brokers b join partners p using (partner_id) where true
        """,
        order=("p.name", "b.email"),
        place="select p.name, b.email from brokers b join partners p using (partner_id) where broker_id = {}",
        key="broker_id",
        cursor=cursor,
        limit=limit,
    )


async def list_brokers(tx: Reader, partner_id: int | None = None) -> list[BrokerRecord]:
    statement = """
    select b.email, p.name as partner_name, b.created_at, b.firm, b.removed_at
    from brokers b join partners p using (partner_id)
    where $1::bigint is null or b.partner_id = $1 order by p.name, b.email
    """
    return await tx.rows(BrokerRecord, statement, partner_id)


async def add_broker(tx: Tx, partner: Partner, email: str, *, firm: str | None = None) -> Broker:
    """Add a broker, or find it by address; a new firm replaces the old one, and a removed one is back."""
    statement = f"""
    insert into brokers (partner_id, email, created_at, firm) values ($1, lower($2), $3, $4)
    on conflict (partner_id, email) do update
    set firm = coalesce(excluded.firm, brokers.firm), removed_at = null
    returning {_BROKER}
    """
    (broker,) = await tx.rows(Broker, statement, partner.partner_id, email, tx.now, firm)
    return broker


async def brokers_of(tx: Reader, partner_id: int) -> list[Broker]:
    """Return those through whom something new may come."""
    statement = f"select {_BROKER} from brokers where partner_id = $1 and removed_at is null"
    return await tx.rows(Broker, statement, partner_id)


async def remove_broker(tx: Tx, partner_id: int, email: str) -> bool:
    """Remove a broker from what is new, and return whether it was there until now."""
    statement = """
    update brokers set removed_at = $3 where partner_id = $1 and email = lower($2) and removed_at is null
    """
    return await tx.execute(statement, partner_id, email, tx.now) == 1


async def users_of(tx: Reader, partner_id: int) -> list[str]:
    """Return the addresses of the partner's people who can sign in."""
    statement = "select email from users where partner_id = $1 and disabled_at is null"
    return await tx.column(str, statement, partner_id)


async def record_token(
    tx: Tx, partner: Partner, claims: TokenClaims, *, label: str = "", issued_by: str = ""
) -> bool:
    """Record an issued token; return whether it is the first of its id."""
    row = {
        "token_id": claims.token_id,
        "partner_id": partner.partner_id,
        "environment": claims.environment,
        "issued_at": claims.issued_at,
        "expires_at": claims.expires_at,
        "label": label,
        "issued_by": issued_by,
    }
    return await tx.insert("tokens", row, otherwise="on conflict (token_id) do nothing") == 1


async def list_tokens(tx: Reader, partner_id: int | None = None) -> list[TokenRecord]:
    statement = """
    select t.token_id, p.name as partner_name, t.environment, t.issued_at, t.expires_at, t.revoked_at,
           t.label, t.issued_by
    from tokens t join partners p using (partner_id) where $1::int is null or t.partner_id = $1
    order by t.issued_at desc, t.token_id
    """
    return await tx.rows(TokenRecord, statement, partner_id)


@dataclass(frozen=True, slots=True)
class RevokedToken:
    partner_id: int
    label: str
    is_new: bool
    """Whether it was in force until now."""


async def revoke_token(tx: Tx, token_id: str, *, at: datetime) -> RevokedToken | None:
    """Revoke a token, if it exists; revoking twice keeps the first moment."""
    statement = """
    with found as (select token_id, revoked_at from tokens where token_id = $1 for update)
    update tokens t set revoked_at = coalesce(t.revoked_at, $2) from found
    where t.token_id = found.token_id
    returning t.partner_id, t.label, found.revoked_at is null as is_new
    """
    return await tx.row(RevokedToken, statement, token_id, at)


async def find_partner_of_token(tx: Reader, token_id: str, *, partner_key: str) -> Partner | None:
    statement = f"""
    select {_PARTNER} from tokens join partners using (partner_id)
    where token_id = $1 and revoked_at is null and partner_key = $2
    """
    return await tx.row(Partner, statement, token_id, partner_key)
