"""Options whose life is over: nothing is needed for them, and no file is taken for them."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from support.binding import DAY, PHOTO, bind, decide, move_days, one_quoted, set_day, shown
from support.people import Person, text_of
from support.service import Service

pytestmark = pytest.mark.usefixtures("plain_printing")
Quote = dict[str, Any]


async def expired(service: Service) -> Quote:
    quote = await one_quoted(service)
    await move_days(service, 61)
    return quote


async def lapsed(service: Service) -> Quote:
    quote = await one_quoted(service)
    await bind(service, quote)
    await move_days(service, 31)
    return quote


async def withdrawn(service: Service) -> Quote:
    quote = await one_quoted(service)
    answer = await service.post(f"/v2/quotes/{quote['quote_identifier']}/withdraw", {})
    assert answer.status_code < 300, answer.text
    return quote


async def canceled(service: Service) -> Quote:
    quote = await one_quoted(service)
    await bind(service, quote)
    await decide(service, quote, "cancel", text="Sold the firm")
    return quote


@pytest.mark.parametrize(
    ("ending", "what_became"),
    [
        (expired, "it expired"),
        (lapsed, "its binder lapsed"),
        (withdrawn, "it was revoked or withdrawn"),
        (canceled, "its policy was canceled"),
    ],
)
async def test_nothing_is_needed_for_an_option_that_is_over_and_no_file_is_taken(
    service: Service, broker: Person, ending: Callable[[Service], Awaitable[Quote]], what_became: str
) -> None:
    await set_day(service, DAY)
    quote = await ending(service)
    path = f"/quote/{quote['quote_identifier']}/uploads"

    page = await broker.open(f"/company/{quote['company_id']}")
    assert path not in page
    assert "A signed and dated application No longer needed" in text_of(page)
    assert "Upload" not in text_of(page)

    refused = text_of(
        await broker.send(
            path,
            status=409,
            files={"file": ("signed.png", PHOTO)},
            contingency_id=quote["contingencies"][0]["contingency_id"],
            then="bind",
        )
    )
    assert "Not uploaded" in refused
    assert f"Nothing is needed for this option any more: {what_became}. The file was not kept." in refused
    assert (await shown(service, quote["quote_identifier"]))["uploads"] == []
