"""`bindery jobs`: what waits, runs and has failed, as the command line shows it."""

import asyncio
import json
from typing import Any

import asyncpg
import pytest

from support.processes import Program
from support.service import SECRET, Service

FAULT = {
    "job_id": 1,
    "timestamp": "2027-03-01T12:00:00Z",
    "exception_type": "ZeroDivisionError",
    "exception_message": "division by zero",
    "traceback": "Traceback (most recent call last):\n  File …\nZeroDivisionError: division by zero\n",
    "additional_context": None,
}


@pytest.fixture
def operator(program: Program, service: Service) -> Program:
    """The command line on the database of a service."""
    program.variables["BINDERY_SECRET_KEY"] = SECRET
    return program


async def fail_one(service: Service, *, status: str = "failed") -> tuple[int, str]:
    """Submit, and leave the job as one that failed; return its id and what it is about."""
    await service.submit()
    pool = service.runtime.database.pool
    row = await pool.fetchrow(
        """
        update pgq.pgqueuer set status = $1::pgq.pgqueuer_status, attempts = 5
        where id = (select max(id) from pgq.pgqueuer) returning id, convert_from(payload, 'UTF8') as about
        """,
        status,
    )
    assert row is not None
    for logged, fault in (("picked", None), ("queued", retried("RetryRequested")), ("failed", FAULT)):
        await pool.execute(
            """
            insert into pgq.pgqueuer_log (job_id, status, priority, entrypoint, traceback)
            values ($1, $2::pgq.pgqueuer_status, 0, 'process_submission', $3)
            """,
            row["id"],
            logged,
            json.dumps(fault) if fault else None,
        )
    return row["id"], row["about"]


def retried(kind: str) -> dict[str, Any]:
    return {**FAULT, "exception_type": kind, "exception_message": "ZeroDivisionError: division by zero"}


async def test_an_empty_queue_says_so(operator: Program) -> None:
    assert operator.run("jobs", "list").good() == "0 waiting, 0 running, 0 failed.\n"
    assert operator.run("jobs", "list", "--json").json() == []
    assert operator.run("jobs", "retry", "--all").good() == "0 failed jobs go back to the queue.\n"


async def test_jobs_are_listed_with_what_is_wrong_with_them(operator: Program, service: Service) -> None:
    failed, about = await fail_one(service)
    await service.submit()

    lines = operator.run("jobs", "list").good().splitlines()
    (first, second) = operator.run("jobs", "list", "--json").json()

    assert lines[0].split() == [
        "ID",
        "KIND",
        "ABOUT",
        "PARTNER",
        "STATUS",
        "ATTEMPTS",
        "AGE",
        "NEXT",
        "TRY",
        "ERROR",
    ]
    assert lines[1].split()[:6] == [
        str(failed), "process_submission", about, service.partner.name, "failed", "6",
    ]  # fmt: skip
    assert lines[1].endswith("ZeroDivisionError: division by zero")
    assert lines[2].split()[4] == "waiting"
    assert " now" in lines[2]
    assert lines[-2:] == [
        "1 waiting, 0 running, 1 failed.",
        "`bindery jobs show ID` says why; `bindery jobs retry ID` tries again.",
    ]
    assert (first["id"], first["status"], first["partner"]) == (failed, "failed", service.partner.name)
    assert (second["status"], second["attempts"], second["error"]) == ("waiting", 0, None)


async def test_the_list_can_be_narrowed(operator: Program, service: Service) -> None:
    await fail_one(service)
    running, _ = await fail_one(service, status="picked")
    await service.submit()
    await service.submit()

    by_status = {
        status: len(operator.run("jobs", "list", "--status", status, "--json").json())
        for status in ("waiting", "running", "failed")
    }
    mails = operator.run("jobs", "list", "--kind", "send_mail", "--json").json()
    limited = operator.run("jobs", "list", "--limit", "2", "--json").json()

    assert by_status == {"waiting": 2, "running": 1, "failed": 1}
    assert mails == []
    assert [row["status"] for row in limited] == ["failed", "running"]
    assert limited[1]["id"] == running


