"""Pages under a finger and in the colors of the system: what is tapped is large, what differs is marked."""

import pytest

from bindery.domain.access.users import Role
from support.browser import Desk, Watched
from support.stories import open_case

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.long]

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
LEAST, LEAST_OF_SMALL = 44, 36
"""2.75 rem, in pixels; small buttons stand in a row."""
TARGETS = (
    ".bar a:not(.wide), .bar button, .bar input, .tabs a, .chip, .segment a, .pager a, .documents a, "
    ".head > a, main button:not([aria-hidden]), main .button, main select, main textarea, "
    "main input:not([type=hidden]), summary, td > a:first-child, footer button"
)


async def small_targets(somebody: Watched, address: str) -> list[str]:
    """Return what is too small to be tapped; a box to tick counts with its label, a name with its row."""
    await somebody.open(address)
    assert await somebody.page.evaluate("() => matchMedia('(pointer: coarse)').matches")
    found: list[str] = await somebody.page.evaluate(
        """([targets, least, small]) => [...document.querySelectorAll(targets)]
            .filter((target) => target.checkVisibility({visibilityProperty: true}))
            .map((target) => [target, target.closest("label.choice") ||
                (target.matches(".who, tr .whole") ? target.closest("tr") : target)])
            .map(([target, box]) => [target, box.getBoundingClientRect()])
            .filter(([target, box]) => box.height && Math.min(box.height, box.width) <
                (target.matches(".s, .find *") ? small : least) - .5)
            .map(([target, box]) => `${target.outerHTML.slice(0, 90)} ${box.width} x ${box.height}`)""",
        [TARGETS, LEAST, LEAST_OF_SMALL],
    )
    return [f"{address} {target}" for target in found]


@pytest.mark.parametrize(
    ("role", "pages"),
    [
        (Role.BROKER, ("/companies", "/renewals", "/account")),
        (Role.UNDERWRITER, ("/desk",)),
        (Role.OPERATOR, ("/ops", "/ops/partners", "/ops/users", "/ops/webhooks")),
    ],
)
async def test_what_is_tapped_is_large_enough_on_a_phone(
    desk: Desk, role: Role, pages: tuple[str, ...]
) -> None:
    async with desk.person(role, **PHONE) as somebody:
        found = [target for address in pages for target in await small_targets(somebody, address)]

    assert not found, "\n".join(found)


async def test_companies_and_binds_are_large_enough_on_a_phone(desk: Desk) -> None:
    quote = desk.partner.quotes["Harborlight Bakery LLC"][0]
    async with desk.person(Role.BROKER, **PHONE) as broker:
        found = await small_targets(broker, f"/company/{quote['company_id']}")
        found += await small_targets(broker, f"/quote/{quote['quote_identifier']}/bind")

    assert not found, "\n".join(found)


async def test_a_case_is_large_enough_on_a_phone(desk: Desk) -> None:
    async with desk.person(Role.UNDERWRITER, **PHONE) as underwriter:
        await open_case(underwriter, "Merrow & Vale Logistics")
        found = await small_targets(underwriter, underwriter.page.url)

    assert not found, "\n".join(found)


async def test_cells_that_differ_are_marked_without_colors_too(desk: Desk) -> None:
    company = desk.partner.quotes["Harborlight Bakery LLC"][0]["company_id"]
    async with desk.person(Role.BROKER, forced_colors="active") as broker:
        await broker.open(f"/company/{company}")
        weight = "(cell) => getComputedStyle(cell).fontWeight"

        assert await broker.page.locator("tr.differs td").first.evaluate(weight) == "600"
        assert await broker.page.locator("tr.same td").first.evaluate(weight) == "400"
        # What is the same for all options is no row of the table, but said once below it.
        assert await broker.page.locator(".alike").first.is_visible()


async def test_amounts_of_five_options_stay_in_their_columns_on_a_phone(desk: Desk) -> None:
    company = desk.partner.quotes["Harborlight Bakery LLC"][0]["company_id"]
    async with desk.person(Role.BROKER, **PHONE) as broker:
        await broker.open(f"/company/{company}")
        cells = broker.page.locator("table.options:visible").first.locator("td")
        spilled = "(cells) => cells.filter((c) => c.scrollWidth > c.clientWidth).map((c) => c.innerText)"

        assert await cells.count()
        assert await cells.evaluate_all(spilled) == []


async def test_columns_that_a_phone_leaves_out_take_no_room(desk: Desk) -> None:
    widths = """(table) => [...table.rows].flatMap((row) => [...row.cells])
        .filter((cell) => !cell.matches(".wide"))
        .map((cell) => cell.offsetLeft + cell.offsetWidth)"""
    async with desk.person(Role.OPERATOR, **PHONE) as operator:
        for address in ("/ops/settings", "/ops/users", "/ops/partners", "/ops/webhooks", "/ops/bordereaux"):
            await operator.open(address)
            for box in await operator.page.locator(".scroll:has(td.wide)").all():
                shown = max(await box.locator("table").evaluate(widths))
                reach, room = await box.evaluate("(box) => [box.scrollWidth, box.clientWidth]")
                assert reach <= max(shown + 1, room), (address, shown, reach, room)


async def test_every_setting_is_read_on_a_phone_without_scrolling_to_the_side(desk: Desk) -> None:
    async with desk.person(Role.OPERATOR, **PHONE) as operator:
        await operator.open("/ops/settings")

        assert (
            await operator.page.locator(".scroll").evaluate("(box) => box.scrollWidth - box.clientWidth") == 0
        )
