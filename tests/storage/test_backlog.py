"""What waits, as one statement reads it."""

import asyncio
import json
import uuid
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import asyncpg
import pytest

from bindery.domain.jobs import PLAY_UNDERWRITER, PROCESS_SUBMISSION
from bindery.memory import backlog
from bindery.memory.backlog import MOST_COUNTED, Backlog
from bindery.metrics import BACKLOG
from bindery.storage.jobs import queue
from support.binding import ask_to_bind, move_days, one_quoted, quoted
from support.book import binder_file, import_file
from support.service import Service, request_body
from support.telling import published, register

Figures = dict[tuple[str, ...], float]


async def figures(service: Service) -> Figures:
    """Read again, and return the figures by name and labels."""
    samples = await Backlog(service.runtime.database, service.runtime.rules.zone).read()
    assert samples is not None
    return {(sample.name, *sample.labels): sample.value for sample in samples}


async def test_where_nothing_waits_the_figures_are_zero(service: Service) -> None:
    found = await figures(service)
    expires_s = found.pop(("bindery_token_expires_seconds", service.partner.key))

    assert expires_s == pytest.approx(30 * 86_400, abs=120)
    assert found == {
        ("bindery_webhooks_disabled",): 0,
        ("bindery_referrals",): 0,
        ("bindery_referral_oldest_seconds",): 0,
        ("bindery_bind_requests",): 0,
        ("bindery_bind_request_oldest_seconds",): 0,
        ("bindery_desk_late",): 0,
        ("bindery_desk_oldest_working_seconds",): 0,
        ("bindery_mails_unsent",): 0,
        ("bindery_mail_oldest_seconds",): 0,
    }


def number(place: int) -> str:
    """Return the id of the so-manieth thing that jobs are about."""
    return str(uuid.UUID(int=place))


async def test_jobs_are_counted_by_kind_and_state(service: Service) -> None:
    await service.submit()
    async with service.runtime.database.transaction() as tx:
        await queue.enqueue(tx, PROCESS_SUBMISSION, [number(1), number(2), number(3), number(4)])
        await queue.enqueue(tx, PLAY_UNDERWRITER, [number(5), number(6)])
        for place, status in ((2, "picked"), (3, "failed"), (4, "failed"), (6, "picked")):
            await tx.connection.execute(
                "update pgq.pgqueuer set status = $2::pgq.pgqueuer_status where payload = $1",
                number(place).encode(),
                status,
            )

    found = await figures(service)

    assert {labels: value for labels, value in found.items() if labels[0] == "bindery_jobs"} == {
        ("bindery_jobs", PROCESS_SUBMISSION, "waiting"): 2,
        ("bindery_jobs", PROCESS_SUBMISSION, "running"): 1,
        ("bindery_jobs", PROCESS_SUBMISSION, "failed"): 2,
        ("bindery_jobs", PLAY_UNDERWRITER, "waiting"): 1,
        ("bindery_jobs", PLAY_UNDERWRITER, "running"): 1,
    }


async def test_the_oldest_job_is_the_one_that_has_been_due_the_longest(service: Service) -> None:
    async with service.runtime.database.transaction() as tx:
        await queue.enqueue(tx, "late", [number(1), number(2)])
        await queue.enqueue(tx, "to_come", [number(3)])
        await tx.connection.execute(
            f"""
            update pgq.pgqueuer set execute_after = now() + case payload
                when '{number(1)}' then interval '-600 seconds' when '{number(2)}' then interval '-60 seconds'
                else interval '1 hour' end
            """
        )

    found = await figures(service)

    assert 600 <= found["bindery_job_oldest_seconds", "late"] < 660
    assert found["bindery_job_oldest_seconds", "to_come"] == 0


