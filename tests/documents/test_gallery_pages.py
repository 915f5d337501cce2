"""The pages of the gallery's companies: no page is torn badly, and what is read at a glance is one sheet."""

import os
from itertools import chain
from typing import Final

import pytest

from bindery.contract.documents import DocumentType
from bindery.documents import render
from bindery.documents.wording import typographic
from bindery.domain.documents.facts import DocumentFacts
from documents.measuring import flaws, pages_of_lines
from documents.review_cases import COMPANIES

pytestmark = pytest.mark.long

D = DocumentType
SWEEP: Final = os.environ.get("LAYOUT_SWEEP") == "all"
LOOKED_AT: Final = (D.COMPARISON, D.CERTIFICATE, D.SECURITY_LETTER, D.SECURITY_REPORT, D.QUOTE_LETTER)
"""The others are much alike in most cases: they are looked at in the sweep."""
ONE_SHEET: Final = {D.SECURITY_LETTER, D.BILLING_STATEMENT, D.CANCELLATION_NOTICE}


def rows_of(facts: DocumentFacts) -> list[str]:
    coverages = facts.offer.coverages if facts.offer else ()
    forms = chain(facts.forms.quote, facts.forms.binder, facts.forms.policy)
    return [typographic(coverage.coverage_name) for coverage in coverages] + [
        form.form_number for form in forms
    ]


@pytest.mark.parametrize("name", COMPANIES)
def test_no_page_of_the_gallery_is_torn_badly(name: str) -> None:
    found: list[str] = []
    for kind, facts in COMPANIES[name].documents():
        if not SWEEP and kind not in LOOKED_AT:
            continue
        pdf = render(kind, facts)
        # Among many options the names of coverages take two lines, which cannot be counted as rows.
        rows = () if name == "B" and kind is D.COMPARISON else rows_of(facts)
        found += [f"{kind}: {flaw}" for flaw in flaws(pdf, rows=rows)]
        # The longest name there is takes the room of a second sheet.
        if name != "A" and kind in ONE_SHEET and len(pages_of_lines(pdf)) > 1:
            found.append(f"{kind} takes more than one sheet")

    assert found == []
