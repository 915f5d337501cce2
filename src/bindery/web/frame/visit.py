"""One request to a page, and the user who sent it."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Final
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from bindery.actions.access.sign_in import Browser
from bindery.base.errors import NotFound
from bindery.domain.access.deeds import Doer
from bindery.domain.access.users import CONFIRMED_FOR, Role, User
from bindery.http.errors import TooLarge, UnsupportedMediaType
from bindery.runtime import Runtime
from bindery.storage.access import users
from bindery.storage.access.users import SignedIn
from bindery.web.shown.words import Times

LARGEST_FORM: Final = 200_000
MOST_FIELDS: Final = 500
FORM: Final = "application/x-www-form-urlencoded"
SEE_OTHER: Final = 303
_FIELDS: Final = "bindery.form_fields"


def is_path_of_ours(text: str) -> bool:
    """Whether a redirect may go there: a path of this platform and nothing else."""
    return text.startswith("/") and not text.startswith(("//", "/\\")) and not {"\n", "\r"} & set(text)


def read_number(text: str, *, most: int = 2**31) -> int | None:
    """Read a whole number with fewer digits than `most`; None if it is not one."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < len(str(most)) else None


def _without_zeros(text: str) -> str:
    """Remove the one character that PostgreSQL cannot store in text."""
    return text.replace("\x00", "")


@dataclass(frozen=True)
class Visit:
    runtime: Runtime
    request: Request
    signed_in: SignedIn | None

    @property
    def sign_in(self) -> SignedIn:
        assert self.signed_in is not None, "the table of pages lets only users in here"
        return self.signed_in

    @property
    def user(self) -> User:
        return self.sign_in.user

    @property
    def actor(self) -> str:
        return self.user.email

    @property
    def doer(self) -> Doer:
        return Doer(self.actor, self.user.user_id, self.browser.address)

    @property
    def path(self) -> str:
        """Return the path as it was asked for; the address of `request.url` takes long to put together."""
        path: str = self.request.scope["path"]
        return path

    @property
    def partner_id(self) -> int | None:
        return self.user.partner_id if self.user.role is Role.BROKER else None

    @cached_property
    def browser(self) -> Browser:
        client = self.request.client
        return Browser(
            address=client.host if client else "",
            name=self.request.headers.get("user-agent", ""),
            has_left=self.request.is_disconnected,
        )

    @property
    def is_confirmed(self) -> bool:
        return self.runtime.clock.real_now() - self.sign_in.confirmed_at < CONFIRMED_FOR

    def times(self, now: datetime) -> Times:
        return Times(self.runtime.settings.zone, now)

    def word(self, name: str) -> str:
        return _without_zeros(self.request.query_params.get(name, "").strip())

    def number(self, name: str) -> int | None:
        return read_number(self.word(name), most=2**62)

    def path_id(self, name: str) -> uuid.UUID:
        try:
            return uuid.UUID(self.request.path_params[name])
        except ValueError:
            raise NotFound("There is no such page.") from None

    @staticmethod
    def as_id(text: str) -> uuid.UUID | None:
        try:
            return uuid.UUID(text)
        except ValueError:
            return None

    def path_number(self, name: str) -> int:
        number = read_number(self.request.path_params[name])
        if number is None:
            raise NotFound("There is no such page.")
        return number

    async def form(self) -> Mapping[str, str]:
        """Read a sent form; if a field comes several times, the last value counts."""
        return dict(await self.form_fields())

    async def form_fields(self) -> list[tuple[str, str]]:
        """Read a sent form with every value of a field that may come several times.

        Raises:
            TooLarge: it is larger than any form of ours.
            UnsupportedMediaType: it is not a form.
        """
        kept: list[tuple[str, str]] | None = self.request.scope.get(_FIELDS)
        if kept is not None:
            return kept
        if self.request.headers.get("content-type", "").partition(";")[0].strip().lower() != FORM:
            raise UnsupportedMediaType(f"The form must be sent as {FORM}.")
        body = bytearray()
        async for piece in self.request.stream():
            body += piece
            if len(body) > LARGEST_FORM:
                raise TooLarge("The form is too long.")
        try:
            fields = parse_qsl(
                body.decode(), keep_blank_values=True, max_num_fields=MOST_FIELDS, errors="strict"
            )
        except ValueError:
            raise TooLarge("The form has too many fields, or is not text.") from None
        # Browsers send a line break of a form as two characters.
        read = [(name, _without_zeros(value.strip()).replace("\r\n", "\n")) for name, value in fields]
        self.request.scope[_FIELDS] = read
        return read

    async def done(self, where: str, banner: str = "") -> Response:
        if banner and self.signed_in is not None:
            async with self.runtime.database.connection() as connection:
                await users.put_banner(connection, self.signed_in.token_sha256, banner)
        return RedirectResponse(where, SEE_OTHER)
