"""Reading everything that GET `/quotes/{identifier}` shows, in one round trip."""

import uuid
from dataclasses import dataclass
from datetime import date
from typing import Any

import msgspec

from bindery.contract.quote import QuoteBody, RenewalBody
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.contingencies import Contingency
from bindery.domain.document_access import Course, course_of
from bindery.domain.policy import RenewalType
from bindery.domain.quote import Quote
from bindery.domain.quote_view import show_quote
from bindery.domain.risk import Term
from bindery.domain.submission.value import read_term
from bindery.storage.database import Tx
from bindery.storage.quotes import COLUMNS, from_row

_READ = f"""
select {", ".join("q." + column.strip() for column in COLUMNS.split(","))}, s.body, s.facts,
    s.effective, s.expiration,
    (select json_agg(json_build_object('contingency_id', c.contingency_id::text, 'kind', c.kind,
                                       'type', c.type, 'text', c.text, 'status', c.status)
                     order by c.contingency_id)
     from contingencies c where c.quote_id = q.quote_id) as owed,
    exists (select from documents d where d.quote_id = q.quote_id and d.type = 'security_report')
        as is_scanned,
    s.renews, b.policy_number, b.issued_on, b.contacts, b.renewal_quote_id,
    coalesce(b.renewal_type, (select e.renewal_type from binds e where e.quote_id = s.renews))
        as renewal_type,
    case when b.quote_id is not null
         then json_build_object('effective', b.effective, 'expiration', b.expiration,
                                'teo_retroactive', b.teo_retroactive, 'mpl_retroactive', b.mpl_retroactive)
    end as bound_term
from quotes q
join submissions s using (submission_id)
left join binds b using (quote_id)
where q.quote_id = $1 and q.partner_id = $2
"""


class _Body(msgspec.Struct):
    client: dict[str, Any]


class _Facts(msgspec.Struct):
    term: dict[str, Any]


_read_client = msgspec.json.Decoder(_Body).decode
_read_facts = msgspec.json.Decoder(_Facts).decode
_read_owed = msgspec.json.Decoder(list[Contingency]).decode


_SHOWN = (
    "body", "facts", "effective", "expiration", "owed", "renews", "policy_number", "issued_on", "contacts",
    "renewal_type", "renewal_quote_id", "bound_term", "is_scanned",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SeenQuote:
    """A quote and what is shown with it."""

    quote: Quote
    body: str
    facts: str
    effective: date
    expiration: date
    owed: str | None
    renews: uuid.UUID | None
    policy_number: str | None
    issued_on: date | None
    contacts: str | None
    renewal_type: str | None
    renewal_quote_id: uuid.UUID | None
    bound_term: str | None
    is_scanned: bool

    @property
    def client(self) -> dict[str, Any]:
        """Give the client as it was sent; contacts that came with the bind take the place of those."""
        client = _read_client(self.body).client
        return client if self.contacts is None else {**client, **msgspec.json.decode(self.contacts)}

    @property
    def term(self) -> Term:
        """Give the policy period: that of the bind where there is one, else the one quoted."""
        if self.bound_term is not None:
            return read_term(msgspec.json.decode(self.bound_term))
        try:
            return read_term(_read_facts(self.facts).term)
        except (msgspec.MsgspecError, LookupError, TypeError, ValueError):
            # Facts that cannot be read are why it is at the desk; what its own columns say is shown.
            return Term(effective=self.effective, expiration=self.expiration)

    @property
    def contingencies(self) -> list[Contingency]:
        """Give what the quote is subject to."""
        return _read_owed(self.owed) if self.owed else []

    @property
    def course(self) -> Course:
        """Give what its documents depend on."""
        return course_of(self.quote, is_issued=self.issued_on is not None, is_scanned=self.is_scanned)

    def shown(self) -> QuoteBody:
        """Give what the partner sees."""
        return show_quote(
            self.quote,
            client=self.client,
            term=self.term,
            contingencies=self.contingencies,
            policy_number=self.policy_number,
            is_issued=self.issued_on is not None,
            is_scanned=self.is_scanned,
            renewal=self._renewal(),
        )

    def _renewal(self) -> RenewalBody | None:
        if self.policy_number is None and self.renews is None:
            return None
        return RenewalBody(
            type=RenewalType(self.renewal_type or RenewalType.AUTO),
            renews=str(self.renews) if self.renews else None,
            renewed_by=str(self.renewal_quote_id) if self.renewal_quote_id else None,
        )


@dataclass(frozen=True, slots=True)
class Glance:
    """What tells one state of a quote from another: everything shown changes one of these."""

    quote_id: uuid.UUID
    status: QuoteStatus
    version: int
    renewal_type: str | None
    renewal_quote_id: uuid.UUID | None
    submission_id: uuid.UUID


async def glance(tx: Tx, quote_id: uuid.UUID, *, partner_id: int) -> Glance | None:
    """Look at the state of a partner's quote by its key; another partner's is not there."""
    row = await tx.connection.fetchrow(
        """
        select q.quote_id, q.status, q.version, b.renewal_type, b.renewal_quote_id, q.submission_id
        from quotes q left join binds b using (quote_id)
        where q.quote_id = $1 and q.partner_id = $2
        """,
        quote_id,
        partner_id,
    )
    if row is None:
        return None
    return Glance(row[0], QuoteStatus(row[1]), row[2], row[3], row[4], row[5])


async def see(tx: Tx, quote_id: uuid.UUID, *, partner_id: int) -> SeenQuote | None:
    """Read a partner's quote with all that is shown of it; another partner's is not there."""
    row = await tx.connection.fetchrow(_READ, quote_id, partner_id)
    return None if row is None else SeenQuote(from_row(row), *(row[name] for name in _SHOWN))
