"""The page that asks once before a dangerous step says what the step leads to."""

import html
import re
from typing import Any

from support.binding import bind
from support.people import Person, fields_of, text_of
from support.service import Service, request_body


def to_be_decided(body: dict[str, Any]) -> None:
    body["client"]["name"] += " (prebind)"


def red_flags(body: dict[str, Any]) -> None:
    body["client"]["domains"] = ["red-flags.example.com"]


async def asked_to_decline(service: Service, underwriter: Person, **typed: str) -> str:
    """Press the button that declines on the one case there is, and return the page that asks."""
    submission_id = await service.runtime.database.pool.fetchval("select submission_id from submissions")
    path = f"/desk/case/{submission_id}"
    page = await underwriter.open(path)
    button = re.search(r'formaction="(/sure[^"]+)" name="decision" value="decline"', page)
    assert button is not None
    form = fields_of(page, f"{path}/decide")
    return await underwriter.send(html.unescape(button.group(1)), **{**form, **typed}, decision="decline")


async def test_declining_a_bind_says_that_the_other_options_come_back(
    working_service: Service, underwriter: Person
) -> None:
    quote = await working_service.quote(request_body(to_be_decided))
    await bind(working_service, quote)

    asked = text_of(await asked_to_decline(working_service, underwriter))

    assert "Decline the bind of" in asked
    assert "The other options of the submission can be bound again" in asked
    assert "submitted again" not in asked


async def test_declining_a_quote_says_that_it_has_to_be_submitted_again(
    working_service: Service, underwriter: Person
) -> None:
    await working_service.quote(request_body(red_flags))

    asked = text_of(await asked_to_decline(working_service, underwriter))

    assert "the company would have to be submitted again" in asked
    assert "other options" not in asked


async def test_the_reason_that_is_asked_for_has_the_focus_or_else_the_question(
    working_service: Service, underwriter: Person
) -> None:
    await working_service.quote(request_body(red_flags))

    unexplained = await asked_to_decline(working_service, underwriter)
    explained = await asked_to_decline(working_service, underwriter, reason="Open to the internet")

    assert re.findall(r"<(\w+)[^>]* autofocus", unexplained) == ["textarea"]
    assert re.findall(r"<(\w+)[^>]* autofocus", explained) == ["h1"]
