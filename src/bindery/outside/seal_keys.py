"""Keys that seal documents: made here, or an operator's own from a file."""

import stat
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ec import (
    SECP256R1,
    SECP384R1,
    SECP521R1,
    EllipticCurvePrivateKey,
)
from cryptography.hazmat.primitives.asymmetric.ec import generate_private_key as generate_curve_key
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.hashes import SHA256, SHA384, SHA512
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import NameOID

from bindery.base.errors import Misconfigured
from bindery.domain.documents.seal import SealKey

NAME: Final = "Bindery document seal"
VALID_FOR: Final = timedelta(days=20 * 365)
"""Longer than anybody keeps an application; a seal counts by the day on which it was made."""
LONGEST_NAME: Final = 64
"""Of a part of a certificate's name (X.520)."""
LEAST_RSA_BITS: Final = 2_048
CURVES: Final = (SECP256R1, SECP384R1, SECP521R1)
HASHES: Final = (SHA256, SHA384, SHA512)
OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


def make_seal_key(host: str, *, at: datetime) -> SealKey:
    """Make a key with a certificate that it signs itself and that names the service by its host."""
    key = generate_curve_key(SECP256R1())
    name = x509.Name(
        [
            x509.NameAttribute(NameOID.ORGANIZATION_NAME, host[:LONGEST_NAME]),
            x509.NameAttribute(NameOID.COMMON_NAME, NAME),
        ]
    )
    identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(at)
        .not_valid_after(at + VALID_FOR)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(), critical=True)
        .add_extension(identifier, critical=False)
        .sign(key, SHA256())
    )
    return SealKey(private_key=_plain(key), certificates=(certificate.public_bytes(Encoding.DER),))


def read_seal_key(file: Path, *, at: datetime, must_be_private: bool) -> SealKey:
    """Read a private key, its certificate and those that vouch for it from a PEM file.

    Raises:
        Misconfigured: the file cannot be read or is open to others, the key is weak or another one's, or
            the certificate is not for signing or not valid.
    """
    try:
        text = file.read_bytes()
        is_open = bool(file.stat().st_mode & OTHERS)
    except OSError as fault:
        raise _bad(f"cannot be read: {fault.strerror}") from None
    try:
        key = load_pem_private_key(text, password=None)
        own, *vouching = x509.load_pem_x509_certificates(text)
    except (TypeError, ValueError):
        raise _bad(
            "must have a private key without a password, its certificate and its chain, as PEM"
        ) from None
    if must_be_private and is_open:
        raise _bad("may be read by other accounts; chmod 600 closes it")
    if not _is_strong(key):
        raise _bad(
            f"has a weak key; it needs RSA of {LEAST_RSA_BITS:,} bits or a curve P-256, P-384 or P-521"
        )
    assert isinstance(key, RSAPrivateKey | EllipticCurvePrivateKey), "nothing else is strong"
    if _public(key.public_key()) != _public(own.public_key()):
        raise _bad("has a certificate of another key; the key's own comes first")
    if flaw := _flaw_of(own, at):
        raise _bad(flaw)
    return SealKey(
        private_key=_plain(key),
        certificates=tuple(certificate.public_bytes(Encoding.DER) for certificate in (own, *vouching)),
    )


def read_certificates(content: bytes) -> tuple[bytes, ...]:
    """Return the certificates of a file, PEM or DER, each as DER.

    Raises:
        ValueError: it has none.
    """
    if b"-----BEGIN" in content:
        found = x509.load_pem_x509_certificates(content)
    else:
        found = [x509.load_der_x509_certificate(content)]
    return tuple(certificate.public_bytes(Encoding.DER) for certificate in found)


def as_pem(certificates: tuple[bytes, ...]) -> str:
    return "".join(
        x509.load_der_x509_certificate(certificate).public_bytes(Encoding.PEM).decode()
        for certificate in certificates
    )


def ends_at(certificate: bytes) -> datetime:
    return x509.load_der_x509_certificate(certificate).not_valid_after_utc


def _usage() -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=True,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=False,
        crl_sign=False,
        encipher_only=False,
        decipher_only=False,
    )


def _is_strong(key: object) -> bool:
    if isinstance(key, RSAPrivateKey):
        return key.key_size >= LEAST_RSA_BITS
    return isinstance(key, EllipticCurvePrivateKey) and isinstance(key.curve, CURVES)


def _flaw_of(certificate: x509.Certificate, at: datetime) -> str:
    if not certificate.not_valid_before_utc <= at <= certificate.not_valid_after_utc:
        until = (
            f"from {certificate.not_valid_before_utc:%Y-%m-%d} to {certificate.not_valid_after_utc:%Y-%m-%d}"
        )
        return f"has a certificate that is valid {until}"
    if not isinstance(certificate.signature_hash_algorithm, HASHES):
        return "has a certificate that is signed with a weak hash"
    try:
        usage = certificate.extensions.get_extension_for_class(x509.KeyUsage).value
    except x509.ExtensionNotFound:
        return ""
    return "" if usage.digital_signature or usage.content_commitment else "has a certificate not for signing"


def _plain(key: RSAPrivateKey | EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())


def _public(key: object) -> bytes:
    public: bytes = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)  # type: ignore[attr-defined]
    return public


def _bad(what: str) -> Misconfigured:
    return Misconfigured(f"BINDERY_SEAL_KEY_FILE {what}.")
