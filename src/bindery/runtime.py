"""The parts of a running process."""

import asyncio
import contextlib
import itertools
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bindery.base.clock import Clock
from bindery.base.fair_queue import FairQueue
from bindery.base.private_files import demo_secret
from bindery.documents.presses import Presses
from bindery.domain.access.caller import Quota
from bindery.domain.business_rules import BusinessRules, DemoOutcomes, NoDemoOutcomes
from bindery.domain.documents.seal import SealKey
from bindery.domain.screening.case import SanctionsList
from bindery.memory.access import Access
from bindery.memory.backlog import Backlog
from bindery.memory.last_check import LastCheck
from bindery.memory.live import LiveRoom
from bindery.memory.presence import Presence
from bindery.memory.request_counts import RequestCounts, TokenUses
from bindery.memory.shown_versions import ShownVersions
from bindery.memory.unkept_days import UnkeptDays
from bindery.memory.waiting_room import WaitingRoom
from bindery.metrics import data_free_bytes, data_size_bytes, sampling
from bindery.outside.blobs import Blobs, open_blobs
from bindery.outside.mail import Postman
from bindery.outside.passwords import Passwords
from bindery.outside.scanner import Scanner
from bindery.outside.scanner.live import LiveScanner
from bindery.outside.scanner.simulated import SimulatedScanner
from bindery.outside.seal_keys import read_seal_key
from bindery.outside.sealing import Sealer
from bindery.outside.upload_reader.reader import UploadReader
from bindery.own_database import open_database
from bindery.settings import PREFIX, Settings
from bindery.storage.database import Database

DISK_EVERY: Final = 40
"""Samples are taken four times a second; the disk is looked at every ten seconds."""
READ_AT_ONCE: Final = 2
"""How many uploads one process has read at the same time; each may take a gigabyte and a core."""
MOST_UPLOADS_OF_A_PARTNER: Final = 20
"""How many uploads of a partner one process takes in at the same time, waiting ones included."""
MOST_UPLOADS: Final = 100
"""The same of all partners together: what waits is on the disk, 25 MB each at most."""
MOST_DOCUMENTS_OF_A_PARTNER: Final = 50
"""How many documents of a partner one process makes because somebody asks, waiting ones included."""
MOST_DOCUMENTS: Final = 200
"""The same of all partners together: each takes some 50 milliseconds of a core."""


@dataclass(frozen=True, slots=True)
class Runtime:
    settings: Settings
    dsn: str
    secret: str
    clock: Clock
    database: Database
    access: Access
    shown_versions: ShownVersions
    waiting_room: WaitingRoom
    live_room: LiveRoom
    presence: Presence
    scanner: Scanner
    blobs: Blobs
    upload_reader: UploadReader
    postman: Postman | None
    sealer: Sealer
    own_seal_key: SealKey | None
    backlog: Backlog
    upload_turns: FairQueue
    presses: Presses
    document_turns: FairQueue
    rules: BusinessRules
    passwords: Passwords
    request_counts: RequestCounts
    token_uses: TokenUses
    unkept_days: UnkeptDays
    leaving: asyncio.Event
    """Set while the process still serves and will soon stop: load balancers are told to turn away."""
    last_check: LastCheck

    def let_go(self) -> None:
        """Keep no request waiting any longer: the process is about to stop."""
        self.waiting_room.close()
        self.live_room.close()


def secret_of(settings: Settings) -> str:
    """Return the key that signs tokens; the demo has one of its own in the data folder."""
    return settings.secret_key or demo_secret(settings.data_dir)


