"""`python -m bench.flows`: how many files and statements the flows of docs/architecture.md go through.

Two options and one webhook, in one process of the demo with one connection and warm caches: the distinct
files of the program in which a function was called, and what was sent to PostgreSQL, with `begin`, `commit`
and the demo's look at its clock. Requests come without a socket, documents are not made.
"""

import asyncio
import contextlib
import sys
import tempfile
import uuid
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from types import FrameType
from typing import Any

from rich.console import Console
from rich.table import Table

import bindery
from bindery.actions.renewal.settle_renewal import settle_renewal
from bindery.actions.renewal.submit_renewal import submit_renewal
from bindery.actions.submission.process_submission import process_submission
from bindery.actions.webhooks.deliver_due import deliver_due
from bindery.logs import configure_logs
from bindery.outside.embedded_postgres import ensure_running, stop
from bindery.runtime import Runtime
from bindery.storage.migrate import migrate
from support.binding import ask_to_bind, issue, quoted, set_day, shown, status_of
from support.postgres import create_database
from support.receiver import receiving
from support.service import Service, request_body, serving
from support.statements import statements_of

PROGRAM = f"{Path(bindery.__file__).parent}/"
ROUNDS = 3
"""The last is counted: by then what is read once has been read."""
IN_FLOW = ContextVar("IN_FLOW", default=False)
"""Tasks have it from what starts them: what watches the database meanwhile is no part of a flow."""
DAY = date(2027, 3, 1)
IN_THE_RENEWAL_WINDOW = 60
"""How many days before a term ends its renewal is submitted here."""


@dataclass(frozen=True)
class Flow:
    files: frozenset[str]
    statements: int

    def __add__(self, other: "Flow") -> "Flow":
        return Flow(self.files | other.files, self.statements + other.statements)


class Counter:
    def __init__(self, sent: list[str]) -> None:
        self.sent = sent
        self.flows: dict[str, Flow] = {}

    @contextlib.contextmanager
    def counted(self, name: str) -> Iterator[None]:
        files: set[str] = set()

        def note(frame: FrameType, event: str, _argument: Any) -> None:
            code = frame.f_code
            if event != "call" or not code.co_filename.startswith(PROGRAM) or code.co_name == "<module>":
                return
            if IN_FLOW.get():
                files.add(code.co_filename)

        self.sent.clear()
        belongs = IN_FLOW.set(True)
        sys.setprofile(note)
        try:
            yield
        finally:
            sys.setprofile(None)
            IN_FLOW.reset(belongs)
            self.flows[name] = Flow(frozenset(files), len(self.sent))


async def count_flows() -> dict[str, Flow]:
    with tempfile.TemporaryDirectory(prefix="bindery-flows-") as place:
        folder = Path(place)
        configure_logs("warning", file=folder / "log")
        server = ensure_running(folder / "postgres", durable=False)
        try:
            dsn = await create_database(server.dsn, "flows")
            await migrate(dsn)
            async with serving(dsn, folder / "data", pool_size=1) as service, receiving() as receiver:
                hook = {"endpoint": receiver.url, "quote_level": True, "policy_level": True}
                registered = await service.post("/v2/webhooks", hook)
                assert registered.status_code == 200, registered.text
                async with statements_of(service) as sent:
                    for number in range(ROUNDS):
                        counter = Counter(sent)
                        await to_the_binder(service, counter, number)
                        await renewal(service, counter, number)
        finally:
            stop(folder / "postgres")
    return counter.flows


async def to_the_binder(service: Service, counter: Counter, number: int) -> None:
    await set_day(service, DAY)
    with counter.counted("request"):
        receipt = await service.submit(body_of(f"Flow {number}", options=2))
    identifier = receipt["quotes"][0]["quote_identifier"]
    submission_id = await of_quote(
        service, "select submission_id from quotes where quote_id = $1", identifier
    )
    with counter.counted("pipeline"):
        await process(service.runtime, submission_id)
    with counter.counted("webhook"):
        assert await deliver_due(service.runtime) == 2
    quote = await shown(service, identifier)
    with counter.counted("bind"):
        answer = await ask_to_bind(service, quote)
    assert answer.status_code == 200, answer.text
    assert await status_of(service, identifier) == "policy_active"
    await deliver_due(service.runtime)


async def renewal(service: Service, counter: Counter, number: int) -> None:
    (quote,) = await quoted(service, body_of(f"Renewal {number}", options=1))
    policy = await issue(service, quote)
    await deliver_due(service.runtime)
    quote_id = uuid.UUID(policy["quote_identifier"])
    ends = date.fromisoformat(policy["dates"]["expiration"])
    await set_day(service, date.fromordinal(ends.toordinal() - IN_THE_RENEWAL_WINDOW))
    with counter.counted("submit"):
        await submit_renewal(service.runtime.database, quote_id)
    renewing = await of_quote(
        service, "select renewal_submission_id from binds where quote_id = $1", str(quote_id)
    )
    with counter.counted("process"):
        await process(service.runtime, renewing)
    await set_day(service, ends)
    with counter.counted("settle"):
        await settle_renewal(service.runtime.database, service.runtime.rules, quote_id)
    renewed = await service.runtime.database.pool.fetchval(
        "select status from quotes where submission_id = $1", renewing
    )
    assert renewed == "policy_active", renewed


async def process(runtime: Runtime, submission_id: uuid.UUID) -> None:
    while await process_submission(runtime, submission_id) is not None:
        pass


async def of_quote(service: Service, statement: str, identifier: str) -> uuid.UUID:
    found = await service.runtime.database.pool.fetchval(statement, uuid.UUID(identifier))
    assert isinstance(found, uuid.UUID)
    return found


def body_of(name: str, *, options: int) -> dict[str, Any]:
    body = request_body()
    body["client"] |= {"name": name, "domains": [f"{name.lower().replace(' ', '')}.example.com"]}
    body["policy"]["quotes"] = body["policy"]["quotes"][:options]
    assert len(body["policy"]["quotes"]) == options
    return body


def table_of(flows: dict[str, Flow]) -> Table:
    table = Table("Flow", "Files", "Statements", box=None)

    def row(name: str, *parts: str) -> None:
        whole = sum((flows[part] for part in parts[1:]), flows[parts[0]])
        table.add_row(name, str(len(whole.files)), str(whole.statements))

    row("POST /v2/quotes", "request")
    row("the pipeline to published", "pipeline")
    row("two events delivered", "webhook")
    row("from the request to the webhook", "request", "pipeline", "webhook")
    row("POST /v2/binds to a conditional binder", "bind")
    for part in ("submit", "process", "settle"):
        row(f"renewal: {part}", part)
    row("renewal", "submit", "process", "settle")
    return table


if __name__ == "__main__":
    Console().print(table_of(asyncio.run(count_flows())))
