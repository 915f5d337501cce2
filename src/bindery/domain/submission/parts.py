"""The pieces of a create-quote request, each of which can be checked though others are malformed.

A body that breaks the schema in one place may break rules elsewhere, and the caller is to hear of everything
at once. So the checks work on parts; of a well-formed request all parts are there, of a malformed one those
that could be read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec

from bindery.contract.quotes import (
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
from bindery.contract.vocabulary import DEFAULT_PRODUCT, InsuranceProduct

T = TypeVar("T")
Numbered = Sequence[tuple[int, T]]
"""List items with their index in the request, so that a problem names the right one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What could be read of a request; None where a piece is malformed or missing."""

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
    dates_are_readable: bool = True
    program_code: str | None = None
    options: Numbered[QuoteOption] = ()
    questions: Numbered[Question] = ()
    unreadable_answers: frozenset[str] = field(default_factory=frozenset)


def parts_of(request: CreateQuotesRequest) -> Parts:
    """Take a well-formed request apart."""
    client, policy = request.client, request.policy
    return Parts(
        name=client.name,
        dba=_or_none(client.dba),
        revenue=client.revenue,
        broker_email=client.broker_email,
        address=client.address,
        company_id=None if isinstance(client.company_id, msgspec.UnsetType) else client.company_id,
        domains=tuple(enumerate(client.domains)),
        industry=_or_none(client.industry),
        insured_main_contact=_or_none(client.insured_main_contact),
        additional_contacts=tuple(enumerate(client.additional_contacts)),
        secondary_broker_email=_or_none(client.secondary_broker_email),
        metadata=_or_none(client.metadata),
        product=policy.insurance_product,
        dates=_or_none(policy.dates),
        program_code=policy.program_code,
        options=tuple(enumerate(policy.quotes)),
        questions=tuple(enumerate(request.questions)),
    )


def salvage_parts(raw: object) -> Parts:
    """Read whatever pieces of a malformed request can be read."""
    body = _mapping(raw)
    client, policy = _mapping(body.get("client")), _mapping(body.get("policy"))
    dates = _field(Policy, policy, "dates")
    questions = body.get("questions")
    readable = _items(questions, Question)
    numbers = {number for number, _ in readable}
    return Parts(
        name=_field(Client, client, "name"),
        dba=_field(Client, client, "dba"),
        revenue=_field(Client, client, "revenue"),
        broker_email=_field(Client, client, "broker_email"),
        address=_field(Client, client, "address"),
        company_id=_field(Client, client, "company_id"),
        domains=_items(client.get("domains"), str),
        industry=_field(Client, client, "industry"),
        insured_main_contact=_field(Client, client, "insured_main_contact"),
        additional_contacts=_items(client.get("additional_contacts"), AdditionalContact),
        secondary_broker_email=_field(Client, client, "secondary_broker_email"),
        metadata=_field(Client, client, "metadata"),
        product=_field(Policy, policy, "insurance_product")
        if "insurance_product" in policy
        else DEFAULT_PRODUCT,
        dates=dates,
        dates_are_readable=dates is not None or "dates" not in policy,
        program_code=_field(Policy, policy, "program_code"),
        options=_items(policy.get("quotes"), QuoteOption),
        questions=readable,
        unreadable_answers=frozenset(
            item["id"]
            for number, item in enumerate(questions if isinstance(questions, list) else ())
            if number not in numbers and isinstance(item, dict) and isinstance(item.get("id"), str)
        ),
    )


_FIELD_TYPES: dict[tuple[type[msgspec.Struct], str], Any] = {
    (struct, info.name): info.type for struct in (Client, Policy) for info in msgspec.structs.fields(struct)
}


def _or_none(value: T | msgspec.UnsetType | None) -> T | None:
    return None if isinstance(value, msgspec.UnsetType) else value


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _field(struct: type[msgspec.Struct], given: dict[str, Any], name: str) -> Any:  # noqa: ANN401 - the field's own type
    return _read(given[name], _FIELD_TYPES[struct, name]) if name in given else None


def _items(value: object, item_type: type[T]) -> Numbered[T]:
    if not isinstance(value, list):
        return ()
    read = ((number, _read(item, item_type)) for number, item in enumerate(value))
    return tuple((number, item) for number, item in read if item is not None)


def _read(value: object, wanted: Any) -> Any:  # noqa: ANN401 - msgspec takes any type and gives it
    try:
        return msgspec.convert(value, wanted)
    except (msgspec.ValidationError, ValueError):
        return None