async def test_a_job_is_shown_with_its_history_and_the_text_of_its_exception(
    operator: Program, service: Service
) -> None:
    failed, about = await fail_one(service)

    text = operator.run("jobs", "show", str(failed)).good()
    shown = operator.run("jobs", "show", str(failed), "--json").json()

    assert about in text
    assert "put back: ZeroDivisionError: division by zero" in text
    assert "failed: ZeroDivisionError: division by zero" in text
    assert text.rstrip().endswith("ZeroDivisionError: division by zero")
    assert "Traceback (most recent call last):" in text
    assert [entry["what"] for entry in shown["history"]] == ["begun", "put back", "failed"]
    assert shown["job"]["attempts"] == 6


async def test_a_job_that_is_done_still_shows_its_history(operator: Program, service: Service) -> None:
    failed, _ = await fail_one(service)
    await service.runtime.database.pool.execute("delete from pgq.pgqueuer")

    text = operator.run("jobs", "show", str(failed)).good()

    assert text.startswith(f"Job {failed} is not in the queue any more.\n")
    assert "begun" in text


async def test_failed_jobs_go_back_to_the_queue_once(operator: Program, service: Service) -> None:
    failed, _ = await fail_one(service)
    await fail_one(service)
    await fail_one(service)

    first = operator.run("jobs", "retry", str(failed)).good()
    again = operator.run("jobs", "retry", str(failed))
    other_kind = operator.run("jobs", "retry", "--kind", "send_mail", "--json").json()
    kind = operator.run("jobs", "retry", "--kind", "process_submission").good()
    everything = operator.run("jobs", "retry", "--all").good()

    assert first == "1 failed job goes back to the queue.\n"
    assert again.complaint == f"Job {failed} has not failed: it is waiting."
    assert other_kind == {"retried": 0}
    assert kind == "2 failed jobs go back to the queue.\n"
    assert everything == "0 failed jobs go back to the queue.\n"
    rows = await service.runtime.database.pool.fetch("select status::text, attempts from pgq.pgqueuer")
    assert [tuple(row) for row in rows] == [("queued", 0)] * 3


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["retry"], "Choose one: an ID, --kind KIND, or --all."),
        (["retry", "7", "--all"], "Choose one: an ID, --kind KIND, or --all."),
        (["retry", "7"], "There is no job 7; `bindery jobs list` shows them."),
        (["show", "7"], "There is no job 7; `bindery jobs list` shows them."),
    ],
)
async def test_a_wrong_use_is_one_sentence(operator: Program, arguments: list[str], sentence: str) -> None:
    assert operator.run("jobs", *arguments).complaint == sentence


async def test_an_unknown_kind_is_told_which_there_are(operator: Program) -> None:
    refused = operator.run("jobs", "list", "--kind", "bake")

    assert refused.complaint.startswith("There is no kind of job 'bake'; there are end_term, expire_quote, ")


async def test_a_retried_job_is_done(operator: Program, service: Service, dsn: str) -> None:
    failed, _ = await fail_one(service)
    operator.run("jobs", "retry", str(failed)).good()

    connection = await asyncpg.connect(dsn)
    try:
        with operator.start("work") as worker:
            async with asyncio.timeout(90):
                while await connection.fetchval("select count(*) from pgq.pgqueuer"):
                    assert worker.process.poll() is None, worker.stderr
                    await asyncio.sleep(0.05)
    finally:
        await connection.close()

    lines = [json.loads(line) for line in worker.stderr.splitlines() if '"event":"job"' in line]
    (line,) = lines
    assert {name: line[name] for name in ("id", "kind", "partner", "attempt", "outcome")} == {
        "id": failed,
        "kind": "process_submission",
        "partner": service.partner.key,
        "attempt": 1,
        "outcome": "done",
    }
    assert line["milliseconds"] > 0
