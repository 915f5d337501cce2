"""Mails, what brokers chose about theirs, and what waits for their digests."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import Final

import msgspec

from bindery.domain.jobs import SEND_MAIL
from bindery.domain.messages.mail_choices import DigestEntry, MailChoice, MailSwitch
from bindery.domain.messages.mails import EnclosedUpload, Enclosure, Mail, read_enclosure
from bindery.storage.database import Reader, Tx
from bindery.storage.jobs import queue
from bindery.storage.list_pages import Cursor, ListPage, page_of


async def write(tx: Tx, quote_id: uuid.UUID | None, mail: Mail, *, body: str, html: str) -> uuid.UUID | None:
    """Write a mail and queue its sending; None if the quote has one of that kind already."""
    mail_id = tx.new_id()
    count = await tx.insert(
        "mails",
        {
            "mail_id": mail_id,
            "quote_id": quote_id,
            "kind": mail.kind,
            "recipients": list(mail.recipients),
            "subject": mail.subject,
            "body": body,
            "html": html,
            "attachments": [str(enclosure) for enclosure in mail.enclosures],
            "created_at": tx.now,
        },
        otherwise="on conflict (quote_id, kind) do nothing",
    )
    if count == 0:
        return None
    await queue.enqueue(tx, SEND_MAIL, [str(mail_id)])
    return mail_id


async def keep_sealed_link(tx: Tx, mail_id: uuid.UUID, sealed: bytes) -> None:
    await tx.update("mails", {"mail_id": mail_id}, sealed_link=sealed)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsentMail:
    """A mail for those of its recipients that the mail server has not taken it for yet."""

    quote_id: uuid.UUID | None
    recipients: tuple[str, ...]
    subject: str
    body: str
    html: str | None
    attachments: tuple[str, ...]
    created_at: datetime
    sealed_link: bytes | None

    @property
    def enclosures(self) -> tuple[Enclosure | EnclosedUpload, ...]:
        return tuple(map(read_enclosure, self.attachments))


async def find_unsent(tx: Reader, mail_id: uuid.UUID) -> UnsentMail | None:
    statement = """
    select quote_id, subject, body, html, attachments, created_at, sealed_link,
           array(select address from unnest(recipients) with ordinality as r(address, place)
                 where address <> all(taken) order by place) as recipients
    from mails where mail_id = $1 and sent_at is null
    """
    return await tx.row(UnsentMail, statement, mail_id)


async def unsent(tx: Reader, *, after: datetime, before: datetime, limit: int) -> list[uuid.UUID]:
    statement = """
    select mail_id from mails
    where sent_at is null and coalesce(retried_at, created_at) > $1 and created_at < $2
    order by created_at limit $3
    """
    return await tx.column(uuid.UUID, statement, after, before, limit)


class SentDocument(msgspec.Struct, frozen=True):
    """A file that went along; `document` is its type, or `signed_application` for one signed on the page."""

    document: str
    version: int
    sha256: str


read_sent_documents = msgspec.json.Decoder(tuple[SentDocument, ...]).decode


async def record_fault(tx: Tx, mail_id: uuid.UUID, error: str) -> None:
    statement = "update mails set last_error = $2 where mail_id = $1 and sent_at is null"
    await tx.execute(statement, mail_id, error)


async def record_receipt(
    tx: Tx,
    mail_id: uuid.UUID,
    *,
    taken: Sequence[str],
    message_id: str,
    answer: str,
    documents: Sequence[SentDocument],
    error: str | None,
) -> None:
    """Record for whom the server has taken a mail; it is sent once that is everybody."""
    statement = """
    update mails set
        taken = taken || $2::text[],
        taken_at = case when cardinality($2::text[]) > 0 then coalesce(taken_at, $3) else taken_at end,
        sent_at = case when recipients <@ (taken || $2::text[]) then $3 end,
        message_id = $4, server_answer = coalesce($5, server_answer), last_error = $7,
        sent_documents = case when cardinality($2::text[]) > 0 then $6 else sent_documents end,
        sealed_link = case when recipients <@ (taken || $2::text[]) then null else sealed_link end
    where mail_id = $1 and sent_at is null
    """
    attached = msgspec.json.encode(documents).decode()
    await tx.execute(statement, mail_id, list(taken), tx.now, message_id, answer or None, attached, error)


async def send_again(tx: Tx, mail_id: uuid.UUID) -> bool:
    """Queue a mail that was not sent, for three days more; return whether there is one."""
    statement = "update mails set retried_at = $2 where mail_id = $1 and sent_at is null"
    is_unsent = await tx.execute(statement, mail_id, tx.now) == 1
    if is_unsent:
        await queue.enqueue(tx, SEND_MAIL, [str(mail_id)])
    return is_unsent


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofOfMail:
    """What the history says of a mail that was sent."""

    quote_id: uuid.UUID
    kind: str
    taken: tuple[str, ...]
    taken_at: datetime
    attachments: tuple[str, ...]


async def proofs_of(tx: Reader, quote_ids: Sequence[uuid.UUID], *, limit: int) -> list[ProofOfMail]:
    """List the mails about quotes that went out, the newest first."""
    statement = """
    select quote_id, kind, case when cardinality(taken) > 0 then taken else recipients end as taken,
           coalesce(taken_at, sent_at) as taken_at, attachments
    from mails where quote_id = any($1) and (taken_at is not null or sent_at is not null)
    order by coalesce(taken_at, sent_at) desc, mail_id limit $2
    """
    return await tx.rows(ProofOfMail, statement, list(quote_ids), limit)


_COLUMNS: Final = """
    mail_id, quote_id, kind, recipients, subject, attachments, created_at, sent_at, taken, taken_at,
    message_id, server_answer, sent_documents, last_error, retried_at
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedMail:
    mail_id: uuid.UUID
    quote_id: uuid.UUID | None
    kind: str
    recipients: tuple[str, ...]
    subject: str
    attachments: tuple[str, ...]
    created_at: datetime
    sent_at: datetime | None
    taken: tuple[str, ...] = ()
    taken_at: datetime | None = None
    message_id: str | None = None
    server_answer: str | None = None
    sent_documents: str | None = None
    last_error: str | None = None
    retried_at: datetime | None = None

    @property
    def documents(self) -> tuple[SentDocument, ...]:
        return read_sent_documents(self.sent_documents) if self.sent_documents else ()

    @property
    def tried_since(self) -> datetime:
        return self.retried_at or self.created_at


