"""Mail that waits to be sent; it is written in the transaction of what it tells about."""

from bindery.storage.database import Tx


async def add(tx: Tx, *, recipient: str, subject: str, body: str) -> None:
    """Leave a mail to be sent."""
    await tx.connection.execute(
        "insert into outbox (recipient, subject, body, created_at) values ($1, $2, $3, $4)",
        recipient,
        subject,
        body,
        tx.now,
    )
