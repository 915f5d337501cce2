"""A row of the renewals page: the words for each state, the next step, and the change of the premium."""

import uuid
from dataclasses import replace
from datetime import date, timedelta

import pytest

from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.policy.policy import RenewalType
from bindery.storage.lists.policy_list import EndingPolicy
from bindery.web.company.renewals_shown import as_cells, needing_somebody, shown_ending
from bindery.web.shown.words import StatusDot

TODAY = date(2026, 11, 18)
POLICY = EndingPolicy(
    quote_id=uuid.UUID(int=1),
    company_id=1,
    name="Harborlight Bakery LLC",
    product="CYB",
    policy_number="CYB-26-0000002-6-00",
    expiration=TODAY + timedelta(days=40),
    broker="bo@example.com",
    premium=1_000,
    renewal_type=RenewalType.AUTO,
    cancellation_open=False,
    renewal_ruling=None,
    is_renewal_settled=False,
    renewed_by=None,
    renewed_by_status=None,
    offered_premium=None,
    is_owed=False,
    renewed_as=None,
)
OFFERED = replace(
    POLICY, renewed_by=uuid.UUID(int=2), renewed_by_status=QuoteStatus.OFFER_EMAIL, offered_premium=1_027
)
PAUSED = replace(OFFERED, renewal_type=RenewalType.MANUAL)
UNOFFERED = replace(POLICY, renewal_type=RenewalType.MANUAL)
OFFER = f"/quote/{uuid.UUID(int=2)}"
RENEWED = replace(
    OFFERED, renewed_by_status=QuoteStatus.POLICY_ACTIVE, renewed_as="CYB-26-0000002-6-01", premium=1_027
)


@pytest.mark.parametrize(
    ("policy", "dot", "word", "step", "address", "switch"),
    [
        (POLICY, StatusDot.RUN, "Renews by itself", "Offer on Oct 29", "", "pause"),
        (OFFERED, StatusDot.OPEN, "Renews by itself", "See the offer", OFFER, "pause"),
        (replace(OFFERED, is_owed=True), StatusDot.WARN, "Papers owed", "Send what is open", OFFER, "pause"),
        (
            PAUSED,
            StatusDot.WARN,
            "Ends unless bound",
            "Bind from Nov 28",
            OFFER,
            "resume",
        ),
        (
            replace(PAUSED, expiration=TODAY + timedelta(days=30)),
            StatusDot.WARN,
            "Ends unless bound",
            "Bind the offer",
            f"{OFFER}/bind",
            "resume",
        ),
        (
            replace(OFFERED, cancellation_open=True),
            StatusDot.WARN,
            "Cancellation asked for",
            "An underwriter decides on it",
            "",
            "pause",
        ),
        (
            replace(OFFERED, renewed_by_status=QuoteStatus.QUOTE_REFERRED, offered_premium=None),
            StatusDot.WAIT,
            "With an underwriter",
            "See the renewal",
            OFFER,
            "pause",
        ),
        (UNOFFERED, StatusDot.BAD, "Ends: no renewal", "", "", "resume"),
        (
            replace(UNOFFERED, expiration=TODAY + timedelta(days=91)),
            StatusDot.BAD,
            "Ends: no renewal",
            "Offer from Nov 19 on",
            "",
            "resume",
        ),
        (RENEWED, StatusDot.BOUND, "Renewed", "Policy CYB-26-0000002-6-01", OFFER, ""),
        (
            replace(POLICY, expiration=TODAY),
            StatusDot.RUN,
            "Renews by itself",
            "Offer on Sep 19",
            "",
            "",
        ),
    ],
)
def test_a_row_has_a_word_and_the_next_step(
    policy: EndingPolicy, dot: StatusDot, word: str, step: str, address: str, switch: str
) -> None:
    row = shown_ending(policy, TODAY)

    assert (row.dot, row.word, row.next.text, row.next.address, row.switch) == (
        dot,
        word,
        step,
        address,
        switch,
    )


def test_an_offer_is_asked_for_where_none_comes_by_itself() -> None:
    asks = [
        shown_ending(replace(policy, expiration=TODAY + timedelta(days=days)), TODAY).may_ask
        for policy in (POLICY, UNOFFERED)
        for days in (0, 90, 91)
    ]

    assert asks == [False, False, False, False, True, False]


@pytest.mark.parametrize(
    ("offered", "change", "percent"),
    [
        (None, "", ""),
        (1_000, "", "unchanged"),
        (1_027, "+$27", "+2.7%"),
        (993, "\N{MINUS SIGN}$7", "\N{MINUS SIGN}0.7%"),
        (98_765_432, "+$98,764,432", "+9876443.2%"),
    ],
)
def test_the_change_is_in_dollars_and_in_percent(offered: int | None, change: str, percent: str) -> None:
    row = shown_ending(replace(OFFERED, offered_premium=offered), TODAY)

    assert (row.change, row.percent) == (change, percent)


@pytest.mark.parametrize(("days", "urgency"), [(3, "late"), (4, "soon"), (14, "soon"), (15, "")])
def test_what_ends_unless_somebody_acts_is_urgent_as_its_day_comes(days: int, urgency: str) -> None:
    ends = TODAY + timedelta(days=days)

    paused = shown_ending(replace(UNOFFERED, expiration=ends), TODAY)

    assert paused.urgency == urgency
    assert shown_ending(replace(OFFERED, expiration=ends), TODAY).urgency == ""


def test_how_many_end_unless_somebody_acts_is_said_in_the_head() -> None:
    fine, paused = (shown_ending(policy, TODAY) for policy in (OFFERED, PAUSED))

    assert needing_somebody([fine]) == ""
    assert needing_somebody([fine, paused]) == "1 of these ends unless somebody acts."
    assert needing_somebody([paused, paused]) == "2 of these end unless somebody acts."


def test_a_spreadsheet_has_amounts_as_numbers() -> None:
    cells = as_cells(shown_ending(OFFERED, TODAY), "Cyber")
    not_offered = as_cells(shown_ending(POLICY, TODAY), "Cyber")

    assert cells[4:9] == (1_000, 1_027, 27, 2.7, "Renews by itself")
    assert not_offered[4:8] == (1_000, "", "", "")
