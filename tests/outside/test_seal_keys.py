"""Keys that seal documents: the one that is made, and what of an operator's own is refused."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.hashes import SHA1, SHA256
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
)
from cryptography.x509.oid import NameOID

from bindery.base.errors import Misconfigured
from bindery.domain.documents.seal import SealKey
from bindery.outside import seal_keys
from bindery.outside.seal_keys import as_pem, make_seal_key, read_certificates, read_seal_key

AT: Final = datetime(2026, 11, 18, 12, 30, 15, tzinfo=UTC)
CURVE: Final = ec.generate_private_key(ec.SECP256R1())


def certificate_of(
    key: Any,
    *,
    days: tuple[int, int] = (-1, 1),
    usage: bool | None = True,
    hashed: Any = None,
    by: Any = None,
) -> x509.Certificate:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Example Insurance")])
    builder = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(AT + timedelta(days=days[0]))
        .not_valid_after(AT + timedelta(days=days[1]))
    )
    if usage is not None:
        rest = dict.fromkeys(
            ("content_commitment", "data_encipherment", "key_agreement", "key_cert_sign", "crl_sign"), False
        )
        usages = x509.KeyUsage(
            digital_signature=usage, key_encipherment=True, encipher_only=False, decipher_only=False, **rest
        )
        builder = builder.add_extension(usages, critical=True)
    return builder.sign(by or key, hashed or SHA256())


def pem_of(key: Any, *certificates: x509.Certificate, password: bytes = b"") -> bytes:
    kept = BestAvailableEncryption(password) if password else NoEncryption()
    texts = [certificate.public_bytes(Encoding.PEM) for certificate in certificates]
    return b"".join([key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, kept), *texts])


def read(folder: Path, content: bytes, *, mode: int = 0o600, at: datetime = AT) -> SealKey:
    file = folder / "seal.pem"
    file.write_bytes(content)
    file.chmod(mode)
    return read_seal_key(file, at=at, must_be_private=True)


def test_a_key_that_is_made_names_the_service_and_is_good_for_twenty_years() -> None:
    made = make_seal_key("quotes.example.com", at=AT)

    (certificate,) = x509.load_pem_x509_certificates(as_pem(made.certificates).encode())
    assert certificate.subject == certificate.issuer
    assert certificate.subject.rfc4514_string() == "CN=Bindery document seal,O=quotes.example.com"
    assert certificate.not_valid_before_utc == AT
    assert certificate.not_valid_after_utc == AT + timedelta(days=7_300)
    assert certificate.extensions.get_extension_for_class(x509.BasicConstraints).value.ca is False
    assert certificate.fingerprint(SHA256()) == made.sha256
    certificate.verify_directly_issued_by(certificate)


def test_the_longest_name_of_a_host_fits() -> None:
    (certificate,) = make_seal_key("x" * 253, at=AT).certificates

    assert x509.load_der_x509_certificate(certificate)


def test_two_keys_are_never_the_same() -> None:
    first, second = (make_seal_key("quotes.example.com", at=AT) for _ in range(2))

    assert first.private_key != second.private_key
    assert first.sha256 != second.sha256


def test_an_operators_own_key_is_read_with_its_chain(tmp_path: Path) -> None:
    above = ec.generate_private_key(ec.SECP384R1())
    own, chain = certificate_of(CURVE, by=above), certificate_of(above)

    key = read(tmp_path, pem_of(CURVE, own, chain))

    assert key.certificates == tuple(found.public_bytes(Encoding.DER) for found in (own, chain))
    assert key.sha256 == own.fingerprint(SHA256())


def test_a_certificate_that_says_nothing_of_its_use_is_taken(tmp_path: Path) -> None:
    assert read(tmp_path, pem_of(CURVE, certificate_of(CURVE, usage=None)))


def test_the_days_of_a_certificate_count_at_both_ends(tmp_path: Path) -> None:
    content = pem_of(CURVE, certificate_of(CURVE, days=(0, 1)))

    assert read(tmp_path, content, at=AT)
    assert read(tmp_path, content, at=AT + timedelta(days=1))
    for moment in (AT - timedelta(seconds=1), AT + timedelta(days=1, seconds=1)):
        with pytest.raises(Misconfigured, match="that is valid from 2026-11-18 to 2026-11-19"):
            read(tmp_path, content, at=moment)


def test_what_is_weak_or_wrong_is_refused_in_a_sentence(tmp_path: Path) -> None:
    short = rsa.generate_private_key(65537, 1024)
    rare, edwards = ec.generate_private_key(ec.SECP256K1()), ed25519.Ed25519PrivateKey.generate()
    other = ec.generate_private_key(ec.SECP256R1())
    good = certificate_of(CURVE)
    refused = {
        pem_of(short, certificate_of(short)): "has a weak key",
        pem_of(rare, certificate_of(rare)): "has a weak key",
        pem_of(edwards, good): "has a weak key",
        pem_of(other, good): "has a certificate of another key",
        pem_of(CURVE): "must have a private key",
        good.public_bytes(Encoding.PEM): "must have a private key",
        pem_of(CURVE, good, password=b"secret"): "must have a private key without a password",
        b"": "must have a private key",
        pem_of(CURVE, certificate_of(CURVE, usage=False)): "has a certificate not for signing",
    }

    for content, sentence in refused.items():
        with pytest.raises(Misconfigured, match=f"BINDERY_SEAL_KEY_FILE {sentence}"):
            read(tmp_path, content)


def test_a_certificate_signed_with_a_weak_hash_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The library makes none any more; one that is called weak stands in.
    monkeypatch.setattr(seal_keys, "HASHES", (SHA1,))

    with pytest.raises(Misconfigured, match="signed with a weak hash"):
        read(tmp_path, pem_of(CURVE, certificate_of(CURVE)))


def test_a_file_that_others_may_read_is_refused_in_production_only(tmp_path: Path) -> None:
    content = pem_of(CURVE, certificate_of(CURVE))

    with pytest.raises(Misconfigured, match="may be read by other accounts"):
        read(tmp_path, content, mode=0o640)

    assert read_seal_key(tmp_path / "seal.pem", at=AT, must_be_private=False)


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(Misconfigured, match="BINDERY_SEAL_KEY_FILE cannot be read: No such file"):
        read_seal_key(Path("/no/such/file"), at=AT, must_be_private=True)


def test_certificates_are_read_as_pem_and_der() -> None:
    own, other = certificate_of(CURVE), certificate_of(ec.generate_private_key(ec.SECP256R1()))
    texts = b"".join(found.public_bytes(Encoding.PEM) for found in (own, other))
    plain = own.public_bytes(Encoding.DER)

    assert read_certificates(texts) == (plain, other.public_bytes(Encoding.DER))
    assert read_certificates(plain) == (plain,)
    for content in (b"", b"no certificate", b"-----BEGIN CERTIFICATE-----\n"):
        with pytest.raises(ValueError, match=r"."):
            read_certificates(content)
