"""What a page of the platform costs: its statements, the database's pages, processor time, and its size."""

import contextlib
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final

import asyncpg
import httpx
from starlette.types import ASGIApp, Receive, Scope, Send

from bindery.domain.access.users import Role
from support.binding import one_quoted
from support.drafts import ANSWERS, marks_of, start
from support.people import PASSWORD, Person, fields_of, sign_in_as
from support.press import plain_press
from support.service import BROKER, Service, serving

LOOKS: Final = 3
OFFICE: Final = ("service_clock", "from sign_ins", "update sign_ins")
"""What every page sends: the demo's clock, who is signed in, and that the user was here."""

OPENED: Final = """
with made as (
    insert into submissions ({columns})
    select {values} from submissions s, generate_series(1, $1::int) as number where s.submission_id = $2
    returning submission_id, company_id, partner_id, product, name
), numbered as (
    select *, row_number() over () as number from made
)
insert into desk_items (submission_id, kind, company_id, partner_id, product, name, aggregate_limit, at_stake,
                        reasons, is_decline_advised, opened_at, due_at)
select submission_id, 'referral', company_id, partner_id, product, name, 1000000, 1000 + random() * 9000,
       array['red_flags'], random() < 0.1, now() - (1 - number / $1::float8) * interval '60 days',
       now() + (random() - 0.3) * interval '3 days'
from numbered order by number
"""


@dataclass(frozen=True, kw_only=True)
class PageCost:
    statements: int
    buffers: int
    database_ms: float
    cpu_ms: float
    html_bytes: int


