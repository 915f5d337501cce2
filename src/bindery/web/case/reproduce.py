"""Pricing a case again from its record, to show that the record still gives the same price."""

from dataclasses import dataclass

from starlette.responses import Response

from bindery.base.errors import NotFound
from bindery.domain.access.users import Role
from bindery.domain.quote.journal_check import KeptJournal, flaws_of
from bindery.domain.quote.quote import Quote
from bindery.domain.quote.reproduction import Reproduction, reproduce
from bindery.storage.quote import journal, quote_view
from bindery.storage.submission import submissions
from bindery.web.frame.render import page
from bindery.web.frame.visit import Visit
from bindery.web.shown.words import money


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownReproduction:
    quote: Quote
    found: Reproduction
    is_same: bool
    sentence: str
    journal: str


async def show_reproduction(visit: Visit) -> Response:
    submission_id = visit.path_id("submission_id")
    async with visit.runtime.database.reading() as tx:
        seen = await quote_view.see_submission(tx, submission_id)
        if not seen:
            raise NotFound("There is no such case.")
        stored = await submissions.get(tx, submission_id)
        kept = await journal.read_some(tx, [record.quote.quote_id for record in seen])
    journals = {history.quote_id: history for history in kept}
    # Operators see ids and states; factors of the tariff are for underwriters.
    sees_factors = visit.user.role is Role.UNDERWRITER
    rows = tuple(
        _shown(
            record.quote,
            reproduce(record.quote, stored.submission, stored.scan, record.term),
            journals[record.quote.quote_id],
            sees_factors=sees_factors,
        )
        for record in seen
    )
    return page(
        visit,
        "case/reproduce.html",
        submission_id=str(submission_id),
        name=stored.submission.name if sees_factors else f"case {submission_id}",
        may_open_case=sees_factors,
        rows=rows,
        is_same=all(row.is_same for row in rows),
    )


def _shown(quote: Quote, found: Reproduction, kept: KeptJournal, *, sees_factors: bool) -> ShownReproduction:
    flaw = next(flaws_of(kept), None)
    return ShownReproduction(
        quote=quote,
        found=found,
        is_same=found.difference is None and flaw is None,
        sentence=_sentence(found, sees_factors=sees_factors),
        journal=f"entry {flaw.entry} {flaw.what}"
        if flaw
        else f"{len(kept.entries)} entries, none altered or removed",
    )


def _sentence(found: Reproduction, *, sees_factors: bool) -> str:
    if found.difference is not None:
        apart = found.difference
        if not sees_factors or not apart.stored:
            return f"{apart.what}."
        return f"{apart.what}: stored {apart.stored}, computed {apart.computed}."
    if found.charged is None and found.rated is None:
        return "It has no price to reproduce."
    if found.rated is None:
        return f"Set by hand by {found.set_by}: there are no factors to multiply."
    if found.charged is not None and found.charged != found.rated:
        return f"The record gives {money(found.rated)} again; {found.set_by} set {money(found.charged)}."
    return f"The record gives {money(found.rated)} again, line by line."
