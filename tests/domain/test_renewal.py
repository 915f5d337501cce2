import uuid
from datetime import date, timedelta

import msgspec
import pytest
from dateutil.relativedelta import relativedelta
from hypothesis import given
from hypothesis import strategies as st

from bindery.base.errors import AlreadyBound, InvalidRequest, WrongState
from bindery.contract.policy_ending import RenewalState, RenewalStop
from bindery.contract.vocabulary import ContingencyStatus, ContingencyType, InsuranceProduct, QuoteStatus
from bindery.domain.applicant.risk import FULL_PRIOR_ACTS, Term, whole_months
from bindery.domain.policy.bind_ask import BindAsk
from bindery.domain.policy.contingencies import Contingency, ContingencyKind
from bindery.domain.policy.policy import Policy, RenewalType
from bindery.domain.policy.renewal import (
    BindRenewal,
    LeaveRenewal,
    PassOverRenewal,
    SkipRenewal,
    SubmitRenewal,
    binds_automatically,
    check_renewal_asked_for,
    check_renewal_stands,
    decide_renewal,
    decide_settlement,
    reminders_due,
    renewed_term,
    state_of_renewal,
    stopped_by,
    with_contacts,
)
from support.policies import a_policy, a_quote

CYB, TEO, MPL, *_ = InsuranceProduct


@pytest.mark.parametrize(
    ("effective", "expiration", "renewed_until"),
    [
        ("2026-12-01", "2027-12-01", "2028-12-01"),
        ("2026-12-01", "2027-06-01", "2027-12-01"),
        ("2026-12-01", "2028-06-01", "2029-12-01"),
        # Twelve months from a leap day end on the last of February, and so do the next twelve.
        ("2028-02-29", "2029-02-28", "2030-02-28"),
        ("2027-02-28", "2028-02-28", "2029-02-28"),
        # Six months from the end of August end on the last of February.
        ("2026-08-31", "2027-02-28", "2027-08-28"),
        # Odd days are left off: the next term has whole months.
        ("2026-12-01", "2027-12-20", "2028-12-20"),
        ("2026-12-01", "2027-11-30", "2028-10-30"),
    ],
)
def test_a_renewal_starts_where_the_policy_ends_and_is_as_long(
    effective: str, expiration: str, renewed_until: str
) -> None:
    term = Term(date.fromisoformat(effective), date.fromisoformat(expiration))

    assert renewed_term(term, CYB) == Term(term.expiration, date.fromisoformat(renewed_until))


@given(st.dates(date(2020, 1, 1), date(2120, 1, 1)), st.integers(6, 18))
def test_whole_months_are_those_that_were_added(start: date, months: int) -> None:
    assert whole_months(start, start + relativedelta(months=months)) == months


@given(st.dates(date(2020, 1, 1), date(2120, 1, 1)), st.integers(0, 600))
def test_the_months_fit_and_one_more_does_not(start: date, length: int) -> None:
    end = start + timedelta(days=length)

    months = whole_months(start, end)

    assert start + relativedelta(months=months) <= end < start + relativedelta(months=months + 1)


@given(st.dates(date(2020, 1, 1), date(2100, 1, 1)), st.integers(6, 18))
def test_renewals_follow_each_other_for_ever_within_the_limits_of_a_term(start: date, months: int) -> None:
    term = Term(start, start + relativedelta(months=months))

    for _ in range(12):
        following = renewed_term(term, CYB)
        assert following.effective == term.expiration
        assert following.effective + relativedelta(months=6) <= following.expiration
        assert following.expiration <= following.effective + relativedelta(months=18)
        assert whole_months(following.effective, following.expiration) == months
        term = following


def test_claims_made_cover_reaches_back_as_far_as_it_did() -> None:
    first = Term(date(2026, 12, 1), date(2027, 12, 1))
    since_2020 = Term(first.effective, first.expiration, retroactive=date(2020, 1, 1))
    all_acts = Term(first.effective, first.expiration, retroactive=FULL_PRIOR_ACTS)

    assert renewed_term(first, TEO).retroactive == date(2026, 12, 1)
    assert renewed_term(renewed_term(first, TEO), TEO).retroactive == date(2026, 12, 1)
    assert renewed_term(since_2020, TEO).retroactive == date(2020, 1, 1)
    assert renewed_term(first, MPL).retroactive == date(2026, 12, 1)
    assert renewed_term(all_acts, MPL).retroactive == FULL_PRIOR_ACTS
    assert renewed_term(first, CYB) == Term(date(2027, 12, 1), date(2028, 12, 1))


