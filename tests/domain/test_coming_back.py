"""What comes back after a refused bind, and when closing what is owed issues the policy."""

import uuid
from dataclasses import replace
from datetime import date, timedelta

import pytest

from bindery.base.errors import WrongState
from bindery.contract.event_details import EventReason, QuotePublished, QuoteReferred
from bindery.contract.vocabulary import ContingencyStatus, ContingencyType, QuoteStatus
from bindery.domain.policy.binding import fulfills_binder
from bindery.domain.policy.contingencies import Contingency, ContingencyKind
from bindery.domain.policy.policy import check_not_lapsed
from bindery.domain.quote.lifecycle import Trigger
from bindery.domain.quote.pipeline import come_back
from bindery.domain.quote.quote import Step
from bindery.domain.quote.underwriting import record_of_failure
from bindery.domain.screening.case import Reason
from support.policies import a_policy, a_quote

TODAY = date(2026, 11, 20)
PASSED_OVER = a_quote(QuoteStatus.QUOTE_NOT_BOUND, premium=1536, passed_over_for=uuid.UUID(int=9))
FIRST = Contingency("1", ContingencyKind.SIGNATURE, ContingencyType.POST_BIND, "Sign")
SECOND = Contingency("2", ContingencyKind.UNDERWRITER, ContingencyType.POST_BIND, "Show it")


def test_an_offer_opens_again_until_the_end_of_its_last_day() -> None:
    offer = replace(PASSED_OVER, expires_on=TODAY)

    walk = come_back(offer, today=TODAY, actor="underwriter:7")

    assert walk is not None
    assert walk.quote == replace(offer, passed_over_for=None)
    said = QuotePublished(premium=1536, quote_expiration_date=TODAY)
    assert walk.steps == (Step(Trigger.REOPEN, "underwriter:7", said),)
    assert walk.ends_at is QuoteStatus.PUBLISHED
    assert come_back(offer, today=TODAY + timedelta(days=1), actor="underwriter:7") is None


def test_a_referral_returns_to_the_desk_with_its_reasons() -> None:
    reason = Reason("pricing_failed", "It could not be priced", status=QuoteStatus.CALC_FAILED)
    referral = replace(PASSED_OVER, assessment=record_of_failure(reason))

    walk = come_back(referral, today=TODAY, actor="underwriter:7")

    assert walk is not None
    assert walk.quote.passed_over_for is None
    said = QuoteReferred(reasons=[EventReason(code="pricing_failed", text="It could not be priced")])
    assert walk.steps == (Step(Trigger.RETURN_TO_DESK, "underwriter:7", said),)
    assert walk.ends_at is QuoteStatus.QUOTE_REFERRED


def test_closing_the_last_contingency_of_a_binder_issues_the_policy() -> None:
    binder = a_policy(issued_on=None, fulfil_by=TODAY)
    closed = replace(SECOND, status=ContingencyStatus.CLOSED)

    assert fulfills_binder(FIRST, binder, [FIRST])
    assert fulfills_binder(FIRST, binder, [FIRST, closed])
    assert not fulfills_binder(FIRST, binder, [FIRST, SECOND])


def test_nothing_is_issued_without_a_binder_in_force() -> None:
    assert not fulfills_binder(FIRST, None, [FIRST])
    assert not fulfills_binder(FIRST, a_policy(), [FIRST])
    assert not fulfills_binder(FIRST, a_policy(issued_on=None, in_force=False), [FIRST])


def test_a_binder_is_fulfilled_on_its_last_day_and_not_after_it() -> None:
    quote = a_quote(QuoteStatus.POLICY_ACTIVE)
    binder = a_policy(issued_on=None, fulfil_by=TODAY)

    check_not_lapsed(quote, None, TODAY)
    check_not_lapsed(quote, binder, TODAY)
    with pytest.raises(WrongState, match=f"had to be fulfilled by {TODAY}"):
        check_not_lapsed(quote, binder, TODAY + timedelta(days=1))
