"""Asking for the password again before the most dangerous steps."""

from typing import Final
from urllib.parse import urlencode

from starlette.responses import RedirectResponse, Response

from bindery.actions.confirm_identity import confirm_identity
from bindery.domain.access.users import NotSignedIn, TooManyFailures
from bindery.storage import users
from bindery.web.render import page
from bindery.web.visit import SEE_OTHER, Visit, is_path_of_ours

PASSWORD_FIELD: Final = "confirm_password"  # noqa: S105 - the name of a field
"""The field that a form carries along when it is sent on from the page that asks."""


async def ask_to_confirm(visit: Visit) -> Response | None:
    """Return the page that asks for the password, if that is needed; without a password nobody can.

    A form that was sent stands in that page, and is sent on with the password: nothing is typed twice.
    """
    if visit.is_confirmed:
        return None
    async with visit.runtime.database.reading() as tx:
        found = await users.find_by_email(tx, visit.user.email)
    if found is not None and found[1] is None:
        return None
    path = visit.request.url.path
    if visit.request.method == "GET":
        return RedirectResponse(f"/account/confirm?{urlencode({'then': path})}", SEE_OTHER)
    fields = await visit.form_fields()
    given = dict(fields).get(PASSWORD_FIELD)
    fault = "" if given is None else await _confirm(visit, given)
    if given is not None and not fault:
        return None
    sent = tuple((name, value) for name, value in fields if name != PASSWORD_FIELD)
    return _page(visit, path, sent, fault)


async def show_confirm(visit: Visit) -> Response:
    """Show the form."""
    return _page(visit, "/account/confirm", (("then", visit.word("then")),), "")


async def send_confirm(visit: Visit) -> Response:
    """Check the password and continue."""
    form = await visit.form()
    then = form.get("then", "")
    if fault := await _confirm(visit, form.get(PASSWORD_FIELD, "")):
        return _page(visit, "/account/confirm", (("then", then),), fault)
    return RedirectResponse(then if is_path_of_ours(then) else "/ops", SEE_OTHER)


async def _confirm(visit: Visit, password: str) -> str:
    """Note that the password was given; return why not where it is wrong."""
    assert visit.signed_in is not None, "the table of pages lets only users in here"
    try:
        await confirm_identity(visit.runtime, visit.signed_in, password, address=visit.browser.address)
    except TooManyFailures as fault:
        return fault.message
    except NotSignedIn:
        return "The password is wrong."
    return ""


def _page(visit: Visit, to: str, fields: tuple[tuple[str, str], ...], fault: str) -> Response:
    return page(
        visit,
        "confirm.html",
        status=422 if fault else 200,
        # A form that was sent may hold a new password.
        headers={"Cache-Control": "no-store"},
        email=visit.user.email,
        to=to,
        fields=fields,
        fault=fault,
    )
