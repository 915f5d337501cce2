"""The tokens and the brokers of all partners."""

from dataclasses import dataclass
from datetime import datetime

from starlette.responses import Response

from bindery.storage import partners, token_uses
from bindery.storage.token_uses import ListedToken
from bindery.web import paging
from bindery.web.render import page
from bindery.web.shown.times import Times
from bindery.web.shown.words import Moment
from bindery.web.visit import Visit


@dataclass(frozen=True, slots=True)
class ShownTokenOf:
    """A token and whose it is."""

    token_id: str
    partner: str
    address: str
    expires: Moment
    used: Moment | None
    state: str


@dataclass(frozen=True, slots=True)
class ShownBroker:
    """A broker and whose it is."""

    email: str
    firm: str
    partner: str
    since: Moment


async def show_tokens(visit: Visit) -> Response:
    """List the tokens of all partners: those in force first, by when they expire."""
    now = visit.runtime.clock.real_now()
    async with visit.runtime.database.reading() as tx:
        found = await token_uses.list_tokens(
            tx, at=now, edge=paging.edge_of(visit, str), limit=paging.ROWS + 1
        )
    shown, pager = paging.page_of(visit, found, most=paging.ROWS, key=lambda token: token.token_id)
    times = Times(visit.runtime.settings.zone, now)
    rows = tuple(
        ShownTokenOf(
            token_id=token.token_id,
            partner=token.partner_name,
            address=f"/ops/partners/{token.partner_key}",
            expires=times.on(token.expires_at),
            used=times.since(token.used_at) if token.used_at else None,
            state=_state(token, now),
        )
        for token in shown
    )
    return page(visit, "tokens.html", rows=rows, pager=pager, zone=times.zone_name)


async def show_brokers(visit: Visit) -> Response:
    """List the brokers of all partners."""
    async with visit.runtime.database.reading() as tx:
        found = await partners.page_of_brokers(
            tx, edge=paging.edge_of(visit, paging.read_number), limit=paging.ROWS + 1
        )
    shown, pager = paging.page_of(visit, found, most=paging.ROWS, key=lambda broker: broker.broker_id)
    times = Times(visit.runtime.settings.zone, tx.now)
    rows = tuple(
        ShownBroker(broker.email, broker.firm or "", broker.partner_name, times.at(broker.created_at))
        for broker in shown
    )
    return page(visit, "brokers.html", rows=rows, pager=pager, zone=times.zone_name)


def _state(token: ListedToken, now: datetime) -> str:
    if token.revoked_at is not None:
        return "revoked"
    return "expired" if token.expires_at < now else "in force"
