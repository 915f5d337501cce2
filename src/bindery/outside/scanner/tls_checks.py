"""The certificate and protocol versions of a host, as far as a handshake shows them."""

import ssl
import warnings
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.hashes import SHA1

from bindery.outside.guarded_connect import AddressUnreachable
from bindery.outside.scanner.connector import Connector, Host
from bindery.outside.scanner.scan_progress import ScanProgress

ANY_CIPHER = "ALL:@SECLEVEL=0"
"""Weak keys and ciphers are what we look for, so they must not stop the handshake."""
CERTIFICATE_CHECKS: Final = ("TLS_EXPIRED", "TLS_EXPIRING", "TLS_NAME", "TLS_WEAKKEY")
ALL_CHECKS: Final = (*CERTIFICATE_CHECKS, "TLS_OLD")
HTTPS_PORT: Final = 443
EXPIRES_SOON: Final = timedelta(days=14)
SMALLEST_RSA_BITS: Final = 2048
OUT_OF_DATE: Final = frozenset({9, 10})
"""OpenSSL's verdicts «not yet valid» and «expired», which it reaches only with name and chain in order."""


@dataclass(frozen=True, slots=True)
class TlsContexts:
    """One context per purpose; `old_only` is None where our own OpenSSL cannot speak TLS 1.0 or 1.1."""

    verifying: ssl.SSLContext
    reading: ssl.SSLContext
    old_only: ssl.SSLContext | None


@lru_cache(maxsize=8)
def tls_contexts(trusted_roots: str | None = None) -> TlsContexts:
    """Make the contexts; `trusted_roots` is PEM text that replaces the machine's own authorities."""
    verifying = ssl.create_default_context(cadata=trusted_roots)
    verifying.set_ciphers(ANY_CIPHER)
    verifying.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
    return TlsContexts(verifying, _reading_context(), _old_only_context())


def _reading_context() -> ssl.SSLContext:
    # A bad certificate is read and judged, not trusted: nothing secret is ever sent over it.
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_ciphers(ANY_CIPHER)
    context.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
    return context


def _old_only_context() -> ssl.SSLContext | None:
    context = _reading_context()
    with warnings.catch_warnings():
        # Python warns of the old versions, rightly; here they are what is asked about.
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            context.maximum_version = ssl.TLSVersion.TLSv1_1
        except ValueError:
            return None
    return context if _can_begin(context) else None


def _can_begin(context: ssl.SSLContext) -> bool:
    """Try whether a first message comes out at all: many OpenSSL builds refuse the old versions."""
    session = context.wrap_bio(ssl.MemoryBIO(), ssl.MemoryBIO(), server_hostname="example.com")
    try:
        session.do_handshake()
    except ssl.SSLWantReadError:
        return True
    except ssl.SSLError:
        return False
    return False


@dataclass(frozen=True, slots=True)
class Certificate:
    parsed: x509.Certificate
    distrust: str | None

    @property
    def subject(self) -> str:
        return self.parsed.subject.rfc4514_string()


@dataclass(frozen=True, slots=True, kw_only=True)
class TlsProbe:
    connector: Connector
    progress: ScanProgress
    contexts: TlsContexts
    at: datetime

    async def check(self, host: Host) -> None:
        with self.progress.attempt(*ALL_CHECKS):
            certificate = await self.read_certificate(host, HTTPS_PORT)
            if certificate is None:
                self.progress.leave_undecided(*ALL_CHECKS)
                return
            self._judge(host.name, certificate)
            await self._check_old_versions(host)

    async def read_certificate(self, host: Host, port: int) -> Certificate | None:
        try:
            return await self._shake_hands(host, port, self.contexts.verifying, distrust=None)
        except ssl.SSLCertVerificationError as error:
            distrust = None if error.verify_code in OUT_OF_DATE else error.verify_message
            return await self._shake_hands_anyhow(host, port, distrust)
        except TimeoutError:
            raise
        except AddressUnreachable:
            return None
        except (OSError, ValueError):
            self.progress.leave_undecided("TLS_NAME")
            return await self._shake_hands_anyhow(host, port, None)

    async def _shake_hands_anyhow(self, host: Host, port: int, distrust: str | None) -> Certificate | None:
        try:
            return await self._shake_hands(host, port, self.contexts.reading, distrust=distrust)
        except TimeoutError:
            raise
        # Not TLS, no connection, or a certificate that cannot be parsed.
        except (OSError, ValueError):
            return None

    async def _shake_hands(
        self, host: Host, port: int, context: ssl.SSLContext, *, distrust: str | None
    ) -> Certificate | None:
        async with self.connector.connection(host, port, tls=context) as (_, writer):
            session = writer.get_extra_info("ssl_object")
            shown = session.getpeercert(binary_form=True)
        return Certificate(x509.load_der_x509_certificate(shown), distrust) if shown else None

    def _judge(self, host: str, certificate: Certificate) -> None:
        expires = certificate.parsed.not_valid_after_utc
        if expires <= self.at:
            self.progress.find("TLS_EXPIRED", host, f"The certificate expired on {expires:%Y-%m-%d}.")
        elif expires <= self.at + EXPIRES_SOON:
            self.progress.find("TLS_EXPIRING", host, f"The certificate expires on {expires:%Y-%m-%d}.")
        if certificate.distrust:
            self.progress.find("TLS_NAME", host, f"Not trusted: {certificate.distrust}.")
        weakness = _weakness_of(certificate.parsed)
        if weakness:
            self.progress.find("TLS_WEAKKEY", host, f"The certificate has {weakness}.")

    async def _check_old_versions(self, host: Host) -> None:
        old_only = self.contexts.old_only
        if old_only is None:
            self.progress.leave_undecided("TLS_OLD")
            self.progress.note("TLS 1.0 and 1.1 could not be tried: the scanner's own library refuses them")
            return
        try:
            async with self.connector.connection(host, HTTPS_PORT, tls=old_only) as (_, writer):
                version = writer.get_extra_info("ssl_object").version()
            self.progress.find("TLS_OLD", host.name, f"The server accepted a handshake with {version}.")
        except TimeoutError:
            raise
        except ssl.SSLError as error:
            # A refusal by the server comes as an alert; anything else may be our own side's doing.
            if "ALERT" not in (error.reason or ""):
                self.progress.leave_undecided("TLS_OLD")
        except AddressUnreachable:
            self.progress.leave_undecided("TLS_OLD")
        except OSError:
            # The server hung up on the old version: that is a refusal too.
            return


def _weakness_of(certificate: x509.Certificate) -> str | None:
    try:
        key, signature_hash = certificate.public_key(), certificate.signature_hash_algorithm
    except (UnsupportedAlgorithm, ValueError):
        return None
    if isinstance(key, rsa.RSAPublicKey) and key.key_size < SMALLEST_RSA_BITS:
        return f"an RSA key of {key.key_size} bits"
    return "a SHA-1 signature" if isinstance(signature_hash, SHA1) else None
