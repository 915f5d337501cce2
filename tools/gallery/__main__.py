"""`python -m tools.gallery DIR`: make the gallery that docs/gallery.md describes."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import jinja2
import pypdfium2
from PIL import Image

from bindery.cli.common import say
from bindery.contract.documents import DocumentType
from bindery.documents import render
from bindery.domain.documents.facts import DocumentFacts
from documents.review_cases import COMPANIES

SCALE: Final = 1.25
"""Pictures have 90 dots to the inch: small print can be read."""
COLORS: Final = 96
INDEX: Final = Path(__file__).with_name("index.html")


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.gallery")
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("--only", action="append", choices=[str(kind) for kind in DocumentType])
    parser.add_argument("--case", action="append", choices=list(COMPANIES))
    asked = parser.parse_args(arguments)
    sheets = []
    for name in asked.case or COMPANIES:
        say(f"{name}: {COMPANIES[name].title}")
        (asked.folder / name).mkdir(parents=True, exist_ok=True)
        documents = ((kind, facts) for kind, facts in COMPANIES[name].documents() if _is_in(kind, asked.only))
        sheets.append((name, COMPANIES[name].title, list(_make(asked.folder, name, documents))))
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    page = environment.from_string(INDEX.read_text("utf-8")).render(cases=sheets)
    (asked.folder / "index.html").write_text(page, "utf-8")
    made = [document for _, _, documents in sheets for document in documents]
    pages = sum(len(pictures) for _, _, pictures in made)
    say(f"{len(made):,} documents on {pages:,} pages. Open {asked.folder / 'index.html'}")


def _is_in(kind: DocumentType, only: list[str] | None) -> bool:
    return not only or kind in only


def _make(
    folder: Path, case: str, documents: Iterator[tuple[DocumentType, DocumentFacts]]
) -> Iterator[tuple[str, int, list[str]]]:
    """Write each document and the pictures of its pages; return its stem, its kilobytes and the pictures."""
    for kind, facts in documents:
        content = render(kind, facts)
        stem = f"{case}/{kind}"
        (folder / f"{stem}.pdf").write_bytes(content)
        yield stem, -(-len(content) // 1024), list(_pictures(folder, stem, content))


def _pictures(folder: Path, stem: str, content: bytes) -> Iterator[str]:
    with pypdfium2.PdfDocument(content) as pdf:
        for number, page in enumerate(pdf, start=1):
            name = f"{stem}-{number:02}.png"
            picture = page.render(scale=SCALE).to_pil()
            picture.quantize(COLORS, method=Image.Quantize.FASTOCTREE).save(folder / name)
            yield name


if __name__ == "__main__":
    main(sys.argv[1:])
