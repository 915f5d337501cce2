"""The delivery loop: signed, in order, tried again by plan, given up in time, and never lost."""

import asyncio
import base64
import contextlib
import json
import re
import ssl
import subprocess
import sys
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from standardwebhooks import Webhook, WebhookVerificationError

from bindery.actions.timetable.purge import purge_deliveries
from bindery.actions.webhooks import claim_deliveries as claims
from bindery.actions.webhooks.claim_deliveries import (
    AT_ONCE_FOR_A_WEBHOOK,
    claim_deliveries,
    release_deliveries,
)
from bindery.actions.webhooks.deliver_due import deliver_due
from bindery.domain.messages.webhooks import MOST_TRIES, RETRY_WAITS
from bindery.domain.quote.lifecycle import Trigger
from bindery.storage.webhooks import deliveries
from bindery.worker.deliveries import run_deliveries
from support.network import make_authority
from support.receiver import Received, Receiver, receiving
from support.service import Service, request_body
from support.telling import change, deliveries_to, new_secret, published, register, walk
from support.telling import move_clock as move
from support.waiting import eventually

DOCS = Path(__file__).parents[2] / "docs" / "webhooks.md"
OFFICIAL = Path(sys.prefix) / "js" / "node_modules" / "standardwebhooks" / "dist" / "index.js"

VERIFIERS: dict[str, Callable[[], str]] = {
    "the guide": lambda: re.findall(r"```js\n(.*?)```", DOCS.read_text("utf-8"), re.DOTALL)[0],
    "the official one": lambda: (
        f"""
import standardwebhooks from {json.dumps(OFFICIAL.as_uri())};
const verify = (secret, headers, body) => new standardwebhooks.Webhook(secret).verify(body, headers);
"""
    ),
}
"""JavaScript that defines `verify(secret, headers, body)`."""

READ_AND_VERIFY = """
import { readFileSync } from "node:fs";
const { secret, headers, body } = JSON.parse(readFileSync(0, "utf8"));
console.log(verify(secret, headers, Buffer.from(body, "base64")).type);
"""


@contextlib.asynccontextmanager
async def delivering(service: Service, loops: int = 1) -> AsyncIterator[None]:
    """Run delivery loops next to the test."""
    stop = asyncio.Event()
    running = [asyncio.create_task(run_deliveries(service.runtime, stop)) for _ in range(loops)]
    try:
        yield
    finally:
        stop.set()
        await asyncio.gather(*running)


async def webhook(service: Service, webhook_id: str) -> dict[str, Any]:
    shown = (await service.get("/v2/webhooks")).json()["webhooks"]
    found: dict[str, Any] = next(known for known in shown if known["id"] == webhook_id)
    return found


def refuse_with(status: int, **headers: str) -> web.Response:
    return web.Response(
        status=status,
        text="not now",
        headers={name.replace("_", "-"): value for name, value in headers.items()},
    )


