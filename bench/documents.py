"""What a document costs, next to a plain page and a letter drawn by ReportLab; papers a second by presses."""

import asyncio
import io
import itertools
import os
import random
import statistics
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path

import msgspec
import typst
from reportlab.lib import colors
from reportlab.lib.pagesizes import LETTER
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle
from rich.console import Console
from rich.table import Table as Shown

from bindery.contract.documents import DocumentType
from bindery.documents import render
from bindery.documents.presses import Presses
from bindery.domain.papers.access import FROZEN_WITH
from bindery.domain.papers.facts import Binding, DocumentFacts

FACTS = Path(__file__).with_name("quote_facts.json")
SECONDS = 4.0
PAPERS = 20
WARM_UP = 5
NAMES = ("Harbor", "Bright", "North", "Stone", "River", "Cedar", "Summit", "Union", "Prairie", "Delta")
AMOUNTS = (100_000, 250_000, 500_000, 1_000_000, 2_000_000, 3_000_000)
RETENTIONS = (2_500, 5_000, 10_000, 25_000)


def facts() -> DocumentFacts:
    return msgspec.json.decode(FACTS.read_bytes(), type=DocumentFacts)


def reportlab_letter(shown: DocumentFacts) -> bytes:
    """Draw the quote letter's contents with ReportLab: the same texts and tables on the same pages."""
    assert shown.offer is not None
    styles = getSampleStyleSheet()
    out = io.BytesIO()
    coverages = [["Insuring agreement", "Limit", "Retention"]]
    coverages += [[c.coverage_name, f"${c.limit:,}", f"${c.retention:,}"] for c in shown.offer.coverages]
    charges = [["Premium", f"${shown.offer.premium:,}"]]
    charges += [[s.title, f"${s.price:,}"] for s in shown.offer.surcharges]
    grid = TableStyle(
        [
            ("BACKGROUND", (0, 0), (-1, 0), colors.HexColor("#12263f")),
            ("TEXTCOLOR", (0, 0), (-1, 0), colors.white),
            ("ROWBACKGROUNDS", (0, 1), (-1, -1), [colors.white, colors.HexColor("#f1f5f9")]),
            ("ALIGN", (1, 0), (-1, -1), "RIGHT"),
        ]
    )
    prose = (
        "Thank you for the opportunity to quote. On the basis of your application we offer these terms. " * 4
    )
    story = [
        Paragraph(f"Your quotation for {shown.insured.name}", styles["Title"]),
        Paragraph(prose, styles["BodyText"]),
        Table(charges, style=grid),
        Spacer(1, 12),
        Table(coverages, style=grid, repeatRows=1),
        *[Paragraph(prose, styles["BodyText"]) for _ in range(8)],
        *[Paragraph(contingency.text, styles["Bullet"]) for contingency in shown.contingencies],
    ]
    SimpleDocTemplate(out, pagesize=LETTER, title="Quote letter").build(story)
    return out.getvalue()


def other_facts(shown: DocumentFacts) -> Iterator[DocumentFacts]:
    """Return facts of one company after the other: a compiler remembers what papers have in common.

    Names, addresses, dates, limits and every amount differ; the product, the state and the questions stay.
    """
    assert shown.offer is not None
    assert shown.valid_until is not None
    rng = random.Random(11)
    for number in itertools.count():
        premium = rng.randrange(1_000, 90_000)
        later = timedelta(days=rng.randrange(300))
        day = shown.issued_on + later
        yield replace(
            shown,
            quote_identifier=str(uuid.UUID(int=rng.getrandbits(128))),
            issued_on=day,
            submitted_on=day,
            valid_until=shown.valid_until + later,
            broker_email=f"{rng.choice(NAMES).lower()}{number}@example.com",
            insured=replace(
                shown.insured,
                name=f"{rng.choice(NAMES)} {rng.choice(NAMES)} {number} LLC",
                address_lines=(
                    f"{rng.randrange(1, 9999)} {rng.choice(NAMES)} Street",
                    "Los Angeles, CA 90012",
                ),
                revenue=rng.randrange(100_000, 90_000_000),
            ),
            period=replace(
                shown.period,
                effective=shown.period.effective + later,
                expiration=shown.period.expiration + later,
            ),
            offer=replace(
                shown.offer,
                premium=premium,
                total=shown.offer.total + premium,
                coverages=tuple(
                    replace(coverage, limit=rng.choice(AMOUNTS), retention=rng.choice(RETENTIONS))
                    for coverage in shown.offer.coverages
                ),
                surcharges=tuple(
                    replace(surcharge, price=surcharge.price + rng.randrange(900))
                    for surcharge in shown.offer.surcharges
                ),
            ),
            binding=Binding(policy_number=f"CYB-26-{number:07}-7-00", bound_on=day, issued_on=day),
        )


def plain_page() -> Callable[[DocumentFacts], bytes]:
    """Return a press for a page with one line on it: the least that typst takes."""
    compiler = typst.Compiler(ignore_system_fonts=True)

    def print_page(shown: DocumentFacts) -> bytes:
        pdf = compiler.compile(input=f"= {shown.insured.name}".encode(), format="pdf")
        assert isinstance(pdf, bytes)
        return pdf

    return print_page


def cpu_ms(make: Callable[[DocumentFacts], object], others: Iterator[DocumentFacts]) -> float:
    """Measure the processor time of a paper in a process that has made some before."""
    for shown in itertools.islice(others, WARM_UP):
        make(shown)
    taken = []
    for shown in itertools.islice(others, PAPERS):
        started = time.process_time()
        make(shown)
        taken.append(time.process_time() - started)
    return statistics.median(taken) * 1000


async def per_second(count: int, kinds: tuple[DocumentType, ...], others: Iterator[DocumentFacts]) -> float:
    """Measure how many papers a number of presses makes; none ever waits for work."""
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
    others = other_facts(facts())
    costs = Shown("one paper in a warm process", "CPU ms", box=None)
    costs.columns[1].justify = "right"
    letter = cpu_ms(lambda shown: render(DocumentType.QUOTE_LETTER, shown), others)
    costs.add_row("quote letter [dim](goal: under 40)[/]", f"[bold]{letter:.1f}[/]")
    costs.add_row("a plain page, one line", f"{cpu_ms(plain_page(), others):.1f}")
    costs.add_row("a similar letter with ReportLab", f"{cpu_ms(reportlab_letter, others):.1f}")
    for kind in FROZEN_WITH:
        if kind not in {DocumentType.QUOTE_LETTER, DocumentType.POLICY_SPECIMEN}:
            cost = cpu_ms(partial(render, kind), others)
            costs.add_row(kind.replace("_", " "), f"{cost:.1f}")
    Console().print(costs)

    rates = Shown("papers a second", "one press", "two presses", "gain", box=None)
    mixed = tuple(kind for kind in FROZEN_WITH if kind is not DocumentType.POLICY_SPECIMEN)
    for label, kinds in (("quote letters", (DocumentType.QUOTE_LETTER,)), ("every kind in turn", mixed)):
        by_one = asyncio.run(per_second(1, kinds, others))
        by_two = asyncio.run(per_second(2, kinds, others))
        rates.add_row(label, f"{by_one:.1f}", f"{by_two:.1f}", f"[bold]{by_two / by_one:.2f}[/]")
    Console().print(rates)


if __name__ == "__main__":
    main()
