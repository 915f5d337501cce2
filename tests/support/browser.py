"""A real browser at a running demo, with an eye on everything that a page must not do."""

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Page, Response
from tools.demo_book import Partner

from support.source_tree import ROOT

AXE = ROOT / ".venv" / "js" / "node_modules" / "axe-core" / "axe.min.js"
TAGS = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
COLORS = {"type": "rule", "values": ["color-contrast"]}
LARGEST_PAGE = 150_000
EXPECTED = (
    "Failed to load resource",
    "Clear-Site-Data",
    "Autofocus processing was blocked because a document's URL has a fragment",
)
"""What a browser says of itself: that a page answers 4xx, what a sign-out cleared, where it went instead."""


@cache
def axe_source() -> str:
    return AXE.read_text("utf-8")


@dataclass
class Desk:
    """A running demo, the partner that sends to it, and the one browser of the run."""

    url: str
    partner: Partner
    browser: Browser

    @contextlib.asynccontextmanager
    async def stranger(self, **options: Any) -> AsyncIterator["Watched"]:
        """Open a browser window in which nobody is signed in."""
        context = await self.browser.new_context(
            base_url=self.url, **{"viewport": {"width": 1280, "height": 900}, **options}
        )
        try:
            watched = Watched(context, await context.new_page())
            watched.watch(watched.page)
            await watched.page.goto("/sign-in")
            yield watched
            assert watched.complaints == []
        finally:
            await context.close()

    @contextlib.asynccontextmanager
    async def person(self, role: str, **options: Any) -> AsyncIterator["Watched"]:
        """Sign somebody in by the demo's one click, in a browser window of their own."""
        async with self.stranger(**options) as watched:
            await watched.page.locator(f'form:has(input[value="{role}"]) button').click()
            await watched.page.wait_for_url(lambda url: "/sign-in" not in url)
            yield watched


@dataclass
class Watched:
    """Somebody's browser; what its console says, and what the policy of the pages forbids, is kept."""

    context: BrowserContext
    page: Page
    complaints: list[str] = field(default_factory=list)

    def watch(self, page: Page) -> None:
        def say(text: str) -> None:
            self.complaints.append(f"{page.url}: {text}")

        def hear(said: ConsoleMessage) -> None:
            if not said.text.startswith(EXPECTED):
                say(said.text)

        page.on("console", hear)
        page.on("pageerror", lambda fault: say(str(fault)))

    async def open(self, path: str) -> Response:
        answer = await self.page.goto(path)
        assert answer is not None
        return answer

    async def new_tab(self, path: str) -> Page:
        page = await self.context.new_page()
        self.watch(page)
        await page.goto(path)
        return page

    async def text(self) -> str:
        return " ".join((await self.page.locator("body").inner_text()).split())


async def findings(page: Page, *, colors: bool = False) -> list[str]:
    """Return what axe finds serious or critical on a page, in its colors alone if that is asked."""
    # Under the policy of our pages a script cannot be added, only run. To hand half a megabyte over for each
    # page costs more than to have it there when the next ones are opened.
    if not await page.evaluate("() => 'axe' in window"):
        await page.add_init_script(axe_source())
        await page.evaluate(axe_source())
    found = await page.evaluate(
        """async (only) => (await axe.run(document, {runOnly: only, resultTypes: ["violations"]})).violations
            .filter((one) => ["serious", "critical"].includes(one.impact))
            .map((one) => `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 160)).join(" | ")}`)""",
        COLORS if colors else TAGS,
    )
    return list(found)


async def overflow(page: Page) -> int:
    """Return by how many pixels a page is wider than its window."""
    wider: int = await page.evaluate(
        "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    # Half a pixel is rounded.
    return wider if wider > 1 else 0
