"""Asking for the password again before the most dangerous steps."""

from urllib.parse import urlencode, urlsplit

from starlette.responses import RedirectResponse, Response

from bindery.storage import users
from bindery.web.render import page
from bindery.web.visit import SEE_OTHER, Visit, is_path_of_ours


async def ask_to_confirm(visit: Visit) -> Response | None:
    """Return where to confirm one's identity, if that is needed; without a password nobody can."""
    if visit.is_confirmed:
        return None
    async with visit.runtime.database.reading() as tx:
        found = await users.find_by_email(tx, visit.user.email)
    if found is not None and found[1] is None:
        return None
    request = visit.request
    # A form that was sent is sent once more from the page that it is on.
    path = request.url.path if request.method == "GET" else urlsplit(request.headers.get("referer", "")).path
    return RedirectResponse(f"/account/confirm?{urlencode({'then': path or '/ops'})}", SEE_OTHER)


async def show_confirm(visit: Visit) -> Response:
    """Show the form."""
    return page(visit, "confirm.html", email=visit.user.email, then=visit.word("then"), fault="")


async def send_confirm(visit: Visit) -> Response:
    """Check the password and continue."""
    form = await visit.form()
    async with visit.runtime.database.reading() as tx:
        found = await users.find_by_email(tx, visit.user.email)
    kept = found[1] if found else None
    then = form.get("then", "")
    if not await visit.runtime.passwords.check(kept, form.get("password", "")):
        wrong = "The password is wrong."
        return page(visit, "confirm.html", status=422, then=then, email=visit.user.email, fault=wrong)
    assert visit.signed_in is not None, "the table of pages lets only users in here"
    async with visit.runtime.database.autocommit() as tx:
        await users.confirm(tx, visit.signed_in.token_sha256, at=visit.runtime.clock.real_now())
    return RedirectResponse(then if is_path_of_ours(then) else "/ops", SEE_OTHER)
