"""What is no fault of a job: the database, or the store of files, is away for a while."""

from bindery.storage.database import UNAVAILABLE


def is_outage(fault: BaseException) -> bool:
    """Whether a fault only says that something is away, so that trying again later is all there is to do."""
    if isinstance(fault, BaseExceptionGroup):
        return all(is_outage(inner) for inner in fault.exceptions)
    # A wrong argument to a statement is an InterfaceError as well, and a bug.
    return isinstance(fault, UNAVAILABLE) and not isinstance(fault, ValueError)
