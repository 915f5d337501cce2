"""The certificate and protocol versions of a host, as far as a handshake shows them."""

import ssl
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.hashes import SHA1

from bindery.outside.guarded_connect import AddressUnreachable
from bindery.outside.scanner.connector import Connector, Host
from bindery.outside.scanner.scan_progress import ScanProgress
from bindery.outside.scanner.tls_contexts import TlsContexts

CERTIFICATE_CHECKS: Final = ("TLS_EXPIRED", "TLS_EXPIRING", "TLS_NAME", "TLS_WEAKKEY")
ALL_CHECKS: Final = (*CERTIFICATE_CHECKS, "TLS_OLD")
HTTPS_PORT: Final = 443
EXPIRES_SOON: Final = timedelta(days=14)
SMALLEST_RSA_BITS: Final = 2048
OUT_OF_DATE: Final = frozenset({9, 10})
"""OpenSSL's verdicts «not yet valid» and «expired», which it reaches only with name and chain in order."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """What a handshake showed: the certificate, and why a visitor would not trust it."""

    parsed: x509.Certificate
    distrust: str | None

    @property
    def subject(self) -> str:
        """Name its holder in one line."""
        return self.parsed.subject.rfc4514_string()


class TlsProbe:
    """Checks the TLS of hosts."""

    def __init__(
        self, *, connector: Connector, progress: ScanProgress, contexts: TlsContexts, at: datetime
    ) -> None:
        self._connector = connector
        self._progress = progress
        self._contexts = contexts
        self._at = at

    async def check(self, host: Host) -> None:
        """Check one host on 443, if it speaks TLS there."""
        with self._progress.attempt(*ALL_CHECKS):
            certificate = await self.read_certificate(host, HTTPS_PORT)
            if certificate is None:
                self._progress.leave_undecided(*ALL_CHECKS)
                return
            self._judge(host.name, certificate)
            await self._check_old_versions(host)

    async def read_certificate(self, host: Host, port: int) -> Certificate | None:
        """Shake hands as a visitor, then, where that fails, as one who accepts anything.

        Raises:
            TimeoutError: the handshake took too long.
        """
        try:
            return await self._shake_hands(host, port, self._contexts.verifying, distrust=None)
        except ssl.SSLCertVerificationError as error:
            distrust = None if error.verify_code in OUT_OF_DATE else error.verify_message
            return await self._shake_hands_anyhow(host, port, distrust)
        except TimeoutError:
            raise
        except AddressUnreachable:
            return None
        except (OSError, ValueError):
            self._progress.leave_undecided("TLS_NAME")
            return await self._shake_hands_anyhow(host, port, None)

    async def _shake_hands_anyhow(self, host: Host, port: int, distrust: str | None) -> Certificate | None:
        try:
            return await self._shake_hands(host, port, self._contexts.reading, distrust=distrust)
        except TimeoutError:
            raise
        # Not TLS, no connection, or a certificate that cannot be parsed.
        except (OSError, ValueError):
            return None

    async def _shake_hands(
        self, host: Host, port: int, context: ssl.SSLContext, *, distrust: str | None
    ) -> Certificate | None:
        async with self._connector.connection(host, port, tls=context) as (_, writer):
            session = writer.get_extra_info("ssl_object")
            shown = session.getpeercert(binary_form=True)
        return Certificate(x509.load_der_x509_certificate(shown), distrust) if shown else None

    def _judge(self, host: str, certificate: Certificate) -> None:
        expires = certificate.parsed.not_valid_after_utc
        if expires <= self._at:
            self._progress.find("TLS_EXPIRED", host, f"The certificate expired on {expires:%Y-%m-%d}.")
        elif expires <= self._at + EXPIRES_SOON:
            self._progress.find("TLS_EXPIRING", host, f"The certificate expires on {expires:%Y-%m-%d}.")
        if certificate.distrust:
            self._progress.find("TLS_NAME", host, f"Not trusted: {certificate.distrust}.")
        weakness = _weakness_of(certificate.parsed)
        if weakness:
            self._progress.find("TLS_WEAKKEY", host, f"The certificate has {weakness}.")

    async def _check_old_versions(self, host: Host) -> None:
        old_only = self._contexts.old_only
        if old_only is None:
            self._progress.leave_undecided("TLS_OLD")
            self._progress.note("TLS 1.0 and 1.1 could not be tried: the scanner's own library refuses them")
            return
        try:
            async with self._connector.connection(host, HTTPS_PORT, tls=old_only) as (_, writer):
                version = writer.get_extra_info("ssl_object").version()
            self._progress.find("TLS_OLD", host.name, f"The server accepted a handshake with {version}.")
        except TimeoutError:
            raise
        except ssl.SSLError as error:
            # A refusal by the server comes as an alert; anything else may be our own side's doing.
            if "ALERT" not in (error.reason or ""):
                self._progress.leave_undecided("TLS_OLD")
        except AddressUnreachable:
            self._progress.leave_undecided("TLS_OLD")
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
