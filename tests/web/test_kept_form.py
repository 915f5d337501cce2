"""Forms sent after a sign-in has ended: nothing is done, what was typed is kept, one more press sends it."""

import uuid
from typing import Any

import pytest

from bindery.domain.access.users import Role
from bindery.web.account.signing_in import LARGEST_KEPT
from support.binding import one_quoted, status_of
from support.people import PASSWORD, Person, fields_of, new_browser, sign_in_as, text_of
from support.service import Service

NOTHING_SENT = "Your sign-in has ended, and nothing has been sent yet. What you typed is kept"


def end_sign_in(person: Person) -> None:
    person.http.cookies.clear()


async def bind_sent_too_late(service: Service, broker: Person) -> tuple[str, str, dict[str, Any], str]:
    """Return a quote, its form's address, what was sent, and the page that answered."""
    identifier = (await one_quoted(service))["quote_identifier"]
    path = f"/quote/{identifier}/bind"
    form = {**fields_of(await broker.open(path), path), "first_name": '"><b>Ot & to', "step": "bind"}
    end_sign_in(broker)
    answer = await broker.post(path, **form)
    assert answer.status_code == 403
    assert answer.headers["cache-control"] == "no-store"
    return identifier, path, form, answer.text


async def sign_in_again(person: Person, page: str, **changes: Any) -> str:
    form = fields_of(page, "/sign-in")
    return await person.send("/sign-in", **{**form, "email": person.email, "password": PASSWORD, **changes})


async def test_a_form_sent_after_the_sign_in_ended_is_kept_and_sent_with_one_more_press(
    service: Service, broker: Person
) -> None:
    identifier, path, form, page = await bind_sent_too_late(service, broker)

    wrong = fields_of(page, "/sign-in")
    refused = await broker.send("/sign-in", status=422, **{**wrong, "email": broker.email, "password": "no"})
    waiting = await sign_in_again(broker, refused)

    assert NOTHING_SENT in text_of(page)
    assert NOTHING_SENT in text_of(refused)
    assert "<b>Ot" not in page + refused + waiting
    said = text_of(waiting)
    assert "Nothing has been sent yet You are signed in again. What you had typed is kept." in said
    assert "Bind an option: Harborlight Bakery LLC" in said
    assert f'href="{path}"' in waiting
    assert fields_of(waiting, path) == form
    assert await status_of(service, identifier) == "published"
    await broker.send(path, **fields_of(waiting, path))
    assert await status_of(service, identifier) == "policy_active"


async def test_a_note_goes_on_from_its_case(service: Service, underwriter: Person) -> None:
    quote = await one_quoted(service, lambda body: body["client"].update(domains=["red-flags.example.com"]))
    submission_id = await service.runtime.database.pool.fetchval(
        "select submission_id from quotes where quote_id = $1", uuid.UUID(quote["quote_identifier"])
    )
    case = f"/desk/case/{submission_id}"
    end_sign_in(underwriter)
    headers = {"Origin": underwriter.origin, "Referer": f"{underwriter.origin}{case}?o=1"}
    typed = {"text": "First line\r\nsecond, ümläut"}

    sent = await underwriter.http.post(f"{case}/note", data=typed, headers=headers)
    waiting = await sign_in_again(underwriter, sent.text)

    assert fields_of(waiting, f"{case}/note") == {"text": "First line\nsecond, ümläut"}
    assert f'href="{case}?o=1"' in waiting


async def test_a_form_from_elsewhere_is_not_kept(service: Service, broker: Person) -> None:
    identifier = (await one_quoted(service))["quote_identifier"]
    path = f"/quote/{identifier}/bind"
    end_sign_in(broker)

    answers = [
        await broker.http.post(path, data={"step": "bind"}, headers=headers)
        for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {})
    ]
    forged = await broker.post(
        "/sign-in", origin="https://evil.example", email=broker.email, password=PASSWORD, kept_to=path
    )

    for answer in answers:
        assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in?then=%2F")
    assert forged.status_code == 403
    assert "kept_to" not in forged.text


async def test_a_form_waits_only_for_those_who_have_its_page(service: Service, broker: Person) -> None:
    identifier, path, _, page = await bind_sent_too_late(service, broker)
    async with await sign_in_as(service, Role.UNDERWRITER) as somebody:
        other = await sign_in_again(broker, page, email=somebody.email)

    assert "Nothing was sent: the form that waited is not one of this account's." in text_of(other)
    assert path not in other
    assert await status_of(service, identifier) == "published"