class TestADelivery:
    async def test_it_says_what_happened_and_the_official_library_verifies_it(self, service: Service) -> None:
        secret = await new_secret(service)
        async with receiving() as receiver:
            await register(service, receiver.url)
            (quote,) = await published(service, metadata={"crm": "A-17", "näme": ["é"]})

            await deliver_due(service.runtime)

        (received,) = receiver.got
        body = Webhook(secret).verify(received.body, received.headers)
        assert received.headers["content-type"] == "application/json"
        assert received.headers["user-agent"] == "Bindery-Webhooks/2"
        assert body["type"] == "quote.published"
        assert datetime.fromisoformat(body["timestamp"]).utcoffset() == timedelta()
        assert body["data"] | {"company_id": "x"} == {
            "quote_identifier": quote,
            "company_id": "x",
            "quote_status": "published",
            "level": "quote",
            "sequence": 1,
            "metadata": {"crm": "A-17", "näme": ["é"]},
            "premium": 1536,
            "quote_expiration_date": "2026-10-14",
        }
        (event,) = (await service.get("/v2/events")).json()["events"]
        assert event == {"id": received.id, **body}

    @pytest.mark.parametrize("library", ["the guide", "the official one"])
    async def test_javascript_verifies_it(self, service: Service, tmp_path: Path, library: str) -> None:
        secret = await new_secret(service)
        async with receiving() as receiver:
            await register(service, receiver.url)
            await published(service, metadata={"name": "Bäckerei 🥐"})
            await deliver_due(service.runtime)
        (received,) = receiver.got
        script = tmp_path / "check.mjs"
        script.write_text(VERIFIERS[library]() + READ_AND_VERIFY, "utf-8")

        def run(**changed: Any) -> "subprocess.CompletedProcess[str]":
            given = {
                "secret": secret,
                "headers": received.headers,
                "body": base64.b64encode(received.body).decode(),
            }
            return subprocess.run(
                [Path(sys.executable).with_name("node"), script],
                input=json.dumps({**given, **changed}),
                capture_output=True,
                text=True,
                timeout=30,
                check=False,
            )

        genuine = run()
        assert genuine.stdout == "quote.published\n", genuine.stderr
        forged = run(headers={**received.headers, "webhook-id": "another"})
        assert forged.returncode != 0
        assert "no signature matches" in forged.stderr.lower() or "No matching signature" in forged.stderr

    async def test_levels_are_respected(self, service: Service) -> None:
        async with receiving() as quotes, receiving() as policies:
            await register(service, quotes.url, quote=True, policy=False)
            await register(service, policies.url, quote=False, policy=True)
            await published(service)

            await deliver_due(service.runtime)

        assert [received.type for received in quotes.got] == ["quote.published"]
        assert policies.got == []

    async def test_without_a_webhook_nothing_is_written_for_delivery(self, service: Service) -> None:
        await published(service)

        assert await service.count("unplaced_events") == 1
        assert await service.count("deliveries") == 0

    async def test_an_event_of_a_change_that_is_rolled_back_never_happened(self, service: Service) -> None:
        async with receiving() as receiver:
            await register(service, receiver.url)
            (quote,) = await published(service)
            await deliver_due(service.runtime)

            with contextlib.suppress(ZeroDivisionError):
                async with service.runtime.database.transaction() as tx:
                    await walk(tx, quote, Trigger.CHANGE_CONTINGENCIES)
                    raise ZeroDivisionError
            await deliver_due(service.runtime)

        assert len(receiver.got) == 1
        assert len((await service.get("/v2/events")).json()["events"]) == 1

    async def test_the_whole_pipeline_tells_of_a_published_quote(self, working_service: Service) -> None:
        secret = await new_secret(working_service)
        async with receiving() as receiver:
            await register(working_service, receiver.url)

            quote = await working_service.quote(
                request_body(lambda body: body["policy"].update(quotes=[{"aggregate_limit": 1_000_000}]))
            )
            async with asyncio.timeout(90):
                while not any(received.type == "quote.published" for received in receiver.got):
                    receiver.arrived.clear()
                    await receiver.arrived.wait()

        (told,) = [received for received in receiver.got if received.type == "quote.published"]
        body = Webhook(secret).verify(told.body, told.headers)
        assert body["data"]["quote_identifier"] == quote["quote_identifier"]
        assert body["data"]["premium"] == quote["premium"]
        assert body["data"]["quote_expiration_date"] == quote["quote_expiration_date"]


class TestWhatOthersHold:
    async def test_it_is_waited_for_and_sent_when_they_let_it_go(self, service: Service) -> None:
        async with receiving() as receiver:
            await register(service, receiver.url)
            await published(service)
            held = await claim_deliveries(service.runtime, under_way={}, limit=1)

            waiting = asyncio.create_task(deliver_due(service.runtime))
            await eventually(lambda: service.runtime.database.pool.fetchval(HAS_LOOKED))
            sent_meanwhile = len(receiver.got)
            await release_deliveries(service.runtime.database, held)
            count = await waiting

        assert (sent_meanwhile, count, len(receiver.got)) == (0, 1, 1)


HAS_LOOKED = """
select exists (select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
               and query like '%claimed_until is not null and due_at%')
"""
"""Whether anybody asked last what others have under way."""


