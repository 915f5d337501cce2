"""A form that was sent after the user's sign-in had ended: it waits in the sign-in page."""

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
"""The longest form that fits into the sign-in form, which has a few short fields of its own."""
NO_STORE: Final[Mapping[str, str]] = {"Cache-Control": "no-store"}
_PASSWORDS: Final[Mapping[str, str]] = {"current": "Current password", "password": "New password"}
"""Fields that are never kept, with their labels where the user types them again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptForm:
    """A form on hold: its target, the roles that may send it, and its URL-encoded fields without passwords."""

    to: str
    roles: str
    text: str

    @property
    def is_ours(self) -> bool:
        return is_path_of_ours(self.to)

    def is_for(self, role: Role) -> bool:
        return role in self.roles.split()

    @property
    def fields(self) -> tuple[tuple[str, str], ...]:
        return tuple((name, value) for name, value in self._all if name not in _PASSWORDS)

    @property
    def passwords(self) -> tuple[tuple[str, str], ...]:
        """Return the fields that have to be typed again, with their labels."""
        return tuple((name, _PASSWORDS[name]) for name, _ in self._all if name in _PASSWORDS)

    @property
    def _all(self) -> list[tuple[str, str]]:
        return parse_qsl(self.text, keep_blank_values=True)


async def keep_form(visit: Visit, *, roles: frozenset[Role]) -> KeptForm | None:
    """Return the form of a request; None if it has a file or is too long to be kept."""
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
    kept = KeptForm(
        to=form.get("kept_to", ""), roles=form.get("kept_for", ""), text=form.get("kept_text", "")
    )
    return kept if kept.is_ours else None


def show_kept_form(visit: Visit, kept: KeptForm, back: str) -> Response:
    """Show that nothing has been sent yet; one more press sends it."""
    return page(visit, "account/kept_form.html", status=HTTPStatus.OK, headers=NO_STORE, kept=kept, back=back)
