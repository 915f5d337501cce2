"""The documentation in a browser: the reader's language is shown everywhere, and the pages are sound."""

import pytest

from support.browser import Desk, Watched, findings, overflow

pytestmark = [pytest.mark.long, pytest.mark.asyncio(loop_scope="session")]

WIDE, NARROW = 1280, 390
LOOKED_AT = (
    "/docs/quickstart",
    "/docs/demo",
    "/docs/webhooks",
    "/docs/changelog",
    "/docs/search?q=revenue",
    "/docs/reference",
    "/docs/reference/create_quotes",
    "/docs/reference/webhook-quote.published",
)
NOT_IN_A_FORM = "Password field is not contained in a form"
"""The console's token is no account's password: outside a form no browser offers to keep it."""
COVERED = """() => [...document.querySelectorAll(".code")].flatMap((block) => {
  const text = document.createRange();
  text.selectNodeContents(block.querySelector("code"));
  const box = block.querySelector("pre");
  const button = block.querySelector("button").getBoundingClientRect();
  const said = block.innerText.trim().slice(0, 40);
  const over = [...text.getClientRects()].some((line) => line.width && line.right > button.left
    && line.left < button.right && line.bottom > button.top && line.top < button.bottom);
  return [over && `the button is on: ${said}`, box.scrollWidth > box.clientWidth && `runs out: ${said}`];
}).filter(Boolean)"""
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
    await reader.open("/docs/reference/get_quote")
    in_reference = await page.locator(".tab:visible").evaluate_all(LANGUAGES)

    assert in_guide == ["python"]
    assert in_reference == ["typescript"]
    assert [said for said in reader.complaints if NOT_IN_A_FORM not in said] == []
    await context.close()


async def test_a_link_to_the_page_that_had_all_operations_leads_on(desk: Desk) -> None:
    context = await desk.browser.new_context(base_url=desk.url)
    page = await context.new_page()
    for anchor, there in [
        ("get_quote", "/docs/reference/get_quote"),
        ("webhook-quote.published", "/docs/reference/webhook-quote.published"),
        ("errors", "/docs/reference#errors"),
        ("nothing", "/docs/reference#nothing"),
    ]:
        await page.goto("/docs")
        await page.goto(f"/docs/reference#{anchor}")
        await page.wait_for_url(f"{desk.url}{there}")
        await page.go_back()
        assert page.url == f"{desk.url}/docs"
    await context.close()

    plain = await desk.browser.new_context(base_url=desk.url, java_script_enabled=False)
    page = await plain.new_page()
    await page.goto("/docs/reference#get_quote")
    await page.locator(".operations > li:target a").click()
    assert page.url == f"{desk.url}/docs/reference/get_quote"
    assert await page.get_by_role("heading", name="Answers").is_visible()
    await plain.close()


async def test_the_reference_is_filtered_and_keeps_the_token_in_its_tab(desk: Desk) -> None:
    context = await desk.browser.new_context(base_url=desk.url)
    page = await context.new_page()
    await page.goto("/docs/reference/create_quotes")
    entries = page.locator("nav li[data-words]:visible")
    folded = await entries.count()

    await page.get_by_label("Filter operations").fill("packet metadata")
    filtered = await page.locator("nav li[data-words]:visible a").evaluate_all(
        "(links) => links.map((link) => link.getAttribute('href'))"
    )
    await page.get_by_label("Filter operations").press("Escape")
    again = await entries.count()
    await page.get_by_label("Token for").fill("a.token.of-mine")
    await page.get_by_label("Filter operations").fill("validate")
    await page.get_by_label("Filter operations").press("Enter")
    await page.wait_for_url("**/docs/reference/validate_quotes")
    kept = await page.get_by_label("Token for").input_value()

    assert filtered == ["/docs/reference/packet_metadata"]
    assert folded == again > 1
    assert kept == "a.token.of-mine"
    other = await context.new_page()
    await other.goto("/docs/reference/validate_quotes")
    assert await other.get_by_label("Token for").input_value() != kept
    await context.close()


async def test_on_paper_a_page_of_the_reference_is_unfolded(desk: Desk) -> None:
    context = await desk.browser.new_context(base_url=desk.url)
    page = await context.new_page()
    await page.goto("/docs/reference/get_quote")
    field = page.locator("th", has_text="quote_identifier").first

    on_screen = await field.is_visible()
    await page.emulate_media(media="print")

    assert not on_screen
    assert await field.is_visible()
    assert not await page.locator(".side, .try, .code button").filter(visible=True).count()
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
            found += [f"{address} at {width}: {flaw}" for flaw in await reader.page.evaluate(COVERED)]

    assert found == []
    assert [said for said in reader.complaints if NOT_IN_A_FORM not in said] == []
    await context.close()