class TestTheOverlapOfSecrets:
    async def test_both_sign_for_24_hours_of_business_time_and_then_only_the_new_one(
        self, service: Service
    ) -> None:
        old = await new_secret(service)
        async with receiving() as receiver:
            await register(service, receiver.url)
            new = await new_secret(service)
            await published(service)
            await deliver_due(service.runtime)
            await move(service, timedelta(hours=24))
            await published(service)
            await deliver_due(service.runtime)

        during, after = receiver.got
        assert len(during.headers["webhook-signature"].split(" ")) == 2
        Webhook(old).verify(during.body, during.headers)
        Webhook(new).verify(during.body, during.headers)
        assert len(after.headers["webhook-signature"].split(" ")) == 1
        Webhook(new).verify(after.body, after.headers)
        with pytest.raises(WebhookVerificationError):
            Webhook(old).verify(after.body, after.headers)

    async def test_the_timestamp_is_the_real_time_however_far_the_business_clock_was_moved(
        self, service: Service
    ) -> None:
        secret = await new_secret(service)
        await move(service, timedelta(days=400))
        async with receiving() as receiver:
            await register(service, receiver.url)
            await published(service)
            await deliver_due(service.runtime)

        # The library refuses what is more than five minutes off.
        Webhook(secret).verify(receiver.got[0].body, receiver.got[0].headers)

    async def test_a_partner_without_a_secret_is_signed_for_and_can_get_one_later(
        self, service: Service
    ) -> None:
        async with receiving() as receiver:
            await register(service, receiver.url)
            await published(service)
            await deliver_due(service.runtime)
            secret = await new_secret(service)
            await published(service)
            await deliver_due(service.runtime)

        unseen, both = receiver.got
        assert unseen.headers["webhook-signature"].startswith("v1,")
        Webhook(secret).verify(both.body, both.headers)


class TestTryingAgain:
    async def test_a_failure_is_tried_again_by_the_plan(self, service: Service) -> None:
        async with receiving() as receiver:
            webhook_id = await register(service, receiver.url)
            receiver.answer_each(refuse_with(500), refuse_with(404))
            await published(service)
            await deliver_due(service.runtime)
            (first,) = await deliveries_to(service, webhook_id)
            await deliver_due(service.runtime)
            early = len(receiver.got)

            await move(service, RETRY_WAITS[0] * 1.1)
            await deliver_due(service.runtime)
            await move(service, RETRY_WAITS[1] * 1.1)
            await deliver_due(service.runtime)

            (delivery,) = await deliveries_to(service, webhook_id)
        wait = datetime.fromisoformat(first["next_attempt_at"]) - datetime.fromisoformat(
            first["attempts"][0]["at"]
        )
        assert early == 1
        assert RETRY_WAITS[0] * 0.9 <= wait <= RETRY_WAITS[0] * 1.1 + timedelta(seconds=1)
        assert delivery["status"] == "delivered"
        assert delivery["next_attempt_at"] is None
        assert [attempt["status_code"] for attempt in delivery["attempts"]] == [500, 404, 200]
        assert delivery["attempts"][0]["answer"] == "not now"
        assert len({received.id for received in receiver.got}) == 1

    async def test_ten_failures_are_the_end(self, service: Service) -> None:
        async with receiving() as receiver:
            webhook_id = await register(service, receiver.url)
            receiver.answer = lambda _: refuse_with(500)
            await published(service)
            for wait in (timedelta(), *RETRY_WAITS, timedelta(days=1), timedelta(days=1)):
                await move(service, wait * 1.11)
                await deliver_due(service.runtime)

            (delivery,) = await deliveries_to(service, webhook_id)
        assert delivery["status"] == "failed"
        assert [attempt["number"] for attempt in delivery["attempts"]] == list(range(1, MOST_TRIES + 1))
        assert len(receiver.got) == MOST_TRIES
        assert delivery["finished_at"] is not None

    async def test_retry_after_is_honored(self, service: Service) -> None:
        async with receiving() as receiver:
            await register(service, receiver.url)
            receiver.answer_each(refuse_with(429, Retry_After="600"))
            await published(service)
            await deliver_due(service.runtime)

            await move(service, timedelta(seconds=590))
            await deliver_due(service.runtime)
            before = len(receiver.got)
            await move(service, timedelta(seconds=11))
            await deliver_due(service.runtime)

        assert before == 1
        assert len(receiver.got) == 2

    async def test_a_redirect_is_not_followed(self, service: Service) -> None:
        async with receiving() as receiver, receiving() as elsewhere:
            webhook_id = await register(service, receiver.url)
            receiver.answer = lambda _: refuse_with(307, Location=elsewhere.url)
            await published(service)

            await deliver_due(service.runtime)

            (delivery,) = await deliveries_to(service, webhook_id)
        assert elsewhere.got == []
        assert (delivery["status"], delivery["attempts"][0]["status_code"]) == ("pending", 307)

    async def test_nobody_there_is_a_failure_with_its_reason(self, service: Service) -> None:
        async with receiving() as gone:
            endpoint = gone.url
        webhook_id = await register(service, endpoint)
        await published(service)

        await deliver_due(service.runtime)

        (delivery,) = await deliveries_to(service, webhook_id)
        assert delivery["attempts"][0]["status_code"] is None
        assert delivery["attempts"][0]["error"] == "Connection refused"
        assert (await webhook(service, webhook_id))["failing_since"] is not None

    async def test_a_certificate_nobody_vouches_for_is_a_failure(
        self, service: Service, tmp_path: Path
    ) -> None:
        authority = make_authority(tmp_path)
        trusted = ssl.create_default_context(cadata=authority.pem)
        served = authority.server("localhost", until=datetime(2120, 1, 1, tzinfo=UTC))
        async with receiving(tls=served) as receiver:
            webhook_id = await register(service, receiver.url.replace("127.0.0.1", "localhost"))
            await published(service)

            await deliver_due(service.runtime)
            before = len(receiver.got)
            await move(service, timedelta(minutes=1))
            await deliver_due(service.runtime, tls=trusted)

            (delivery,) = await deliveries_to(service, webhook_id)
        assert before == 0
        assert "certificate" in delivery["attempts"][0]["error"].lower()
        assert delivery["attempts"][1]["status_code"] == 200

    async def test_a_long_answer_is_cut_and_a_strange_one_is_kept_readable(self, service: Service) -> None:
        async with receiving() as receiver:
            webhook_id = await register(service, receiver.url)
            receiver.answer = lambda _: web.Response(body=b"\x00\xff" + b"x" * 1_000_000)
            await published(service)

            await deliver_due(service.runtime)

            (delivery,) = await deliveries_to(service, webhook_id)
        assert delivery["status"] == "delivered"
        assert delivery["attempts"][0]["answer"] == "��" + "x" * 2_046


