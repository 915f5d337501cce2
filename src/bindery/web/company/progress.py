"""How far a submission is in its first seconds: received, scanned, priced, with an underwriter."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.products import record_of
from bindery.domain.quote.lifecycle import AT_THE_DESK, NOT_READY
from bindery.storage.quote.quote_view import QuoteRecord
from bindery.web.company.company_standing import Waiting
from bindery.web.shown.option import options_named, shown_number
from bindery.web.shown.words import Times, counted


@dataclass(frozen=True, slots=True)
class ProgressLine:
    """`kind` is that of a line of the history: done well, now, or with somebody; empty for what comes."""

    kind: str
    text: str
    more: str


def progress_of(seen: Sequence[QuoteRecord], waiting: Waiting, times: Times) -> tuple[ProgressLine, ...]:
    """Return how far the newest submission is that is being worked out; empty if none is."""
    running = next((record.quote.submission_id for record in seen if record.quote.status in NOT_READY), None)
    options = [record for record in seen if record.quote.submission_id == running]
    return tuple(_lines(options, waiting, times)) if options else ()


def _lines(options: Sequence[QuoteRecord], waiting: Waiting, times: Times) -> Iterator[ProgressLine]:
    first = options[0]
    statuses = {record.quote.status for record in options}
    yield ProgressLine("good", "Received", times.to_the_second(first.quote.created_at).text)
    ready = sum(record.quote.status not in NOT_READY for record in options)
    domains = len(first.client.get("domains") or ())
    if domains and record_of(first.quote.product).is_scanned:
        yield _scan(counted(domains, "domain"), statuses, is_done=ready > 0 or first.is_scanned)
    yield ProgressLine(
        "now" if ready else "", f"Pricing, {ready} of {len(options)} done", "what is ready can be bound"
    )
    desk = [record for record in options if record.quote.status in AT_THE_DESK]
    if desk:
        numbers = [str(shown_number(record.quote.option_number)) for record in desk]
        named = options_named(numbers)
        yield ProgressLine(
            "wait", f"{named[:1].upper()}{named[1:]}: an underwriter decides", _due(waiting, desk[0], times)
        )


def _scan(domains: str, statuses: set[QuoteStatus], *, is_done: bool) -> ProgressLine:
    if is_done:
        return ProgressLine("good", f"{domains} scanned", "from outside")
    # A scan that takes a while moves options on; before that it may not have begun.
    kind = "" if statuses == {QuoteStatus.CREATED} else "now"
    return ProgressLine(kind, f"{domains} being scanned" if kind else f"{domains} to scan", "from outside")


def _due(waiting: Waiting, record: QuoteRecord, times: Times) -> str:
    found: tuple[datetime, datetime] | None = waiting.get(record.quote.submission_id)
    return f"expected by {times.at(found[1]).text}" if found else ""
