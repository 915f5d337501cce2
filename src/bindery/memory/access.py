"""Who may come in, kept in memory and forgotten the moment the database says it changed."""

from typing import Final

from bindery.storage.access import partners
from bindery.storage.access.partners import Broker, Partner
from bindery.storage.database import Database

CHANNEL: Final = "bindery_access"


class Access:
    """Answer from memory while notices are received, and from the database while they are not.

    A revoked token must be refused at once by every process. Asking the database each time would cost as
    much as the rest of a read, so answers are remembered until a notice of change arrives; while the
    listening connection is down nothing is remembered.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._watch = database.watch
        self._changes = 0
        self._partners: dict[tuple[str, str], Partner | None] = {}
        self._brokers: dict[int, dict[str, Broker]] = {}
        self._watch.on_notice(CHANNEL, self._forget)
        self._watch.on_gap(self._forget)

    async def find_partner(self, partner_key: str, token_id: str) -> Partner | None:
        asked = (partner_key, token_id)
        if self._watch.is_receiving and asked in self._partners:
            return self._partners[asked]
        changes = self._changes
        async with self._database.reading() as tx:
            partner = await partners.find_partner_of_token(tx, token_id, partner_key=partner_key)
        if partner is not None and self._may_remember(changes):
            self._partners[asked] = partner
        return partner

    async def find_broker(self, partner_id: int, email: str) -> Broker | None:
        address = email.strip().lower()
        known = self._brokers.get(partner_id) if self._watch.is_receiving else None
        # One that is not known yet may have been added a moment ago: the notice of it is still on its way.
        if known is None or address not in known:
            changes = self._changes
            async with self._database.reading() as tx:
                known = {broker.email: broker for broker in await partners.brokers_of(tx, partner_id)}
            if self._may_remember(changes):
                self._brokers[partner_id] = known
        return known.get(address)

    def _may_remember(self, changes: int) -> bool:
        """Whether what was read is still true: a change may have been announced in the meantime."""
        return self._watch.is_receiving and changes == self._changes

    def _forget(self, *_: object) -> None:
        self._changes += 1
        self._partners.clear()
        self._brokers.clear()
