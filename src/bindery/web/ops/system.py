import asyncio
from dataclasses import fields
from typing import Final

from starlette.responses import Response

from bindery.base.errors import NotFound
from bindery.domain.quote.journal_check import flaws_of
from bindery.runtime import missing_in_production
from bindery.setting_sources import sources_of
from bindery.settings import PREFIX, Settings
from bindery.storage.quote import journal, quotes
from bindery.web.frame.render import page
from bindery.web.frame.visit import Visit
from bindery.web.shown.words import seconds

SECRET: Final = frozenset(
    {"secret_key", "old_secret_keys", "metrics_token", "smtp_url", "database_url", "blobs_url"}
)

NOT_SET: Final = "not set"


async def show_settings(visit: Visit) -> Response:
    settings, usual = visit.runtime.settings, Settings()
    sources = await asyncio.to_thread(sources_of, settings)
    rows = tuple(
        (
            f"{PREFIX}{field.name.upper()}",
            _masked(field.name, getattr(settings, field.name)),
            sources[field.name],
            _masked(field.name, getattr(usual, field.name)),
            Settings.__annotations__[field.name].__metadata__[0].replace("`", ""),
        )
        for field in fields(Settings)
    )
    missing = missing_in_production(settings).values()
    return page(visit, "ops/settings.html", rows=rows, missing=tuple(missing))


async def show_journal(visit: Visit) -> Response:
    """Show the journal of a quote with its check, but none of an applicant's answers."""
    quote_id = visit.path_id("quote_id")
    async with visit.runtime.database.reading() as tx:
        if await quotes.company_of(tx, quote_id) is None:
            raise NotFound("There is no such quote.")
        quote = await quotes.get(tx, quote_id)
        entries = await journal.of_quote(tx, quote_id)
        kept = await journal.read_one(tx, quote_id)
    return page(
        visit,
        "ops/journal.html",
        times=visit.times(tx.now),
        quote_id=quote_id,
        submission_id=quote.submission_id,
        rows=entries,
        seconds=seconds,
        flaws=tuple(flaws_of(kept)),
    )


def _masked(name: str, value: object) -> str:
    if name in SECRET:
        return "set" if value else NOT_SET
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ", ".join(str(item) for item in value) or NOT_SET
    return NOT_SET if value in {None, ""} else str(value)
