"""A broker's first page: what there is to do, and each of its lists in full."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from starlette.responses import RedirectResponse, Response

from bindery.base.errors import NotFound
from bindery.domain.access.users import User
from bindery.domain.today import Task, TaskKind, Today, answered_since, today_of
from bindery.storage.database import Reader
from bindery.storage.lists import today as reads
from bindery.storage.lists.today import Book, RailPart, RailRow
from bindery.storage.submission import drafts
from bindery.storage.submission.drafts import DraftLine
from bindery.web.frame.render import page
from bindery.web.frame.visit import SEE_OTHER, Visit
from bindery.web.today.today_shown import (
    answered_drafts,
    shown_drafts,
    shown_list,
    shown_recent,
    shown_today,
    shown_waiting,
)

WAITING: Final = "waiting"
MOST_RECENT: Final = 5
MOST_DRAFTS: Final = 3


async def show_today(visit: Visit) -> Response:
    user, zone = visit.user, visit.runtime.settings.zone

    async def read(tx: Reader) -> tuple[Today, Sequence[DraftLine], Sequence[RailRow], datetime]:
        book = await _book(tx, user)
        tasks = await _tasks(tx, book, user, answered_since(tx.today, zone), frozenset(TaskKind))
        begun = await _drafts(tx, book, newest=MOST_DRAFTS)
        tasks += answered_drafts(begun)
        rail = await reads.rail(tx, book, user_id=user.user_id, recent=MOST_RECENT)
        return today_of(tasks, today=tx.today), begun, rail, tx.now

    today, begun, rail, now = await visit.runtime.database.read(read)
    times = visit.times(now)
    return page(
        visit,
        "today/today.html",
        today=shown_today(today, times),
        waiting=shown_waiting([row for row in rail if row.part is RailPart.WAITING], times),
        drafts=shown_drafts([line for line in begun if not line.is_news], times),
        recent=shown_recent([row for row in rail if row.part is RailPart.RECENT]),
    )


async def show_list(visit: Visit) -> Response:
    """Show one of the lists in full: the rows that Today counts, and no others."""
    which = visit.word("list")
    if not which:
        return RedirectResponse("/", SEE_OTHER)
    if which == WAITING:
        return await _show_waiting(visit)
    if which not in set(TaskKind):
        raise NotFound("There is no such page.")
    kind, user, zone = TaskKind(which), visit.user, visit.runtime.settings.zone

    async def read(tx: Reader) -> tuple[Today, datetime]:
        book = await _book(tx, user)
        tasks = await _tasks(tx, book, user, answered_since(tx.today, zone), frozenset({kind}))
        if kind is TaskKind.ANSWER:
            tasks += answered_drafts(await _drafts(tx, book, newest=0))
        return today_of(tasks, today=tx.today), tx.now

    today, now = await visit.runtime.database.read(read)
    found = (rows for rows in today.lists if rows.kind is kind)
    shown = shown_list(kind, next(found, None), visit.times(now))
    return page(visit, "today/task_list.html", list=shown, waiting=None)


async def _show_waiting(visit: Visit) -> Response:
    user = visit.user

    async def read(tx: Reader) -> tuple[Sequence[RailRow], datetime]:
        return await reads.rail(tx, await _book(tx, user), user_id=user.user_id, recent=0), tx.now

    rows, now = await visit.runtime.database.read(read)
    return page(
        visit,
        "today/task_list.html",
        list=None,
        waiting=shown_waiting(rows, visit.times(now), is_all=True),
    )


async def _book(tx: Reader, user: User) -> Book:
    # Only brokers come here, and each has a partner.
    return await reads.find_book(tx, partner_id=user.partner_id or 0, broker=user.email)


async def _drafts(tx: Reader, book: Book, *, newest: int) -> Sequence[DraftLine]:
    return await drafts.for_today(
        tx, partner_id=book.partner_id, broker=book.broker, newest=newest, most=reads.LIMIT
    )


async def _tasks(
    tx: Reader, book: Book, user: User, since: datetime, wanted: frozenset[TaskKind]
) -> list[Task]:
    tasks: list[Task] = []
    if wanted & {TaskKind.BINDER, TaskKind.PAPER, TaskKind.QUESTION}:
        tasks += await reads.owed(tx, book)
    if TaskKind.ANSWER in wanted:
        tasks += await reads.answered_cases(tx, book, since=since, not_seen_by=user.user_id)
    if TaskKind.QUOTE in wanted:
        tasks += await reads.ending_quotes(tx, book)
    if TaskKind.RENEWAL in wanted:
        tasks += await reads.ending_terms(tx, book)
    return tasks
