"""The facts that notices about a policy show, frozen with their event."""

import uuid

from bindery.contract.documents import DocumentType
from bindery.domain.documents.facts import (
    ApplicantFacts,
    OptionFacts,
    join_facts,
    read_applicant_facts,
    read_option_facts,
    write_facts,
)
from bindery.domain.documents.notices import (
    NOTICE_OF,
    NoticeFacts,
    PolicyEvent,
    notice_facts,
    read_event,
    write_event,
)
from bindery.domain.quote.quote import Quote
from bindery.storage.database import Reader, Tx


async def freeze(
    tx: Tx, quote: Quote, event: PolicyEvent, *, applicant: ApplicantFacts, option: OptionFacts
) -> tuple[DocumentType, int]:
    kind = NOTICE_OF[type(event)]
    version = await tx.value(
        int,
        """
        with applicant as (
            insert into applicant_facts (submission_id, facts) values ($1, $2) on conflict do nothing
        )
        insert into notices (quote_id, type, version, facts, event, written_at)
        select $3, $4, coalesce(max(version), 0) + 1, $5, $6, $7
        from notices where quote_id = $3 and type = $4
        returning version
        """,
        quote.submission_id,
        write_facts(applicant),
        quote.quote_id,
        kind,
        write_facts(option),
        write_event(event),
        tx.now,
    )
    return kind, version


async def newest_version(tx: Reader, quote_id: uuid.UUID, kind: DocumentType) -> int:
    statement = "select coalesce(max(version), 0) from notices where quote_id = $1 and type = $2"
    return await tx.value(int, statement, quote_id, kind)


async def find_event(tx: Reader, quote_id: uuid.UUID, kind: DocumentType) -> PolicyEvent | None:
    """Return the last event of a kind that a notice was written of."""
    statement = "select event from notices where quote_id = $1 and type = $2 order by version desc limit 1"
    event = await tx.find_value(str, statement, quote_id, kind)
    return None if event is None else read_event(kind, event)


async def find(tx: Reader, quote_id: uuid.UUID, kind: DocumentType, version: int) -> NoticeFacts:
    statement = """
    select n.facts, n.event, a.facts
    from notices n join quotes q using (quote_id) join applicant_facts a using (submission_id)
    where n.quote_id = $1 and n.type = $2 and n.version = $3
    """
    row = await tx.connection.fetchrow(statement, quote_id, kind, version)
    assert row is not None, "a notice is asked for once it was written"
    facts = join_facts(read_applicant_facts(row[2]), read_option_facts(row[0]))
    return notice_facts(facts, read_event(kind, row[1]))
