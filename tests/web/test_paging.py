"""Lists that are longer than a page: on to the last row and back to the first."""

import html
import re

import pytest

from bindery.web.desk import desk
from bindery.web.frame import paging
from support.binding import bind, quoted
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
    monkeypatch.setattr(paging, "ROWS", PAGE)
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
    monkeypatch.setattr(paging, "ROWS", PAGE)
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
    monkeypatch.setattr(paging, "ROWS", PAGE)
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


async def test_users_partners_brokers_tokens_and_webhooks_lead_on_and_back(
    service: Service, operator: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paging, "ROWS", PAGE)
    pool = service.runtime.database.pool
    await pool.execute("delete from tokens")
    await pool.execute("delete from brokers")
    await pool.execute(
        """
        insert into partners (partner_key, name, created_at)
        select 'key0000' || n, 'House ' || n, now() from generate_series(2, 5) as n
        """
    )
    await pool.execute(
        """
        insert into users (email, name, role, password_hash, created_at)
        select 'aa' || n || '@example.com', 'Un ' || n, 'underwriter', '', now()
        from generate_series(1, 4) as n
        """
    )
    # Two partners, and the same address with both.
    await pool.execute(
        """
        insert into brokers (partner_id, email, created_at)
        select p.partner_id, 'ann' || n || '@example.com', now()
        from partners p, generate_series(1, 3) as n where p.name = 'House 2' or (p.name = 'House 3' and n < 3)
        """
    )
    # Two in force that expire together, two that are over, and one that was revoked.
    await pool.execute(
        """
        insert into tokens (token_id, partner_id, environment, issued_at, expires_at, revoked_at)
        select 'token' || n, p.partner_id, 'demo', now() - interval '9 days',
               now() + interval '1 day' * (case when n > 3 then -1 when n = 1 then 2 else 3 end),
               case when n = 1 then now() end
        from partners p, generate_series(1, 5) as n where p.name = 'House 2'
        """
    )
    await pool.execute(
        """
        insert into webhooks (webhook_id, partner_id, endpoint, quote_level, policy_level, status, created_at,
                              failing_since)
        select gen_random_uuid(), p.partner_id, 'https://example.com/' || n, true, true, 'active', now(),
               case when n > 3 then now() - interval '1 hour' * n end
        from partners p, generate_series(1, 5) as n where p.name = 'House 2'
        """
    )

    users = await there_and_back(operator, "/ops/users", r'<span class="soft">(\S+@example\.com)</span>')
    partners = await there_and_back(operator, "/ops/partners", r'<span class="soft">(\w{8})</span>')
    brokers = await there_and_back(operator, "/ops/brokers", r"<td>(ann\d@\S+?</td><td>—</td><td>House \d)")
    tokens = await there_and_back(operator, "/ops/tokens", r"<code>(token\d)</code>")
    webhooks = await there_and_back(operator, "/ops/webhooks", r">https://example\.com/(\d)</a>")

    assert users == [f"aa{n}@example.com" for n in range(1, 5)] + [operator.email]
    assert partners[1:] == [f"key0000{n}" for n in range(2, 6)] or partners[:-1] == [
        f"key0000{n}" for n in range(2, 6)
    ]
    assert [broker.replace("</td><td>", " ") for broker in brokers] == [
        *(f"ann{n}@example.com — House 2" for n in range(1, 4)),
        *(f"ann{n}@example.com — House 3" for n in range(1, 3)),
    ]
    assert tokens == ["token2", "token3", "token4", "token5", "token1"]
    assert webhooks == ["5", "4", "1", "2", "3"]


async def test_renewals_lead_on_and_back_in_the_order_of_their_days(
    service: Service, broker: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paging, "ROWS", PAGE)
    for number in range(COUNT):
        body = request_body()
        body["client"].update(name=f"Works {number}", domains=[f"works{number}.example.com"])
        body["policy"]["quotes"] = body["policy"]["quotes"][:1]
        (quote,) = await quoted(service, body)
        await bind(service, quote)
    await service.runtime.database.pool.execute(
        """
        update binds set issued_on = current_date, expiration = current_date + 30 + row / 2
        from (select quote_id, row_number() over (order by quote_id)::int as row from binds) as numbered
        where binds.quote_id = numbered.quote_id
        """
    )

    seen = await there_and_back(broker, "/renewals?days=90&mine=0", r">(Works \d)</a>")

    assert sorted(seen) == [f"Works {number}" for number in range(COUNT)]


async def test_a_key_that_cannot_be_read_shows_the_first_page_with_no_way_back(operator: Person) -> None:
    for name in ("after", "before"):
        page = await operator.open(f"/ops/users?{name}=nobody")

        assert operator.email in page
        assert 'rel="prev"' not in page
