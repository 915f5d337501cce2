"""A conditional binder for which everything came in time holds until an underwriter has looked."""

import uuid
from datetime import date, timedelta
from typing import Any

import pytest

from bindery.actions.desk.take_decisions import take_decision
from bindery.base.errors import WrongState
from bindery.domain.quote.decisions import ReopenContingency
from bindery.storage.desk import desk
from bindery.storage.desk.desk_filter import DeskFilter
from support.binding import (
    DAY,
    bind,
    decide,
    in_days,
    move_days,
    move_to,
    one_quoted,
    quoted,
    shown,
    status_of,
    told,
    upload_signed,
)
from support.intake import technology
from support.service import Service

pytestmark = pytest.mark.usefixtures("plain_printing", "clock_at_day")
LAST_DAY = DAY + timedelta(days=30)
PROOF = {"type": "post_bind", "text": "Proof that backups are kept offline"}


async def a_binder(service: Service) -> dict[str, Any]:
    return await bind(service, await one_quoted(service))


async def ask_again(service: Service, quote: dict[str, Any]) -> dict[str, Any]:
    """Find the file not good enough, and return the quote after that."""
    await take_decision(
        service.runtime.database,
        service.runtime.rules,
        uuid.UUID(quote["quote_identifier"]),
        ReopenContingency(quote["contingencies"][0]["contingency_id"]),
        actor="test",
    )
    return await shown(service, quote["quote_identifier"])


async def due_days(service: Service) -> list[date]:
    async with service.runtime.database.reading() as tx:
        items = await desk.list_items(tx, DeskFilter(), limit=10)
    zone = service.runtime.settings.zone
    return [(item.due_at - timedelta(seconds=1)).astimezone(zone).date() for item in items.rows]


async def test_a_file_that_came_on_the_last_day_keeps_the_binder_until_somebody_has_looked(
    service: Service,
) -> None:
    quote = await a_binder(service)
    assert quote["binder"] == {
        "conditional": True, "fulfil_by": str(LAST_DAY), "received_on": None, "late": False
    }  # fmt: skip
    await move_to(service, LAST_DAY)
    await upload_signed(service, quote)
    in_time = await shown(service, quote["quote_identifier"])
    assert in_time["binder"] | {"received_on": str(LAST_DAY), "late": False} == in_time["binder"]
    assert in_time["contingencies"][0]["received"] == in_time["uploads"][0]["received"]
    # Due before the binder would lapse, whatever the desk's own time to answer is.
    assert await due_days(service) == [LAST_DAY]

    await move_days(service, 10)
    late = await shown(service, quote["quote_identifier"])
    assert (late["quote_status"], late["binder"]["late"]) == ("policy_active", True)
    assert "policy.lapsed" not in await told(service, quote["quote_identifier"])
    binder = await service.get(f"/v2/quotes/binder/{quote['quote_identifier']}")
    assert binder.content.startswith(b"%PDF-")

    signature = quote["contingencies"][0]["contingency_id"]
    issued = await decide(service, quote, "close_contingency", contingency_id=signature)
    assert issued["binder"] == {
        "conditional": False, "fulfil_by": None, "received_on": None, "late": False
    }  # fmt: skip
    assert issued["contingencies"][0]["received"] is None


async def test_a_file_that_came_before_the_bind_counts(service: Service) -> None:
    quote = await one_quoted(service)
    await upload_signed(service, quote)
    binder = await bind(service, quote)
    assert binder["binder"]["received_on"] == str(DAY)
    await move_days(service, 31)

    assert await status_of(service, quote["quote_identifier"]) == "policy_active"


async def test_a_binder_for_which_one_of_two_files_is_missing_lapses(service: Service) -> None:
    quote = await a_binder(service)
    await decide(service, quote, "add_contingency", contingency=PROOF)
    await upload_signed(service, quote)
    assert (await shown(service, quote["quote_identifier"]))["binder"]["received_on"] is None
    await move_to(service, LAST_DAY)
    assert await status_of(service, quote["quote_identifier"]) == "policy_active"
    await move_days(service, 1)

    assert await status_of(service, quote["quote_identifier"]) == "quote_expired"


async def test_a_file_asked_for_again_has_ten_days_and_then_the_binder_lapses(service: Service) -> None:
    quote = await a_binder(service)
    await upload_signed(service, quote)
    await move_days(service, 40)

    again = await ask_again(service, quote)

    last_day = in_days(DAY, 50)
    assert again["binder"] == {
        "conditional": True, "fulfil_by": last_day, "received_on": None, "late": False
    }  # fmt: skip
    assert again["contingencies"][0]["received"] is None
    assert await due_days(service) == []
    entry = (await service.journal(quote["quote_identifier"]))[-1]
    assert entry.type == "quote.contingency_changed"
    assert last_day in entry.data
    # Asked for once: nothing new has come in since.
    count = await service.count("journal")
    await ask_again(service, quote)
    assert await service.count("journal") == count

    await move_days(service, 10)
    assert await status_of(service, quote["quote_identifier"]) == "policy_active"
    await move_days(service, 1)
    assert await status_of(service, quote["quote_identifier"]) == "quote_expired"
    with pytest.raises(WrongState):
        await ask_again(service, quote)


async def test_a_technology_binder_lasts_as_long_as_the_copy_of_the_expiring_policy_may_take(
    service: Service,
) -> None:
    dates = {"effective": in_days(DAY, 14), "teo_retroactive_date": in_days(DAY, -400)}
    (quote,) = await quoted(
        service, technology(("policy.quotes", [{"aggregate_limit": 1_000_000}]), ("policy.dates", dates))
    )
    await bind(service, quote, dates=dates)

    binder = await decide(service, quote, "approve")

    assert "within 30 days of the new effective date" in str(binder["contingencies"])
    assert binder["binder"]["fulfil_by"] == in_days(DAY, 44)