class TestDisabling:
    async def test_gone_disables_at_once_and_tells_the_contact(self, service: Service) -> None:
        async with receiving() as receiver:
            webhook_id = await register(service, receiver.url)
            receiver.answer = lambda _: refuse_with(410)
            await published(service)
            await deliver_due(service.runtime)
            await published(service)
            await deliver_due(service.runtime)

            (delivery,) = await deliveries_to(service, webhook_id)
        shown = await webhook(service, webhook_id)
        assert (shown["status"], shown["disabled_because"]) == ("disabled", "gone")
        assert delivery["status"] == "failed"
        assert len(receiver.got) == 1
        (mail,) = await service.runtime.database.pool.fetch("select * from mails")
        assert mail["recipients"] == ["broker@example.com"]
        assert receiver.url in mail["subject"]
        assert "410" in mail["body"]

    async def test_five_days_of_failure_disable_and_one_success_starts_the_count_anew(
        self, service: Service
    ) -> None:
        async with receiving() as receiver:
            webhook_id = await register(service, receiver.url)
            receiver.answer = lambda _: refuse_with(500)
            await published(service)
            await deliver_due(service.runtime)
            await move(service, timedelta(days=4, hours=23))
            await deliver_due(service.runtime)
            still = await webhook(service, webhook_id)

            receiver.answer = lambda _: web.Response()
            await published(service)
            await deliver_due(service.runtime)
            healed = await webhook(service, webhook_id)

            receiver.answer = lambda _: refuse_with(500)
            await published(service)
            await deliver_due(service.runtime)
            await move(service, timedelta(days=5))
            await deliver_due(service.runtime)
            disabled = await webhook(service, webhook_id)
        assert still["status"] == "active"
        assert still["failing_since"] is not None
        assert healed["failing_since"] is None
        assert (disabled["status"], disabled["disabled_because"]) == ("disabled", "failing")
        assert disabled["disabled_at"] is not None
        (mail,) = await service.runtime.database.pool.fetch("select * from mails")
        assert "five days" in mail["body"]

    async def test_the_contact_on_file_is_written_to_before_a_broker(self, service: Service) -> None:
        await service.runtime.database.pool.execute(
            "update partners set contact_email = 'hooks@partner.example' where partner_id = $1",
            service.partner.partner_id,
        )
        async with receiving() as receiver:
            await register(service, receiver.url)
            receiver.answer = lambda _: refuse_with(410)
            await published(service)
            await deliver_due(service.runtime)

        recipients = await service.runtime.database.pool.fetchval("select recipients from mails")
        assert recipients == ["hooks@partner.example"]

    async def test_registering_again_enables_and_sends_what_was_waiting(self, service: Service) -> None:
        async with receiving() as receiver:
            webhook_id = await register(service, receiver.url)
            receiver.answer = lambda _: refuse_with(500)
            await published(service)
            await deliver_due(service.runtime)
            await move(service, timedelta(days=6))
            await deliver_due(service.runtime)
            await published(service)
            refused = await service.post(f"/v2/webhooks/{webhook_id}/ping")
            receiver.answer = lambda _: web.Response()
            receiver.got.clear()

            again = await register(service, receiver.url)
            await move(service, timedelta(minutes=2))
            await deliver_due(service.runtime)
            shown = await webhook(service, webhook_id)

        assert refused.status_code == 400
        assert refused.json()["code"] == "webhook_disabled"
        assert again == webhook_id
        assert (shown["status"], shown["failing_since"], shown["disabled_because"]) == ("active", None, None)
        # What happened while it was disabled is in the feed, and sent by a replay.
        assert len(receiver.got) == 1


