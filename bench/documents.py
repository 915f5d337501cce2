"""Documents a second on one and on two threads, beside ReportLab drawing a letter like ours."""

import io
import itertools
import time
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import msgspec
from reportlab.lib import colors
from reportlab.lib.pagesizes import LETTER
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle
from rich.console import Console
from rich.table import Table as Shown

from bindery.contract.documents import DocumentType
from bindery.documents import render
from bindery.domain.document_facts import DocumentFacts

FACTS = Path(__file__).with_name("quote_facts.json")
SECONDS = 3.0


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


def per_second(work: Callable[[], object], threads: int, seconds: float = SECONDS) -> float:
    until = time.perf_counter() + seconds

    def run() -> int:
        done = 0
        while time.perf_counter() < until:
            work()
            done += 1
        return done

    started = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        done = sum(job.result() for job in [pool.submit(run) for _ in range(threads)])
    return done / (time.perf_counter() - started)


def main() -> None:
    shown = facts()
    numbers = itertools.count()

    def another() -> DocumentFacts:
        """Give facts that were not typeset before: the compiler remembers what it has seen."""
        number = next(numbers)
        named = replace(shown.insured, name=f"Harborlight Bakery {number} LLC")
        return replace(shown, quote_identifier=str(uuid.UUID(int=number)), insured=named)

    works: dict[str, Callable[[], object]] = {
        "quote letter": lambda: render(DocumentType.QUOTE_LETTER, another()),
        "application": lambda: render(DocumentType.APPLICATION, another()),
        "a like letter with ReportLab": lambda: reportlab_letter(another()),
    }
    table = Shown("documents a second", "one thread", "two threads", "gain", box=None)
    for label, work in works.items():
        work()
        one, two = per_second(work, 1), per_second(work, 2)
        table.add_row(label, f"{one:.1f}", f"{two:.1f}", f"{two / one:.2f}")
    Console().print(table)


if __name__ == "__main__":
    main()
