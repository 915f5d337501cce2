"""What a signature sends: the link, the code and both copies by mail, and the event by webhook."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from support.binding import one_quoted
from support.mailbox import Letter, Mailbox, mailbox
from support.receiver import Received, receiving
from support.service import Service, serving, working
from support.telling import register
from support.waiting import eventually


@pytest.fixture
async def box() -> AsyncIterator[Mailbox]:
    async with mailbox() as opened:
        yield opened


@pytest.fixture
async def posting(dsn: str, tmp_path: Path, box: Mailbox) -> AsyncIterator[Service]:
    async with serving(dsn, tmp_path, smtp_url=f"smtp://127.0.0.1:{box.port}") as service:
        yield service


def text_in(letter: Letter) -> str:
    body = letter.message.get_body(("plain",))
    assert body is not None
    return str(body.get_content())


def about_the_request(events: list[Received]) -> list[Received]:
    return [event for event in events if event.type.startswith("signature_request.")]


async def test_a_client_who_signs_is_told_of_and_has_a_copy(posting: Service, box: Mailbox) -> None:
    quote = await one_quoted(posting, lambda body: body["client"].update(name="Quick Bakery (signs)"))
    path = f"/v2/quotes/{quote['quote_identifier']}/signature_requests"

    async with receiving() as receiver:
        await register(posting, receiver.url)
        sent = (await posting.post(path, {"email": "ann@x.example", "message": "By Friday."})).json()
        async with working(posting):
            letters = await box.wait_for(4)
            # A document that is made meanwhile is told of as well.
            told = await eventually(lambda: about_the_request(receiver.got), lambda events: len(events) == 2)

    assert [event.type for event in told] == ["signature_request.opened", "signature_request.signed"]
    data = told[1].json["data"]
    assert (data["level"], data["quote_status"]) == ("quote", "published")
    assert data["signature_request_id"] == sent["signature_request_id"]
    by_subject = {letter.message["Subject"]: letter for letter in letters}
    link = by_subject["Quick Bakery (signs): please sign the application"]
    code = by_subject["Your code to sign"]
    copies = [
        by_subject["Quick Bakery (signs): the application you signed"],
        by_subject["Quick Bakery (signs): the application is signed"],
    ]
    assert sent["url"] in text_in(link)
    assert "By Friday." in text_in(link)
    assert re.search(r"Code: +[0-9]{6}\s", text_in(code))
    assert [letter.recipients for letter in copies] == [["ann@x.example"], ["broker@example.com"]]
    for letter in copies:
        (attached,) = letter.message.iter_attachments()
        assert attached.get_filename() == "signed_application.pdf"
        assert attached.get_content().startswith(b"%PDF")
    rows = await posting.runtime.database.pool.fetch("select body, sealed_link from mails")
    assert all(row["sealed_link"] is None for row in rows), "once it is sent, nobody needs the secret"
    assert not [row for row in rows if sent["url"] in row["body"]]
    found = (await posting.get(f"{path}/{sent['signature_request_id']}")).json()
    assert (found["status"], found["openings"]) == ("signed", 1)
