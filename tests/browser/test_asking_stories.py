"""Two sides of a case at once: the underwriter asks and the broker answers; two underwriters have it open."""

import asyncio

import pytest
from playwright.async_api import expect
from tools.demo_book import EXAMPLES

from support.browser import Desk
from support.processes import Running
from support.stories import open_case, press, quote_of, submitted, with_and_without_scripts

pytestmark = [pytest.mark.long, pytest.mark.asyncio(loop_scope="session")]
TOLD_WITHIN_MS = 2_000
COLLEAGUE, PASSWORD = "vera@example.com", "correct horse battery staple"


@with_and_without_scripts
async def test_a_question_is_answered_with_a_file_and_the_case_is_decided(desk: Desk, scripts: bool) -> None:
    name = f"Orchard Tools {scripts}"
    quote = await submitted(desk, "red-flags", name)

    async with (
        desk.person("broker", java_script_enabled=scripts) as broker,
        desk.person("underwriter", java_script_enabled=scripts) as underwriter,
    ):
        await open_case(underwriter, name)
        page = underwriter.page
        await page.locator("#decide [name=reason]").fill("They closed the port")
        await page.locator("#ask summary").click()
        await page.locator("#question").fill("Is the port closed by now?")
        await press(page, "Ask the broker")
        await expect(page.locator(".banner")).to_contain_text("The broker is asked.")
        await expect(page.locator("#decide [name=reason]")).to_have_value("They closed the port")
        await underwriter.open("/desk?view=waiting")
        await expect(page.locator("table")).to_contain_text(name)

        await broker.open(f"/company/{quote['company_id']}")
        await expect(broker.page.get_by_text("Is the port closed by now?").first).to_be_visible()
        await broker.page.get_by_label("Answer", exact=True).fill("Since yesterday, see the picture.")
        await broker.page.locator("input[type=file]").first.set_input_files(
            EXAMPLES / "signed-application.jpg"
        )
        await press(broker.page, "Send the answer")
        await expect(broker.page.locator(".banner")).to_contain_text("The underwriter has your answer.")

        await open_case(underwriter, name)
        await expect(page.get_by_text("Since yesterday, see the picture.").first).to_be_visible()
        await page.locator("#decide [name=reason]").fill("They closed the port")
        await press(page, "Approve 1 option")
        await expect(page.locator(".banner")).to_contain_text("is published")

    after = await quote_of(desk, quote)
    assert (after["quote_status"], after["questions"][0]["status"]) == ("published", "answered")
    assert [upload["name"] for upload in after["uploads"]] == ["signed-application.jpg"]


@with_and_without_scripts
async def test_an_answer_to_a_case_that_was_decided_meanwhile_is_kept_and_told(
    desk: Desk, scripts: bool
) -> None:
    name = f"Hawthorn Hinges {scripts}"
    quote = await submitted(desk, "red-flags", name)

    async with (
        desk.person("broker", java_script_enabled=scripts) as broker,
        desk.person("underwriter", java_script_enabled=scripts) as underwriter,
    ):
        await open_case(underwriter, name)
        page = underwriter.page
        case = page.url.partition("?")[0]
        await page.locator("#ask summary").click()
        await page.locator("#question").fill("Is the port closed by now?")
        await press(page, "Ask the broker")
        await expect(page.locator(".banner")).to_contain_text("The broker is asked.")
        await broker.open(f"/company/{quote['company_id']}")
        answer = broker.page.get_by_label("Answer", exact=True)
        await answer.fill("Since yesterday.")

        await page.locator("#decide [name=reason]").fill("Too many open ports")
        await press(page, "Decline…")
        await press(page, "Decline")
        await expect(page.locator(".banner")).to_contain_text("Option 1 is declined.")
        await expect(answer).to_have_value("Since yesterday.")
        await press(broker.page, "Send the answer")

        await expect(broker.page.locator(".banner")).to_contain_text(
            "The case was decided before your answer came. It is kept, and the underwriter is told."
        )
        await expect(broker.page.locator("main")).to_contain_text("Since yesterday.")
        await underwriter.open(case)
        await expect(page.locator("#history")).to_contain_text("had the broker's answer: Since yesterday.")

    after = await quote_of(desk, quote)
    assert after["quote_status"] == "quote_declined"
    assert [(asked["status"], asked["answer"]) for asked in after["questions"]] == [
        ("answered", "Since yesterday.")
    ]


@pytest.fixture(scope="module")
def colleague(demo: Running) -> str:
    """Add a second underwriter, with a password."""
    added = ("user", "add", COLLEAGUE, "--role", "underwriter", "--name", "Vera Colleague")
    demo.program.run(*added, "--password-stdin", stdin=PASSWORD)
    return COLLEAGUE


async def test_a_decision_of_another_is_on_the_open_page_within_two_seconds(
    desk: Desk, colleague: str
) -> None:
    name = "Pepperwood Labs"
    await submitted(desk, "red-flags", name)

    async with desk.person("underwriter") as first, desk.stranger() as second:
        await second.page.get_by_label("Email").fill(colleague)
        await second.page.get_by_label("Password").fill(PASSWORD)
        await press(second.page, "Sign in")
        await expect(second.page.get_by_role("heading", name="Queue")).to_be_visible()
        news = first.page.locator("#news")
        await open_case(first, name)

        await open_case(second, name)
        await expect(news).to_contain_text("Vera Colleague opened this case.", timeout=TOLD_WITHIN_MS)
        await second.page.locator("#decide [name=reason]").fill("Too big")
        await press(second.page, "Decline…")
        await press(second.page, "Decline")
        await expect(news).to_contain_text(
            "Option 1 was declined: Too big, by Vera Colleague.", timeout=TOLD_WITHIN_MS
        )
        await expect(second.page.locator(".banner")).to_be_visible()
        await expect(second.page.locator("#news")).to_have_text("")


async def test_two_who_press_take_the_next_case_together_have_different_ones(
    desk: Desk, colleague: str
) -> None:
    for name in ("Quince One", "Quince Two"):
        await submitted(desk, "red-flags", name)

    async with desk.person("underwriter") as first, desk.stranger() as second:
        await second.page.get_by_label("Email").fill(colleague)
        await second.page.get_by_label("Password").fill(PASSWORD)
        await press(second.page, "Sign in")
        await first.open("/desk")
        await expect(second.page.get_by_role("heading", name="Queue")).to_be_visible()
        for somebody in (first, second):
            await expect(somebody.page.get_by_role("button", name="Take the next case")).to_be_visible()

        take = [
            somebody.page.get_by_role("button", name="Take the next case").click()
            for somebody in (first, second)
        ]
        await asyncio.gather(*take)

        for somebody in (first, second):
            await expect(somebody.page.get_by_role("button", name="Put it back")).to_be_visible()
        assert first.page.url != second.page.url
