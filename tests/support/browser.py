"""A real browser at a running demo, with an eye on everything that a page must not do."""

import contextlib
import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Page, Response, expect
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

WAYS: Final[Mapping[str, dict[str, Any]]] = {
    ", ".join((name, scheme, *(() if has_script else ("without JavaScript",)))): {
        "viewport": size,
        "color_scheme": scheme,
        "java_script_enabled": has_script,
    }
    for has_script in (True, False)
    for name, size in (("wide", {"width": 1280, "height": 900}), ("narrow", {"width": 390, "height": 844}))
    for scheme in ("light", "dark")
}
"""The browsers that stories are played in: with and without scripts, wide and narrow, light and dark."""
EVERY_WAY: Final = pytest.mark.parametrize(
    "way", [pytest.param(way, marks=[pytest.mark.long] if number else []) for number, way in enumerate(WAYS)]
)
"""All of them; the first is looked at with each change."""


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
            has_script = options.get("java_script_enabled", True)
            watched = Watched(context, await context.new_page(), has_script=has_script)
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
    has_script: bool = True

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

    async def no_complaint(self) -> None:
        """Look for what axe finds on the page that is open, in its colors too, and for what is too wide."""
        page = self.page
        # What is being saved at this moment is pale.
        await expect(page.locator("[aria-busy=true]")).to_have_count(0)
        assert await overflow(page) == 0, page.url
        if self.has_script:
            found = [*await findings(page), *await findings(page, colors=True)]
        else:
            browser = self.context.browser
            assert browser is not None, "the window of a browser"
            found = await findings_without_scripts(page, browser)
        assert found == [], page.url

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


async def findings_without_scripts(page: Page, browser: Browser) -> list[str]:
    """Return what axe finds on a page as it came to a browser without scripts, colors included.

    Axe is a script itself: it looks at the same source, with what stands there for want of scripts, in a
    window of the same size and colors.
    """
    source = re.sub(r"<script\b.*?</script>|</?noscript>", "", await page.content(), flags=re.DOTALL)
    source = re.sub(r'<meta http-equiv="refresh"[^>]*>', "", source)
    is_dark = await page.evaluate("() => matchMedia('(prefers-color-scheme: dark)').matches")
    context = await browser.new_context(
        viewport=page.viewport_size, color_scheme="dark" if is_dark else "light"
    )
    try:
        eyes = await context.new_page()
        at = urlsplit(page.url)._replace(path="/looked-at", query="", fragment="").geturl()
        await eyes.route(at, lambda route: route.fulfill(body=source, content_type="text/html"))
        await eyes.goto(at)
        return [*await findings(eyes), *await findings(eyes, colors=True)]
    finally:
        await context.close()


async def overflow(page: Page) -> int:
    """Return by how many pixels a page is wider than its window."""
    wider: int = await page.evaluate(
        "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    # Half a pixel is rounded.
    return wider if wider > 1 else 0
