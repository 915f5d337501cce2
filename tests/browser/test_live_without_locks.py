"""Where a browser has no locks, as over plain http on a network, only the visible tab listens."""

import pytest
from playwright.async_api import Page, Request, Route, expect

from support.browser import Desk
from support.stories import submitted
from support.waiting import eventually

pytestmark = [pytest.mark.long, pytest.mark.asyncio(loop_scope="session")]
WITHOUT_LOCKS = """
Object.defineProperty(Navigator.prototype, "locks", { value: undefined });
// All tabs of a browser without a screen are visible; here it is the test that says which.
Object.defineProperty(Document.prototype, "hidden", { get: () => globalThis.isAway === true });
"""
REMEMBERS_FAILURES = """
globalThis.failures = 0;
globalThis.EventSource = class extends EventSource {
  constructor(address) {
    super(address);
    this.addEventListener("error", () => (globalThis.failures += 1));
  }
};
"""
LONGEST_WAIT_MS = 10_000
"""How long a tab waits at most before it opens another stream."""


async def turn(page: Page, *, away: bool) -> None:
    """Hide a tab behind another, or bring it back."""
    await page.evaluate(
        "(away) => { globalThis.isAway = away; document.dispatchEvent(new Event('visibilitychange')); }", away
    )


async def test_without_locks_only_the_visible_tab_listens(desk: Desk) -> None:
    async with desk.person("underwriter") as underwriter:
        await underwriter.page.goto("about:blank")
        await underwriter.context.add_init_script(WITHOUT_LOCKS)
        opened: list[Request] = []
        closed: list[Request] = []

        def note(into: list[Request], request: Request) -> None:
            if request.url.endswith("/live"):
                into.append(request)

        underwriter.context.on("request", lambda request: note(opened, request))
        for end in ("requestfinished", "requestfailed"):
            underwriter.context.on(end, lambda request: note(closed, request))
        first = await underwriter.new_tab("/desk")
        await eventually(lambda: len(opened), lambda count: count == 1)
        assert await first.evaluate("() => navigator.locks === undefined")

        await turn(first, away=True)
        await eventually(lambda: len(closed), lambda count: count == 1)
        second = await underwriter.new_tab("/desk")
        await eventually(lambda: len(opened), lambda count: count == 2)
        await submitted(desk, "red-flags", "Wren Optics")
        await expect(second.locator("#news")).to_contain_text("1 changed · show")
        await expect(first.locator("#news")).to_have_text("")
        assert (len(opened), len(closed)) == (2, 1)

        await turn(second, away=True)
        await turn(first, away=False)
        await expect(first.locator("#news")).to_contain_text("1 changed · show")
        await eventually(lambda: (len(opened), len(closed)), lambda counts: counts == (3, 2))
        assert (len(opened), len(closed)) == (3, 2)


async def test_without_locks_a_tab_that_is_hidden_while_it_waits_opens_no_stream_until_it_is_shown(
    desk: Desk,
) -> None:
    async with desk.person("underwriter") as underwriter:
        await underwriter.page.goto("about:blank")
        await underwriter.context.add_init_script(WITHOUT_LOCKS + REMEMBERS_FAILURES)
        await underwriter.context.clock.install()
        opened: list[str] = []

        async def refuse(route: Route) -> None:
            opened.append(route.request.url)
            await route.fulfill(status=503)

        await underwriter.context.route("**/live", refuse)
        page = await underwriter.new_tab("/desk")

        async def fails(times: int) -> None:
            """Wait until the tab knows that a stream was refused, and is waiting to open another."""
            await page.wait_for_function("(times) => globalThis.failures === times", arg=times)

        await fails(1)
        await page.clock.run_for(LONGEST_WAIT_MS)
        await fails(2)
        assert len(opened) == 2, "a visible tab tries again"

        await turn(page, away=True)
        await page.clock.run_for(10 * LONGEST_WAIT_MS)
        assert len(opened) == 2
        await turn(page, away=False)
        await fails(3)
        await page.clock.run_for(LONGEST_WAIT_MS)
        await fails(4)
        assert len(opened) == 4, "shown again, it has one stream and not two"
