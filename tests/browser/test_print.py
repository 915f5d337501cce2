"""Options on paper: what is printed on Letter with half-inch margins holds every option."""

import asyncio
import copy
import io
import json
from typing import Any

import pypdf
import pytest
from tools.demo_book import EXAMPLES

from support.browser import Desk, Watched

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.long]
WIDTH = 720
"""What a sheet of Letter leaves between its margins, in CSS pixels."""


async def company_with(desk: Desk, options: int) -> str:
    """Submit a company with that many options and return its id."""
    body: dict[str, Any] = copy.deepcopy(json.loads((EXAMPLES / "cyb.json").read_text("utf-8")))
    body["client"]["name"] = f"Paper Mill {options}"
    asked = body["policy"]["quotes"][0]
    body["policy"]["quotes"] = [{**asked, "aggregate_retention": 2500 * (1 + n % 2)} for n in range(options)]
    receipt = await asyncio.to_thread(desk.partner.post, "/v2/quotes", body)
    for quote in receipt["quotes"]:
        await asyncio.to_thread(desk.partner.read, quote["quote_identifier"])
    return str(receipt["company_id"])


async def printed(broker: Watched) -> str:
    """Return the words of a page as it is printed."""
    margin = dict.fromkeys(("top", "right", "bottom", "left"), "0.5in")
    sheet = await broker.page.pdf(format="Letter", margin=margin)  # type: ignore[arg-type]
    text = " ".join(leaf.extract_text() for leaf in pypdf.PdfReader(io.BytesIO(sheet)).pages)
    return " ".join(text.split())


@pytest.mark.parametrize("options", [5, 15])
async def test_every_option_is_within_the_sheet(desk: Desk, options: int) -> None:
    company = await company_with(desk, options)

    async with desk.person("broker") as broker:
        await broker.open(f"/company/{company}")
        text = await printed(broker)
        await broker.page.emulate_media(media="print")
        await broker.page.set_viewport_size({"width": WIDTH, "height": 900})
        edges = await broker.page.evaluate(
            """() => [...document.querySelectorAll("thead th, td")]
                .filter((cell) => cell.checkVisibility())
                .map((cell) => Math.max(cell.getBoundingClientRect().right,
                                        cell.getBoundingClientRect().left + cell.scrollWidth))"""
        )

    for number in range(1, options + 1):
        assert f"Option {number} Open" in text
    assert edges
    assert max(edges) <= WIDTH


async def test_a_printed_company_has_no_folds_and_no_mark_without_a_word(desk: Desk) -> None:
    company = await company_with(desk, 1)

    async with desk.person("broker") as broker:
        await broker.open(f"/company/{company}")
        text = await printed(broker)

    assert "· Company" not in text
    assert "no more than 45 days before the bind" in text, text
    assert "Surplus lines tax" in text
