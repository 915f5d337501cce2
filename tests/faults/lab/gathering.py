"""What the service has in the end: by its API and feed, and by SQL where the API does not show it."""

import asyncio
import hashlib
import json
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import asyncpg
import httpx

from bindery.domain.quote.lifecycle import NOT_READY
from faults.lab.caller import PAUSE_S, Caller

T = TypeVar("T")
AT_ONCE = 4
PAGE = 500
TRIES = 5
STILL_WORKING = [str(status) for status in NOT_READY]


@dataclass(frozen=True, kw_only=True)
class FoundSubmission:
    submission_id: str
    name: str
    renews: str | None
    quotes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class FoundPolicy:
    """A bind that led to cover."""

    quote: str
    is_issued: bool
    was_conditional: bool
    effective: date
    expiration: date
    in_force: bool
    renewal_type: str


@dataclass(frozen=True, kw_only=True)
class FoundMail:
    quote: str | None
    kind: str
    recipients: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class FoundUpload:
    document_id: str
    quote: str
    sha256: str
    is_stored: bool


@dataclass(frozen=True, kw_only=True)
class FoundDocument:
    """A download; `problem` is empty when the bytes are those that the ETag names."""

    quote: str
    kind: str
    problem: str


@dataclass(kw_only=True)
class Found:
    """The service's own account of everything; what happens after `read_at` is not in it."""

    today: date
    read_at: float = field(default_factory=time.monotonic)
    submissions: list[FoundSubmission] = field(default_factory=list)
    quotes: dict[str, dict[str, Any]] = field(default_factory=dict)
    unreadable: dict[str, str] = field(default_factory=dict)
    policies: dict[str, FoundPolicy] = field(default_factory=dict)
    mails: list[FoundMail] = field(default_factory=list)
    uploads: list[FoundUpload] = field(default_factory=list)
    documents: list[FoundDocument] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    hooks: list[dict[str, Any]] = field(default_factory=list)
    jobs: Counter[tuple[str, str]] = field(default_factory=Counter)
    journal: dict[str, Any] = field(default_factory=lambda: {"flaws": []})

    @cached_property
    def events_by_quote(self) -> Mapping[str, list[dict[str, Any]]]:
        """Return each quote's events in the order of the feed."""
        by_quote: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
        for event in self.events:
            by_quote[event["data"]["quote_identifier"]].append(event)
        return by_quote


async def gather(
    caller: Caller, connection: asyncpg.Connection, *, blobs: Path, today: date, journal: dict[str, Any]
) -> Found:
    """Read everything, once the service is calm."""
    found = Found(
        today=today,
        submissions=await _submissions(connection),
        policies=await _policies(connection),
        mails=await _mails(connection),
        uploads=await _uploads(connection, blobs),
        jobs=await _jobs(connection),
        journal=journal,
    )
    found.events = await read_feed(caller)
    found.hooks = (await _get(caller, "/v2/webhooks")).json()["webhooks"]
    identifiers = [quote for submission in found.submissions for quote in submission.quotes]
    for identifier, answer in zip(
        identifiers,
        await _each(identifiers, lambda identifier: _get(caller, f"/v2/quotes/{identifier}")),
        strict=True,
    ):
        if answer.status_code == 200:
            found.quotes[identifier] = answer.json()
        else:
            found.unreadable[identifier] = f"{answer.status_code} {answer.text[:120]}"
    wanted = [
        (quote, kind)
        for quote in found.policies
        for kind in found.quotes.get(quote, {}).get("available_documents", ())
    ]
    found.documents = await _each(wanted, lambda document: _download(caller, *document))
    return found


async def read_feed(caller: Caller) -> list[dict[str, Any]]:
    """Read the whole feed."""
    events: list[dict[str, Any]] = []
    after = ""
    while True:
        cursor = f"&after={after}" if after else ""
        page = (await _get(caller, f"/v2/events?limit={PAGE}{cursor}")).json()
        if not page["events"]:
            return events
        events += page["events"]
        after = page["next_cursor"]


async def unfinished(connection: asyncpg.Connection) -> str:
    """Return what the service still has to do, in words; empty when all is done."""
    row = await connection.fetchrow(
        """
        select (select count(*) from quotes where status = any($1::text[])) as quotes,
               (select count(*) from pgq.pgqueuer where status in ('queued', 'picked')) as jobs,
               (select count(*) from deliveries) as deliveries,
               (select count(*) from binds b join quotes q using (quote_id)
                where q.status = 'policy_active' and not exists (
                   select from journal j
                   where j.quote_id = b.quote_id and j.type = 'policy.document_ready')) as without_papers
        """,
        STILL_WORKING,
    )
    assert row is not None, "a row of counts"
    return ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in row.items() if count)


