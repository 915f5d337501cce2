"""What a draft carries along from a file or an earlier request, and no step asks for."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from bindery.contract.vocabulary import ContactRole
from bindery.domain.drafts.fields import CONTACTS, METADATA, Fields, typed
from bindery.web.shown.words import counted

PARTS: Final = {
    "email": "Email",
    "first_name": "First name",
    "last_name": "Last name",
    "cell_phone": "Phone",
}
ROLES: Final = "contact_roles"
MOST_CONTACTS: Final = 20
LONGEST: Final = 20_000
"""How many characters of JSON are taken into the fields of a form; what is longer can only be left out."""
LONGEST_SHOWN: Final = 200
_PATH: Final = re.compile(r"client\.additional_contacts(?:\[(\d+)\](?:\.(\w+))?)?.*")


@dataclass(frozen=True, slots=True)
class CarriedContact:
    """A further contact with the fields to change it; `was` is what they were filled in from.

    What is no contact at all has a `text` and no fields. A role may be one that does not exist, or stand
    there twice: each has a box, ticked or not.
    """

    id: str
    was: str
    text: str
    parts: tuple[tuple[str, str, str], ...] = ()
    roles: tuple[tuple[str, str, bool], ...] = ()


@dataclass(frozen=True, slots=True)
class Carried:
    """`contacts` are those that can be changed; where they cannot, `count` still tells of them."""

    count: int
    contacts: tuple[CarriedContact, ...]
    metadata: str
    is_metadata_long: bool

    @property
    def names(self) -> tuple[str, ...]:
        """Return the fields that the page sends."""
        sent = {CONTACTS: bool(self.contacts), METADATA: bool(self.metadata) and not self.is_metadata_long}
        return tuple(name for name, is_sent in sent.items() if is_sent)


def carried_by(fields: Fields) -> Carried:
    values, metadata = fields.get(CONTACTS, ()), typed(fields, METADATA)
    is_long = len(metadata) > LONGEST
    return Carried(
        count=len(values),
        contacts=tuple(map(_contact, range(len(values)), values)) if _can_be_changed(values) else (),
        metadata=shortened(metadata) if is_long else metadata,
        is_metadata_long=is_long,
    )


def _can_be_changed(values: Sequence[str]) -> bool:
    return len(values) <= MOST_CONTACTS and sum(map(len, values)) <= LONGEST


def field_of_contact(path: str, contacts: Sequence[object]) -> tuple[str, str] | None:
    """Return the control that a problem of the further contacts is mended at, and its label."""
    found = _PATH.fullmatch(path)
    if found is None:
        return None
    number, part = found[1], found[2]
    if number is None or not _can_be_changed([_written(contact) for contact in contacts]):
        return CONTACTS, "Further contacts"
    place, label = f"contact.{number}", f"Further contact {int(number) + 1}"
    if part not in {*PARTS, ROLES} or not isinstance(contacts[int(number)], dict):
        return place, label
    return f"{place}.{part}", f"{label}, {PARTS.get(part, 'told about').lower()}"


def _contact(number: int, was: str) -> CarriedContact:
    contact, place = _read(was), f"contact.{number}"
    if not isinstance(contact, dict):
        return CarriedContact(place, was, shortened(was))
    return CarriedContact(
        place,
        was,
        "",
        tuple((f"{place}.{part}", label, _text(contact.get(part))) for part, label in PARTS.items()),
        _roles(contact),
    )


def _roles(contact: dict[str, Any]) -> tuple[tuple[str, str, bool], ...]:
    chosen = _chosen(contact)
    others = tuple(role for role in ContactRole if role not in chosen)
    known = {role.value: role.replace("_", " ") for role in ContactRole}
    return (
        *((role, known.get(role, f"{shortened(role)} (there is no such role)"), True) for role in chosen),
        *((role, known[role], False) for role in others),
    )


def _chosen(contact: dict[str, Any]) -> list[str]:
    roles = contact.get(ROLES)
    return [_text(role) for role in (roles if isinstance(roles, list) else [roles]) if role is not None]


def take_in_contacts(sent: list[tuple[str, str]]) -> None:
    """Put the contacts that the fields of the form make into it, each as it is kept; untouched ones stay."""
    given: dict[str, list[str]] = {}
    for name, value in sent:
        given.setdefault(name, []).append(value)
    places = [f"contact.{number}" for number in range(MOST_CONTACTS)]
    sent += [
        (CONTACTS, _changed(was, place, given))
        for place in places
        if (was := "".join(given.get(f"{place}.was", ())))
    ]


def _changed(was: str, place: str, given: dict[str, list[str]]) -> str:
    contact = _read(was)
    if not isinstance(contact, dict):
        return was
    now = dict(contact)
    for part in PARTS:
        text = "".join(given.get(f"{place}.{part}", ()))
        if text == _text(contact.get(part)).strip():
            continue
        now[part] = text
        if not text:
            del now[part]
    roles = given.get(f"{place}.{ROLES}", [])
    if roles != _chosen(contact):
        now[ROLES] = roles
    return was if now == contact else _written(now)


def leave_out(sent: list[tuple[str, str]], what: str) -> None:
    """Take a field, or one of the contacts, out of a form before it is kept."""
    sent[:] = [(name, value) for name, value in sent if name != what and not name.startswith(f"{what}.")]


def contacts_in_words(values: Sequence[str]) -> str:
    if not _can_be_changed(values):
        return counted(len(values), "contact")
    return "; ".join(_in_words(_read(value)) for value in values)


def _in_words(contact: object) -> str:
    """Return who it is, the address and what it is told about."""
    if not isinstance(contact, dict):
        return shortened(_text(contact))
    name = " ".join(filter(None, (_text(contact.get(part)) for part in ("first_name", "last_name"))))
    roles = (role.replace("_", " ") for role in _chosen(contact))
    return shortened(", ".join(filter(None, (name, _text(contact.get("email")), *roles))))


def shortened(text: str) -> str:
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"


def _read(text: str) -> Any:  # noqa: ANN401 - whatever JSON has
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return text


def _written(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _text(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else _written(value)
