"""How soon a price is on the screen."""

import pytest

from bindery.domain.access.users import Role
from support.browser import Desk
from support.stories import open_case, submitted

pytestmark = pytest.mark.asyncio(loop_scope="session")

GENEROUS_MS = 5_000
"""The goal is 150 ms; machines that run tests may be slow and busy."""
CHANGE_AND_SEE = """async () => {
  const field = document.querySelector("#decide select[data-priced]");
  const before = document.querySelector("#worksheet");
  const began = performance.now();
  field.selectedIndex = 1 + (field.selectedIndex % (field.options.length - 1));
  field.dispatchEvent(new Event("input", { bubbles: true }));
  const frame = () => new Promise(requestAnimationFrame);
  while (document.querySelector("#worksheet") === before) await frame();
  // The frame after next begins when the new worksheet has been painted.
  await frame();
  await frame();
  return performance.now() - began;
}"""
"""Choose another retention, and return after how many milliseconds the worksheet for it was on the screen."""


async def test_changed_terms_are_priced_on_the_screen_at_once(desk: Desk) -> None:
    name = "Thimble Weavers"
    await submitted(desk, "red-flags", name)

    async with desk.person(Role.UNDERWRITER) as underwriter:
        await open_case(underwriter, name)
        premium = underwriter.page.locator("#worksheet .figure")
        asked_for = await premium.inner_text()
        seen = [await underwriter.page.evaluate(CHANGE_AND_SEE) for _ in range(3)]

        assert max(seen) < GENEROUS_MS
        assert await premium.inner_text() != asked_for
