"""The file that goes along with a bind, the outcome that follows the form, and what nobody may lose."""

import re
from typing import Any

import pytest

from support.binding import PHOTO, bind, one_quoted, quoted, shown, status_of, upload_signed
from support.intake import changed
from support.people import PASSWORD, Person, fields_of, text_of
from support.service import Service

pytestmark = pytest.mark.usefixtures("plain_printing")

STATED = {"app_attestation": ["same", "signed", "unchanged"]}
FILE = {"file": ("signed.png", PHOTO, "image/png")}
TWO = [{"aggregate_limit": 1_000_000}, {"aggregate_limit": 2_000_000}]


async def opened(service: Service, broker: Person) -> tuple[str, str, dict[str, Any]]:
    """Return a quote, the address of its bind page, and the form there."""
    identifier = (await one_quoted(service))["quote_identifier"]
    path = f"/quote/{identifier}/bind"
    return identifier, path, {**fields_of(await broker.open(path), path), "step": "bind"}


async def test_one_press_sends_the_file_and_issues_the_policy_however_often_it_is_pressed(
    service: Service, broker: Person
) -> None:
    identifier, path, form = await opened(service, broker)

    first = await broker.post(path, files=FILE, **{**form, **STATED})
    second = await broker.post(path, files=FILE, **{**form, **STATED})

    policy = await shown(service, identifier)
    company = f"/company/{policy['company_id']}"
    assert [first.headers["location"], second.headers["location"]] == [company] * 2
    page = text_of(await broker.open(company))
    assert f"Bound. Policy {policy['policy_number']} is issued. signed.png:" in page
    assert [upload["name"] for upload in policy["uploads"]] == ["signed.png"]
    assert await service.count("binds") == 1


async def test_a_refused_bind_keeps_the_file_and_asks_for_it_no_more(
    service: Service, broker: Person
) -> None:
    identifier, path, form = await opened(service, broker)
    wrong = {**form, **STATED, "effective": "2020-01-01", "email": "nobody", "first_name": "Ottoline"}

    page = await broker.send(path, status=422, files=FILE, **wrong)

    said = re.findall(r'<li><a href="#(\w+)">', page)
    assert said == ["effective", "expiration", "email"]
    assert 'id="problems"' in page
    assert "Nothing is bound like this Correct what is marked." in text_of(page)
    assert page.count("signed.png") > 1
    assert "Upload another file" in page
    assert await status_of(service, identifier) == "published"
    again = {**fields_of(page, path), **STATED, "effective": form["effective"], "email": form["email"]}
    assert again["first_name"] == "Ottoline"
    bound = text_of(await broker.send(path, **{**again, "step": "bind"}))
    assert "is issued." in bound


async def test_the_outcome_is_never_less_than_the_button_said(service: Service, broker: Person) -> None:
    identifier, path, form = await opened(service, broker)
    await upload_signed(service, await shown(service, identifier))
    checked = await broker.send(f"{path}/preview", **{**form, **STATED, "step": "preview"})
    assert ">Bind and issue the policy</button>" in checked

    seen = {name: value for name, value in fields_of(checked, path).items() if name != "app_attestation"}
    page = await broker.send(path, status=422, **{**seen, "step": "bind"})

    said = "This now leads to another outcome: a binder; the page showed the policy at once."
    assert said in text_of(page)
    assert re.search(r'id="note"[^>]*', page)
    assert ">Bind on condition until" in page
    assert await status_of(service, identifier) == "published"
    await broker.send(path, **{**fields_of(page, path), "step": "bind"})
    assert (await shown(service, identifier))["binder"]["conditional"] is True


async def test_the_part_that_follows_the_form_counts_on_a_file_that_is_only_chosen(
    service: Service, broker: Person
) -> None:
    identifier, path, form = await opened(service, broker)
    headers = {"Origin": broker.origin, "X-Part": "outcome"}

    async def part(**fields: Any) -> str:
        answer = await broker.http.post(f"{path}/preview", data={**form, **fields}, headers=headers)
        assert answer.status_code == 200, answer.text
        assert "<h1" not in answer.text
        return text_of(answer.text)

    assert "Binder, due" in await part(file="")
    without = await part(**STATED, file="")
    assert "The signed application is needed for the statements" in without
    assert "Check again" in without
    chosen = await part(**STATED, file="signed.pdf")
    assert "If signed.pdf is the signed application: it is read when you send this." in chosen
    assert "Bind and issue the policy" in chosen
    assert "Or a binder, due" in chosen
    assert await status_of(service, identifier) == "published"


async def test_what_was_typed_beside_a_file_outlives_the_sign_in(service: Service, broker: Person) -> None:
    identifier, path, form = await opened(service, broker)
    broker.http.cookies.clear()

    sent = await broker.post(path, files=FILE, **{**form, **STATED, "first_name": "Ottoline"})
    assert "A file that you had chosen is not kept" in text_of(sent.text)
    waits = fields_of(sent.text, "/sign-in")
    waiting = await broker.send("/sign-in", **{**waits, "email": broker.email, "password": PASSWORD})
    page = await broker.send(path, status=422, **fields_of(waiting, path))

    assert "The signed application is needed for the statements" in text_of(page)
    assert fields_of(page, path)["first_name"] == "Ottoline"
    assert page.count(" checked>") == len(STATED["app_attestation"])
    assert (await shown(service, identifier))["uploads"] == []


async def test_whoever_comes_second_is_told_what_happened(service: Service, broker: Person) -> None:
    first, second = await quoted(service, changed(("policy.quotes", TWO)))
    path = f"/quote/{second['quote_identifier']}/bind"
    page = await broker.open(path)
    assert "1 other open option of the company closes." in text_of(page)
    form = fields_of(page, path)
    number = (await bind(service, first))["policy_number"]

    for address, step in ((path, "bind"), (f"{path}/preview", "preview")):
        late = await broker.send(address, files=FILE, **{**form, "step": step})

        assert f"Your bind was not made. Another option was bound instead as {number}." in text_of(late)
        assert 'class="note-box warn banner" role="alert"' in late
    assert await service.count("binds") == 1
    assert await service.count("uploads") == 0


async def test_a_contact_is_no_longer_than_the_api_takes(service: Service, broker: Person) -> None:
    identifier, path, form = await opened(service, broker)

    page = await broker.send(path, status=422, **{**form, "last_name": "W" * 256, "cell_phone": "1" * 255})

    assert "Contact's last name must have at most 255 letters" in text_of(page)
    assert "phone must" not in text_of(page)
    assert await status_of(service, identifier) == "published"
