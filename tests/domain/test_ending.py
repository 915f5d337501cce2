"""Requests to cancel, and what is due to end on a day."""

import uuid
from dataclasses import replace
from datetime import date, datetime, timedelta

import msgspec

from bindery.contract.policy_ending import CancellationReason
from bindery.contract.vocabulary import InsuranceProduct, QuoteStatus
from bindery.domain.applicant.risk import OptionAsk, Term
from bindery.domain.policy.ending import (
    EndTerm,
    ExpireQuote,
    KeptRequest,
    LeaveOpen,
    decide_expiry,
    decide_term_end,
    read_request,
)
from bindery.domain.policy.policy import Policy, RenewalType
from bindery.domain.policy.renewal import awaits_settlement, is_renewal_due
from bindery.domain.quote.quote import Quote

START, END = date(2027, 3, 2), date(2028, 3, 2)
NOW = datetime.fromisoformat("2027-03-02T12:00:00+00:00")
DAY = timedelta(days=1)

POLICY = Policy(
    quote_id=uuid.UUID(int=1),
    company_id=123456789,
    partner_id=1,
    product=InsuranceProduct.CYB,
    ask_fingerprint=b"",
    attested=True,
    term=Term(effective=START, expiration=END),
    policy_number="CYB-27-0000001-9-00",
    bound_on=START,
    issued_on=START,
    in_force=True,
)
QUOTE = Quote(
    quote_id=uuid.UUID(int=1),
    submission_id=uuid.UUID(int=2),
    company_id=123456789,
    partner_id=1,
    option_number=1,
    product=InsuranceProduct.CYB,
    status=QuoteStatus.POLICY_ACTIVE,
    version=1,
    created_at=NOW,
    updated_at=NOW,
    ask=OptionAsk(1_000_000, None, None, None),
    premium=3_660,
)


def test_a_request_in_the_partners_own_words_reads_as_one_of_the_insured() -> None:
    kept = '{"effective":"2027-06-01","reason":"Sold.","at":"2027-05-01T12:00:00Z"}'

    request = read_request(kept)

    assert (request.reason, request.text) == (CancellationReason.INSURED_REQUEST, "Sold.")


def test_a_request_with_another_reason_or_text_is_another_one() -> None:
    request = KeptRequest(effective=START, reason=CancellationReason.REWRITTEN, text="", at=NOW)

    assert request.is_like(msgspec.structs.replace(request, at=NOW + DAY))
    assert not request.is_like(msgspec.structs.replace(request, text="More"))
    assert not request.is_like(msgspec.structs.replace(request, reason=CancellationReason.BUSINESS_SOLD))
    assert not request.is_like(None)
    assert read_request(msgspec.json.encode(request).decode()) == request


def test_a_term_is_over_on_its_expiration_date() -> None:
    by_hand = replace(POLICY, renewal_type=RenewalType.MANUAL)

    assert decide_term_end(by_hand, END) == EndTerm(END)
    assert decide_term_end(by_hand, END - DAY) == LeaveOpen()
    assert decide_term_end(replace(by_hand, issued_on=None), END) == LeaveOpen()
    assert decide_term_end(replace(by_hand, in_force=False), END) == LeaveOpen()


def test_a_policy_that_renews_automatically_ends_once_its_renewal_was_submitted_or_settled() -> None:
    assert decide_term_end(POLICY, END) == LeaveOpen()
    assert decide_term_end(replace(POLICY, renewal_submission_id=uuid.UUID(int=3)), END) == EndTerm(END)
    assert decide_term_end(replace(POLICY, renewal_settled=True), END) == EndTerm(END)


def test_an_open_quote_expires_after_its_last_day_unless_it_waits_to_renew() -> None:
    offer = replace(QUOTE, status=QuoteStatus.OFFER_EMAIL, expires_on=END)
    renewed = replace(POLICY, renewal_quote_id=offer.quote_id)

    assert decide_expiry(offer, None, END + DAY) == ExpireQuote()
    assert decide_expiry(offer, None, END) == LeaveOpen()
    assert decide_expiry(replace(offer, status=QuoteStatus.QUOTE_REFERRED), None, END + DAY) == LeaveOpen()
    assert decide_expiry(offer, renewed, END + DAY) == LeaveOpen()
    assert decide_expiry(offer, replace(renewed, renewal_settled=True), END + DAY) == ExpireQuote()
    assert (
        decide_expiry(offer, replace(renewed, renewal_quote_id=uuid.UUID(int=9)), END + DAY) == ExpireQuote()
    )


def test_a_renewal_is_due_sixty_days_before_the_end() -> None:
    offered = END - timedelta(days=60)

    assert is_renewal_due(POLICY, offered)
    assert not is_renewal_due(POLICY, offered - DAY)
    assert not is_renewal_due(replace(POLICY, renewal_type=RenewalType.MANUAL), offered)
    assert not is_renewal_due(replace(POLICY, renewal_submission_id=uuid.UUID(int=3)), offered)
    assert not is_renewal_due(replace(POLICY, renewal_settled=True), offered)
    assert not is_renewal_due(replace(POLICY, issued_on=None), offered)
    assert not is_renewal_due(replace(POLICY, in_force=False), offered)


def test_an_offered_renewal_is_settled_on_the_day_the_policy_ends() -> None:
    offered = replace(POLICY, renewal_quote_id=uuid.UUID(int=3))

    assert awaits_settlement(offered, END)
    assert not awaits_settlement(offered, END - DAY)
    assert not awaits_settlement(POLICY, END)
    assert not awaits_settlement(replace(offered, renewal_settled=True), END)
