"""What may be asked for: industries, products, and what a quote is likely to cost."""

from decimal import Decimal
from typing import Final, get_args

from msgspec import UNSET
from starlette.responses import Response

from bindery.api.call import Call, json_response
from bindery.api.query import Query
from bindery.api.routes.questions import product_of
from bindery.base.errors import InvalidRequest, Problem
from bindery.contract.catalogue import (
    AmountRange,
    Appetite,
    AuthorityBody,
    IndicationRequest,
    IndicationResponse,
    IndustriesResponse,
    IndustryBody,
    ProductBody,
    ProductCapacity,
    ProductCoverage,
    ProductTerms,
    RetentionBand,
)
from bindery.contract.quotes import MAX_OPTIONS
from bindery.contract.service import ReferralReason
from bindery.contract.vocabulary import DEFAULT_AGGREGATE_LIMIT, DEFAULT_PRODUCT, AggregateRetention
from bindery.domain.applicant.industries import TECHNOLOGY, find_industry, search_industries
from bindery.domain.applicant.risk import Answers, OptionAsk, Risk, Term
from bindery.domain.applicant.us_states import find_state
from bindery.domain.coverages.edition import COVERAGES
from bindery.domain.policy.binders import capacity_of
from bindery.domain.policy.binding import EARLIEST, LATEST
from bindery.domain.products import RetentionBasis, record_of
from bindery.domain.quote.quote import QUOTE_OPEN_FOR
from bindery.domain.rating.indication import ASSUMED, indicate
from bindery.domain.rating.surcharges import surcharges_for
from bindery.domain.rating.tariff import Tariff, tariff_in_force
from bindery.domain.screening import activities
from bindery.domain.screening.authority import authority_reasons
from bindery.domain.screening.case import Applicant, Reason
from bindery.domain.submission.checks import DEFAULT_TERM, LONGEST_TERM, SHORTEST_TERM
from bindery.http.bodies import BodyDecoder
from bindery.http.representation import REVALIDATE
from bindery.storage.policy import capacity

MOST_INDUSTRIES: Final = 100
INDUSTRIES_UNLESS_ASKED: Final = 20
LONGEST_WORDS: Final = 100
NO_QUOTE: Final = "This is an indication, not a quote: it cannot be bound, and a quote may cost more or less."
_KNOWN_BEFOREHAND: Final = (
    *activities.SANCTIONS_RULES,
    activities.referred_industry,
    activities.unknown_industry,
)
"""The rules that need no answers."""
_decoder = BodyDecoder(IndicationRequest)


async def list_industries(call: Call) -> Response:
    query = Query(call)
    sought = query.text("q", LONGEST_WORDS)
    if "q" not in query.given:
        query.problems.append(Problem("q", "required", "is required"))
    limit = query.number("limit", unless_given=INDUSTRIES_UNLESS_ASKED, most=MOST_INDUSTRIES)
    query.check()
    found, more = search_industries(sought or "", most=limit)
    return call.json_with_etag(
        IndustriesResponse(
            industries=[
                IndustryBody(
                    code=industry.code or "",
                    title=industry.title or "",
                    hazard_group=industry.hazard_group,
                    appetite=Appetite(industry.action),
                    reason=industry.reason or "",
                )
                for industry in found
            ],
            more=more,
        ),
        cache=REVALIDATE,
    )


