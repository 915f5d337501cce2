"""The form that changes a policy: its fields as the policy fills them, and as a request reads them."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

import msgspec

from bindery.base.errors import Problem
from bindery.contract.changes import PolicyChangeAsk
from bindery.contract.vocabulary import ContactRole
from bindery.domain.applicant.risk import Terms
from bindery.domain.applicant.us_states import find_state, is_zip, state_of_zip
from bindery.domain.policy.change_ask import TERM_FIELDS, InsuredNow, only_different
from bindery.http.bodies import BodyDecoder, WellFormed
from bindery.web.company.forms import FormProblem
from bindery.web.frame.visit import read_number
from bindery.web.shown.words import american

PERSON: Final = ("first_name", "last_name", "cell_phone", "email")
ADDRESS: Final = ("street", "street2", "city", "zip")
PLAIN: Final = (*TERM_FIELDS, "name", "dba", *ADDRESS, "domains", *PERSON)
ROLES: Final = tuple(role.value for role in ContactRole)
OTHER: Final = ("name", "interest")
LABELS: Final[Mapping[str, str]] = {
    "effective": "Changed from",
    "reason": "Reason",
    "no_known_loss": "Statement of no known losses",
    "aggregate_limit": "Aggregate limit",
    "per_claim_limit": "Per-claim limit",
    "aggregate_retention": "Retention",
    "per_claim_retention": "Retention, each claim",
    "name": "Named insured",
    "dba": "Doing business as",
    "street": "Street",
    "street2": "Suite, floor or unit",
    "city": "City",
    "zip": "ZIP code",
    "domains": "Domains",
    "first_name": "First name",
    "last_name": "Last name",
    "cell_phone": "Phone",
    "email": "Email",
}
NOTHING_DIFFERS: Final = "Nothing differs from the policy as it is now: change something."
_WORDS: Final = {"too_short": "is required.", "too_few_items": "must be at least one of the two."}
_PLACES: Final = {field: place for place, field in enumerate(LABELS)}
_ROW: Final = re.compile(r"(person|other)_([0-9]{1,3})_(\w+)")
_STEP: Final = re.compile(r"(?:contacts\.additional_contacts|additional_insured)\[(\d+)\]\.?(\w*)")
_ask: Final = BodyDecoder(PolicyChangeAsk)
_decode_ask: Final = msgspec.json.Decoder(PolicyChangeAsk).decode


class ChangeFields(msgspec.Struct, frozen=True):
    """Everything of a policy that the form can change, as text; rows without any are left out."""

    plain: dict[str, str]
    people: tuple[dict[str, str], ...] = ()
    others: tuple[dict[str, str], ...] = ()

    @classmethod
    def of_policy(cls, terms: Terms, now: InsuredNow) -> "ChangeFields":
        client = now.client
        address, person = client["address"], client.get("insured_main_contact") or {}
        amounts = {name: str(getattr(terms, name) or "") for name in TERM_FIELDS}
        if terms.per_claim_limit == terms.aggregate_limit:
            amounts["per_claim_limit"] = ""
        return cls(
            plain={
                **amounts,
                "name": now.submission.name,
                "dba": now.submission.trade_name or "",
                **{name: _text(address.get(name)) for name in ADDRESS},
                "domains": "\n".join(now.submission.domains),
                **{name: _text(person.get(name)) for name in PERSON},
            },
            people=tuple(
                {
                    **{name: _text(other.get(name)) for name in PERSON if _text(other.get(name))},
                    **{role: "yes" for role in ROLES if role in other["contact_roles"]},
                }
                for other in client.get("additional_contacts") or ()
            ),
            others=tuple(
                {"name": other.name, **({"interest": other.interest} if other.interest else {})}
                for other in now.additional
            ),
        )

    @classmethod
    def of_form(cls, form: Mapping[str, str]) -> "ChangeFields":
        rows: dict[tuple[str, int], dict[str, str]] = {}
        for field, text in form.items():
            if (found := _ROW.fullmatch(field)) and text:
                rows.setdefault((found[1], int(found[2])), {})[found[3]] = text
        return cls(
            plain={name: form.get(name, "") for name in PLAIN},
            people=tuple(row for (kind, _), row in sorted(rows.items()) if kind == "person"),
            others=tuple(row for (kind, _), row in sorted(rows.items()) if kind == "other"),
        )

    def onto(self, now: "ChangeFields", *, was: "ChangeFields") -> "ChangeFields":
        """Return what was typed, and of what was not touched what the policy has now."""
        return ChangeFields(
            plain={
                name: now.plain[name] if text == was.plain.get(name) else text
                for name, text in self.plain.items()
            },
            people=now.people if self.people == was.people else self.people,
            others=now.others if self.others == was.others else self.others,
        )

    @property
    def as_text(self) -> str:
        return msgspec.json.encode(self).decode()

    @classmethod
    def from_text(cls, text: str, *, instead: "ChangeFields") -> "ChangeFields":
        """Read what a page had been filled with; a page without it counts as one of now."""
        try:
            return msgspec.json.decode(text, type=cls)
        except msgspec.DecodeError:
            return instead


@dataclass(frozen=True, slots=True)
class ReadAsk:
    """A form as a request for what differs; where problems were found, without what they are about."""

    ask: PolicyChangeAsk
    problems: tuple[Problem, ...]


def read_ask(
    fields: ChangeFields,
    form: Mapping[str, str],
    terms: Terms,
    now: InsuredNow,
    *,
    default: date,
    is_sent: bool,
) -> ReadAsk:
    """Read a form; only one that is sent needs a reason."""
    body: dict[str, Any] = {
        "effective": form.get("effective", ""),
        "changes": dict(_changes(fields, now)),
        "reason": form.get("reason", ""),
        "no_known_loss": "no_known_loss" in form,
    }
    problems = []
    if not body["reason"]:
        body["reason"] = "-"
        if is_sent:
            problems.append(Problem("reason", "required", "is required"))
    read = _ask.decode(msgspec.json.encode(body))
    if isinstance(read, WellFormed):
        ask = read.value
    else:
        problems += read.problems
        for problem in read.problems:
            _mend(body, problem.path, default)
        ask = _decode_ask(msgspec.json.encode(body))
    different = only_different(terms, now, ask.changes)
    return ReadAsk(msgspec.structs.replace(ask, changes=different), tuple(problems))


def _mend(body: dict[str, Any], path: str, default: date) -> None:
    """Put something that is right in the place of what is not, so that everything else is judged as well."""
    instead = {
        "effective": default.isoformat(),
        "email": "a@example.com",
        "contact_roles": [ROLES[0]],
        **dict.fromkeys(("reason", "name", "street", "city"), "-"),
    }
    *steps, last = re.findall(r"\w+", path)
    if last == "zip":
        # No other ZIP code would do: it is judged against the state.
        steps, last = ["changes"], "address"
    place: Any = body
    for step in steps:
        place = place[int(step)] if isinstance(place, list) else place.get(step, {})
    if last in instead:
        place[last] = instead[last]
    elif isinstance(place, dict):
        place.pop(last, None)
    else:
        place.clear()


def _changes(fields: ChangeFields, now: InsuredNow) -> Iterator[tuple[str, Any]]:
    plain = fields.plain
    for name in TERM_FIELDS:
        # A claim's limit without a figure is the aggregate one.
        text = plain[name] or (plain["aggregate_limit"] if name == "per_claim_limit" else "")
        if text:
            number = read_number(text)
            yield name, text if number is None else number
    yield "name", plain["name"]
    yield "dba", plain["dba"]
    yield "address", _address(plain, now)
    yield "domains", re.split(r"[\s,;]+", plain["domains"].strip()) if plain["domains"].strip() else []
    person = {name: plain[name] for name in PERSON if plain[name]}
    if person or fields.people or now.client.get("insured_main_contact"):
        yield (
            "contacts",
            {
                "insured_main_contact": {"email": "", **person},
                "additional_contacts": [_contact(row) for row in fields.people],
            },
        )
    yield (
        "additional_insured",
        [{"name": "", **{name: row[name] for name in OTHER if name in row}} for row in fields.others],
    )


def _address(plain: Mapping[str, str], now: InsuredNow) -> dict[str, str]:
    """Return the address as it is sent; its ZIP code tells the state unless it stays or tells none."""
    before = now.client["address"]
    zip_code = plain["zip"]
    is_told = is_zip(zip_code) and find_state(state_of_zip(zip_code) or "") is not None
    stays = zip_code == _text(before.get("zip")) or (is_zip(zip_code) and not is_told)
    state = {"state": now.submission.state} if stays else {}
    return {name: plain[name] for name in ADDRESS if plain[name] or name != "street2"} | state


def _contact(row: Mapping[str, str]) -> dict[str, Any]:
    known = {name: row[name] for name in PERSON if name in row}
    return {"email": "", **known, "contact_roles": [role for role in ROLES if role in row]}


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def form_problems(problems: Iterable[Problem], fields: ChangeFields) -> list[FormProblem]:
    """Return problems with the fields that they are about, in the order of the form."""
    found = [_form_problem(problem, fields) for problem in problems]
    return sorted(found, key=lambda problem: _PLACES.get(problem.field, len(_PLACES)))


def _form_problem(problem: Problem, fields: ChangeFields) -> FormProblem:
    """Return a problem with the field of the form that it is about."""
    field, label = _field_of(problem.path.removeprefix("changes."))
    text = f"{american(problem.message).removesuffix('.')}."
    if problem.code in _WORDS:
        text = _WORDS[problem.code]
    if found := re.match(r"changes\.domains\[(\d+)\]", problem.path):
        text = f"{_domain(fields, int(found[1]))} {text}"
    if problem.code == "nothing_changed":
        return FormProblem("", "", NOTHING_DIFFERS)
    return FormProblem(field, label, text)


def _domain(fields: ChangeFields, number: int) -> str:
    return re.split(r"[\s,;]+", fields.plain["domains"].strip())[number]


def _field_of(path: str) -> tuple[str, str]:
    if found := _STEP.match(path):
        number, part = int(found[1]), found[2]
        is_person = path.startswith("contacts")
        kind = "person" if is_person else "other"
        of = f"{'Contact' if is_person else 'Additional insured'} {number + 1}"
        if part == "contact_roles":
            return f"{kind}_{number}_{ROLES[0]}", f"{of}: what it is told about"
        return f"{kind}_{number}_{part}", f"{of}: {part.replace('_', ' ')}"
    first, _, last = path.rpartition(".")
    if path.startswith("address"):
        field = last if last in ADDRESS else "zip"
        return field, LABELS[field] if first else "Address"
    if path.startswith("domains"):
        return "domains", LABELS["domains"]
    return (last, LABELS[last]) if last in LABELS else ("", path)
