"""What brokers chose about their mail, and what waits for their digests."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from bindery.domain.messages.mail_choices import DigestEntry, MailChoice, MailSwitch
from bindery.storage.database import Reader, Tx


@dataclass(frozen=True, slots=True)
class Chosen:
    user_id: int
    choice: MailChoice


async def of_addresses(tx: Reader, switch: MailSwitch, addresses: Sequence[str]) -> dict[str, Chosen]:
    """Return who of these brokers does not want a kind of mail at once, by the address in lower case."""
    statement = """
    select u.email, c.user_id, c.choice from mail_choices c join users u using (user_id)
    where u.email = any($1) and c.switch = $2 and u.role = 'broker' and u.disabled_at is null
    """
    rows = await tx.connection.fetch(statement, [address.lower() for address in addresses], switch)
    return {row["email"]: Chosen(row["user_id"], MailChoice(row["choice"])) for row in rows}


async def of_user(tx: Reader, user_id: int) -> dict[MailSwitch, MailChoice]:
    rows = await tx.connection.fetch("select switch, choice from mail_choices where user_id = $1", user_id)
    chosen = {row["switch"]: MailChoice(row["choice"]) for row in rows}
    return {switch: chosen.get(switch, MailChoice.AT_ONCE) for switch in MailSwitch}


async def keep(tx: Tx, user_id: int, chosen: Mapping[MailSwitch, MailChoice]) -> None:
    """Keep the choices of a broker; coming at once is the absence of a row."""
    at_once = [switch for switch, choice in chosen.items() if choice is MailChoice.AT_ONCE]
    others = {switch: choice for switch, choice in chosen.items() if choice is not MailChoice.AT_ONCE}
    await tx.execute("delete from mail_choices where user_id = $1 and switch = any($2)", user_id, at_once)
    await tx.execute(
        """
        insert into mail_choices (user_id, switch, choice)
        select $1, * from unnest($2::text[], $3::text[])
        on conflict (user_id, switch) do update set choice = excluded.choice
        """,
        user_id,
        list(others),
        list(others.values()),
    )


async def add_to_digest(
    tx: Tx, user_id: int, entry: DigestEntry, *, quote_id: uuid.UUID | None, kind: str
) -> None:
    await tx.insert(
        "digest_entries",
        {
            "user_id": user_id,
            "quote_id": quote_id,
            "kind": kind,
            "at": entry.at,
            "sentence": entry.sentence,
            "link": entry.link,
        },
        otherwise="on conflict (user_id, quote_id, kind) do nothing",
    )


@dataclass(frozen=True, slots=True)
class DigestReader:
    user_id: int
    email: str
    name: str


async def users_with_digest(tx: Reader, *, before: datetime, limit: int) -> list[DigestReader]:
    statement = """
    select u.user_id, u.email, u.name
    from (select distinct user_id from digest_entries where taken_at is null and at < $1) as waiting
    join users u using (user_id) order by u.user_id limit $2
    """
    return await tx.rows(DigestReader, statement, before, limit)


async def take_for_digest(tx: Tx, user_id: int, *, before: datetime) -> list[DigestEntry]:
    """Take what waits for a digest, once: whoever comes second finds nothing left."""
    statement = """
    with taken as (
        update digest_entries set taken_at = $2 where user_id = $1 and taken_at is null and at < $3
        returning entry_id, at, sentence, link
    )
    select at, sentence, link from taken order by at, entry_id
    """
    return await tx.rows(DigestEntry, statement, user_id, tx.now, before)
