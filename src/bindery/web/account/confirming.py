"""Asking for the password again before the most dangerous steps."""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final
from urllib.parse import urlencode

from starlette.responses import RedirectResponse, Response

from bindery.actions.access.sign_in import confirm_identity
from bindery.domain.access.users import FAILURES_COUNT_FOR, PasswordRefused, TooManyFailures, TooManyPasswords
from bindery.storage.access import users
from bindery.web.frame.render import page
from bindery.web.frame.visit import SEE_OTHER, Visit, is_path_of_ours

TRY_AGAIN_AFTER_S: Final = 5
PASSWORD_FIELD: Final = "confirm_password"  # noqa: S105 - the name of a field
"""The field that holds the password when a form is sent again from the page that asks for it."""


@dataclass(frozen=True, slots=True)
class PasswordRefusal:
    sentence: str
    status: int
    headers: Mapping[str, str]


def password_refusal(fault: PasswordRefused, *, wrong: str) -> PasswordRefusal:
    """Return the answer to a refused password; `wrong` is the page's sentence for a wrong one."""
    match fault:
        case TooManyFailures():
            wait_s = int(FAILURES_COUNT_FOR.total_seconds())
            status = HTTPStatus.TOO_MANY_REQUESTS
            return PasswordRefusal(fault.message, status, {"Retry-After": str(wait_s)})
        case TooManyPasswords():
            status = HTTPStatus.SERVICE_UNAVAILABLE
            return PasswordRefusal(fault.message, status, {"Retry-After": str(TRY_AGAIN_AFTER_S)})
        case _:
            return PasswordRefusal(wrong, HTTPStatus.UNPROCESSABLE_ENTITY, {})


async def ask_to_confirm(visit: Visit) -> Response | None:
    """Return the page that asks for the password if that is needed; a user without a password is let through.

    The page carries the form that was sent and sends it again with the password: nothing is typed twice.
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
    return _page(visit, "/account/confirm", (("then", visit.word("then")),), None)


async def send_confirm(visit: Visit) -> Response:
    form = await visit.form()
    then = form.get("then", "")
    if refusal := await _confirm(visit, form.get(PASSWORD_FIELD, "")):
        return _page(visit, "/account/confirm", (("then", then),), refusal)
    return RedirectResponse(then if is_path_of_ours(then) else "/ops", SEE_OTHER)


async def _confirm(visit: Visit, password: str) -> PasswordRefusal | None:
    try:
        await confirm_identity(visit.runtime, visit.sign_in, password, browser=visit.browser)
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
