"""Making the gallery: each paper as PDF and as pictures of its pages, and one page to look at them."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Final

import jinja2
import pypdfium2
from PIL import Image

from bindery.cli.gallery.cases import CASES, Case
from bindery.cli.gallery.papers import papers_of
from bindery.contract.documents import DocumentType
from bindery.documents import render
from bindery.domain.papers.facts import DocumentFacts

SCALE: Final = 1.25
"""Pictures have 90 dots to the inch: small print can be read."""
COLORS: Final = 96


@dataclass(frozen=True, slots=True)
class Sheet:
    """A paper that was made; its files are named from the gallery's folder."""

    name: str
    pdf: str
    pictures: tuple[str, ...]
    kilobytes: int


@dataclass(frozen=True, slots=True)
class Wall:
    """The papers of one case."""

    case: Case
    sheets: tuple[Sheet, ...]


async def make_gallery(
    folder: Path,
    *,
    only: Collection[DocumentType] = (),
    cases: Collection[str] = (),
    tell: Callable[[Case], None],
) -> list[Wall]:
    """Make the papers of all cases, or of some, and the page that shows them; return what was made."""
    walls = []
    for case in CASES:
        if cases and case.key not in cases:
            continue
        tell(case)
        (folder / case.key).mkdir(parents=True, exist_ok=True)
        wanted = ((kind, facts) for kind, facts in await papers_of(case) if not only or kind in only)
        walls.append(Wall(case, tuple(_sheets(folder, case, wanted))))
    (folder / "index.html").write_text(_index(walls), "utf-8")
    return walls


def _sheets(
    folder: Path, case: Case, papers: Iterator[tuple[DocumentType, DocumentFacts]]
) -> Iterator[Sheet]:
    for kind, facts in papers:
        content = render(kind, facts)
        pdf = f"{case.key}/{kind}.pdf"
        (folder / pdf).write_bytes(content)
        yield Sheet(
            name=kind.replace("_", " "),
            pdf=pdf,
            pictures=tuple(_pictures(folder, f"{case.key}/{kind}", content)),
            kilobytes=-(-len(content) // 1024),
        )


def _pictures(folder: Path, stem: str, content: bytes) -> Iterator[str]:
    with pypdfium2.PdfDocument(content) as pdf:
        for number, page in enumerate(pdf, start=1):
            name = f"{stem}-{number:02}.png"
            picture = page.render(scale=SCALE).to_pil()
            picture.quantize(COLORS, method=Image.Quantize.FASTOCTREE).save(folder / name)
            yield name


def _index(walls: list[Wall]) -> str:
    template = resources.files("bindery.cli.gallery").joinpath("index.html").read_text("utf-8")
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    return environment.from_string(template).render(walls=walls)
