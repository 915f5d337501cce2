from collections.abc import Mapping, Sequence
from typing import Final

from starlette.responses import Response

from bindery.actions.access.change_user import UserChange, add_invited_user, change_role, change_user
from bindery.actions.access.invite_user import Invitation, invite_user, take_back_invitation
from bindery.actions.desk.set_authority import remove_authority, set_authority
from bindery.base.errors import InvalidRequest, NotFound, Problem
from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.access.users import Role
from bindery.domain.quote.authority import AuthorityLetter
from bindery.storage.access import partners, users
from bindery.storage.access.users import UserRecord
from bindery.storage.database import Reader
from bindery.storage.desk.authority import letters_of
from bindery.storage.list_pages import ListPage
from bindery.storage.operations import deeds
from bindery.storage.operations.deeds import Sought
from bindery.web.account.confirming import ask_to_confirm
from bindery.web.frame import paging
from bindery.web.frame.render import page
from bindery.web.frame.visit import Visit, read_number
from bindery.web.ops.deeds import NEWEST, shown_deeds
from bindery.web.ops.states_shown import marked
from bindery.web.shown.words import product_name

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
    "product": "The product",
    "limit": "The limit",
    "premium": "The premium",
    "deviation": "The deviation",
}


LETTER_FIELDS: Final = ("product", "limit", "premium", "deviation", "may_cancel", "may_set_by_hand")


async def send_user(visit: Visit) -> Response:
    if (confirm := await ask_to_confirm(visit)) is not None:
        return confirm
    form = await visit.form()
    try:
        user, invitation = await add_invited_user(
            visit.runtime,
            email=form.get("email", ""),
            name=form.get("name", ""),
            role=form.get("role", ""),
            partner=form.get("partner") or None,
            by=visit.doer,
        )
    except InvalidRequest as fault:
        return await show_users(visit, problems=fault.problems, form=form)
    return await _invited(visit, invitation, f"/ops/users/{user.user_id}")


async def send_invitation(visit: Visit) -> Response:
    """Invite a user again, or take an invitation back."""
    if (confirm := await ask_to_confirm(visit)) is not None:
        return confirm
    user_id, form = visit.path_number("user_id"), await visit.form()
    path = f"/ops/users/{user_id}"
    if form.get("change") == "take_back":
        is_new = await take_back_invitation(visit.runtime.database, user_id, by=visit.doer)
        said = "The invitation is taken back: its link works no more."
        return await visit.done(path, said if is_new else "Nothing was done: no invitation works any more.")
    try:
        invitation = await invite_user(visit.runtime, user_id, by=visit.doer)
    except InvalidRequest as fault:
        return await show_user(visit, fault=fault)
    return await _invited(visit, invitation, path)


async def _invited(visit: Visit, invitation: Invitation, path: str) -> Response:
    """Confirm that an invitation was mailed; without a mail server, show its link this once."""
    times = visit.times(visit.runtime.clock.real_now())
    until = times.at(invitation.expires_at)
    if not invitation.address:
        said = f"{invitation.email} is invited by mail; the link works once, until {until.text}."
        return await visit.done(path, said)
    return page(
        visit,
        "ops/invitation.html",
        headers={"Cache-Control": "no-store"},
        email=invitation.email,
        address=invitation.address,
        until=until,
        user_page=path,
    )


async def send_user_change(visit: Visit) -> Response:
    if (confirm := await ask_to_confirm(visit)) is not None:
        return confirm
    user_id, form = visit.path_number("user_id"), await visit.form()
    if form.get("change") not in set(UserChange):
        raise InvalidRequest("Choose what to change.")
    change = UserChange(form["change"])
    try:
        await change_user(visit.runtime, user_id, change, by=visit.doer, password=form.get("password", ""))
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
            by=visit.doer,
        )
    except InvalidRequest as fault:
        return await show_user(visit, fault=fault, form=form)
    return await visit.done(
        f"/ops/users/{user_id}",
        "Changed; the user is signed out everywhere." if is_new else "Nothing was changed.",
    )


