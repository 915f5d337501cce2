"""What operators see first, the settings in force, and the journal of a quote."""

from dataclasses import dataclass, fields
from typing import Final

from starlette.responses import Response

from bindery.base.errors import NotFound
from bindery.domain.quote.journal_check import flaws_of
from bindery.settings import PREFIX, Settings
from bindery.storage import job_view, journal, overview, quotes
from bindery.web.charts.waterfall import Bar, waterfall
from bindery.web.render import page
from bindery.web.shown.times import Times
from bindery.web.shown.words import Moment, money
from bindery.web.visit import Visit

RANGES: Final = (1, 7, 30, 90)
SECRET: Final = frozenset(
    {"secret_key", "old_secret_keys", "metrics_token", "smtp_url", "database_url", "blobs_url"}
)


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure with what it counts."""

    label: str
    value: str
    address: str = ""
    is_bad: bool = False


@dataclass(frozen=True, slots=True)
class ShownSetting:
    """A setting, what it is set to, and what it would be otherwise."""

    name: str
    value: str
    is_default: bool
    help: str


@dataclass(frozen=True, slots=True)
class ShownEntry:
    """One entry of a journal."""

    number: int
    at: Moment
    actor: str
    trigger: str
    move: str
    event: str
    data: str
    hash: str


async def show_overview(visit: Visit) -> Response:
    """Show the figures of the last days and what needs attention."""
    days = visit.number("days")
    days = days if days in RANGES else 7
    async with visit.runtime.database.reading() as tx:
        found = await overview.figures(tx, days=days)
        jobs = await job_view.count_jobs(tx)
    times = Times(visit.runtime.settings.zone, tx.now)
    stages = (
        ("Submitted", found.submitted),
        ("Offered", found.offered),
        ("Referred", found.referred),
        ("Bound", found.bound),
    )
    figures = (
        Figure("Options submitted", f"{found.submitted:,}"),
        Figure("Premium bound", money(found.premium_bound)),
        Figure("Cases on the desk", _capped(found.open_cases)),
        Figure("Jobs waiting", f"{jobs[job_view.JobStatus.WAITING]:,}", "/ops/jobs"),
        Figure("Oldest job", times.since(found.oldest_job).text if found.oldest_job else "none", "/ops/jobs"),
        Figure("Failed jobs", _capped(found.failed_jobs), "/ops/jobs", found.failed_jobs > 0),
        Figure(
            "Failing webhooks", f"{found.failing_webhooks:,}", "/ops/webhooks", found.failing_webhooks > 0
        ),
        Figure("Mail not sent", _capped(found.unsent_mails), "/ops/mails"),
    )
    return page(
        visit,
        "ops.html",
        figures=figures,
        days=days,
        ranges=RANGES,
        stages=stages,
        funnel=waterfall([Bar(label, f"{count:,}", 0, count, is_total=True) for label, count in stages]),
    )


async def show_settings(visit: Visit) -> Response:
    """Show the settings in force; secrets are masked."""
    settings, ours = visit.runtime.settings, Settings()
    rows = tuple(
        ShownSetting(
            name=f"{PREFIX}{field.name.upper()}",
            value=_masked(field.name, getattr(settings, field.name)),
            is_default=getattr(settings, field.name) == getattr(ours, field.name),
            help=Settings.__annotations__[field.name].__metadata__[0],
        )
        for field in fields(Settings)
    )
    return page(visit, "settings.html", rows=rows)


async def show_journal(visit: Visit) -> Response:
    """Show the journal of a quote, with its check."""
    quote_id = visit.path_id("quote_id")
    async with visit.runtime.database.reading() as tx:
        if await quotes.company_of(tx, quote_id) is None:
            raise NotFound("There is no such quote.")
        entries = await journal.of_quote(tx, quote_id)
        kept = await journal.read_one(tx, quote_id)
    times = Times(visit.runtime.settings.zone, tx.now)
    rows = tuple(
        ShownEntry(
            number=entry.entry,
            at=times.at(entry.at),
            actor=entry.actor,
            trigger=entry.trigger,
            move=f"{entry.status_before or 'new'} to {entry.status_after}",
            event=entry.type or "",
            # Ids and states only: what an applicant answered is not an operator's business.
            data="",
            hash=entry.hash().hex()[:16],
        )
        for entry in entries
    )
    flaws = tuple(f"entry {flaw.entry}: {flaw.what}" for flaw in flaws_of(kept))
    return page(visit, "journal.html", quote_id=str(quote_id), rows=rows, flaws=flaws, zone=times.zone_name)


def _capped(count: int) -> str:
    return "100+" if count > overview.MOST_ROWS else str(count)


def _masked(name: str, value: object) -> str:
    if name in SECRET:
        return "set" if value else "not set"
    if isinstance(value, tuple):
        return ", ".join(str(one) for one in value) or "none"
    return "none" if value in {None, ""} else str(value)
