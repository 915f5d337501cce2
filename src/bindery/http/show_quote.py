"""What a partner sees of a quote."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any, Final, TypeVar

import msgspec

from bindery.contract.policy_ending import (
    CanceledPolicy,
    CancellationBody,
    NonrenewalBody,
    RenewalBody,
    RenewalStop,
)
from bindery.contract.quote import (
    BinderBody,
    BrokerQuestionBody,
    ContingencyBody,
    CorrectionBody,
    CoverageBody,
    DecisionBody,
    DecisionKind,
    QuoteBody,
    QuoteDates,
    SurchargeBody,
    UploadBody,
)
from bindery.contract.service import ReferralReason
from bindery.contract.vocabulary import InsuranceProduct, QuoteAction, QuoteStatus
from bindery.domain.applicant.industries import TECHNOLOGY
from bindery.domain.applicant.risk import Term
from bindery.domain.documents.access import available_documents
from bindery.domain.documents.application_matching import pages_body
from bindery.domain.policy.ending import shown_request
from bindery.domain.policy.nonrenewal import read_ruling
from bindery.domain.policy.policy import RenewalRuling, RenewalType
from bindery.domain.policy.renewal import state_of_renewal, stopped_by
from bindery.domain.products import IndustryUse, record_of
from bindery.domain.quote.broker_question import BrokerQuestion
from bindery.domain.quote.lifecycle import BINDABLE, OPEN_OFFERS, Trigger
from bindery.domain.quote.underwriting import NOT_ASSESSED, from_record, has_price, total_of
from bindery.storage.quote.quote_view import QuoteRecord, UploadedFile

Body = TypeVar("Body")

_KIND_OF: Final[Mapping[Trigger, DecisionKind]] = {
    Trigger.APPROVE_REFERRAL: DecisionKind.APPROVED,
    Trigger.AMEND: DecisionKind.AMENDED,
    Trigger.DECLINE: DecisionKind.DECLINED,
    Trigger.REVOKE: DecisionKind.REVOKED,
    Trigger.WITHDRAW: DecisionKind.WITHDRAWN,
    Trigger.CANCEL: DecisionKind.CANCELED,
    Trigger.LAPSE: DecisionKind.LAPSED,
}


class _Decided(msgspec.Struct):
    trigger: Trigger
    at: datetime
    data: dict[str, Any]


_read_decided = msgspec.json.Decoder(_Decided).decode


def show_quote(seen: QuoteRecord) -> QuoteBody:
    """Show a quote with its terms, price and status."""
    quote, renewal = seen.quote, _renewal(seen)
    record = from_record(quote.assessment) if quote.assessment is not None else NOT_ASSESSED
    is_priced = has_price(quote)
    priced = record if is_priced else NOT_ASSESSED
    ask, terms = quote.ask, quote.terms
    return QuoteBody(
        quote_identifier=str(quote.quote_id),
        company_id=str(quote.company_id),
        client=_client(seen.client, quote.product),
        insurance_product=quote.product,
        aggregate_limit=terms.aggregate_limit if terms else ask.aggregate_limit,
        aggregate_retention=terms.aggregate_retention if terms else ask.aggregate_retention,
        per_claim_limit=terms.per_claim_limit if terms else ask.per_claim_limit or ask.aggregate_limit,
        per_claim_retention=terms.per_claim_retention if terms else ask.per_claim_retention,
        premium=quote.premium if is_priced else None,
        # The JSON edge, as with the surcharges: the sum is exact, and so is the text of its cents.
        total=float(total_of(quote, priced)) if is_priced else None,
        quote_status=quote.status,
        quote_expiration_date=_last_day(seen),
        policy_number=seen.policy_number,
        dates=_dates(seen.term, quote.product),
        contingencies=_contingencies(seen),
        coverages=_shown(priced.coverages, CoverageBody),
        # The JSON edge: the specification asks for numbers here, and cents survive a double exactly enough.
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
        corrections=_shown([*seen.corrections, *record.corrections], CorrectionBody),
        available_documents=list(available_documents(seen.document_state)),
        available_actions=[*_actions(seen, renewal)],
        renewal=renewal,
        binder=_binder(seen),
        decision=_decision(seen.decided) if seen.decided else None,
        cancellation=_canceled(seen),
        uploads=[_upload(upload) for upload in seen.files],
        cancellation_request=_requested(seen),
        amendments=[
            msgspec.structs.replace(amendment, at=amendment.at.astimezone(UTC))
            for amendment in record.amendments
        ],
        questions=[_question(question) for question in seen.questions],
        nonrenewal=_nonrenewal(seen),
    )


def _shown(found: Sequence[object], body: type[Body]) -> list[Body]:
    """Show things by those of their fields that a body has."""
    return [msgspec.convert(thing, body, from_attributes=True) for thing in found]


def _last_day(seen: QuoteRecord) -> date | None:
    """Return the last day to bind, or to fulfill a conditional binder: the quote expires after it."""
    is_conditional = seen.policy_number is not None and not seen.is_issued
    return seen.fulfil_by if is_conditional else seen.quote.expires_on


def _binder(seen: QuoteRecord) -> BinderBody | None:
    if seen.policy_number is None:
        return None
    if seen.is_issued:
        return BinderBody(conditional=False, fulfil_by=None)
    return BinderBody(
        conditional=True, fulfil_by=seen.fulfil_by, received_on=seen.received_on, late=seen.is_late
    )


def _renewal(seen: QuoteRecord) -> RenewalBody | None:
    if seen.policy_number is None and seen.renews is None:
        return None
    renewal_type = RenewalType(seen.renewal_type or RenewalType.AUTO)
    status = seen.quote.status
    is_policy = seen.policy_number is not None
    if status is QuoteStatus.QUOTE_EXPIRED and is_policy and seen.renews is None:
        # A conditional binder that lapsed: nothing of it renews.
        return None
    return RenewalBody(
        type=renewal_type,
        renews=str(seen.renews) if seen.renews else None,
        renewed_by=str(seen.renewed_by) if seen.renewed_by else None,
        state=state_of_renewal(
            seen.renewed_by_status if is_policy else status,
            in_force=status is QuoteStatus.POLICY_ACTIVE,
            renewal_type=renewal_type,
            is_settled=bool(seen.renewal_settled),
        ),
        stopped_by=stopped_by(
            renewal_type,
            cancellation_open=seen.is_asked_to_cancel,
            ruling=RenewalRuling(seen.renewal_ruling) if seen.renewal_ruling else None,
        ),
    )


def _nonrenewal(seen: QuoteRecord) -> NonrenewalBody | None:
    if seen.renewal_ruled is None:
        return None
    kept = read_ruling(seen.renewal_ruled)
    if kept.reason is None:
        return None
    return NonrenewalBody(reason=kept.reason, text=kept.text, notified_on=kept.on)


def _contingencies(seen: QuoteRecord) -> list[ContingencyBody]:
    received = seen.received
    return [
        msgspec.structs.replace(
            body,
            received=at.astimezone(UTC) if (at := received.get(body.contingency_id)) else None,
        )
        for body in _shown(seen.contingencies, ContingencyBody)
    ]


def _upload(upload: UploadedFile) -> UploadBody:
    return UploadBody(
        document_id=upload.document_id,
        name=upload.name,
        contingency=upload.contingency,
        # In UTC: the database gives it in the zone of its session.
        received=upload.received.astimezone(UTC),
        finding=upload.judged.verdict,
        signature=upload.judged.signature,
        pages=pages_body(upload.judged),
        signed_electronically=upload.judged.signed_electronically,
        message=upload.judged.note,
    )


def _question(question: BrokerQuestion) -> BrokerQuestionBody:
    answered = question.answered_at
    return BrokerQuestionBody(
        question_id=str(question.question_id),
        status=question.status,
        text=question.text,
        about=list(question.about),
        asked_at=question.asked_at.astimezone(UTC),
        answer=question.answer or None,
        document_id=str(question.document_id) if question.document_id is not None else None,
        answered_at=answered.astimezone(UTC) if answered is not None else None,
    )


def _requested(seen: QuoteRecord) -> CancellationBody | None:
    if seen.cancellation_request is None:
        return None
    is_open = bool(seen.cancellation_open)
    return shown_request(
        seen.cancellation_request, seen.cancellation_answer, seen.quote.status, is_open=is_open
    )


def _canceled(seen: QuoteRecord) -> CanceledPolicy | None:
    if seen.quote.status is not QuoteStatus.POLICY_CANCELED or seen.decided is None:
        return None
    data = _read_decided(seen.decided).data
    if "cancellation" in data:
        return msgspec.convert(data["cancellation"], CanceledPolicy)
    returned = data.get("returned_premium") or 0
    return CanceledPolicy(
        canceled_by=None,
        reason=None,
        text=data.get("reason") or "",
        effective=date.fromisoformat(data["effective"]) if "effective" in data else seen.term.effective,
        earned=(seen.quote.premium or 0) - returned,
        returned=returned,
        due=0,
    )


def _decision(decided: str) -> DecisionBody:
    decision = _read_decided(decided)
    effective = decision.data.get("effective")
    return DecisionBody(
        kind=_KIND_OF[decision.trigger],
        reason=decision.data.get("reason") or None,
        at=decision.at.astimezone(UTC),
        effective=date.fromisoformat(effective) if effective else None,
        returned_premium=decision.data.get("returned_premium"),
    )


def _actions(seen: QuoteRecord, renewal: RenewalBody | None) -> list[QuoteAction]:
    quote = seen.quote
    if quote.status in BINDABLE and not seen.is_early_offer:
        return [QuoteAction.BIND, QuoteAction.WITHDRAW]
    if quote.status in OPEN_OFFERS:
        return [QuoteAction.WITHDRAW]
    if quote.status is not QuoteStatus.POLICY_ACTIVE or renewal is None:
        return []
    if renewal.stopped_by is RenewalStop.NOT_RENEWED:
        return [QuoteAction.REQUEST_CANCELLATION]
    is_auto = renewal.type == RenewalType.AUTO
    switch = QuoteAction.PAUSE_RENEWAL if is_auto else QuoteAction.RESUME_RENEWAL
    asks = [QuoteAction.REQUEST_RENEWAL] if seen.may_ask_for_renewal else []
    return [switch, *asks, QuoteAction.REQUEST_CANCELLATION]


def _client(client: Mapping[str, Any], product: InsuranceProduct) -> dict[str, Any]:
    if record_of(product).industry is IndustryUse.NOT_ASKED:
        return {**client, "industry": TECHNOLOGY}
    return dict(client)


def _dates(term: Term, product: InsuranceProduct) -> QuoteDates:
    record = record_of(product)
    rule, reach = record.retroactive, record.retroactive_date(term)
    shown: dict[str, Any] = {}
    if rule is not None:
        shown[rule.field] = str(reach) if rule.takes_full_prior_acts else reach
    return QuoteDates(effective=term.effective, expiration=term.expiration, **shown)
