"""Asking for quotes: bodies that differ in one place, and proof that a refused one changed nothing."""

import contextlib
import copy
import re
from collections.abc import AsyncIterator
from typing import Any, Final

import httpx

from support.service import Service, request_body

REMOVED: Final = object()
"""Put this where a field is to be missing."""

TECHNOLOGY_ANSWERS: Final = {
    "2246": True,
    "2204": "Software",
    "2210": "Organizations (e.g., businesses, non-profits, government)",
    "2224": ["E-commerce"],
    "2226": ["None of the above"],
    "2248": True,
    "2229": True,
    "2207": "$250,000",
    "2249": True,
    "2205": True,
}
PROFESSIONAL_ANSWERS: Final = {
    "Q2401": ["Management or business consulting"],
    "Q2403": 12,
    "Q2404": 3,
    "Q2412": ["None of the above"],
    "Q2405": "Always",
    "Q2406": True,
    "Q2407": "Up to 25%",
    "Q2408": "None",
    "Q2410": False,
    "Q2411": True,
    "Q2413": False,
    "Q2416": "0",
    "Q2419": False,
    "Q2421": False,
    "Q2423": False,
}
COUNTED: Final = (
    "companies",
    "submissions",
    "clearance_keys",
    "quotes",
    "contingencies",
    "journal",
    "idempotency_keys",
    "pgq.pgqueuer",
)
_ROW_COUNTS: Final = (
    f"select {', '.join(f'(select count(*) from {table})' for table in COUNTED)}, "
    "(select coalesce(sum(version), 0) from quotes)"
)
_STEP = re.compile(r"\[(\d+)\]|([^.\[]+)")


def changed(*changes: tuple[str, Any]) -> dict[str, Any]:
    """Return a good CYB body that differs at these paths, such as `policy.quotes[0].aggregate_limit`."""
    body = request_body()
    for path, value in changes:
        put(body, path, value)
    return body


def put(body: dict[str, Any], path: str, value: Any) -> None:
    """Set or remove what is at a path; objects on the way there are made."""
    *way, last = [int(number) if number else name for number, name in _STEP.findall(path)]
    place: Any = body
    for step in way:
        place = place.setdefault(step, {}) if isinstance(place, dict) else place[step]
    if value is REMOVED:
        del place[last]
    elif isinstance(place, list) and last == len(place):
        place.append(copy.deepcopy(value))
    else:
        place[last] = copy.deepcopy(value)


def technology(*changes: tuple[str, Any]) -> dict[str, Any]:
    """Return a good TEO body."""
    body = changed(("policy.insurance_product", "TEO"), *changes)
    body["questions"] += [{"id": name, "value": value} for name, value in TECHNOLOGY_ANSWERS.items()]
    return body


def professional(*changes: tuple[str, Any]) -> dict[str, Any]:
    """Return a good MPL body."""
    answers = [{"id": name, "value": value} for name, value in PROFESSIONAL_ANSWERS.items()]
    return changed(
        ("policy.insurance_product", "MPL"),
        ("policy.quotes", [{"aggregate_limit": 1_000_000}]),
        ("questions", answers),
        *changes,
    )


async def row_counts(service: Service) -> tuple[int, ...]:
    """Count everything that an accepted request would add to or move."""
    row = await service.runtime.database.pool.fetchrow(_ROW_COUNTS)
    assert row is not None
    return tuple(row)


@contextlib.asynccontextmanager
async def nothing_written(service: Service) -> AsyncIterator[None]:
    """Fail if what happens inside leaves a trace."""
    before = await row_counts(service)
    yield
    assert await row_counts(service) == before


async def refusal(service: Service, body: Any, **headers: str) -> dict[str, Any]:
    """Send a request that is to be refused as invalid, see that nothing moved, and return the error body."""
    async with nothing_written(service):
        answer = await service.post("/v2/quotes", body, **headers)
    assert answer.status_code == 400, answer.text
    refused: dict[str, Any] = answer.json()
    assert refused["code"] == "invalid_request"
    assert refused["message"]
    assert refused["request_id"] == answer.headers["x-request-id"]
    return refused


async def problems(service: Service, body: Any) -> set[tuple[str, str]]:
    """Return path and code of everything that is wrong with a body."""
    refused = await refusal(service, body)
    assert all(problem["message"] for problem in refused["errors"])
    return {(problem["path"], problem["code"]) for problem in refused["errors"]}


async def check_is_accepted(service: Service, body: Any) -> dict[str, Any]:
    """Send a request that is to be accepted and see that it was written: give the receipt."""
    before = await row_counts(service)
    receipt = await service.submit(body)
    after = await row_counts(service)
    grown = dict(zip(COUNTED, (new - old for old, new in zip(before, after, strict=True)), strict=False))
    assert grown["submissions"] == grown["pgq.pgqueuer"] == 1
    assert grown["quotes"] == grown["journal"] == len(receipt["quotes"])
    return receipt


async def send_raw(service: Service, content: bytes, **headers: str) -> httpx.Response:
    """Send bytes as they are, as JSON unless said otherwise."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return await service.http.post(
        "/v2/quotes",
        content=content,
        headers={**service.headers, "content-type": "application/json", **named},
    )
