"""A partner who traces asks for quotes, hears of them and compares them: real processes, one trace."""

from collections.abc import Mapping
from pathlib import Path

import httpx

from support.collector import SeenSpan, collecting
from support.processes import NO_TLS, Program
from support.receiver import Received, receiving
from support.service import SECRET, request_body, serving
from support.waiting import eventually

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARTNERS_SPAN = "00f067aa0ba902b7"
LAST_PARTS = {
    "deliver": 2,
    "render": 1,
    "publish": 1,
    "process_submission": 1,
    # A request ends after what it set off, and may come in a later batch.
    "request create_quotes": 1,
    "request download_document": 1,
}


async def play(dsn: str, folder: Path) -> tuple[list[SeenSpan], list[Received]]:
    """Play it on a migrated database, with two of `serve` and a worker; return spans and deliveries."""
    async with serving(dsn, folder / "data") as service:
        token = service.token
    with collecting() as collector:
        variables = {
            "BINDERY_DATABASE_URL": dsn,
            "BINDERY_SECRET_KEY": SECRET,
            "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url,
            "OTEL_BSP_SCHEDULE_DELAY": "50",
        }
        program = Program(folder, variables)
        async with receiving() as receiver:
            with program.serving("--processes", "2") as api, program.start("work"):
                headers = {"Authorization": f"Bearer {token}"}
                async with httpx.AsyncClient(
                    base_url=f"{api.url}/v2", headers=headers, timeout=60, verify=NO_TLS
                ) as partner:
                    hook = {"endpoint": receiver.url, "quote_level": True, "policy_level": True}
                    (await partner.post("/webhooks", json=hook)).raise_for_status()
                    # The first time a process does something says little of all other times.
                    await _talk(partner, {})
                    await _talk(partner, {"traceparent": f"00-{TRACE}-{PARTNERS_SPAN}-01"})

                    async def seen() -> Mapping[str, int]:
                        names = [span.name for span in collector.of_trace(TRACE)]
                        return {name: names.count(name) for name in LAST_PARTS}

                    await eventually(seen, lambda counts: counts == LAST_PARTS)
        told = [delivery for delivery in receiver.got if TRACE in delivery.headers["traceparent"]]
        return collector.of_trace(TRACE), told


async def _talk(partner: httpx.AsyncClient, traced: Mapping[str, str]) -> None:
    receipt = (await partner.post("/quotes", json=request_body(), headers=traced)).raise_for_status().json()
    identifier = receipt["quotes"][0]["quote_identifier"]
    ready = await partner.get(f"/quotes/{identifier}", headers={"Prefer": "wait=60"})
    assert ready.status_code == httpx.codes.OK, ready.text
    # No worker makes it before it is asked for.
    (await partner.get(f"/quotes/comparison/{identifier}", headers=traced)).raise_for_status()
