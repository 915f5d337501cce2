import random
import uuid
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bindery.base.errors import WrongState
from bindery.base.ids import uuid7
from bindery.contract.event_details import EventDetails, QuoteDeclined, QuoteStale
from bindery.contract.vocabulary import InsuranceProduct, QuoteStatus
from bindery.domain.applicant.risk import OptionAsk
from bindery.domain.quote.lifecycle import (
    ALL_MOVES,
    BINDABLE,
    IN_PIPELINE,
    MOVES,
    NOT_READY,
    PASSING,
    Move,
    Trigger,
    find_move,
    may,
    sources_of,
)
from bindery.domain.quote.quote import JournalEntry, Quote, Step, Walk, first_entry, take
from support.journals import check_journal
from support.telling import example_of

S = QuoteStatus
BORN = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)

STATUSES_OF_THE_SPECIFICATION = [
    "created",
    "aq_created",
    "calculating",
    "calc_completed",
    "broker_conflict_referral",
    "collection_issue",
    "red_flags_found",
    "calc_failed",
    "authority_failed",
    "eligible",
    "quick_scan_error",
    "missing_quick_scan",
    "aq_not_approved",
    "offer_email",
    "stale",
    "quote_referred",
    "published",
    "quote_declined",
    "quote_expired",
    "quote_revoked",
    "quote_bind_requested",
    "quote_not_bound",
    "policy_active",
    "policy_canceled",
    "policy_expired",
]

EVENTS_OF_MOVES = {
    "quote.published",
    "quote.referred",
    "quote.declined",
    "quote.expired",
    "quote.revoked",
    "quote.stale",
    "quote.bind_requested",
    "quote.not_bound",
    "quote.contingency_changed",
    "policy.bound",
    "policy.issued",
    "policy.canceled",
    "policy.expired",
    "policy.lapsed",
    "policy.renewal_offered",
}
OTHER_EVENTS = {
    "quote.amended",
    "quote.document_ready",
    "policy.document_ready",
    "policy.renewal_paused",
    "policy.renewal_resumed",
    "policy.not_renewed",
    "policy.renewal_restored",
    "policy.cancellation_requested",
    "policy.changed",
    "policy.change_declined",
    "policy.security_alert",
    "signature_request.opened",
    "signature_request.signed",
    "signature_request.declined",
    "quote.question_asked",
    "quote.question_closed",
}
"""What partners may be told of though no status moves."""

ENDS = {S.QUOTE_DECLINED, S.QUOTE_EXPIRED, S.QUOTE_REVOKED, S.STALE, S.POLICY_EXPIRED}


def a_quote() -> Quote:
    return Quote(
        quote_id=uuid7(BORN, random.Random(1)),
        submission_id=uuid7(BORN, random.Random(2)),
        company_id=123456789,
        partner_id=1,
        option_number=0,
        product=InsuranceProduct.CYB,
        status=S.CREATED,
        version=0,
        created_at=BORN,
        updated_at=BORN,
        ask=OptionAsk(1_000_000, None, None, None),
    )


def test_the_statuses_are_those_of_the_specification_and_no_other() -> None:
    assert len(STATUSES_OF_THE_SPECIFICATION) == 25
    assert {status.value for status in S} == set(STATUSES_OF_THE_SPECIFICATION)


def reachable_from(start: Iterable[QuoteStatus]) -> frozenset[QuoteStatus]:
    """Return every status that some walk over the table reaches."""
    seen = set(start)
    frontier = list(seen)
    while frontier:
        here = frontier.pop()
        for move in MOVES:
            if here in move.sources and move.target not in seen:
                seen.add(move.target)
                frontier.append(move.target)
    return frozenset(seen)


def test_every_status_is_reached_from_created() -> None:
    assert reachable_from([S.CREATED]) == set(S)


def test_nothing_is_reached_from_an_end() -> None:
    assert reachable_from(ENDS) == ENDS


def test_every_status_that_is_no_end_leads_on() -> None:
    leading_on = {source for move in MOVES for source in move.sources if source is not move.target}

    assert leading_on == set(S) - ENDS


def test_no_two_rows_answer_the_same_trigger_from_the_same_status() -> None:
    starts = Counter((move.trigger, source) for move in ALL_MOVES for source in move.sources)

    assert [start for start, count in starts.items() if count > 1] == []


def test_every_trigger_leads_somewhere() -> None:
    assert {move.trigger for move in ALL_MOVES} == set(Trigger)


@pytest.mark.parametrize("status", PASSING)
def test_a_passing_status_is_left_only_for_the_desk(status: QuoteStatus) -> None:
    exits = {(trigger, find_move(status, trigger).target) for trigger in Trigger if may(status, trigger)}

    assert exits == {(Trigger.REFER, S.QUOTE_REFERRED)}


@pytest.mark.parametrize("status", PASSING)
def test_a_passing_status_is_entered_only_from_the_pipeline(status: QuoteStatus) -> None:
    entries = {source for move in MOVES if move.target is status for source in move.sources}

    assert entries
    assert entries <= set(IN_PIPELINE)


def test_get_answers_202_in_the_pipeline_and_in_passing_only() -> None:
    assert {*IN_PIPELINE, *PASSING} == NOT_READY
    assert len(NOT_READY) == 13


def test_only_open_offers_can_be_bound() -> None:
    assert BINDABLE == (S.PUBLISHED, S.OFFER_EMAIL)
    assert set(sources_of(Trigger.REQUEST_BIND)) == set(BINDABLE)


