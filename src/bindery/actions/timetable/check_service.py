"""Check what the service needs, each part within seconds: for the command line, the pages and workers."""

import asyncio
import hashlib
import hmac
import shutil
import socket
import time
from collections.abc import Awaitable
from datetime import timedelta
from email.utils import parseaddr
from typing import Final
from urllib.parse import urlsplit

import asyncpg
import msgspec

from bindery.base.clock import Clock
from bindery.base.errors import BinderyError
from bindery.domain.jobs import WORKER_MISSED_AFTER
from bindery.domain.service_check import (
    CheckLine,
    Report,
    fine,
    judge_disk,
    judge_skew,
    judge_version,
    noted,
    wrong,
)
from bindery.domain.submission.checks import is_email
from bindery.outside.blobs import BlobsUnavailable
from bindery.outside.guarded_connect import system_resolve
from bindery.outside.mail import MailNotTaken
from bindery.runtime import Runtime, missing_in_production
from bindery.settings import PREFIX, Settings, weakness_of
from bindery.storage.database import UNAVAILABLE, Database, Reader
from bindery.storage.jobs import queue
from bindery.storage.revision import own_chain

EACH_WITHIN_S: Final = 5.0
_read_report = msgspec.json.Decoder(Report).decode


async def check_service(runtime: Runtime, *, sees_worker: bool = True) -> Report:
    """Check every part; those outside at the same time, each with an end.

    A worker does not look for workers: it is one.
    """
    settings = runtime.settings
    outside = await asyncio.gather(
        _within("Mail", _check_mail(runtime), "Check the host and port of BINDERY_SMTP_URL."),
        _within("Files", _check_files(runtime), "Check BINDERY_BLOBS_URL and the way to it."),
        _within("DNS", _check_dns(settings), "Check the name servers of this machine."),
    )
    database = await _check_database(runtime.database, runtime.clock, sees_worker=sees_worker)
    return Report(
        host=socket.gethostname(),
        at=runtime.clock.real_now(),
        lines=(
            *database,
            *_check_settings(settings, runtime.secret),
            *outside,
            *await asyncio.to_thread(_check_disk, settings),
        ),
        keys=shared_keys(runtime.secret, settings),
    )


async def last_report(runtime: Runtime, *, fresh_for: timedelta) -> Report:
    """Return what this process found when it checked the service, at most so long ago."""
    return await runtime.last_check.find(
        lambda: check_service(runtime), now=runtime.clock.real_now(), fresh_for=fresh_for
    )


def shared_keys(secret: str, settings: Settings) -> dict[str, str]:
    """Return fingerprints of what all processes must have alike; none leads back to a secret."""

    def fingerprint(name: str, text: str) -> str:
        return hmac.digest(secret.encode(), f"{name}:{text}".encode(), hashlib.sha256).hex()[:16]

    return {"Secret key": fingerprint("key", ""), "Files": fingerprint("files", settings.blobs_url)}


async def worker_reports(tx: Reader) -> list[Report]:
    """Return what the workers that are running found when they last checked themselves."""
    return [_read_report(text) for text in await queue.reports_of_workers(tx)]


async def _within(name: str, checking: Awaitable[CheckLine], to_do: str) -> CheckLine:
    try:
        async with asyncio.timeout(EACH_WITHIN_S):
            return await checking
    except TimeoutError:
        return wrong(name, f"no answer within {EACH_WITHIN_S:.0f} seconds", to_do)


async def _check_database(database: Database, clock: Clock, *, sees_worker: bool) -> list[CheckLine]:
    try:
        async with asyncio.timeout(EACH_WITHIN_S):
            tables = await database.find_tables()
            if flaw := own_chain().flaw_of(tables):
                return [wrong("Database", f"at revision {tables.revision or 'none'}", flaw)]
            asked_at, began = clock.real_now(), time.perf_counter()
            async with database.reading() as tx:
                seen = await queue.look_at_server(tx)
            took = timedelta(seconds=time.perf_counter() - began)
    except (*UNAVAILABLE, asyncpg.PostgresError, BinderyError) as fault:
        reason = str(fault) or type(fault).__name__
        return [
            wrong("Database", f"it does not answer: {reason}", "Check BINDERY_DATABASE_URL and the server.")
        ]
    lines = [
        judge_version(seen.version),
        fine("Database", f"at revision {tables.revision}"),
        judge_skew(asked_at + took / 2 - seen.at),
    ]
    return [*lines, _worker_line(seen.worker_silent_for)] if sees_worker else lines


