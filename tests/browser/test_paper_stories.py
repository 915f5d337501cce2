"""Papers that cannot be taken or are not what they should be, and what a partner is told of changed terms."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import FilePayload, expect

from bindery.domain.documents.file_types import LARGEST_PAPER
from support.browser import Desk, Watched
from support.papers import signed
from support.receiver import Received, receiving
from support.stories import open_case, press, quote_of, submitted, with_and_without_scripts
from support.waiting import eventually

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.mark.long
@with_and_without_scripts
async def test_a_file_that_is_too_large_is_refused_and_nothing_typed_is_lost(
    desk: Desk, scripts: bool, tmp_path: Path
) -> None:
    quote = await submitted(desk, "cyb", f"Pebble Beach Press {scripts}")
    large = tmp_path / "all-our-papers.pdf"
    with large.open("wb") as file:
        file.write(b"%PDF-1.7\n")
        file.truncate(LARGEST_PAPER + 1_000_000)

    async with desk.person("broker", java_script_enabled=scripts) as broker:
        page = broker.page
        await broker.open(f"/quote/{quote['quote_identifier']}/bind")
        await page.locator("[name=first_name]").fill("Ottoline")
        await page.locator("[name=app_attestation][value=signed]").check()
        await page.locator("input[type=file]").set_input_files(large)
        await press(page, "Upload")

        await expect(page.locator("[role=alert]")).to_contain_text("is too large: the limit is 25 MB")
        await expect(page.locator("h1")).to_have_text(f"Bind option 1 for Pebble Beach Press {scripts}")
        await expect(page.locator("[name=first_name]")).to_have_value("Ottoline")
        await expect(page.locator("[name=app_attestation][value=signed]")).to_be_checked()

        await broker.open(f"/company/{quote['company_id']}")
        await page.locator("input[type=file]").first.set_input_files(large)
        await press(page, "Upload")
        await expect(page.locator("[role=alert]")).to_contain_text(
            "The file is too large: the limit is 25 MB"
        )
        await expect(page.locator("h1")).to_have_text(f"Pebble Beach Press {scripts}")

    assert (await quote_of(desk, quote))["uploads"] == []


async def application_of(broker: Watched, quote: dict[str, Any]) -> FilePayload:
    answer = await broker.context.request.get(f"/quote/{quote['quote_identifier']}/document/application")
    assert answer.ok
    return {"name": "signed.pdf", "mimeType": "application/pdf", "buffer": signed(await answer.body())}


@pytest.mark.long
@with_and_without_scripts
async def test_the_application_of_another_quote_is_found_out_and_binds_nothing(
    desk: Desk, scripts: bool
) -> None:
    name = f"Quarry Lane Dental {scripts}"
    quote = await submitted(desk, "cyb", name)
    other = await submitted(desk, "cyb", f"Rookery Tools {scripts}")

    async with desk.person("broker", java_script_enabled=scripts) as broker:
        page = broker.page
        await broker.open(f"/quote/{quote['quote_identifier']}/bind")
        await page.locator("input[type=file]").set_input_files(await application_of(broker, other))
        await press(page, "Upload")
        await expect(page.locator(".banner.warn")).to_have_text(
            "signed.pdf: This is the application of another company. "
            "Upload the one that was issued with this quote."
        )
        await expect(page.locator(".need")).to_contain_text("This is the application of another company")

        for statement in await page.locator("#app_attestation input").all():
            await statement.check()
        if scripts:
            await expect(page.locator("#outcome")).to_contain_text("is that of another quote")
            await press(page, "Check again")
        else:
            await page.locator("button[value=bind]").click()
        await expect(page.locator("#problems")).to_contain_text(
            "is that of another quote: upload the one that belongs to this quote"
        )
        assert (await quote_of(desk, quote))["quote_status"] == "published"

        await page.locator("input[type=file]").set_input_files(await application_of(broker, quote))
        await press(page, "Upload")
        await expect(page.locator(".banner")).to_contain_text("It is signed.")
        await press(page, "Bind and issue the policy")
        await expect(page.locator(".banner")).to_contain_text("is issued.")

    found = {upload["finding"] for upload in (await quote_of(desk, quote))["uploads"]}
    assert found == {"other_quote", "matched"}


@pytest.mark.long
@with_and_without_scripts
async def test_a_partner_is_told_of_the_terms_that_an_underwriter_approved(desk: Desk, scripts: bool) -> None:
    name = f"Sandpiper Tours {scripts}"
    async with (
        receiving() as receiver,
        desk.person("underwriter", java_script_enabled=scripts) as underwriter,
    ):
        levels = {"quote_level": True, "policy_level": False}
        registered = await asyncio.to_thread(
            desk.partner.post, "/v2/webhooks", {"endpoint": receiver.url, **levels}
        )
        quote = await submitted(desk, "red-flags", name)

        await open_case(underwriter, name)
        page, figure = underwriter.page, underwriter.page.locator("#worksheet .figure")
        before = await figure.inner_text()
        await page.locator("#decide [name=aggregate_retention]").select_option("25000")
        await page.locator("#decide [name=reason]").fill("A higher retention for the open port")
        if not scripts:
            await press(page, "Recalculate")
        await expect(figure).not_to_have_text(before)
        shown = await figure.inner_text()
        await press(page, "Approve 1 option")
        await expect(page.locator(".banner")).to_contain_text(f"is published at {shown}")

        def published() -> list[Received]:
            return [
                delivery
                for delivery in receiver.got
                if delivery.type == "quote.published"
                and delivery.json["data"]["quote_identifier"] == quote["quote_identifier"]
            ]

        (told, *_) = await eventually(published, lambda seen: len(seen) > 0)
        await asyncio.to_thread(desk.partner.delete, f"/v2/webhooks/{registered['id']}")

    after = await quote_of(desk, quote)
    data = told.json["data"]
    assert f"${data['premium']:,}" == shown
    assert (data["quote_status"], data["company_id"]) == ("published", quote["company_id"])
    assert data["quote_expiration_date"] == after["quote_expiration_date"]
    assert (after["aggregate_retention"], after["premium"]) == (25_000, data["premium"])
