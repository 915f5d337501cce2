"""Lists that are longer than a page: on to the last row and back to the first."""

import html
import re

import pytest

from bindery.web.views import companies, desk, ops_mails, ops_traffic
from support.people import Person
from support.service import Service, request_body

PAGE = 2
COUNT = 5


async def walk(person: Person, address: str, rel: str, row: str) -> list[list[str]]:
    """Follow a pager as far as it leads, and return the rows of each page."""
    pages = []
    while True:
        page = html.unescape(await person.open(address))
        pages.append(re.findall(row, page))
        found = re.search(rf'<a href="([^"]+)" rel="{rel}"', page)
        if found is None:
            return [*pages, [address]]
        address = found.group(1)


async def there_and_back(person: Person, address: str, row: str) -> list[str]:
    """Check that the same pages are seen on the way back, and return their rows."""
    *there, (last,) = await walk(person, address, "next", row)
    *back, (first,) = await walk(person, last, "prev", row)
    assert [len(page) for page in there] == [PAGE, PAGE, COUNT - 2 * PAGE]
    assert back[::-1] == there
    assert ('rel="prev"' in await person.open(first)) is False
    return [line for page in there for line in page]


async def test_queue_and_companies_lead_on_and_back(
    working_service: Service, underwriter: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk, "ROWS", PAGE)
    monkeypatch.setattr(companies, "ROWS", PAGE)
    pool = working_service.runtime.database.pool
    for number in range(COUNT):
        body = request_body()
        body["client"].update(name=f"Works {number}", domains=["red-flags.example.com"])
        body["policy"]["quotes"] = body["policy"]["quotes"][:1]
        await working_service.quote(body)
    # Two of the same stake: the queue tells them apart all the same.
    await pool.execute("update desk_items set at_stake = 1000 * (item_id % 3)")

    row = r">(Works \d)</a>"
    seen = {order: await there_and_back(underwriter, f"/desk?sort={order}", row) for order in desk_orders()}
    assert all(sorted(names) == [f"Works {number}" for number in range(COUNT)] for names in seen.values())
    assert seen["opened"] == seen["due"]
    stakes = {
        row["name"]: row["at_stake"] for row in await pool.fetch("select name, at_stake from desk_items")
    }
    assert [stakes[name] for name in seen["stake"]] == sorted(stakes.values(), reverse=True)
    assert await there_and_back(underwriter, "/companies?product=CYB", row) == seen["opened"][::-1]


def desk_orders() -> tuple[str, ...]:
    return ("due", "stake", "opened")


async def test_deliveries_lead_on_and_back(
    service: Service, operator: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ops_traffic, "DELIVERIES", PAGE)
    levels = {"quote_level": True, "policy_level": True}
    registered = await service.post("/v2/webhooks", {"endpoint": "http://127.0.0.1:9/hook", **levels})
    assert registered.status_code < 300, registered.text
    address = f"/ops/webhooks/{registered.json()['id']}"
    for _ in range(COUNT):
        await operator.send(address)

    numbers = await there_and_back(operator, address, r'<a href="/ops/deliveries/\d+">(\d+)</a>')

    assert [int(number) for number in numbers] == sorted(map(int, numbers), reverse=True)


async def test_mail_leads_on_and_back_with_what_was_not_sent_first(
    service: Service, operator: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ops_mails, "ROWS", PAGE)
    await service.runtime.database.pool.execute(
        """
        insert into mails (mail_id, kind, recipients, subject, body, created_at, sent_at)
        select gen_random_uuid(), 'note', '{ann@example.com}', 'Mail ' || n, 'Text',
               timestamptz '2026-11-16' + interval '1 hour' * (n / 2),
               case when n % 2 = 0 then timestamptz '2026-11-17' end
        from generate_series(0, 4) as n
        """
    )

    found = await there_and_back(operator, "/ops/mails", r">(Mail \d)</a>")

    assert found == ["Mail 3", "Mail 1", "Mail 4", "Mail 2", "Mail 0"]
