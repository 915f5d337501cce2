"""Partners with their brokers and tokens, and the users of the platform."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from starlette.responses import Response

from bindery.actions.add_user import add_user
from bindery.actions.issue_token import issue_token
from bindery.base.errors import InvalidRequest, NotFound, Problem
from bindery.domain.access.users import Role
from bindery.domain.submission.checks import is_email
from bindery.storage import partners, users
from bindery.storage.partners import Partner
from bindery.web.confirming import ask_to_confirm
from bindery.web.render import page
from bindery.web.shown.times import Times
from bindery.web.shown.words import Moment
from bindery.web.visit import Visit

TOKEN_DAYS: Final = 365


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
    state: str
    may_revoke: bool


@dataclass(frozen=True, slots=True)
class ShownUser:
    """One user of the list."""

    user_id: int
    email: str
    name: str
    role: str
    partner: str
    seen: Moment | None
    is_disabled: bool
    is_me: bool


async def show_partners(visit: Visit) -> Response:
    """List the partners."""
    return await _partners(visit)


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
        return await _partners(visit, faults=tuple(problems), name=name, contact=contact)
    async with visit.runtime.database.transaction() as tx:
        partner = await partners.add_partner(tx, name, contact=contact or None)
    return await visit.done(
        f"/ops/partners/{partner.key}", f"Partner {partner.name} has the key {partner.key}."
    )


async def show_partner(visit: Visit) -> Response:
    """Show one partner with its brokers and tokens."""
    return await _partner(visit, await _find(visit))


async def send_broker(visit: Visit) -> Response:
    """Add a broker of record."""
    partner = await _find(visit)
    email = (await visit.form()).get("email", "")
    if not is_email(email):
        return await _partner(visit, partner, fault="The broker needs an e-mail address.")
    async with visit.runtime.database.transaction() as tx:
        await partners.add_broker(tx, partner, email)
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


async def show_users(visit: Visit) -> Response:
    """List the users."""
    return await _users(visit)


async def send_user(visit: Visit) -> Response:
    """Add a user."""
    if (confirm := await ask_to_confirm(visit)) is not None:
        return confirm
    form = await visit.form()
    try:
        user = await add_user(
            visit.runtime,
            email=form.get("email", ""),
            name=form.get("name", ""),
            role=form.get("role", ""),
            partner=form.get("partner") or None,
            password=form.get("password", ""),
        )
    except InvalidRequest as fault:
        return await _users(visit, problems=fault.problems, form=form)
    return await visit.done("/ops/users", f"{user.email} can sign in.")


async def send_user_change(visit: Visit) -> Response:
    """Disable or enable a user, or sign one out everywhere."""
    if (confirm := await ask_to_confirm(visit)) is not None:
        return confirm
    user_id = visit.path_number("user_id")
    if user_id == visit.user.user_id:
        raise InvalidRequest.because([Problem("", "own_account", "You cannot disable your own account.")])
    what = (await visit.form()).get("change", "")
    async with visit.runtime.database.transaction() as tx:
        if what == "sign_out":
            await users.sign_out_everywhere(tx, user_id)
        else:
            at = visit.runtime.clock.real_now() if what == "disable" else None
            await users.set_disabled(tx, user_id, at=at)
    said = {"sign_out": "Signed out everywhere.", "disable": "Disabled, and signed out everywhere."}
    return await visit.done("/ops/users", said.get(what, "Enabled again."))


async def _find(visit: Visit) -> Partner:
    async with visit.runtime.database.reading() as tx:
        found = await partners.find_partner_by_key(tx, visit.request.path_params["key"])
    if found is None:
        raise NotFound("There is no such partner.")
    return found


async def _partners(
    visit: Visit, *, faults: tuple[str, ...] = (), name: str = "", contact: str = ""
) -> Response:
    now = visit.runtime.clock.real_now()
    async with visit.runtime.database.reading() as tx:
        found = await partners.list_partners(tx, at=now)
    times = Times(visit.runtime.settings.zone, now)
    rows = tuple(
        ShownPartner(one.name, one.key, one.contact or "", one.brokers, one.tokens, times.at(one.created_at))
        for one in found
    )
    status = HTTPStatus.UNPROCESSABLE_ENTITY if faults else HTTPStatus.OK
    return page(visit, "partners.html", status=status, rows=rows, faults=faults, name=name, contact=contact)


async def _partner(visit: Visit, partner: Partner, *, fault: str = "") -> Response:
    now = visit.runtime.clock.real_now()
    async with visit.runtime.database.reading() as tx:
        brokers = await partners.list_brokers(tx, partner.partner_id)
        tokens = [one for one in await partners.list_tokens(tx) if one.partner_name == partner.name]
    times = Times(visit.runtime.settings.zone, now)
    return page(
        visit,
        "partner.html",
        status=422 if fault else 200,
        fault=fault,
        name=partner.name,
        key=partner.key,
        brokers=tuple(one.email for one in brokers),
        tokens=tuple(
            ShownToken(
                token_id=one.token_id,
                issued=times.at(one.issued_at),
                expires=times.at(one.expires_at),
                state="revoked" if one.revoked_at else "expired" if one.expires_at < now else "in force",
                may_revoke=one.revoked_at is None,
            )
            for one in tokens
        ),
    )


async def _users(
    visit: Visit, *, problems: Sequence[Problem] = (), form: Mapping[str, str] | None = None
) -> Response:
    now = visit.runtime.clock.real_now()
    async with visit.runtime.database.reading() as tx:
        found = await users.list_users(tx)
        known = await partners.list_partners(tx, at=now)
    times = Times(visit.runtime.settings.zone, now)
    given = form or {}
    faults = tuple(f"{problem.path} {problem.message}" for problem in problems)
    return page(
        visit,
        "users.html",
        status=422 if faults else 200,
        faults=faults,
        email=given.get("email", ""),
        name=given.get("name", ""),
        role=given.get("role", ""),
        roles=tuple(Role),
        partners=tuple(one.name for one in known),
        rows=tuple(
            ShownUser(
                user_id=one.user_id,
                email=one.email,
                name=one.name,
                role=one.role,
                partner=one.partner_name or "",
                seen=times.since(one.seen_at) if one.seen_at else None,
                is_disabled=one.disabled_at is not None,
                is_me=one.user_id == visit.user.user_id,
            )
            for one in found
        ),
    )
