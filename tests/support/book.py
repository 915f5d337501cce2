"""A book to look at: policies in several states, and everything that moves premium."""

from collections.abc import Awaitable, Callable
from typing import Any

from support.binding import bind, decide, issue, move_days, one_quoted
from support.service import Service


def of_state(state: str) -> Callable[[dict[str, Any]], None]:
    zip_code = {"CA": "94105", "PA": "19103", "ID": "83702", "OR": "97201"}[state]

    def change(body: dict[str, Any]) -> None:
        body["client"]["address"] |= {"state": state, "zip_code": zip_code}
        body["client"]["name"] = f"Lamplight {state} LLC"

    return change


async def issued(service: Service, state: str = "CA") -> dict[str, Any]:
    return await issue(service, await one_quoted(service, of_state(state)))


async def busy(service: Service) -> None:
    """Live through everything that moves premium, in states that keep some of their charges."""
    lapsing = await one_quoted(service, of_state("OR"))
    await bind(service, lapsing)
    flat = await issued(service, "ID")
    await decide(service, flat, "cancel", reason="not_taken_up", effective=flat["dates"]["effective"])
    policies = [await issued(service, state) for state in ("CA", "PA", "ID", "OR")]
    await move_days(service, 40)
    steps: tuple[Callable[[dict[str, Any]], Awaitable[dict[str, Any]]], ...] = (
        lambda policy: decide(service, policy, "cancel"),
        lambda policy: decide(service, policy, "cancel", reason="nonpayment", text="Not paid."),
    )
    for number, policy in enumerate(policies):
        await steps[number % 2](policy)
        if number != 1:
            await decide(service, policy, "reinstate", reason="Paid.")
    await decide(service, policies[2], "cancel", reason="business_sold")
