"""The pieces of a create-quote request, each of which can be checked though others are malformed.

A body that breaks the schema in one place may break rules elsewhere, and the caller should learn of
everything at once. So the checks work on parts: a well-formed request has all of them, a malformed one those
that could be read. A piece that is itself made of fields is read field by field; where one of them cannot be
read, a value that breaks no rule stands in for it, so that the others are still checked. Nothing of that is
ever accepted: the request has been refused by its schema already.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, TypeVar

import msgspec

from bindery.contract.quotes import (
    MAX_ADDITIONAL_CONTACTS,
    MAX_DOMAINS,
    MAX_OPTIONS,
    MAX_QUESTIONS,
    AdditionalContact,
    Address,
    Client,
    CreateQuotesRequest,
    InsuredMainContact,
    Policy,
    PolicyDates,
    Question,
    QuoteOption,
)
from bindery.contract.vocabulary import (
    DEFAULT_AGGREGATE_LIMIT,
    DEFAULT_PRODUCT,
    ContactRole,
    InsuranceProduct,
)
from bindery.domain.editions import packaged_rows
from bindery.domain.submission.value import client_of

T = TypeVar("T")
S = TypeVar("S", bound=msgspec.Struct)
STAND_IN_STATE: Final = "PA"
Numbered = Sequence[tuple[int, T]]
"""List items with their index in the request, so that a problem names the right one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The readable pieces of a request; None where one is malformed, missing or too long."""

    name: str | None = None
    dba: str | None = None
    revenue: int | None = None
    broker_email: str | None = None
    address: Address | None = None
    company_id: str | int | None = None
    domains: Numbered[str] = ()
    industry: str | None = None
    insured_main_contact: InsuredMainContact | None = None
    additional_contacts: Numbered[AdditionalContact] = ()
    secondary_broker_email: str | None = None
    metadata: Mapping[str, Any] | None = None
    product: InsuranceProduct | None = None
    dates: PolicyDates | None = None
    program_code: str | None = None
    options: Numbered[QuoteOption] = ()
    questions: Numbered[Question] | None = ()
    unreadable_answers: frozenset[str] = field(default_factory=frozenset)


def parts_of(request: CreateQuotesRequest) -> Parts:
    client, policy = request.client, request.policy
    return Parts(
        name=client.name,
        dba=or_none(client.dba),
        revenue=client.revenue,
        broker_email=client.broker_email,
        address=client.address,
        company_id=None if isinstance(client.company_id, msgspec.UnsetType) else client.company_id,
        domains=tuple(enumerate(client.domains or ())),
        industry=or_none(client.industry),
        insured_main_contact=or_none(client.insured_main_contact),
        additional_contacts=tuple(enumerate(client.additional_contacts or ())),
        secondary_broker_email=or_none(client.secondary_broker_email),
        metadata=or_none(client.metadata),
        product=policy.insurance_product or DEFAULT_PRODUCT,
        dates=or_none(policy.dates),
        program_code=policy.program_code,
        options=tuple(enumerate(policy.quotes or ())),
        questions=tuple(enumerate(request.questions)),
    )


def salvage_parts(raw: object) -> Parts:
    body = _mapping(raw)
    client, policy = _mapping(body.get("client")), _mapping(body.get("policy"))
    sent = body.get("questions", [])
    # Of what is no list, that alone is wrong: not every answer besides.
    questions = _within(MAX_QUESTIONS, sent) if isinstance(sent, list) else None
    readable = _items(questions, lambda item: _read(item, Question))
    numbers = {number for number, _ in readable}
    return Parts(
        name=_field(Client, client, "name"),
        dba=_field(Client, client, "dba"),
        revenue=_field(Client, client, "revenue"),
        broker_email=_field(Client, client, "broker_email"),
        address=_salvage(Address, client.get("address")),
        company_id=_field(Client, client, "company_id"),
        domains=_items(_within(MAX_DOMAINS, client.get("domains")), _text),
        industry=_field(Client, client, "industry"),
        insured_main_contact=_salvage(InsuredMainContact, client.get("insured_main_contact")),
        additional_contacts=_items(
            _within(MAX_ADDITIONAL_CONTACTS, client.get("additional_contacts")),
            lambda item: _salvage(AdditionalContact, item),
        ),
        secondary_broker_email=_field(Client, client, "secondary_broker_email"),
        metadata=_field(Client, client, "metadata"),
        product=_product(body.get("policy")),
        dates=_salvage(PolicyDates, policy.get("dates")),
        program_code=_field(Policy, policy, "program_code"),
        options=_items(_within(MAX_OPTIONS, policy.get("quotes")), lambda item: _salvage(QuoteOption, item)),
        questions=None if questions is None else readable,
        unreadable_answers=frozenset(
            item["id"]
            for number, item in enumerate(questions or ())
            if number not in numbers and isinstance(item, dict) and isinstance(item.get("id"), str)
        ),
    )


_FIELD_TYPES: Final[dict[tuple[type[msgspec.Struct], str], Any]] = {
    (struct, info.name): info.type
    for struct in (Client, Policy, Address, InsuredMainContact, AdditionalContact, PolicyDates, QuoteOption)
    for info in msgspec.structs.fields(struct)
}
_STAND_INS: Final[Mapping[type[msgspec.Struct], Mapping[str, Any]]] = {
    Address: {"street": "1 Main Street", "city": "Philadelphia", "zip": "19107"},
    InsuredMainContact: {"email": "somebody@example.com"},
    AdditionalContact: {"email": "somebody@example.com", "contact_roles": list(ContactRole)},
    QuoteOption: {"aggregate_limit": DEFAULT_AGGREGATE_LIMIT},
    PolicyDates: {},
}


def or_none(value: T | msgspec.UnsetType | None) -> T | None:
    return None if isinstance(value, msgspec.UnsetType) else value


def _product(policy: object) -> InsuranceProduct | None:
    if not isinstance(policy, dict):
        return None
    if policy.get("insurance_product") is None:
        return DEFAULT_PRODUCT
    product: InsuranceProduct | None = _field(Policy, policy, "insurance_product")
    return product


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _field(struct: type[msgspec.Struct], given: dict[str, Any], name: str) -> Any:  # noqa: ANN401 - the field's own type
    return _read(given[name], _FIELD_TYPES[struct, name]) if name in given else None


def _salvage(struct: type[S], value: object) -> S | None:
    """Read a struct field by field; None where too little of it is readable to check."""
    if not isinstance(value, dict):
        return None
    readable = {
        name: read
        for name in struct.__struct_fields__
        if name in value and (read := _read(value[name], _FIELD_TYPES[struct, name])) is not None
    }
    if struct is Address and value.get("state") is not None:
        readable.setdefault("state", STAND_IN_STATE)
    if struct is QuoteOption and "per_claim_limit" in readable:
        # What stands in for an unreadable aggregate is one that its per-claim limit fits.
        readable.setdefault("aggregate_limit", readable["per_claim_limit"])
    try:
        return struct(**{**_STAND_INS[struct], **readable})
    except TypeError:  # a required field without a stand-in: there are no dates without `effective`
        return None


def _within(most: int, value: object) -> list[Any] | None:
    """Return a list, empty if it was not sent; None if it is too long to look at its items."""
    if not isinstance(value, list):
        return []
    return value if len(value) <= most else None


def _items(value: list[Any] | None, read: Callable[[object], T | None]) -> Numbered[T]:
    items = ((number, read(item)) for number, item in enumerate(value or ()))
    return tuple((number, item) for number, item in items if item is not None)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _read(value: object, wanted: Any) -> Any:  # noqa: ANN401 - msgspec takes any type and gives it
    try:
        return msgspec.convert(value, wanted)
    except ValueError:
        return None


_BETWEEN_WORDS = re.compile(r"[\W_]+")


def address_key(address: Address, state: str) -> str:
    """Return one spelling for one place.

    Case, accents, punctuation, postal abbreviations, the split into two street lines and the ZIP's last four
    digits do not count; a suite does.
    """
    street2 = address.street2 if isinstance(address.street2, str) else ""
    pieces = (f"{address.street} {street2}", address.city, state, address.zip.strip()[:5])
    return "|".join(map(_plain, pieces))


def _plain(text: str) -> str:
    bare = text.casefold()
    if not bare.isascii():
        decomposed = unicodedata.normalize("NFKD", bare)
        bare = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    short_forms = _short_forms()
    return " ".join(short_forms.get(word, word) for word in _BETWEEN_WORDS.split(bare) if word)


@lru_cache(maxsize=1)
def _short_forms() -> Mapping[str, str]:
    """Return the Postal Service's abbreviations of the most common words."""
    return {row["word"]: row["short"] for row in packaged_rows("street_words.csv")}


LONGEST_SEARCHED: Final = 255
"""Characters of a key or a value; longer ones are kept and echoed, and not searched by."""


def has_metadata(body: str) -> bool:
    """Whether a request may have metadata; looking for the word is cheaper than reading JSON."""
    # Its name may be spelled in escapes.
    return '"metadata"' in body or "\\u00" in body


def searchable_metadata(body: str) -> Iterator[tuple[str, str]]:
    """Yield the keys of a request's metadata with their values as texts, but no lists or objects."""
    if not has_metadata(body):
        return
    for key, value in (client_of(body).get("metadata") or {}).items():
        if isinstance(value, str | int | float) and len(key) <= LONGEST_SEARCHED:
            text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
            if len(text) <= LONGEST_SEARCHED:
                yield key, text


def secondary_broker_of(body: str) -> str | None:
    """Return the secondary broker's address as it was sent; hardly any request has one."""
    # Looking for the field is cheaper than reading JSON; its name may be spelled in escapes.
    if '"secondary_broker_email"' not in body and "\\u00" not in body:
        return None
    return client_of(body).get("secondary_broker_email")
