"""The platform: finds the page of an address, checks who may see it, and answers every fault with a page."""

import asyncio
from collections.abc import Mapping
from http import HTTPStatus
from typing import Final
from urllib.parse import quote as percent_encoded
from urllib.parse import urlsplit

import structlog
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.types import Receive, Scope, Send

from bindery.actions.access.sign_in import hash_of
from bindery.base.errors import (
    BinderyError,
    ChangedMeanwhile,
    DocumentUnavailable,
    InvalidRequest,
    NotFound,
    TooManyRequests,
    UploadUnavailable,
    WrongState,
)
from bindery.domain.access.users import Role
from bindery.domain.documents.file_types import UnsupportedPaper
from bindery.domain.quote.authority import BeyondAuthority
from bindery.http.errors import TooLarge, UnsupportedMediaType
from bindery.http.observe import OPERATION, PARTNER, REQUEST_ID, check_head
from bindery.runtime import Runtime
from bindery.storage.access import users
from bindery.storage.access.users import SignedIn
from bindery.storage.database import is_outage
from bindery.web.account.signing_in import ask_to_sign_in_again
from bindery.web.case.case import PART
from bindery.web.client.link import PRIVATE
from bindery.web.company.documents import TooMuchAtOnce
from bindery.web.frame.render import page
from bindery.web.frame.route import BOOK, LINKS, Route
from bindery.web.frame.sign_in_cookie import cookie_name
from bindery.web.frame.visit import SEE_OTHER, Visit, is_path_of_ours
from bindery.web.pages import PAGES, pages_of
from bindery.web.shown.words import refusal_in_words


def is_from_our_pages(request: Request, *, platform_url: str) -> bool:
    """Whether an unsafe request comes from our own pages.

    Browsers say where a request comes from in `Sec-Fetch-Site`, over https and on this machine. Elsewhere
    they say it in `Origin`, which is compared with the platform's own address and never with `Host`.
    """
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site in {"same-origin", "none"}
    origin = request.headers.get("origin")
    ours = urlsplit(platform_url)
    return origin is not None and origin == f"{ours.scheme}://{ours.netloc}".lower()


log = structlog.get_logger()
_BY_ITSELF: Final = "/live"
SIGN_OUT: Final = "/sign-out"
NOT_KNOWN: Final = "We do not know whether what you sent was done: check before you send it again."
"""A fault may come after the commit, or break the connection during it."""
_STATUS_OF: Final = (
    (NotFound, HTTPStatus.NOT_FOUND),
    (WrongState, HTTPStatus.CONFLICT),
    (ChangedMeanwhile, HTTPStatus.CONFLICT),
    (BeyondAuthority, HTTPStatus.FORBIDDEN),
    (InvalidRequest, HTTPStatus.UNPROCESSABLE_ENTITY),
    (TooManyRequests, HTTPStatus.TOO_MANY_REQUESTS),
    (TooLarge, HTTPStatus.REQUEST_ENTITY_TOO_LARGE),
    (UnsupportedMediaType, HTTPStatus.UNSUPPORTED_MEDIA_TYPE),
    (UnsupportedPaper, HTTPStatus.UNSUPPORTED_MEDIA_TYPE),
    (DocumentUnavailable, HTTPStatus.SERVICE_UNAVAILABLE),
    (UploadUnavailable, HTTPStatus.SERVICE_UNAVAILABLE),
    (TooMuchAtOnce, HTTPStatus.SERVICE_UNAVAILABLE),
)


def _first_word(path: str) -> str:
    return path[1:].partition("/")[0]


_OURS: Final = frozenset(_first_word(row.path) for row in PAGES)


def is_of_the_platform(path: str) -> bool:
    """Whether a path belongs to the platform, which shares no first path segment with anything else."""
    return path.startswith("/") and _first_word(path) in _OURS


