"""Who may cancel a policy, why and from when, what that comes to, and when it can be undone."""

import uuid
from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import Decimal

import msgspec
import pytest

from bindery.base.errors import InvalidRequest, WrongState
from bindery.contract.policy_ending import CanceledBy, CancellationReason
from bindery.contract.vocabulary import InsuranceProduct, QuoteStatus
from bindery.domain.applicant.risk import OptionAsk, Term
from bindery.domain.applicant.us_states import state_names
from bindery.domain.policy.cancellation import (
    REASON_WORDS,
    REASONS_OF,
    Cancellation,
    ExtendedReporting,
    check_reinstatable,
    decide_cancel,
    extended_reporting,
    notice_days,
    notice_table,
    reporting_prices,
)
from bindery.domain.policy.policy import Policy
from bindery.domain.quote.decisions import CancelPolicy
from bindery.domain.quote.quote import Quote
from bindery.domain.quote.underwriting import NOT_ASSESSED
from bindery.domain.rating.surcharges import Surcharge

R = CancellationReason
INSURED, INSURER = CanceledBy.INSURED, CanceledBy.INSURER
START, END = date(2027, 3, 2), date(2028, 3, 2)
TODAY = date(2027, 9, 1)
DAY = timedelta(days=1)
NOW = datetime.fromisoformat("2027-03-02T12:00:00+00:00")
TERM = Term(effective=START, expiration=END)
CHARGES = [
    Surcharge("Surplus lines tax", Decimal("3.0"), Decimal("109.80")),
    Surcharge("Stamping fee", Decimal(0), Decimal("20.00")),
]
ASSESSMENT = msgspec.json.encode(msgspec.structs.replace(NOT_ASSESSED, surcharges=CHARGES)).decode()
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
    assessment=ASSESSMENT,
)


def decided(
    on: date | None = None,
    reason: CancellationReason = R.INSURED_REQUEST,
    *,
    by: CanceledBy | None = None,
    today: date = TODAY,
    state: str = "PA",
    term: Term = TERM,
) -> Cancellation:
    who = by or (INSURER if reason in REASONS_OF[INSURER] else INSURED)
    return decide_cancel(QUOTE, term, CancelPolicy(on, who, reason), state=state, today=today)


def refused(on: date | None, reason: CancellationReason, **more: object) -> tuple[str, str, str]:
    with pytest.raises(InvalidRequest) as raised:
        decided(on, reason, **more)  # type: ignore[arg-type]
    (problem,) = raised.value.problems
    return problem.path, problem.code, problem.message


def test_every_reason_belongs_to_one_side_and_has_words() -> None:
    assert sorted((*REASONS_OF[INSURED], *REASONS_OF[INSURER])) == sorted(R)
    assert set(REASON_WORDS) == set(R)


@pytest.mark.parametrize(
    ("on", "today", "day"),
    [
        (None, TODAY, TODAY),
        (None, START - DAY, START),
        (TODAY, TODAY, TODAY),
        (START, TODAY, START),
        (END - DAY, START, END - DAY),
    ],
)
def test_the_insured_cancels_from_today_or_a_later_day_or_flat(
    on: date | None, today: date, day: date
) -> None:
    assert decided(on, today=today).effective == day


def test_the_insured_cancels_from_no_day_that_is_past() -> None:
    assert refused(TODAY - DAY, R.INSURED_REQUEST) == (
        "effective",
        "too_early",
        "must be 2027-09-01 or later, or the first day of the term, 2027-03-02",
    )
    assert refused(START + DAY, R.REWRITTEN)[1] == "too_early"


@pytest.mark.parametrize("on", [START - DAY, END])
def test_no_policy_is_canceled_outside_its_term(on: date) -> None:
    assert refused(on, R.INSURED_REQUEST, today=START) == (
        "effective",
        "outside_term",
        "must be from 2027-03-02 and before 2028-03-02; today is 2027-03-02",
    )


