"""Signing in and out."""

from http import HTTPStatus

from starlette.responses import RedirectResponse, Response

from bindery.actions.enter_demo import enter_demo
from bindery.actions.sign_in import sign_in
from bindery.actions.sign_out import sign_out
from bindery.domain.access.users import NotSignedIn, Role, TooManyFailures
from bindery.web.render import page
from bindery.web.sign_in_cookie import give_cookie, take_cookie
from bindery.web.visit import SEE_OTHER, Visit, is_path_of_ours

DEMO_PEOPLE = (
    ("broker@example.com", "Bo Broker", Role.BROKER),
    ("underwriter@example.com", "Uma Underwriter", Role.UNDERWRITER),
    ("operator@example.com", "Ollie Operator", Role.OPERATOR),
)
"""Who works in the demo; nobody there needs a password."""


async def show_sign_in(visit: Visit) -> Response:
    """Show the form; anyone already signed in is sent on."""
    if visit.signed_in is not None:
        return RedirectResponse(_safe(visit.word("then")), SEE_OTHER)
    return _form(visit, then=visit.word("then"))


async def send_sign_in(visit: Visit) -> Response:
    """Sign a user in with a password."""
    form = await visit.form()
    email, then = form.get("email", ""), form.get("then", "")
    try:
        token = await sign_in(
            visit.runtime, email=email, password=form.get("password", ""), browser=visit.browser
        )
    except NotSignedIn as fault:
        return _form(visit, then=then, email=email, fault=fault.message, status=422)
    except TooManyFailures as fault:
        return _form(visit, then=then, email=email, fault=fault.message, status=HTTPStatus.TOO_MANY_REQUESTS)
    return _admitted(visit, token, then)


async def send_demo(visit: Visit) -> Response:
    """Sign in as one of the demo's people with one click; no other environment has this page."""
    form = await visit.form()
    email = next((email for email, _, role in DEMO_PEOPLE if role == form.get("role")), "")
    token = await enter_demo(visit.runtime, email, visit.browser)
    return _admitted(visit, token, form.get("then", ""))


async def send_sign_out(visit: Visit) -> Response:
    """Sign out, here or everywhere."""
    form = await visit.form()
    assert visit.signed_in is not None, "the table of pages lets only users in here"
    await sign_out(visit.runtime, visit.signed_in, everywhere=form.get("where") == "everywhere")
    response = RedirectResponse("/sign-in", SEE_OTHER)
    take_cookie(response, visit.runtime.settings)
    return response


def _admitted(visit: Visit, token: str, then: str) -> Response:
    response = RedirectResponse(_safe(then), SEE_OTHER)
    give_cookie(response, token, visit.runtime.settings)
    return response


def _safe(then: str) -> str:
    """Return where to go next: only ever a path of ours."""
    return then if is_path_of_ours(then) else "/"


def _form(visit: Visit, *, then: str, email: str = "", fault: str = "", status: int = 200) -> Response:
    people = DEMO_PEOPLE if visit.runtime.settings.is_demo else ()
    return page(visit, "sign_in.html", status=status, then=then, email=email, fault=fault, people=people)
