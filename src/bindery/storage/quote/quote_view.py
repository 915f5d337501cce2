"""Reading everything that GET `/quotes/{identifier}` shows, in one round trip."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import msgspec

from bindery.contract.documents import DocumentType
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.applicant.risk import Term
from bindery.domain.documents.access import DocumentState, as_of, document_state_of
from bindery.domain.documents.application_matching import JudgedUpload
from bindery.domain.policy.binding import opens_on
from bindery.domain.policy.contingencies import Contingency, ReceivedFile, first_files
from bindery.domain.policy.policy import RenewalRuling, came_in_time
from bindery.domain.policy.renewal import may_be_asked_for_from
from bindery.domain.quote.broker_question import BrokerQuestion
from bindery.domain.quote.lifecycle import DECISIVE, OUTLAST_THEIR_STATUS
from bindery.domain.quote.quote import Quote
from bindery.domain.submission.value import Correction, client_of, read_term
from bindery.storage.database import Reader, of_table, read_row
from bindery.storage.quote.quotes import COLUMNS, from_row

_OUTLAST = f"array{[str(trigger) for trigger in OUTLAST_THEIR_STATUS]}"
# Every row that is read here raises the quote's version when it changes: the quote's own, also with each step
# of its journal, with which notices come, and uploads and binds by triggers.
_READ = f"""
select {of_table("q", COLUMNS)}, q.shown_version, s.body, s.facts,
    s.effective, s.expiration,
    (select json_agg(json_build_object('contingency_id', c.contingency_id::text, 'kind', c.kind,
                                       'type', c.type, 'text', c.text, 'status', c.status,
                                       'closed_as', c.closed_as, 'closed_reason', c.closed_reason,
                                       'asked_again_at', c.asked_again_at,
                                       'asked_again_because', c.asked_again_because)
                     order by c.contingency_id)
     from contingencies c where c.quote_id = q.quote_id) as owed,
    (select json_agg(json_build_object('document_id', u.document_id, 'name', u.name,
                                       'contingency', u.contingency_id::text, 'received', u.uploaded_at,
                                       'judged', u.finding::json, 'uploaded_by', u.uploaded_by)
                     order by u.uploaded_at, u.document_id)
     from uploads u where u.quote_id = q.quote_id) as uploaded,
    (select json_build_object('trigger', j.trigger, 'at', j.at, 'data', j.data::json)
     from journal j
     where j.quote_id = q.quote_id and j.trigger = any($1)
       and (j.status_after = q.status or j.trigger = any({_OUTLAST}))
     order by j.entry desc limit 1) as decided,
    (select array_agg(distinct n.type) from notices n where n.quote_id = q.quote_id) as told,
    s.scan::json ->> 'score' is not null as is_scanned,
    (select json_agg(a order by a.asked_at, a.question_id) from broker_questions a
     where a.submission_id = q.submission_id) as asked,
    s.renews, b.policy_number, b.attested, b.fulfil_by, b.issued_on, b.contacts,
    b.cancellation_request, b.cancellation_answer, b.cancellation_open, b.received_on, b.renewal_settled,
    r.quote_id as renewed_by, r.status as renewed_by_status,
    coalesce(b.renewal_type, e.renewal_type) as renewal_type,
    coalesce(b.renewal_ruling, e.renewal_ruling) as renewal_ruling, b.renewal_ruled,
    coalesce(b.cancellation_open, false) or coalesce(e.cancellation_open, false) as is_asked_to_cancel,
    case when b.quote_id is not null
         then json_build_object('effective', b.effective, 'expiration', b.expiration,
                                'retroactive', b.retroactive)
    end as bound_term
