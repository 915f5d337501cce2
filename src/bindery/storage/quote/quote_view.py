"""Reading everything that GET `/quotes/{identifier}` shows, in one round trip."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import msgspec

from bindery.contract.documents import DocumentType
from bindery.domain.applicant.risk import Term
from bindery.domain.documents.access import DocumentState, as_of, document_state_of
from bindery.domain.policy.binding import opens_on
from bindery.domain.policy.contingencies import Contingency
from bindery.domain.quote.lifecycle import DECISIVE
from bindery.domain.quote.quote import Quote
from bindery.domain.submission.value import Correction, client_of, read_term
from bindery.storage.database import Reader, of_table, read_row
from bindery.storage.quote.quotes import COLUMNS, from_row

# Every row that is read here raises the quote's version when it changes: the quote's own, also with each step
# of its journal, with which notices come, and uploads and binds by triggers.
_READ = f"""
select {of_table("q", COLUMNS)}, q.shown_version, s.body, s.facts,
    s.effective, s.expiration,
    (select json_agg(json_build_object('contingency_id', c.contingency_id::text, 'kind', c.kind,
                                       'type', c.type, 'text', c.text, 'status', c.status)
                     order by c.contingency_id)
     from contingencies c where c.quote_id = q.quote_id) as owed,
    (select json_agg(json_build_object('document_id', u.document_id, 'name', u.name,
                                       'contingency', u.contingency_id::text, 'received', u.uploaded_at,
                                       'judged', u.finding::json)
                     order by u.uploaded_at, u.document_id)
     from uploads u where u.quote_id = q.quote_id) as uploaded,
    (select json_build_object('trigger', j.trigger, 'at', j.at, 'data', j.data::json)
     from journal j
     where j.quote_id = q.quote_id and j.trigger = any($1) and j.status_after = q.status
     order by j.entry desc limit 1) as decided,
    (select array_agg(distinct n.type) from notices n where n.quote_id = q.quote_id) as told,
    s.scan::json ->> 'score' is not null as is_scanned,
    s.renews, b.policy_number, b.attested, b.fulfil_by, b.issued_on, b.contacts, b.renewal_quote_id,
    b.cancellation_request, b.cancellation_answer, b.cancellation_open,
    coalesce(b.renewal_type, (select e.renewal_type from binds e where e.quote_id = s.renews))
        as renewal_type,
    case when b.quote_id is not null
         then json_build_object('effective', b.effective, 'expiration', b.expiration,
                                'retroactive', b.retroactive)
    end as bound_term
from quotes q
join submissions s using (submission_id)
left join binds b using (quote_id)
"""


class _Facts(msgspec.Struct):
    term: dict[str, Any] = {}
    corrections: list[Correction] = []


read_facts = msgspec.json.Decoder(_Facts).decode
_read_owed = msgspec.json.Decoder(list[Contingency]).decode


@dataclass(frozen=True, slots=True)
class QuoteRecord:
    quote: Quote
    today: date
    version: int
    body: str
    facts: str
    effective: date
    expiration: date
    owed: str | None
    uploaded: str | None
    decided: str | None
    renews: uuid.UUID | None
    policy_number: str | None
    attested: bool | None
    fulfil_by: date | None
    issued_on: date | None
    contacts: str | None
    renewal_type: str | None
    renewal_quote_id: uuid.UUID | None
    bound_term: str | None
    is_scanned: bool
    told: Sequence[str] | None
    cancellation_request: str | None
    cancellation_answer: str | None
    cancellation_open: bool | None

    @property
    def is_issued(self) -> bool:
        return self.issued_on is not None

    @property
    def client(self) -> dict[str, Any]:
        """Return the client as it was sent; contacts that came with the bind take the place of those."""
        return client_of(self.body, self.contacts)

    @property
    def term(self) -> Term:
        if self.bound_term is not None:
            return read_term(msgspec.json.decode(self.bound_term))
        try:
            return read_term(read_facts(self.facts).term)
        except (msgspec.MsgspecError, LookupError, TypeError, ValueError):
            # Facts that cannot be read are why it is at the desk; what its own columns say is shown.
            return Term(effective=self.effective, expiration=self.expiration)

    @property
    def corrections(self) -> list[Correction]:
        try:
            return read_facts(self.facts).corrections
        except msgspec.MsgspecError:
            return []

    @property
    def is_early_offer(self) -> bool:
        """Whether it renews a policy, and cannot be bound by hand before a later day."""
        return self.renews is not None and self.today < opens_on(self.term.effective)

    @property
    def contingencies(self) -> list[Contingency]:
        return _read_owed(self.owed) if self.owed else []

    @property
    def has_unsettled_papers(self) -> bool:
        if self.uploaded is None:
            return False
        sent_for = {upload["contingency"] for upload in msgspec.json.decode(self.uploaded)}
        return any(owed.is_open and owed.contingency_id in sent_for for owed in self.contingencies)

    @property
    def document_state(self) -> DocumentState:
        return document_state_of(
            self.quote,
            is_issued=self.is_issued,
            is_scanned=self.is_scanned,
            owed=[contingency.text for contingency in self.contingencies if contingency.is_open],
            fulfil_by=self.fulfil_by,
            expiration=self.term.expiration,
            notices=[DocumentType(kind) for kind in self.told or ()],
        )

    @property
    def document_state_today(self) -> DocumentState:
        """The state by the clock, which may be ahead of the status."""
        return as_of(self.document_state, self.today)


async def see(tx: Reader, quote_id: uuid.UUID, *, partner_id: int) -> QuoteRecord | None:
    found = await _see(tx, "where q.quote_id = $2 and q.partner_id = $3", quote_id, partner_id)
    return found[0] if found else None


async def see_company(tx: Reader, company_id: int, *, most: int | None = None) -> list[QuoteRecord]:
    order = "s.created_at desc, s.submission_id desc, q.option_number"
    return await _see(tx, f"where q.company_id = $2 order by {order} limit $3", company_id, most)


async def see_submission(tx: Reader, submission_id: uuid.UUID) -> list[QuoteRecord]:
    return await _see(tx, "where q.submission_id = $2 order by q.option_number", submission_id)


async def _see(tx: Reader, which: str, *values: object) -> list[QuoteRecord]:
    rows = await tx.connection.fetch(f"{_READ} {which}", list(DECISIVE), *values)
    return [
        read_row(QuoteRecord, row, quote=from_row(row), today=tx.today, version=row["shown_version"])
        for row in rows
    ]
