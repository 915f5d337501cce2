"""The demo's clock from the command line."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from support.binding import issue, one_quoted
from support.processes import Program
from support.service import Service


async def test_the_clock_shows_real_time_until_it_is_moved(program: Program) -> None:
    shown = await asyncio.to_thread(lambda: program.run("clock", "show", "--json").json())

    assert shown["days_ahead"] == 0
    assert abs(datetime.fromisoformat(shown["now"]) - datetime.now(UTC)) < timedelta(minutes=1)


async def test_moving_the_clock_does_what_became_due(working_service: Service, program: Program) -> None:
    service = working_service
    quote = await service.quote()

    on_the_last_day = await asyncio.to_thread(program.run, "clock", "advance", "60", "--json")
    still = (await service.get(f"/v2/quotes/{quote['quote_identifier']}")).json()["quote_status"]
    moved = await asyncio.to_thread(program.run, "clock", "advance", "1")
    after = (await service.get(f"/v2/quotes/{quote['quote_identifier']}")).json()["quote_status"]
    seen_over_http = (await service.get("/v2/demo/clock")).json()["now"]

    assert on_the_last_day.json()["days_ahead"] == 60
    assert still == "published"
    assert moved.good().endswith("in America/New_York, 61 days ahead of the real time.\n")
    assert after == "quote_expired"
    assert datetime.fromisoformat(seen_over_http) - datetime.now(UTC) > timedelta(days=60, hours=23)


@pytest.mark.usefixtures("plain_printing")
async def test_mail_of_a_moved_clock_leads_to_where_the_demo_listens(
    service: Service, program: Program
) -> None:
    policy = await issue(service, await one_quoted(service))
    program.data.mkdir(exist_ok=True)
    (program.data / "demo_url").write_text("http://127.0.0.1:8123/v2\n")

    moved = await asyncio.to_thread(program.run, "clock", "advance", "310")

    assert "310 days ahead" in moved.good()
    body = await service.runtime.database.pool.fetchval("select body from mails where kind = 'renewal_offer'")
    assert f" http://127.0.0.1:8123/company/{policy['company_id']}\n" in body


async def test_a_configured_platform_is_linked_wherever_the_demo_listens(
    service: Service, program: Program
) -> None:
    policy = await issue(service, await one_quoted(service))
    program.data.mkdir(exist_ok=True)
    (program.data / "demo_url").write_text("http://127.0.0.1:8123/v2\n")

    program.variables["BINDERY_PLATFORM_URL"] = "https://platform.example.com"
    await asyncio.to_thread(lambda: program.run("clock", "advance", "310").good())

    body = await service.runtime.database.pool.fetchval("select body from mails where kind = 'renewal_offer'")
    assert f" https://platform.example.com/company/{policy['company_id']}\n" in body


@pytest.mark.parametrize("days", ["-5", "soon", "4001", "1.5", "٣", "9" * 5_000])
def test_the_clock_does_not_go_back_or_too_far(program: Program, days: str) -> None:
    refused = program.run("clock", "advance", days)

    assert refused.complaint.startswith(f"DAYS must be a whole number from 0 to 4,000, not {days!r}")
    assert program.run("clock", "show", "--json").json()["days_ahead"] == 0
