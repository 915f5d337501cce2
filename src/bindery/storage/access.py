"""Who may come in, kept in memory and forgotten the moment the database says it changed."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import asyncpg
import structlog

from bindery.storage import partners
from bindery.storage.database import Database
from bindery.storage.partners import Broker, Partner

CHANNEL = "bindery_access"
HEARTBEAT_S = 5.0
RECONNECT_S = 0.5
log = structlog.get_logger()


class Access:
    """Answer from memory while the database is heard, and from the database while it is not.

    A revoked token must be refused at once by every process. Asking the database each time would cost as
    much as the rest of a read, so what was asked is remembered until a notice of change arrives; when the
    listening connection is down nothing is remembered.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._hearing = False
        self._changes = 0
        self._partners: dict[tuple[str, str], Partner | None] = {}
        self._brokers: dict[int, dict[str, Broker]] = {}

    async def find_partner(self, partner_key: str, token_id: str) -> Partner | None:
        """Give the partner of a token, or None when the token is not live or the partner unknown."""
        asked = (partner_key, token_id)
        if self._hearing and asked in self._partners:
            return self._partners[asked]
        changes = self._changes
        async with self._database.reading() as tx:
            partner = await partners.find_partner_of_token(tx, token_id, partner_key=partner_key)
        if partner is not None and self._may_remember(changes):
            self._partners[asked] = partner
        return partner

    async def find_broker(self, partner_id: int, email: str) -> Broker | None:
        """Give a partner's broker by address, whatever its case."""
        known = self._brokers.get(partner_id) if self._hearing else None
        if known is None:
            changes = self._changes
            async with self._database.reading() as tx:
                known = {broker.email: broker for broker in await partners.brokers_of(tx, partner_id)}
            if self._may_remember(changes):
                self._brokers[partner_id] = known
        return known.get(email.strip().lower())

    def _may_remember(self, changes: int) -> bool:
        """Say whether what was read is still true: a change may have been told meanwhile."""
        return self._hearing and changes == self._changes

    def _forget(self, *_: object) -> None:
        self._changes += 1
        self._partners.clear()
        self._brokers.clear()

    @contextlib.asynccontextmanager
    async def listening(self, dsn: str) -> AsyncIterator[None]:
        """Hear of changes as long as this is open, connecting again when the connection breaks."""
        heard = asyncio.Event()
        task = asyncio.create_task(self._listen(dsn, heard))
        try:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(heard.wait(), timeout=5)
            yield
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _listen(self, dsn: str, heard: asyncio.Event) -> None:
        while True:
            try:
                connection = await asyncpg.connect(dsn, timeout=5)
                try:
                    await self._hear(connection, heard)
                finally:
                    self._stop_hearing()
                    connection.terminate()
            except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, TimeoutError) as fault:
                log.warning("access_listener_lost", reason=str(fault))
                await asyncio.sleep(RECONNECT_S)

    async def _hear(self, connection: "asyncpg.Connection[asyncpg.Record]", heard: asyncio.Event) -> None:
        """Listen on a connection until it is lost; a beat now and then finds one that was lost in silence."""
        lost = asyncio.Event()

        def stop(*_: object) -> None:
            self._stop_hearing()
            lost.set()

        connection.add_termination_listener(stop)
        await connection.add_listener(CHANNEL, self._forget)
        self._forget()
        self._hearing = True
        heard.set()
        while not lost.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(lost.wait(), timeout=HEARTBEAT_S)
            await connection.execute("select 1", timeout=HEARTBEAT_S)

    def _stop_hearing(self) -> None:
        self._hearing = False
        self._forget()