def test_the_service_never_declines_by_itself() -> None:
    assert set(sources_of(Trigger.DECLINE)) == {S.QUOTE_REFERRED, S.QUOTE_BIND_REQUESTED}
    assert {move.trigger for move in MOVES if move.target is S.QUOTE_DECLINED} == {Trigger.DECLINE}


def test_every_event_that_belongs_to_a_move_is_told_by_one() -> None:
    told = {move.notifies.type for move in ALL_MOVES if move.notifies}

    assert told >= EVENTS_OF_MOVES
    assert told - EVENTS_OF_MOVES <= OTHER_EVENTS


def test_an_event_is_named_by_its_level() -> None:
    for move in ALL_MOVES:
        if move.notifies:
            # A client signs for a quote.
            level = move.notifies.type.partition(".")[0].replace("signature_request", "quote")
            assert level == move.notifies.level


def test_partners_hear_nothing_of_the_pipeline() -> None:
    silent = {*IN_PIPELINE, *PASSING}

    assert [move.trigger for move in MOVES if move.notifies and move.target in silent] == []
    # An approval that leads back into the pipeline is told when the quote is published.
    assert find_move(S.QUOTE_REFERRED, Trigger.APPROVE_REFERRAL).notifies is None


def test_a_trigger_that_leads_nowhere_says_where_it_would_have() -> None:
    with pytest.raises(WrongState) as refused:
        find_move(S.CREATED, Trigger.PUBLISH)

    assert refused.value.message == "A quote that is created cannot go through the step publish."
    assert refused.value.available_statuses == ("eligible",)


@pytest.mark.parametrize(
    ("status", "trigger", "message"),
    [
        (S.QUOTE_NOT_BOUND, Trigger.APPROVE_REFERRAL, "cannot be approved: it is not referred."),
        (
            S.PUBLISHED,
            Trigger.DECLINE,
            "cannot be declined: neither its referral nor its bind is waiting for a decision.",
        ),
        (S.POLICY_ACTIVE, Trigger.REVOKE, "cannot be revoked: it is not open any more."),
        (S.QUOTE_DECLINED, Trigger.WITHDRAW, "cannot be withdrawn: it is not open any more."),
        (S.PUBLISHED, Trigger.DECLINE_CANCELLATION, "cannot be left in force: there is no policy."),
        (S.QUOTE_DECLINED, Trigger.CHANGE_CONTINGENCIES, "cannot be subject to contingencies any more."),
        (S.PUBLISHED, Trigger.CANCEL, "cannot be canceled: there is no policy in force."),
        (S.POLICY_ACTIVE, Trigger.REINSTATE, "cannot be reinstated: it was not canceled."),
    ],
)
def test_what_a_person_tries_in_vain_is_refused_in_a_sentence(
    status: QuoteStatus, trigger: Trigger, message: str
) -> None:
    with pytest.raises(WrongState) as refused:
        find_move(status, trigger)

    assert refused.value.message == f"A quote that is {status} {message}"
    assert status not in refused.value.available_statuses


@given(st.data())
def test_a_random_walk_stays_on_the_map(data: st.DataObject) -> None:
    quote = a_quote()
    first = first_entry(quote, event_id=uuid.UUID(int=1), actor="test")
    entries = [first]
    moved = _born(quote, first)
    for step in range(data.draw(st.integers(1, 25), label="steps")):
        before = moved
        open_from_here = sorted(trigger for trigger in Trigger if may(moved.status, trigger))
        if not open_from_here:
            assert moved.status in ENDS
            break
        trigger = data.draw(st.sampled_from(open_from_here), label="trigger")

        moved, (entry,) = take(
            Walk(moved, (Step(trigger, "test", example_of(find_move(before.status, trigger))),)),
            at=BORN + timedelta(minutes=step + 1),
            new_id=partial(uuid.UUID, int=step + 2),
        )

        assert moved.status is find_move(before.status, trigger).target
        assert (entry.status_before, entry.status_after) == (before.status, moved.status)
        entries.append(entry)
    check_journal(entries)


@pytest.mark.parametrize("said", [None, QuoteDeclined(reason="No.")], ids=["nothing", "something else"])
@pytest.mark.parametrize("move", [move for move in ALL_MOVES if move.notifies], ids=lambda move: move.trigger)
def test_an_event_is_told_with_its_own_details_or_not_at_all(move: Move, said: EventDetails | None) -> None:
    said = QuoteStale() if said and move.trigger is Trigger.DECLINE else said
    walk = Walk(replace(a_quote(), status=move.sources[0]), (Step(move.trigger, "test", said),))

    with pytest.raises(AssertionError, match="an event has details"):
        take(walk, at=BORN, new_id=partial(uuid.UUID, int=2))


@given(st.sampled_from(sorted(S)), st.sampled_from(sorted(Trigger)))
def test_what_is_not_in_the_table_is_refused(status: QuoteStatus, trigger: Trigger) -> None:
    if any(trigger is move.trigger and status in move.sources for move in ALL_MOVES):
        assert may(status, trigger)
        return

    assert not may(status, trigger)
    with pytest.raises(WrongState):
        find_move(status, trigger)


def _born(quote: Quote, first: JournalEntry) -> Quote:
    return replace(quote, journal=replace(quote.journal, entries=1, hash=first.hash()))
