"""The time line of a quote: where its seconds went, in words and bars."""

import time
import uuid
from datetime import UTC, datetime, timedelta

import pytest

from bindery.base.stages import JobStage, JobWork, add_stage, current_work, measuring_job, stage
from bindery.domain.figures import READY_WITHIN_MS, share_faster
from bindery.storage.operations.quote_timeline import JobRun, QuoteTimes, ToldEvent
from bindery.web.ops.timeline import Compared, lede_of, spans_of
from support.people import Person, text_of
from support.receiver import receiving
from support.service import Service, request_body
from support.tables import each_row
from support.waiting import eventually

AT = datetime(2026, 11, 18, 15, tzinfo=UTC)


async def test_a_quotes_page_says_where_its_time_went(working_service: Service, operator: Person) -> None:
    async with receiving() as receiver:
        hook = {"endpoint": receiver.url, "quote_level": True, "policy_level": True}
        await working_service.post("/v2/webhooks", hook)
        made = await working_service.http.post(
            "/v2/quotes",
            json=request_body(),
            headers={**working_service.headers, "X-Request-Id": "req-of-this-test"},
        )
        quote_id = made.json()["quotes"][0]["quote_identifier"]
        await working_service.ready(quote_id)

        async def page() -> str:
            return text_of(await operator.open(f"/ops/quote/{quote_id}"))

        async def is_all_there() -> bool:
            found = await page()
            return "First delivery" in found and "process_submission done 1" in found

        await eventually(is_all_there, every_s=0.2)
        said = await page()

    assert "Offered after 0." in said
    assert "of 10 today, of 2 options." in said
    for words in ("Waiting in the queue", "Scan", "Priced", "Screened", "Written"):
        assert words in said
    assert "First delivery (quote.published)" in said
    assert "Request req-of-this-test" in said
    assert f"/ops/quote/{quote_id}" in await operator.open(f"/ops/journal/{quote_id}")
    submission = await working_service.runtime.database.pool.fetchval(
        "select submission_id from quotes where quote_id = $1", uuid.UUID(quote_id)
    )
    assert f"/ops/quote/{quote_id}" in await operator.open(f"/search?q={submission}")


async def test_an_unknown_quote_has_no_time_line(service: Service, operator: Person) -> None:
    await operator.open(f"/ops/quote/{uuid.uuid4()}", status=404)
    await operator.open("/ops/quote/none", status=404)


async def test_a_quote_whose_jobs_are_forgotten_says_what_the_journal_knows(
    working_service: Service, operator: Person
) -> None:
    quote = await working_service.quote()
    pool = working_service.runtime.database.pool

    async def is_ended() -> bool:
        return not await pool.fetchval("select exists (select from pgq.pgqueuer)")

    await eventually(is_ended)
    await pool.execute("delete from pgq.pgqueuer_log")

    said = text_of(await operator.open(f"/ops/quote/{quote['quote_identifier']}"))

    assert "From the request to the first answer" in said
    assert "is kept for two weeks" in said
    assert "None is kept" in said


def _times(ready_after_s: float | None) -> QuoteTimes:
    return QuoteTimes(
        quote_id=uuid.UUID(int=1),
        submission_id=uuid.UUID(int=2),
        company_id=1,
        partner_id=1,
        partner_key="abcdefgh",
        partner_name="Northwind",
        product="CYB",
        created_at=AT,
        first_ready_at=None if ready_after_s is None else AT + timedelta(seconds=ready_after_s),
        first_ready=None if ready_after_s is None else "quote.published",
    )


