"""Signatures that were made on the page: added, never changed."""

import uuid

from bindery.domain.signing.signing import Signature
from bindery.storage.database import Reader, Tx, columns_of, values_of

_COLUMNS = columns_of(Signature)


async def add(tx: Tx, signature: Signature) -> None:
    await tx.insert("signatures", values_of(signature))


async def find(tx: Reader, link_id: uuid.UUID) -> Signature | None:
    return await tx.row(Signature, f"select {_COLUMNS} from signatures where link_id = $1", link_id)