async def _submissions(connection: asyncpg.Connection) -> list[FoundSubmission]:
    rows = await connection.fetch(
        """
        select s.submission_id::text, s.name, s.renews::text,
               array_agg(q.quote_id::text order by q.option_number) as quotes
        from submissions s left join quotes q using (submission_id) group by s.submission_id
        """
    )
    return [
        FoundSubmission(
            submission_id=row["submission_id"],
            name=row["name"],
            renews=row["renews"],
            quotes=tuple(quote for quote in row["quotes"] if quote is not None),
        )
        for row in rows
    ]


async def _policies(connection: asyncpg.Connection) -> dict[str, FoundPolicy]:
    rows = await connection.fetch(
        """
        select quote_id::text, issued_on is not null as is_issued, fulfil_by is not null as was_conditional,
               effective, expiration, in_force, renewal_type
        from binds where policy_number is not null
        """
    )
    return {
        row["quote_id"]: FoundPolicy(
            quote=row["quote_id"],
            is_issued=row["is_issued"],
            was_conditional=row["was_conditional"],
            effective=row["effective"],
            expiration=row["expiration"],
            in_force=row["in_force"],
            renewal_type=row["renewal_type"],
        )
        for row in rows
    }


async def _mails(connection: asyncpg.Connection) -> list[FoundMail]:
    rows = await connection.fetch("select quote_id::text, kind, recipients from mails")
    return [
        FoundMail(quote=row["quote_id"], kind=row["kind"], recipients=tuple(row["recipients"]))
        for row in rows
    ]


async def _uploads(connection: asyncpg.Connection, blobs: Path) -> list[FoundUpload]:
    rows = await connection.fetch("select document_id::text, quote_id::text, sha256 from uploads")
    return [
        FoundUpload(
            document_id=row["document_id"],
            quote=row["quote_id"],
            sha256=row["sha256"],
            is_stored=await asyncio.to_thread(_is_stored, blobs, row["sha256"]),
        )
        for row in rows
    ]


def _is_stored(blobs: Path, sha256: str) -> bool:
    path = blobs / sha256[:2] / sha256
    return path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == sha256


async def _jobs(connection: asyncpg.Connection) -> Counter[tuple[str, str]]:
    rows = await connection.fetch(
        "select entrypoint, status::text, count(*) from pgq.pgqueuer group by entrypoint, status"
    )
    return Counter({(row["entrypoint"], row["status"]): row["count"] for row in rows})


async def _download(caller: Caller, quote: str, kind: str) -> FoundDocument:
    answer = await _get(caller, f"/v2/quotes/{kind}/{quote}")
    problem = ""
    if answer.status_code != 200:
        problem = f"answered {answer.status_code}"
    elif answer.headers.get("ETag") != f'"{hashlib.sha256(answer.content).hexdigest()}"':
        problem = "has other bytes than its ETag names"
    return FoundDocument(quote=quote, kind=kind, problem=problem)


async def _get(caller: Caller, path: str) -> httpx.Response:
    """Read from a service that is calm: a little patience, and no more."""
    for _ in range(TRIES):
        answer = await caller.get(path, timeout_s=60)
        if answer is not None and answer.status_code not in {202, 429, 503}:
            return answer
        await asyncio.sleep(PAUSE_S if answer is None else int(answer.headers.get("Retry-After", 1)))
    return httpx.Response(504, text="no answer") if answer is None else answer


async def _each(items: list[Any], do: Callable[[Any], Awaitable[T]]) -> list[T]:
    gate = asyncio.Semaphore(AT_ONCE)

    async def within_gate(item: Any) -> T:
        async with gate:
            return await do(item)

    return list(await asyncio.gather(*(within_gate(item) for item in items)))


def read_journal(code: int, stdout: str, stderr: str) -> dict[str, Any]:
    """Read what `bindery journal verify --json` says."""
    try:
        said: dict[str, Any] = json.loads(stdout)
    except ValueError:
        return {"flaws": [f"exit code {code}: {stderr[-200:]}"], "quotes": 0, "entries": 0}
    return said