@pytest.mark.parametrize(
    ("days_before", "due"), [(60, 0), (31, 0), (30, 1), (29, 1), (11, 1), (10, 2), (9, 2), (0, 2), (-5, 2)]
)
def test_reminders_are_due_thirty_and_ten_days_before_the_end(days_before: int, due: int) -> None:
    end = date(2027, 12, 1)

    assert reminders_due(end, end - timedelta(days=days_before)) == due


def test_an_offer_binds_automatically_unless_it_is_paused_or_something_is_owed() -> None:
    owed = Contingency("1", ContingencyKind.REMOTE_ACCESS_MFA, ContingencyType.POST_BIND, "Show MFA")
    fulfilled = Contingency("1", owed.kind, owed.type, owed.text, ContingencyStatus.CLOSED)

    assert binds_automatically(a_policy(), [])
    assert binds_automatically(a_policy(), [fulfilled])
    assert not binds_automatically(a_policy(), [owed])
    assert not binds_automatically(a_policy(renewal_type=RenewalType.MANUAL), [])


COVER = a_policy(quote_id=uuid.UUID(int=9))
OWED = Contingency("1", ContingencyKind.REMOTE_ACCESS_MFA, ContingencyType.POST_BIND, "Show MFA")


def test_a_policy_is_submitted_again_when_it_is_due_unless_the_time_after_it_is_covered() -> None:
    policy = a_policy()
    due = policy.term.expiration - timedelta(days=60)

    assert decide_renewal(policy, cover=None, today=due) == SubmitRenewal()
    assert decide_renewal(policy, cover=COVER, today=due) == SkipRenewal()
    for cover in (None, COVER):
        assert decide_renewal(policy, cover=cover, today=due - timedelta(days=1)) == LeaveRenewal()


@pytest.mark.parametrize("status", [QuoteStatus.OFFER_EMAIL, QuoteStatus.PUBLISHED])
def test_on_the_day_an_open_renewal_binds_or_is_passed_over_for_other_cover(status: QuoteStatus) -> None:
    renewal = a_quote(status)

    assert decide_settlement(a_policy(), renewal, owed=[], cover=None) == BindRenewal()
    assert decide_settlement(a_policy(), renewal, owed=[], cover=COVER) == PassOverRenewal(COVER.quote_id)


@pytest.mark.parametrize(
    ("policy", "status", "owed"),
    [
        (a_policy(renewal_type=RenewalType.MANUAL), QuoteStatus.OFFER_EMAIL, []),
        (a_policy(), QuoteStatus.OFFER_EMAIL, [OWED]),
        (a_policy(), QuoteStatus.QUOTE_REFERRED, []),
        (a_policy(), QuoteStatus.QUOTE_NOT_BOUND, []),
        (a_policy(), QuoteStatus.POLICY_ACTIVE, []),
    ],
    ids=["paused", "something is owed", "referred", "passed over", "bound by hand"],
)
@pytest.mark.parametrize("cover", [None, COVER], ids=["no cover", "other cover"])
def test_what_does_not_bind_automatically_is_left_as_it_is(
    policy: Policy, status: QuoteStatus, owed: list[Contingency], cover: Policy | None
) -> None:
    assert decide_settlement(policy, a_quote(status), owed=owed, cover=cover) == LeaveRenewal()


def test_each_renewal_has_an_ask_of_its_own_that_no_request_has() -> None:
    term = a_policy().term

    ask = BindAsk.of_renewal(uuid.UUID(int=1), term)

    assert (ask.term, ask.attested, ask.contacts, ask.corrections) == (term, False, None, ())
    assert not ask.reaches_back
    assert not ask.reaches_back_further
    assert ask == BindAsk.of_renewal(uuid.UUID(int=1), term)
    assert ask.fingerprint != BindAsk.of_renewal(uuid.UUID(int=2), term).fingerprint


def test_contacts_of_the_bind_are_on_file_for_the_renewal() -> None:
    body = '{"client": {"name": "Acme", "insured_main_contact": {"email": "old@example.com"}}, "policy": {}}'
    contacts = '{"insured_main_contact": {"email": "new@example.com"}, "additional_contacts": []}'

    renewed = msgspec.json.decode(with_contacts(body, contacts))

    assert renewed == {
        "client": {
            "name": "Acme",
            "insured_main_contact": {"email": "new@example.com"},
            "additional_contacts": [],
        },
        "policy": {},
    }
    assert with_contacts(body, None) == body


