"""What a partner sees of a quote."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Final

from bindery.contract.quote import (
    ContingencyBody,
    CorrectionBody,
    CoverageBody,
    QuoteBody,
    QuoteDates,
    RenewalBody,
    SurchargeBody,
)
from bindery.contract.service import ReferralReason
from bindery.contract.vocabulary import InsuranceProduct, QuoteStatus
from bindery.domain.contingencies import Contingency
from bindery.domain.document_access import available_documents, course_of
from bindery.domain.lifecycle import BINDABLE
from bindery.domain.quote import Quote
from bindery.domain.risk import Term
from bindery.domain.underwriting import AssessmentRecord, from_record

TECHNOLOGY_INDUSTRY: Final = "00"
WITHOUT_PREMIUM: Final = frozenset(
    {QuoteStatus.QUOTE_REFERRED, QuoteStatus.STALE, QuoteStatus.QUOTE_DECLINED}
)
"""A person has not put a price to these; what the machine worked out is for the underwriter only."""

_NOT_ASSESSED: Final = AssessmentRecord(corrections=[], reasons=[])


def show_quote(
    quote: Quote,
    *,
    client: Mapping[str, Any],
    term: Term,
    contingencies: Sequence[Contingency],
    policy_number: str | None = None,
    is_issued: bool = False,
    is_scanned: bool = False,
    renewal: RenewalBody | None = None,
) -> QuoteBody:
    """Show a quote with its terms, price and standing."""
    record = from_record(quote.assessment) if quote.assessment is not None else _NOT_ASSESSED
    has_price = (
        quote.premium is not None and quote.status not in WITHOUT_PREMIUM and quote.expires_on is not None
    )
    priced = record if has_price else _NOT_ASSESSED
    ask, terms = quote.ask, quote.terms
    course = course_of(quote, is_issued=is_issued, is_scanned=is_scanned)
    return QuoteBody(
        quote_identifier=str(quote.quote_id),
        company_id=str(quote.company_id),
        client=_client(client, quote.product),
        insurance_product=quote.product,
        aggregate_limit=terms.aggregate_limit if terms else ask.aggregate_limit,
        aggregate_retention=terms.aggregate_retention if terms else ask.aggregate_retention,
        per_claim_limit=terms.per_claim_limit if terms else ask.per_claim_limit or ask.aggregate_limit,
        per_claim_retention=terms.per_claim_retention if terms else ask.per_claim_retention,
        premium=quote.premium if has_price else None,
        quote_status=quote.status,
        quote_expiration_date=quote.expires_on,
        policy_number=policy_number,
        dates=_dates(term, quote.product),
        contingencies=[
            ContingencyBody(contingency_id=c.contingency_id, status=c.status, text=c.text, type=c.type)
            for c in contingencies
        ],
        coverages=[
            CoverageBody(
                coverage_name=c.coverage_name,
                limit=c.limit,
                retention=c.retention,
                parameter_name=c.parameter_name,
                parameter=c.parameter,
            )
            for c in priced.coverages
        ],
        # The JSON edge: the specification wants numbers here, and cents survive a double exactly enough.
        surcharges=[
            SurchargeBody(title=s.title, percentage=float(s.percentage), price=float(s.price))
            for s in priced.surcharges
        ],
        surcharges_effective_from=priced.surcharges_effective_from,
        surcharges_effective_until=priced.surcharges_effective_until,
        filing_effective_from=priced.filing_effective_from,
        filing_effective_until=None,
        error_occurred=quote.error_occurred,
        red_flags_exist=quote.red_flags_exist,
        referral_reasons=[ReferralReason(**reason) for reason in record.reasons],
        corrections=[
            CorrectionBody(field=c.field, asked=c.asked, given=c.given, text=c.text)
            for c in record.corrections
        ],
        available_documents=list(available_documents(course)),
        available_actions=_actions(quote, renewal),
        renewal=renewal,
    )


def _actions(quote: Quote, renewal: RenewalBody | None) -> list[str]:
    if quote.status in BINDABLE:
        return ["bind"]
    may_pause = quote.status is QuoteStatus.POLICY_ACTIVE and renewal is not None and renewal.type == "auto"
    return ["pause_renewal"] if may_pause else []


def _client(client: Mapping[str, Any], product: InsuranceProduct) -> dict[str, Any]:
    if product is InsuranceProduct.TEO:
        return {**client, "industry": TECHNOLOGY_INDUSTRY}
    return dict(client)


def _dates(term: Term, product: InsuranceProduct) -> QuoteDates:
    # The cover of TEO starts with the policy where no earlier date was asked for.
    teo_default = term.effective if product is InsuranceProduct.TEO else None
    mpl = term.mpl_retroactive
    return QuoteDates(
        effective=term.effective,
        expiration=term.expiration,
        mpl_retroactive_date=mpl.isoformat() if isinstance(mpl, date) else mpl,
        teo_retroactive_date=term.teo_retroactive or teo_default,
    )
