"""Two-step sign-in on the account's pages: setting up an app, recovery codes, turning it off."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Final

import segno
from markupsafe import Markup
from starlette.responses import RedirectResponse, Response

from bindery.actions.access.sign_in import check_password
from bindery.actions.access.turn_off_two_step import turn_off_two_step
from bindery.actions.access.turn_on_two_step import begin_two_step, renew_recovery_codes, turn_on_two_step
from bindery.base.errors import InvalidRequest, WrongState
from bindery.domain.access.two_step import app_address, in_groups, in_letters, owner_of_secret
from bindery.domain.access.users import PasswordRefused
from bindery.storage.access import two_step, users
from bindery.web.account.confirming import PasswordRefusal, ask_to_confirm, password_refusal
from bindery.web.frame.render import page
from bindery.web.frame.visit import SEE_OTHER, Visit

HERE: Final = "/account/two-step"
PRIVATE: Final[Mapping[str, str]] = {"Cache-Control": "no-store"}


def drawn(address: str) -> Markup:
    """Return a code to scan, as a picture within the page; dark on light in every color scheme."""
    picture = segno.make(address, error="m", micro=False).svg_inline(
        scale=5, dark="#12263f", light="#ffffff", svgclass=None, lineclass=None
    )
    return Markup(picture)  # noqa: S704 - drawn here; nothing that somebody typed is text of it


async def show_two_step(visit: Visit, refusal: PasswordRefusal | None = None) -> Response:
    """Show the app to set up, after the password, or what is on."""
    now = visit.runtime.clock.real_now()
    async with visit.runtime.database.reading() as tx:
        kept = await two_step.find(tx, visit.user.user_id)
        account = await users.find_by_email(tx, visit.user.email)
    if kept is None:
        return RedirectResponse("/account", SEE_OTHER)
    letters = picture = ""
    if kept.confirmed_at is None:
        if (confirm := await ask_to_confirm(visit)) is not None:
            return confirm
        secret = visit.runtime.sealer.open(kept.sealed, owner=owner_of_secret(visit.user.user_id))
        letters, picture = in_letters(secret), drawn(app_address(secret, visit.user.email))
    return page(
        visit,
        "account/two_step.html",
        status=refusal.status if refusal else HTTPStatus.OK,
        headers={**PRIVATE, **(refusal.headers if refusal else {})},
        email=visit.user.email,
        has_password=account is not None and account[1] is not None,
        is_on=kept.confirmed_at is not None,
        since=visit.times(now).on(kept.confirmed_at) if kept.confirmed_at else None,
        codes_left=kept.codes_left,
        letters=in_groups(letters),
        picture=picture,
        fault=refusal.sentence if refusal else "",
    )


async def send_two_step(visit: Visit) -> Response:
    form = await visit.form()
    match form.get("change"):
        case "begin":
            return await _begin(visit)
        case "on":
            return await _turn_on(visit, form)
        case "codes" | "off" as change:
            return await _change(visit, form, change)
        case _:
            raise InvalidRequest("Choose what to change.")


async def _begin(visit: Visit) -> Response:
    if (confirm := await ask_to_confirm(visit)) is not None:
        return confirm
    await begin_two_step(visit.runtime, visit.user)
    return RedirectResponse(HERE, SEE_OTHER)


async def _turn_on(visit: Visit, form: Mapping[str, str]) -> Response:
    if (confirm := await ask_to_confirm(visit)) is not None:
        return confirm
    try:
        codes = await turn_on_two_step(visit.runtime, visit.user, form.get("code", ""))
    except PasswordRefused as fault:
        return await show_two_step(visit, password_refusal(fault, wrong=fault.message))
    except WrongState as fault:
        return await visit.done(HERE, fault.message)
    return _show_codes(visit, codes, "Two-step sign-in is on.")


async def _change(visit: Visit, form: Mapping[str, str], change: str) -> Response:
    runtime, user, browser = visit.runtime, visit.user, visit.browser
    async with runtime.database.reading() as tx:
        found = await users.find_by_email(tx, user.email)
        is_on = await two_step.is_on(tx, user.user_id)
    if not is_on:
        return await visit.done("/account", "Two-step sign-in is off already.")
    code = form.get("code", "")
    try:
        if found is not None and found[1] is not None:
            password = form.get("current", "")
            await check_password(runtime, email=user.email, password=password, browser=browser)
        if change == "off":
            await turn_off_two_step(runtime, user, code, address=browser.address)
            return await visit.done("/account", "Two-step sign-in is off.")
        codes = await renew_recovery_codes(runtime, user, code, address=browser.address)
    except PasswordRefused as fault:
        wrong = fault.message if fault.code == "wrong_code" else "The password is wrong."
        return await show_two_step(visit, password_refusal(fault, wrong=wrong))
    return _show_codes(visit, codes, "You have new recovery codes; the old ones no longer work.")


def _show_codes(visit: Visit, codes: Sequence[str], said: str) -> Response:
    return page(
        visit, "account/recovery_codes.html", headers=PRIVATE, codes=codes, said=said, email=visit.user.email
    )
