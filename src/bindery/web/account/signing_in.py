from collections.abc import Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Final
from urllib.parse import parse_qsl, urlencode

from starlette.responses import RedirectResponse, Response

from bindery.actions.access.sign_in import (
    NeedsCode,
    SignedInNow,
    enter_demo,
    finish_sign_in,
    hash_of,
    sign_in,
    sign_out,
)
from bindery.domain.access.two_step import SignInTooLate
from bindery.domain.access.users import PasswordRefused, Role
from bindery.http.errors import TooLarge, UnsupportedMediaType
from bindery.http.multipart import INCOMING, read_past_file
from bindery.storage.access import users
from bindery.web.account.confirming import PASSWORD_FIELD, PasswordRefusal, password_refusal
from bindery.web.account.kept_words import kept_words
from bindery.web.frame.render import page
from bindery.web.frame.sign_in_cookie import give_cookie, take_cookie
from bindery.web.frame.visit import LARGEST_FORM, SEE_OTHER, Visit, is_path_of_ours

LARGEST_KEPT: Final = LARGEST_FORM - 5_000
"""The longest form that fits into the sign-in form, which has a few short fields of its own."""
NO_STORE: Final[Mapping[str, str]] = {"Cache-Control": "no-store"}
_PASSWORDS: Final[Mapping[str, str]] = {
    "current": "Current password",
    "password": "New password",
    "code": "Code",
}
"""Fields that are never kept, with their labels where the user types them again."""

DEMO_PEOPLE = (
    ("broker@example.com", "Bo Broker", Role.BROKER),
    ("underwriter@example.com", "Uma Underwriter", Role.UNDERWRITER),
    ("operator@example.com", "Ollie Operator", Role.OPERATOR),
)
DEMO_WORK: Final[Mapping[Role, str]] = {
    Role.BROKER: "Quotes, binds, sends in what is missing",
    Role.UNDERWRITER: "Decides what the rules do not decide alone",
    Role.OPERATOR: "Sees that quotes, webhooks and mail get through",
}
WAITS: Final = (
    "Your sign-in has ended, and nothing has been sent yet. What you typed is kept: sign in, and send it "
    "with one more press."
)
NOT_KEPT: Final = (
    "Your sign-in has ended, and nothing was sent. Files and very long forms are not kept: after signing in, "
    "send it again from its page."
)
NEW_ONE_IS_SET: Final = "Your new password is set. Sign in with it."
CHOOSE_AGAIN: Final = " A file that you had chosen is not kept: add it again from its page."
NOT_YOURS: Final = "Nothing was sent: the form that waited is not one of this account's."


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptForm:
    """A kept form: its target, the roles that may send it, and its URL-encoded fields without passwords."""

    to: str
    roles: str
    text: str

    def is_for(self, role: Role) -> bool:
        return role in self.roles.split()

    @property
    def fields(self) -> tuple[tuple[str, str], ...]:
        return tuple((name, value) for name, value in self._all if name not in _PASSWORDS)

    @property
    def passwords(self) -> tuple[tuple[str, str], ...]:
        return tuple((name, _PASSWORDS[name]) for name, _ in self._all if name in _PASSWORDS)

    @property
    def _all(self) -> list[tuple[str, str]]:
        return parse_qsl(self.text, keep_blank_values=True)


async def keep_form(
    visit: Visit, *, roles: frozenset[Role], passes_over_file: bool = False
) -> KeptForm | None:
    try:
        fields = await _sent_fields(visit, passes_over_file=passes_over_file)
    except (UnsupportedMediaType, TooLarge):
        return None
    text = urlencode(
        [(name, "" if name in _PASSWORDS else value) for name, value in fields if name != PASSWORD_FIELD]
    )
    url = visit.request.url
    to = f"{url.path}?{url.query}" if url.query else url.path
    kept = KeptForm(to=to, roles=" ".join(sorted(roles)), text=text)
    # It is written once more, within the form that signs in.
    return kept if len(urlencode({"to": to, "text": text})) <= LARGEST_KEPT else None


async def _sent_fields(visit: Visit, *, passes_over_file: bool) -> list[tuple[str, str]]:
    try:
        return await visit.form_fields()
    except UnsupportedMediaType:
        if not passes_over_file:
            raise
    folder = visit.runtime.settings.data_dir / INCOMING
    return list((await read_past_file(visit.request, folder=folder)).items())


def kept_form_of(form: Mapping[str, str]) -> KeptForm | None:
    kept = KeptForm(
        to=form.get("kept_to", ""), roles=form.get("kept_for", ""), text=form.get("kept_text", "")
    )
    return kept if is_path_of_ours(kept.to) else None


async def show_sign_in(visit: Visit) -> Response:
    if visit.signed_in is not None:
        return RedirectResponse(_safe(visit.word("then")), SEE_OTHER)
    is_set = visit.word("password") == "set"
    return _form(visit, then=visit.word("then"), done=NEW_ONE_IS_SET if is_set else "")


