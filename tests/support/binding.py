"""The life after the quote, as tests play it: quotes without a worker, binds, papers, and a clock to set."""

import uuid
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from typing import Any

import httpx

from bindery.actions.submission.process_submission import process_submission
from support.service import Service, request_body

DAY = date(2027, 3, 1)
"""The day on which stories begin whose dates are written out."""

PHOTO = (
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00:~\x9bU"
    b"\x00\x00\x00\nIDATx\x9cc`\x00\x00\x00\x02\x00\x01H\xaf\xa4q\x00\x00\x00\x00IEND\xaeB`\x82"
)
"""A picture of a signed page that nobody can read: the attestation decides."""


async def today(service: Service) -> date:
    """Return the business date."""
    return await service.runtime.database.today()


async def set_clock(service: Service, moment: datetime) -> None:
    """Set the business clock to a moment, without doing what falls due on the way."""
    runtime = service.runtime
    await runtime.database.pool.execute(
        "update service_clock set ahead = $1", moment - runtime.clock.real_now()
    )


async def set_day(service: Service, day: date, at: time = time(12)) -> None:
    """Set the business clock to noon of a day, or to another hour there."""
    await set_clock(service, datetime.combine(day, at, service.runtime.settings.zone))


async def move_days(service: Service, days: int) -> None:
    """Move the demo's clock over HTTP."""
    answer = await service.post("/v2/demo/clock", {"advance_days": days})
    assert answer.status_code == 200, answer.text


async def move_to(service: Service, day: date) -> None:
    """Move the demo's clock to a day over HTTP."""
    await move_days(service, (day - await today(service)).days)


async def quoted(service: Service, body: Any = None) -> list[dict[str, Any]]:
    """Submit, do the worker's part here and now, and return the options."""
    receipt = await service.submit(body if body is not None else request_body())
    identifiers = [row["quote_identifier"] for row in receipt["quotes"]]
    submission_id = await service.runtime.database.pool.fetchval(
        "select submission_id from quotes where quote_id = $1", uuid.UUID(identifiers[0])
    )
    while await process_submission(service.runtime, submission_id) is not None:
        pass
    return [await shown(service, identifier) for identifier in identifiers]


async def one_quoted(
    service: Service, change: Callable[[dict[str, Any]], None] | None = None
) -> dict[str, Any]:
    """Submit one option and give its quote."""
    body = request_body(change)
    body["policy"]["quotes"] = body["policy"]["quotes"][:1]
    (quote,) = await quoted(service, body)
    return quote


async def shown(service: Service, identifier: str) -> dict[str, Any]:
    """Return a quote as GET shows it."""
    answer = await service.get(f"/v2/quotes/{identifier}")
    assert answer.status_code == 200, answer.text
    quote: dict[str, Any] = answer.json()
    return quote


async def status_of(service: Service, identifier: str) -> str:
    return str((await shown(service, identifier))["quote_status"])


async def ask_to_bind(
    service: Service, quote: dict[str, Any], *, key: str | None = None, **changes: Any
) -> httpx.Response:
    """POST a bind that starts as quoted unless said otherwise; the answer may be anything."""
    body = {
        "quote_identifier": quote["quote_identifier"],
        "dates": {"effective": quote["dates"]["effective"]},
        **changes,
    }
    return await service.post("/v2/binds", body, **({"Idempotency_Key": key} if key else {}))


async def bind(service: Service, quote: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Bind a quote that can be bound and give it as it is then."""
    answer = await ask_to_bind(service, quote, **changes)
    assert answer.status_code == 200, answer.text
    return await shown(service, quote["quote_identifier"])


async def upload_signed(service: Service, quote: dict[str, Any]) -> None:
    """Upload a photo of the signed application for the signature contingency."""
    signature = next(row for row in quote["contingencies"] if "signed and dated" in row["text"])
    answer = await service.http.post(
        "/v2/documents",
        data={"quote_identifier": quote["quote_identifier"], "contingency": signature["contingency_id"]},
        files={"file": ("signed.png", PHOTO, "image/png")},
        headers=service.headers,
    )
    assert answer.status_code == 200, answer.text


async def issue(service: Service, quote: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Upload the signed application, attest it and give the policy."""
    await upload_signed(service, quote)
    policy = await bind(service, quote, app_attestation=True, **changes)
    assert policy["quote_status"] == "policy_active"
    return policy


async def decide(service: Service, quote: dict[str, Any], decision: str, **more: Any) -> dict[str, Any]:
    """Play the underwriter and give the quote after the decision."""
    answer = await review(service, quote, decision, **more)
    assert answer.status_code == 200, answer.text
    after: dict[str, Any] = answer.json()
    return after


async def review(service: Service, quote: dict[str, Any], decision: str, **more: Any) -> httpx.Response:
    return await service.post(
        f"/v2/demo/quotes/{quote['quote_identifier']}/review", {"decision": decision, **more}
    )


async def told(service: Service, identifier: str) -> list[str]:
    """Return the types of what partners were told of a quote, without the making of documents."""
    return [
        entry.type
        for entry in await service.journal(identifier)
        if entry.type and not entry.type.endswith("document_ready")
    ]


def in_days(day: date, days: int) -> str:
    return (day + timedelta(days=days)).isoformat()
