"""An operator pauses, resumes, disables and enables a webhook, and sends what waits."""

import asyncio
import uuid

from aiohttp import web

from support.people import Person, fields_of, text_of
from support.receiver import receiving
from support.service import Service, working
from support.waiting import eventually

from .test_delivery_pages import NOBODY, register


async def due_later(service: Service) -> int:
    return int(
        await service.runtime.database.pool.fetchval(
            "select count(*) from deliveries where due_at > now() and claimed_until is null"
        )
    )


async def fill(service: Service, count: int) -> uuid.UUID:
    """Register an endpoint where nobody is, with events that wait for a later try."""
    webhook_id = await register(service)
    for number in range(count):
        await service.runtime.database.pool.execute(
            """
            insert into deliveries (webhook_id, event_id, quote_id, entry, created_at, due_at, tries)
            values ($1, $2, $3, 1, now(), now() + interval '9 minutes', 5)
            """,
            webhook_id,
            uuid.uuid4(),
            uuid.UUID(int=number),
        )
    return webhook_id


async def test_what_waits_is_sent_at_once(service: Service, operator: Person) -> None:
    webhook_id = await fill(service, 3)
    page = await operator.open(f"/ops/webhooks/{webhook_id}")
    recover = text_of(await operator.open(f"/ops/webhooks/{webhook_id}/recover"))
    assert await due_later(service) == 3

    sent = text_of(await operator.send(f"/ops/webhooks/{webhook_id}/step", step="flush"))
    again = text_of(await operator.send(f"/ops/webhooks/{webhook_id}/step", step="flush"))

    assert "Send what waits now" in text_of(page)
    assert "There is nothing to send again. 3 events are not counted here: still being tried" in recover
    assert recover.count("Send what waits now") == 1
    assert "3 events go out now, in order." in sent
    assert "Nothing waits for a later try" in again
    assert await due_later(service) == 0


async def test_a_paused_webhook_keeps_its_events_and_sends_them_in_order_when_resumed(
    service: Service, operator: Person
) -> None:
    async with receiving() as receiver, working(service):
        hook = {"endpoint": receiver.url, "quote_level": True, "policy_level": True}
        webhook_id = (await service.post("/v2/webhooks", hook)).json()["id"]
        path = f"/ops/webhooks/{webhook_id}"
        paused = text_of(await operator.send(f"{path}/step", step="pause"))
        second = text_of(await operator.send(f"{path}/step", step="pause"))
        await service.quote()

        async def held() -> bool:
            return "2 held" in text_of(await operator.open(path))

        await eventually(held)
        assert receiver.got == []

        resumed = text_of(await operator.send(f"{path}/step", step="resume"))
        await receiver.wait_for(2)
        late = text_of(await operator.send(f"{path}/step", step="resume"))

    assert "Paused: events are kept" in paused
    assert f"paused by {operator.email}" in paused
    assert f"Nothing was done: {operator.email} has paused it already." in second
    assert "Resumed: what was kept goes out now, in order." in resumed
    assert "Nothing was done: it is not paused any more." in late


async def test_a_disabled_webhook_is_enabled_again_and_both_are_told(
    service: Service, operator: Person
) -> None:
    webhook_id = await fill(service, 1)
    path = f"/ops/webhooks/{webhook_id}"
    page = await operator.open(path)

    asked = await operator.send(
        f"/sure?step=disable_webhook&to={path}/step&back={path}",
        **fields_of(page, f"{path}/step"),
        step="disable",
    )
    disabled = text_of(await operator.send(f"{path}/step", step="disable"))
    second = text_of(await operator.send(f"{path}/step", step="disable"))
    listed = (await service.get("/v2/webhooks")).json()["webhooks"]
    enabled = text_of(await operator.send(f"{path}/step", step="enable"))
    again = text_of(await operator.send(f"{path}/step", step="enable"))

    assert "Disable the webhook?" in text_of(asked)
    assert "Pause it to keep them." in text_of(asked)
    assert "Disabled: nothing is sent to it, and the partner is told by mail." in disabled
    assert "Nothing was done: it is disabled already (operator)." in second
    assert [(hook["status"], hook["disabled_because"]) for hook in listed] == [("disabled", "operator")]
    assert "Enabled: what was held goes out now, in order." in enabled
    assert "Nothing was done: it is enabled already." in again
    assert (
        await service.runtime.database.pool.fetchval(
            "select count(*) from mails where kind = 'webhook_disabled'"
        )
        == 1
    )
    kinds = await service.runtime.database.pool.fetch(
        "select kind from deeds where actor = $1 order by deed_id", operator.email
    )
    assert [row["kind"] for row in kinds] == ["webhook_disabled", "webhook_enabled"]


async def test_of_many_who_pause_at_once_one_does(service: Service, operator: Person) -> None:
    webhook_id = await fill(service, 0)

    answers = await asyncio.gather(
        *(operator.post(f"/ops/webhooks/{webhook_id}/step", step="pause") for _ in range(10))
    )

    assert {answer.status_code for answer in answers} == {303}
    assert (
        await service.runtime.database.pool.fetchval(
            "select count(*) from deeds where kind = 'webhook_paused'"
        )
        == 1
    )


async def test_a_step_that_there_is_not_is_refused(service: Service, operator: Person) -> None:
    webhook_id = await fill(service, 0)

    refused = await operator.send(f"/ops/webhooks/{webhook_id}/step", status=422, step="burn")
    await operator.send(f"/ops/webhooks/{uuid.uuid4()}/step", status=404, step="pause")

    assert "Choose what to do with the webhook." in refused
    assert NOBODY in await operator.open("/ops/webhooks")


async def test_what_waits_goes_out_by_itself_when_a_ping_succeeds(service: Service, operator: Person) -> None:
    async with receiving() as receiver:
        hook = {"endpoint": receiver.url, "quote_level": True, "policy_level": True}
        webhook_id = (await service.post("/v2/webhooks", hook)).json()["id"]
        await service.submit()
        receiver.answer_each(web.Response(status=500), web.Response(status=500))
        async with working(service):
            await receiver.wait_for(2)

            async def waits() -> bool:
                return await due_later(service) >= 2

            await eventually(waits)
            # Long after this test, as after many tries.
            await service.runtime.database.pool.execute(
                "update deliveries set due_at = now() + interval '5 hours' where claimed_until is null"
            )
            failed = len(receiver.got)
            await operator.send(f"/ops/webhooks/{webhook_id}")
            got = await receiver.wait_for(failed + 3)

    types = [received.type for received in got[failed:]]
    assert types[0] == "webhook.ping"
    assert len(types) >= 3
    assert (
        await service.runtime.database.pool.fetchval(
            "select failing_since from webhooks where webhook_id = $1", uuid.UUID(webhook_id)
        )
        is None
    )
