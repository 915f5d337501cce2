"""A form that was sent after its sender's sign-in had ended: it waits in the pages that let them in again."""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final
from urllib.parse import parse_qsl, urlencode

from starlette.responses import Response

from bindery.domain.access.users import Role
from bindery.http.errors import TooLarge, UnsupportedMediaType
from bindery.web.account.confirming import PASSWORD_FIELD
from bindery.web.frame.render import page
from bindery.web.frame.visit import LARGEST_FORM, Visit, is_path_of_ours

LARGEST_KEPT: Final = LARGEST_FORM - 5_000
"""As long as a form may be within the one that signs in, which has a few short fields of its own."""
NO_STORE: Final[Mapping[str, str]] = {"Cache-Control": "no-store"}
_PASSWORDS: Final[Mapping[str, str]] = {"current": "Current password", "password": "New password"}
"""The fields that are never kept, and what they are called where they are asked for again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptForm:
    """Where a form goes, for which roles, and its fields, written as browsers send them; passwords empty."""

    to: str
    roles: str
    text: str

    @property
    def is_ours(self) -> bool:
        """Whether it goes to a page of this platform."""
        return is_path_of_ours(self.to)

    def is_for(self, role: Role) -> bool:
        """Whether somebody of this role has the page that it goes to."""
        return role in self.roles.split()

    @property
    def fields(self) -> tuple[tuple[str, str], ...]:
        """Return the fields that are sent on as they are."""
        return tuple((name, value) for name, value in self._all if name not in _PASSWORDS)

    @property
    def passwords(self) -> tuple[tuple[str, str], ...]:
        """Return the fields that have to be typed again, with their labels."""
        return tuple((name, _PASSWORDS[name]) for name, _ in self._all if name in _PASSWORDS)

    @property
    def _all(self) -> list[tuple[str, str]]:
        return parse_qsl(self.text, keep_blank_values=True)


async def keep_form(visit: Visit, *, roles: frozenset[Role]) -> KeptForm | None:
    """Return the form of a request; None where it has a file or is too long to be kept."""
    try:
        fields = await visit.form_fields()
    except (TooLarge, UnsupportedMediaType):
        return None
    text = urlencode(
        [(name, "" if name in _PASSWORDS else value) for name, value in fields if name != PASSWORD_FIELD]
    )
    url = visit.request.url
    to = f"{url.path}?{url.query}" if url.query else url.path
    kept = KeptForm(to=to, roles=" ".join(sorted(roles)), text=text)
    # It is written once more, within the form that signs in.
    return kept if len(urlencode({"to": to, "text": text})) <= LARGEST_KEPT else None


def kept_form_of(form: Mapping[str, str]) -> KeptForm | None:
    """Return the form that waits in the one that signs in."""
    kept = KeptForm(
        to=form.get("kept_to", ""), roles=form.get("kept_for", ""), text=form.get("kept_text", "")
    )
    return kept if kept.is_ours else None


def show_kept_form(visit: Visit, kept: KeptForm, back: str) -> Response:
    """Show whoever has signed in that nothing was sent yet; one more press sends it."""
    return page(visit, "account/kept_form.html", status=HTTPStatus.OK, headers=NO_STORE, kept=kept, back=back)
