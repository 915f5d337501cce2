"""What a document says of its quote as data, attached to the PDF: the fields of the API, as frozen."""

from typing import Any

import msgspec

from bindery.contract.quote import BinderBody, ContingencyBody, CoverageBody, QuoteDates, SurchargeBody
from bindery.domain.applicant.risk import FULL_PRIOR_ACTS
from bindery.domain.documents.comparison import ComparisonFacts
from bindery.domain.documents.facts import DocumentFacts
from bindery.domain.products import record_of


def attached_data(facts: DocumentFacts) -> bytes:
    """Return one quote, or of a comparison all its quotes, as JSON; the same bytes for the same facts."""
    if isinstance(facts, ComparisonFacts):
        shown: Any = {"quotes": [_quote(option.facts) for option in facts.options]}
    else:
        shown = _quote(facts)
    return msgspec.json.format(msgspec.json.encode(shown), indent=1)


def _quote(facts: DocumentFacts) -> dict[str, Any]:
    offer, terms, binding = facts.offer, facts.terms, facts.binding
    return {
        "quote_identifier": facts.quote_identifier,
        "company_id": facts.company_id,
        "client": _client(facts),
        "insurance_product": facts.product,
        "aggregate_limit": terms.aggregate_limit,
        "aggregate_retention": terms.aggregate_retention,
        "per_claim_limit": terms.per_claim_limit,
        "per_claim_retention": terms.per_claim_retention,
        "premium": offer.premium if offer else None,
        "total": float(offer.total) if offer else None,
        "quote_expiration_date": facts.valid_until,
        "policy_number": facts.policy_number,
        "dates": _dates(facts),
        "contingencies": [
            ContingencyBody(
                contingency_id=owed.contingency_id, status=owed.status, text=owed.text, type=owed.type
            )
            for owed in facts.contingencies
        ],
        "coverages": [
            CoverageBody(
                coverage_name=coverage.coverage_name,
                limit=coverage.limit,
                retention=coverage.retention,
                parameter_name=coverage.parameter_name,
                parameter=coverage.parameter,
            )
            for coverage in (offer.coverages if offer else ())
        ],
        "surcharges": [
            SurchargeBody(title=charge.title, percentage=float(charge.percentage), price=float(charge.price))
            for charge in (offer.surcharges if offer else ())
        ],
        "binder": BinderBody(conditional=facts.conditional, fulfil_by=binding.fulfil_by) if binding else None,
    }


def _client(facts: DocumentFacts) -> dict[str, Any]:
    insured = facts.insured
    return {"name": insured.name, "dba": insured.trade_name, "state": insured.state}


def _dates(facts: DocumentFacts) -> dict[str, Any]:
    period, rule = facts.period, record_of(facts.product).retroactive
    reach = FULL_PRIOR_ACTS if period.full_prior_acts else period.retroactive
    shown = QuoteDates(effective=period.effective, expiration=period.expiration)
    dates: dict[str, Any] = msgspec.to_builtins(shown)
    return dates | ({rule.field: reach} if rule else {})
