"""Premium transactions: a list that only grows, which the database itself sees to."""

import uuid
from typing import Final

import msgspec

from bindery.domain.policy.ledger import Booked, PremiumTransaction, TransactionKind
from bindery.domain.rating.surcharges import Surcharge
from bindery.storage.database import Reader, Tx, read_row

_BOOK: Final = """
insert into premium_transactions (
    quote_id, number, kind, journal_entry, booked_on, effective, premium, charges, charge_lines, reverses,
    section_id, commission_rate, commission, partner_id, product, state)
select $1, (select count(*) + 1 from premium_transactions where quote_id = $1),
       $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, q.partner_id, q.product, s.state
from quotes q join submissions s using (submission_id) where q.quote_id = $1
"""
_read_charges = msgspec.json.Decoder(tuple[Surcharge, ...]).decode


async def book(tx: Tx, transaction: PremiumTransaction) -> None:
    """Add a transaction to a locked policy, in the transaction of the database that writes its journal."""
    await tx.execute(
        _BOOK,
        transaction.quote_id,
        transaction.kind,
        transaction.journal_entry,
        transaction.booked_on,
        transaction.effective,
        transaction.premium,
        transaction.charges_total,
        msgspec.json.encode(transaction.charges).decode(),
        transaction.reverses,
        transaction.section_id,
        transaction.commission_rate,
        transaction.commission,
    )


async def of_policy(tx: Reader, quote_id: uuid.UUID) -> list[Booked]:
    statement = """
    select quote_id, number, kind, journal_entry, booked_on, effective, premium, charge_lines, reverses,
           section_id, commission_rate
    from premium_transactions where quote_id = $1 order by number
    """
    rows = await tx.connection.fetch(statement, quote_id)
    return [read_row(Booked, row, charges=_read_charges(row["charge_lines"])) for row in rows]


async def last_of(tx: Reader, quote_id: uuid.UUID, kind: TransactionKind) -> Booked:
    """Return the last transaction of a kind, which the policy has."""
    return [booked for booked in await of_policy(tx, quote_id) if booked.kind is kind][-1]