@pytest.mark.parametrize(
    ("renewal", "state"),
    [
        (QuoteStatus.CREATED, RenewalState.NOT_DUE),
        (QuoteStatus.ELIGIBLE, RenewalState.NOT_DUE),
        (QuoteStatus.QUOTE_REFERRED, RenewalState.REFERRED),
        (QuoteStatus.QUOTE_BIND_REQUESTED, RenewalState.REFERRED),
        (QuoteStatus.OFFER_EMAIL, RenewalState.OFFERED),
        (QuoteStatus.PUBLISHED, RenewalState.OFFERED),
        (QuoteStatus.POLICY_ACTIVE, RenewalState.BOUND),
        (QuoteStatus.POLICY_CANCELED, RenewalState.BOUND),
        (QuoteStatus.QUOTE_DECLINED, RenewalState.ENDS),
        (QuoteStatus.STALE, RenewalState.ENDS),
        (QuoteStatus.QUOTE_EXPIRED, RenewalState.ENDS),
        (QuoteStatus.QUOTE_REVOKED, RenewalState.ENDS),
        (QuoteStatus.QUOTE_NOT_BOUND, RenewalState.ENDS),
    ],
)
def test_a_renewal_stands_where_its_quote_does(renewal: QuoteStatus, state: RenewalState) -> None:
    for renewal_type in RenewalType:
        assert state_of_renewal(renewal, in_force=True, renewal_type=renewal_type) is state


def test_without_a_renewal_a_policy_ends_unless_one_is_still_to_come() -> None:
    def state(*, in_force: bool = True, manual: bool = False, settled: bool = False) -> RenewalState:
        kind = RenewalType.MANUAL if manual else RenewalType.AUTO
        return state_of_renewal(None, in_force=in_force, renewal_type=kind, is_settled=settled)

    assert state() is RenewalState.NOT_DUE
    assert state(manual=True) is RenewalState.ENDS
    assert state(in_force=False) is RenewalState.ENDS
    # Other cover follows it.
    assert state(settled=True) is RenewalState.ENDS


def test_a_request_to_cancel_stops_an_automatic_renewal_until_it_is_decided() -> None:
    asked = a_policy(cancellation_open=True)
    offer = a_quote(QuoteStatus.OFFER_EMAIL)

    assert not binds_automatically(asked, [])
    assert decide_settlement(asked, offer, owed=[], cover=None) == LeaveRenewal()
    assert stopped_by(RenewalType.AUTO, cancellation_open=True) is RenewalStop.CANCELLATION_REQUESTED
    assert stopped_by(RenewalType.MANUAL, cancellation_open=False) is RenewalStop.PAUSED
    assert stopped_by(RenewalType.AUTO, cancellation_open=False) is None


ACTIVE = a_quote(QuoteStatus.POLICY_ACTIVE)


def test_a_renewal_can_be_asked_for_from_ninety_days_before_the_end_to_the_day_before_it() -> None:
    policy = a_policy(renewal_type=RenewalType.MANUAL)
    end = policy.term.expiration

    with pytest.raises(InvalidRequest, match="can be asked for from 2027-09-02; today is 2027-09-01"):
        check_renewal_asked_for(ACTIVE, policy, cover=None, today=end - timedelta(days=91))
    for days in (90, 1):
        check_renewal_asked_for(ACTIVE, policy, cover=None, today=end - timedelta(days=days))
    with pytest.raises(WrongState, match="not in force"):
        check_renewal_asked_for(ACTIVE, policy, cover=None, today=end)


def test_a_renewal_cannot_be_asked_for_a_binder_or_where_other_cover_follows() -> None:
    policy = a_policy()
    today = policy.term.expiration - timedelta(days=60)
    binder = a_policy(issued_on=None, fulfil_by=today)

    with pytest.raises(WrongState, match="has to be fulfilled first"):
        check_renewal_asked_for(ACTIVE, binder, cover=None, today=today)
    with pytest.raises(AlreadyBound):
        check_renewal_asked_for(ACTIVE, policy, cover=COVER, today=today)
    with pytest.raises(WrongState, match="it was declined"):
        check_renewal_stands(a_quote(QuoteStatus.QUOTE_DECLINED))
    check_renewal_stands(a_quote(QuoteStatus.OFFER_EMAIL))
