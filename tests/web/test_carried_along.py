"""What a file has that no step of a draft asks for: shown, changed or left out, whatever is wrong with it."""

import html
import re
from typing import Any, Final

import msgspec
import pytest

from support.drafts import drop, form_of, ids_of
from support.intake import changed
from support.people import Person, text_of
from support.service import Service

_FIX: Final = re.compile(r'<li><a href="(/draft/[^"]*)">')
ANN: Final = {
    "email": "ann@harborlight.example",
    "contact_roles": ["policy_notices"],
    "first_name": "Ann",
    "desk": 7,
}
CONTACTS: Final = "client.additional_contacts"
NOTES: Final = "client.metadata"
Mend = dict[str, Any]

WRONG: Final[dict[str, tuple[str, object, str, Mend]]] = {
    "a contact's email": (
        CONTACTS,
        [ANN, {**ANN, "email": "ann"}],
        "contact.1.email",
        {"contact.1.email": "ann@marble.example"},
    ),
    "a contact without an email": (
        CONTACTS,
        [{"contact_roles": ["policy_notices"]}],
        "contact.0.email",
        {"contact.0.email": "ann@marble.example"},
    ),
    "a role that does not exist": (
        CONTACTS,
        [{**ANN, "contact_roles": ["boss"]}],
        "contact.0.contact_roles",
        {"contact.0.contact_roles": ["security_alerts"]},
    ),
    "a role said twice": (
        CONTACTS,
        [{**ANN, "contact_roles": ["policy_notices", "policy_notices"]}],
        "contact.0.contact_roles",
        {"contact.0.contact_roles": ["policy_notices"]},
    ),
    "a name that is too long": (
        CONTACTS,
        [{**ANN, "last_name": "x" * 1001}],
        "contact.0.last_name",
        {"contact.0.last_name": ""},
    ),
    "a contact to leave out": (
        CONTACTS,
        [ANN, {**ANN, "email": "ann"}],
        "contact.1.email",
        {"go": "without-contact.1"},
    ),
    "what is no contact": (CONTACTS, [7, ANN], "contact.0", {"go": "without-contact.0"}),
    "contacts that are no list": (CONTACTS, "x", "contact.0", {"go": f"without-{CONTACTS}"}),
    "more contacts than are taken": (CONTACTS, [ANN] * 101, CONTACTS, {"go": f"without-{CONTACTS}"}),
    "a contact that is too long to change": (
        CONTACTS,
        [{**ANN, "last_name": "x" * 30_000}],
        CONTACTS,
        {"go": f"without-{CONTACTS}"},
    ),
    "notes that are no object": (NOTES, "x", NOTES, {NOTES: '{"source": "x"}'}),
    "notes that are too large": (NOTES, {"a": "x" * 5_000}, NOTES, {"go": f"without-{NOTES}"}),
    "notes that are far too large": (NOTES, {"a": "x" * 50_000}, NOTES, {"go": f"without-{NOTES}"}),
    "a company of somebody else": (
        "client.company_id",
        "123456789",
        "client.company_id",
        {"client.company_id": ()},
    ),
    "what is no company": ("client.company_id", "x", "client.company_id", {"client.company_id": ()}),
    "a program that is gone": (
        "policy.program_code",
        "ACCOUNTANTS",
        "policy.program_code",
        {"policy.program_code": ""},
    ),
    "a broker who is gone": (
        "client.broker_email",
        "gone@example.com",
        "client.broker_email",
        {"client.broker_email": "broker@example.com"},
    ),
    "a state that does not exist": (
        "client.address.state",
        "Atlantis",
        "client.address.state",
        {"client.address.state": "PA"},
    ),
}


async def test_whatever_a_file_brings_along_is_mended_where_the_review_leads(
    service: Service, broker: Person, subtests: pytest.Subtests
) -> None:
    for number, (what, wrong) in enumerate(WRONG.items(), start=1):
        with subtests.test(what):
            await _mended(service, broker, *wrong)
            assert await service.count("submissions") == number


async def _mended(
    service: Service, broker: Person, path: str, value: object, target: str, mend: Mend
) -> None:
    place = await drop(broker, msgspec.json.encode(changed((path, value))))

    review = await broker.open(f"{place}/review")
    (fix,) = {html.unescape(address) for address in _FIX.findall(review)}
    page, _, field = fix.partition("#")
    assert (page, field) == (f"{place}/company?check=1", target)
    step = await broker.open(page)
    assert field in ids_of(step)
    assert '<span class="wrong"' in step
    # Somebody who looks at it and goes on has changed nothing.
    await broker.post(f"{place}/company", **{**form_of(step), "go": "review"})
    assert _FIX.findall(await broker.open(f"{place}/review")) == _FIX.findall(review)

    await broker.post(f"{place}/company", **{**form_of(await broker.open(page)), "go": "review", **mend})
    sent = await broker.post(f"{place}/review", go="send")

    assert sent.status_code == 303, text_of(sent.text)
    assert sent.headers["location"].startswith("/company/")


async def test_a_contact_that_is_changed_keeps_what_else_it_has(service: Service, broker: Person) -> None:
    place = await drop(
        broker, msgspec.json.encode(changed((CONTACTS, [ANN, {**ANN, "email": "bo@x.example"}])))
    )
    page = await broker.open(f"{place}/company")
    form = form_of(page)

    await broker.post(f"{place}/company/save", **{**form, "contact.0.first_name": "Anna"})
    await broker.post(f"{place}/review", go="send")

    body = await service.runtime.database.pool.fetchval("select body from submissions")
    assert msgspec.json.decode(body)["client"]["additional_contacts"] == [
        {**ANN, "first_name": "Anna"},
        {**ANN, "email": "bo@x.example"},
    ]


async def test_the_review_says_what_is_carried_along(broker: Person) -> None:
    body = changed((CONTACTS, [ANN, 7]), (NOTES, {"source": "fair"}))
    place = await drop(broker, msgspec.json.encode(body))

    review = text_of(await broker.open(f"{place}/review"))

    assert "Further contacts Ann, ann@harborlight.example, policy notices; 7" in review
    assert 'Notes of your systems {"source":"fair"}' in review
    assert "Further contact 2 " in review


async def test_a_draft_without_such_values_shows_no_place_for_them(broker: Person) -> None:
    place = await drop(broker, msgspec.json.encode(changed((CONTACTS, []))))

    page = await broker.open(f"{place}/company")

    assert "Also sent with it" not in page or "Notes of your systems" in page
    assert "Further contact" not in page
