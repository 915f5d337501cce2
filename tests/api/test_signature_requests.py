"""The API of signature requests: what it takes, what it refuses, and whom it shows what."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from support.binding import bind, issue, one_quoted, shown, told
from support.service import Service
from support.signing import EMAIL, signed_by_token
from support.telling import move_clock

UNKNOWN = "0197b2c4-5d10-7c3e-8a41-6f2f9c0d7e55"


def path_of(quote: dict[str, Any], request: dict[str, Any] | None = None) -> str:
    path = f"/v2/quotes/{quote['quote_identifier']}/signature_requests"
    return path if request is None else f"{path}/{request['signature_request_id']}"


async def asked(service: Service, quote: dict[str, Any], **body: Any) -> dict[str, Any]:
    answer = await service.post(path_of(quote), {"email": EMAIL, **body})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def taken_back(service: Service, path: str) -> Any:
    return await service.http.delete(path, headers=service.headers)


async def test_a_request_is_sent_shown_and_taken_back(service: Service) -> None:
    quote = await one_quoted(service)

    sent = await asked(service, quote, name="Ann Example", message="Please sign by Friday.")
    listed = (await service.get(path_of(quote))).json()["signature_requests"]
    found = (await service.get(path_of(quote, sent))).json()
    revoked = [(await taken_back(service, path_of(quote, sent))).json() for _ in range(2)]

    assert sent["status"] == "sent"
    assert sent["url"].startswith("http://127.0.0.1:8000/s/")
    assert (sent["email"], sent["name"], sent["openings"]) == (EMAIL, "Ann Example", 0)
    lasts = datetime.fromisoformat(sent["expires_at"]) - datetime.now(UTC)
    assert timedelta(days=29, hours=23) < lasts <= timedelta(days=30)
    assert listed == [sent] == [found]
    assert [body["status"] for body in revoked] == ["revoked", "revoked"]
    assert revoked[0]["settled_at"] is not None
    assert [entry.trigger for entry in await service.journal(quote["quote_identifier"])][-2:] == [
        "send_to_client",
        "take_link_back",
    ]
    (mail,) = await service.runtime.database.pool.fetch("select recipients, body from mails")
    assert mail["recipients"] == [EMAIL]
    assert "Please sign by Friday." in mail["body"]
    assert sent["url"] not in mail["body"]


async def test_what_became_of_it_is_shown(service: Service) -> None:
    quote = await one_quoted(service)
    sent = await asked(service, quote)

    await signed_by_token(service, sent["url"].rpartition("/")[2])

    found = (await service.get(path_of(quote, sent))).json()
    assert (found["status"], found["openings"]) == ("signed", 1)
    (upload,) = (await shown(service, quote["quote_identifier"]))["uploads"]
    assert found["document_id"] == upload["document_id"]
    answer = await taken_back(service, path_of(quote, sent))
    assert (answer.status_code, answer.json()["code"]) == (400, "already_settled")
    assert answer.json()["message"] == "The signature request cannot be taken back: it is signed."
    assert (await told(service, quote["quote_identifier"]))[-2:] == [
        "signature_request.opened",
        "signature_request.signed",
    ]


async def test_a_link_that_has_ended_is_expired_before_any_sweep(service: Service) -> None:
    quote = await one_quoted(service)
    sent = await asked(service, quote)

    await move_clock(service, timedelta(days=30, seconds=-30))
    before = (await service.get(path_of(quote, sent))).json()["status"]
    await move_clock(service, timedelta(seconds=60))
    after = (await service.get(path_of(quote, sent))).json()["status"]
    revoked = await taken_back(service, path_of(quote, sent))

    assert (before, after) == ("sent", "expired")
    assert (revoked.status_code, revoked.json()["status"]) == (200, "revoked")


@pytest.mark.parametrize(
    ("body", "problems"),
    [
        ({}, [("email", "required")]),
        ({"email": "nobody"}, [("email", "not_an_email")]),
        (
            {"email": "nobody", "name": "", "message": "x" * 1_001, "title": "x"},
            [
                ("email", "not_an_email"),
                ("message", "too_long"),
                ("name", "too_short"),
                ("title", "unknown_field"),
            ],
        ),
        ({"email": 5, "name": "x" * 256}, [("email", "wrong_type"), ("name", "too_long")]),
        ({"email": EMAIL, "name": " "}, [("name", "required")]),
        ({"email": EMAIL, "name": "Ann\u202e"}, [("name", "bad_character")]),
    ],
)
async def test_every_problem_is_listed_with_its_path(
    service: Service, body: dict[str, Any], problems: list[tuple[str, str]]
) -> None:
    quote = await one_quoted(service)

    answer = await service.post(path_of(quote), body)

    assert answer.status_code == 400
    assert sorted((each["path"], each["code"]) for each in answer.json()["errors"]) == problems
    assert (await service.count("client_links"), await service.count("mails")) == (0, 0)


async def test_the_longest_name_and_message_are_taken(service: Service) -> None:
    sent = await asked(service, await one_quoted(service), name="x" * 255, message="x" * 1_000)

    assert sent["name"] == "x" * 255


async def test_only_what_can_be_signed_is_sent(service: Service) -> None:
    issued = await issue(service, await one_quoted(service))
    withdrawn = await one_quoted(service)
    await service.post(f"/v2/quotes/{withdrawn['quote_identifier']}/withdraw")
    binder = await one_quoted(service)
    await bind(service, binder)
    receipt = await service.submit()
    waiting = receipt["quotes"][0]

    answers = [await service.post(path_of(quote), {"email": EMAIL}) for quote in (issued, withdrawn)]
    of_binder = await asked(service, binder)
    not_ready = await service.post(path_of(waiting), {"email": EMAIL})

    assert [answer.status_code for answer in answers] == [400, 400]
    assert answers[0].json()["message"].endswith("There is nothing to sign any more.")
    assert answers[1].json()["message"].startswith("This offer was withdrawn.")
    assert "published" in answers[1].json()["available_statuses"]
    assert not_ready.status_code == 202
    assert of_binder["status"] == "sent"


async def test_another_partner_finds_nothing(service: Service) -> None:
    quote = await one_quoted(service)
    sent, other = await asked(service, quote), await one_quoted(service)
    stranger = await service.new_partner("stranger")
    unknown = {"quote_identifier": UNKNOWN, "signature_request_id": UNKNOWN}

    for somebody, paths in (
        (stranger, (path_of(quote), path_of(quote, sent))),
        (service, (path_of(unknown), path_of(quote, unknown), path_of(other, sent))),
    ):
        answers = [await somebody.get(path) for path in paths]
        answers += [await taken_back(somebody, path) for path in paths if path.count("/") > 4]
        assert {answer.status_code for answer in answers} == {404}
    assert (await stranger.post(path_of(quote), {"email": EMAIL})).status_code == 404
    assert (await service.get(f"{path_of(quote)}/not-a-uuid")).status_code == 404
    assert (await service.get(f"{path_of(quote)}/not%20one")).status_code == 400
    assert (await service.get(path_of(quote, sent))).json()["status"] == "sent"