@asynccontextmanager
async def running(settings: Settings, dsn: str, *, press_niceness: int = 0) -> AsyncIterator[Runtime]:
    """Open the parts of a process for the time of the block, also while the database is away.

    `press_niceness` is how much its presses yield when others need the processor.
    """
    clock = Clock()
    async with open_database(settings, dsn, clock) as database:
        watch = database.watch
        access = Access(database)
        waiting_room = WaitingRoom(watch, most_of_a_partner=settings.most_long_polls)
        live_room = LiveRoom(database)
        presence = Presence(database)
        presence.on_move(live_room.notify_desk)
        limits = {Quota(name): most for name, most in settings.requests_per_minute.items()}
        async with (
            watch.listening(),
            sampling(_sampler(database, settings.data_dir)),
            Presses(settings.presses, niceness=press_niceness) as presses,
            RequestCounts(database, clock, limits) as request_counts,
            TokenUses(database) as token_uses,
        ):
            yield Runtime(
                settings,
                dsn,
                secret_of(settings),
                clock,
                database,
                access,
                ShownVersions(database),
                waiting_room,
                live_room,
                presence,
                *outside_parts(settings),
                Backlog(database, settings.zone),
                FairQueue(
                    at_once=READ_AT_ONCE, most_of_one=MOST_UPLOADS_OF_A_PARTNER, most_in_all=MOST_UPLOADS
                ),
                presses,
                FairQueue(
                    at_once=presses.at_once,
                    at_once_of_one=presses.at_once,
                    most_of_one=MOST_DOCUMENTS_OF_A_PARTNER,
                    most_in_all=MOST_DOCUMENTS,
                ),
                business_rules_of(settings),
                Passwords(),
                request_counts,
                token_uses,
                UnkeptDays(),
                asyncio.Event(),
                LastCheck(),
            )


def _sampler(database: Database, folder: Path) -> Callable[[], None]:
    """Return what takes a sample of the pool and, now and then, of the disk."""
    turns = itertools.cycle(range(DISK_EVERY))

    def sample() -> None:
        database.sample_pool()
        if next(turns) == 0:
            with contextlib.suppress(OSError):
                usage = shutil.disk_usage(folder)
                data_free_bytes.set(usage.free)
                data_size_bytes.set(usage.total)

    return sample


def missing_in_production(settings: Settings) -> dict[str, str]:
    """Return what production can start without but hardly do without, by variable, with what follows."""
    if settings.is_demo:
        return {}
    usual = Settings()
    consequences = {
        "smtp_url": "no mail is sent: notices, alerts and offers stay in the outbox",
        "mail_from": f"mail would come from {settings.mail_from}",
        "blobs_url": f"documents and uploads are files of this machine, in {settings.data_dir.resolve()}: "
        "other machines do not see them",
        "metrics_token": "/metrics answers 404, and nobody is alarmed",
    }
    return {
        PREFIX + name.upper(): f"{PREFIX}{name.upper()} is not set: {follows}."
        for name, follows in consequences.items()
        if getattr(settings, name) == getattr(usual, name)
    }


def outside_parts(
    settings: Settings,
) -> tuple[Scanner, Blobs, UploadReader, Postman | None, Sealer, SealKey | None]:
    """Make the parts that need no database."""
    return (
        SimulatedScanner() if settings.is_demo else LiveScanner(),
        open_blobs(settings.blobs_url, settings.data_dir),
        UploadReader(),
        Postman(settings.smtp_url, settings.mail_from) if settings.smtp_url else None,
        Sealer([secret_of(settings), *settings.old_secret_keys]),
        _own_seal_key(settings),
    )


def business_rules_of(settings: Settings) -> BusinessRules:
    return BusinessRules(
        zone=settings.zone,
        sanctions=_sanctions(settings),
        platform_url=settings.platform_url,
        docs_url=f"{settings.base_url.removesuffix('/').removesuffix('/v2')}/docs",
        demo_outcomes=DemoOutcomes() if settings.is_demo else NoDemoOutcomes(),
        authority_required=settings.authority_required,
        diligent_search=settings.diligent_search,
    )


def _own_seal_key(settings: Settings) -> SealKey | None:
    file = settings.seal_key_file
    at = Clock.real_now()
    return read_seal_key(file, at=at, must_be_private=not settings.is_demo) if file else None


def _sanctions(settings: Settings) -> SanctionsList:
    file = settings.sanctions_file
    return SanctionsList.of(file.read_text("utf-8").splitlines()) if file else SanctionsList.of(())