class TimedApp:
    """The service, and how much processor time requests took in it: what the client takes is not counted."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self.spent = 0.0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        began = time.process_time()
        try:
            await self._app(scope, receive, send)
        finally:
            self.spent += time.process_time() - began


def timed_app(service: Service) -> TimedApp:
    """Count from now on what requests take in a service of this process."""
    transport = service.http._transport  # noqa: SLF001 - nothing else leads to it
    assert isinstance(transport, httpx.ASGITransport), "the client asks the service in this process"
    app = transport.app = TimedApp(transport.app)
    return app


@dataclass(frozen=True)
class Office:
    """A service in which cases wait, and the people who look at them."""

    service: Service
    app: TimedApp
    underwriter: Person
    broker: Person
    operator: Person
    case: str
    company: str
    form: dict[str, str]
    draft: str
    answers: dict[str, Any]

    @property
    def visits(self) -> dict[str, Callable[[], Awaitable[httpx.Response]]]:
        return {
            "queue": lambda: self.underwriter.http.get("/desk"),
            "case": lambda: self.underwriter.http.get(self.case),
            "preview": self._preview,
            "company": lambda: self.underwriter.http.get(self.company),
            "today": lambda: self.broker.http.get("/"),
            "questions": lambda: self.broker.http.get(f"{self.draft}/questions"),
            "save": lambda: self.broker.post(f"{self.draft}/questions/save", **self.answers),
            "options": lambda: self.broker.http.get(f"{self.draft}/options"),
            "dashboard": lambda: self.operator.http.get("/ops?days=90"),
            "sign-in": lambda: self.underwriter.post(
                "/sign-in", email=self.underwriter.email, password=PASSWORD
            ),
        }

    async def _preview(self) -> httpx.Response:
        return await self.underwriter.http.post(
            f"{self.case}/preview?option=1",
            data={**self.form, "aggregate_retention": "25000"},
            headers={"Origin": self.underwriter.origin, "X-Part": "worksheet"},
        )


def _referred(body: dict[str, Any]) -> None:
    body["client"]["domains"] = ["red-flags.example.com"]


@contextlib.asynccontextmanager
async def office(dsn: str, folder: Path) -> AsyncIterator[Office]:
    """Open a service with one referred case, on one connection so that every statement is seen."""
    async with serving(dsn, folder, hashes_quickly=False, pool_size=2) as service:
        app = timed_app(service)
        with plain_press():
            quote = await one_quoted(service, _referred)
        submission_id = await service.runtime.database.pool.fetchval("select submission_id from submissions")
        async with (
            await sign_in_as(service, Role.UNDERWRITER) as underwriter,
            await sign_in_as(service, Role.BROKER, email=BROKER) as broker,
            await sign_in_as(service, Role.OPERATOR) as operator,
        ):
            case = f"/desk/case/{submission_id}"
            form = fields_of(await underwriter.open(case), f"{case}/decide")
            draft = await start(broker)
            answers = {f"questions.{name}": value for name, value in ANSWERS.items()}
            marked = {"marks": marks_of(await broker.open(f"{draft}/questions")), **answers}
            company = f"/company/{quote['company_id']}"
            yield Office(service, app, underwriter, broker, operator, case, company, form, draft, marked)


async def open_cases(dsn: str, count: int) -> None:
    """Put that many more cases on the desk, each of a submission of its own."""
    connection = await asyncpg.connect(dsn)
    try:
        # Copies of what was checked when it was written; nobody listens to that many notices.
        await connection.execute("set session_replication_role = replica")
        names = [
            row[0]
            for row in await connection.fetch(
                "select column_name from information_schema.columns where table_name = 'submissions'"
            )
        ]
        # A case a company, as it is when that many wait.
        changed = {
            "company_id": "number",
            "submission_id": "gen_random_uuid()",
            "body": "'{}'",
            "facts": "'{}'",
            "name": "'Copy ' || number",
        }
        statement = OPENED.format(
            columns=", ".join(names), values=", ".join(changed.get(name, f"s.{name}") for name in names)
        )
        first = await connection.fetchval("select submission_id from desk_items order by item_id limit 1")
        await connection.execute(statement, count, first)
        await connection.execute("vacuum analyze submissions")
        await connection.execute("vacuum analyze desk_items")
    finally:
        await connection.close()


async def cost_of(
    place: Office, visit: Callable[[], Awaitable[httpx.Response]], *, dsn: str, times: int
) -> PageCost:
    """Ask for a page several times and return what it costs; its statements are explained one by one."""
    answer = await visit()
    assert answer.status_code < 400, answer.text[:2000]
    # What the service does by itself at the same time is in one look or the other, not in all of them.
    sent = min([await statements_of(place.service, visit) for _ in range(LOOKS)], key=len)
    plans = [await _explain(dsn, query, arguments) for query, arguments in sent]
    spent = []
    for _ in range(times):
        before = place.app.spent
        answer = await visit()
        spent.append((place.app.spent - before) * 1000)
    return PageCost(
        statements=len(sent),
        buffers=sum(buffers for buffers, _ in plans),
        database_ms=sum(ms for _, ms in plans),
        cpu_ms=median(spent),
        html_bytes=len(answer.content),
    )


async def statements_of(
    service: Service, visit: Callable[[], Awaitable[httpx.Response]]
) -> list[tuple[str, tuple[Any, ...]]]:
    """Return what a page sends beyond what every page does, with its arguments."""
    sent: list[tuple[str, tuple[Any, ...]]] = []

    def note(statement: Any) -> None:
        if not any(words in statement.query for words in OFFICE) and "select" in statement.query.lower():
            sent.append((statement.query, tuple(statement.args or ())))

    pool = service.runtime.database.pool
    async with contextlib.AsyncExitStack() as stack:
        held = [await stack.enter_async_context(pool.acquire()) for _ in range(pool.get_max_size())]
        for connection in held:
            connection.add_query_logger(note)
    await visit()
    async with contextlib.AsyncExitStack() as stack:
        held = [await stack.enter_async_context(pool.acquire()) for _ in range(pool.get_max_size())]
        for connection in held:
            connection.remove_query_logger(note)
    return sent


async def _explain(dsn: str, query: str, arguments: tuple[Any, ...]) -> tuple[int, float]:
    connection = await asyncpg.connect(dsn)
    try:
        explained = f"explain (analyze, buffers, format json) {query}"
        await connection.fetchval(explained, *arguments)
        plan = json.loads(await connection.fetchval(explained, *arguments))[0]
    finally:
        await connection.close()
    top = plan["Plan"]
    return top["Shared Hit Blocks"] + top["Shared Read Blocks"], plan["Execution Time"]
