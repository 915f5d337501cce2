"""One demo in a process of its own and one Chromium for all tests of the pages.

They run on one event loop, which the browser belongs to, next to the loops that other tests have of their
own.
"""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import Browser, async_playwright
from tools import chromium
from tools.demo_book import EXAMPLES, Partner, fill

from support.browser import Desk
from support.processes import NO_TLS, Running, demo_running

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if chromium.browser() is None and item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.skip(chromium.ADVICE))


@pytest.fixture(scope="session")
def demo(server: str, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with demo_running(server, template, tmp_path_factory.mktemp("demo")) as running:
        yield running


@pytest.fixture(scope="session")
def partner(demo: Running) -> Iterator[Partner]:
    """The demo's partner, who has sent a company for every state that pages show."""
    with httpx.Client(base_url=demo.url, timeout=60, verify=NO_TLS) as http:
        partner = Partner(http, demo.token)
        fill(partner)
        yield partner


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=chromium.browser(), args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser
        await browser.close()


@pytest.fixture(scope="session")
def desk(demo: Running, partner: Partner, browser: Browser) -> Desk:
    return Desk(demo.url, partner, browser)


@pytest.fixture(scope="session")
def seeded(desk: Desk) -> Desk:
    """The demo with three states more.

    They are a paper for an open quote, a premium instead of the tariff's, and a change of a policy that is
    open. A worker may come back to a module, and the demo is still the same, so they are made once.
    """
    partner = desk.partner
    partner.upload(partner.submit("cyb", "Thistle Papers")[0], EXAMPLES / "signed-application.jpg")
    (unpriced,) = partner.submit("calc-error", "Thistle Pricing")
    instead = {"decision": "approve", "reason": "As last year", "terms": {"premium": 4_321}}
    partner.post(f"/v2/demo/quotes/{unpriced['quote_identifier']}/review", instead)
    policy = partner.read(partner.quotes["Saltmarsh Architects"][0]["quote_identifier"])
    asked = {
        "effective": policy["dates"]["effective"],
        "changes": {"dba": "Saltmarsh"},
        "reason": "Its sign.",
    }
    partner.post(f"/v2/policies/{policy['quote_identifier']}/changes", asked)
    return desk
