"""`bindery signature`: what a person reads of a sealed file, and the key that seals."""

import json
import time
from pathlib import Path

import pytest

from bindery.cli import signature
from bindery.cli.signature import sentences
from bindery.domain.documents.seal import SealFlaw, SealReport, Stamp
from bindery.outside.seal_keys import as_pem
from support.processes import Program
from support.seals import AT, STAMPED, key_of, sealed

FINGERPRINT = key_of().sha256.hex()


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    file = tmp_path / "service.pem"
    file.write_text(as_pem(key_of().certificates))
    return file


@pytest.fixture
def signed(tmp_path: Path) -> Path:
    file = tmp_path / "signed.pdf"
    file.write_bytes(sealed())
    return file


def test_a_sealed_file_is_verified_with_nothing_but_the_certificate(
    bare: Program, signed: Path, certificate: Path
) -> None:
    ended = bare.run("signature", "verify", str(signed), "--certificate", str(certificate))

    assert ended.good().splitlines() == [
        f"{signed} is as the service sealed it.",
        "The seal covers the whole file, and nothing was changed since.",
        "Sealed by Bindery document seal, quotes.example.com, on 2026-11-18 12:30:15 UTC.",
        f"SHA-256 of the certificate: {FINGERPRINT}",
        "It has no time stamp: the time is that of the service.",
    ]
    assert not bare.data.exists()


def test_a_changed_file_ends_in_one_and_says_what_is_wrong(
    bare: Program, signed: Path, certificate: Path
) -> None:
    signed.write_bytes(sealed() + b"\n")

    ended = bare.run("signature", "verify", str(signed), "--certificate", str(certificate))
    listed = bare.run("signature", "verify", str(signed), "--certificate", str(certificate), "--json")

    assert (ended.code, ended.stderr) == (1, "")
    assert ended.stdout.splitlines() == [
        f"{signed} is not as the service sealed it.",
        "Something was added to it after it was sealed.",
        "The seal names Bindery document seal, quotes.example.com, 2026-11-18 12:30:15 UTC.",
        f"SHA-256 of the certificate: {FINGERPRINT}",
    ]
    assert listed.code == 1
    assert json.loads(listed.stdout) == {
        "file": str(signed),
        "is_as_sealed": False,
        "flaws": ["added_to"],
        "sealed_by": "Bindery document seal, quotes.example.com",
        "sealed_at": "2026-11-18T12:30:15Z",
        "certificate_sha256": FINGERPRINT,
        "stamp": None,
    }


def test_the_service_knows_its_own_certificates_the_former_ones_too(program: Program, signed: Path) -> None:
    stranger = program.run("signature", "verify", str(signed))
    first = program.run("signature", "certificate").good()
    replaced = program.run("signature", "replace-key").good()
    second = program.run("signature", "certificate").good()
    both = program.run("signature", "certificate", "--all").good()

    assert stranger.code == 1
    assert "The seal was made with another certificate than those to be trusted." in stranger.stdout
    assert replaced.startswith("A new key seals from now on; the SHA-256 of its certificate is ")
    assert first != second
    assert both == second + first


def test_wrong_use_is_one_sentence_and_ends_in_two(bare: Program, signed: Path, tmp_path: Path) -> None:
    nowhere = bare.run("signature", "verify", str(signed))
    no_file = bare.run("signature", "verify", "no.pdf", "--certificate", str(signed))
    no_certificate = bare.run("signature", "verify", str(signed), "--certificate", str(signed))

    assert {ended.code for ended in (nowhere, no_file, no_certificate)} == {2}
    assert nowhere.stderr == (
        "bindery: Name the service's certificates with --certificate: there is no data folder of a service "
        f"at {bare.data}. The service prints them: bindery signature certificate --all\n"
    )
    assert no_file.stderr == "bindery: no.pdf cannot be read: No such file or directory.\n"
    assert no_certificate.stderr == f"bindery: {signed} has no certificate, neither PEM nor DER.\n"


def test_what_is_no_pdf_has_nothing_to_say_of_a_seal() -> None:
    report = SealReport(flaws=(SealFlaw.NOT_A_PDF,))

    assert list(sentences("a.txt", report)) == ["a.txt is not as the service sealed it.", "It is not a PDF."]


def test_a_time_stamp_is_named() -> None:
    stamp = Stamp(by="Example Time", at=STAMPED)
    report = SealReport(
        flaws=(), sealed_by="Somebody", sealed_at=AT, certificate_sha256=FINGERPRINT, stamp=stamp
    )

    assert list(sentences("a.pdf", report))[-1] == (
        "A time stamp of Example Time says 2026-11-18 12:30:16 UTC."
    )


def test_a_file_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signature, "SECONDS", 1)
    monkeypatch.setattr("bindery.documents.seal.verify_seal", lambda *_: time.sleep(60))

    assert signature._verified(b"", ()) == SealReport(flaws=(SealFlaw.TOO_COSTLY,))


def test_a_file_that_takes_too_much_memory_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bindery.documents.seal.verify_seal", lambda *_: bytearray(8 * 1024**3))

    assert signature._verified(b"", ()) == SealReport(flaws=(SealFlaw.TOO_COSTLY,))
