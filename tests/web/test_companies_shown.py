"""How a company is shown in a row, and the order of rows."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from bindery.contract.vocabulary import InsuranceProduct, QuoteStatus
from bindery.domain.quote.lifecycle import OVER
from bindery.domain.quote.standing import STATUSES_OF, CompanyStanding
from bindery.storage.list_pages import Cursor
from bindery.storage.lists.company_book import Order, Sort, page_in_order, read_key, write_key
from bindery.storage.lists.company_lines import CompanyLine
from bindery.web.company.companies_shown import Next, capped, next_of, row_of, short_dollars, status_of
from bindery.web.shown.words import Times

S = QuoteStatus
NOW = datetime(2026, 11, 18, 15, 0, tzinfo=UTC)
TIMES = Times(ZoneInfo("America/New_York"), NOW)
TODAY = date(2026, 11, 18)
OPEN = CompanyLine(
    company_id=100_000_001,
    name="Willow Kettle Design Office",
    created_at=NOW - timedelta(days=1),
    standing=CompanyStanding.OPEN,
    standings=frozenset({CompanyStanding.OPEN}),
    all_products=frozenset({InsuranceProduct.MPL}),
    statuses=(S.PUBLISHED,),
    products=(InsuranceProduct.MPL,),
    options=2,
    least_limit=250_000,
    most_limit=1_500_000,
    least_premium=1_343,
    most_premium=10_001_876,
    effective=date(2026, 11, 19),
    expiration=date(2027, 11, 19),
    until=date(2027, 1, 17),
    ended_on=None,
    received_on=None,
    renews_by_hand=False,
    due_at=None,
    broker="bo@brokerage.example",
    secondary_broker=None,
)
BINDER = replace(
    OPEN, standing=CompanyStanding.BINDER, statuses=(S.POLICY_ACTIVE,), until=date(2026, 12, 9), options=1
)
BOUND = replace(OPEN, standing=CompanyStanding.IN_FORCE, statuses=(S.POLICY_ACTIVE,), until=None, options=1)
WAITS = replace(OPEN, standing=CompanyStanding.REFERRED, statuses=(S.QUOTE_REFERRED,), until=None)


def over(*statuses: QuoteStatus, ended_on: date | None = None) -> CompanyLine:
    return replace(OPEN, standing=CompanyStanding.OVER, statuses=statuses, ended_on=ended_on, until=None)


def test_a_row_has_what_people_open_the_page_for() -> None:
    row = row_of(OPEN, TIMES, {"bo@brokerage.example": "Bo Broker"})

    assert (row.status, row.dot, row.count) == ("Open", "open", 2)
    assert (row.limit, row.premium) == ("$250k \N{EN DASH} $1.5M", "$1,343 \N{EN DASH} $10,001,876")
    assert (row.effective, row.since, row.broker) == ("Nov 19", "Nov 17", "Bo Broker")
    assert row.product == "Professional liability"
    assert row.address == "/company/100000001"


def test_a_row_names_both_brokers_and_what_else_the_company_has() -> None:
    line = replace(
        OPEN,
        secondary_broker="luis@brokerage.example",
        standings=frozenset({CompanyStanding.OPEN, CompanyStanding.IN_FORCE, CompanyStanding.OVER}),
    )

    row = row_of(line, TIMES, {})

    assert row.broker == "bo, luis"
    assert row.addresses == "bo@brokerage.example, luis@brokerage.example"
    assert row.also == "also in force"


def test_a_row_without_a_price_says_so() -> None:
    unpriced = replace(WAITS, least_premium=None, most_premium=None)

    assert row_of(unpriced, TIMES, {}).premium == "not quoted yet"
    assert (
        row_of(
            replace(unpriced, standing=CompanyStanding.OVER, statuses=(S.QUOTE_DECLINED,)), TIMES, {}
        ).premium
        == "—"
    )


@pytest.mark.parametrize(
    ("line", "status"),
    [
        (OPEN, "Open"),
        (replace(OPEN, statuses=(S.OFFER_EMAIL,)), "Renewal offered"),
        (WAITS, "With an underwriter"),
        (replace(WAITS, standing=CompanyStanding.BIND_REQUESTED), "Bind requested"),
        (replace(WAITS, standing=CompanyStanding.QUOTING), "Being quoted"),
        (BINDER, "Binder, due Dec 9"),
        (replace(BINDER, until=None), "Binder"),
        (BOUND, "Starts Nov 19"),
        (replace(BOUND, effective=TODAY), "In force"),
        (replace(BOUND, effective=TODAY, ended_on=date(2027, 3, 1)), "Canceled as of Mar 1"),
        (over(S.QUOTE_NOT_BOUND, S.POLICY_CANCELED), "Canceled"),
        (over(S.QUOTE_NOT_BOUND, S.POLICY_EXPIRED), "Ended"),
        (over(S.QUOTE_EXPIRED), "Expired"),
        (over(S.QUOTE_EXPIRED, ended_on=TODAY), "Lapsed"),
        (over(S.QUOTE_DECLINED, S.QUOTE_REVOKED), "Declined"),
    ],
)
def test_statuses_are_in_the_words_of_the_trade(line: CompanyLine, status: str) -> None:
    assert status_of(line, TODAY) == status


@pytest.mark.parametrize(
    ("line", "step"),
    [
        (OPEN, Next("Bind by Jan 17")),
        (replace(OPEN, until=TODAY + timedelta(days=30)), Next("Bind by Dec 18", "30 days")),
        (replace(OPEN, until=TODAY + timedelta(days=15)), Next("Bind by Dec 3", "15 days")),
        (replace(OPEN, until=TODAY + timedelta(days=14)), Next("Bind by Dec 2", "14 days", "soon")),
        (replace(OPEN, until=TODAY + timedelta(days=4)), Next("Bind by Nov 22", "4 days", "soon")),
        (replace(OPEN, until=TODAY + timedelta(days=3)), Next("Bind by Nov 21", "3 days", "late")),
        (replace(OPEN, until=TODAY), Next("Bind by Nov 18", "today", "late")),
        (replace(OPEN, until=None), Next("Bind")),
        (BINDER, Next("Papers by Dec 9", "21 days")),
        (replace(BINDER, until=TODAY - timedelta(days=1)), Next("Papers by Nov 17", "", "late")),
        (replace(BINDER, received_on=TODAY), Next("Papers are being checked")),
        (BOUND, Next("Renews Nov 19, 2027")),
        (replace(BOUND, renews_by_hand=True), Next("Ends Nov 19, 2027")),
        (replace(BOUND, ended_on=date(2027, 3, 1)), Next("Ends Mar 1")),
        (WAITS, Next("An underwriter decides")),
        (replace(WAITS, due_at=NOW - timedelta(seconds=1)), Next("Answer is late", urgency="late")),
        (replace(WAITS, due_at=NOW), Next("Answer by 10:00 AM")),
        (replace(WAITS, due_at=NOW + timedelta(days=1)), Next("Answer by Nov 19, 10:00 AM")),
        (replace(WAITS, standing=CompanyStanding.QUOTING), Next("Being priced")),
        (over(S.POLICY_CANCELED, ended_on=date(2026, 7, 12)), Next("Ended Jul 12, 2026")),
        (over(S.POLICY_EXPIRED), Next("Ended Nov 19, 2027")),
        (over(S.QUOTE_DECLINED), Next("—")),
        (over(S.QUOTE_REVOKED), Next("Withdrawn or replaced")),
        (over(S.STALE), Next("Ask for a new quote", address="/new?company_id=100000001")),
    ],
)
def test_what_comes_next_has_its_day(line: CompanyLine, step: Next) -> None:
    assert next_of(line, TIMES) == step


def test_every_status_stands_somewhere_and_every_ending_has_a_word() -> None:
    decided = {status for statuses in STATUSES_OF.values() for status in statuses}

    assert decided | {S.POLICY_ACTIVE} == set(QuoteStatus)
    for status in OVER:
        assert status_of(over(status), TODAY)


@pytest.mark.parametrize(
    ("amount", "text"),
    [(500, "$500"), (999_000, "$999k"), (1_000_000, "$1M"), (2_500_000, "$2.5M"), (1_234_567, "$1,234,567")],
)
def test_limits_are_short(amount: int, text: str) -> None:
    assert short_dollars(amount) == text


def test_counts_are_capped() -> None:
    assert capped(100, is_whole=True) == "100"
    assert capped(101, is_whole=True) == "100+"
    assert capped(4, is_whole=False) == "4+"


def lines(count: int = 7) -> list[CompanyLine]:
    """Companies some of which share a value, and some of which have none."""
    return [
        replace(
            OPEN,
            company_id=100_000_000 + number,
            name=f"Works {number % 3}",
            created_at=NOW + timedelta(hours=number // 2),
            most_premium=None if number % 3 == 0 else 1_000 * (number % 4),
            most_limit=1_000_000 * (number % 2),
            effective=TODAY + timedelta(days=number % 4),
            standing=CompanyStanding.QUOTING if number % 4 == 1 else CompanyStanding.OPEN,
            until=TODAY + timedelta(days=number % 2),
        )
        for number in range(count)
    ]


@pytest.mark.parametrize("is_descending", [True, False])
@pytest.mark.parametrize("sort", list(Sort))
def test_pages_of_any_order_have_every_company_once_there_and_back(sort: Sort, is_descending: bool) -> None:
    order = Order(sort, is_descending)
    everything = page_in_order(lines(), order, cursor=None, limit=100)
    assert (everything.previous, everything.next) == (None, None)

    there, cursor, back = [], None, []
    while True:
        page = page_in_order(lines(), order, cursor=cursor, limit=2)
        there.append([line.company_id for line in page.rows])
        if page.next is None:
            break
        # As the address has it.
        assert read_key(write_key(page.next), order) == page.next
        cursor = Cursor(read_key(write_key(page.next), order))
    while page.previous is not None:
        page = page_in_order(lines(), order, cursor=Cursor(page.previous, backward=True), limit=2)
        back.append([line.company_id for line in page.rows])

    assert [number for found in there for number in found] == [line.company_id for line in everything.rows]
    assert back[::-1] == there[:-1]


def test_what_has_no_premium_comes_last_either_way() -> None:
    for is_descending in (True, False):
        page = page_in_order(lines(), Order(Sort.PREMIUM, is_descending), cursor=None, limit=100)
        premiums = [line.most_premium for line in page.rows]
        assert premiums[-3:] == [None, None, None]
        assert premiums[:4] == sorted(premiums[:4], reverse=is_descending)  # type: ignore[type-var] # no None


def test_a_page_goes_on_where_a_company_was_that_is_gone() -> None:
    order = Order(Sort.NAME, is_descending=False)
    first = page_in_order(lines(), order, cursor=None, limit=3)
    left = [line for line in lines() if line.company_id != first.rows[-1].company_id]

    after = page_in_order(left, order, cursor=Cursor(first.next), limit=3)

    seen = {line.company_id for line in (*first.rows, *after.rows)}
    assert len(seen) == 6


@pytest.mark.parametrize("text", ["", "x", "x_1", "_", "2026-11-18_x", "_" + "9" * 40, "\u0661_\u0661"])
def test_a_key_that_no_row_has_is_none(text: str) -> None:
    assert read_key(text, Order(Sort.EFFECTIVE)) is None


def test_a_key_of_what_has_no_value_is_read() -> None:
    assert read_key("_100000001", Order(Sort.PREMIUM)) == (None, 100_000_001)
