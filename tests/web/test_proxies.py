"""Whose address is counted: that of the caller, as a proxy that is trusted names it."""

from pathlib import Path

import httpx
import pytest

from support.people import ORIGIN
from support.service import serving
from support.wire import listening


@pytest.mark.parametrize(
    ("trusted", "counted"),
    [("127.0.0.1", "203.0.113.7"), ("127.0.0.0/8", "203.0.113.7"), ("10.0.0.1", "127.0.0.1")],
)
async def test_wrong_passwords_are_counted_by_the_caller_that_a_trusted_proxy_names(
    dsn: str, tmp_path: Path, trusted: str, counted: str
) -> None:
    async with serving(dsn, tmp_path, trusted_proxies=(trusted,)) as service, listening(service) as wire:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{wire.port}") as http:
            answer = await http.post(
                "/sign-in",
                data={"email": "nobody@example.com", "password": "nothing like it"},
                headers={"X-Forwarded-For": "203.0.113.7", "Origin": ORIGIN},
            )
        keys = await service.runtime.database.pool.fetch("select key from sign_in_failures")

    assert answer.status_code < 500
    assert f"address {counted}" in {row["key"] for row in keys}
