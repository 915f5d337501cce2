"""How soon a price is on the screen: a short version of `python -m bench platform`."""

import pytest
from bench.platform_prices import CHANGE_AND_SEE

from bindery.domain.access.users import Role
from support.browser import Desk
from support.stories import open_case, submitted

pytestmark = pytest.mark.asyncio(loop_scope="session")

GENEROUS_MS = 5_000
"""Machines that run tests may be slow and busy; the benchmark has the goal."""


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
