"""A user's own account: password, appearance, and where one is signed in."""

from collections.abc import Mapping
from typing import Final

from starlette.responses import RedirectResponse, Response

from bindery.actions.access.change_user import change_appearance, change_password
from bindery.actions.access.sign_in import check_password
from bindery.base.errors import InvalidRequest
from bindery.domain.access.users import PasswordRefused
from bindery.storage.access import users
from bindery.web.account.password_refusal import password_refusal
from bindery.web.frame.render import page
from bindery.web.frame.sign_in_cookie import take_cookie
from bindery.web.frame.visit import SEE_OTHER, Visit

SCHEMES: Final[Mapping[str, str]] = {"system": "As my device", "light": "Light", "dark": "Dark"}


async def send_scheme(visit: Visit) -> Response:
    """Keep whether pages are light or dark."""
    scheme = (await visit.form()).get("scheme", "")
    if scheme in SCHEMES:
        await change_appearance(visit.runtime.database, visit.user, scheme=scheme)
    return await visit.done("/account", "Saved.")


async def send_keys(visit: Visit) -> Response:
    """Keep whether single keys do something."""
    has_keys = (await visit.form()).get("has_keys") == "yes"
    await change_appearance(visit.runtime.database, visit.user, has_keys=has_keys)
    return await visit.done("/account", "Keys are on." if has_keys else "Keys are off.")


async def send_password(visit: Visit) -> Response:
    """Change the password, which signs the user out everywhere."""
    form = await visit.form()
    async with visit.runtime.database.reading() as tx:
        found = await users.find_by_email(tx, visit.user.email)
    kept = found[1] if found else None
    try:
        if kept is not None:
            await check_password(
                visit.runtime,
                email=visit.user.email,
                password=form.get("current", ""),
                browser=visit.browser,
            )
        await change_password(visit.runtime, visit.user, form.get("password", ""))
    except PasswordRefused as fault:
        refusal = password_refusal(fault, wrong="The current password is wrong.")
        return await show_account(
            visit, fault=refusal.sentence, status=refusal.status, headers=refusal.headers
        )
    except InvalidRequest as fault:
        sentence = f"The new password {fault.problems[0].message}."
        return await show_account(visit, fault=sentence, status=422)
    response = RedirectResponse("/sign-in", SEE_OTHER)
    take_cookie(response, visit.runtime.settings)
    return response


async def show_account(
    visit: Visit, *, fault: str = "", status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Show the account."""
    now = visit.runtime.clock.real_now()
    async with visit.runtime.database.reading() as tx:
        found = await users.sign_ins_of(tx, visit.user.user_id, at=now)
        account = await users.find_by_email(tx, visit.user.email)
    assert visit.signed_in is not None, "the table of pages lets only users in here"
    return page(
        visit,
        "account/account.html",
        status=status,
        headers=headers,
        email=visit.user.email,
        scheme=visit.user.scheme,
        has_keys=visit.user.has_keys,
        schemes=tuple(SCHEMES.items()),
        has_password=account is not None and account[1] is not None,
        fault=fault,
        times=visit.times(now),
        sign_ins=found,
        this=visit.signed_in.token_sha256,
    )
