"""What is no fault of a job: the database, or the store of files, is away for a while."""

from typing import Final

import asyncpg

from bindery.storage.database import UNAVAILABLE

OUTAGES: Final = (
    *UNAVAILABLE,
    # Stopping, starting, or ending a statement that took too long.
    asyncpg.OperatorInterventionError,
    # A full disk, no memory, no connection left.
    asyncpg.InsufficientResourcesError,
    asyncpg.PostgresSystemError,
    # A standby that has not been promoted yet, or a server that was made to refuse writing.
    asyncpg.ReadOnlySQLTransactionError,
    # What the driver says of a connection that broke while it was being used.
    asyncpg.InternalClientError,
)


def is_outage(fault: BaseException) -> bool:
    """Whether a fault only says that something is away, so that trying again later is all there is to do."""
    if isinstance(fault, BaseExceptionGroup):
        return all(is_outage(inner) for inner in fault.exceptions)
    # A wrong argument to a statement is an InterfaceError as well, and a bug.
    return isinstance(fault, OUTAGES) and not isinstance(fault, ValueError)