class Platform:
    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._fixed: dict[str, Route] = {}
        self._by_first_word: dict[str, list[Route]] = {}
        for row in pages_of(runtime.settings):
            if row.has_parameters:
                self._by_first_word.setdefault(_first_word(row.path), []).append(row)
            else:
                self._fixed[row.path] = row
        self._cookie = cookie_name(runtime.settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        visit = Visit(self._runtime, request, None)
        try:
            check_head(scope)
            visit = Visit(self._runtime, request, await self._signed_in(request))
            response = await self._answer(visit)
            await self._note_visit(visit, response)
        except ClientDisconnect:
            return
        except BinderyError as fault:
            response = self._refuse(visit, fault)
        except asyncio.CancelledError:
            response = self._unavailable(visit)
        except Exception as fault:  # noqa: BLE001 - whatever it is, the user gets a page
            response = self._answer_fault(visit, fault)
        if scope["path"].startswith(LINKS):
            # Whatever is answered there: the address itself is the secret.
            response.headers.update(PRIVATE)
        await response(scope, receive, send)

    async def _signed_in(self, request: Request) -> SignedIn | None:
        token = request.cookies.get(self._cookie)
        if not token or request.scope["path"].startswith(("/static/", LINKS)):
            return None
        now = self._runtime.clock.real_now()
        async with self._runtime.database.connection() as connection:
            return await users.find_signed_in(connection, hash_of(token), at=now)

    async def _note_visit(self, visit: Visit, response: Response) -> None:
        if visit.signed_in is None or visit.request.method != "GET":
            return
        if visit.path.startswith(_BY_ITSELF):
            # An open page does not mean that somebody is at work.
            return
        is_page = response.media_type == "text/html" and visit.signed_in.banner is not None
        if visit.signed_in.was_just_here and not is_page:
            return
        async with self._runtime.database.connection() as connection:
            await users.touch(
                connection,
                visit.signed_in.token_sha256,
                at=self._runtime.clock.real_now(),
                is_banner_shown=is_page,
            )

    async def _answer(self, visit: Visit) -> Response:
        request = visit.request
        address = _address_of(request)
        # Nothing has a name with a zero byte in it, and no table can be asked for one.
        found = None if "\x00" in address else self._find(address)
        if found is None:
            raise NotFound("There is no such page.")
        row, request.scope["path_params"] = found
        request.scope[OPERATION] = row.name
        if visit.signed_in is not None:
            request.scope[PARTNER] = visit.signed_in.user.role
        handler = _go_without_slash if _has_slash(request) else row.handlers.get(request.method)
        if handler is None:
            return _refusal(
                visit,
                HTTPStatus.METHOD_NOT_ALLOWED,
                "Nothing to see",
                "This page cannot be opened directly. Go back to the page that led here.",
                headers={"Allow": ", ".join(sorted(row.handlers))},
            )
        if row.who is not None:
            if visit.signed_in is None:
                return await self._ask_to_sign_in(visit, row, row.who)
            if visit.signed_in.user.role not in row.who:
                # As if it were not there: which pages others have is nobody's business.
                raise NotFound("There is no such page.")
        if request.method == "POST" and not self._is_sent_by_us(request, row):
            return _refusal(
                visit,
                HTTPStatus.FORBIDDEN,
                "Refused",
                "The form did not come from a page of this platform. Open the page again to send it.",
            )
        self._count(visit, row)
        return await handler(visit)

    def _is_sent_by_us(self, request: Request, row: Route) -> bool:
        # Where pages tell no referrer, browsers tell no origin either: the token in the form takes its place.
        if row.is_link and "sec-fetch-site" not in request.headers:
            return True
        return is_from_our_pages(request, platform_url=self._runtime.settings.platform_url)

    def _count(self, visit: Visit, row: Route) -> None:
        """Count a broker's form against the limits of their partner, like a request to the API."""
        if row.counted_as is None or visit.request.method != "POST" or visit.partner_id is None:
            return
        standing = self._runtime.request_counts.count(visit.partner_id, row.counted_as)
        if standing.is_over:
            raise TooManyRequests(standing.limit, row.counted_as, standing.reset_s)

    def _find(self, path: str) -> tuple[Route, dict[str, str]] | None:
        if (fixed := self._fixed.get(path)) is not None:
            return fixed, {}
        for row in self._by_first_word.get(_first_word(path), ()):
            found = row.pattern.fullmatch(path)
            if found is not None:
                return row, found.groupdict()
        return None

    async def _ask_to_sign_in(self, visit: Visit, row: Route, roles: frozenset[Role]) -> Response:
        """Redirect to the sign-in page; a form is kept there if it came from a page of ours."""
        request = visit.request
        if request.method == "POST":
            # Nobody sees the answer to a request for a part of a page.
            is_form = row.path != SIGN_OUT and PART not in request.headers
            if is_form and is_from_our_pages(request, platform_url=self._runtime.settings.platform_url):
                back = self._page_before(request, row)
                return await ask_to_sign_in_again(
                    visit, roles=roles, back=back, passes_over_file=row.file_is_optional
                )
            return RedirectResponse("/sign-in?then=%2F", SEE_OTHER)
        then = f"{request.url.path}?{request.url.query}" if request.url.query else request.url.path
        return RedirectResponse(f"/sign-in?then={percent_encoded(then, safe='')}", SEE_OTHER)

    def _page_before(self, request: Request, row: Route) -> str:
        before = urlsplit(request.headers.get("referer", ""))
        found = self._find(before.path)
        if found is not None and found[0].get is not None and is_path_of_ours(before.path):
            return f"{before.path}?{before.query}" if before.query else before.path
        return request.url.path if row.get is not None else "/"

    def _refuse(self, visit: Visit, fault: BinderyError) -> Response:
        status = next(
            (number for kind, number in _STATUS_OF if isinstance(fault, kind)), HTTPStatus.BAD_REQUEST
        )
        title = "Not found" if status is HTTPStatus.NOT_FOUND else "Not done"
        faults: tuple[str, ...] = (refusal_in_words(fault),)
        if isinstance(fault, InvalidRequest) and fault.problems:
            faults = tuple(f"{problem.path} {problem.message}".strip() for problem in fault.problems)
        headers = {"Retry-After": str(fault.retry_after_s)} if isinstance(fault, TooManyRequests) else None
        return _refusal(visit, status, title, *faults, headers=headers)

    def _answer_fault(self, visit: Visit, fault: Exception) -> Response:
        request_id = visit.request.scope[REQUEST_ID]
        if is_outage(fault):
            if not self._runtime.database.watch.is_away:
                log.error(
                    "request_not_served", request_id=request_id, reason=str(fault) or type(fault).__name__
                )
            return self._unavailable(visit)
        log.error(
            "crash", exc_info=fault, request_id=request_id, operation=visit.request.scope.get(OPERATION)
        )
        return _refusal(
            visit,
            HTTPStatus.INTERNAL_SERVER_ERROR,
            "Something went wrong",
            "Something went wrong on our side; nothing was changed."
            if _only_reads(visit.request)
            else f"Something went wrong on our side. {NOT_KNOWN}",
        )

    def _unavailable(self, visit: Visit) -> Response:
        return _refusal(
            visit,
            HTTPStatus.SERVICE_UNAVAILABLE,
            "Not available",
            "The service is not available at the moment. Please try again in a minute.",
            *(() if _only_reads(visit.request) else (NOT_KNOWN,)),
            headers={"Retry-After": "5"},
        )


def _only_reads(request: Request) -> bool:
    return request.method in {"GET", "HEAD"}


def _has_slash(request: Request) -> bool:
    path = request.scope["path"]
    return _only_reads(request) and path.endswith("/") and path != "/"


def _address_of(request: Request) -> str:
    path: str = request.scope["path"]
    return path.rstrip("/") or "/" if _has_slash(request) else path


async def _go_without_slash(visit: Visit) -> Response:
    url = visit.request.url
    return RedirectResponse((url.path.rstrip("/") or "/") + (f"?{url.query}" if url.query else ""), SEE_OTHER)


def _refusal(
    visit: Visit, status: int, title: str, *faults: str, headers: Mapping[str, str] | None = None
) -> Response:
    """Show why something was not done, with the id that finds the request in the logs."""
    return page(
        visit,
        "frame/refused.html",
        status=status,
        headers=headers,
        title=title,
        faults=faults,
        company=_company_of(visit) if status != HTTPStatus.NOT_FOUND else "",
        request_id=visit.request.scope[REQUEST_ID],
    )


def _company_of(visit: Visit) -> str:
    path, quote_id = visit.request.url.path, visit.request.path_params.get("quote_id")
    is_seen = visit.signed_in is not None and visit.signed_in.user.role in BOOK
    return f"/quote/{quote_id}" if quote_id and is_seen and path.startswith(("/quote/", "/policy/")) else ""
