from dataclasses import replace
from http import HTTPStatus
from typing import Final

from starlette.responses import RedirectResponse, Response

from bindery.actions.access.sign_in import enter_demo, hash_of, sign_in, sign_out
from bindery.domain.access.users import PasswordRefused, Role
from bindery.storage.access import users
from bindery.web.account.kept_form import NO_STORE, KeptForm, keep_form, kept_form_of, show_kept_form
from bindery.web.account.password_refusal import PasswordRefusal, password_refusal
from bindery.web.frame.render import page
from bindery.web.frame.sign_in_cookie import give_cookie, take_cookie
from bindery.web.frame.visit import SEE_OTHER, Visit, is_path_of_ours

DEMO_PEOPLE = (
    ("broker@example.com", "Bo Broker", Role.BROKER),
    ("underwriter@example.com", "Uma Underwriter", Role.UNDERWRITER),
    ("operator@example.com", "Ollie Operator", Role.OPERATOR),
)
WAITS: Final = (
    "Your sign-in has ended, and nothing has been sent yet. What you typed is kept: sign in, and send it "
    "with one more press."
)
NOT_KEPT: Final = (
    "Your sign-in has ended, and nothing was sent. Files and very long forms are not kept: after signing in, "
    "send it again from its page."
)
NOT_YOURS: Final = "Nothing was sent: the form that waited is not one of this account's."


async def show_sign_in(visit: Visit) -> Response:
    if visit.signed_in is not None:
        return RedirectResponse(_safe(visit.word("then")), SEE_OTHER)
    return _form(visit, then=visit.word("then"))


async def send_sign_in(visit: Visit) -> Response:
    form = await visit.form()
    email, then, kept = form.get("email", ""), form.get("then", ""), kept_form_of(form)
    try:
        token = await sign_in(
            visit.runtime, email=email, password=form.get("password", ""), browser=visit.browser
        )
    except PasswordRefused as fault:
        refusal = password_refusal(fault, wrong=fault.message)
        return _form(visit, then=then, kept=kept, email=email, refusal=refusal, status=refusal.status)
    return await _admitted(visit, token, then, kept)


async def send_demo(visit: Visit) -> Response:
    """Sign in as one of the demo's people with one click; no other environment has this page."""
    form = await visit.form()
    email = next((email for email, _, role in DEMO_PEOPLE if role == form.get("role")), "")
    token = await enter_demo(visit.runtime.database, visit.runtime.clock, email, visit.browser)
    return await _admitted(visit, token, form.get("then", ""), kept_form_of(form))


async def ask_to_sign_in_again(visit: Visit, *, roles: frozenset[Role], back: str) -> Response:
    """Ask a user whose sign-in has ended to sign in, and keep the form that they sent if possible."""
    kept = await keep_form(visit, roles=roles)
    status = HTTPStatus.FORBIDDEN
    return _form(visit, then=back, kept=kept, notice=WAITS if kept else NOT_KEPT, status=status)


async def send_sign_out(visit: Visit) -> Response:
    form = await visit.form()
    assert visit.signed_in is not None, "the table of pages lets only users in here"
    await sign_out(visit.runtime.database, visit.signed_in, everywhere=form.get("where") == "everywhere")
    response = RedirectResponse("/sign-in", SEE_OTHER)
    take_cookie(response, visit.runtime.settings)
    return response


async def _admitted(visit: Visit, token: str, then: str, kept: KeptForm | None) -> Response:
    """Continue to the page that the user wanted, or show the form that waits to be sent."""
    response: Response = RedirectResponse(_safe(then), SEE_OTHER)
    if kept is not None:
        now = visit.runtime.clock.real_now()
        async with visit.runtime.database.connection() as connection:
            signed_in = await users.find_signed_in(connection, hash_of(token), at=now)
        assert signed_in is not None, "the token was given just now"
        let_in = replace(visit, signed_in=signed_in)
        if kept.is_for(signed_in.user.role):
            response = show_kept_form(let_in, kept, _safe(then))
        else:
            response = await let_in.done("/", NOT_YOURS)
    give_cookie(response, token, visit.runtime.settings)
    return response


def _safe(then: str) -> str:
    return then if is_path_of_ours(then) else "/"


def _form(
    visit: Visit,
    *,
    then: str,
    kept: KeptForm | None = None,
    email: str = "",
    refusal: PasswordRefusal | None = None,
    notice: str = "",
    status: int = 200,
) -> Response:
    return page(
        visit,
        "account/sign_in.html",
        status=status,
        headers={**(NO_STORE if kept is not None else {}), **(refusal.headers if refusal else {})},
        then=then,
        kept=kept,
        email=email,
        fault=refusal.sentence if refusal else "",
        notice=notice or (WAITS if kept is not None else ""),
        people=DEMO_PEOPLE if visit.runtime.settings.is_demo else (),
    )
