"""The schemas of the OpenAPI document: those of the contract, and what the types of Python leave open.

msgspec writes what it needs to decode. Generators of clients need more: the types of enums, the limits of
what we send, which fields are always there, and which texts are codes of a closed catalogue.
"""

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from bindery.api.event_section import REF, Schema, event_schemas, promise_details, ref
from bindery.api.operation import IDENTIFIER
from bindery.contract.codes import ERROR_CODES, PROBLEM_CODES, REFERRAL_CODES
from bindery.contract.documents import DocumentType
from bindery.contract.vocabulary import QuoteAction
from bindery.contract.webhooks import ReplayRequest
from bindery.domain.applicant.us_states import state_names
from bindery.domain.policy.policy import RenewalType
from bindery.domain.questions.question import MAX_TEXT_LENGTH
from bindery.domain.screening.case import Recommendation
from bindery.domain.submission.value import CORRECTION_MEANINGS

LONGEST_TEXT_SENT: Final = 10_000
MOST_ITEMS_SENT: Final = 10_000
LARGEST_NUMBER_SENT: Final = 2**53 - 1
"""What every reader of JSON holds exactly."""
STATES: Final = f"^({'|'.join([*state_names(), *state_names().values()])})$"
"""As the specification has them; that other spellings are taken too, as in small letters, is not promised."""
_INT64: Final = {"minimum": -(2**63), "maximum": 2**63 - 1}
_TYPE_NAMES: Final = {str: "string", int: "integer", bool: "boolean"}


def described_schemas(
    requests: Sequence[Any], answers: Sequence[Any]
) -> tuple[Mapping[int, Schema], dict[str, Schema]]:
    """Return the schema of each type, by its `id`, and the components that they refer to."""
    types = [*requests, *answers, DocumentType]
    schemas, components = msgspec.json.schema_components(types, ref_template=REF)
    components |= event_schemas(components)
    components |= {
        name: {"description": words, "enum": [str(value) for value in values]}
        for name, (words, values) in _CATALOGUES.items()
    }
    for (name, field), change in _REFINED.items():
        if name in components:
            properties = components[name]["properties"]
            properties[field] = change(properties[field])
    taken_in = set(_reachable(schemas[: len(requests)], components))
    components["ShownClient"] = _shown_client(components)
    components["RequestWarning"] = _request_warning(components)
    schema_of = dict(zip(map(id, types), schemas, strict=True))
    omitting = _structs_that_omit_defaults()
    for name, schema in components.items():
        if name not in taken_in:
            _finish_sent(schema, always_there=name not in omitting)
        _finish(schema)
    promise_details(components)
    if ReplayRequest.__name__ in components:
        components[ReplayRequest.__name__] = _exactly_one(components[ReplayRequest.__name__])
    return schema_of, dict(sorted(components.items()))


_CATALOGUES: Final[Mapping[str, tuple[str, Iterable[str]]]] = {
    "ErrorCode": ("What an answer is about, for a program. Later versions may add codes.", ERROR_CODES),
    "ProblemCode": (
        "What is wrong at one place of a request. Later versions may add codes.",
        PROBLEM_CODES,
    ),
    "ReferralCode": (
        "The rule that refers a quote to an underwriter. Later versions may add codes.",
        REFERRAL_CODES,
    ),
    "Recommendation": ("What a rule advises the underwriter to do.", Recommendation),
    "RenewalType": ("Whether the policy renews automatically.", RenewalType),
    "QuoteAction": ("What the partner can do with a quote.", QuoteAction),
    "CorrectionCode": (
        "What the quote does not use as it was sent. Later versions may add codes.",
        CORRECTION_MEANINGS,
    ),
}


def _named(name: str) -> Callable[[Schema], Schema]:
    """Refer to a schema instead; the words about the field stay."""
    return lambda field: {**_words(field), **ref(name)}


def _list_of(name: str) -> Callable[[Schema], Schema]:
    return lambda field: {**_words(field), "type": "array", "items": ref(name)}


def _words(field: Schema) -> Schema:
    return {key: field[key] for key in ("description", "default") if key in field}


def _with(**more: object) -> Callable[[Schema], Schema]:
    """Add details to the schema of a text, or of the text that a field may be."""

    def add(field: Schema) -> Schema:
        if "anyOf" in field:
            return {**field, "anyOf": [add(kind) for kind in field["anyOf"]]}
        return {**field, **more} if field.get("type") == "string" else field

    return add


