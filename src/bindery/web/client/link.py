"""What all pages of a client's link share: their headers, the token of their forms, and how they say no."""

import hmac
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from http import HTTPStatus
from typing import Final

from starlette.responses import HTMLResponse, Response

from bindery.actions.signing.find_link import ClientVisit, find_link
from bindery.domain.drafts.fields import QUESTION, is_field
from bindery.domain.questions.question import QUESTIONS
from bindery.domain.signing.client_link import TRIES_COUNT_FOR, ClientLink, LinkEnded, TooManyTries
from bindery.web.draft.field_words import in_words
from bindery.web.frame.render import TEMPLATES
from bindery.web.frame.route import LINKS, Handler
from bindery.web.frame.visit import Visit

PRIVATE: Final[Mapping[str, str]] = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex, nofollow, noarchive",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    # No script at all, and nothing from elsewhere.
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self'; form-action 'self'; "
        "frame-ancestors 'none'; base-uri 'none'"
    ),
}
FORM: Final = "form"
"""The field that every form of a link carries; programs that look at links in mails send none."""


WRONG: Final = "text"
"""The field in which a client says what is wrong."""


@dataclass(frozen=True, slots=True)
class TypedByClient:
    label: str
    lines: tuple[str, ...]


def address_of(token: str) -> str:
    return f"{LINKS}{token}"


def form_token(token: str) -> str:
    return hmac.digest(token.encode(), b"form", "sha256").hex()


def is_our_form(token: str, form: Mapping[str, str]) -> bool:
    return hmac.compare_digest(form.get(FORM, "").encode(), form_token(token).encode())


def client_page(visit: Visit, template: str, *, status: int = HTTPStatus.OK, **shown: object) -> Response:
    is_demo = visit.runtime.settings.is_demo
    text = TEMPLATES.get_template(template).render(is_demo=is_demo, **shown)
    return HTMLResponse(text, status)


def ended(visit: Visit, typed: Sequence[TypedByClient] = ()) -> Response:
    """Answer a link that was guessed, has ended or was taken back: with the same page for all of them."""
    return no_page(visit, HTTPStatus.NOT_FOUND, "This link does not work", LinkEnded().message, typed)


def refused(visit: Visit, fault: TooManyTries | None = None, typed: Sequence[TypedByClient] = ()) -> Response:
    """Answer a form that came from elsewhere, or too many tries; nothing was done."""
    if fault is None:
        said = "The form did not come from the page of this link. Nothing was done: open the link again."
        return no_page(visit, HTTPStatus.FORBIDDEN, "Not done", said)
    response = no_page(visit, HTTPStatus.TOO_MANY_REQUESTS, "Please wait", fault.message, typed)
    response.headers["Retry-After"] = str(int(TRIES_COUNT_FOR.total_seconds()))
    return response


def no_page(
    visit: Visit, status: int, title: str, sentence: str, typed: Sequence[TypedByClient] = ()
) -> Response:
    return client_page(visit, "client/no.html", status=status, title=title, sentence=sentence, typed=typed)


async def typed_by_client(visit: Visit) -> tuple[TypedByClient, ...]:
    """Return what a form brought that nobody takes any more: it is shown again, and kept nowhere.

    Only what was typed and what everybody may read is in it, so that it is the same for every link.
    """
    given: dict[str, list[str]] = {}
    for name, value in await visit.form_fields():
        if value and (name == WRONG or (name.startswith(QUESTION) and is_field(name))):
            given.setdefault(name, []).append(value)
    sets = QUESTIONS.in_force(await visit.runtime.database.today()).sets.values()
    texts = {question.id: question.text for questions in sets for question in questions}
    return tuple(
        TypedByClient(
            "You wrote" if name == WRONG else texts.get(number := name.removeprefix(QUESTION), number),
            tuple(line for value in values for line in in_words(value).split("\n")),
        )
        for name, values in given.items()
    )


def by_link(handler: Callable[[Visit], Awaitable[Response]]) -> Handler:
    """Answer every link that does not work alike, and forms that no page of ours sent."""

    @wraps(handler)
    async def answer(visit: Visit) -> Response:
        try:
            if visit.request.method == "POST" and not is_our_form(token_of(visit), await visit.form()):
                return refused(visit)
            return await handler(visit)
        except (LinkEnded, TooManyTries) as fault:
            typed = await typed_by_client(visit) if visit.request.method == "POST" else ()
            return ended(visit, typed) if isinstance(fault, LinkEnded) else refused(visit, fault, typed)

    return answer


def token_of(visit: Visit) -> str:
    token: str = visit.request.path_params["token"]
    return token


def client_of(visit: Visit) -> ClientVisit:
    return ClientVisit(address=visit.browser.address, agent=visit.browser.name)


async def find(visit: Visit) -> ClientLink:
    return await find_link(visit.runtime.database, token_of(visit), client_of(visit))
