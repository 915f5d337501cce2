"""A new password for somebody who forgot theirs, by a link that is mailed."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

from starlette.responses import RedirectResponse, Response

from bindery.actions.access.invite_user import sends_mail
from bindery.actions.access.mail_password_link import mail_password_link
from bindery.actions.access.set_new_password import find_user_of_link, set_new_password
from bindery.base.errors import InvalidRequest
from bindery.documents.wording import read_wording
from bindery.domain.access.users import SHORTEST_PASSWORD, LinkVoid, TooManyFailures
from bindery.domain.documents.forms import FORMS
from bindery.domain.submission.checks import is_email
from bindery.web.account.confirming import password_refusal
from bindery.web.frame.render import page
from bindery.web.frame.sign_in_cookie import take_cookie
from bindery.web.frame.visit import SEE_OTHER, Visit

PRIVATE: Final[Mapping[str, str]] = {
    "Cache-Control": "no-store",
    # The address of the page is the secret: nothing that it loads or sends names more than the host.
    "Referrer-Policy": "strict-origin",
}


async def show_forgotten(visit: Visit) -> Response:
    is_asked = visit.word("asked") == "yes"
    return await _forgotten(visit, is_asked=is_asked)


async def send_forgotten(visit: Visit) -> Response:
    email = (await visit.form()).get("email", "")
    if not await _sends_mail(visit):
        return await _forgotten(visit)
    if not is_email(email):
        status = HTTPStatus.UNPROCESSABLE_ENTITY
        return await _forgotten(visit, email=email, fault="That is not an email address.", status=status)
    try:
        await mail_password_link(visit.runtime, email=email, browser=visit.browser)
    except TooManyFailures as fault:
        refusal = password_refusal(fault, wrong=fault.message)
        return await _forgotten(
            visit, email=email, fault=fault.message, status=refusal.status, headers=refusal.headers
        )
    return RedirectResponse("/forgot-password?asked=yes", SEE_OTHER)


async def _forgotten(
    visit: Visit,
    *,
    email: str = "",
    fault: str = "",
    is_asked: bool = False,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> Response:
    sends_mail = await _sends_mail(visit)
    issuer = read_wording("issuer", FORMS.in_force(await visit.runtime.database.today()).edition)
    return page(
        visit,
        "account/forgotten.html",
        status=status,
        headers=headers,
        sends_mail=sends_mail,
        is_asked=is_asked and sends_mail,
        email=email,
        fault=fault,
        ask_at=issuer["underwriting_email"],
        ask_by=issuer["hotline"],
    )


async def _sends_mail(visit: Visit) -> bool:
    async with visit.runtime.database.reading() as tx:
        return await sends_mail(tx, visit.runtime.settings)


async def show_new_password(visit: Visit) -> Response:
    """Show the form; programs that look at links in mails open it too, so that looking uses nothing up."""
    try:
        user = await find_user_of_link(visit.runtime.database, visit.request.path_params["token"])
    except LinkVoid as fault:
        return _void(visit, fault)
    return _new_password(visit, user.email)


async def send_new_password(visit: Visit) -> Response:
    token, password = visit.request.path_params["token"], (await visit.form()).get("password", "")
    try:
        user = await set_new_password(visit.runtime, token, password)
    except LinkVoid as fault:
        return _void(visit, fault)
    except InvalidRequest as fault:
        user = await find_user_of_link(visit.runtime.database, token)
        return _new_password(visit, user.email, fault=f"The password {fault.problems[0].message}.")
    if visit.signed_in is not None and visit.user.user_id != user.user_id:
        return await visit.done("/", f"The password of {user.email} is set.")
    response = RedirectResponse("/sign-in?password=set", SEE_OTHER)
    take_cookie(response, visit.runtime.settings)
    return response


def _new_password(visit: Visit, email: str, *, fault: str = "") -> Response:
    return page(
        visit,
        "account/new_password.html",
        status=HTTPStatus.UNPROCESSABLE_ENTITY if fault else HTTPStatus.OK,
        headers=PRIVATE,
        is_void=False,
        email=email,
        fault=fault,
        shortest=SHORTEST_PASSWORD,
        address=visit.request.url.path,
    )


def _void(visit: Visit, fault: LinkVoid) -> Response:
    return page(
        visit,
        "account/new_password.html",
        status=HTTPStatus.GONE,
        headers=PRIVATE,
        is_void=True,
        fault=fault.message,
    )
