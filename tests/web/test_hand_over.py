"""Handing a company over to a colleague."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from bindery.actions.submission.hand_over_company import hand_over_company
from bindery.base.errors import ChangedMeanwhile, NotFound
from bindery.domain.access.caller import Caller
from bindery.domain.access.users import Role
from bindery.domain.quote.handing_over import BrokersOfCompany
from bindery.domain.quote.lifecycle import Trigger
from support.intake import changed
from support.people import Person, fields_of, links_of, sign_in_as, text_of
from support.service import Service

BROKER = "broker@example.com"
ANN = "ann@firm.example"


@pytest.fixture
async def ann(service: Service) -> AsyncIterator[Person]:
    """A broker of the partner, who has no companies so far."""
    await service.new_partner(service.partner.name, ANN)
    async with await sign_in_as(service, Role.BROKER, email=ANN) as signed_in:
        yield signed_in


async def steps(service: Service, identifier: str) -> list[tuple[str, str]]:
    entries = await service.journal(identifier)
    return [(entry.actor, entry.data) for entry in entries if entry.trigger == Trigger.HAND_OVER]


async def test_a_policy_goes_to_a_colleague_with_its_mails_and_its_history(
    service: Service, broker: Person, ann: Person, policy: dict[str, Any]
) -> None:
    identifier, company = policy["quote_identifier"], f"/company/{policy['company_id']}"
    path = f"{company}/broker"
    form = await broker.open(path)
    assert f"It is with {BROKER}. It has no secondary broker." in text_of(form)
    assert company not in links_of(await ann.open("/companies"))

    asked = await broker.send(
        path, **{**fields_of(form, path), "broker_email": ANN.upper(), "secondary_broker_email": broker.email}
    )
    follows = text_of(asked)
    assert f"It goes from {BROKER} to Pat Broker with 1 policy." in follows
    assert "Pat Broker finds it under “Mine” and gets its mails too." in follows
    assert await steps(service, identifier) == []
    done = await broker.send(path, **{**fields_of(asked, path), "step": "hand_over"})

    assert f"The company is with {ANN}." in text_of(done)
    assert f"handed over from {BROKER} to {ANN} and given {broker.email} as the secondary broker" in text_of(
        done
    )
    for person in (ann, broker):
        assert company in links_of(await person.open("/companies"))
    ((actor, data),) = await steps(service, identifier)
    assert (actor, ANN in data, BROKER in data) == (broker.email, True, True)
    shown = (await service.get(f"/v2/quotes/{identifier}")).json()
    assert shown["client"]["broker_email"] == ANN
    assert shown["client"]["secondary_broker_email"] == broker.email
    assert (await service.get(f"/v2/policies?broker_email={ANN}")).json()["policies"]
    assert not (await service.get(f"/v2/policies?broker_email={BROKER}")).json()["policies"]

    # Pressed again, by somebody whose page is from before, and for a colleague who is on it already.
    again = await broker.send(path, **{**fields_of(asked, path), "step": "hand_over"})
    assert f"The company is with {ANN} already." in text_of(again)
    late = {
        **fields_of(asked, path),
        "broker_email": BROKER,
        "secondary_broker_email": "",
        "step": "hand_over",
    }
    refused = await broker.send(path, status=409, **late)
    assert f"The company is with {ANN}, with {broker.email} as the secondary broker by now" in text_of(
        refused
    )
    same = await broker.send(path, status=422, **fields_of(await broker.open(path), path))
    assert "is with the company already: choose another" in text_of(same)
    assert len(await steps(service, identifier)) == 1


async def test_a_renewal_comes_from_the_new_broker_and_is_no_conflict(
    service: Service, ann: Person, policy: dict[str, Any]
) -> None:
    assert ann
    now = BrokersOfCompany(BROKER)
    caller = Caller(partner_id=service.partner.partner_id, actor="x")
    company_id = int(policy["company_id"])
    await hand_over_company(service.runtime.database, caller, company_id, BrokersOfCompany(ANN), seen=now)
    keys = await service.runtime.database.pool.fetch(
        "select distinct b.email from clearance_keys join brokers b using (broker_id)"
    )
    assert [row["email"] for row in keys] == [ANN]

    await service.submit(
        changed(
            ("client.company_id", policy["company_id"]),
            ("client.broker_email", ANN),
            ("client.revenue", 2_600_000),
        )
    )
    brokers = await service.runtime.database.pool.fetch(
        "select distinct b.email from submissions join brokers b using (broker_id)"
    )
    assert [row["email"] for row in brokers] == [ANN]


async def test_who_is_not_of_the_firm_gets_nothing(
    service: Service, broker: Person, ann: Person, policy: dict[str, Any], subtests: pytest.Subtests
) -> None:
    path = f"/company/{policy['company_id']}/broker"
    stranger = await service.new_partner("another partner", "eve@other.example")
    form = fields_of(await broker.open(path), path)

    for step in ("check", "hand_over"):
        for given, said in [
            ({"broker_email": "eve@other.example"}, "Broker is not a broker of your firm"),
            ({"broker_email": "nobody@nowhere.example"}, "Broker is not a broker of your firm"),
            ({"broker_email": ""}, "Broker is not a broker of your firm"),
            ({"secondary_broker_email": "eve@other.example"}, "Secondary broker is nobody of your firm"),
            ({"broker_email": ANN, "secondary_broker_email": ANN}, "Secondary broker is the broker already"),
        ]:
            with subtests.test(f"{step} {given}"):
                page = await broker.send(path, status=422, **{**form, **given, "step": step})
                assert said in text_of(page)
                # What was typed is still there.
                for value in given.values():
                    assert f'value="{value}"' in page
    with subtests.test("of another partner"):
        async with await sign_in_as(stranger, Role.BROKER) as eve:
            await eve.open(path, status=404)
            await eve.send(path, status=404, **{**form, "step": "hand_over"})
        caller = Caller(partner_id=stranger.partner.partner_id, actor="eve")
        wanted = BrokersOfCompany("eve@other.example")
        with pytest.raises(NotFound):
            await hand_over_company(
                service.runtime.database,
                caller,
                int(policy["company_id"]),
                wanted,
                seen=BrokersOfCompany(BROKER),
            )
    assert await steps(service, policy["quote_identifier"]) == []
    assert (await service.ready(policy["quote_identifier"]))["client"]["broker_email"] == BROKER
    assert ann


async def test_what_is_over_is_handed_over_too(service: Service, ann: Person) -> None:
    receipt = await service.submit()
    await service.runtime.database.pool.execute("update quotes set status = 'quote_expired'")
    assert ann
    path = f"/company/{receipt['company_id']}/broker"
    form = {**fields_of(await ann.open(path), path), "broker_email": ANN}

    asked = await ann.send(path, **form)
    assert f"It goes from {BROKER} to Pat Broker. Mails" in text_of(asked)
    await ann.send(path, **form, step="hand_over")

    kept = [await steps(service, quote["quote_identifier"]) for quote in receipt["quotes"]]
    assert sum(map(len, kept)) == 1
    # The secondary broker alone, there and away again.
    form = {**fields_of(await ann.open(path), path), "secondary_broker_email": BROKER}
    assert "Set the secondary broker" in text_of(await ann.send(path, **form))
    await ann.send(path, **form, step="hand_over")
    form = {**fields_of(await ann.open(path), path), "secondary_broker_email": ""}
    assert f"{BROKER} gets no more mails about it." in text_of(await ann.send(path, **form))
    page = text_of(await ann.send(path, **form, step="hand_over"))
    assert f"left by {BROKER}, the secondary broker" in page


async def test_of_two_who_hand_over_at_once_one_is_told(service: Service, ann: Person) -> None:
    assert ann
    receipt = await service.submit()
    await service.new_partner(service.partner.name, "bo@firm.example")
    database, company_id = service.runtime.database, int(receipt["company_id"])
    caller = Caller(partner_id=service.partner.partner_id, actor="x")
    seen = BrokersOfCompany(BROKER)
    await hand_over_company(database, caller, company_id, BrokersOfCompany(ANN), seen=seen)

    with pytest.raises(ChangedMeanwhile, match=f"with {ANN} by now; nothing was changed"):
        await hand_over_company(database, caller, company_id, BrokersOfCompany("bo@firm.example"), seen=seen)