async def test_deliveries_are_counted_by_how_their_webhook_does(service: Service) -> None:
    healthy = await register(service, "http://127.0.0.1:9/healthy")
    failing = await register(service, "http://127.0.0.1:9/failing")
    disabled = await register(service, "http://127.0.0.1:9/disabled")
    await published(service, 3)
    pool = service.runtime.database.pool
    now = await service.runtime.database.now()
    await pool.execute("update webhooks set failing_since = now() where webhook_id = $1", uuid.UUID(failing))
    await pool.execute(
        "update webhooks set status = 'disabled', disabled_because = 'gone' where webhook_id = $1",
        uuid.UUID(disabled),
    )
    await pool.execute(
        "update deliveries set due_at = $2 where webhook_id = $1",
        uuid.UUID(failing),
        now - timedelta(seconds=900),
    )
    await pool.execute(
        "update deliveries set due_at = $2 where webhook_id = $1",
        uuid.UUID(healthy),
        now + timedelta(seconds=900),
    )

    found = await figures(service)

    assert [found["bindery_deliveries", state] for state in ("healthy", "failing", "disabled")] == [3, 3, 3]
    assert found["bindery_delivery_oldest_seconds", "healthy"] == 0
    assert 900 <= found["bindery_delivery_oldest_seconds", "failing"] < 960
    assert found["bindery_webhooks_disabled",] == 1


async def test_a_delivery_that_is_being_tried_does_not_wait(service: Service) -> None:
    await register(service, "http://127.0.0.1:9/")
    await published(service, 2)
    await service.runtime.database.pool.execute(
        "update deliveries set claimed_until = now() + interval '20 seconds' "
        "where delivery_id = (select min(delivery_id) from deliveries)",
    )

    assert (await figures(service))["bindery_deliveries", "healthy"] == 1


async def test_referrals_and_bind_requests_age_by_the_business_clock(service: Service) -> None:
    def refer(body: dict[str, Any]) -> None:
        body["client"]["domains"] = ["red-flags.example.com"]

    def with_pre_bind(body: dict[str, Any]) -> None:
        body["client"]["name"] += " (prebind)"

    await quoted(service, request_body(refer))
    quote = await one_quoted(service, with_pre_bind)
    assert (await ask_to_bind(service, quote)).status_code == 200
    before = await figures(service)
    await move_days(service, 3)
    after = await figures(service)

    assert before["bindery_referrals",] == after["bindery_referrals",] >= 1
    assert before["bindery_bind_requests",] == after["bindery_bind_requests",] == 1
    for name in ("bindery_referral_oldest_seconds", "bindery_bind_request_oldest_seconds"):
        assert before[name,] < 600
        assert 3 * 86_400 <= after[name,] < 3 * 86_400 + 600


async def test_mails_that_have_not_gone_out_are_counted(service: Service) -> None:
    now = await service.runtime.database.now()
    await service.runtime.database.pool.executemany(
        """
        insert into mails (mail_id, kind, recipients, subject, body, created_at, sent_at)
        values ($1, 'test', '{}', '', '', $2, $3)
        """,
        [
            (uuid.uuid4(), now - timedelta(hours=2), None),
            (uuid.uuid4(), now - timedelta(hours=1), None),
            (uuid.uuid4(), now - timedelta(hours=9), now),
        ],
    )

    found = await figures(service)

    assert found["bindery_mails_unsent",] == 2
    assert 7_200 <= found["bindery_mail_oldest_seconds",] < 7_260


@pytest.mark.parametrize(("more", "counted"), [(-1, MOST_COUNTED - 1), (0, MOST_COUNTED), (1, MOST_COUNTED)])
async def test_very_many_are_counted_up_to_a_limit(service: Service, more: int, counted: int) -> None:
    await service.runtime.database.pool.execute(
        """
        insert into pgq.pgqueuer (priority, entrypoint, status)
        select 0, 'many', 'queued' from generate_series(1, $1::int)
        """,
        MOST_COUNTED + more,
    )

    assert (await figures(service))["bindery_jobs", "many", "waiting"] == counted


async def test_everything_that_is_read_is_described(service: Service) -> None:
    await register(service, "http://127.0.0.1:9/")
    await published(service)
    await import_file(service, binder_file(expiry="2099-01-01"))
    await service.runtime.database.pool.execute("update binders set premium_booked = premium_limit * 3 / 4")

    samples = await Backlog(service.runtime.database, service.runtime.rules.zone).read()

    assert samples is not None
    assert {sample.name for sample in samples} == set(BACKLOG)
    assert all(len(sample.labels) == len(BACKLOG[sample.name][1]) for sample in samples)


