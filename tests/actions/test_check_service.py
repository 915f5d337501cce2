"""The check of the service against real parts: databases, mail servers, folders."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import msgspec

from bindery.actions.timetable.check_service import (
    check_service,
    last_report,
    shared_keys,
    worker_reports,
)
from bindery.domain.access.users import Role
from bindery.domain.service_check import CheckLine, Report, Verdict
from bindery.outside.blobs import open_blobs
from bindery.outside.mail import Postman
from bindery.runtime import Runtime, running
from bindery.settings import Environment, Settings
from bindery.storage.jobs import queue
from support.mailbox import mailbox as serving_mail
from support.people import sign_in_as, text_of
from support.service import SECRET, Service, working
from support.waiting import eventually


def by_name(report: Report) -> dict[str, CheckLine]:
    return {line.name: line for line in report.lines}


def verdicts(report: Report) -> dict[str, str]:
    return {line.name: str(line.verdict) for line in report.lines}


async def test_a_demo_that_works_has_nothing_wrong(working_service: Service) -> None:
    async def is_seen() -> bool:
        return (await check_service(working_service.runtime)).is_fine

    await eventually(is_seen)
    found = await check_service(working_service.runtime)

    assert verdicts(found) == {
        "PostgreSQL": "ok",
        "Database": "ok",
        "Clock": "ok",
        "Worker": "ok",
        "Platform address": "ok",
        "Secret key": "ok",
        "Metrics": "note",
        "Mail": "note",
        "Files": "ok",
        "DNS": "ok",
        "Disk": "ok",
    }
    assert list((working_service.runtime.settings.data_dir / "files" / "probe").iterdir()) == []


async def test_production_without_its_parts_is_told_what_to_set(service: Service) -> None:
    settings = replace(
        service.runtime.settings,
        environment=Environment.PRODUCTION,
        platform_url="https://quotes.invalid",
        base_url="https://quotes.invalid/v2",
    )

    found = by_name(await check_service(replace(service.runtime, settings=settings)))

    assert {name: line.to_do for name, line in found.items() if line.verdict == "wrong"} == {
        "Worker": "Start one with `bindery work`: quotes, mail and deliveries wait until then.",
        "Metrics": "Set BINDERY_METRICS_TOKEN.",
        "Mail": "Set BINDERY_SMTP_URL.",
        "Files": (
            "Set BINDERY_BLOBS_URL to a bucket, or to file:// with a path to say that one machine is meant."
        ),
        "DNS": "Check the name servers of this machine, and the name.",
    }


async def test_a_mail_server_is_greeted_and_sent_nothing(service: Service) -> None:
    async with serving_mail() as mailbox:
        runtime = _mailing(service.runtime, f"smtp://127.0.0.1:{mailbox.port}")
        there = by_name(await check_service(runtime))["Mail"]
        bad_sender = replace(runtime, settings=replace(runtime.settings, mail_from="nobody"))
        unsendable = by_name(await check_service(bad_sender))["Mail"]
    away = by_name(await check_service(runtime))["Mail"]

    assert (there.verdict, there.found) == ("ok", "127.0.0.1 answers; mail comes from quotes@example.com")
    assert mailbox.letters == []
    assert (unsendable.verdict, unsendable.to_do) == ("wrong", "Set BINDERY_MAIL_FROM.")
    assert away.verdict == "wrong"
    assert "BINDERY_SMTP_URL" in away.to_do


def _mailing(runtime: Runtime, url: str) -> Runtime:
    settings = replace(runtime.settings, smtp_url=url, mail_from="Bindery <quotes@example.com>")
    return replace(runtime, settings=settings, postman=Postman(url, settings.mail_from))


async def test_files_that_cannot_be_written_are_wrong(service: Service, tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    blocked.mkdir()
    (blocked / "probe").write_text("a file where the folder would be")

    found = by_name(
        await check_service(replace(service.runtime, blobs=open_blobs(f"file://{blocked}", tmp_path)))
    )

    assert found["Files"].verdict == "wrong"
    assert "write, read and delete" in found["Files"].to_do


async def test_a_database_that_is_away_is_one_line_and_the_others_are_checked(tmp_path: Path) -> None:
    dsn = "postgresql://bindery@127.0.0.1:1/none"
    settings = Settings(secret_key=SECRET, data_dir=tmp_path, database_url=dsn, presses=0)
    async with running(settings, dsn) as runtime:
        found = await check_service(runtime)

    lines = by_name(found)
    assert lines["Database"].verdict == "wrong"
    assert "BINDERY_DATABASE_URL" in lines["Database"].to_do
    assert {"PostgreSQL", "Worker", "Clock"} & set(lines) == set()
    assert lines["Files"].verdict == "ok"


async def test_a_report_is_kept_for_a_while_and_made_once_for_those_who_wait(service: Service) -> None:
    runtime = service.runtime

    first, second = await asyncio.gather(
        *(last_report(runtime, fresh_for=timedelta(minutes=10)) for _ in range(2))
    )
    again = await last_report(runtime, fresh_for=timedelta())

    assert first is second
    assert again is not first


async def test_workers_report_what_they_find(service: Service) -> None:
    async def reports() -> list[Report]:
        async with service.runtime.database.reading() as tx:
            return await worker_reports(tx)

    assert await reports() == []
    async with working(service):
        (found,) = await eventually(reports)

    assert found.keys == shared_keys(SECRET, service.runtime.settings)
    assert "Worker" not in verdicts(found)
    assert verdicts(found)["Files"] == "ok"
    assert await reports() == []


async def test_the_pages_show_where_a_worker_sees_it_otherwise(service: Service) -> None:
    own = await check_service(service.runtime)
    lines = tuple(
        CheckLine("Mail", Verdict.WRONG, "no mail server", "Set BINDERY_SMTP_URL.")
        if line.name == "Mail"
        else line
        for line in own.lines
        if line.name != "Worker"
    )
    report = msgspec.json.encode(
        Report(host="work1", at=own.at, lines=lines, keys={**own.keys, "Secret key": "another"})
    ).decode()
    async with service.runtime.database.transaction() as tx:
        await queue.beat(tx, tx.new_id(), sends_mail=False, report=report)

    async with await sign_in_as(service, Role.OPERATOR) as operator:
        page = text_of(await operator.open("/ops/check"))
        overview = text_of(await operator.open("/ops"))

    for shown in (page, overview):
        assert "Secret key another one on work1 than here" in shown
        assert "Mail no mail server Set BINDERY_SMTP_URL. worker on work1" in shown
        assert "a folder is written, read and deleted pages and workers" in shown
    assert "2 things are wrong: what to do is below." in page


def test_fingerprints_tell_settings_apart_and_no_secret(service: Service) -> None:
    settings = service.runtime.settings

    own = shared_keys(SECRET, settings)
    others = shared_keys(f"{SECRET}x", replace(settings, blobs_url="s3://other"))

    assert set(own) == {"Secret key", "Files"}
    assert not set(own.values()) & set(others.values())
    assert all(len(value) == 16 for value in own.values())