@pytest.mark.parametrize(
    ("reason", "state", "days"),
    [
        (R.NONPAYMENT, "PA", 10),
        (R.FRAUD, "PA", 60),
        (R.NONPAYMENT, "VT", 15),
        (R.NONPAYMENT, "AK", 20),
        (R.FRAUD, "KY", 75),
    ],
)
def test_the_insurer_gives_the_notice_of_the_policy_or_of_the_state(
    reason: CancellationReason, state: str, days: int
) -> None:
    first = TODAY + timedelta(days=days)

    assert notice_days(state, reason) == days
    assert decided(None, reason, state=state).effective == first
    assert decided(first, reason, state=state).effective == first
    assert refused(first - DAY, reason, state=state) == (
        "effective",
        "too_early",
        f"must be {first} or later: canceling for {reason} takes {days} days' notice",
    )


def test_the_insurer_cancels_no_policy_flat_whose_cover_has_begun() -> None:
    assert refused(START, R.NONPAYMENT)[1] == "too_early"
    assert decided(None, R.NONPAYMENT, today=START - timedelta(days=30)).effective == START


def test_the_insurer_cannot_cancel_where_the_notice_outlasts_the_term() -> None:
    last = END - timedelta(days=61)

    assert decided(None, R.FRAUD, today=last).effective == END - DAY
    assert refused(None, R.FRAUD, today=last + DAY) == (
        "effective",
        "too_late",
        "would be 2028-03-02 at the earliest, and the policy ends on 2028-03-02",
    )


@pytest.mark.parametrize("who", list(CanceledBy))
@pytest.mark.parametrize("reason", list(R))
def test_each_side_has_its_own_reasons(who: CanceledBy, reason: CancellationReason) -> None:
    if reason in REASONS_OF[who]:
        assert decided(None, reason, by=who).canceled_by is who
    else:
        path, code, message = refused(None, reason, by=who)
        assert (path, code) == ("reason", "not_allowed")
        assert message == f"must be one of {', '.join(REASONS_OF[who])} if the {who} cancels"


def test_only_an_active_policy_is_canceled() -> None:
    quote = replace(QUOTE, status=QuoteStatus.PUBLISHED)
    with pytest.raises(WrongState):
        decide_cancel(quote, TERM, CancelPolicy(), state="PA", today=START)


@pytest.mark.parametrize(
    ("on", "reason", "earned", "returned", "due"),
    [
        # Flat: as if there had been no policy.
        (START, R.NOT_TAKEN_UP, 0, 3_660, 0),
        # The insured keeps to a minimum of a quarter, up to 91 of 366 days; the 92nd is more.
        (START + DAY, R.INSURED_REQUEST, 915, 2_745, 0),
        (START + timedelta(days=91), R.BUSINESS_SOLD, 915, 2_745, 0),
        (START + timedelta(days=92), R.REWRITTEN, 920, 2_740, 0),
        (END - DAY, R.INSURED_REQUEST, 3_650, 10, 0),
        # The insurer's own is pro rata, and what was not paid is due instead of returned.
        (START + timedelta(days=60), R.FRAUD, 600, 3_060, 0),
        (START + timedelta(days=10), R.NONPAYMENT, 100, 0, 100),
        (START + timedelta(days=91), R.NONPAYMENT, 910, 0, 910),
    ],
)
def test_what_a_cancellation_comes_to(
    on: date, reason: CancellationReason, earned: int, returned: int, due: int
) -> None:
    cancellation = decided(on, reason, today=START)

    assert (cancellation.earned, cancellation.returned, cancellation.due) == (earned, returned, due)


@pytest.mark.parametrize(
    ("on", "reason", "state", "returned", "due"),
    [
        # 3% of the $1,830 that is returned; Pennsylvania never returns its fee, not even flat.
        (START + timedelta(days=183), R.INSURED_REQUEST, "PA", "54.90", "0"),
        (START, R.INSURED_REQUEST, "PA", "109.80", "0"),
        # Idaho returns its fee after a flat cancellation only; its tax is in whole dollars.
        (START + timedelta(days=183), R.INSURED_REQUEST, "ID", "55.00", "0"),
        (START, R.INSURED_REQUEST, "ID", "129.80", "0"),
        # For nonpayment: the tax on the $100 that is earned, and the fee.
        (START + timedelta(days=10), R.NONPAYMENT, "PA", "0", "23.00"),
    ],
)
def test_taxes_and_fees_go_back_as_the_state_allows(
    on: date, reason: CancellationReason, state: str, returned: str, due: str
) -> None:
    cancellation = decided(on, reason, today=START, state=state)

    assert cancellation.charges_returned == Decimal(returned)
    assert cancellation.charges_due == Decimal(due)


