"""A book to look at: policies in several states, and everything that moves premium."""

import re
from collections.abc import Awaitable, Callable
from typing import Any, Final

from bindery.actions.policy.import_binder import import_binder
from bindery.domain.access.deeds import Doer
from bindery.domain.policy.binder_file import FileFlaw
from support.binding import bind, decide, issue, move_days, one_quoted
from support.service import Service


def of_state(state: str) -> Callable[[dict[str, Any]], None]:
    zip_code = {"CA": "94105", "PA": "19103", "ID": "83702", "OR": "97201"}[state]

    def change(body: dict[str, Any]) -> None:
        body["client"]["address"] |= {"state": state, "zip_code": zip_code}
        body["client"]["name"] = f"Lamplight {state} LLC"

    return change


def named(number: int) -> Callable[[dict[str, Any]], None]:
    """Return what makes a request one of a firm of its own, all of one premium."""

    def change(body: dict[str, Any]) -> None:
        of_state("CA")(body)
        body["client"]["name"] = f"Firm {number}"

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


BINDER: Final = """# Every name, number and address is plainly invented.
agreement = "SAMPLE-2027"
coverholder = "Example Surplus Lines Brokers, LLC"
inception = 2027-03-01
expiry = 2028-03-01
premium_limit = 1_000_000

[[carriers]]
name = "Example Specialty Insurance Company"
number = "00001"
address = ["100 Specimen Plaza", "Sampleton, DE 19700"]
share = 62.5

[[carriers]]
name = "Placeholder Reinsurance Ltd."
number = "00002"
address = ["200 Specimen Plaza", "Sampleton, DE 19700"]
share = 37.5

[[sections]]
name = "Cyber"
product = "CYB"
risk_code = "CY"
class = "Cyber"
limit = 3_000_000
revenue = 10_000_000
states = "all"
states_excluded = ["NY", "TX"]
sectors_excluded = ["52"]
term_months = 18
days_ahead = 30
commission = 22.5
deviation = 25

[[sections]]
name = "Professional"
product = "MPL"
limit = 3_000_000
states = ["CA", "NY"]
term_months = 18
days_ahead = 30
commission = 20
deviation = 25
"""
"""A binder from March 1, 2027, for a year."""


def binder_file(**changes: object) -> bytes:
    """Return the binder's file with other values of fields, each where it comes first."""
    text = BINDER
    for name, value in changes.items():
        text, count = re.subn(rf"^{name} = .*$", f"{name} = {value}", text, count=1, flags=re.MULTILINE)
        assert count == 1, name
    return text.encode()


async def import_file(service: Service, content: bytes) -> list[FileFlaw]:
    async with service.runtime.database.transaction() as tx:
        _, flaws = await import_binder(tx, content, by=Doer("somebody"))
    return flaws
