"""Asking for the password again before the most dangerous steps."""

from typing import Final
from urllib.parse import urlencode

from starlette.responses import RedirectResponse, Response

from bindery.actions.access.sign_in import confirm_identity
from bindery.domain.access.users import PasswordRefused
from bindery.storage.access import users
from bindery.web.account.password_refusal import PasswordRefusal, password_refusal
from bindery.web.frame.render import page
from bindery.web.frame.visit import SEE_OTHER, Visit, is_path_of_ours

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
    refusal = None if given is None else await _confirm(visit, given)
    if given is not None and refusal is None:
        return None
    sent = tuple((name, value) for name, value in fields if name != PASSWORD_FIELD)
    return _page(visit, path, sent, refusal)


async def show_confirm(visit: Visit) -> Response:
    """Show the form."""
    return _page(visit, "/account/confirm", (("then", visit.word("then")),), None)


async def send_confirm(visit: Visit) -> Response:
    """Check the password and continue."""
    form = await visit.form()
    then = form.get("then", "")
    if refusal := await _confirm(visit, form.get(PASSWORD_FIELD, "")):
        return _page(visit, "/account/confirm", (("then", then),), refusal)
    return RedirectResponse(then if is_path_of_ours(then) else "/ops", SEE_OTHER)


async def _confirm(visit: Visit, password: str) -> PasswordRefusal | None:
    """Note that the password was given; return the refusal where it is wrong or not looked at."""
    assert visit.signed_in is not None, "the table of pages lets only users in here"
    try:
        await confirm_identity(visit.runtime, visit.signed_in, password, browser=visit.browser)
    except PasswordRefused as fault:
        return password_refusal(fault, wrong="The password is wrong.")
    return None


def _page(
    visit: Visit, to: str, fields: tuple[tuple[str, str], ...], refusal: PasswordRefusal | None
) -> Response:
    return page(
        visit,
        "account/confirm.html",
        status=refusal.status if refusal else 200,
        # A form that was sent may hold a new password.
        headers={"Cache-Control": "no-store", **(refusal.headers if refusal else {})},
        email=visit.user.email,
        to=to,
        fields=fields,
        fault=refusal.sentence if refusal else "",
    )
