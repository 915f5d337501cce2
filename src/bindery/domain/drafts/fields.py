"""What was typed into a draft and the request body that it stands for, in both directions.

A field is named as in the API: `client.revenue`, `client.address.zip`, `questions.Q2134`. Its values are
texts as they were typed; check boxes of one name are several of them. No rule is kept here: a text that is no
number goes into the body as it is, and reading the body says what is wrong with it.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any, Final

import msgspec

from bindery.contract.questions import QuestionType
from bindery.contract.vocabulary import DEFAULT_PRODUCT, InsuranceProduct
from bindery.domain.applicant.risk import bare_id
from bindery.domain.drafts.draft_applicant import DraftApplicant, read_applicant
from bindery.domain.questions.question import QUESTIONS, QuestionSet

Fields = Mapping[str, tuple[str, ...]]

PRODUCT: Final = "policy.insurance_product"
DOMAINS: Final = "client.domains"
REVENUE: Final = "client.revenue"
OPTIONS: Final = "policy.quotes"
ADDRESS: Final = "client.address"
COMPANY: Final = "client.company_id"
CONTACTS: Final = "client.additional_contacts"
METADATA: Final = "client.metadata"
QUESTION: Final = "questions."
SEEN: Final = "questions.seen"
"""The field that has the facts for which the questions were shown last: revenue, and whether prior acts."""
ROOTS: Final = ("client", "policy")
OBJECTS: Final = frozenset({ADDRESS, "client.insured_main_contact", "policy.dates"})
"""The objects whose properties are fields of their own."""
ITEMS: Final = frozenset({OPTIONS, CONTACTS})
"""Lists of objects: each value of the field is one object as JSON."""
LONGEST_NAME: Final = 100
LARGEST: Final = 200_000
"""How many characters of JSON the fields of a draft may take: as much as any form that can be sent."""

_NAME: Final = re.compile(
    rf"(?:{'|'.join(map(re.escape, (*ROOTS, *sorted(OBJECTS), 'questions')))})\.\w+", re.ASCII
)
_NUMBER: Final = re.compile(r"-?\$? ?(\d{1,40}|\d{1,3}(,\d{3}){1,12})(\.0{1,10})?", re.ASCII)
_MONEY_SIGNS: Final = str.maketrans("", "", "$, ")
_BETWEEN_DOMAINS: Final = re.compile(r"[\n,;]")
_TRUTHS: Final[Mapping[str, bool]] = {"true": True, "false": False}


def is_field(name: str) -> bool:
    """Whether a draft keeps a field of this name; buttons and searches of its pages have others."""
    return len(name) <= LONGEST_NAME and name not in OBJECTS and _NAME.fullmatch(name) is not None


def typed(fields: Fields, name: str) -> str:
    """Return the text of a field that has one; empty without it."""
    return "\n".join(fields.get(name, ()))


def product_of(fields: Fields) -> InsuranceProduct:
    """Return the product that is chosen; the API's default while none is."""
    try:
        return InsuranceProduct(typed(fields, PRODUCT))
    except ValueError:
        return DEFAULT_PRODUCT


def questions_of(fields: Fields, today: date) -> QuestionSet:
    return QUESTIONS.in_force(today).sets[product_of(fields)]


def body_of(fields: Fields, today: date) -> dict[str, Any]:
    """Return the request body of what was typed; nothing is added but the objects that hold it."""
    client: dict[str, Any] = {}
    body: dict[str, Any] = {"client": client, "policy": {}, "questions": []}
    for name in sorted(fields):
        values = fields[name]
        root, *way, last = name.split(".")
        if root not in ROOTS or not values:
            continue
        place = body[root]
        for step in way:
            place = place.setdefault(step, {})
        place[last] = _value(name, values)
    # Without an address its parts are reported, not the object, which no page has a field for.
    client.setdefault("address", {})
    body["questions"] = [
        {"id": question_id, "value": value} for question_id, value in _answers(fields, today)
    ]
    return body


def read_fields(fields: Fields, today: date) -> tuple[dict[str, Any], DraftApplicant]:
    """Return the request body to send, and what it tells of its applicant.

    It has the answers that are asked for; others are kept in their fields.
    """
    body = body_of(fields, today)
    applicant = read_applicant(body, today)
    body["questions"] = [
        answer for answer in body["questions"] if bare_id(answer["id"]) in applicant.required
    ]
    return body, applicant


def unknown_answers(fields: Fields, today: date) -> dict[str, tuple[str, ...]]:
    """Return the answers to questions that the product does not have, by id: they are kept and not sent."""
    known = questions_of(fields, today).by_spelling
    return {
        question_id: values
        for name, values in fields.items()
        if name != SEEN and _is_answer(name) and (question_id := name.removeprefix(QUESTION)) not in known
    }


