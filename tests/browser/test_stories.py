"""What people do in a day, in a real browser; each story again where JavaScript is switched off."""

import base64
import json
from typing import Any

import httpx
import pytest
from playwright.async_api import FilePayload, Page, Request, expect
from tools.demo_book import EXAMPLES

from support.browser import Desk
from support.processes import NO_TLS
from support.stories import open_case, press, quote_of, submitted, with_and_without_scripts

pytestmark = [pytest.mark.long, pytest.mark.asyncio(loop_scope="session")]


@with_and_without_scripts
async def test_a_broker_uploads_the_signed_application_and_binds(desk: Desk, scripts: bool) -> None:
    quote = await submitted(desk, "cyb", f"Orchard & Sons {scripts}")

    async with desk.person("broker", java_script_enabled=scripts) as broker:
        await broker.open(f"/company/{quote['company_id']}")
        await broker.page.get_by_role("link", name="Bind option 1").click()
        await expect(broker.page.locator("body")).to_contain_text("Binder, due")
        # Form, outcome and button fit one screen; on a phone the next step is above the fold.
        button, last = (
            broker.page.locator("button[value=bind]"),
            broker.page.get_by_label("Nothing on it was"),
        )
        await expect(button).to_be_in_viewport(ratio=1)
        await expect(last).to_be_in_viewport(ratio=1)
        await broker.page.set_viewport_size({"width": 390, "height": 844})
        await expect(button).to_be_in_viewport(ratio=1)
        await broker.page.set_viewport_size({"width": 1280, "height": 900})
        await broker.page.locator("input[type=file]").first.set_input_files(
            EXAMPLES / "signed-application.jpg"
        )
        for statement in await broker.page.locator("#app_attestation input").all():
            await statement.check()
        # The file goes along with the bind; the outcome follows the form, or is looked up.
        if not scripts:
            await press(broker.page, "Check")
            await expect(broker.page.locator(".banner")).to_contain_text("signed-application.jpg")
        await press(broker.page, "Bind and issue the policy")
        await expect(broker.page.locator("h1")).to_have_text(f"Orchard & Sons {scripts}")
        assert "is issued and begins on" in await broker.text()

    assert (await quote_of(desk, quote))["quote_status"] == "policy_active"


@with_and_without_scripts
async def test_an_underwriter_approves_with_another_retention_after_seeing_its_price(
    desk: Desk, scripts: bool
) -> None:
    name = f"Bellwether Mills {scripts}"
    quote = await submitted(desk, "red-flags", name)

    async with desk.person("underwriter", java_script_enabled=scripts) as underwriter:
        await open_case(underwriter, name)
        page = underwriter.page
        figure = page.locator("#worksheet .figure")
        before = await figure.inner_text()
        await page.locator("#decide [name=aggregate_retention]").select_option("25000")
        await page.locator("#decide [name=reason]").fill("Weak remote access")
        if scripts:
            await expect(page.locator("#decide [role=status]")).to_contain_text("Premium")
        else:
            await press(page, "Recalculate")
        await expect(figure).not_to_have_text(before)
        shown = await figure.inner_text()
        await press(page, "Approve 1 option")
        await expect(page.locator(".banner")).to_be_visible()

    after = await quote_of(desk, quote)
    assert (after["quote_status"], after["aggregate_retention"]) == ("published", 25_000)
    assert f"${after['premium']:,}" == shown


@pytest.mark.long
@with_and_without_scripts
async def test_declining_asks_once_and_says_what_it_leads_to(desk: Desk, scripts: bool) -> None:
    name = f"Cinder Lane Storage {scripts}"
    quote = await submitted(desk, "red-flags", name)

    async with desk.person("underwriter", java_script_enabled=scripts) as underwriter:
        await open_case(underwriter, name)
        page = underwriter.page
        await page.locator("#decide [name=reason]").fill("Remote Desktop is open")
        await press(page, "Decline…")
        await expect(page.locator("h1")).to_have_text(f"Decline {name}?")
        assert "cannot be undone" in await underwriter.text()
        assert (await quote_of(desk, quote))["quote_status"] == "quote_referred"
        await press(page, "Decline")
        await expect(page.locator(".banner")).to_be_visible()

    after = await quote_of(desk, quote)
    assert after["quote_status"] == "quote_declined"
    assert after["decision"]["reason"] == "Remote Desktop is open"


