"""Events without the whole pipeline: quotes walked along the lifecycle by its one door."""

import uuid
from datetime import timedelta
from typing import Any

import msgspec

from bindery.actions.quote.advance_quote import advance_quote
from bindery.contract.event_details import EventDetails
from bindery.contract.event_examples import EVENT_EXAMPLES
from bindery.contract.events import EVENT_DETAILS
from bindery.domain.quote.lifecycle import Move, Trigger, find_move
from bindery.storage.database import Tx
from bindery.storage.quote import quotes
from support.service import Service, request_body

TO_PUBLISHED = (
    Trigger.SCAN,
    Trigger.PRICE,
    Trigger.COMPLETE_PRICING,
    Trigger.PASS_SCREENING,
    Trigger.PUBLISH,
)


async def new_quotes(
    service: Service, count: int = 1, *, metadata: dict[str, Any] | None = None
) -> list[str]:
    """Make quotes that nobody works on."""

    def change(body: dict[str, Any]) -> None:
        body["policy"]["quotes"] = [{"aggregate_limit": 1_000_000}] * min(15, count)
        if metadata is not None:
            body["client"]["metadata"] = metadata

    made: list[str] = []
    while len(made) < count:
        receipt = await service.submit(request_body(change))
        made += [quote["quote_identifier"] for quote in receipt["quotes"]]
    return made[:count]


def example_of(move: Move) -> EventDetails | None:
    """Return what a move says where it is told, by the example in the documentation."""
    if move.notifies is None:
        return None
    return msgspec.convert(
        EVENT_EXAMPLES[move.notifies.type], EVENT_DETAILS[move.notifies.type], strict=False
    )


async def walk(tx: Tx, identifier: str, *triggers: Trigger, said: EventDetails | None = None) -> None:
    """Pull triggers on a quote; what is told about each is the documented example unless it is given."""
    quote = await quotes.lock(tx, uuid.UUID(identifier))
    assert quote is not None
    for trigger in triggers:
        example = example_of(find_move(quote.status, trigger))
        quote = await advance_quote(tx, quote, trigger, actor="test", said=example and (said or example))


async def publish(service: Service, identifier: str) -> None:
    """Make one event: quote.published."""
    async with service.runtime.database.transaction() as tx:
        await walk(tx, identifier, *TO_PUBLISHED)


async def change(service: Service, identifier: str, times: int = 1) -> None:
    """Make that many events of a published quote: quote.contingency_changed."""
    async with service.runtime.database.transaction() as tx:
        await walk(tx, identifier, *[Trigger.CHANGE_CONTINGENCIES] * times)


async def published(service: Service, count: int = 1, *, metadata: dict[str, Any] | None = None) -> list[str]:
    """Make quotes with one event each."""
    made = await new_quotes(service, count, metadata=metadata)
    for identifier in made:
        await publish(service, identifier)
    return made


async def register(service: Service, endpoint: str, *, quote: bool = True, policy: bool = True) -> str:
    """Register an endpoint that is expected to be taken, and return its id."""
    answer = await service.post(
        "/v2/webhooks", {"endpoint": endpoint, "quote_level": quote, "policy_level": policy}
    )
    assert answer.status_code == 200, answer.text
    identifier: str = answer.json()["id"]
    return identifier


async def new_secret(service: Service) -> str:
    """Create a secret."""
    answer = await service.post("/v2/settings/webhook_secret")
    assert answer.status_code == 200, answer.text
    secret: str = answer.json()["secret"]
    return secret


async def deliveries_to(service: Service, webhook_id: str) -> list[dict[str, Any]]:
    """Return the deliveries to a webhook, the newest first."""
    answer = await service.get(f"/v2/webhooks/{webhook_id}/deliveries")
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["deliveries"]
    return found


async def move_clock(service: Service, by: timedelta) -> None:
    """Move the business clock by any time."""
    await service.runtime.database.pool.execute("update service_clock set ahead = ahead + $1", by)
