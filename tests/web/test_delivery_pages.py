"""What an operator sees of deliveries, and does about those that failed."""

import html
import json
import re
import shlex
import uuid
from datetime import timedelta

from bindery.base.signatures import flaw_of_delivery
from bindery.domain.messages.webhooks import owner_name
from bindery.web.ops.webhooks import success_words
from support.binding import one_quoted
from support.people import Person, fields_of, text_of
from support.service import Service, request_body
from support.waiting import eventually

NOBODY = "http://127.0.0.1:9/hook"


async def register(service: Service) -> uuid.UUID:
    answer = await service.post(
        "/v2/webhooks", {"endpoint": NOBODY, "quote_level": True, "policy_level": True}
    )
    assert answer.status_code < 300, answer.text
    return uuid.UUID(answer.json()["id"])


async def give_up(service: Service) -> None:
    """Mark every pending delivery as failed for good, an hour ago."""
    await service.runtime.database.pool.execute(
        """
        with gone as (delete from deliveries returning *)
        insert into finished_deliveries
            (delivery_id, webhook_id, event_id, quote_id, entry, created_at, state, finished_at)
        select delivery_id, webhook_id, event_id, quote_id, entry, created_at, 'failed',
               created_at - interval '1 hour'
        from gone
        """
    )


async def test_one_delivery_shows_what_is_sent_and_a_line_that_a_receiver_trusts(
    working_service: Service, operator: Person
) -> None:
    webhook_id = await register(working_service)
    body = request_body()
    body["policy"]["quotes"] = body["policy"]["quotes"][:1]
    quote = await working_service.quote(body)
    page = await eventually(
        lambda: operator.open(f"/ops/webhooks/{webhook_id}"),
        lambda seen: "Cannot connect" in seen or "1: " in seen,
    )
    assert re.search(
        r"(only try|None of the \d+ tries) of the last 24 hours .*within the last hour\.", text_of(page)
    )
    number = re.findall(r"/ops/deliveries/(\d+)", page)[-1]

    page = await operator.open(f"/ops/deliveries/{number}")

    assert quote["quote_identifier"] in page
    assert "quote.published" in text_of(page)
    assert "next try in" in text_of(page)
    line = html.unescape(re.search(r'<pre class="copy" id="curl-line">(.*?)</pre>', page, re.DOTALL).group(1))  # type: ignore[union-attr] # it is there
    words = shlex.split(line)
    headers = dict(words[place + 1].split(": ", 1) for place, word in enumerate(words) if word == "-H")
    sent = words[words.index("--data-raw") + 1].encode()
    runtime = working_service.runtime
    sealed = await runtime.database.pool.fetchval("select sealed from webhook_secrets")
    secret = runtime.sealer.open(sealed, owner=owner_name(working_service.partner.partner_id))
    assert words[4] == NOBODY
    assert flaw_of_delivery(secret, headers, sent, now=runtime.clock.real_now()) == ""
    assert json.loads(sent)["data"]["quote_identifier"] == quote["quote_identifier"]


async def test_what_failed_is_counted_before_it_is_sent_again(service: Service, operator: Person) -> None:
    webhook_id = await register(service)
    async with service.runtime.database.transaction() as tx:
        since = tx.now - timedelta(hours=2)
    await one_quoted(service)
    await service.get("/v2/events")
    await give_up(service)
    address = f"/ops/webhooks/{webhook_id}/recover"

    page = await operator.open(address)
    assert "1 event failed since" in text_of(page)
    assert await service.count("deliveries") == 0
    later = since + timedelta(hours=3)
    assert "0 events failed since" in text_of(
        await operator.open(f"{address}?since={later:%Y-%m-%dT%H:%M}%2B00:00")
    )

    page = await operator.send(address, **fields_of(page.replace("<form class", "<x class"), address))

    assert "1 event is on the way again." in text_of(page)
    assert await service.count("deliveries") == 1
    assert "0 events failed since" in text_of(await operator.open(address))


async def test_an_event_is_sent_again_and_one_that_is_not_there_is_not(
    service: Service, operator: Person
) -> None:
    await register(service)
    await one_quoted(service)
    await give_up(service)
    number = await service.runtime.database.pool.fetchval("select delivery_id from finished_deliveries")

    page = await operator.send(f"/ops/deliveries/{number}")

    assert "The event is on its way again." in text_of(page)
    assert await service.count("deliveries") == 1
    assert (await operator.http.get("/ops/deliveries/999999")).status_code == 404
    assert (await operator.http.get("/ops/deliveries/none")).status_code == 404


async def test_a_delivery_whose_event_cannot_be_read_is_shown_and_sent_again(
    service: Service, operator: Person
) -> None:
    await register(service)
    spoiled = (await one_quoted(service))["quote_identifier"]
    async with service.runtime.database.connection() as connection, connection.transaction():
        # Past the trigger that keeps the journal as it was written.
        await connection.execute("set local session_replication_role = replica")
        await connection.execute("update journal set data = '{' where quote_id = $1", uuid.UUID(spoiled))
    await give_up(service)
    number = await service.runtime.database.pool.fetchval("select delivery_id from finished_deliveries")

    page = await operator.open(f"/ops/deliveries/{number}")

    assert "The stored event cannot be read, so there is no request to show." in text_of(page)
    assert "curl-line" not in page
    assert "ping" not in text_of(page)

    page = await operator.send(f"/ops/deliveries/{number}")

    assert "The event is on its way again." in text_of(page)
    assert await service.count("deliveries") == 1


def test_a_quiet_endpoint_says_so() -> None:
    assert success_words([(0, 0)] * 24) == "Nothing was tried in the last 24 hours."
    assert success_words([(0, 0), (3, 1), (0, 0), (0, 0)]) == (
        "3 of 4 tries of the last 24 hours succeeded; the last try was 2 hours ago."
    )
    assert success_words([(0, 448), (0, 2), (0, 0)]) == (
        "None of the 450 tries of the last 24 hours succeeded; the last try was an hour ago."
    )
    assert (
        success_words([(0, 0), (0, 1)]) == "The only try of the last 24 hours failed, within the last hour."
    )
    assert success_words([(1, 0), (0, 0)]) == "The only try of the last 24 hours succeeded, an hour ago."


async def test_nothing_is_offered_to_be_sent_to_a_disabled_webhook(
    service: Service, operator: Person
) -> None:
    path = f"/ops/webhooks/{await register(service)}"
    await operator.send(path)
    active = await operator.open(path)
    await service.runtime.database.pool.execute(
        "update webhooks set status = 'disabled', disabled_at = now(), disabled_because = 'failing'"
    )
    delivery = re.findall(r'href="(/ops/deliveries/\d+)"', active)[0]

    page, alone = await operator.open(path), await operator.open(delivery)
    listed, of_partner = await operator.open("/ops/webhooks"), f"/ops/partners/{service.partner.key}"

    assert "active , 1 waiting, next try" in text_of(active)
    assert "Send a ping" in text_of(active)
    assert "disabled: failing , 1 held" in text_of(page)
    assert (
        "Nothing is sent until you enable it or the partner registers the endpoint again; what is held is"
        in page
    )
    for seen in (page, alone):
        assert "next try" not in seen
        assert "Send again" not in seen
        assert "held" in text_of(seen)
    assert "Send a ping" not in page
    assert "disabled: failing 1 held" in text_of(listed)
    assert "disabled: failing 1 held" in text_of(await operator.open(of_partner))
