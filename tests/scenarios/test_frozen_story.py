"""Tests that begin with an issued policy begin with the rows and files that issuing one leaves."""

import re
import uuid
from pathlib import Path
from typing import Any

from support.binding import DAY, shown, today
from support.frozen import issued_policy
from support.postgres import create_database, drop_database
from support.service import Service, serving

OF_ITS_OWN = re.compile(
    # A company is found by the last figures of its number too.
    r'(?<="words": ")\d{9}[ \d]*'
    r"|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    r"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:[\d.]+(?:Z|\+00:00)"
    r"|[0-9a-f]{32,}|\d{9,}"
    r'|(?<="token_id": ")\w+|(?<="about": ")\w+|(?<="request": ")\w+|(?<="due_on": ")[\d-]+'
)
"""Ids, moments, hashes and the turns that follow from ids, which no two stories have in common."""
SET_AGAIN = "public.service_clock"


async def rows_of(service: Service) -> dict[str, list[str]]:
    pool = service.runtime.database.pool
    tables = await pool.fetch(
        "select format('%I.%I', schemaname, tablename) as name from pg_tables "
        "where schemaname in ('public', 'pgq')"
    )
    found: dict[str, list[str]] = {}
    for (table,) in tables:
        # A document has its quote's identifier in it, and so a size of its own.
        rows = await pool.fetch(f"select (to_jsonb(kept) - 'size')::text from {table} kept")
        texts = [row.replace(service.partner.key, "*").replace(service.partner.name, "*") for (row,) in rows]
        found[table] = sorted(OF_ITS_OWN.sub("*", text) for text in texts)
    found.pop(SET_AGAIN)
    return found


async def test_a_frozen_policy_has_the_rows_that_the_story_leaves_today(
    server: str, template: str, service: Service, policy: dict[str, Any], tmp_path: Path
) -> None:
    name = f"test_{uuid.uuid4().hex}"
    dsn = await create_database(server, name, template=template)
    async with serving(dsn, tmp_path / "played") as played:
        await issued_policy(played)
        expected = await rows_of(played)
    await drop_database(server, name)

    assert await rows_of(service) == expected
    assert [
        table for table in ("public.binds", "public.uploads", "public.mails") if not expected[table]
    ] == []


async def test_a_frozen_policy_is_shown_as_it_was_when_it_was_issued(
    service: Service, policy: dict[str, Any]
) -> None:
    assert await shown(service, policy["quote_identifier"]) == policy
    assert (policy["dates"]["effective"], policy["dates"]["expiration"]) == ("2027-03-02", "2028-03-02")
    assert await today(service) == DAY
    application = await service.get(f"/v2/quotes/application/{policy['quote_identifier']}")
    assert application.content.startswith(b"%PDF")