def _value(name: str, values: tuple[str, ...]) -> Any:  # noqa: ANN401 - whatever JSON has
    if name == DOMAINS:
        return _domains(values)
    if name in ITEMS:
        return [_read_json(text) for text in values]
    if name == REVENUE:
        return number_in(values[-1])
    if name in _TEXTS:
        return values[-1]
    return _read_json(values[-1])


def domains_of(fields: Fields) -> list[str]:
    return _domains(fields.get(DOMAINS, ()))


def _domains(values: tuple[str, ...]) -> list[str]:
    """Return what is typed a line each, or between commas; a space is no reason to part a name."""
    pieces = (piece.strip() for text in values for piece in _BETWEEN_DOMAINS.split(text))
    return [piece for piece in pieces if piece]


def _read_json(text: str) -> Any:  # noqa: ANN401 - whatever JSON has
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return text


def number_in(text: str) -> int | str:
    """Return the number that a text reads as, else the text."""
    if not _NUMBER.fullmatch(text.strip()):
        return text
    return int(text.strip().translate(_MONEY_SIGNS).partition(".")[0])


def _answers(fields: Fields, today: date) -> Iterator[tuple[str, Any]]:
    """Yield the answers in the order of the questions, and after them those to unknown questions."""
    questions = questions_of(fields, today)
    given = {name.removeprefix(QUESTION): values for name, values in fields.items() if _is_answer(name)}
    for question in questions:
        if values := given.pop(question.id, ()):
            yield question.id, _answer(question.type, values)
    for question_id in sorted(given):
        if values := given[question_id]:
            yield question_id, values[0] if len(values) == 1 else list(values)


def _is_answer(name: str) -> bool:
    return name.startswith(QUESTION)


def _answer(kind: QuestionType, values: tuple[str, ...]) -> Any:  # noqa: ANN401 - whatever JSON has
    if kind is QuestionType.MULTI_SELECT or len(values) > 1:
        return list(values)
    if kind is QuestionType.BOOLEAN:
        return _TRUTHS.get(values[0].lower(), values[0])
    if kind in {QuestionType.NUMERIC, QuestionType.AMOUNT}:
        return number_in(values[0])
    return values[0]


def fields_of(body: object, today: date) -> dict[str, tuple[str, ...]]:
    """Return the fields of a request body; what no field can hold is left out."""
    if not isinstance(body, dict):
        return {}
    found = {
        name: values
        for root in ROOTS
        for name, values in _texts(root, body.get(root))
        if is_field(name) and values
    }
    questions = questions_of(found, today)
    for item in _items(body):
        if isinstance(item.get("id"), str) and item.get("value") is not None:
            question = questions.by_spelling.get(item["id"])
            name = QUESTION + (question.id if question else item["id"])
            value = item["value"]
            values = tuple(map(_text, value)) if isinstance(value, list) else (_text(value),)
            if is_field(name):
                found[name] = tuple(dict.fromkeys((*found.get(name, ()), *values)))
    return found


def unkept_answers(body: object) -> tuple[str, ...]:
    """Return the ids of answers in a request body that no field of a draft can hold."""
    items = _items(body) if isinstance(body, dict) else ()
    ids = (item.get("id") for item in items if item.get("value") is not None)
    return tuple(_text(name) for name in ids if not isinstance(name, str) or not is_field(QUESTION + name))


def _items(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    answers = body.get("questions")
    return [item for item in answers if isinstance(item, dict)] if isinstance(answers, list) else []


def _texts(path: str, value: object) -> Iterator[tuple[str, tuple[str, ...]]]:
    if not isinstance(value, dict):
        return
    for key, item in value.items():
        name = f"{path}.{key}"
        if item is None:
            continue
        if name in OBJECTS:
            yield from _texts(name, item)
        elif isinstance(item, list) and (name in ITEMS or name == DOMAINS):
            yield name, tuple(_text(part, is_json=name in ITEMS) for part in item)
        else:
            is_json = name not in _TEXTS and name != REVENUE
            yield name, (_text(item, is_json=is_json),)


def _text(value: object, *, is_json: bool = False) -> str:
    """Return a value as it would be typed; PostgreSQL keeps no zero character."""
    text = value if isinstance(value, str) and not is_json else msgspec.json.encode(value).decode()
    return text.replace("\x00", "").replace("\\u0000", "")


_TEXTS: Final = frozenset(
    {
        *(f"client.{name}" for name in ("name", "dba", "industry", "broker_email", "secondary_broker_email")),
        COMPANY,
        *(f"{ADDRESS}.{name}" for name in ("street", "street2", "city", "zip", "state")),
        *(
            f"client.insured_main_contact.{name}"
            for name in ("email", "first_name", "last_name", "cell_phone")
        ),
        PRODUCT,
        "policy.program_code",
        *(
            f"policy.dates.{name}"
            for name in ("effective", "expiration", "mpl_retroactive_date", "teo_retroactive_date")
        ),
    }
)
"""The fields that are texts; what is in none of these lists is kept as JSON."""