async def list_mails(tx: Reader, *, cursor: Cursor | None, limit: int) -> ListPage[ListedMail]:
    """List unsent mail first, and the newest first within both halves."""
    backward = cursor is not None and cursor.backward
    direction, sign = ("asc", ">") if backward else ("desc", "<")
    last = await _find(tx, cursor.key) if cursor is not None else None
    found: list[ListedMail] = []
    # Each half has an index of its own, which both at once would not be read along.
    for is_sent in (True, False) if backward else (False, True):
        if last is not None and is_sent != (last.sent_at is not None):
            continue
        found += await tx.rows(
            ListedMail,
            f"""
            select {_COLUMNS} from mails
            where sent_at is {"not null" if is_sent else "null"}
              and ($1::timestamptz is null or (created_at, mail_id) {sign} ($1, $2::uuid))
            order by created_at {direction}, mail_id {direction} limit $3
            """,
            last.created_at if last else None,
            last.mail_id if last else None,
            limit + 1 - len(found),
        )
        # The other half begins at its own end.
        last = None
        if len(found) > limit:
            break
    return page_of(found, cursor=cursor, limit=limit, key=attrgetter("mail_id"))


async def _find(tx: Reader, mail_id: uuid.UUID) -> ListedMail | None:
    return await tx.row(ListedMail, f"select {_COLUMNS} from mails where mail_id = $1", mail_id)


async def find(tx: Reader, mail_id: uuid.UUID) -> tuple[ListedMail, str] | None:
    mail = await _find(tx, mail_id)
    if mail is None:
        return None
    return mail, await tx.value(str, "select body from mails where mail_id = $1", mail_id)


@dataclass(frozen=True, slots=True)
class ReadersChoice:
    user_id: int
    choice: MailChoice


async def choices_of_addresses(
    tx: Reader, switch: MailSwitch, addresses: Sequence[str]
) -> dict[str, ReadersChoice]:
    """Return who of these brokers does not want a kind of mail at once, by the address in lower case."""
    statement = """
    select u.email, c.user_id, c.choice from mail_choices c join users u using (user_id)
    where u.email = any($1) and c.switch = $2 and u.role = 'broker' and u.disabled_at is null
    """
    rows = await tx.connection.fetch(statement, [address.lower() for address in addresses], switch)
    return {row["email"]: ReadersChoice(row["user_id"], MailChoice(row["choice"])) for row in rows}


async def choices_of(tx: Reader, user_id: int) -> dict[MailSwitch, MailChoice]:
    rows = await tx.connection.fetch("select switch, choice from mail_choices where user_id = $1", user_id)
    chosen = {row["switch"]: MailChoice(row["choice"]) for row in rows}
    return {switch: chosen.get(switch, MailChoice.AT_ONCE) for switch in MailSwitch}


async def keep_choices(tx: Tx, user_id: int, chosen: Mapping[MailSwitch, MailChoice]) -> None:
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
    """Claim what waits for a digest; a second caller finds nothing left."""
    statement = """
    with taken as (
        update digest_entries set taken_at = $2 where user_id = $1 and taken_at is null and at < $3
        returning entry_id, at, sentence, link
    )
    select at, sentence, link from taken order by at, entry_id
    """
    return await tx.rows(DigestEntry, statement, user_id, tx.now, before)
