"""A proposal is sent, opened, chosen, signed, bound and issued, and nobody uploads anything."""

import asyncio
import re

import pytest

from support.browser import EVERY_WAY, WAYS, Desk, Watched
from support.stories import quote_of

pytestmark = pytest.mark.asyncio(loop_scope="session")


@EVERY_WAY
async def test_a_proposal_is_sent_chosen_signed_bound_and_issued(desk: Desk, way: str) -> None:
    options = WAYS[way]
    name = f"Signed by Hand {list(WAYS).index(way)} LLC"
    quotes = await asyncio.to_thread(desk.partner.submit, "cyb", name)
    company = f"/company/{quotes[0]['company_id']}"

    async with desk.person("broker", **options) as broker:
        link = await sent(broker, company)
        async with desk.stranger(**options) as client:
            await client.open(link)
            await chosen(client)
            await signed(client)
        await broker.open("/today?list=answers")
        await broker.no_complaint()
        assert f"{name} Cyber · the client has signed" in await broker.text()
        await broker.open(f"/quote/{quotes[1]['quote_identifier']}/bind")
        await broker.no_complaint()
        await broker.page.get_by_role("button", name=re.compile("^Bind and issue")).click()
        assert "is issued and begins on" in await broker.text()
        await broker.no_complaint()

    bound = await quote_of(desk, quotes[1])
    assert bound["quote_status"] == "policy_active"
    assert bound["binder"]["conditional"] is False
    (upload,) = bound["uploads"]
    assert (upload["finding"], upload["signature"]) == ("matched", "found")
    assert upload["signed_electronically"] is True


async def sent(broker: Watched, company: str) -> str:
    page = broker.page
    await broker.open(company)
    await broker.no_complaint()
    await page.get_by_role("link", name="Send to the client").click()
    await page.get_by_label("Message").fill("Dear Ann,\nthe second fits best.")
    await page.get_by_role("radio", name="Recommend option 2").check()
    await broker.no_complaint()
    await page.get_by_role("button", name="Send the link").click()
    assert "a link is on its way to" in await broker.text()
    link = await page.get_by_role("link", name="Open as the client").get_attribute("href")
    assert link is not None
    return link


async def chosen(client: Watched) -> None:
    text = await client.text()
    assert "choose one, then sign its application." in text
    assert "the second fits best." in text
    await client.no_complaint()
    await client.page.get_by_role("button", name="Choose option 2").click()
    assert "The application as it was answered" in await client.text()
    await client.no_complaint()


async def signed(client: Watched) -> None:
    page = client.page
    await page.get_by_role("button", name="Mail me the code").click()
    assert "Your title is required." in await client.text()
    await client.no_complaint()
    await page.get_by_label("Your name").fill("Ann Example")
    await page.get_by_label("Your title").fill("President")
    for box in await page.get_by_role("checkbox").all():
        await box.check()
    await page.get_by_role("button", name="Mail me the code").click()
    found = re.search(r"The code is (\d{6})", await client.text())
    assert found is not None, "the demo shows the code"
    await client.no_complaint()
    await page.get_by_label("Code", exact=True).fill(found[1])
    await page.get_by_role("button", name="Sign the application").click()
    assert "Thank you: the application is signed." in await client.text()
    await client.no_complaint()
    async with page.expect_download() as download:
        await page.get_by_role("link", name="Your copy of the signed application").click()
    name = (await download.value).suggested_filename
    assert re.fullmatch(r"signed-application_[0-9a-f]{8}\.pdf", name)
