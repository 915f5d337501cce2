"""The key that seals documents, and every certificate that ever did."""

from dataclasses import dataclass
from datetime import datetime

from bindery.storage.database import Reader, Tx, columns_of


@dataclass(frozen=True, slots=True, kw_only=True)
class SealCertificate:
    """A certificate as PEM, with those that vouch for it, and its key while it is ours and seals."""

    fingerprint: bytes
    certificates: str
    sealed_key: bytes | None
    added_at: datetime
    replaced_at: datetime | None


async def find_with_key(tx: Reader) -> SealCertificate | None:
    """Return the certificate whose key is ours and seals."""
    statement = f"select {columns_of(SealCertificate)} from seal_certificates where sealed_key is not null"
    return await tx.row(SealCertificate, statement)


async def find_all(tx: Reader) -> list[SealCertificate]:
    """Return all of them, newest first: a handful, since a key seals for years."""
    statement = f"select {columns_of(SealCertificate)} from seal_certificates order by added_at desc"
    return await tx.rows(SealCertificate, statement)


async def add(tx: Tx, fingerprint: bytes, certificates: str, *, sealed_key: bytes | None) -> bool:
    """Keep a certificate; whether it is new, and nobody has added another with a key meanwhile."""
    row = {
        "fingerprint": fingerprint,
        "certificates": certificates,
        "sealed_key": sealed_key,
        "added_at": tx.real_now,
    }
    return await tx.insert("seal_certificates", row, otherwise="on conflict do nothing") == 1


async def forget_key(tx: Tx) -> None:
    """Let the key that seals go for good; its certificate stays."""
    statement = """
    update seal_certificates set sealed_key = null, replaced_at = $1 where sealed_key is not null
    """
    await tx.execute(statement, tx.real_now)


async def replace_sealed(tx: Tx, kept: SealCertificate, sealed_key: bytes) -> int:
    unchanged = {"fingerprint": kept.fingerprint, "sealed_key": kept.sealed_key}
    return await tx.update("seal_certificates", unchanged, sealed_key=sealed_key)