@pytest.mark.long
@with_and_without_scripts
async def test_of_two_underwriters_the_second_is_told_what_happened_and_loses_nothing(
    desk: Desk, scripts: bool
) -> None:
    name = f"Dovetail Joinery {scripts}"
    quote = await submitted(desk, "red-flags", name)

    async with (
        desk.person("underwriter", java_script_enabled=scripts) as first,
        desk.person("underwriter", java_script_enabled=scripts) as second,
    ):
        await open_case(first, name)
        await open_case(second, name)
        await second.page.locator("#decide [name=reason]").fill("I would decline this")
        await press(first.page, "Approve 1 option")
        await expect(first.page.locator(".banner")).to_be_visible()
        if scripts:
            # Said, and nothing has moved.
            await expect(second.page.locator("#news")).to_contain_text("Option 1 was published")
        await press(second.page, "Decline…")
        await press(second.page, "Decline")
        await expect(second.page.locator("[role=alert]")).to_contain_text("Decided in the meantime")
        await expect(second.page.locator("[role=alert]")).to_contain_text("Option 1 was approved")
        await expect(second.page.locator("[role=alert]")).to_contain_text("I would decline this")

    assert (await quote_of(desk, quote))["quote_status"] == "published"


@pytest.mark.long
@with_and_without_scripts
async def test_an_operator_revokes_a_token_and_the_api_refuses_it_at_once(desk: Desk, scripts: bool) -> None:
    async with desk.person("operator", java_script_enabled=scripts) as operator:
        page = operator.page
        await operator.open("/ops/partners")
        await page.locator("main").get_by_role("link", name="demo", exact=True).click()
        partner = page.url
        await press(page, "Issue a token")
        token = await page.locator("#token").inner_text()
        async with httpx.AsyncClient(base_url=desk.url, verify=NO_TLS) as http:
            headers = {"Authorization": f"Bearer {token}"}
            assert (await http.get("/v2/webhooks", headers=headers)).status_code == 200
            await page.goto(partner)
            claims = json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))
            row = page.locator("tr", has_text=claims["jti"])
            await row.get_by_role("button", name="Revoke").click()
            await expect(page.locator("h1")).to_have_text("Revoke the token?")
            await press(page, "Revoke the token")
            await expect(page.locator(".banner")).to_contain_text("is revoked")
            assert (await http.get("/v2/webhooks", headers=headers)).status_code == 401


async def test_three_cases_are_decided_by_keyboard_alone(desk: Desk) -> None:
    names = [f"Keystone Trading {number}" for number in range(3)]
    quotes = [await submitted(desk, "red-flags", name) for name in names]

    async with desk.person("underwriter") as underwriter:
        page, keys = underwriter.page, underwriter.page.keyboard
        await keys.press("?")
        await expect(page.locator("dialog")).to_be_visible()
        await keys.press("Escape")
        for name in names:
            async with page.expect_navigation():
                await keys.press("g")
                await keys.press("q")
            for _ in range(60):
                await keys.press("j")
                if await page.evaluate("() => document.activeElement.textContent") == name:
                    break
            await keys.press("o")
            await expect(page.locator("h1")).to_have_text(name)
            await keys.press("a")
            assert await page.evaluate("() => document.activeElement.value") == "approve"
            await keys.press("Enter")
            await expect(page.locator(".banner")).to_be_visible()

    assert [(await quote_of(desk, quote))["quote_status"] for quote in quotes] == ["published"] * 3


