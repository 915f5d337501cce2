"""A service in the same process: requests reach it without a socket, and nobody else."""

from typing import Any

import httpx


def in_process(app: Any) -> httpx.AsyncBaseTransport:  # noqa: ANN401 - any ASGI application
    """Return the `transport` of an `AsyncBindery` whose service is this application."""
    return httpx.ASGITransport(app)
