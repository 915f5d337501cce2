"""An offer to renew that cannot be bound by hand yet, on the company page and in the API."""

from datetime import date
from typing import Any

import pytest

from support.binding import ask_to_bind, move_to, set_day, shown
from support.people import Person, text_of
from support.service import Service

pytestmark = pytest.mark.usefixtures("plain_printing")


@pytest.mark.parametrize(
    ("day", "may_bind"), [(date(2028, 1, 2), False), (date(2028, 1, 31), False), (date(2028, 2, 1), True)]
)
async def test_an_offer_can_be_bound_by_hand_from_thirty_days_before_on(
    service: Service, policy: dict[str, Any], broker: Person, day: date, *, may_bind: bool
) -> None:
    await move_to(service, date(2028, 1, 2))
    identifier = (await shown(service, policy["quote_identifier"]))["renewal"]["renewed_by"]
    before = await shown(service, identifier)
    assert before["available_actions"] == ["withdraw"]

    await set_day(service, day)
    text = text_of(await broker.open(f"/company/{policy['company_id']}"))
    offer = await shown(service, identifier)

    assert offer["available_actions"] == (["bind", "withdraw"] if may_bind else ["withdraw"])
    assert ("Bind option 1" in text) is may_bind
    sentence = (
        f"This renews policy {policy['policy_number']}. It renews by itself on Mar 2, 2028: nobody "
        "has to bind it."
    )
    assert sentence in text
    assert ("It can be bound by hand from Feb 1, 2028 on." in text) is not may_bind
    assert ((await ask_to_bind(service, offer)).status_code == 200) is may_bind
