"""What was acknowledged and then lost is found by the timetable; what cannot be done reaches the desk."""

import asyncio
import uuid
from dataclasses import replace
from typing import Any

import pytest

from bindery.actions.policy.put_in_force import finish_bind
from bindery.actions.submission.process_submission import MOST_STARTS, process_submission
from bindery.actions.timetable.sweep import (
    requeue_bind_requests,
    requeue_standing_still,
    requeue_unfinished_binds,
)
from bindery.domain.messages.mails import name_of_kind
from bindery.storage.policy import due, policies
from support.binding import ask_to_bind, bind, decide, issue, move_days, one_quoted, shown, status_of
from support.service import Service, request_body, working
from support.telling import TO_PUBLISHED, walk

pytestmark = pytest.mark.usefixtures("plain_printing")


async def lose_jobs(service: Service, *, minutes: int = 3) -> None:
    """Lose every job, and let some minutes pass."""
    pool = service.runtime.database.pool
    await pool.execute("delete from pgq.pgqueuer")
    await pool.execute(
        "update binds set unfinished_since = unfinished_since - make_interval(mins => $1)", minutes
    )
    await pool.execute("update quotes set updated_at = updated_at - make_interval(mins => $1)", minutes)


async def jobs(service: Service) -> list[tuple[str, str]]:
    rows = await service.runtime.database.pool.fetch(
        "select entrypoint, status::text from pgq.pgqueuer order by id"
    )
    return [(row[0], row[1]) for row in rows]


async def told(service: Service, quote: dict[str, Any]) -> list[str | None]:
    return [entry.type for entry in await service.journal(quote["quote_identifier"])]


class TestBindsWithoutPapers:
    @pytest.mark.parametrize(
        ("make", "job", "mail"),
        [(bind, "finish_bind", "policy_bound"), (issue, "finish_issue", "policy_issued")],
    )
    async def test_a_bind_whose_job_was_lost_gets_its_papers_mail_and_event(
        self, service: Service, make: Any, job: str, mail: str
    ) -> None:
        quote = await one_quoted(service)
        await make(service, quote)
        await lose_jobs(service)

        counts = [await requeue_unfinished_binds(service.runtime.database) for _ in range(2)]
        queued = await jobs(service)
        await finish_bind(service.runtime, uuid.UUID(quote["quote_identifier"]))
        await lose_jobs(service)

        assert counts == [1, 0]
        assert queued == [(job, "queued")]
        assert "policy.document_ready" in await told(service, quote)
        kinds = await service.runtime.database.pool.fetchval("select array_agg(kind) from mails")
        assert {name_of_kind(kind) for kind in kinds} - {"file_read"} == {mail, "security_letter"}
        assert await requeue_unfinished_binds(service.runtime.database) == 0

    async def test_a_bind_is_not_looked_for_before_two_minutes_are_over(self, service: Service) -> None:
        await bind(service, await one_quoted(service))
        await lose_jobs(service, minutes=1)

        assert await requeue_unfinished_binds(service.runtime.database) == 0

    async def test_a_job_that_failed_a_while_ago_is_in_nobodys_way(self, service: Service) -> None:
        await bind(service, await one_quoted(service))
        pool = service.runtime.database.pool
        await pool.execute("update binds set unfinished_since = unfinished_since - interval '3 minutes'")
        await pool.execute("update pgq.pgqueuer set status = 'failed', updated = now()")
        at_once = await requeue_unfinished_binds(service.runtime.database)
        await pool.execute("update pgq.pgqueuer set updated = now() - interval '11 minutes'")

        later = await requeue_unfinished_binds(service.runtime.database)

        assert (at_once, later) == (0, 1)
        assert [status for kind, status in await jobs(service) if kind == "finish_bind"] == ["queued"]

    async def test_an_issuance_while_the_bind_is_being_finished_stays_owed(self, service: Service) -> None:
        quote = await one_quoted(service)
        await bind(service, quote)
        (owed,) = quote["contingencies"]
        identifier = uuid.UUID(quote["quote_identifier"])
        runtime = service.runtime
        async with runtime.database.reading() as tx:
            before = await policies.find(tx, identifier)
        assert before is not None

        await decide(service, quote, "close_contingency", contingency_id=owed["contingency_id"])
        async with runtime.database.transaction() as tx:
            await policies.mark_finished(tx, before)
        still_owed = await runtime.database.pool.fetchval("select unfinished_since is not null from binds")
        await finish_bind(runtime, identifier)

        assert still_owed
        assert not await runtime.database.pool.fetchval("select unfinished_since is not null from binds")

    async def test_a_binder_that_lapses_before_its_job_could_run_has_told_its_people_of_the_bind(
        self, service: Service
    ) -> None:
        quote = await one_quoted(service)
        await bind(service, quote)
        await lose_jobs(service)
        await move_days(service, 31)

        await finish_bind(service.runtime, uuid.UUID(quote["quote_identifier"]))

        kinds = await service.runtime.database.pool.fetchval("select array_agg(kind) from mails")
        assert "policy_bound" in kinds
        assert not await service.runtime.database.pool.fetchval(
            "select unfinished_since is not null from binds"
        )

    async def test_a_policy_canceled_before_it_was_finished_has_told_its_people_of_the_issuance(
        self, service: Service
    ) -> None:
        quote = await one_quoted(service)
        await issue(service, quote)
        await decide(service, quote, "cancel", text="asked for")
        await lose_jobs(service)
        await requeue_unfinished_binds(service.runtime.database)

        await finish_bind(service.runtime, uuid.UUID(quote["quote_identifier"]))

        kinds = await service.runtime.database.pool.fetchval("select array_agg(kind) from mails")
        assert "policy_issued" in kinds
        await lose_jobs(service)
        assert await requeue_unfinished_binds(service.runtime.database) == 0

    @pytest.mark.parametrize("issued", [True, False])
    async def test_looking_for_them_costs_by_what_is_owed(self, service: Service, issued: bool) -> None:
        async with service.runtime.database.transaction() as tx:
            await tx.connection.execute("set local enable_seqscan = off; set local enable_sort = off")
            plans = Plans(tx.connection)
            await due.binds_unfinished(
                replace(tx, connection=plans),  # type: ignore[arg-type] # explains instead
                issued=issued,
                before=tx.now,
                without="finish_bind",
                limit=1,
            )

        assert "binds_unfinished" in plans.plan
        assert "pgqueuer_unique_dedupe_key" in plans.plan
        assert "Seq Scan" not in plans.plan
        assert "Sort" not in plans.plan


