"""How `bindery listen` registers with the service, and cleans up afterwards."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final
from urllib.parse import urlsplit

from bindery.base.signatures import read_secret
from bindery.cli.common import complaints, refuse, show_line
from bindery.cli.connection import ServiceConnection, is_demo
from bindery.client import ApiError, AsyncBindery
from bindery.contract.webhooks import WebhookStatus

THIS_MACHINE: Final = frozenset({"127.0.0.1", "localhost", "::1"})


def check_reachable(service: ServiceConnection) -> None:
    """Check that the service can deliver to this machine."""
    if urlsplit(service.address).hostname not in THIS_MACHINE:
        refuse(
            f"{service.address} cannot deliver to this machine: pass an address that leads here with "
            f"--endpoint, such as a tunnel's."
        )


async def fetch_secret(bindery: AsyncBindery, service: ServiceConnection) -> bytes:
    """Ask the demo for a new secret; elsewhere one would put the partner's receivers out of order."""
    if not await is_demo(bindery):
        refuse(
            f"{service.address} is not a demo. Pass --secret: a new one would replace your other receivers' "
            f"secret a day later."
        )
    made = await bindery.set_webhook_secret()
    if made.previous_secret_signs_until is not None:
        complaints.print(
            f"A new secret was made; the previous one also signs until "
            f"{made.previous_secret_signs_until:%Y-%m-%d %H:%M} UTC.",
            style="dim",
            highlight=False,
        )
    return read_secret(made.secret)


@asynccontextmanager
async def registered(bindery: AsyncBindery, endpoint: str) -> AsyncIterator[None]:
    """Register for as long as the block runs; an endpoint that was registered before stays so."""
    known = {
        webhook.endpoint
        for webhook in (await bindery.list_webhooks()).webhooks
        if webhook.status is WebhookStatus.ACTIVE
    }
    webhook = await bindery.register_webhook(endpoint)
    try:
        yield
    finally:
        if endpoint in known:
            show_line(f"{endpoint} was already registered and stays so.", complaints)
        else:
            await _remove(bindery, webhook.id, endpoint)


async def _remove(bindery: AsyncBindery, webhook_id: str, endpoint: str) -> None:
    try:
        await bindery.remove_webhook(webhook_id)
    except ApiError as fault:
        show_line(
            f"The registration of {endpoint} as {webhook_id} could not be removed: {fault.message}",
            complaints,
        )
    else:
        show_line(f"The registration of {endpoint} is removed.", complaints)
