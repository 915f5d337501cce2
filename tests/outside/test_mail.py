"""Sending mail: a password goes through TLS or not at all."""

import datetime as dt
import ssl
import uuid
from pathlib import Path

import pytest

from bindery.outside.mail import MailNotTaken, Postman
from support.mailbox import mailbox
from support.network import make_authority

UNTIL = dt.datetime(2120, 1, 1, tzinfo=dt.UTC)


@pytest.fixture
def server_tls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ssl.SSLContext:
    """What a server shows to be localhost, for clients that trust the machine's authorities."""
    authority = make_authority(tmp_path)
    trusted = tmp_path / "authorities.pem"
    trusted.write_text(authority.pem)
    monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
    return authority.server("localhost", until=UNTIL)


async def send(url: str) -> None:
    postman = Postman(url, "Bindery <no-reply@bindery.example>")
    await postman.send(["ann@example.com"], "Bound", "It is bound.", mail_id=uuid.uuid4(), written_at=UNTIL)


async def test_a_server_without_tls_gets_neither_the_password_nor_the_mail() -> None:
    async with mailbox() as box:
        with pytest.raises(MailNotTaken, match="STARTTLS"):
            await send(f"smtp://me:secret@localhost:{box.port}")

    assert (box.passwords, box.letters) == ([], [])


async def test_a_server_with_starttls_gets_the_password_through_it(server_tls: ssl.SSLContext) -> None:
    async with mailbox(starttls=server_tls) as box:
        await send(f"smtp://me:pass%2Fword@localhost:{box.port}")

    assert box.passwords == [b"pass/word"]
    assert [letter.recipients for letter in box.letters] == [["ann@example.com"]]


async def test_a_server_in_tls_gets_the_password(server_tls: ssl.SSLContext) -> None:
    async with mailbox(tls=server_tls) as box:
        await send(f"smtps://me:secret@localhost:{box.port}")

    assert box.passwords == [b"secret"]
    assert len(box.letters) == 1


@pytest.mark.parametrize("scheme", ["smtp", "smtps"])
async def test_a_server_that_cannot_prove_its_name_gets_nothing(tmp_path: Path, scheme: str) -> None:
    stranger = make_authority(tmp_path).server("localhost", until=UNTIL)
    tls = {"starttls": stranger} if scheme == "smtp" else {"tls": stranger}
    async with mailbox(**tls) as box:
        with pytest.raises(MailNotTaken, match="CERTIFICATE_VERIFY_FAILED"):
            await send(f"{scheme}://me:secret@localhost:{box.port}")

    assert (box.passwords, box.letters) == ([], [])


async def test_without_a_password_a_relay_without_tls_will_do() -> None:
    async with mailbox() as box:
        await send(f"smtp://localhost:{box.port}")

    assert len(box.letters) == 1
