"""The renewal book a page at a time, in each of its orders and by each of its filters."""

import uuid
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest

from bindery.contract.vocabulary import InsuranceProduct
from bindery.storage.list_pages import Cursor
from bindery.storage.lists import renewal_book
from bindery.storage.lists.renewal_book import BookFilter, BookOrder, BookState
from support.binding import decide, issue, move_to, one_quoted
from support.service import Service

pytestmark = pytest.mark.usefixtures("plain_printing", "clock_at_day")
END = date(2028, 3, 2)


async def a_policy(service: Service, name: str, limit: int) -> dict[str, Any]:
    def change(body: dict[str, Any]) -> None:
        body["client"].update(name=name, domains=[f"{name.lower()}.example.com"])
        body["policy"]["quotes"] = [{"aggregate_limit": limit}]

    return await issue(service, await one_quoted(service, change))


async def names(service: Service, asked: BookFilter) -> list[str]:
    """Walk the book a row at a time, forward and back, and return the names in order."""
    forward: list[str] = []
    back: list[str] = []
    cursor: Cursor | None = None
    async with service.runtime.database.reading() as tx:
        while True:
            page = await renewal_book.read_book(tx, asked, cursor=cursor, limit=1)
            forward += [row.name for row in page.rows]
            if page.next is None:
                break
            cursor = Cursor(page.next)
        last = page.rows[-1].quote_id if page.rows else uuid.UUID(int=0)
        while page.rows:
            page = await renewal_book.read_book(tx, asked, cursor=Cursor(last, backward=True), limit=1)
            back += [row.name for row in page.rows]
            last = page.rows[-1].quote_id if page.rows else last
    assert back[::-1] == forward[:-1]
    return forward


async def test_every_order_and_filter_is_walked_without_a_gap(
    service: Service, policy: dict[str, Any]
) -> None:
    await a_policy(service, "Dearest", 3_000_000)
    cheap = await a_policy(service, "Cheapest", 250_000)
    dear = await a_policy(service, "Middle", 2_000_000)
    first = policy["client"]["name"]
    await move_to(service, END - timedelta(days=70))
    await decide(service, cheap, "hold_renewal", reason="Losses.")
    await decide(service, dear, "not_renew", reason="security")
    await move_to(service, END - timedelta(days=60))
    every = BookFilter(until=END)
    change = "update quotes set premium = premium * 2 where quote_id = $1"
    async with service.runtime.database.reading() as tx:
        page = await renewal_book.read_book(tx, every, cursor=None, limit=9)
    rows = {row.name: row for row in page.rows}
    await service.runtime.database.pool.execute(change, rows["Dearest"].renewed_by)

    assert sorted(await names(service, every)) == sorted([first, "Dearest", "Cheapest", "Middle"])
    by_premium = await names(service, replace(every, order=BookOrder.PREMIUM))
    assert by_premium == ["Dearest", "Middle", first, "Cheapest"]
    by_change = await names(service, replace(every, order=BookOrder.CHANGE))
    # What has no offer comes last.
    assert by_change[:2] == ["Dearest", first]
    assert await names(service, replace(every, state=BookState.REFERRED)) == ["Cheapest"]
    assert await names(service, replace(every, state=BookState.NOT_RENEWED)) == ["Middle"]
    assert sorted(await names(service, replace(every, state=BookState.OFFERED))) == sorted([first, "Dearest"])
    assert await names(service, replace(every, product=InsuranceProduct.MPL)) == []
    assert await names(service, replace(every, has_alerts=True)) == []
    assert await names(service, replace(every, until=END - timedelta(days=1))) == []


async def test_alerts_and_scans_since_the_bind_are_known(service: Service, policy: dict[str, Any]) -> None:
    quote_id = uuid.UUID(policy["quote_identifier"])
    finding = (
        '[{"check_id": "RDP_OPEN", "title": "Remote Desktop", "severity": "critical", "points": 30, '
        '"red_flag": true, "host": "a.example.com", "evidence": ""}]'
    )
    for days, score, alarming in ((30, 80, "[]"), (60, 51, finding)):
        await service.runtime.database.pool.execute(
            "insert into rescans (quote_id, scanned_at, outcome, score, known, alarming) "
            "values ($1, $2::date + $3::int, 'finished', $4, '[]', $5)",
            quote_id,
            date(2027, 3, 2),
            days,
            score,
            alarming,
        )

    async with service.runtime.database.reading() as tx:
        since = (await renewal_book.since_bound(tx, [quote_id]))[quote_id]
        ((_, (alarm,)),) = await renewal_book.alarms_since(tx, quote_id)
        row = await renewal_book.find_row(tx, quote_id)

    assert since.score_at_bind is not None
    assert (since.last_score, since.losses) == (51, ())
    assert alarm.title == "Remote Desktop"
    assert row is not None
    assert row.alerts == 1
    assert await names(service, BookFilter(until=END, has_alerts=True)) == [policy["client"]["name"]]