@pytest.mark.parametrize("elsewhere", ["https://evil.example", "//evil.example/quote", ""])
async def test_a_form_that_would_go_elsewhere_is_forgotten(
    service: Service, broker: Person, elsewhere: str
) -> None:
    _, _, _, page = await bind_sent_too_late(service, broker)

    after = await sign_in_again(broker, page, kept_to=elsewhere, then="/companies")

    assert "<h1>Companies</h1>" in after


async def test_passwords_are_not_kept_but_asked_for_again(service: Service, operator: Person) -> None:
    new = {
        "email": "new@example.com",
        "name": "Nina",
        "role": "underwriter",
        "password": "a long pass phrase",
    }
    end_sign_in(operator)

    sent = await operator.post("/ops/users", **new)
    waiting = await sign_in_again(operator, sent.text)

    assert new["password"] not in sent.text + waiting
    assert "What you had typed is kept, except for passwords. Add a user Email new@example.com Name Nina" in (
        text_of(waiting)
    )
    assert "Role Underwriter New password" in text_of(waiting)
    again = fields_of(waiting, "/ops/users")
    assert again == {**new, "password": ""}
    await operator.send("/ops/users", **{**again, "password": new["password"]})
    assert await service.runtime.database.pool.fetchval(
        "select name from users where email = $1", new["email"]
    )


async def test_a_file_and_a_form_that_is_too_long_are_not_kept_and_it_says_so(
    service: Service, broker: Person
) -> None:
    identifier = (await one_quoted(service))["quote_identifier"]
    path = f"/quote/{identifier}/bind"
    end_sign_in(broker)
    room = LARGEST_KEPT - len(f"to={path}&text=first_name%3D".replace("/", "%2F"))

    file = await broker.post(f"/quote/{identifier}/uploads?then=bind", files={"file": ("a.pdf", b"%PDF")})
    longest = await broker.post(path, first_name="x" * room)
    too_long = await broker.post(path, first_name="x" * (room + 1))

    for answer in (file, too_long):
        assert answer.status_code == 403
        assert "Your sign-in has ended, and nothing was sent." in text_of(answer.text)
        assert "kept_to" not in answer.text
    assert "Nothing has been sent yet" in await sign_in_again(broker, longest.text)


async def test_parts_of_pages_and_signing_out_are_not_kept(service: Service) -> None:
    async with Person(new_browser(service), "") as stranger:
        out = await stranger.post("/sign-out")
        part = await stranger.http.post(
            f"/desk/case/{uuid.uuid4()}/preview",
            data={"premium": "1"},
            headers={"Origin": stranger.origin, "X-Part": "price"},
        )

    assert (out.status_code, part.status_code) == (303, 303)


async def test_what_would_be_sent_is_said_with_the_labels_of_the_page(
    service: Service, broker: Person, underwriter: Person
) -> None:
    quote = await one_quoted(service, lambda body: body["client"].update(domains=["red-flags.example.com"]))
    pool = service.runtime.database.pool
    submission_id = await pool.fetchval(
        "select submission_id from quotes where quote_id = $1", uuid.UUID(quote["quote_identifier"])
    )
    end_sign_in(broker)
    end_sign_in(underwriter)
    withdrawal = f"/quote/{quote['quote_identifier']}/withdraw"

    withdrawn = await sign_in_again(
        broker, (await broker.post(withdrawal, reason="They went elsewhere")).text
    )
    noted = await sign_in_again(
        underwriter,
        (await underwriter.post(f"/desk/case/{submission_id}/note", text="<b>Call</b> them")).text,
    )

    said, note = text_of(withdrawn), text_of(noted)
    assert "Withdraw an option: Harborlight Bakery LLC Reason They went elsewhere" in said
    assert "Add a note: Harborlight Bakery LLC Text <b>Call</b> them" in note
    assert "<b>Call" not in noted
    for page, path in ((withdrawn, withdrawal), (noted, f"/desk/case/{submission_id}/note")):
        assert page.count("Send it now") == page.count("Do not send it") == 1
        assert list(fields_of(page, path)) in (["reason"], ["text"])


async def test_the_company_of_another_partner_is_not_named(service: Service, broker: Person) -> None:
    other = await service.new_partner("Elsewhere")
    theirs = await one_quoted(other)
    path = f"/quote/{theirs['quote_identifier']}/withdraw"
    end_sign_in(broker)

    waiting = await sign_in_again(broker, (await broker.post(path, reason="Mine?")).text)

    assert "Withdraw an option Reason Mine?" in text_of(waiting)
    assert "Harborlight" not in waiting
