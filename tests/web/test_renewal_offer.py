"""The bind page of an offer to renew: what becomes of it without a bind, and what a bind leads to."""

from datetime import date
from typing import Any

import pytest

from support.binding import move_to, shown
from support.people import Person, fields_of, text_of
from support.service import Service

pytestmark = pytest.mark.usefixtures("plain_printing")

OFFERED = date(2028, 1, 2)
OPEN_TO_BIND = date(2028, 2, 1)
"""Thirty days before the policy ends, on March 2."""


async def offer_of(service: Service, policy: dict[str, Any]) -> tuple[str, str]:
    """Return the address of the bind page of an offer, and the number of the policy that it renews."""
    await move_to(service, OFFERED)
    renewal = (await shown(service, policy["quote_identifier"]))["renewal"]["renewed_by"]
    return f"/quote/{renewal}/bind", policy["policy_number"]


async def test_an_offer_says_that_it_renews_automatically_and_asks_for_no_papers(
    service: Service, policy: dict[str, Any], broker: Person
) -> None:
    path, number = await offer_of(service, policy)

    early = await broker.open(path)
    assert (
        f"This renews policy {number}. It renews by itself on Mar 2, 2028: nobody has to bind it. "
        "It can be bound by hand from Feb 1, 2028 on." in text_of(early)
    )
    assert 'value="bind"' not in early
    assert "Please correct this" not in early

    await move_to(service, OPEN_TO_BIND)
    page = await broker.open(path)
    assert "nobody has to bind it" in text_of(page)
    assert "bound by hand from" not in text_of(page)
    assert "Nothing has to be signed for the renewal." in text_of(page)
    assert "The policy is issued at once" in text_of(page)
    assert "Bind and issue the policy" in text_of(page)
    assert "a binder" not in page
    assert "app_attestation" not in page

    bound = text_of(await broker.send(path, **{**fields_of(page, path), "step": "bind"}))
    assert "is issued." in bound


async def test_a_renewal_is_compared_with_the_expiring_policy(
    service: Service, policy: dict[str, Any], broker: Person
) -> None:
    path, _ = await offer_of(service, policy)
    company = (await shown(service, path.split("/")[2]))["company_id"]

    page = text_of(await broker.open(f"/company/{company}/changes"))

    assert "Option 1 compared with the expiring policy:" in page


async def test_a_paused_offer_says_that_it_ends_unless_somebody_binds_it(
    service: Service, policy: dict[str, Any], broker: Person
) -> None:
    path, number = await offer_of(service, policy)
    old = await service.runtime.database.pool.fetchval("select quote_id from binds")
    await broker.send(f"/policy/{old}/renewal", renewal="pause")

    page = text_of(await broker.open(path))

    assert f"This renews policy {number}. Its renewal is paused: it ends on Mar 2, 2028 unless" in page
    assert "automatically" not in page


async def test_what_is_owed_keeps_an_offer_from_renewing_automatically(
    service: Service, policy: dict[str, Any], broker: Person
) -> None:
    path, _ = await offer_of(service, policy)
    answer = await service.post(
        f"/v2/demo/quotes/{path.split('/')[2]}/review",
        {
            "decision": "add_contingency",
            "contingency": {"type": "pre_bind", "text": "A list of subsidiaries"},
        },
    )
    assert answer.status_code == 200, answer.text

    page = text_of(await broker.open(path))

    assert "It renews by itself on Mar 2, 2028 once everything open is closed, and not before." in page


async def test_the_list_of_renewals_names_the_policy_that_follows(
    service: Service, policy: dict[str, Any], broker: Person
) -> None:
    path, number = await offer_of(service, policy)
    await move_to(service, OPEN_TO_BIND)
    assert "See the offer" in text_of(await broker.open("/renewals?mine=0"))

    form = await broker.open(path)
    await broker.send(path, **{**fields_of(form, path), "step": "bind"})

    listed = text_of(await broker.open("/renewals?mine=0"))
    assert f"Renewed Policy {number[:-1]}1" in listed
    assert "See the offer" not in listed
