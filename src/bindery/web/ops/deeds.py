"""Who did what: the list of all deeds, a part of it as a spreadsheet, and the newest on other pages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from starlette.responses import Response

from bindery.domain.access.deeds import DEED_WORDS, Deed
from bindery.storage.access import partners
from bindery.storage.database import Reader
from bindery.storage.list_pages import Cursor, ListPage
from bindery.storage.operations import deeds
from bindery.storage.operations.deeds import KeptDeed, Sought
from bindery.web.frame import paging
from bindery.web.frame.render import page
from bindery.web.frame.spreadsheets import Cells, long_spreadsheet
from bindery.web.frame.visit import Visit, read_number

NEWEST: Final = 8
HEAD: Final = ("At (UTC)", "Who", "From", "Did", "To", "Details", "Partner", "Quote")


@dataclass(frozen=True, slots=True)
class ShownDeed:
    kept: KeptDeed
    did: str
    who_address: str
    """The page of who did it; empty for the command line."""
    about_address: str


async def show_deeds(visit: Visit) -> Response:
    cursor, asked = paging.cursor_of(visit, paging.read_long_number), visit.request.query_params
    found = await visit.runtime.database.read(lambda tx: _read(tx, asked, limit=paging.ROWS, cursor=cursor))
    return page(
        visit,
        "ops/deeds.html",
        rows=shown_deeds(found.rows),
        pager=paging.pager_of(visit, found),
        times=visit.times(visit.runtime.clock.real_now()),
        kinds=tuple((kind.value, words) for kind, words in DEED_WORDS.items()),
        kind=visit.word("kind"),
        who=visit.word("who"),
        partner=visit.word("partner"),
        query=visit.request.url.query,
        is_filtered=any(visit.word(name) for name in ("kind", "who", "partner", "user")),
    )


async def send_csv(visit: Visit) -> Response:
    async def read(tx: Reader, *, after: Cursor | None, together: int) -> ListPage[Cells]:
        found = await _read(tx, visit.request.query_params, limit=together, cursor=after)
        rows = [
            (
                row.at.isoformat(timespec="seconds"),
                row.actor,
                row.place,
                did_in_words(row.kind),
                row.about,
                row.details,
                row.partner_name or "",
                str(row.quote_id or ""),
            )
            for row in found.rows
        ]
        return ListPage(rows, next=found.next)

    return await long_spreadsheet(visit.runtime.database, "who-did-what", HEAD, read)


async def _read(
    tx: Reader, asked: Mapping[str, str], *, limit: int, cursor: Cursor | None
) -> ListPage[KeptDeed]:
    return await deeds.newest(tx, await _sought(tx, asked), limit=limit, cursor=cursor)


def shown_deeds(rows: Sequence[KeptDeed]) -> tuple[ShownDeed, ...]:
    return tuple(
        ShownDeed(
            row,
            did_in_words(row.kind),
            f"/ops/users/{row.actor_id}" if row.actor_id is not None else "",
            _about_address(row),
        )
        for row in rows
    )


def did_in_words(kind: str) -> str:
    """Return a deed in words; one that a newer version noted is shown by its name."""
    return DEED_WORDS[Deed(kind)] if kind in set(Deed) else kind


def _about_address(row: KeptDeed) -> str:
    if row.kind in {Deed.MAIL_READ, Deed.MAIL_RESENT}:
        return f"/ops/mails/{row.about}"
    if row.user_id is not None:
        return f"/ops/users/{row.user_id}"
    return f"/ops/partners/{row.partner_key}" if row.partner_key is not None else ""


async def _sought(tx: Reader, asked: Mapping[str, str]) -> Sought:
    def word(key: str) -> str:
        return asked.get(key, "").strip().replace("\x00", "")

    name = word("partner")
    found = await partners.find_partner_as_typed(tx, name) if name else None
    return Sought(
        kinds=(word("kind"),) if word("kind") else (),
        actor=word("who"),
        # An unknown partner has none, which is not the same as all.
        partner_id=found.partner_id if found else 0 if name else None,
        user_id=read_number(word("user")),
    )
