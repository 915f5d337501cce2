"""The typed client: `Bindery` for plain code, `AsyncBindery` for asyncio."""

from bindery.client.asynchronous import AsyncBindery
from bindery.client.errors import ApiError
from bindery.client.plain import Bindery

__all__ = ["ApiError", "AsyncBindery", "Bindery"]
