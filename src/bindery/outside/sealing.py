"""Secrets at rest: sealed with a key that is not in the database."""

import hashlib
import os
from collections.abc import Sequence
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from bindery.base.errors import Misconfigured

KEY_NAME_BYTES: Final = 4
NONCE_BYTES: Final = 12
PURPOSE: Final = b"bindery: webhook secrets at rest"
"""Webhook secrets were the first; the name stays, because what is sealed opens by it."""


class Sealer:
    """Seals with the newest key and opens with any of them; what is sealed names its key.

    The owner is sealed in: a sealed secret that is moved to another owner's row does not open.
    """

    def __init__(self, secret_keys: Sequence[str]) -> None:
        keys = [_derive(secret) for secret in secret_keys]
        # The first bytes of everything that is sealed with the newest key.
        self.newest_key_name = _name_of(keys[0])
        self._by_name = {_name_of(key): AESGCM(key) for key in reversed(keys)}

    def seal(self, secret: bytes, *, owner: str) -> bytes:
        # The nonce is the cipher's own affair: it must come from the system, whatever chance a test injects.
        nonce = os.urandom(NONCE_BYTES)
        cipher = self._by_name[self.newest_key_name]
        return self.newest_key_name + nonce + cipher.encrypt(nonce, secret, owner.encode())

    def open(self, sealed: bytes, *, owner: str) -> bytes:
        name, rest = sealed[:KEY_NAME_BYTES], sealed[KEY_NAME_BYTES:]
        cipher = self._by_name.get(name)
        if cipher is None:
            raise Misconfigured(
                "A secret was sealed with a key that is not configured; "
                "put the former BINDERY_SECRET_KEY into BINDERY_OLD_SECRET_KEYS."
            )
        try:
            return cipher.decrypt(rest[:NONCE_BYTES], rest[NONCE_BYTES:], owner.encode())
        except InvalidTag:
            raise Misconfigured("A sealed secret was changed, or moved to another owner.") from None


def _derive(secret_key: str) -> bytes:
    # The same setting signs tokens: each purpose gets a key of its own.
    return HKDF(SHA256(), length=32, salt=None, info=PURPOSE).derive(secret_key.encode())


def _name_of(key: bytes) -> bytes:
    return hashlib.sha256(b"name of " + key).digest()[:KEY_NAME_BYTES]
