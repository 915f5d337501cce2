"""Certificates that were issued for holders, with the facts of their day."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import Final

from bindery.domain.documents.facts import DocumentFacts, read_document_facts
from bindery.domain.documents.holders import Holder
from bindery.storage.database import Reader, Tx, columns_of, of_table, value_lists
from bindery.storage.list_pages import Cursor, ListPage, page_of


@dataclass(frozen=True, slots=True, kw_only=True)
class CertificateIssue:
    """Certificates that were issued together: one form, or the holders of a file."""

    issue_id: uuid.UUID
    issued_at: datetime
    issued_by: str
    first_number: int
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class IssuedCertificate(Holder):
    """`count` is how many were issued together; `sha256` is None before somebody asked for the file."""

    quote_id: uuid.UUID
    number: int
    sha256: str | None
    issue_id: uuid.UUID
    issued_at: datetime
    issued_by: str
    count: int


_HOLDER: Final = columns_of(Holder)
_ISSUE: Final = columns_of(CertificateIssue)
_READ: Final = f"""
select {of_table("c", _HOLDER)}, c.quote_id, c.number, c.sha256, {_ISSUE}
from certificates c join certificate_issues using (issue_id)
"""


async def find_same(tx: Reader, quote_id: uuid.UUID, *, content_sha256: bytes) -> CertificateIssue | None:
    """Find the issue of the same facts to the same holders."""
    statement = f"select {_ISSUE} from certificate_issues where quote_id = $1 and content_sha256 = $2"
    return await tx.row(CertificateIssue, statement, quote_id, content_sha256)


async def issue(
    tx: Tx,
    quote_id: uuid.UUID,
    holders: Sequence[Holder],
    *,
    issued_by: str,
    facts: str,
    content_sha256: bytes,
) -> CertificateIssue:
    """Issue certificates of a policy whose quote is locked, numbered on from those that it has."""
    issued = await tx.row(
        CertificateIssue,
        f"""
        insert into certificate_issues (quote_id, facts, content_sha256, {_ISSUE})
        select $1, $2, $3, $4, $5, $6, coalesce(max(number), 0) + 1, $7
        from certificates where quote_id = $1
        returning {_ISSUE}
        """,
        quote_id,
        facts,
        content_sha256,
        tx.new_id(),
        tx.now,
        issued_by,
        len(holders),
    )
    assert issued is not None, "the quote is locked"
    names = _HOLDER.split(", ")
    given = ", ".join(f"${place}::text[]" for place in range(4, 4 + len(names)))
    await tx.execute(
        f"""
        insert into certificates (quote_id, issue_id, number, {_HOLDER})
        select $1, $2, $3 + place - 1, {_HOLDER}
        from unnest({given}) with ordinality as holders({_HOLDER}, place)
        """,
        quote_id,
        issued.issue_id,
        issued.first_number,
        *value_lists(holders, *names),
    )
    return issued


async def list_certificates(
    tx: Reader, quote_id: uuid.UUID, *, cursor: Cursor | None = None, limit: int
) -> ListPage[IssuedCertificate]:
    """List the certificates of a policy, the newest first."""
    direction, sign = ("asc", ">") if cursor is not None and cursor.backward else ("desc", "<")
    found = await tx.rows(
        IssuedCertificate,
        f"""
        {_READ} where c.quote_id = $1 and ($2::integer is null or c.number {sign} $2)
        order by c.number {direction} limit $3
        """,
        quote_id,
        cursor.key if cursor is not None else None,
        limit + 1,
    )
    return page_of(found, cursor=cursor, limit=limit, key=attrgetter("number"))


async def of_issue(tx: Reader, quote_id: uuid.UUID, issue_id: uuid.UUID) -> list[IssuedCertificate]:
    statement = f"{_READ} where c.issue_id = $2 and c.quote_id = $1 order by c.number"
    return await tx.rows(IssuedCertificate, statement, quote_id, issue_id)


async def find(tx: Reader, quote_id: uuid.UUID, number: int) -> IssuedCertificate | None:
    return await tx.row(
        IssuedCertificate, f"{_READ} where c.quote_id = $1 and c.number = $2", quote_id, number
    )


async def facts_of(tx: Reader, issue_id: uuid.UUID) -> DocumentFacts:
    statement = "select facts from certificate_issues where issue_id = $1"
    return read_document_facts(await tx.value(str, statement, issue_id))


async def keep_file(tx: Tx, certificate: IssuedCertificate, *, sha256: str) -> str:
    """Record the file of a certificate; return the one that was recorded first."""
    statement = "update certificates set sha256 = $3 where quote_id = $1 and number = $2 and sha256 is null"
    if await tx.execute(statement, certificate.quote_id, certificate.number, sha256):
        return sha256
    kept = await find(tx, certificate.quote_id, certificate.number)
    assert kept is not None, "certificates are never deleted"
    assert kept.sha256 is not None, "otherwise this one had been recorded"
    return kept.sha256
