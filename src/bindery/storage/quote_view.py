"""Reading everything that GET `/quotes/{identifier}` shows, in one round trip."""

import uuid
from dataclasses import dataclass
from typing import Any

import msgspec

from bindery.domain.contingencies import Contingency
from bindery.domain.quote import Quote
from bindery.domain.risk import Term
from bindery.domain.submission.value import read_term
from bindery.storage.database import Tx
from bindery.storage.quotes import COLUMNS, from_row

_READ = f"""
select {", ".join("q." + column.strip() for column in COLUMNS.split(","))}, s.body, s.facts,
    (select json_agg(json_build_object('contingency_id', c.contingency_id::text, 'kind', c.kind,
                                       'type', c.type, 'text', c.text, 'status', c.status)
                     order by c.contingency_id)
     from contingencies c where c.quote_id = q.quote_id) as owed
from quotes q join submissions s using (submission_id)
where q.quote_id = $1 and q.partner_id = $2
"""


class _Body(msgspec.Struct):
    client: dict[str, Any]


class _Facts(msgspec.Struct):
    term: dict[str, Any]


_read_client = msgspec.json.Decoder(_Body).decode
_read_facts = msgspec.json.Decoder(_Facts).decode
_read_owed = msgspec.json.Decoder(list[Contingency]).decode


@dataclass(frozen=True, slots=True)
class SeenQuote:
    """A quote and what is shown with it."""

    quote: Quote
    body: str
    facts: str
    owed: str | None

    @property
    def client(self) -> dict[str, Any]:
        """Give the client as it was sent."""
        return _read_client(self.body).client

    @property
    def term(self) -> Term:
        """Give the policy period."""
        return read_term(_read_facts(self.facts).term)

    @property
    def contingencies(self) -> list[Contingency]:
        """Give what the quote is subject to."""
        return _read_owed(self.owed) if self.owed else []


async def see(tx: Tx, quote_id: uuid.UUID, *, partner_id: int) -> SeenQuote | None:
    """Read a partner's quote with all that is shown of it; another partner's is not there."""
    row = await tx.connection.fetchrow(_READ, quote_id, partner_id)
    return None if row is None else SeenQuote(from_row(row), row["body"], row["facts"], row["owed"])
