"""`bindery quote`: submit a request file, follow its options, show what became of them."""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.progress import Progress, TaskID

from bindery.cli import quote_shown
from bindery.cli.common import RequestFile, complaints, optional, read_file, show_line
from bindery.cli.connection import NEEDS_A_PERSON, NOT_READY, Service, service_command
from bindery.cli.progress import progress_bar
from bindery.client import AsyncBindery
from bindery.contract.errors import NotReadyBody
from bindery.contract.quote import QuoteBody
from bindery.contract.quotes import QuoteReceipt
from bindery.contract.vocabulary import QuoteStatus

OPEN: Final = frozenset({QuoteStatus.PUBLISHED, QuoteStatus.OFFER_EMAIL})
STAGES: Final = ("created", "aq_created", "calculating", "calc_completed", "eligible", "ready")
LOOK_AGAIN_S: Final = 2
"""The service answers as soon as a quote is ready; until then the bar moves this often."""


@service_command
async def quote(
    service: Service,
    file: RequestFile,
    *,
    wait: Annotated[bool, typer.Option("--wait", help="Follow the options until they are ready.")] = False,
    save: Annotated[
        Path | None,
        optional(
            "Follow the options and save their documents in this folder.", metavar="DIR", file_okay=False
        ),
    ] = None,
    timeout_s: Annotated[
        int, typer.Option("--timeout", min=1, max=86_400, metavar="SECONDS", help="How long to follow them.")
    ] = 120,
) -> int:
    """Submit a request file and show its receipt; with --wait follow it to its price.

    Example: bindery quote request.json --wait --save papers

    Exit codes:
    0  accepted; with --wait: every option is open
    1  refused by the service
    2  wrong use, or nobody answers
    3  an option was referred to an underwriter, declined or revoked
    4  an option was not ready in time
    """
    body = read_file(file)
    address = service.connection.address
    async with service.client() as bindery:
        receipt = await bindery.create_quotes(body)
        if not wait and save is None:
            service.show(receipt, lambda receipt: quote_shown.show_receipts(receipt, address))
            return 0
        # Shown before the wait, so that the quotes can be found again if it is interrupted.
        quote_shown.show_taken_in(receipt)
        try:
            seen = await _follow(bindery, receipt.quotes, time.monotonic() + timeout_s)
            service.show(seen, lambda seen: quote_shown.show_options(receipt, seen))
            if save is not None:
                await _save(bindery, seen, save)
        except asyncio.CancelledError:
            quote_shown.show_interruption(receipt, address)
            raise
        return _exit_code(seen)


async def _save(bindery: AsyncBindery, seen: Sequence[QuoteBody | NotReadyBody], folder: Path) -> None:
    saved = 0
    for option in seen:
        if not isinstance(option, QuoteBody):
            continue
        target = folder / quote_shown.folder_name(option)
        target.mkdir(parents=True, exist_ok=True)
        for kind in option.available_documents:
            content = await bindery.download(kind, option.quote_identifier)
            (target / f"{kind}.pdf").write_bytes(content)
            saved += 1
    show_line(f"Saved {saved} documents in {folder}.", complaints)


def _exit_code(seen: Sequence[QuoteBody | NotReadyBody]) -> int:
    ready = [quote for quote in seen if isinstance(quote, QuoteBody)]
    if len(ready) < len(seen):
        return NOT_READY
    return 0 if all(quote.quote_status in OPEN for quote in ready) else NEEDS_A_PERSON


async def _follow(
    bindery: AsyncBindery, receipts: Sequence[QuoteReceipt], until: float
) -> list[QuoteBody | NotReadyBody]:
    with progress_bar("{task.description}", "{task.fields[status]}", width=24) as progress:
        bars = [
            progress.add_task(quote_shown.options_text(receipt), total=len(STAGES) - 1, status=STAGES[0])
            for receipt in receipts
        ]
        return await asyncio.gather(
            *(
                _follow_option(bindery, receipt, until, progress, bar)
                for receipt, bar in zip(receipts, bars, strict=True)
            )
        )


async def _follow_option(
    bindery: AsyncBindery, receipt: QuoteReceipt, until: float, progress: Progress, bar: TaskID
) -> QuoteBody | NotReadyBody:
    while True:
        left_s = max(1, round(until - time.monotonic()))
        seen = await bindery.get_quote(receipt.quote_identifier, wait=min(LOOK_AGAIN_S, left_s))
        done = len(STAGES) - 1
        if isinstance(seen, NotReadyBody) and seen.quote_status in STAGES:
            done = STAGES.index(seen.quote_status)
        progress.update(bar, completed=done, status=str(seen.quote_status))
        if isinstance(seen, QuoteBody) or time.monotonic() >= until:
            return seen
