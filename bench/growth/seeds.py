"""The companies that copies are made of: each went through the whole service, one in each state of life."""

from typing import Any

from bench.intake import five_options
from support.binding import bind, issue, move_days, quoted
from support.press import plain_press
from support.receiver import receiving
from support.service import Service, working
from support.telling import new_secret, register
from support.waiting import eventually

BUSY = """
select exists (select from pgq.pgqueuer) or exists (select from deliveries)
    or exists (select from packets where not documents_made)
"""
DAYS_BEFORE_RENEWAL = 306
SECOND_BROKER = "second@example.com"
"""The secondary broker of a few companies, however large the portfolio is."""


async def play_seeds(service: Service) -> dict[str, int]:
    """Create a company of each kind in its state, and return their numbers by kind."""
    seeds: dict[str, int] = {}

    async def submit(kind: str, domain: str = "clean") -> list[dict[str, Any]]:
        body = five_options()
        body["client"]["name"] = f"Growth Bakery {kind}"
        body["client"]["domains"] = [f"{domain}.example.com"]
        receipt = (await service.post("/v2/quotes", body, Idempotency_Key=f"seed-{kind}")).json()
        seeds[kind] = int(receipt["company_id"])
        return [await service.ready(quote["quote_identifier"]) for quote in receipt["quotes"]]

    with plain_press():
        async with receiving() as receiver:
            await register(service, receiver.url)
            await new_secret(service)
            async with working(service):
                ended = await issue(service, (await submit("ended"))[0])
                await service.post(f"/v2/quotes/{ended['quote_identifier']}/pause_renewal")
                await move_days(service, 68)
                await issue(service, (await submit("renewing"))[0])
                await move_days(service, DAYS_BEFORE_RENEWAL - 62)
                await submit("expired")
                for quote in await submit("declined", "red-flags"):
                    await service.post(
                        f"/v2/demo/quotes/{quote['quote_identifier']}/review",
                        {"decision": "decline", "reason": "Growth."},
                    )
                # The first ends its term, the second is offered its renewal, the quotes expire.
                await move_days(service, 62)
                await issue(service, (await submit("in_force"))[0])
                await submit("open")
                await submit("referred", "red-flags")
                await bind(service, (await submit("binder"))[0])
                await eventually(
                    lambda: service.runtime.database.pool.fetchval(BUSY), lambda busy: not busy, every_s=0.2
                )
    # There is no mail server.
    await service.runtime.database.pool.execute("update mails set sent_at = created_at")
    await service.get("/v2/events")
    return seeds


async def leave_work(service: Service, *, submissions: int = 10) -> None:
    """Leave some work that nobody has done: submissions in the pipeline, events, deliveries, documents."""
    for number in range(submissions):
        body = five_options()
        body["client"]["name"] = f"Newcomer {number}"
        body["client"]["secondary_broker_email"] = SECOND_BROKER
        await quoted(service, body)
        # Its work was begun and lost.
        await service.submit(body)
    await service.runtime.database.pool.execute(
        """
        delete from pgq.pgqueuer where id in (select id from pgq.pgqueuer order by id limit $1);
        """,
        submissions,
    )