def _titled(title: str) -> Callable[[Schema], Schema]:
    """Name what a field holds unless it is null; generated clients would number it."""

    def add(field: Schema) -> Schema:
        kinds = [kind if kind.get("type") == "null" else {"title": title, **kind} for kind in field["anyOf"]]
        return {**field, "anyOf": kinds}

    return add


def _answer_value(field: Schema) -> Schema:
    text: Schema = {"type": "string", "maxLength": MAX_TEXT_LENGTH}
    more: dict[str, Schema] = {"array": {"items": text}, "string": text}
    kinds = [{**kind, **more.get(kind["type"], {})} for kind in field["anyOf"]]
    return {**field, "anyOf": kinds}


_REFINED: Final[Mapping[tuple[str, str], Callable[[Schema], Schema]]] = {
    ("AdditionalContact", "email"): _with(format="email"),
    ("BindRequest", "quote_identifier"): _with(**IDENTIFIER.schema),
    ("Client", "broker_email"): _with(format="email"),
    ("Client", "company_id"): _with(minLength=1, maxLength=64),
    ("Client", "industry"): _with(minLength=2, maxLength=6),
    ("Client", "metadata"): _titled("Metadata"),
    ("Client", "secondary_broker_email"): _with(format="email"),
    ("CompanyBody", "client"): _named("ShownClient"),
    **{(name, "metadata"): _titled("Metadata") for name in ("CompanyOption", "ListedPolicy", "ListedQuote")},
    ("CorrectionBody", "code"): _named("CorrectionCode"),
    ("DocumentReady", "documents"): _list_of("DocumentType"),
    ("ErrorBody", "available_statuses"): _list_of("QuoteStatus"),
    ("ErrorBody", "code"): _named("ErrorCode"),
    ("ErrorBody", "warnings"): _list_of("RequestWarning"),
    ("ErrorProblem", "code"): _named("ProblemCode"),
    ("EventReason", "code"): _named("ReferralCode"),
    ("Address", "state"): _with(pattern=STATES),
    ("IndicationRequest", "industry"): _with(minLength=2, maxLength=6),
    ("IndicationRequest", "state"): _with(pattern=STATES),
    ("InsuredMainContact", "email"): _with(format="email"),
    ("ListedPolicy", "renewal_type"): _named("RenewalType"),
    ("NotReadyBody", "quote_status"): _named("QuoteStatus"),
    ("QuoteBody", "available_actions"): _list_of("QuoteAction"),
    ("QuoteBody", "available_documents"): _list_of("DocumentType"),
    ("QuoteOption", "aggregate_retention"): _titled("AggregateRetention"),
    ("IndicationRequest", "aggregate_limit"): _titled("IndicatedLimit"),
    ("QuoteOption", "per_claim_limit"): _titled("PerClaimLimit"),
    ("QuoteOption", "per_claim_retention"): _titled("PerClaimRetention"),
    ("RegisteredWebhook", "warnings"): _list_of("RequestWarning"),
    ("ReferralReason", "code"): _named("ReferralCode"),
    ("ReferralReason", "recommendation"): _named("Recommendation"),
    ("RenewalBody", "type"): _named("RenewalType"),
    ("DeliveryBody", "type"): _named("DeliveryType"),
    ("QuoteBody", "client"): _named("ShownClient"),
    ("Policy", "program_code"): _with(maxLength=64),
    ("PolicyDates", "mpl_retroactive_date"): _with(maxLength=32),
    ("Question", "value"): _answer_value,
    ("ReviewRequest", "contingency_id"): _with(maxLength=20),
    ("PolicyChanges", "aggregate_limit"): _titled("ChangedLimit"),
    ("PolicyChanges", "aggregate_retention"): _titled("AggregateRetention"),
    ("PolicyChanges", "per_claim_limit"): _titled("PerClaimLimit"),
    ("PolicyChanges", "per_claim_retention"): _titled("PerClaimRetention"),
    ("ReviewTerms", "aggregate_retention"): _titled("AggregateRetention"),
    ("UploadForm", "contingency"): _with(maxLength=20),
    ("UploadForm", "quote_identifier"): _with(**IDENTIFIER.schema),
    ("ValidateResponse", "warnings"): _list_of("RequestWarning"),
    ("WebhookRegistration", "endpoint"): _with(format="uri"),
}
"""What is said of fields and not decoded by: a client takes whatever a later service sends, and a request is
held against its checks, which find more and word it better."""


def _shown_client(components: Mapping[str, Schema]) -> Schema:
    """Describe a client in an answer: what was not sent, or as null, is left out there."""
    client = copy.deepcopy(components["Client"])
    shown = {name: _if_there(field) for name, field in client["properties"].items()}
    words = "The applicant as it was sent; what was left out is left out here too."
    return {**client, "title": "ShownClient", "description": words, "properties": shown}


