"""A change of a policy is asked for, taken back or decided on late, twice, or for another policy."""

from datetime import timedelta
from typing import Any

import httpx

from scenarios.test_ledger import booked
from scenarios.test_policy_changes import DAY, MORE, accept, ask, desk_kinds, path, try_change, used
from support.binding import decide, issue, one_quoted, review, set_day, shown
from support.book import BINDER, binder_file, import_file, of_state
from support.service import Service

BEYOND = {"aggregate_limit": 10_000_000}
UNKNOWN = "01890000-0000-7000-8000-000000000000"


async def policy_on(service: Service) -> dict[str, Any]:
    await set_day(service, DAY)
    policy = await issue(service, await one_quoted(service, of_state("CA")))
    await set_day(service, DAY + timedelta(days=60))
    return policy


async def send(service: Service, policy: dict[str, Any], change_id: str, verb: str) -> httpx.Response:
    return await service.post(path(policy, change_id, verb), None)


async def test_a_change_that_waits_is_taken_back_once_and_leaves_the_desk(service: Service) -> None:
    policy = await policy_on(service)
    referred = await accept(service, policy, await ask(service, policy, BEYOND))
    another = await try_change(service, policy, {"dba": "Lamplight Bread"})
    on_the_desk = await desk_kinds(service)

    withdrawn = [await send(service, policy, referred["change_id"], "withdraw") for _ in range(2)]

    assert (another.status_code, another.json()["code"]) == (409, "change_open")
    assert "an underwriter decides on it" in another.json()["message"]
    assert on_the_desk == ["change"]
    assert [answer.json()["status"] for answer in withdrawn] == ["withdrawn", "withdrawn"]
    assert await desk_kinds(service) == []
    assert [row.kind for row in await booked(service, policy)] == ["original"]
    late = await review(service, policy, "approve_change", reason="Fine.")
    assert (late.status_code, late.json()["code"]) == (400, "wrong_state")


async def test_what_is_issued_or_is_another_policys_is_not_taken_back(service: Service) -> None:
    policy = await policy_on(service)
    issued = await accept(service, policy, await ask(service, policy, MORE))
    other = await issue(service, await one_quoted(service))

    answers = [
        await send(service, policy, issued["change_id"], "withdraw"),
        await send(service, other, issued["change_id"], "withdraw"),
        await send(service, policy, UNKNOWN, "accept"),
    ]

    assert [(answer.status_code, answer.json()["code"]) for answer in answers] == [
        (409, "change_settled"),
        (404, "not_found"),
        (404, "not_found"),
    ]
    asked_for = [path(policy, UNKNOWN), path(policy, "first"), path({"quote_identifier": UNKNOWN})]
    found = [(await service.get(address)).json()["code"] for address in asked_for]
    assert found == ["not_found", "malformed_identifier", "not_found"]
    assert "is issued: ask for another change" in answers[0].json()["message"]
    assert (await shown(service, policy["quote_identifier"]))["aggregate_limit"] == 2_000_000


async def test_another_name_and_other_domains_are_the_insureds_once_approved(service: Service) -> None:
    policy = await policy_on(service)
    change = await ask(service, policy, {"name": "Lamplight Bread Inc.", "domains": ["bread.example.com"]})
    await accept(service, policy, change)

    after = await decide(service, policy, "approve_change", reason="The same owners.")

    assert [row["code"] for row in change["referral_reasons"]] == ["name_changed", "new_domains"]
    assert after["client"]["name"] == "Lamplight Bread Inc."
    assert after["client"]["domains"] == ["bread.example.com"]
    assert after["premium"] == policy["premium"]


async def test_a_binder_that_is_full_by_now_makes_an_underwriter_decide(service: Service) -> None:
    await set_day(service, DAY)
    assert await import_file(service, BINDER.encode()) == []
    policy = await issue(service, await one_quoted(service, of_state("CA")))
    day = (DAY + timedelta(days=1)).isoformat()
    change = await ask(service, policy, MORE, effective=day)
    assert change["referral_reasons"] == []
    assert await import_file(service, binder_file(premium_limit=policy["premium"])) == []

    referred = await accept(service, policy, change)

    assert referred["status"] == "referred"
    assert [row["code"] for row in referred["referral_reasons"]] == ["capacity_exhausted"]
    assert await used(service) == policy["premium"]
    assert await desk_kinds(service) == ["change"]
