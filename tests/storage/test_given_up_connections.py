"""Connections that are opened and then not needed are closed, instead of staying until they are collected."""

import asyncio
import gc
import warnings
from collections.abc import Coroutine, Iterator
from typing import Any

import asyncpg
import pytest

from bindery.base.errors import DatabaseUnreachable
from bindery.storage.health import check_direct
from bindery.storage.watch import connect, in_time


@pytest.fixture(autouse=True)
def _none_is_left() -> Iterator[None]:
    gc.collect()
    with warnings.catch_warnings(record=True) as complaints:
        warnings.simplefilter("always", ResourceWarning)
        yield
        gc.collect()
    assert [str(complaint.message) for complaint in complaints] == []


async def cancel_once_answered(asking: Coroutine[Any, Any, object]) -> None:
    """Cancel a caller after its answer has come, and before it could take it."""
    others = asyncio.all_tasks()
    caller = asyncio.create_task(asking)
    await asyncio.sleep(0)
    (answering,) = asyncio.all_tasks() - others - {caller}
    while not answering.done():  # noqa: ASYNC110 - each turn of the loop is looked at
        await asyncio.sleep(0)
    assert not caller.done()
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller


async def test_a_connection_that_comes_as_its_caller_is_canceled_is_closed(server: str) -> None:
    await cancel_once_answered(connect(server))


async def test_a_fault_that_comes_as_its_caller_is_canceled_is_nobodys(server: str) -> None:
    async def fail() -> None:
        await asyncio.sleep(0)
        raise asyncpg.InvalidPasswordError("no")

    await cancel_once_answered(in_time(fail(), 1))


async def test_a_listener_without_a_speaker_is_closed(server: str) -> None:
    owner = await asyncpg.connect(server)
    await owner.execute("drop role if exists one_at_once")
    await owner.execute("create role one_at_once login connection limit 1")
    try:
        with pytest.raises(DatabaseUnreachable, match="too many connections for role"):
            await check_direct(server.replace("bindery@", "one_at_once@", 1))
    finally:
        await owner.execute("drop role one_at_once")
        await owner.close()
