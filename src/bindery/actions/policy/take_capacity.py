"""Asking the binders whether a policy may be written, and taking its premium from their limits."""

from datetime import date
from typing import NoReturn, assert_never

from bindery.base.errors import InvalidRequest
from bindery.base.numbers import in_dollars
from bindery.domain.applicant.risk import Term
from bindery.domain.policy.binders import (
    AskedRisk,
    FoundSection,
    NoAuthority,
    NoAuthorityCode,
    broken_clauses,
    exhausted,
    no_section,
    outside,
)
from bindery.domain.policy.ledger import PremiumTransaction
from bindery.domain.quote.quote import Quote
from bindery.domain.quote.underwriting import from_record
from bindery.storage.database import Reader, Tx
from bindery.storage.policy import capacity, ledger
from bindery.storage.policy.capacity import Room


async def take_capacity(tx: Tx, quote: Quote, term: Term) -> FoundSection | NoAuthority | None:
    """Take the premium of a quote from the binder of its first day, or return why that cannot be.

    Return None where no binder is on file at all: then nobody keeps authority here.
    """
    premium = quote.premium or 0
    room = await capacity.take(tx, quote.quote_id, effective=term.effective, premium=premium)
    decided = _decide(room, quote, term, tx.today)
    if isinstance(decided, NoAuthority) and room.section is not None and room.fits:
        await capacity.give_back(tx, room.section.section_id, premium)
    return decided


async def look_for_capacity(tx: Reader, quote: Quote, term: Term) -> FoundSection | NoAuthority | None:
    """Return what taking would lead to now; nothing is taken."""
    room = await capacity.look(tx, quote.quote_id, effective=term.effective, premium=quote.premium or 0)
    return _decide(room, quote, term, tx.today)


def _decide(room: Room, quote: Quote, term: Term, today: date) -> FoundSection | NoAuthority | None:
    if not room.has_binders:
        return None
    risk = AskedRisk(
        product=quote.product,
        state=room.state,
        revenue=room.revenue,
        sector=room.sector,
        limit=quote.terms.aggregate_limit if quote.terms is not None else quote.ask.aggregate_limit,
        premium=quote.premium or 0,
        rated_premium=from_record(quote.assessment).rated_premium if quote.assessment is not None else None,
        term=term,
        today=today,
    )
    if room.section is None:
        return no_section(risk)
    if clauses := tuple(broken_clauses(room.section, risk)):
        return outside(room.section, clauses)
    return room.section if room.fits else exhausted(room.section, risk.premium)


def refuse(lacking: NoAuthority) -> NoReturn:
    match lacking.code:
        case NoAuthorityCode.OUTSIDE_BINDER:
            raise InvalidRequest.at("binder", "outside_binder", lacking.text)
        case NoAuthorityCode.CAPACITY_EXHAUSTED:
            raise InvalidRequest.at("binder", "capacity_exhausted", lacking.text)
        case _:
            assert_never(lacking.code)


async def book_return(tx: Tx, transaction: PremiumTransaction) -> None:
    """Book what is taken back, and give its premium back to the limit of its binder."""
    await ledger.book(tx, transaction)
    if transaction.section_id is not None:
        await capacity.give_back(tx, transaction.section_id, -transaction.premium)


async def book_again(tx: Tx, transaction: PremiumTransaction) -> None:
    """Book what had been taken back.

    Raises:
        InvalidRequest: the limit of its binder has no room for it any more.
    """
    section_id, premium = transaction.section_id, transaction.premium
    if section_id is not None and not await capacity.take_again(tx, section_id, premium):
        left = f"has less left of its premium limit than the {in_dollars(premium)} of the policy"
        raise InvalidRequest.at("binder", "capacity_exhausted", left)
    await ledger.book(tx, transaction)