async def test_news_reaches_every_tab_over_one_stream_and_outlives_the_tab_that_holds_it(
    desk: Desk,
) -> None:
    async with desk.person("underwriter") as underwriter:
        streams: list[str] = []
        # Away from the first page, whose own stream may be opened as late as this.
        await underwriter.page.goto("about:blank")
        async with underwriter.page.expect_request("**/live"):
            await underwriter.page.goto("/desk")

        def note(request: Request) -> None:
            if request.url.endswith("/live"):
                streams.append(request.url)

        underwriter.context.on("request", note)
        tabs = [underwriter.page, *[await underwriter.new_tab("/desk") for _ in range(8)]]
        rows = await tabs[1].locator("main tbody tr").count()
        await submitted(desk, "red-flags", "Lighthouse Optics")
        for tab in tabs:
            await expect(tab.locator("#news")).to_contain_text("1 changed · show")
        assert streams == []
        assert await tabs[1].locator("main tbody tr").count() == rows, "rows never move by themselves"

        await tabs[0].close()
        await submitted(desk, "red-flags", "Lighthouse Lenses")
        for tab in tabs[1:]:
            await expect(tab.locator("#news")).to_contain_text("2 changed · show")
        assert len(streams) == 1
        await tabs[1].get_by_role("link", name="show").click()
        await expect(tabs[1].get_by_role("link", name="Lighthouse Lenses")).to_be_visible()
        await expect(tabs[1].locator("tr.fresh")).to_have_count(2)
        await tabs[1].reload()
        await expect(tabs[1].locator("tr.fresh")).to_have_count(0)
        underwriter.page = tabs[1]


@pytest.mark.long
@with_and_without_scripts
async def test_signing_out_everywhere_ends_the_second_browser(desk: Desk, scripts: bool) -> None:
    async with (
        desk.person("broker", java_script_enabled=scripts) as here,
        desk.person("broker", java_script_enabled=scripts) as there,
    ):
        await here.open("/account")
        await press(here.page, "Sign out everywhere")
        await expect(here.page.locator("h1")).to_have_text("Sign in")
        await there.open("/companies")
        await expect(there.page.locator("h1")).to_have_text("Sign in")


@pytest.mark.long
@with_and_without_scripts
async def test_a_file_that_cannot_be_taken_is_refused_with_a_sentence(desk: Desk, scripts: bool) -> None:
    quote = await submitted(desk, "cyb", f"Elder Grove {scripts}")
    program: FilePayload = {"name": "macro.exe", "mimeType": "application/x-msdownload", "buffer": b"MZ"}

    async with desk.person("broker", java_script_enabled=scripts) as broker:
        await broker.open(f"/quote/{quote['quote_identifier']}/bind")
        await broker.page.locator("input[type=file]").first.set_input_files(program)
        await press(broker.page, "Upload")
        alert = broker.page.locator("[role=alert]")
        await expect(alert).to_contain_text("must be a PDF, PNG, JPEG, TIFF or DOCX")
        await expect(broker.page.locator("h1")).to_have_text(f"Bind option 1 for Elder Grove {scripts}")


NAMES = (
    "<script>alert(1)</script> & Co",
    "Zażółć gęślą jaźń sp. z o.o.",
    "شركة التأمين الدولية",
    "W" * 200,
    "Long Name Holdings " * 10,
)


@with_and_without_scripts
async def test_any_name_fits_its_page(desk: Desk, scripts: bool) -> None:
    pairs = [[f"{name.strip()[:197]}{mark}{'js' if scripts else 'no'}" for mark in "qr"] for name in NAMES]
    companies = {}
    for quoted, referred in pairs:
        companies[quoted] = (await submitted(desk, "cyb", quoted))["company_id"]
        await submitted(desk, "red-flags", referred)
    phone: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "java_script_enabled": scripts}

    async def fits(page: Page, name: str) -> None:
        assert name in await page.locator("main").inner_text()
        assert await page.evaluate("() => document.documentElement.scrollWidth") == 390

    async with desk.person("broker", **phone) as broker:
        for quoted, company in companies.items():
            await broker.open(f"/company/{company}")
            await fits(broker.page, quoted)
        await broker.open("/companies?mine=0")
        for quoted in companies:
            await fits(broker.page, quoted)
    async with desk.person("underwriter", **phone) as underwriter:
        for _, referred in pairs:
            await underwriter.open("/desk")
            await fits(underwriter.page, referred)
            await underwriter.page.get_by_role("link", name=referred).first.click()
            await expect(underwriter.page.locator("h1")).to_have_text(referred)
            await fits(underwriter.page, referred)