class TestOrder:
    async def test_a_quote_s_events_arrive_in_sequence_with_many_loops(self, service: Service) -> None:
        async with receiving() as receiver:
            await register(service, receiver.url)
            quotes = await published(service, 6)

            async def slow_at_first(received: Received) -> web.Response:
                await asyncio.sleep(0.05 if received.json["data"]["sequence"] == 1 else 0)
                return web.Response()

            receiver.answer = slow_at_first
            async with delivering(service, loops=3):
                for _ in range(5):
                    for quote in quotes:
                        await change(service, quote)
                await receiver.wait_for(36)

        told = _sequences(receiver)
        assert told == {quote: [1, 2, 3, 4, 5, 6] for quote in quotes}

    async def test_a_failing_event_holds_back_its_own_quote_and_no_other(self, service: Service) -> None:
        async with receiving() as receiver:
            await register(service, receiver.url)
            held, free = await published(service, 2)
            await change(service, held)
            await change(service, free)

            def fail_one(received: Received) -> web.Response:
                data = received.json["data"]
                return refuse_with(500 if data["quote_identifier"] == held and data["sequence"] == 1 else 200)

            receiver.answer = fail_one
            await deliver_due(service.runtime)
            first = _sequences(receiver)
            for wait in RETRY_WAITS[:2]:
                await move(service, wait * 1.1)
                await deliver_due(service.runtime)

        assert first == {held: [1], free: [1, 2]}
        # After three failures the next one goes ahead: better out of order than not at all.
        assert _sequences(receiver) == {held: [1, 1, 1, 2], free: [1, 2]}

    async def test_after_a_short_outage_the_order_is_kept(self, service: Service) -> None:
        async with receiving() as receiver:
            await register(service, receiver.url)
            (quote,) = await published(service)
            await change(service, quote, times=2)
            receiver.answer_each(refuse_with(503), refuse_with(503))

            for wait in (timedelta(), *RETRY_WAITS[:2]):
                await move(service, wait * 1.1)
                await deliver_due(service.runtime)

        assert _sequences(receiver) == {quote: [1, 1, 1, 2, 3]}


class TestManyEndpoints:
    async def test_a_slow_partner_delays_nobody(self, service: Service) -> None:
        other = await service.new_partner("quick")
        async with receiving() as slow, receiving() as quick:
            release = asyncio.Event()
            under_way = 0
            most_under_way = 0

            async def hang(_: Received) -> web.Response:
                nonlocal under_way, most_under_way
                under_way += 1
                most_under_way = max(most_under_way, under_way)
                await release.wait()
                under_way -= 1
                return web.Response()

            slow.answer = hang
            await register(service, slow.url)
            await register(other, quick.url)
            await published(service, 30)
            async with delivering(service):
                await slow.wait_for(AT_ONCE_FOR_A_WEBHOOK)
                await published(other, 20)
                await quick.wait_for(20)
                held_back = len(slow.got)
                release.set()
                await slow.wait_for(30)

        assert held_back == AT_ONCE_FOR_A_WEBHOOK == most_under_way

    async def test_a_failing_partner_is_tried_two_at_a_time(self, service: Service) -> None:
        async with receiving() as receiver:
            webhook_id = await register(service, receiver.url)
            await published(service, 10)
            await service.runtime.database.pool.execute("update webhooks set failing_since = now()")

            claimed = await claim_deliveries(service.runtime, under_way={}, limit=100)
            more = await claim_deliveries(
                service.runtime, under_way={claimed[0].claimed.webhook_id: 1}, limit=100
            )

        assert str(claimed[0].claimed.webhook_id) == webhook_id
        assert (len(claimed), len(more)) == (2, 1)