def test_extended_reporting_has_its_days_and_prices() -> None:
    on = date(2027, 6, 2)

    assert extended_reporting(1_536, TERM, R.INSURED_REQUEST, on) == ExtendedReporting(
        date(2027, 8, 1), ((12, 1_536), (24, 2_304), (36, 2_842)), date(2027, 7, 2)
    )
    assert extended_reporting(1_536, TERM, R.INSURED_REQUEST, START) is None
    for reason in (R.NONPAYMENT, R.FRAUD, R.REWRITTEN):
        extended = extended_reporting(1_536, TERM, reason, on)
        assert extended is not None
        assert (extended.automatic_until, extended.offered_until) == (None, date(2027, 7, 2))


@pytest.mark.parametrize(
    ("term", "annual"),
    [
        (Term(date(2026, 1, 1), date(2027, 1, 1)), 2_273),
        (Term(date(2028, 1, 1), date(2029, 1, 1)), 2_273),
        # $2,273 for 546 days is $1,519.49 for 365.
        (Term(date(2026, 1, 1), date(2027, 7, 1)), 1_519),
    ],
)
def test_extended_reporting_is_priced_by_the_premium_of_a_year(term: Term, annual: int) -> None:
    assert reporting_prices(2_273, term)[0] == (12, annual)


def test_the_table_of_notices_has_known_states_and_never_less_than_the_policy() -> None:
    table = notice_table()

    assert set(table) - {"other"} <= set(state_names())
    for row in table.values():
        assert row.nonpayment_days >= table["other"].nonpayment_days == 10
        assert row.fraud_days >= table["other"].fraud_days == 60
        assert row.source
        assert row.confidence in {"low", "medium", "high"}


POLICY = Policy(
    quote_id=uuid.UUID(int=1),
    company_id=123456789,
    partner_id=1,
    product=InsuranceProduct.CYB,
    ask_fingerprint=b"",
    attested=True,
    term=TERM,
    policy_number="CYB-27-0000001-9-00",
    bound_on=START,
    issued_on=START,
    ended_on=date(2027, 6, 15),
)
CANCELED = replace(QUOTE, status=QuoteStatus.POLICY_CANCELED)


def test_a_canceled_policy_is_reinstated_for_thirty_days() -> None:
    canceled_on = date(2027, 6, 1)

    check_reinstatable(CANCELED, POLICY, canceled_on=canceled_on, no_known_loss=True, today=date(2027, 7, 1))
    with pytest.raises(WrongState, match="2027-07-01; today is 2027-07-02"):
        check_reinstatable(
            CANCELED, POLICY, canceled_on=canceled_on, no_known_loss=True, today=date(2027, 7, 2)
        )
    with pytest.raises(WrongState):
        check_reinstatable(QUOTE, POLICY, canceled_on=None, no_known_loss=True, today=date(2027, 6, 2))


def test_once_coverage_ended_a_statement_of_no_known_losses_is_needed() -> None:
    canceled_on, before = date(2027, 6, 1), date(2027, 6, 14)

    check_reinstatable(CANCELED, POLICY, canceled_on=canceled_on, no_known_loss=False, today=before)
    with pytest.raises(InvalidRequest) as raised:
        check_reinstatable(CANCELED, POLICY, canceled_on=canceled_on, no_known_loss=False, today=before + DAY)

    (problem,) = raised.value.problems
    assert (problem.path, problem.code) == ("no_known_loss", "required")
    assert problem.message == "is required, signed by the insured: coverage ended on 2027-06-15"
