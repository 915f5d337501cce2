"""A broker changes a policy in a real browser: alone, beyond authority, and what somebody else asked for."""

import asyncio
from typing import Any

import pytest
from playwright.async_api import expect

from support.browser import Desk
from support.stories import issued, judge, press, quote_of, with_and_without_scripts

pytestmark = [pytest.mark.long, pytest.mark.asyncio(loop_scope="session")]


@with_and_without_scripts
async def test_a_policy_is_changed_and_what_is_beyond_authority_is_taken_back(
    desk: Desk, scripts: bool
) -> None:
    policy = await issued(desk, f"Candlewick Bakers {scripts}")

    async with desk.person("broker", java_script_enabled=scripts) as broker:
        page = broker.page
        await broker.open(f"/company/{policy['company_id']}")
        await page.get_by_role("link", name="Change the policy").click()
        await expect(page.locator("h1")).to_have_text("Change the policy")
        if scripts:
            await judge(page, "change-empty")
        await page.locator("#zip").fill("1")
        await page.locator("#person_0_email").fill("nobody")
        await page.get_by_label("Aggregate limit").select_option("2000000")
        # Enter in a field shows the price, and sends nothing.
        await page.locator("#dba").fill("Candlewick")
        await page.locator("#dba").press("Enter")
        await expect(page.locator("#problems")).to_be_focused()
        if scripts:
            await judge(page, "change-wrong")
        await page.locator("#zip").fill(policy["client"]["address"]["zip"])
        await page.locator("#person_0_email").fill("")
        await page.locator("#person_0_policy_notices").set_checked(checked=False)
        await page.locator("#reason").fill("The lease of the new shop asks for it.")
        await page.locator("#other_0_name").fill("Example Property Trust")
        await press(page, "Show the price")
        button = page.locator("button[value=change]")
        await expect(button).to_contain_text("Change the policy from")
        await expect(button).to_be_in_viewport(ratio=1)
        if scripts:
            await judge(page, "change-priced")
        await button.click()
        await expect(page.locator(".banner")).to_contain_text("The policy is changed from")
        await expect(page.get_by_role("link", name="Endorsement 1")).to_be_visible()
        assert (await quote_of(desk, policy))["aggregate_limit"] == 2_000_000

        await page.get_by_role("link", name="Change the policy").click()
        await page.get_by_label("Aggregate limit").select_option("10000000")
        await page.locator("#reason").fill("A customer asks for it.")
        await press(page, "Show the price")
        await page.locator("button[value=change]").click()
        await expect(page.locator(".banner")).to_contain_text("is sent to an underwriter")
        if scripts:
            await judge(page, "changes")
        await page.get_by_role("link", name="Withdraw").click()
        if scripts:
            await judge(page, "change-withdraw")
        await press(page, "Withdraw the change")
        await expect(page.locator(".banner")).to_contain_text("was withdrawn")


async def test_what_a_system_asked_for_is_accepted_by_hand(desk: Desk) -> None:
    policy = await issued(desk, "Tallow Lane Chandlers")
    change = await asyncio.to_thread(asked_by_system, desk, policy)

    async with desk.person("broker") as broker:
        await broker.open(f"/company/{policy['company_id']}")
        await expect(broker.page.locator("main")).to_contain_text("can be accepted until")
        await judge(broker.page, "change-on-company")
        await broker.page.get_by_role("link", name="See its changes").click()
        await broker.page.get_by_role("link", name="Accept").click()
        await judge(broker.page, "change-accept")
        await broker.page.get_by_role("button", name="Change the policy from").click()
        await expect(broker.page.locator(".banner")).to_contain_text("The policy is changed from")

    assert change["status"] == "quoted"
    assert (await quote_of(desk, policy))["premium"] == policy["premium"] + change["premium_difference"]


def asked_by_system(desk: Desk, policy: dict[str, Any]) -> dict[str, Any]:
    asked = {
        "effective": policy["dates"]["effective"],
        "changes": {"aggregate_limit": 2_000_000},
        "reason": "Asked for by the system.",
    }
    found: dict[str, Any] = desk.partner.post(f"/v2/policies/{policy['quote_identifier']}/changes", asked)
    return found