class Plans:
    """Stands where a connection does, and keeps the plan of a query instead of its rows."""

    def __init__(self, connection: Any) -> None:
        self.connection = connection
        self.plan = ""

    async def fetch(self, query: str, *arguments: Any) -> list[Any]:
        rows = await self.connection.fetch(f"explain {query}", *arguments)
        self.plan = "\n".join(row[0] for row in rows)
        return []


async def test_a_requested_bind_whose_simulated_underwriter_was_lost_is_decided(service: Service) -> None:
    def approved(body: dict[str, Any]) -> None:
        body["client"]["name"] = "Harborlight Bakery (approve)"

    played = await one_quoted(service, approved)
    waiting = await one_quoted(service)
    for quote in (played, waiting):
        await decide(
            service, quote, "add_contingency", contingency={"type": "pre_bind", "text": "Proof of MFA"}
        )
        assert (await ask_to_bind(service, quote)).status_code == 200
    await lose_jobs(service)

    counts = [await requeue_bind_requests(service.runtime.database, service.runtime.rules) for _ in range(2)]
    async with working(service):
        async with asyncio.timeout(60):
            while await status_of(service, played["quote_identifier"]) != "policy_active":  # noqa: ASYNC110 - a worker decides
                await asyncio.sleep(0.05)

    assert counts == [1, 0]
    assert await status_of(service, waiting["quote_identifier"]) == "quote_bind_requested"


async def submission_of(service: Service, receipt: dict[str, Any]) -> uuid.UUID:
    found: uuid.UUID = await service.runtime.database.pool.fetchval(
        "select submission_id from quotes where quote_id = $1",
        uuid.UUID(receipt["quotes"][0]["quote_identifier"]),
    )
    return found


