"""A quote entered by hand: pages of a draft, filled in and sent as a browser without JavaScript does."""

import html
import re
from typing import Any, Final

from support.people import Person

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
