"""The search of brokers and underwriters: one hit opens its page, several are listed by what matched."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from starlette.responses import RedirectResponse, Response

from bindery.domain.access.users import Role
from bindery.storage.access import users
from bindery.storage.database import Reader
from bindery.storage.lists import company_lines, company_list, search
from bindery.storage.lists.search import Found, Kind, Way
from bindery.web.company.companies_shown import CompanyRow, emails_of, row_of
from bindery.web.frame.render import page
from bindery.web.frame.visit import SEE_OTHER, Visit

MOST_SHOWN: Final = 50
GROUPS: Final[Mapping[Kind, str]] = {
    Kind.POLICY: "Policies",
    Kind.COMPANY: "Company numbers",
    Kind.NAME: "Companies",
    Kind.DBA: "Doing business as",
    Kind.DOMAIN: "Domains",
    Kind.CONTACT: "Contacts",
}


@dataclass(frozen=True, slots=True)
class ShownHit:
    row: CompanyRow
    matched: str
    """The text that was found, where it is not the company's name."""


@dataclass(frozen=True, slots=True)
class ShownGroup:
    title: str
    hits: tuple[ShownHit, ...]


async def search_companies(visit: Visit) -> Response:
    words = visit.word("q")
    if not words:
        return RedirectResponse("/companies", SEE_OTHER)
    partner_id = visit.partner_id

    async def read(tx: Reader) -> int | tuple[Found, dict[int, CompanyRow]]:
        company_id = await company_list.find_by_number(tx, words, partner_id=partner_id)
        if company_id is not None:
            return company_id
        found = await search.search(tx, words, partner_id=partner_id)
        lines = await company_lines.lines_of(tx, [hit.company_id for hit in found.hits[:MOST_SHOWN]])
        names = await users.names_by_email(tx, emails_of(lines), role=Role.BROKER)
        times = visit.times(tx.now)
        return found, {line.company_id: row_of(line, times, names) for line in lines}

    read_what = await visit.runtime.database.read(read)
    if isinstance(read_what, int):
        return RedirectResponse(f"/company/{read_what}", SEE_OTHER)
    found, rows = read_what
    if len(found.hits) == 1:
        (hit,) = found.hits
        said = f"“{words}” was found as {hit.text}." if found.way is Way.WRONG_LETTER else ""
        return await visit.done(rows[hit.company_id].address, said)
    return page(
        visit,
        "company/search.html",
        words=words,
        groups=groups_of(found, rows),
        is_guess=found.way is Way.WRONG_LETTER,
        most=MOST_SHOWN if len(found.hits) > MOST_SHOWN else None,
        may_list=visit.user.role is Role.BROKER,
    )


def groups_of(found: Found, rows: Mapping[int, CompanyRow]) -> tuple[ShownGroup, ...]:
    """Return what was found by what matched, without companies that are not shown."""
    groups = []
    for kind, title in GROUPS.items():
        hits = tuple(
            ShownHit(rows[hit.company_id], "" if hit.text == rows[hit.company_id].name else hit.text)
            for hit in found.hits
            if hit.kind is kind and hit.company_id in rows
        )
        groups += [ShownGroup(title, hits)] if hits else []
    return tuple(groups)
