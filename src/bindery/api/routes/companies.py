from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC
from decimal import Decimal
from itertools import groupby
from typing import Any, Final

import msgspec
from starlette.responses import Response

from bindery.api.call import Call
from bindery.api.query import find_company
from bindery.base.errors import NotFound
from bindery.contract.lists import (
    CompanyBody,
    CompanyOption,
    CompanySubmission,
    Superseded,
    SupersededBecause,
    TermDates,
)
from bindery.contract.policy_ending import RenewalState
from bindery.contract.quote import DecisionKind, QuoteBody
from bindery.domain.quote.changes import Candidate, successors
from bindery.domain.quote.underwriting import from_record
from bindery.http.show_quote import show_quote
from bindery.storage.quote import quote_view
from bindery.storage.quote.quote_view import QuoteRecord

MOST_OPTIONS: Final = 300


class _AskedPolicy(msgspec.Struct):
    quotes: list[Any] | None = None


class _Asked(msgspec.Struct):
    policy: _AskedPolicy


_read_asked = msgspec.json.Decoder(_Asked).decode


async def get_company(call: Call) -> Response:
    company_id = await find_company(call, call.identifier("company_id"))
    if company_id is None:
        # Another partner's company is answered like one that is not there.
        raise NotFound("There is no such company.")
    async with call.runtime.database.reading() as tx:
        seen = await quote_view.see_company(tx, company_id, most=MOST_OPTIONS + 1)
    return call.json_with_etag(_company(seen[:MOST_OPTIONS], has_older=len(seen) > MOST_OPTIONS))


def _company(seen: Sequence[QuoteRecord], *, has_older: bool) -> CompanyBody:
    bodies = {quote.quote.quote_id: show_quote(quote) for quote in seen}
    heirs = successors(_candidate(quote, bodies[quote.quote.quote_id]) for quote in seen)
    superseded = {
        str(old): Superseded(quote_identifier=str(new), because=because)
        for old, (new, because) in heirs.items()
    }
    # An option that superseded several is compared with the one named first.
    before: dict[str, str] = {}
    for old, heir in superseded.items():
        if heir.because is not SupersededBecause.OTHER_OPTION_BOUND:
            before.setdefault(heir.quote_identifier, old)
    totals = {body.quote_identifier: body.total for body in bodies.values()}
    submissions = [
        _submission([(quote, bodies[quote.quote.quote_id]) for quote in options], superseded, before, totals)
        for _, options in groupby(seen, lambda quote: quote.quote.submission_id)
    ]
    newest = bodies[seen[0].quote.quote_id]
    return CompanyBody(
        company_id=newest.company_id,
        client=newest.client,
        submissions=submissions,
        older_quotes=has_older,
    )


def _candidate(seen: QuoteRecord, body: QuoteBody) -> Candidate:
    decision = body.decision
    is_renewed = body.renewal is not None and body.renewal.state in {RenewalState.OFFERED, RenewalState.BOUND}
    return Candidate(
        quote_id=seen.quote.quote_id,
        submission_id=seen.quote.submission_id,
        product=seen.quote.product,
        ask=seen.quote.ask,
        passed_over_for=seen.quote.passed_over_for,
        renewed_by=seen.renewed_by if is_renewed else None,
        is_renewal=seen.renews is not None,
        was_outdated=decision is not None
        and decision.kind is DecisionKind.REVOKED
        and decision.reason == SupersededBecause.SUBMISSION_CHANGED,
    )


def _submission(
    options: Sequence[tuple[QuoteRecord, QuoteBody]],
    superseded: Mapping[str, Superseded],
    before: Mapping[str, str],
    totals: Mapping[str, float | None],
) -> CompanySubmission:
    first, body = options[0]
    asked = len(_read_asked(first.body).policy.quotes or ()) or 1
    cheapest = _least(body.premium for _, body in options)
    least_total = _least(body.total for _, body in options)
    return CompanySubmission(
        insurance_product=body.insurance_product,
        created_at=first.quote.created_at.astimezone(UTC),
        revenue=body.client["revenue"],
        renews=str(first.renews) if first.renews else None,
        options=[
            CompanyOption(
                quote_identifier=body.quote_identifier,
                company_id=body.company_id,
                name=body.client["name"],
                broker_email=str(body.client["broker_email"]).lower(),
                insurance_product=body.insurance_product,
                quote_status=body.quote_status,
                aggregate_limit=body.aggregate_limit,
                aggregate_retention=body.aggregate_retention,
                per_claim_limit=body.per_claim_limit,
                per_claim_retention=body.per_claim_retention,
                premium=body.premium,
                total=body.total,
                quote_expiration_date=body.quote_expiration_date,
                policy_number=body.policy_number,
                dates=TermDates(effective=body.dates.effective, expiration=body.dates.expiration),
                renews=str(seen.renews) if seen.renews else None,
                created_at=seen.quote.created_at.astimezone(UTC),
                updated_at=seen.quote.updated_at.astimezone(UTC),
                metadata=body.client.get("metadata"),
                premium_difference=None if body.premium is None else body.premium - int(cheapest or 0),
                total_difference=_difference(body.total, least_total),
                change_from_superseded=_difference(
                    body.total, totals.get(before.get(body.quote_identifier, ""))
                ),
                counter_offer=_is_counter_offer(seen, asked=asked),
                superseded_by=superseded.get(body.quote_identifier),
            )
            for seen, body in options
        ],
    )


def _is_counter_offer(seen: QuoteRecord, *, asked: int) -> bool:
    """Whether an underwriter made the option, or set its terms or price."""
    record = from_record(seen.quote.assessment) if seen.quote.assessment is not None else None
    return seen.quote.option_number >= asked or (record is not None and record.override is not None)


def _least(amounts: Iterable[float | None]) -> float | None:
    return min((amount for amount in amounts if amount is not None), default=None)


def _difference(amount: float | None, other: float | None) -> float | None:
    # The JSON edge: cents are taken from each other as decimals, so that none is lost.
    if amount is None or other is None:
        return None
    return float(Decimal(str(amount)) - Decimal(str(other)))
