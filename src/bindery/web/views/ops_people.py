"""Partners with their brokers and tokens."""

from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from starlette.responses import Response

from bindery.actions.issue_token import issue_token
from bindery.base.errors import NotFound
from bindery.domain.access.brokerages import WHAT_A_FIRM_IS, is_firm
from bindery.domain.submission.checks import is_email
from bindery.storage import overview, partners, token_uses, webhooks
from bindery.storage.partners import Partner
from bindery.web import paging
from bindery.web.confirming import ask_to_confirm
from bindery.web.render import page
from bindery.web.shown.times import Times
from bindery.web.shown.words import Moment
from bindery.web.views.ops_traffic import shown_webhook
from bindery.web.visit import Visit

TOKEN_DAYS: Final = 365
EVENTS: Final = 20


@dataclass(frozen=True, slots=True)
class ShownPartner:
    """One partner of the list."""

    name: str
    key: str
    contact: str
    brokers: int
    tokens: int
    since: Moment


@dataclass(frozen=True, slots=True)
class ShownToken:
    """What is kept of a token."""

    token_id: str
    issued: Moment
    expires: Moment
    used: Moment | None
    state: str
    may_revoke: bool


@dataclass(frozen=True, slots=True)
class ShownEvent:
    """One thing that a partner was told."""

    at: Moment
    what: str
    journal: str


async def send_partner(visit: Visit) -> Response:
    """Add a partner."""
    form = await visit.form()
    name, contact = form.get("name", ""), form.get("contact", "")
    problems = []
    if not name:
        problems.append("The name is required.")
    if contact and not is_email(contact):
        problems.append("The contact must be an e-mail address.")
    if problems:
        return await show_partners(visit, faults=tuple(problems), name=name, contact=contact)
    async with visit.runtime.database.transaction() as tx:
        partner = await partners.add_partner(tx, name, contact=contact or None)
    return await visit.done(
        f"/ops/partners/{partner.key}", f"Partner {partner.name} has the key {partner.key}."
    )


async def send_broker(visit: Visit) -> Response:
    """Add a broker of record."""
    partner = await _find(visit)
    form = await visit.form()
    email, firm = form.get("email", ""), form.get("firm", "")
    if not is_email(email):
        return await show_partner(visit, fault="The broker needs an e-mail address.")
    if firm and not is_firm(firm):
        return await show_partner(visit, fault=WHAT_A_FIRM_IS)
    async with visit.runtime.database.transaction() as tx:
        await partners.add_broker(tx, partner, email, firm=firm or None)
    return await visit.done(f"/ops/partners/{partner.key}", f"{email.lower()} is a broker of {partner.name}.")


async def send_token(visit: Visit) -> Response:
    """Issue a token and show it this once."""
    partner = await _find(visit)
    if (confirm := await ask_to_confirm(visit)) is not None:
        return confirm
    token = await issue_token(visit.runtime, partner, days=TOKEN_DAYS)
    return page(
        visit,
        "token.html",
        headers={"Cache-Control": "no-store"},
        partner=partner.name,
        key=partner.key,
        token=token,
        days=TOKEN_DAYS,
        url=visit.runtime.settings.base_url,
    )


async def send_revocation(visit: Visit) -> Response:
    """Revoke a token, from this moment on."""
    partner = await _find(visit)
    token_id = (await visit.form()).get("token_id", "")
    async with visit.runtime.database.transaction() as tx:
        done = await partners.revoke_token(tx, token_id, at=visit.runtime.clock.real_now())
    if not done:
        raise NotFound("There is no such token.")
    return await visit.done(f"/ops/partners/{partner.key}", f"Token {token_id} is revoked.")


async def _find(visit: Visit) -> Partner:
    async with visit.runtime.database.reading() as tx:
        found = await partners.find_partner_by_key(tx, visit.request.path_params["key"])
    if found is None:
        raise NotFound("There is no such partner.")
    return found


async def show_partners(
    visit: Visit, *, faults: tuple[str, ...] = (), name: str = "", contact: str = ""
) -> Response:
    """List the partners."""
    now = visit.runtime.clock.real_now()
    async with visit.runtime.database.reading() as tx:
        found = await partners.page_of_partners(
            tx, at=now, edge=paging.edge_of(visit, str), limit=paging.ROWS + 1
        )
    shown, pager = paging.page_of(visit, found, most=paging.ROWS, key=lambda partner: partner.key)
    times = Times(visit.runtime.settings.zone, now)
    rows = tuple(
        ShownPartner(
            partner.name,
            partner.key,
            partner.contact or "",
            partner.brokers,
            partner.tokens,
            times.at(partner.created_at),
        )
        for partner in shown
    )
    status = HTTPStatus.UNPROCESSABLE_ENTITY if faults else HTTPStatus.OK
    return page(
        visit,
        "partners.html",
        status=status,
        rows=rows,
        pager=pager,
        faults=faults,
        name=name,
        contact=contact,
    )


async def show_partner(visit: Visit, *, fault: str = "") -> Response:
    """Show one partner with its brokers and tokens."""
    partner = await _find(visit)
    now = visit.runtime.clock.real_now()
    async with visit.runtime.database.reading() as tx:
        brokers = await partners.list_brokers(tx, partner.partner_id)
        tokens = await partners.list_tokens(tx, partner.partner_id)
        uses = await token_uses.last_uses(tx, partner.partner_id)
        endpoints = await overview.webhooks_of(tx, partner.partner_id)
        told = await overview.newest_events(tx, partner.partner_id, limit=EVENTS)
        contact = await webhooks.contact_of(tx, partner.partner_id)
    # Events follow business time, tokens the real one.
    business = Times(visit.runtime.settings.zone, tx.now)
    times = Times(visit.runtime.settings.zone, now)
    return page(
        visit,
        "partner.html",
        status=422 if fault else 200,
        fault=fault,
        name=partner.name,
        key=partner.key,
        contact=contact or "",
        webhooks=tuple(shown_webhook(endpoint, business) for endpoint in endpoints),
        events=tuple(ShownEvent(business.at(at), what, f"/ops/journal/{quote}") for at, what, quote in told),
        zone=business.zone_name,
        brokers=tuple(", ".join(part for part in (broker.email, broker.firm) if part) for broker in brokers),
        tokens=tuple(
            ShownToken(
                token_id=token.token_id,
                issued=times.on(token.issued_at),
                expires=times.on(token.expires_at),
                used=times.since(uses[token.token_id]) if token.token_id in uses else None,
                state="revoked" if token.revoked_at else "expired" if token.expires_at < now else "in force",
                may_revoke=token.revoked_at is None,
            )
            for token in tokens
        ),
    )