def _request_warning(components: Mapping[str, Schema]) -> Schema:
    problem = copy.deepcopy(components["ErrorProblem"])
    code = {"description": "What it is about, for a program.", **ref("CorrectionCode")}
    words = "Something in a request that is accepted but not used as sent."
    properties = {**problem["properties"], "code": code}
    return {**problem, "title": "RequestWarning", "description": words, "properties": properties}


def _if_there(field: Schema) -> Schema:
    """Describe a field that is left out rather than null or at its default."""
    forms = [form for form in field.get("anyOf", ()) if form.get("type") != "null"]
    words = {key: value for key, value in field.items() if key not in {"anyOf", "default"}}
    return {**forms[0], **words} if len(forms) == 1 else words | ({"anyOf": forms} if forms else {})


def _exactly_one(schema: Schema) -> Schema:
    forms = [
        {
            "type": "object",
            "title": f"Replay by {name}",
            "required": [name],
            "properties": {name: _if_there(field)},
            "additionalProperties": False,
        }
        for name, field in schema["properties"].items()
    ]
    return {"title": schema["title"], "description": schema["description"], "oneOf": forms}


def _structs_that_omit_defaults() -> set[str]:
    found: set[str] = set()
    pending: list[type[msgspec.Struct]] = [msgspec.Struct]
    while pending:
        struct = pending.pop()
        pending += struct.__subclasses__()
        if struct is not msgspec.Struct and struct.__struct_config__.omit_defaults:
            found.add(struct.__name__)
    return found


def referred_to(described: object, components: Mapping[str, Schema]) -> dict[str, Schema]:
    """Return the components that a part of the document refers to, and those that these refer to."""
    return {name: components[name] for name in sorted(set(_named_in(described, components, set())))}


def _named_in(part: object, components: Mapping[str, Schema], seen: set[str]) -> Iterator[str]:
    match part:
        case dict():
            reference = part.get("$ref", "")
            name = reference.removeprefix(REF.format(name="")) if isinstance(reference, str) else ""
            if name in components and name not in seen:
                seen.add(name)
                yield name
                yield from _named_in(components[name], components, seen)
            for inside in part.values():
                yield from _named_in(inside, components, seen)
        case list():
            for inside in part:
                yield from _named_in(inside, components, seen)


def _reachable(schemas: Sequence[Schema], components: Mapping[str, Schema]) -> Iterator[str]:
    seen: set[str] = set()
    pending: list[Schema] = list(schemas)
    while pending:
        for part in _parts(pending.pop()):
            name = part.get("$ref", "").rpartition("/")[2]
            if name and name not in seen:
                seen.add(name)
                pending.append(components[name])
                yield name


def _parts(schema: Schema) -> Iterator[Schema]:
    yield schema
    inside = [*schema.get("properties", {}).values(), *schema.get("anyOf", ()), *schema.get("oneOf", ())]
    inside += [schema[key] for key in ("items", "additionalProperties") if isinstance(schema.get(key), dict)]
    for part in inside:
        yield from _parts(part)


def _finish_sent(schema: Schema, *, always_there: bool) -> None:
    """Describe what we send: no defaults, since nobody fills them in, and limits on everything."""
    properties = schema.get("properties", {})
    if always_there:
        known = {*schema.get("required", ()), *(name for name in properties if "default" in properties[name])}
        if known:
            schema["required"] = [name for name in properties if name in known]
    for part in _parts(schema):
        part.pop("default", None)
        kind = part.get("type")
        if "enum" in part or "const" in part:
            continue
        if kind == "integer":
            part.setdefault("minimum", 0)
            part.setdefault("maximum", LARGEST_NUMBER_SENT)
        elif kind == "string" and "format" not in part:
            part.setdefault("maxLength", LONGEST_TEXT_SENT)
        elif kind == "array":
            part.setdefault("maxItems", MOST_ITEMS_SENT)


def _finish(schema: Schema) -> None:
    for part in _parts(schema):
        if "enum" in part:
            part["type"] = _TYPE_NAMES[type(part["enum"][0])]
        kind = part.get("type")
        if kind == "integer":
            part["format"] = "int64"
            if "enum" not in part:
                for bound, value in _INT64.items():
                    part.setdefault(bound, value)
        elif kind == "number":
            part["format"] = "double"
        elif kind == "object" and "properties" not in part:
            part.setdefault("additionalProperties", True)
