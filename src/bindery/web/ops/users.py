from collections.abc import Mapping, Sequence
from typing import Final

from starlette.responses import Response

from bindery.actions.access.change_user import UserChange, add_user, change_role, change_user
from bindery.base.errors import InvalidRequest, NotFound, Problem
from bindery.domain.access.users import Role
from bindery.storage.access import partners, users
from bindery.web.account.confirming import ask_to_confirm
from bindery.web.frame import paging
from bindery.web.frame.render import page
from bindery.web.frame.visit import Visit, read_number
from bindery.web.ops.states_shown import marked

DONE: Final[Mapping[UserChange, str]] = {
    UserChange.SIGN_OUT: "Signed out everywhere.",
    UserChange.DISABLE: "Disabled, and signed out everywhere.",
    UserChange.ENABLE: "Enabled again.",
    UserChange.RESET: "The password is set; the user is signed out everywhere.",
    UserChange.TWO_STEP_OFF: "Two-step sign-in is off; the user is signed out everywhere and told by mail.",
}

LABELS: Final[Mapping[str, str]] = {
    "email": "The address",
    "name": "The name",
    "role": "The role",
    "partner": "The partner",
    "password": "The password",
}


async def send_user(visit: Visit) -> Response:
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
        return await show_users(visit, problems=fault.problems, form=form)
    return await visit.done("/ops/users", f"{user.email} can sign in.")


async def send_user_change(visit: Visit) -> Response:
    if (confirm := await ask_to_confirm(visit)) is not None:
        return confirm
    user_id, form = visit.path_number("user_id"), await visit.form()
    if form.get("change") not in set(UserChange):
        raise InvalidRequest("Choose what to change.")
    change = UserChange(form["change"])
    try:
        await change_user(
            visit.runtime, user_id, change, by=visit.user.user_id, password=form.get("password", "")
        )
    except InvalidRequest as fault:
        return await show_user(visit, fault=fault)
    return await visit.done(f"/ops/users/{user_id}", DONE[change])


async def send_role(visit: Visit) -> Response:
    if (confirm := await ask_to_confirm(visit)) is not None:
        return confirm
    user_id, form = visit.path_number("user_id"), await visit.form()
    try:
        is_new = await change_role(
            visit.runtime.database,
            user_id,
            role=form.get("role", ""),
            partner=form.get("partner") or None,
            by=visit.user.user_id,
        )
    except InvalidRequest as fault:
        return await show_user(visit, fault=fault, form=form)
    return await visit.done(
        f"/ops/users/{user_id}",
        "Changed; the user is signed out everywhere." if is_new else "Nothing was changed.",
    )


async def show_users(
    visit: Visit, *, problems: Sequence[Problem] = (), form: Mapping[str, str] | None = None
) -> Response:
    now = visit.runtime.clock.real_now()
    async with visit.runtime.database.reading() as tx:
        found = await users.page_of_users(tx, cursor=paging.cursor_of(visit, read_number), limit=paging.ROWS)
        known = await partners.first_names(tx, limit=paging.ROWS)
    given = form or {}
    faults = _sentences(problems)
    return page(
        visit,
        "ops/users.html",
        status=422 if faults else 200,
        faults=faults,
        wrong=marked(problems),
        email=given.get("email", ""),
        name=given.get("name", ""),
        role=given.get("role", ""),
        roles=tuple(Role),
        partner=given.get("partner", ""),
        partners=tuple(known),
        pager=paging.pager_of(visit, found),
        times=visit.times(now),
        rows=found.rows,
    )


async def show_user(
    visit: Visit, *, fault: InvalidRequest | None = None, form: Mapping[str, str] | None = None
) -> Response:
    now, user_id = visit.runtime.clock.real_now(), visit.path_number("user_id")
    async with visit.runtime.database.reading() as tx:
        found = await users.find_record(tx, user_id)
        if found is None:
            raise NotFound("There is no such user.")
        sign_ins = await users.sign_ins_of(tx, user_id, at=now)
        known = await partners.first_names(tx, limit=paging.ROWS)
    given = form or {"role": found.role, "partner": found.partner_name or ""}
    return page(
        visit,
        "ops/user.html",
        status=422 if fault else 200,
        times=visit.times(now),
        faults=(_sentences(fault.problems) or (fault.message,)) if fault else (),
        wrong=marked(fault.problems if fault else ()),
        address=f"/ops/users/{user_id}",
        user=found,
        does=f"{found.role} of {found.partner_name}" if found.partner_name else found.role,
        is_me=user_id == visit.user.user_id,
        sign_ins=sign_ins,
        role=given.get("role", ""),
        roles=tuple(Role),
        partner=given.get("partner", ""),
        partners=tuple(known),
    )


def _sentences(problems: Sequence[Problem]) -> tuple[str, ...]:
    return tuple(f"{LABELS[problem.path]} {problem.message}." for problem in problems)
