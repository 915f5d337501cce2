"""A quote entered by hand: pages of a draft, filled in and sent as a browser without JavaScript does."""

import html
import re
import uuid
from datetime import date
from html.parser import HTMLParser
from typing import Any, Final

from bindery.domain.access.users import Role
from bindery.domain.drafts.fields import Fields
from support.people import Person, sign_in_as
from support.service import Service

TODAY: Final = date(2026, 11, 18)
MARKS: Final = re.compile(r'name="marks" value="([^"]*)"')
COMPANY: Final[dict[str, Any]] = {
    "policy.insurance_product": "CYB",
    "client.name": "Marble Lighthouse Dental Group PC",
    "client.revenue": "6,400,000",
    "client.domains": "clean.example.com",
    "client.industry": "621210",
    "client.address.street": "1200 Market Street",
    "client.address.city": "Philadelphia",
    "client.address.zip": "19107",
    "client.broker_email": "broker@example.com",
}
ANSWERS: Final[dict[str, str | tuple[str, ...]]] = {
    "Q2134": "true",
    "Q2314": "58",
    "Q2244": "None of the above",
    "Q2159": "false",
    "Q2142": "true",
    "Q2311": "Dedicated cloud backup service (e.g. backup as a service)",
    "Q2313": "Yes",
    "Q2300": "true",
    "Q2301": "true",
    "Q2307": "No",
    "Q2302": "Microsoft Defender for Office 365",
    "Q2304": "Huntress Managed EDR",
    "Q2309": "Managed 24/7 by a third-party provider (e.g. MSSP or external IT vendor)",
    "Q2310": "Huntress",
    "Q2315": "No",
    "Q2146": "false",
    "Q2147": "false",
}
"""What the company answers; the premium is then $2,176 with the best scan and $3,075 with the worst."""


def typed(**more: str | tuple[str, ...]) -> Fields:
    """Return the fields of a company with all its answers; an empty text takes a field away."""
    fields = {**COMPANY, **{f"questions.{name}": value for name, value in ANSWERS.items()}}
    for name, value in more.items():
        fields[name.replace("__", ".")] = value
    return {name: (value,) if isinstance(value, str) else value for name, value in fields.items() if value}


async def colleague_of(service: Service) -> Person:
    return await sign_in_as(service, Role.BROKER, email=f"col-{uuid.uuid4().hex[:6]}@example.com")


def marks_of(page: str) -> str:
    found = MARKS.search(page)
    assert found is not None, "the page of a draft carries marks"
    return html.unescape(found[1])


def address_in(page: str) -> str:
    """Return the address that the form of a draft's step goes to."""
    found = re.search(r'<form id="step"[^>]*action="(/draft/[^"]+)"', page)
    assert found is not None, "no page of a draft"
    return found[1]


async def start(person: Person, **fields: Any) -> str:
    """Type a company into a new draft and return the draft's address, without the step."""
    page = await person.open("/new")
    address = address_in(page)
    answer = await person.post(address, marks=marks_of(page), go="check", **{**COMPANY, **fields})
    assert answer.status_code == 303, answer.text
    return address.removesuffix("/company")


async def drop(person: Person, content: bytes, name: str = "request.json") -> str:
    """Drop a file on the page of a new quote and return the draft's address, without the step."""
    answer = await person.post("/new", files={"file": (name, content)})
    assert answer.status_code == 303, answer.text
    return answer.headers["location"].removesuffix("/review")


class _Form(HTMLParser):
    """What a browser sends of the form of a step, as its page came."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: dict[str, list[str]] = {}
        self.ids: set[str] = set()
        self._name, self._is_inside, self._chosen = "", False, ""
        self._text: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.ids.add(given.get("id", ""))
        name, is_off = given.get("name", ""), "checked" not in given
        if tag == "form":
            self._is_inside = given.get("id") == "step"
        elif tag == "input" and name and (self._is_inside or given.get("form") == "step"):
            if not (given.get("type") in {"checkbox", "radio"} and is_off):
                self._take(name, given.get("value", "on"))
        elif tag == "textarea" and name and self._is_inside:
            self._name, self._text = name, []
        elif tag == "select" and self._is_inside:
            self._name, self._chosen = name, ""
        elif tag == "option" and (self._is_inside and ("selected" in given or not self._chosen)):
            self._chosen = f"{given.get('value', '')}\n"

    def handle_data(self, data: str) -> None:
        if self._text is not None:
            self._text.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea" and self._text is not None:
            self._take(self._name, "".join(self._text))
            self._text = None
        elif tag == "select" and self._is_inside:
            self._take(self._name, self._chosen.removesuffix("\n"))
        elif tag == "form":
            self._is_inside = False

    def _take(self, name: str, value: str) -> None:
        self.sent.setdefault(name, []).append(value)


def form_of(page: str) -> dict[str, Any]:
    """Return every field of a step's form as a browser sends it."""
    reader = _Form()
    reader.feed(page)
    return reader.sent


def ids_of(page: str) -> set[str]:
    reader = _Form()
    reader.feed(page)
    return reader.ids