class TestSubmissionsThatCannotBeDone:
    @pytest.mark.parametrize("facts", ["", "{}", '{"term": {}}', "[1]"])
    async def test_one_that_cannot_be_read_reaches_the_desk(self, service: Service, facts: str) -> None:
        receipt = await service.submit()
        await service.runtime.database.pool.execute("update submissions set facts = $1", facts)

        async with working(service):
            quotes = [await service.ready(row["quote_identifier"]) for row in receipt["quotes"]]

        for quote in quotes:
            assert (quote["quote_status"], quote["error_occurred"], quote["premium"]) == (
                "quote_referred",
                True,
                None,
            )
            assert quote["referral_reasons"] == [
                {
                    "code": "pricing_failed",
                    "text": "The option could not be priced: what is stored of it cannot be read",
                    "recommendation": "refer",
                }
            ]
            journal = await service.journal(quote["quote_identifier"])
            assert [entry.status_after for entry in journal] == [
                "created",
                "aq_created",
                "calculating",
                "calc_failed",
                "quote_referred",
            ]
        assert await service.count("pgq.pgqueuer") == 0

    async def test_one_that_was_approved_before_it_became_unreadable_reaches_the_desk_too(
        self, service: Service
    ) -> None:
        receipt = await service.submit(request_body(lambda body: body["policy"].update(quotes=[])))
        submission_id = await submission_of(service, receipt)
        identifier = receipt["quotes"][0]["quote_identifier"]
        # An earlier version published approved options in a transaction of its own, and may have died.
        async with service.runtime.database.transaction() as tx:
            await walk(tx, identifier, *TO_PUBLISHED[:-1])
        assert (await service.journal(identifier))[-1].status_after == "eligible"

        await service.runtime.database.pool.execute("update submissions set facts = ''")
        await process_submission(service.runtime, submission_id)

        quote = await shown(service, identifier)
        assert (quote["quote_status"], quote["error_occurred"]) == ("quote_referred", True)
        assert quote["premium"] is None

    async def test_one_that_was_approved_and_not_published_is_published(self, service: Service) -> None:
        receipt = await service.submit(request_body(lambda body: body["policy"].update(quotes=[])))
        submission_id = await submission_of(service, receipt)
        identifier = receipt["quotes"][0]["quote_identifier"]
        await process_submission(service.runtime, submission_id)
        quote = await shown(service, identifier)
        pool = service.runtime.database.pool
        await pool.execute("update quotes set status = 'eligible', expires_on = null")

        await process_submission(service.runtime, submission_id)

        assert await shown(service, identifier) == quote

    @pytest.mark.parametrize(
        ("starts", "held_up", "status"),
        [
            (MOST_STARTS - 1, 0, "published"),
            (MOST_STARTS, 0, "quote_referred"),
            (MOST_STARTS + 2, 3, "published"),
            (MOST_STARTS + 3, 3, "quote_referred"),
        ],
    )
    async def test_one_whose_work_never_ends_reaches_the_desk_and_outages_do_not_count(
        self, service: Service, starts: int, held_up: int, status: str
    ) -> None:
        receipt = await service.submit()
        pool = service.runtime.database.pool
        await pool.execute("update submissions set starts = $1", starts)
        await pool.execute(
            "update pgq.pgqueuer set headers = headers || jsonb_build_object('held_up', $1::int)", held_up
        )

        await process_submission(service.runtime, await submission_of(service, receipt))

        quote = await shown(service, receipt["quotes"][0]["quote_identifier"])
        assert (quote["quote_status"], quote["error_occurred"]) == (status, status == "quote_referred")
        if status == "quote_referred":
            (reason,) = quote["referral_reasons"]
            assert reason["text"] == (
                "The option could not be priced: it was started 10 times and never finished"
            )

    async def test_a_start_is_counted_also_when_the_work_fails(self, service: Service) -> None:
        receipt = await service.submit()
        pool = service.runtime.database.pool
        await pool.execute("alter table contingencies rename to elsewhere")

        for _ in range(2):
            with pytest.raises(Exception, match="contingencies"):
                await process_submission(service.runtime, await submission_of(service, receipt))

        assert await pool.fetchval("select starts from submissions") == 2

    async def test_a_failed_one_is_queued_again_after_two_minutes(self, service: Service) -> None:
        await service.submit()
        pool = service.runtime.database.pool
        await pool.execute("update quotes set updated_at = updated_at - interval '3 minutes'")
        counts = []
        for seconds in (60, 180):
            await pool.execute(
                "update pgq.pgqueuer set status = 'failed', updated = now() - make_interval(secs => $1)",
                seconds,
            )
            counts.append(await requeue_standing_still(service.runtime.database))

        assert counts == [0, 1]
        assert await jobs(service) == [("process_submission", "queued")]


@pytest.mark.parametrize(("before", "after"), [(4, ("queued", 5)), (5, ("failed", 5))])
async def test_the_sixth_error_of_a_job_is_its_last_and_its_exception_is_kept(
    service: Service, before: int, after: tuple[str, int]
) -> None:
    await service.submit()
    pool = service.runtime.database.pool
    await pool.execute("update pgq.pgqueuer set attempts = $1", before)
    await pool.execute("alter table contingencies rename to elsewhere")

    async with working(service):
        async with asyncio.timeout(60):
            while not await service.count("pgq.pgqueuer_log where traceback is not null"):  # noqa: ASYNC110 - a worker fails
                await asyncio.sleep(0.05)
    (job,) = await pool.fetch("select status::text, attempts from pgq.pgqueuer")
    fault = await pool.fetchval("select traceback::text from pgq.pgqueuer_log where traceback is not null")

    assert tuple(job) == after
    assert 'relation \\"contingencies\\" does not exist' in fault
