from collections.abc import Mapping, Sequence
from datetime import datetime
from http import HTTPStatus
from typing import Final

from starlette.responses import Response

from bindery.actions.access.add_partner import add_broker, add_partner, remove_broker
from bindery.actions.access.issue_token import issue_token, revoke_token
from bindery.base.errors import ChangedMeanwhile, InvalidRequest, NotFound, Problem
from bindery.base.ids import short_key
from bindery.memory import request_counts
from bindery.storage.access import partners
from bindery.storage.access.partners import ListedBroker, Partner
from bindery.storage.database import Reader
from bindery.storage.list_pages import ListPage
from bindery.storage.operations import deeds, overview
from bindery.storage.operations.deeds import Sought
from bindery.storage.webhooks import webhooks
from bindery.web.account.confirming import ask_to_confirm
from bindery.web.frame import paging
from bindery.web.frame.render import page
from bindery.web.frame.visit import Visit, read_number
from bindery.web.ops.deeds import NEWEST, shown_deeds
from bindery.web.ops.states_shown import marked, partner_standing, token_state, token_use
from bindery.web.ops.webhooks import shown_webhook


async def show_tokens(visit: Visit) -> Response:
    now = visit.runtime.clock.real_now()
    async with visit.runtime.database.reading() as tx:
        found = await request_counts.list_tokens(
            tx, at=now, cursor=paging.cursor_of(visit, str), limit=paging.ROWS
        )
    return page(
        visit,
        "ops/tokens.html",
        rows=found.rows,
        pager=paging.pager_of(visit, found),
        state_of=token_state,
        use_of=token_use,
        times=visit.times(now),
    )


async def show_brokers(visit: Visit) -> Response:
    cursor = paging.cursor_of(visit, read_number)

    async def read(tx: Reader) -> tuple[ListPage[ListedBroker], datetime]:
        return await partners.page_of_brokers(tx, cursor=cursor, limit=paging.ROWS), tx.now

    found, now = await visit.runtime.database.read(read)
    return page(
        visit,
        "ops/brokers.html",
        rows=found.rows,
        pager=paging.pager_of(visit, found),
        times=visit.times(now),
    )


TOKEN_DAYS: Final = 365
LONGEST_LIFE_DAYS: Final = 3_650
LONGEST_LABEL: Final = 60
EVENTS: Final = 20


async def send_partner(visit: Visit) -> Response:
    form = await visit.form()
    name, contact = form.get("name", ""), form.get("contact", "")
    try:
        partner = await add_partner(
            visit.runtime.database, name, contact=contact or None, may_exist=False, by=visit.doer
        )
    except InvalidRequest as fault:
        return await show_partners(visit, problems=fault.problems, name=name, contact=contact)
    return await visit.done(
        f"/ops/partners/{partner.key}", f"Partner {partner.name} has the key {partner.key}."
    )


async def send_contact(visit: Visit) -> Response:
    partner = await _find(visit)
    form = await visit.form()
    contact = form.get("contact", "")
    try:
        await add_partner(
            visit.runtime.database, partner.name, contact=contact, may_exist=True, by=visit.doer
        )
    except InvalidRequest as fault:
        return await show_partner(visit, _sentences(fault.problems), problems=fault.problems, form=form)
    return await visit.done(f"/ops/partners/{partner.key}", f"The contact is {contact}.")


async def send_broker(visit: Visit) -> Response:
    partner = await _find(visit)
    form = await visit.form()
    email, firm = form.get("email", ""), form.get("firm", "")
    try:
        await add_broker(visit.runtime.database, partner, email, firm=firm or None, by=visit.doer)
    except InvalidRequest as fault:
        faults = tuple(problem.message for problem in fault.problems)
        return await show_partner(visit, faults, problems=fault.problems, form=form)
    return await visit.done(f"/ops/partners/{partner.key}", f"{email.lower()} is a broker of {partner.name}.")


async def send_removal(visit: Visit) -> Response:
    partner = await _find(visit)
    email = (await visit.form()).get("email", "")
    is_new = await remove_broker(visit.runtime.database, partner, email, by=visit.doer)
    said = (
        f"{email} is removed: nothing new comes through this broker; what is on record stays."
        if is_new
        else f"Nothing was done: {email} is no broker of {partner.name} any more."
    )
    return await visit.done(f"/ops/partners/{partner.key}", said)


