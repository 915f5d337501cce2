"""The key that seals documents: made once, sealed at rest, replaced without breaking what it sealed."""

from urllib.parse import urlsplit

import structlog

from bindery.base.errors import InvalidRequest, Misconfigured
from bindery.domain.documents.seal import SealKey
from bindery.outside.seal_keys import as_pem, make_seal_key, read_certificates
from bindery.outside.sealing import Sealer
from bindery.runtime import Runtime
from bindery.settings import Settings
from bindery.storage.database import Tx
from bindery.storage.documents import seal_certificates
from bindery.storage.documents.seal_certificates import SealCertificate

log = structlog.get_logger()


async def ensure_seal_key(runtime: Runtime) -> SealCertificate | None:
    """Make the first key; of the operator's own, which is in a file, keep the certificate.

    Returns ours, or None where the operator's own seals.
    """
    async with runtime.database.transaction() as tx:
        if (own := runtime.own_seal_key) is not None:
            await seal_certificates.add(tx, own.sha256, as_pem(own.certificates), sealed_key=None)
            return None
        return await seal_certificates.find_with_key(tx) or await _make(
            tx, runtime.sealer, _host(runtime.settings)
        )


async def find_seal_key(runtime: Runtime) -> SealKey:
    """Return the key that seals.

    Raises:
        Misconfigured: it was sealed with a secret key that is not configured.
    """
    kept = await ensure_seal_key(runtime)
    if kept is not None:
        return _opened(runtime, kept)
    assert runtime.own_seal_key is not None, "otherwise there is one of ours"
    return runtime.own_seal_key


async def find_certificates(runtime: Runtime) -> list[SealCertificate]:
    """Return every certificate that ever sealed, that of the key that seals first."""
    sealing = (await find_seal_key(runtime)).sha256
    async with runtime.database.reading() as tx:
        kept = await seal_certificates.find_all(tx)
    return sorted(kept, key=lambda certificate: certificate.fingerprint != sealing)


async def replace_seal_key(runtime: Runtime) -> SealKey:
    """Make a new key that seals from now on; the former is gone, its certificate stays.

    Raises:
        InvalidRequest: the operator's own key seals.
    """
    if runtime.own_seal_key is not None:
        raise InvalidRequest(
            "BINDERY_SEAL_KEY_FILE has the key that seals: put another into that file and restart."
        )
    async with runtime.database.transaction() as tx:
        await seal_certificates.forget_key(tx)
        kept = await _make(tx, runtime.sealer, _host(runtime.settings))
    return _opened(runtime, kept)


async def reseal_seal_key(runtime: Runtime) -> int:
    """Seal the key with the newest secret key if a former one seals it, and return how many were."""
    async with runtime.database.transaction() as tx:
        kept = await seal_certificates.find_with_key(tx)
        if kept is None or (kept.sealed_key or b"").startswith(runtime.sealer.newest_key_name):
            return 0
        try:
            key = _opened(runtime, kept)
        except Misconfigured as fault:
            log.error("seal_key_unreadable", reason=fault.message)  # noqa: TRY400 - its trace says nothing
            return 0
        sealed = runtime.sealer.seal(key.private_key, owner=_owner(kept.fingerprint))
        resealed = await seal_certificates.replace_sealed(tx, kept, sealed)
    log.info("seal_key_resealed", count=resealed)
    return resealed


async def _make(tx: Tx, sealer: Sealer, host: str) -> SealCertificate:
    """Make a key; somebody who made one at the same moment was first, and theirs is returned."""
    made = make_seal_key(host, at=tx.real_now)
    sealed = sealer.seal(made.private_key, owner=_owner(made.sha256))
    await seal_certificates.add(tx, made.sha256, as_pem(made.certificates), sealed_key=sealed)
    kept = await seal_certificates.find_with_key(tx)
    assert kept is not None, "ours, or that of who was first"
    return kept


def _opened(runtime: Runtime, kept: SealCertificate) -> SealKey:
    assert kept.sealed_key is not None, "it is looked for by its key"
    return SealKey(
        private_key=runtime.sealer.open(kept.sealed_key, owner=_owner(kept.fingerprint)),
        certificates=read_certificates(kept.certificates.encode()),
    )


def _host(settings: Settings) -> str:
    return urlsplit(settings.platform_url).hostname or ""


def _owner(fingerprint: bytes) -> str:
    return f"seal {fingerprint.hex()}"
