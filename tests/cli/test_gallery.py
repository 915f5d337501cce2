"""The gallery of papers, which needs no database."""

import re

import pypdfium2
import pytest

from bindery.cli.gallery.cases import CASES, Case
from bindery.cli.gallery.papers import papers_of
from bindery.contract.documents import DocumentType as D
from bindery.documents import render
from bindery.domain.products import record_of
from documents.reading import text_of
from support.processes import Program


def test_a_gallery_has_every_paper_as_pdf_and_pictures_and_a_page_that_shows_them(bare: Program) -> None:
    folder = bare.folder / "gallery"

    made = bare.run(
        "documents", "gallery", str(folder), "--only", "comparison", "--only", "lapse_notice",
        "--case", "B", "--case", "F", "--json",
    ).json()  # fmt: skip

    page = (folder / "index.html").read_text("utf-8")
    shown = set(re.findall(r'(?:src|href)="([^"#]+)"', page))
    assert {str(path.relative_to(folder)) for path in folder.glob("*/*")} == shown
    assert made["papers"] == 4
    assert {name for name in shown if name.endswith(".pdf")} == {
        f"{case}/{kind}.pdf" for case in ("B", "F") for kind in ("comparison", "lapse_notice")
    }
    pages = sum(len(pypdfium2.PdfDocument((folder / name).read_bytes())) for name in shown if "pdf" in name)
    assert made["pages"] == pages == sum(name.endswith(".png") for name in shown)
    assert "Option 15" in text_of((folder / "B" / "comparison.pdf").read_bytes())


def test_a_case_or_type_that_there_is_not_is_refused(bare: Program) -> None:
    assert "There is no case Z" in bare.run("documents", "gallery", "somewhere", "--case", "Z").complaint
    assert "comparisons" in bare.run("documents", "gallery", "somewhere", "--only", "comparisons").complaint


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.key)
async def test_a_case_has_every_paper_that_its_company_can_have(case: Case) -> None:
    papers = [kind for kind, _ in await papers_of(case)]

    without = set(D) - record_of(case.product).documents | ({D.SECURITY_REPORT} if case.key == "G" else set())
    if case.is_renewal:
        # Nothing is owed for it that it could lapse for.
        without.add(D.LAPSE_NOTICE)
    assert len(papers) == len(set(papers))
    assert set(papers) == set(D) - without


@pytest.mark.parametrize("case", [case for case in CASES if case.is_renewal], ids=lambda case: case.key)
async def test_the_papers_of_a_renewal_tell_what_it_renews_and_what_changed(case: Case) -> None:
    papers = dict(await papers_of(case))

    letter = text_of(render(D.QUOTE_LETTER, papers[D.QUOTE_LETTER]))
    expiring = f"{case.product}-26-0001234-7-00"
    assert f"Policy {expiring} of Harborlight Bakery LLC expires on December 1, 2027" in letter
    assert "What changed since last year" in letter
    assert "Continuity date December 1, 2026" in text_of(render(D.BINDER, papers[D.BINDER]))
    if D.SECURITY_REPORT in record_of(case.product).documents:
        report = text_of(render(D.SECURITY_REPORT, papers[D.SECURITY_REPORT]))
        assert "New since the last scan:" in letter
        assert "first seen November 15, 2026" in report
        assert "first seen October 2, 2027" in report
