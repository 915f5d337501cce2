"""Counting the statements that a service sends."""

import contextlib
from collections.abc import AsyncIterator
from typing import Any

from support.service import Service


@contextlib.asynccontextmanager
async def statements_of(service: Service) -> AsyncIterator[list[str]]:
    """Return the list that every statement on the one connection of the service's pool is added to."""
    pool = service.runtime.database.pool
    assert pool.get_max_size() == 1, "another connection would not be counted"
    sent: list[str] = []

    def note(statement: Any) -> None:
        sent.append(" ".join(statement.query.split()))

    async with pool.acquire() as connection:
        connection.add_query_logger(note)
    sent.clear()
    yield sent
    async with pool.acquire() as connection:
        connection.remove_query_logger(note)
