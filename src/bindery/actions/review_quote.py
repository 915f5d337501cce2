"""What an underwriter decides about a quote; each decision carries a name and a reason."""

import uuid
from dataclasses import dataclass, replace
from typing import Any

from bindery.actions.advance_quote import advance_quote
from bindery.actions.publish_quotes import publish_quotes
from bindery.base.errors import InvalidRequest, NotFound, Problem
from bindery.domain.contingencies import DraftContingency
from bindery.domain.lifecycle import Trigger, find_move
from bindery.domain.quote import Quote
from bindery.domain.rating.tariff import tariff_in_force
from bindery.domain.screening import applicant_of
from bindery.domain.underwriting import from_record, price_option, reprice_record
from bindery.runtime import Runtime
from bindery.storage import contingencies, quotes, submissions
from bindery.storage.database import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedTerms:
    """What an underwriter approves instead of what the machine worked out; None leaves a term as it is."""

    aggregate_retention: int | None = None
    premium: int | None = None

    @property
    def anything(self) -> bool:
        """Say whether anything is changed at all."""
        return self.aggregate_retention is not None or self.premium is not None


async def approve_referral(
    runtime: Runtime, quote_id: uuid.UUID, *, changed: ChangedTerms, actor: str, reason: str = ""
) -> None:
    """Price the quote on the terms approved, with any override on record, and publish it.

    Raises:
        WrongState: it is not referred.
        InvalidRequest: the tariff has no price for those terms.
    """
    async with runtime.database.transaction() as tx:
        quote = await _lock(tx, quote_id)
        find_move(quote.status, Trigger.APPROVE_REFERRAL)
        approved = await _reprice(runtime, tx, quote, changed, actor=actor, reason=reason)
        data: dict[str, Any] = {"reason": reason, "premium": approved.premium}
        await advance_quote(tx, approved, Trigger.APPROVE_REFERRAL, actor=actor, data=data)
    await publish_quotes(runtime, quote.submission_id)


async def _reprice(
    runtime: Runtime, tx: Tx, quote: Quote, changed: ChangedTerms, *, actor: str, reason: str
) -> Quote:
    stored = await submissions.find(tx, quote.submission_id)
    assert stored is not None, "a quote has a submission"
    assert quote.terms is not None, "a referred quote has terms"
    assert quote.assessment is not None, "a referred quote was assessed"
    terms = quote.terms
    if changed.aggregate_retention is not None:
        terms = replace(terms, aggregate_retention=changed.aggregate_retention)
    applicant = applicant_of(stored.submission, scan=stored.scan, sanctions=runtime.sanctions)
    try:
        price = price_option(
            tariff_in_force(runtime.business_day(tx.now)),
            applicant,
            terms,
            premium=changed.premium,
            # Approving a firm without MFA on remote access does not give it the full ransomware cover.
            restricted_ransomware=applicant.risk.answers.no("Q2301"),
        )
    except LookupError as gap:
        flaw = Problem("terms", "not_priced", f"The tariff has no price for this: {gap}.")
        raise InvalidRequest.because([flaw]) from gap
    override = (
        {
            "by": actor,
            "reason": reason,
            "aggregate_retention": changed.aggregate_retention,
            "premium": changed.premium,
            "rated_premium": price.worksheet.premium,
        }
        if changed.anything
        else None
    )
    return replace(
        quote,
        terms=terms,
        premium=price.premium,
        assessment=reprice_record(from_record(quote.assessment), price, override=override),
    )


async def decline_quote(runtime: Runtime, quote_id: uuid.UUID, *, actor: str, reason: str) -> None:
    """Decline a referral or a bind request.

    Raises:
        WrongState: it is neither.
    """
    async with runtime.database.transaction() as tx:
        quote = await _lock(tx, quote_id)
        await advance_quote(tx, quote, Trigger.DECLINE, actor=actor, data={"reason": reason})


async def revoke_quote(runtime: Runtime, quote_id: uuid.UUID, *, actor: str, reason: str) -> None:
    """Revoke a quote by the underwriter's discretion.

    Raises:
        WrongState: it is not open.
    """
    async with runtime.database.transaction() as tx:
        quote = await _lock(tx, quote_id)
        await advance_quote(tx, quote, Trigger.REVOKE, actor=actor, data={"reason": reason})


async def add_contingency(
    runtime: Runtime, quote_id: uuid.UUID, draft: DraftContingency, *, actor: str
) -> None:
    """Make the quote subject to something more.

    Raises:
        WrongState: it is past the point where anything can be asked for.
    """
    async with runtime.database.transaction() as tx:
        quote = await _lock(tx, quote_id)
        await advance_quote(
            tx,
            quote,
            Trigger.CHANGE_CONTINGENCIES,
            actor=actor,
            data={"added": {"type": draft.type, "text": draft.text}},
        )
        await contingencies.add(tx, quote_id, [draft])


async def _lock(tx: Tx, quote_id: uuid.UUID) -> Quote:
    quote = await quotes.lock(tx, quote_id)
    if quote is None:
        raise NotFound(f"There is no quote {quote_id}.")
    return quote