async def get_product(call: Call) -> Response:
    product = product_of(call)
    async with call.runtime.database.reading() as tx:
        today = tx.today
        sections = await capacity.open_sections(tx, product)
    record, tariff = record_of(product), tariff_in_force(today)
    part = record.formulas[0].part_of(tariff)
    is_per_claim = record.retention is RetentionBasis.PER_CLAIM
    return call.json_with_etag(
        ProductBody(
            insurance_product=product,
            title=record.title,
            line=record.line,
            scanned=record.is_scanned,
            aggregate_limits=sorted(part.limits),
            aggregate_retentions=sorted(get_args(AggregateRetention) if is_per_claim else part.retentions),
            per_claim_retentions=sorted(part.retentions) if is_per_claim else [],
            retention=record.retention,
            retention_bands=_bands(tariff, is_per_claim=is_per_claim),
            largest_retention_share=float(tariff.max_retention_share),
            authority=AuthorityBody(aggregate_limit=record.authority.limit, revenue=record.authority.revenue),
            capacity=[
                ProductCapacity(aggregate_limit=limit, states=states)
                for limit, states in capacity_of(sections, part.limits, authority=record.authority.limit)
            ],
            terms=ProductTerms(
                shortest_months=SHORTEST_TERM.months + 12 * SHORTEST_TERM.years,
                longest_months=LONGEST_TERM.months + 12 * LONGEST_TERM.years,
                open_days=QUOTE_OPEN_FOR.days,
                bind_days_back=EARLIEST.days,
                bind_days_ahead=LATEST.days,
            ),
            retroactive_date=record.retroactive.field if record.retroactive else None,
            coverages=[
                ProductCoverage(coverage_name=rule.name, party=rule.party)
                for rule in COVERAGES.in_force(today).products[product]
            ],
            most_options=MAX_OPTIONS,
            tariff=tariff.edition,
            tariff_effective_from=tariff.effective_from,
        ),
        cache=REVALIDATE,
    )


def _bands(tariff: Tariff, *, is_per_claim: bool) -> list[RetentionBand]:
    rules = tariff.per_claim_retention if is_per_claim else tariff.aggregate_retention
    starts = sorted({*rules.minimum.starts, *rules.default.starts})
    return [
        RetentionBand(revenue_from=start, minimum=rules.minimum.at(start), default=rules.default.at(start))
        for start in starts
        if start >= max(rules.minimum.starts[0], rules.default.starts[0])
    ]


async def indicate_price(call: Call) -> Response:
    asked = call.decoded(_decoder, await call.read_json()).value
    state = find_state(asked.state)
    if state is None:
        raise InvalidRequest.at("state", "not_a_state", "must be a US state")
    today = await call.runtime.database.today()
    product = asked.insurance_product or DEFAULT_PRODUCT
    limit = asked.aggregate_limit or DEFAULT_AGGREGATE_LIMIT
    record, tariff = record_of(product), tariff_in_force(today)
    code = None if asked.industry in {UNSET, None, TECHNOLOGY} else str(asked.industry)
    industry = find_industry(code)
    risk = Risk(
        product=product,
        revenue=asked.revenue,
        state=state,
        industry=code,
        answers=Answers(),
        term=Term(effective=today, expiration=today + DEFAULT_TERM),
    )
    (range_,) = indicate(tariff, risk, [OptionAsk(limit)], hazard_group=industry.hazard_group)
    applicant = Applicant(
        risk, industry, (asked.name,), question_edition="", sanctions=call.runtime.rules.sanctions
    )
    reasons = [
        *authority_reasons(record.authority, limit, asked.revenue),
        *_foreseen(applicant),
    ]
    retention = (
        range_.terms.per_claim_retention
        if record.retention is RetentionBasis.PER_CLAIM
        else range_.terms.aggregate_retention
    )
    assert retention is not None, "a product is priced by one of them"
    return json_response(
        IndicationResponse(
            message=NO_QUOTE,
            insurance_product=product,
            aggregate_limit=limit,
            retention=retention,
            premium=AmountRange(low=range_.low, high=range_.high),
            total=AmountRange(
                **{
                    end: float(premium + Decimal(surcharges_for(state, today, premium).total))
                    for end, premium in (("low", range_.low), ("high", range_.high))
                }
            ),
            referral_reasons=[
                ReferralReason(code=reason.code, text=reason.text, recommendation=reason.recommendation)
                for reason in reasons
            ],
            assumptions=list(ASSUMED),
        )
    )


def _foreseen(applicant: Applicant) -> list[Reason]:
    rules = record_of(applicant.risk.product).rulebook.applicant
    found = (rule(applicant) for rule in _KNOWN_BEFOREHAND if rule in rules)
    return [reason for reason in found if reason is not None]
