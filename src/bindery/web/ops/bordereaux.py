"""What is reported to carriers: of each binder and month what was made and sent, and what is late."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from starlette.responses import Response

from bindery.actions.policy.note_bordereau_sent import note_bordereau_sent
from bindery.base.errors import NotFound
from bindery.base.numbers import in_dollars
from bindery.domain.bordereaux.bordereau import ENDINGS, BordereauFormat, Month, stem_of
from bindery.domain.bordereaux.standing import BordereauStanding, standing_of
from bindery.domain.bordereaux.template import BordereauKind
from bindery.storage.database import Reader
from bindery.storage.policy import binders, bordereaux
from bindery.storage.policy.binders import ListedBinder
from bindery.storage.policy.bordereaux import BookedMonth, KeptBordereau
from bindery.web.frame.render import page
from bindery.web.frame.visit import Visit
from bindery.web.shown.words import MONTHS, StatusDot, day

MONTHS_SHOWN: Final = 13
DOTS: Final = {
    BordereauStanding.NOTHING: StatusDot.OVER,
    BordereauStanding.OPEN: StatusDot.WAIT,
    BordereauStanding.LATE: StatusDot.BAD,
    BordereauStanding.MADE: StatusDot.OPEN,
    BordereauStanding.SENT: StatusDot.BOUND,
}
MEDIA_TYPES: Final = {
    BordereauFormat.CSV: "text/csv; charset=utf-8",
    BordereauFormat.XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    BordereauFormat.PARQUET: "application/vnd.apache.parquet",
    BordereauFormat.TOTALS: "application/json",
    BordereauFormat.EXCEPTIONS: "text/csv; charset=utf-8",
}
FORMAT_WORDS: Final = {
    BordereauFormat.CSV: "CSV",
    BordereauFormat.XLSX: "Excel",
    BordereauFormat.PARQUET: "Parquet",
}


@dataclass(frozen=True, slots=True)
class ShownBordereau:
    """A bordereau of a month, or why it is not made yet."""

    dot: StatusDot
    text: str
    kept: KeptBordereau | None
    made: str


@dataclass(frozen=True, slots=True)
class ShownMonth:
    name: str
    due: date
    premium: str
    transactions: int
    ledger: str
    """The address of the month's transactions."""
    kinds: tuple[tuple[ShownBordereau, ...], ...]


@dataclass(frozen=True, slots=True)
class ShownYear:
    binder: ListedBinder
    months: tuple[ShownMonth, ...]


async def show_bordereaux(visit: Visit) -> Response:
    async def read(tx: Reader) -> tuple[list[ShownYear], Month]:
        months = (*_last_months(tx.today),)
        listed = await binders.list_binders(tx)
        booked = await bordereaux.booked_months(tx, since=months[-1].since)
        kept = await bordereaux.list_kept(tx, since=months[-1].since)
        years = [
            ShownYear(binder, (*_months_of(binder, months, booked, kept, today=tx.today),))
            for binder in listed
        ]
        return years, months[0]

    shown, newest = await visit.runtime.database.read(read)
    return page(
        visit,
        "ops/bordereaux.html",
        shown=shown,
        kinds=tuple(kind.capitalize() for kind in BordereauKind),
        formats=tuple(FORMAT_WORDS.items()),
        before=str(newest.before),
    )


def _last_months(today: date) -> Iterator[Month]:
    month = Month(today.replace(day=1))
    for _ in range(MONTHS_SHOWN):
        yield month
        month = month.before


def _months_of(
    binder: ListedBinder,
    months: Sequence[Month],
    booked: Sequence[BookedMonth],
    kept: Sequence[KeptBordereau],
    *,
    today: date,
) -> Iterator[ShownMonth]:
    by_month = {row.month: row for row in booked if row.binder_id == binder.binder_id}
    own = [row for row in kept if row.binder_id == binder.binder_id]
    for month in months:
        row = by_month.get(month.since)
        is_in_force = binder.inception < month.until and month.since < binder.expiry
        made = [kept_one for kept_one in own if kept_one.month == month.since]
        if row is None and not made and not is_in_force:
            continue
        due = month.due_on(binder.bordereau_due_day)
        yield ShownMonth(
            f"{MONTHS[month.since.month - 1]} {month.since.year}",
            due,
            in_dollars(row.premium) if row is not None and row.premium >= 0 else _taken_back(row),
            0 if row is None else row.transactions,
            str(month),
            tuple(
                (*_shown([each for each in made if each.kind is kind], month, row, due=due, today=today),)
                for kind in BordereauKind
            ),
        )


def _taken_back(row: BookedMonth | None) -> str:
    return "—" if row is None else f"-{in_dollars(-row.premium)}"


def _shown(
    made: Sequence[KeptBordereau], month: Month, row: BookedMonth | None, *, due: date, today: date
) -> Iterator[ShownBordereau]:
    for kept in made or (None,):
        told = standing_of(
            month,
            due_on=due,
            today=today,
            is_made=kept is not None,
            sent_on=None if kept is None else kept.sent_on,
            has_lines=row is not None,
        )
        yield ShownBordereau(DOTS[told.standing], told.text, kept, "" if kept is None else _made(kept))


def _made(kept: KeptBordereau) -> str:
    made = f"{kept.template}, made {day(kept.made_on)} by {kept.made_by}"
    if kept.sent_on is not None:
        made += f", sent {day(kept.sent_on)} by {kept.sent_by}"
    if kept.exceptions:
        count = kept.exceptions
        made += f"; {count:,} {'exception' if count == 1 else 'exceptions'}: {kept.because}"
    return made


async def send_file(visit: Visit) -> Response:
    asked = visit.request.path_params["format"]
    if asked not in set(BordereauFormat):
        raise NotFound("A bordereau has no such file.")
    kind = BordereauFormat(asked)
    async with visit.runtime.database.reading() as tx:
        kept = await _find(tx, visit.path_number("bordereau_id"))
        files = {file.format: file for file in await bordereaux.files_of(tx, kept.bordereau_id)}
    content = await visit.runtime.blobs.get(files[kind].sha256)
    name = stem_of(kept.agreement, Month(kept.month), kept.kind, kept.template) + ENDINGS[kind]
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "private, no-cache"}
    return Response(content, headers=headers, media_type=MEDIA_TYPES[kind])


async def send_sent(visit: Visit) -> Response:
    """Note that a bordereau was sent; who comes second is told who was first."""
    kept, is_first = await note_bordereau_sent(
        visit.runtime.database, visit.path_number("bordereau_id"), by=visit.doer
    )
    about = f"{kept.agreement} {Month(kept.month)} {kept.kind}"
    said = f"{about} is noted as sent."
    if not is_first and kept.sent_on is not None:
        said = f"⚠ {about} was noted as sent on {day(kept.sent_on)} by {kept.sent_by}; nothing was changed."
    return await visit.done("/ops/bordereaux", said)


async def _find(tx: Reader, bordereau_id: int) -> KeptBordereau:
    kept = await bordereaux.find_by_id(tx, bordereau_id)
    if kept is None:
        raise NotFound("There is no such bordereau.")
    return kept