async def send_token(visit: Visit) -> Response:
    partner = await _find(visit)
    if (confirm := await ask_to_confirm(visit)) is not None:
        return confirm
    form = await visit.form()
    days, label = read_number(form.get("days", str(TOKEN_DAYS))), form.get("label", "")
    faults = [
        *(() if days and days <= LONGEST_LIFE_DAYS else (f"A token lasts 1 to {LONGEST_LIFE_DAYS:,} days.",)),
        *(() if len(label) <= LONGEST_LABEL else (f"A label has at most {LONGEST_LABEL} characters.",)),
    ]
    if faults or days is None:
        return await show_partner(visit, faults, form=form)
    try:
        token = await issue_token(
            visit.runtime.database,
            visit.runtime.clock,
            visit.runtime.settings,
            visit.runtime.secret,
            partner,
            days=days,
            token_id=form.get("token_id"),
            label=label,
            by=visit.doer,
        )
    except ChangedMeanwhile as fault:
        # The page was loaded again, or its button pressed twice.
        return await visit.done(f"/ops/partners/{partner.key}", fault.message)
    return page(
        visit,
        "ops/token.html",
        headers={"Cache-Control": "no-store"},
        partner=partner.name,
        key=partner.key,
        token=token,
        days=days,
        url=visit.runtime.settings.base_url,
    )


async def send_revocation(visit: Visit) -> Response:
    partner = await _find(visit)
    token_id = (await visit.form()).get("token_id", "")
    await revoke_token(visit.runtime.database, visit.runtime.clock, token_id, by=visit.doer)
    return await visit.done(f"/ops/partners/{partner.key}", f"Token {token_id} is revoked.")


async def _find(visit: Visit) -> Partner:
    async with visit.runtime.database.reading() as tx:
        found = await partners.find_partner_by_key(tx, visit.request.path_params["key"])
    if found is None:
        raise NotFound("There is no such partner.")
    return found


async def show_partners(
    visit: Visit, *, problems: Sequence[Problem] = (), name: str = "", contact: str = ""
) -> Response:
    now = visit.runtime.clock.real_now()
    async with visit.runtime.database.reading() as tx:
        found = await partners.page_of_partners(
            tx, at=now, cursor=paging.cursor_of(visit, str), limit=paging.ROWS
        )
        same_name = await partners.find_partner(tx, name) if problems else None
    status = HTTPStatus.UNPROCESSABLE_ENTITY if problems else HTTPStatus.OK
    return page(
        visit,
        "ops/partners.html",
        status=status,
        times=visit.times(now),
        rows=found.rows,
        pager=paging.pager_of(visit, found),
        faults=_sentences(problems),
        wrong=marked(problems),
        same_name=same_name,
        name=name,
        contact=contact,
    )


async def show_partner(
    visit: Visit,
    faults: Sequence[str] = (),
    *,
    problems: Sequence[Problem] = (),
    form: Mapping[str, str] | None = None,
) -> Response:
    partner = await _find(visit)
    now = visit.runtime.clock.real_now()
    async with visit.runtime.database.reading() as tx:
        brokers = await partners.list_brokers(tx, partner.partner_id)
        tokens = await partners.list_tokens(tx, partner.partner_id)
        uses = await request_counts.last_uses(tx, partner.partner_id)
        endpoints = await overview.webhooks_of(tx, partner.partner_id)
        events = await overview.newest_events(tx, partner.partner_id, limit=EVENTS)
        contact = await partners.own_contact_of(tx, partner.partner_id)
        done = await deeds.newest(tx, Sought(partner_id=partner.partner_id), limit=NEWEST)
        notified_of_webhooks = await webhooks.contact_of(tx, partner.partner_id)
    # Events follow business time, tokens the real one.
    business, times = visit.times(tx.now), visit.times(now)
    shown = tuple(shown_webhook(endpoint, business) for endpoint in endpoints)
    given = form or {}
    return page(
        visit,
        "ops/partner.html",
        status=422 if faults else 200,
        faults=faults,
        wrong=marked(problems),
        partner=partner,
        standing=partner_standing(
            [token_state(token, times) for token in tokens],
            sum(broker.removed_at is None for broker in brokers),
            [hook.standing for hook in shown],
        ),
        contact=contact or "",
        typed_contact=given.get("contact", contact or ""),
        email=given.get("email", ""),
        firm=given.get("firm", ""),
        notified_of_webhooks=notified_of_webhooks or "",
        business=business,
        times=times,
        webhooks=shown,
        deeds=shown_deeds(done.rows),
        events=events,
        brokers=tuple(
            (", ".join(part for part in (broker.email, broker.firm) if part), broker)
            for broker in brokers
            if broker.removed_at is None
        ),
        removed=tuple(broker for broker in brokers if broker.removed_at is not None),
        tokens=tokens,
        uses=uses,
        state_of=token_state,
        use_of=token_use,
        days=given.get("days", str(TOKEN_DAYS)),
        label=given.get("label", ""),
        most_days=LONGEST_LIFE_DAYS,
        longest_label=LONGEST_LABEL,
        new_token_id=short_key(visit.runtime.database.rng),
    )


def _sentences(problems: Sequence[Problem]) -> tuple[str, ...]:
    return tuple(f"The {problem.path} {problem.message}." for problem in problems)
