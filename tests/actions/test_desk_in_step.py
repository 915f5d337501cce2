"""Whatever happens to quotes, in whatever order, the desk holds what their statuses and papers ask for."""

import contextlib
import itertools
import uuid
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from bindery.actions.desk.take_decisions import take_decision
from bindery.base.errors import BinderyError
from bindery.domain.quote.decisions import DeclineCancellation, ReopenContingency
from bindery.domain.quote.lifecycle import AT_THE_DESK, TAKES_PAPERS
from support.binding import ask_to_bind, move_days, quoted, review, shown, upload_signed
from support.service import Service, request_body

pytestmark = pytest.mark.long

STEPS = ("approve", "decline", "revoke", "withdraw", "bind", "upload", "close", "reopen")
STEPS_OF_A_POLICY = ("cancel", "reinstate", "ask to cancel", "decline to cancel")
KIND = {"quote_referred": "referral", "quote_bind_requested": "bind"}
numbers = itertools.count()

Walk = list[tuple[int, str]]
"""Steps, each with the number of the option that takes it."""


async def on_the_desk(service: Service) -> set[tuple[uuid.UUID, str]]:
    rows = await service.runtime.database.pool.fetch(
        "select submission_id, kind from desk_items where closed_at is null"
    )
    return {(row["submission_id"], row["kind"]) for row in rows}


async def asked_for(service: Service) -> set[tuple[uuid.UUID, str]]:
    """Work out from statuses, papers and requests what has to wait for a person."""
    rows = await service.runtime.database.pool.fetch(
        """
        select q.submission_id, q.status, coalesce(b.cancellation_open, false) as is_asked_to_cancel,
               exists (select from contingencies c join uploads u using (quote_id, contingency_id)
                       where c.quote_id = q.quote_id and c.status = 'open') as has_paper
        from quotes q left join binds b using (quote_id)
        """
    )
    found = set()
    for row in rows:
        if row["status"] in AT_THE_DESK:
            found.add((row["submission_id"], KIND[row["status"]]))
        if row["status"] in TAKES_PAPERS and row["has_paper"]:
            found.add((row["submission_id"], "paper"))
        if row["status"] == "policy_active" and row["is_asked_to_cancel"]:
            found.add((row["submission_id"], "cancellation"))
    return found


async def take_step(service: Service, quote: dict[str, Any], step: str) -> None:
    """Try a step as people and partners take it; where it is not open, it is refused and nothing moves."""
    identifier = quote["quote_identifier"]
    address = f"/v2/quotes/{identifier}"
    contingency = next(iter(quote.get("contingencies") or ()), None)
    number = contingency["contingency_id"] if contingency else ""
    ways: dict[str, Callable[[], Awaitable[object]]] = {
        "withdraw": lambda: service.post(f"{address}/withdraw"),
        "bind": lambda: ask_to_bind(service, quote),
        "upload": lambda: upload_signed(service, quote),
        "close": lambda: review(service, quote, "close_contingency", contingency_id=number),
        "reopen": lambda: take_decision(
            service.runtime.database,
            service.runtime.rules,
            uuid.UUID(identifier),
            ReopenContingency(number),
            actor="uma",
        ),
        "ask to cancel": lambda: service.post(f"{address}/request_cancellation", {"reason": "business_sold"}),
        "decline to cancel": lambda: take_decision(
            service.runtime.database,
            service.runtime.rules,
            uuid.UUID(identifier),
            DeclineCancellation("Not yet"),
            actor="uma",
        ),
        "61 days": lambda: move_days(service, 61),
    }
    if step == "upload" and contingency is None:
        return
    with contextlib.suppress(BinderyError):
        why = {"text" if step == "cancel" else "reason": "Looked at"}
        await ways.get(step, lambda: review(service, quote, step, **why))()


@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], database=None
)
@given(
    domain=st.sampled_from(["clean", "red-flags"]),
    mark=st.sampled_from(["", " (prebind)"]),
    walk=st.lists(
        st.tuples(st.integers(0, 1), st.sampled_from(STEPS) | st.sampled_from(STEPS_OF_A_POLICY)),
        min_size=4,
        max_size=10,
    ),
)
# A paper of a policy that was canceled, and of an option that was passed over for another, waits again.
@example(domain="clean", mark="", walk=[(0, "upload"), (0, "bind"), (0, "cancel"), (0, "reinstate")])
@example(domain="clean", mark=" (prebind)", walk=[(0, "upload"), (1, "bind"), (1, "decline")])
@example(domain="red-flags", mark="", walk=[(0, "approve"), (0, "upload"), (0, "bind"), (0, "close")])
@example(
    domain="clean",
    mark="",
    walk=[(0, "bind"), (0, "ask to cancel"), (0, "cancel"), (0, "reinstate"), (0, "ask to cancel")],
)
@example(domain="red-flags", mark="", walk=[(0, "approve"), (0, "upload"), (0, "61 days")])
async def test_the_desk_is_in_step_with_statuses_and_papers(
    service: Service, domain: str, mark: str, walk: Walk
) -> None:
    body = request_body()
    body["client"].update(name=f"Applicant {next(numbers)}{mark}", domains=[f"{domain}.example.com"])
    body["policy"]["quotes"] = [{"aggregate_limit": limit} for limit in (1_000_000, 2_000_000)]
    options = await quoted(service, body)
    assert await on_the_desk(service) == await asked_for(service)

    for number, step in walk:
        identifier = options[number]["quote_identifier"]
        await take_step(service, await shown(service, identifier), step)

        assert await on_the_desk(service) == await asked_for(service), step
