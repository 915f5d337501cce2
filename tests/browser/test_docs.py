"""The documentation in a browser: the reader's language is shown everywhere, and the pages are sound."""

import pytest

from support.browser import Desk, Watched, findings, overflow

pytestmark = [pytest.mark.long, pytest.mark.asyncio(loop_scope="session")]

WIDE, NARROW = 1280, 390
LOOKED_AT = ("/docs/quickstart", "/docs/demo", "/docs/changelog", "/docs/search?q=revenue")
LANGUAGES = "(panels) => [...new Set(panels.map((panel) => panel.dataset.language))]"


async def test_the_language_that_a_reader_chose_is_shown_on_every_page(desk: Desk) -> None:
    context = await desk.browser.new_context(
        base_url=desk.url, viewport={"width": WIDE, "height": 900}, reduced_motion="reduce"
    )
    reader = Watched(context, await context.new_page())
    reader.watch(reader.page)
    page = reader.page

    await reader.open("/docs/quickstart")
    await page.get_by_role("tab", name="Python").nth(1).click()
    in_guide = await page.locator(".tab:visible").evaluate_all(LANGUAGES)
    await page.get_by_role("tab", name="Python").nth(1).press("ArrowRight")
    await reader.open("/docs/reference")
    in_reference = await page.locator(".tab:visible").evaluate_all(LANGUAGES)

    assert in_guide == ["python"]
    assert in_reference == ["typescript"]
    # The console's token is no account's password: outside a form no browser offers to keep it.
    assert [
        said for said in reader.complaints if "Password field is not contained in a form" not in said
    ] == []
    await context.close()


@pytest.mark.parametrize(
    "judged", [pytest.param(WIDE, id="wide"), pytest.param(NARROW, id="narrow", marks=pytest.mark.long)]
)
async def test_the_pages_are_sound(desk: Desk, judged: int) -> None:
    context = await desk.browser.new_context(base_url=desk.url)
    reader = Watched(context, await context.new_page())
    reader.watch(reader.page)
    found = []
    for address in LOOKED_AT:
        await reader.open(address)
        for width in (WIDE, NARROW):
            await reader.page.set_viewport_size({"width": width, "height": 900})
            if width == judged:
                found += [f"{address} at {width}: {flaw}" for flaw in await findings(reader.page)]
            if wider := await overflow(reader.page):
                found.append(f"{address} is {wider} pixels too wide at {width}")

    assert found == []
    assert reader.complaints == []
    await context.close()