from quotes q
join submissions s using (submission_id)
left join binds b using (quote_id)
left join binds e on e.quote_id = s.renews and b.policy_number is null
-- A renewal is one option.
left join quotes r on r.submission_id = b.renewal_submission_id and r.option_number = 0
"""


class _Facts(msgspec.Struct):
    term: dict[str, Any] = {}
    corrections: list[Correction] = []


read_facts = msgspec.json.Decoder(_Facts).decode


class _Asked(msgspec.Struct):
    contingency_id: str
    asked_again_at: datetime | None = None


class UploadedFile(msgspec.Struct, frozen=True):
    document_id: str
    name: str
    contingency: str | None
    received: datetime
    judged: JudgedUpload
    uploaded_by: str


_read_asked = msgspec.json.Decoder(list[_Asked]).decode
_read_files = msgspec.json.Decoder(list[UploadedFile]).decode
_read_questions = msgspec.json.Decoder(list[BrokerQuestion]).decode
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
    renewed_by: uuid.UUID | None
    renewed_by_status: QuoteStatus | None
    renewal_settled: bool | None
    is_asked_to_cancel: bool
    renewal_ruling: str | None
    renewal_ruled: str | None
    received_on: date | None
    bound_term: str | None
    is_scanned: bool
    told: Sequence[str] | None
    asked: str | None
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
    def files(self) -> list[UploadedFile]:
        return _read_files(self.uploaded) if self.uploaded else []

    @property
    def questions(self) -> list[BrokerQuestion]:
        """What the broker was asked about the submission, the oldest first."""
        return _read_questions(self.asked) if self.asked else []

    @property
    def received(self) -> dict[str, datetime]:
        """When the file came in for each contingency for which one waits for an underwriter."""
        if self.uploaded is None or self.owed is None:
            return {}
        asked_again = {owed.contingency_id: owed.asked_again_at for owed in _read_asked(self.owed)}
        first = first_files(
            ReceivedFile(
                contingency=upload.contingency,
                received=upload.received,
                finding=upload.judged.verdict,
                asked_again_at=asked_again.get(upload.contingency),
            )
            for upload in self.files
            if upload.contingency is not None and not upload.judged.signed_electronically
        )
        still_open = {owed.contingency_id for owed in self.contingencies if owed.is_open}
        return {key: at for key, at in first.items() if key in still_open}

    @property
    def has_unsettled_papers(self) -> bool:
        return bool(self.received)

    @property
    def is_late(self) -> bool:
        """Whether it is a binder past its last day for which everything owed came in time."""
        is_conditional = self.quote.status is QuoteStatus.POLICY_ACTIVE and not self.is_issued
        is_past = self.fulfil_by is not None and self.fulfil_by < self.today
        return is_conditional and is_past and came_in_time(self.received_on, self.fulfil_by)

    @property
    def may_ask_for_renewal(self) -> bool:
        ends = self.term.expiration
        return (
            self.quote.status is QuoteStatus.POLICY_ACTIVE
            and self.is_issued
            and self.renewed_by is None
            and self.renewal_ruling != RenewalRuling.NOT_RENEWED
            and may_be_asked_for_from(ends) <= self.today < ends
        )

    @property
    def changes_with_time(self) -> bool:
        """Whether what is shown may change without a change of this quote.

        By the day: an early offer, a binder whose files came, a policy whose renewal can be asked for one
        day. With another quote: a policy that has a renewal.
        """
        if self.quote.status is not QuoteStatus.POLICY_ACTIVE:
            return self.is_early_offer or self.renewed_by is not None
        return self.is_issued or self.received_on is not None

    @property
    def uploaded_for(self) -> frozenset[str]:
        """The ids of the contingencies that files came in for."""
        uploads = msgspec.json.decode(self.uploaded) if self.uploaded else ()
        return frozenset(upload["contingency"] for upload in uploads if upload["contingency"])

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
        """The state by the clock, which may be ahead of the status; a late binder holds."""
        return self.document_state if self.is_late else as_of(self.document_state, self.today)


async def see(tx: Reader, quote_id: uuid.UUID, *, partner_id: int) -> QuoteRecord | None:
    found = await _see(tx, "where q.quote_id = $2 and q.partner_id = $3", quote_id, partner_id)
    return found[0] if found else None


async def see_company(tx: Reader, company_id: int, *, most: int | None = None) -> list[QuoteRecord]:
    order = "s.created_at desc, s.submission_id desc, q.option_number"
    return await _see(tx, f"where q.company_id = $2 order by {order} limit $3", company_id, most)


async def see_options(tx: Reader, quote_ids: Sequence[uuid.UUID]) -> list[QuoteRecord]:
    return await _see(tx, "where q.quote_id = any($2) order by q.option_number", list(quote_ids))


async def see_submission(tx: Reader, submission_id: uuid.UUID) -> list[QuoteRecord]:
    return await _see(tx, "where q.submission_id = $2 order by q.option_number", submission_id)


async def _see(tx: Reader, which: str, *values: object) -> list[QuoteRecord]:
    rows = await tx.connection.fetch(f"{_READ} {which}", list(DECISIVE), *values)
    return [
        read_row(QuoteRecord, row, quote=from_row(row), today=tx.today, version=row["shown_version"])
        for row in rows
    ]
