"""The gallery of documents, a developer's tool that needs no database."""

import re
from pathlib import Path

import pypdfium2
import pytest
from tools.gallery.__main__ import main

from bindery.contract.documents import DocumentType as D
from bindery.domain.products import record_of
from documents.reading import text_of
from documents.review_cases import COMPANIES


def test_a_gallery_has_every_document_as_pdf_and_pictures_and_a_page_that_shows_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main([str(tmp_path), "--only", "comparison", "--only", "lapse_notice", "--case", "B", "--case", "F"])

    page = (tmp_path / "index.html").read_text("utf-8")
    shown = set(re.findall(r'(?:src|href)="([^"#]+)"', page))
    assert {str(path.relative_to(tmp_path)) for path in tmp_path.glob("[A-Z]/*")} == shown
    assert {name for name in shown if name.endswith(".pdf")} == {
        f"{case}/{kind}.pdf" for case in ("B", "F") for kind in ("comparison", "lapse_notice")
    }
    pages = sum(len(pypdfium2.PdfDocument((tmp_path / name).read_bytes())) for name in shown if "pdf" in name)
    assert pages == sum(name.endswith(".png") for name in shown)
    assert f"4 documents on {pages} pages" in capsys.readouterr().out
    assert "Option 15" in text_of((tmp_path / "B" / "comparison.pdf").read_bytes())


def test_an_unknown_case_or_document_type_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for wrong in (("--case", "Z"), ("--only", "comparisons")):
        with pytest.raises(SystemExit):
            main([str(tmp_path), *wrong])
        assert f"invalid choice: '{wrong[1]}'" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", COMPANIES)
def test_a_case_has_every_document_that_its_company_can_have(name: str) -> None:
    company = COMPANIES[name]
    kinds = [kind for kind, _ in company.documents()]

    without = set(D) - record_of(company.product).documents | ({D.SECURITY_REPORT} if name == "G" else set())
    if company.is_renewal:
        # Nothing is owed for it that it could lapse for.
        without.add(D.LAPSE_NOTICE)
    assert len(kinds) == len(set(kinds))
    assert set(kinds) == set(D) - without