async def test_who_asks_again_at_once_is_shown_what_was_read(service: Service) -> None:
    kept = Backlog(service.runtime.database, service.runtime.rules.zone)

    first, second = await asyncio.gather(kept.read(), kept.read())
    await service.submit()
    third = await kept.read()
    kept._read_at -= backlog.FRESH_FOR_S
    fourth = await kept.read()

    assert first is second is third
    assert fourth is not None
    assert len(fourth) == len(first or []) + 2, "one kind of job waits now, and its oldest"


async def test_a_table_that_is_locked_costs_a_short_wait_and_no_error(service: Service, dsn: str) -> None:
    kept = Backlog(service.runtime.database, service.runtime.rules.zone)
    holder = await asyncpg.connect(dsn)
    async with holder.transaction():
        await holder.execute("lock table pgq.pgqueuer in access exclusive mode")
        held_up = await kept.read()
    await holder.close()
    assert kept._reading is not None
    await asyncio.wait({kept._reading})
    kept._read_at -= backlog.FRESH_FOR_S

    assert held_up is None
    assert await kept.read() is not None


async def test_no_part_of_the_statement_reads_a_whole_table(service: Service) -> None:
    async with service.runtime.database.pool.acquire() as connection, connection.transaction():
        # On tables as small as a test's a scan is always cheaper; without it the plan shows what there is.
        await connection.execute("set local enable_seqscan = off")
        plan = await connection.fetchval(
            f"explain (format json) {backlog._READ}",
            await service.runtime.database.now(),
            service.runtime.rules.zone.key,
        )
        # Which of several indexes is cheapest depends on a handful of rows; what each of them holds does not.
        whole = {
            row["relname"]
            for row in await connection.fetch(
                """
                select relname from pg_index join pg_class on oid = indexrelid
                where indpred is null and indrelid <> 'pgq.pgqueuer'::regclass
                """
            )
        }

    assert '"Seq Scan"' not in plan
    read = [node for node in nodes(json.loads(plan)[0]["Plan"]) if "Index Name" in node]
    # The queue holds only what waits; of partners, their webhooks, and binders there are few.
    not_bounded = [
        (node["Relation Name"], node["Index Name"])
        for node in read
        if node["Index Name"] in whole
        and " = " not in node.get("Index Cond", "")
        and node["Relation Name"] not in {"partners", "webhooks", "binders", "binder_marks"}
    ]
    assert len(read) > 10
    assert not_bounded == []


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for part in plan.get("Plans", ()):
        yield from nodes(part)


async def test_the_desk_is_counted_in_working_time(service: Service) -> None:
    """A case of Friday afternoon has waited for hours on Monday morning, not for days."""
    await service.submit()
    pool = service.runtime.database.pool
    await pool.execute(
        """
        insert into desk_items (submission_id, kind, company_id, partner_id, product, name, aggregate_limit,
                                at_stake, reasons, is_decline_advised, opened_at, due_at)
        select submission_id, 'referral', company_id, partner_id, product, name, 1, 1, '{}', false,
               '2026-11-20 17:00-05', '2026-11-23 17:00-05'
        from submissions
        """
    )

    async def at(moment: str) -> tuple[float, float]:
        await pool.execute(
            "update service_clock set ahead = $1::timestamptz - now()", datetime.fromisoformat(moment)
        )
        found = await figures(service)
        return found["bindery_desk_late",], round(found["bindery_desk_oldest_working_seconds",] / 3600, 1)

    assert await at("2026-11-20T18:30:00-05:00") == (0, 1.5)
    assert await at("2026-11-22T12:00:00-05:00") == (0, 7.0)
    assert await at("2026-11-23T08:00:00-05:00") == (0, 15.0)
    assert await at("2026-11-23T18:00:00-05:00") == (1, 25.0)

    await pool.execute("update desk_items set asked_at = opened_at")
    assert await at("2026-11-23T18:00:00-05:00") == (0, 0)


async def test_of_a_partners_tokens_the_last_one_counts(service: Service) -> None:
    pool, key = service.runtime.database.pool, service.partner.key
    name = ("bindery_token_expires_seconds", key)

    await pool.execute("update tokens set expires_at = now() + interval '61 days'")
    later = await figures(service)
    await pool.execute("update tokens set expires_at = now() + interval '5 days'")
    soon = await figures(service)
    await pool.execute("update tokens set revoked_at = now()")
    revoked = await figures(service)

    assert name not in later
    assert soon[name] == pytest.approx(5 * 86_400, abs=120)
    assert name not in revoked