async def _is_changed(service: Service, quote: Any) -> bool:
    """Try to change a quote; False while the database is away."""
    with contextlib.suppress(Exception):
        await change(service, quote)
        return True
    return False


class TestTheLoop:
    async def test_a_loop_that_stops_lets_what_is_under_way_end(self, service: Service) -> None:
        async with receiving() as receiver:
            webhook_id = await register(service, receiver.url)

            async def take_a_while(_: Received) -> web.Response:
                await asyncio.sleep(0.5)
                return web.Response()

            receiver.answer = take_a_while
            await published(service)
            async with delivering(service):
                await receiver.wait_for(1)

            (delivery,) = await deliveries_to(service, webhook_id)
        assert delivery["status"] == "delivered"
        assert len(receiver.got) == 1

    async def test_the_loop_outlives_an_outage_of_the_database(
        self, service: Service, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # What was sent and not recorded before the outage stays claimed until its lease ends.
        monkeypatch.setattr(claims, "LEASE", timedelta(seconds=2))
        async with receiving() as receiver:
            await register(service, receiver.url)
            (quote,) = await published(service)
            async with delivering(service):
                await receiver.wait_for(1)
                pool = service.runtime.database.pool
                await pool.execute(
                    "select pg_terminate_backend(pid) from pg_stat_activity "
                    "where datname = current_database() and pid <> pg_backend_pid()"
                )
                await eventually(partial(_is_changed, service, quote))
                # What was delivered and not yet noted when the connections broke is delivered again.
                await eventually(lambda: 2 in _sequences(receiver)[quote])

        assert _sequences(receiver)[quote][-1] == 2


async def test_old_deliveries_are_purged_and_their_events_stay(service: Service) -> None:
    async with receiving() as receiver:
        webhook_id = await register(service, receiver.url)
        await published(service)
        await deliver_due(service.runtime)
        await move(service, timedelta(days=89))
        kept = await purge_deliveries(service.runtime.database)
        await move(service, timedelta(days=1, seconds=1))

        purged = await purge_deliveries(service.runtime.database)

    assert (kept, purged) == (0, 1)
    assert await deliveries_to(service, webhook_id) == []
    assert await service.count("delivery_attempts") == 0
    assert len((await service.get("/v2/events")).json()["events"]) == 1


async def test_what_waits_for_a_removed_webhook_is_dropped(service: Service) -> None:
    webhook_id = await register(service, "http://127.0.0.1:9/")
    await published(service, 2)
    await service.http.delete(f"/v2/webhooks/{webhook_id}", headers=service.headers)

    assert await purge_deliveries(service.runtime.database) == 2
    assert await service.count("deliveries") == 0


async def test_what_waits_for_a_removed_webhook_is_dropped_so_many_at_once(service: Service) -> None:
    webhook_id = await register(service, "http://127.0.0.1:9/")
    await published(service, 3)
    await deliver_due(service.runtime)
    await service.http.delete(f"/v2/webhooks/{webhook_id}", headers=service.headers)
    left = []

    for _ in range(3):
        async with service.runtime.database.transaction() as tx:
            dropped = await deliveries.drop_hopeless(tx, before=tx.now, limit=2)
        left.append((dropped, await service.count("deliveries"), await service.count("delivery_attempts")))

    assert left == [(2, 1, 1), (1, 0, 0), (0, 0, 0)]


def _sequences(receiver: Receiver) -> dict[str, list[int]]:
    """Return what each quote was told, in the order of arrival."""
    told: defaultdict[str, list[int]] = defaultdict(list)
    for received in receiver.got:
        data = received.json["data"]
        told[data["quote_identifier"]].append(data["sequence"])
    return dict(told)
