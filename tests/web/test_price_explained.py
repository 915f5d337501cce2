"""Why an option costs what it costs: to brokers in dollars, to underwriters in full, as a setting says."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bindery.domain.access.users import Role
from bindery.domain.quote.price_explanation import PriceExplanation
from support.binding import one_quoted, quoted
from support.intake import technology
from support.people import sign_in_as, text_of
from support.service import Service, serving

pytestmark = pytest.mark.usefixtures("plain_printing")


@pytest.fixture(params=list(PriceExplanation))
async def told(request: pytest.FixtureRequest, dsn: str, tmp_path: Path) -> AsyncIterator[Service]:
    """A service with each value of the setting."""
    async with serving(dsn, tmp_path, price_explanation=request.param) as opened:
        yield opened


def amount(text: str) -> int:
    return int(re.sub(r"[^0-9-]", "", text.replace("\N{MINUS SIGN}", "-")))


async def test_a_broker_sees_as_much_as_the_setting_says_and_an_underwriter_all(told: Service) -> None:
    level = told.runtime.settings.price_explanation
    quote = await one_quoted(told)
    address = f"/company/{quote['company_id']}"

    async with await sign_in_as(told, Role.BROKER) as broker:
        page = await broker.open(address)
    async with await sign_in_as(told, Role.UNDERWRITER) as underwriter:
        desk = await underwriter.open(address)

    said = text_of(page)
    assert (f"Why ${quote['premium']:,}" in said) is (level is not PriceExplanation.NONE)
    assert ("What would lower it" in said) is (level is not PriceExplanation.NONE)
    assert ("Every step of the tariff" in said) is (level is PriceExplanation.FULL)
    assert ("\N{MULTIPLICATION SIGN}" in said) is (level is PriceExplanation.FULL)
    assert "Every step of the tariff" in text_of(desk)


async def test_what_is_listed_adds_up_to_the_premium(service: Service) -> None:
    quote = await one_quoted(service)

    async with await sign_in_as(service, Role.BROKER) as broker:
        page = await broker.open(f"/company/{quote['company_id']}")

    card = page[page.index('id="why-price"') : page.index("What would lower it")]
    figures = re.findall(r'class="to[^"]*">([^<]+)<', card)
    assert sum(map(amount, figures)) == quote["premium"]
    savings = re.findall(r'class="down">([^<]+)</span><span class="to">([^<]+)<', page)
    assert 1 <= len(savings) <= 3
    for change, premium in savings:
        assert amount(change) < 0
        assert amount(premium) == quote["premium"] + amount(change)


async def test_a_step_that_both_parts_have_names_its_part(service: Service) -> None:
    (quote, *_) = await quoted(service, technology(("policy.quotes[0].aggregate_limit", 2_000_000)))

    async with await sign_in_as(service, Role.BROKER) as broker:
        page = await broker.open(f"/company/{quote['company_id']}")

    said = text_of(page)
    explained = said[said.index("Why $") :]
    assert "for the limit of $2,000,000 aggregate (Cyber)" in explained
    assert "(Technology E&O)" in explained