async def send_sign_in(visit: Visit) -> Response:
    form = await visit.form()
    email, then, kept = form.get("email", ""), form.get("then", ""), kept_form_of(form)
    try:
        found = await sign_in(
            visit.runtime, email=email, password=form.get("password", ""), browser=visit.browser
        )
    except PasswordRefused as fault:
        refusal = password_refusal(fault, wrong=fault.message)
        return _form(visit, then=then, kept=kept, email=email, refusal=refusal, status=refusal.status)
    if isinstance(found, NeedsCode):
        return _ask_for_code(visit, found.token, then=then, kept=kept)
    return await _admitted(visit, found, then, kept)


async def show_code(visit: Visit) -> Response:
    """Lead back to the sign-in: the page that asks for a code follows a password."""
    then = visit.word("then")
    return RedirectResponse(f"/sign-in?{urlencode({'then': then})}" if then else "/sign-in", SEE_OTHER)


async def send_code(visit: Visit) -> Response:
    form = await visit.form()
    token, then, kept = form.get("token", ""), form.get("then", ""), kept_form_of(form)
    try:
        found = await finish_sign_in(
            visit.runtime, token=token, code=form.get("code", ""), browser=visit.browser
        )
    except SignInTooLate as fault:
        return _form(visit, then=then, kept=kept, notice=fault.message, status=HTTPStatus.FORBIDDEN)
    except PasswordRefused as fault:
        return _ask_for_code(
            visit, token, then=then, kept=kept, refusal=password_refusal(fault, wrong=fault.message)
        )
    return await _admitted(visit, found, then, kept)


async def send_demo(visit: Visit) -> Response:
    form = await visit.form()
    email = next((email for email, _, role in DEMO_PEOPLE if role == form.get("role")), "")
    token = await enter_demo(visit.runtime.database, visit.runtime.clock, email, visit.browser)
    return await _admitted(visit, SignedInNow(token), form.get("then", ""), kept_form_of(form))


async def ask_to_sign_in_again(
    visit: Visit, *, roles: frozenset[Role], back: str, passes_over_file: bool = False
) -> Response:
    """Ask a user whose sign-in has ended to sign in, and keep the form that they sent if possible."""
    kept = await keep_form(visit, roles=roles, passes_over_file=passes_over_file)
    waits = WAITS + CHOOSE_AGAIN if passes_over_file else WAITS
    status = HTTPStatus.FORBIDDEN
    return _form(visit, then=back, kept=kept, notice=waits if kept else NOT_KEPT, status=status)


async def send_sign_out(visit: Visit) -> Response:
    form = await visit.form()
    await sign_out(visit.runtime.database, visit.sign_in, everywhere=form.get("where") == "everywhere")
    response = RedirectResponse("/sign-in", SEE_OTHER)
    take_cookie(response, visit.runtime.settings)
    return response


async def _admitted(visit: Visit, found: SignedInNow, then: str, kept: KeptForm | None) -> Response:
    token, response = found.token, _go_on(then)
    if found.recovery_codes_left is not None:
        async with visit.runtime.database.connection() as connection:
            await users.put_banner(connection, hash_of(token), codes_left_in_words(found.recovery_codes_left))
    if kept is not None:
        now = visit.runtime.clock.real_now()
        async with visit.runtime.database.connection() as connection:
            signed_in = await users.find_signed_in(connection, hash_of(token), at=now)
        assert signed_in is not None, "the token was given just now"
        let_in = replace(visit, signed_in=signed_in)
        if kept.is_for(signed_in.user.role):
            # Nothing has been sent yet; one more press sends it.
            back = _safe(then)
            said = await kept_words(let_in, kept.to, kept.fields)
            response = page(
                let_in, "account/kept_form.html", headers=NO_STORE, kept=kept, back=back, said=said
            )
        else:
            response = await let_in.done("/", NOT_YOURS)
    give_cookie(response, token, visit.runtime.settings)
    return response


def codes_left_in_words(left: int) -> str:
    if left == 0:
        return "⚠ That was your last recovery code. Make new ones in your account."
    count = "1 recovery code is" if left == 1 else f"{left} recovery codes are"
    return f"You signed in with a recovery code, which does not work again. {count} left."


def _go_on(then: str) -> Response:
    return RedirectResponse(_safe(then), SEE_OTHER)


def _safe(then: str) -> str:
    return then if is_path_of_ours(then) else "/"


def _ask_for_code(
    visit: Visit, token: str, *, then: str, kept: KeptForm | None, refusal: PasswordRefusal | None = None
) -> Response:
    return page(
        visit,
        "account/code.html",
        status=refusal.status if refusal else 200,
        headers={**NO_STORE, **(refusal.headers if refusal else {})},
        token=token,
        then=then,
        kept=kept,
        fault=refusal.sentence if refusal else "",
    )


def _form(
    visit: Visit,
    *,
    then: str,
    kept: KeptForm | None = None,
    email: str = "",
    refusal: PasswordRefusal | None = None,
    notice: str = "",
    done: str = "",
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
        done=done,
        people=DEMO_PEOPLE if visit.runtime.settings.is_demo else (),
        work=DEMO_WORK,
    )
