"""The three ways the scanner shakes hands: as a visitor, as a reader of anything, as an old client."""

import ssl
import warnings
from dataclasses import dataclass
from functools import lru_cache

ANY_CIPHER = "ALL:@SECLEVEL=0"
"""Weak keys and ciphers are what we look for, so they must not stop the handshake."""


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
