"""Every operation of the service, in one table, put together from one file per subject."""

from typing import Final

from bindery.api.operation import Operation
from bindery.api.operations import (
    binds,
    changes,
    demo,
    documents,
    lists,
    quotes,
    service,
    signature_requests,
    webhooks,
)
from bindery.settings import Environment

OPERATIONS: Final = (
    *quotes.OPERATIONS,
    *lists.OPERATIONS,
    *binds.OPERATIONS,
    *changes.OPERATIONS,
    *documents.OPERATIONS,
    *signature_requests.OPERATIONS,
    *webhooks.OPERATIONS,
    *demo.OPERATIONS,
    *service.OPERATIONS,
)


def operations_for(environment: Environment) -> tuple[Operation, ...]:
    return tuple(row for row in OPERATIONS if row.environments is None or environment in row.environments)