def _worker_line(silent_for: timedelta | None) -> CheckLine:
    to_do = "Start one with `bindery work`: quotes, mail and deliveries wait until then."
    if silent_for is None:
        return wrong("Worker", "none was seen", to_do)
    said = f"seen {silent_for.total_seconds():.0f} s ago"
    return wrong("Worker", said, to_do) if silent_for > WORKER_MISSED_AFTER else fine("Worker", said)


def _check_settings(settings: Settings, secret: str) -> list[CheckLine]:
    flaw = weakness_of(secret)
    old = len(settings.old_secret_keys)
    kept = f"; {old} former {'key is' if old == 1 else 'keys are'} still accepted" if old else ""
    return [
        fine("Platform address", settings.platform_url),
        wrong("Secret key", flaw, "Set BINDERY_SECRET_KEY to the output of `openssl rand -hex 32`.")
        if flaw
        else fine("Secret key", f"{len(secret)} characters{kept}"),
        fine("Metrics", "answered to the token")
        if settings.metrics_token
        else _unset("Metrics", settings, "metrics_token", "answered to everybody, as this is a demo"),
    ]


def _unset(name: str, settings: Settings, setting: str, in_demo: str) -> CheckLine:
    """Return the line of a setting that nobody set: production hardly does without, a demo does."""
    variable = f"{PREFIX}{setting.upper()}"
    missing = missing_in_production(settings).get(variable)
    if missing is None:
        return noted(name, in_demo)
    return wrong(name, missing.removesuffix("."), f"Set {variable}.")


async def _check_mail(runtime: Runtime) -> CheckLine:
    settings = runtime.settings
    if runtime.postman is None:
        said = "no mail server, as is usual for a demo: mail waits in the outbox"
        return _unset("Mail", settings, "smtp_url", said)
    sender = parseaddr(settings.mail_from)[1]
    if not is_email(sender):
        return wrong("Mail", f"{settings.mail_from!r} is no address", "Set BINDERY_MAIL_FROM.")
    if f"{PREFIX}MAIL_FROM" in missing_in_production(settings):
        return wrong("Mail", f"mail would come from {settings.mail_from}", "Set BINDERY_MAIL_FROM.")
    server = urlsplit(settings.smtp_url)
    try:
        await runtime.postman.greet(within_s=EACH_WITHIN_S)
    except MailNotTaken as fault:
        return wrong("Mail", str(fault), "Check BINDERY_SMTP_URL: host, port, user and password.")
    return fine("Mail", f"{server.hostname} answers; mail comes from {sender}")


async def _check_files(runtime: Runtime) -> CheckLine:
    settings = runtime.settings
    where = urlsplit(settings.blobs_url)
    name = f"{where.scheme}://{where.hostname or where.path}" if settings.blobs_url else "a folder"
    try:
        await runtime.blobs.probe(runtime.database.rng.randbytes(32))
    except BlobsUnavailable as fault:
        to_do = "Check BINDERY_BLOBS_URL, its credentials and rights: write, read and delete."
        return wrong("Files", str(fault), to_do)
    if (missing := missing_in_production(settings).get(f"{PREFIX}BLOBS_URL")) is not None:
        to_do = (
            "Set BINDERY_BLOBS_URL to a bucket, or to file:// with a path to say that one machine is meant."
        )
        return wrong("Files", missing.removesuffix("."), to_do)
    return fine("Files", f"{name} is written, read and deleted")


async def _check_dns(settings: Settings) -> CheckLine:
    """Look up the platform's own name: no other has to exist."""
    host = urlsplit(settings.platform_url).hostname or ""
    try:
        addresses = await system_resolve(host)
    except (OSError, UnicodeError) as fault:
        return wrong(
            "DNS",
            f"{host} is not found here: {fault}",
            "Check the name servers of this machine, and the name.",
        )
    return fine("DNS", f"{host} is {addresses[0]}" if addresses else f"{host} has no address")


def _check_disk(settings: Settings) -> list[CheckLine]:
    folder = settings.data_dir.resolve()
    try:
        usage = shutil.disk_usage(folder)
    except OSError as fault:
        return [
            wrong("Disk", f"{folder}: {fault.strerror}", "Set BINDERY_DATA_DIR to a folder that is there.")
        ]
    return [judge_disk(usage.free, usage.total, str(folder))]