def test_two_tries_a_slow_scan_and_a_late_delivery_are_laid_out_after_each_other() -> None:
    failed = JobWork(began_at=AT + timedelta(seconds=2), stages=[JobStage("scan", 10, 1000)])
    done = JobWork(
        began_at=AT + timedelta(seconds=5),
        stages=[
            JobStage("start", 0, 4),
            JobStage("scan_kept", 5, 0, "shop.example.com"),
            JobStage("scan_domain", 5, 30_000, "example.com"),
            JobStage("scan", 5, 30_001),
            JobStage("decide", 30_006, 100),
            JobStage("screen", 30_106, 5),
            JobStage("price", 30_106, 20),
        ],
        together=3,
    )
    runs = [_run(failed, 1_010, "queued", 1), _run(done, 30_106, "successful", 2)]
    told = ToldEvent(
        delivery_id=7,
        webhook_id=uuid.UUID(int=3),
        endpoint="https://partner.example.com",
        type="quote.published",
        created_at=AT + timedelta(seconds=35),
        tries=2,
        delivered_at=AT + timedelta(seconds=47),
        state="delivered",
    )

    drawn = [
        (span.label, span.figure, round(span.start, 3)) for span in spans_of(_times(35.1), runs, [], [told])
    ]

    assert drawn == [
        ("Waiting in the queue, try 1", "2.0 s", 0.0),
        ("Scan", "1.0 s", 2.01),
        ("Waiting in the queue, try 2", "2.0 s", 3.01),
        ("Read by the worker", "0.004 s", 5.0),
        ("shop.example.com known from today", "0.000 s", 5.005),
        ("example.com scanned", "30.0 s", 5.005),
        ("Priced", "0.020 s", 35.006),
        ("Screened", "0.005 s", 35.026),
        ("Written with 2 other submissions", "0.075 s", 35.031),
        ("First delivery (quote.published, 2 tries)", "12.0 s", 35.0),
    ]


def _run(work: JobWork, milliseconds: float, state: str, attempt: int) -> JobRun:
    return JobRun(
        job_id=1,
        kind="process_submission",
        about=str(uuid.UUID(int=2)),
        state=state,
        attempt=attempt,
        at=AT,
        milliseconds=milliseconds,
        work=work,
        mail_id=None,
    )


@each_row(
    ("ready_after_s", "compared", "strong", "rest"),
    [
        (None, None, "Not ready yet.", "No option of it was offered or referred so far."),
        (3.0, None, "Offered after 3.0 s.", ""),
        (
            3.0,
            Compared(0.95, 214, is_today=True),
            "Offered after 3.0 s:",
            "slower than 9 of 10 today, of 214 options.",
        ),
        (
            0.2,
            Compared(0.25, 214, is_today=False),
            "Offered after 0.200 s:",
            "faster than 7 of 10 that day, of 214 options.",
        ),
        (
            40.0,
            Compared(1.0, 2, is_today=True),
            "Offered after 40.0 s:",
            "slower than 10 of 10 today, of 2 options.",
        ),
        (
            40.1,
            Compared(1.0, 2, is_today=True),
            "Offered after 40.1 s:",
            (
                "slower than 10 of 10 today, of 2 options. "
                "More than the 40 seconds in which nine of ten are to be ready."
            ),
        ),
    ],
)
def test_the_sentence_compares_with_the_day(
    ready_after_s: float | None, compared: Compared | None, strong: str, rest: str
) -> None:
    lede = lede_of(_times(ready_after_s), compared)

    assert (lede.strong, lede.rest) == (strong, rest)


@each_row(
    ("ms", "share"),
    [(0, 0.0), (200, 0.1), (250, 0.5), (299.9, 0.9), (300, 0.9), (4_000_000, 1.0)],
)
def test_the_share_of_faster_ones_is_read_from_counts(ms: float, share: float) -> None:
    readiness = [0] * (len(READY_WITHIN_MS) + 1)
    readiness[READY_WITHIN_MS.index(200)] = 1
    readiness[READY_WITHIN_MS.index(300)] = 8
    readiness[READY_WITHIN_MS.index(500)] = 1

    assert share_faster(readiness, ms) == pytest.approx(share, abs=0.01)
    assert share_faster([0] * len(readiness), ms) is None


def test_parts_are_measured_inside_a_job_only() -> None:
    with stage("scan"):
        assert current_work() is None
    with measuring_job() as work:
        with stage("scan", "example.com"):
            pass
        add_stage("price", started=time.perf_counter() - 0.002, seconds=0.002)

    assert [(part.name, part.about) for part in work.stages] == [("scan", "example.com"), ("price", "")]
    assert work.stages[1].took_ms == 2.0
    assert current_work() is None
