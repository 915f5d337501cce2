from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

from starlette.responses import RedirectResponse, Response

from bindery.actions.access.change_user import change_appearance, change_password, choose_mails
from bindery.actions.access.sign_in import check_password
from bindery.base.errors import InvalidRequest
from bindery.domain.access.users import PasswordRefused, Role
from bindery.domain.messages.mail_choices import IN_WORDS, MailChoice, MailSwitch
from bindery.storage.access import two_step, users
from bindery.storage.documents import mails
from bindery.web.account.confirming import PasswordRefusal, password_refusal
from bindery.web.frame.render import page
from bindery.web.frame.sign_in_cookie import take_cookie
from bindery.web.frame.visit import SEE_OTHER, Visit

MAIL_CHOICES: Final[Mapping[MailChoice, str]] = {
    MailChoice.AT_ONCE: "At once",
    MailChoice.DIGEST: "Daily digest",
    MailChoice.OFF: "Off",
}
SCHEMES: Final[Mapping[str, str]] = {"system": "As my device", "light": "Light", "dark": "Dark"}


async def send_scheme(visit: Visit) -> Response:
    scheme = (await visit.form()).get("scheme", "")
    if scheme in SCHEMES:
        await change_appearance(visit.runtime.database, visit.user, scheme=scheme)
    return await visit.done("/account", "Saved.")


async def send_keys(visit: Visit) -> Response:
    has_keys = (await visit.form()).get("has_keys") == "yes"
    await change_appearance(visit.runtime.database, visit.user, has_keys=has_keys)
    return await visit.done("/account", "Keys are on." if has_keys else "Keys are off.")


async def send_mail_choices(visit: Visit) -> Response:
    form = await visit.form()
    chosen = {
        switch: MailChoice(form[switch]) for switch in MailSwitch if form.get(switch) in set(MailChoice)
    }
    await choose_mails(visit.runtime.database, visit.user, chosen)
    return await visit.done("/account", "Saved.")


async def send_password(visit: Visit) -> Response:
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
        return await show_account(visit, refusal, at="current")
    except InvalidRequest as fault:
        sentence = f"The new password {fault.problems[0].message}."
        refusal = PasswordRefusal(sentence, HTTPStatus.UNPROCESSABLE_ENTITY, {})
        return await show_account(visit, refusal, at="password")
    response = RedirectResponse("/sign-in", SEE_OTHER)
    take_cookie(response, visit.runtime.settings)
    return response


async def show_account(visit: Visit, refusal: PasswordRefusal | None = None, *, at: str = "") -> Response:
    """Show the account; a refused password is told at its field."""
    now = visit.runtime.clock.real_now()
    async with visit.runtime.database.reading() as tx:
        found = await users.sign_ins_of(tx, visit.user.user_id, at=now)
        account = await users.find_by_email(tx, visit.user.email)
        is_broker = visit.user.role is Role.BROKER
        choices = await mails.choices_of(tx, visit.user.user_id) if is_broker else {}
        second = await two_step.find(tx, visit.user.user_id)
    since = second.confirmed_at if second else None
    times = visit.times(now)
    return page(
        visit,
        "account/account.html",
        status=refusal.status if refusal else HTTPStatus.OK,
        headers=refusal.headers if refusal else None,
        email=visit.user.email,
        scheme=visit.user.scheme,
        has_keys=visit.user.has_keys,
        schemes=tuple(SCHEMES.items()),
        has_password=account is not None and account[1] is not None,
        faults={at: refusal.sentence} if refusal else {},
        times=times,
        two_step_since=times.on(since) if since else None,
        codes_left=second.codes_left if second else 0,
        sign_ins=found,
        mails=tuple((switch, IN_WORDS[switch], choice) for switch, choice in choices.items()),
        mail_choices=tuple((choice.value, words) for choice, words in MAIL_CHOICES.items()),
        this=visit.sign_in.token_sha256,
    )
