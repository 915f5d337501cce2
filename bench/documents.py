"""What a document costs in a warm process, and how many two presses make next to one."""

import asyncio
import itertools
import os
import random
import statistics
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

from rich.console import Console
from rich.table import Table

from bindery.contract.documents import DocumentType
from bindery.documents import render
from bindery.documents.presses import Presses
from bindery.domain.documents.access import FROZEN_WITH
from bindery.domain.documents.facts import DocumentFacts
from documents.cases import ISSUED, facts_of

SECONDS = 4.0
DOCUMENTS = 20
WARM_UP = 5
GOAL_MS = 40
KINDS = tuple(kind for kind in FROZEN_WITH if kind is not DocumentType.POLICY_SPECIMEN)


def other_facts() -> Iterator[DocumentFacts]:
    """Return facts of one company after the other: a compiler remembers what documents have in common."""
    shown = facts_of(binding=ISSUED)
    assert shown.offer is not None
    rng = random.Random(11)
    for number in itertools.count():
        day = shown.issued_on + timedelta(days=rng.randrange(300))
        name = f"{rng.choice(('Harbor', 'Bright', 'Stone', 'Cedar'))} {number} LLC"
        coverages = (
            replace(coverage, limit=rng.randrange(100, 3_000) * 1_000) for coverage in shown.offer.coverages
        )
        yield replace(
            shown,
            quote_identifier=f"019a5b6c-7d8e-7f90-a1b2-{number:012}",
            issued_on=day,
            submitted_on=day,
            insured=replace(shown.insured, name=name, revenue=rng.randrange(100_000, 90_000_000)),
            offer=replace(shown.offer, premium=rng.randrange(1_000, 90_000), coverages=tuple(coverages)),
        )


def cpu_ms(kind: DocumentType, others: Iterator[DocumentFacts]) -> float:
    """Measure the processor time of a document in a process that has made some before."""
    taken = []
    for shown in itertools.islice(others, WARM_UP + DOCUMENTS):
        started = time.process_time()
        render(kind, shown)
        taken.append(time.process_time() - started)
    return statistics.median(taken[WARM_UP:]) * 1000


async def per_second(count: int, kinds: tuple[DocumentType, ...], others: Iterator[DocumentFacts]) -> float:
    """Measure how many documents a number of presses makes; none ever waits for work."""
    turns = itertools.cycle(kinds)
    done = 0

    async with Presses(count) as presses:

        async def ask(until: float) -> None:
            nonlocal done
            while time.perf_counter() < until:
                await presses.typeset(next(turns), next(others))
                done += 1

        async def ask_for(seconds: float) -> float:
            started = time.perf_counter()
            await asyncio.gather(*(ask(started + seconds) for _ in range(2 * count)))
            return time.perf_counter() - started

        await ask_for(SECONDS / 4)
        done = 0
        taken = await ask_for(SECONDS)
    return done / taken


def main() -> None:
    # As in a press: one thread, so that what is measured is the work and not its sharing.
    os.environ["RAYON_NUM_THREADS"] = "1"
    others = other_facts()
    costs = Table("one document in a warm process", "CPU ms", "goal", box=None)
    for kind in KINDS:
        goal = f"under {GOAL_MS}" if kind is DocumentType.QUOTE_LETTER else ""
        costs.add_row(kind.replace("_", " "), f"{cpu_ms(kind, others):.1f}", goal)
    Console().print(costs)

    rates = Table("documents a second", "one press", "two presses", "gain", box=None)
    for label, kinds in (("quote letters", (DocumentType.QUOTE_LETTER,)), ("every kind in turn", KINDS)):
        by_one = asyncio.run(per_second(1, kinds, others))
        by_two = asyncio.run(per_second(2, kinds, others))
        rates.add_row(label, f"{by_one:.1f}", f"{by_two:.1f}", f"[bold]{by_two / by_one:.2f}[/]")
    Console().print(rates)