async def send_authority(visit: Visit) -> Response:
    """Set or remove a letter of authority."""
    if (confirm := await ask_to_confirm(visit)) is not None:
        return confirm
    user_id, form = visit.path_number("user_id"), await visit.form()
    back = f"/ops/users/{user_id}#authority"
    try:
        if form.get("product") not in set(InsuranceProduct):
            raise InvalidRequest.at("product", "unknown_product", "must be one of the list")
        product = InsuranceProduct(form["product"])
        if form.get("change") == "remove":
            is_gone = await remove_authority(visit.runtime.database, user_id, product, by=visit.doer)
            return await visit.done(back, "The letter is taken away." if is_gone else "Nothing was changed.")
        amounts = _amounts(form, "limit", "premium", "deviation")
        letter = AuthorityLetter(
            product=product,
            aggregate_limit=amounts["limit"],
            premium=amounts["premium"],
            deviation=amounts["deviation"],
            may_cancel=bool(form.get("may_cancel")),
            may_set_by_hand=bool(form.get("may_set_by_hand")),
        )
        await set_authority(visit.runtime.database, user_id, letter, by=visit.doer)
    except InvalidRequest as fault:
        return await show_user(visit, fault=fault, letter_form=form)
    return await visit.done(back, f"The letter for {product_name(product)} is set.")


def _amounts(form: Mapping[str, str], *names: str) -> dict[str, int]:
    typed = {name: form.get(name, "").strip(" $%").replace(",", "") for name in names}
    read = {name: read_number(text) for name, text in typed.items()}
    if wrong := [name for name, amount in read.items() if amount is None]:
        raise InvalidRequest.because(
            [Problem(name, "bad_amount", "must be a whole number") for name in wrong]
        )
    return {name: amount for name, amount in read.items() if amount is not None}


async def show_users(
    visit: Visit, *, problems: Sequence[Problem] = (), form: Mapping[str, str] | None = None
) -> Response:
    now = visit.runtime.clock.real_now()
    cursor = paging.cursor_of(visit, read_number)

    async def read(tx: Reader) -> tuple[ListPage[UserRecord], list[str]]:
        found = await users.page_of_users(tx, cursor=cursor, limit=paging.ROWS)
        return found, await partners.first_names(tx, limit=paging.ROWS)

    found, known = await visit.runtime.database.read(read)
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
    visit: Visit,
    *,
    fault: InvalidRequest | None = None,
    form: Mapping[str, str] | None = None,
    letter_form: Mapping[str, str] | None = None,
) -> Response:
    now, user_id = visit.runtime.clock.real_now(), visit.path_number("user_id")
    async with visit.runtime.database.reading() as tx:
        found = await users.find_record(tx, user_id)
        if found is None:
            raise NotFound("There is no such user.")
        sign_ins = await users.sign_ins_of(tx, user_id, at=now)
        letters = await letters_of(tx, user_id) if found.role == Role.UNDERWRITER else []
        known = await partners.first_names(tx, limit=paging.ROWS)
        done = await deeds.newest(tx, Sought(user_id=user_id), limit=NEWEST)
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
        deeds=shown_deeds(done.rows),
        sign_ins=sign_ins,
        is_underwriter=found.role == Role.UNDERWRITER,
        letters=letters,
        letter_form=dict.fromkeys(LETTER_FIELDS, "") | dict(letter_form or {}),
        products=tuple((product, product_name(product)) for product in InsuranceProduct),
        is_letter_required=visit.runtime.rules.authority_required,
        role=given.get("role", ""),
        roles=tuple(Role),
        partner=given.get("partner", ""),
        partners=tuple(known),
    )


def _sentences(problems: Sequence[Problem]) -> tuple[str, ...]:
    return tuple(f"{LABELS[problem.path]} {problem.message}." for problem in problems)
