"""The company page in its first seconds, while the prices of a submission come in one after the other."""

import asyncio
import re
from typing import Any

import asyncpg
import pytest
from playwright.async_api import expect

from support.browser import Desk
from support.intake import changed
from support.processes import Running

pytestmark = pytest.mark.asyncio(loop_scope="session")
LIMITS = (250_000, 500_000, 1_000_000, 2_000_000, 2_500_000, 3_000_000)
WAYS: dict[str, dict[str, Any]] = {
    "with JavaScript": {},
    "without JavaScript": {"java_script_enabled": False},
}


@pytest.mark.parametrize("way", WAYS)
async def test_a_page_that_fills_in_says_how_many_options_are_ready_and_has_no_fault(
    desk: Desk, demo: Running, way: str
) -> None:
    options = WAYS[way]
    asked = [{"aggregate_limit": limit} for limit in LIMITS]
    body = changed(("client.name", f"Filling {way} LLC"), ("policy.quotes", asked))
    connection = await asyncpg.connect(demo.program.variables["BINDERY_DATABASE_URL"])

    async def show(running: int, of: str) -> None:
        """Have the last options of a company worked out still, as a scan that takes a while leaves them."""
        await connection.execute(
            """
            update quotes set updated_at = clock_timestamp() + interval '1 second',
                   status = case when option_number >= $1 then 'aq_created' else 'published' end
            where submission_id in (select submission_id from submissions where company_id = $2)
            """,
            len(LIMITS) - running,
            int(of),
        )

    try:
        receipt = await asyncio.to_thread(desk.partner.post, "/v2/quotes", body)
        for quote in receipt["quotes"]:
            await asyncio.to_thread(desk.partner.read, quote["quote_identifier"])
        company = receipt["company_id"]
        async with desk.person("broker", **options) as broker:
            page = broker.page

            await show(6, company)
            await broker.open(f"/company/{company}")
            fact = page.locator(".lede strong")
            await expect(fact).to_contain_text("6 options are being quoted")
            await broker.no_complaint()
            for running, says in ((3, "3 of 6 options are ready."), (1, "5 of 6 options are ready.")):
                await show(running, company)
                # By itself: with scripts they ask, without the page comes again every five seconds.
                await expect(fact).to_have_text(says, timeout=20_000)
                if broker.has_script:
                    await expect(page.locator("#news")).to_have_text(says)
                await broker.no_complaint()
            await show(0, company)
            await expect(fact).to_have_text(re.compile("^6 options are open until"), timeout=20_000)
            await broker.no_complaint()
    finally:
        await connection.close()
