"""Page breaks, measured over states and products; `LAYOUT_SWEEP=all` makes every paper of every state."""

import os
from itertools import product as every
from typing import Any, Final

import pytest

from bindery.contract.documents import DocumentType
from bindery.contract.vocabulary import InsuranceProduct
from bindery.documents import render
from bindery.documents.wording import typographic
from bindery.domain.applicant.us_states import state_names
from bindery.domain.documents.facts import DocumentFacts
from documents.cases import facts_of
from documents.measuring import flaws, pages_of_lines
from documents.review_cases import CASES, CONDITIONAL, ISSUED, case, kinds_of, made

pytestmark = pytest.mark.long

D = DocumentType
P = InsuranceProduct
KINDS: Final = (D.QUOTE_LETTER, D.BINDER, D.APPLICATION, D.POLICY, D.BILLING_STATEMENT, D.SECURITY_LETTER)
SAMPLED: Final = (D.QUOTE_LETTER, D.BINDER, D.APPLICATION)
SWEEP: Final = os.environ.get("LAYOUT_SWEEP") == "all"


def rows_of(facts: DocumentFacts) -> list[str]:
    coverages = facts.offer.coverages if facts.offer else ()
    forms = (*facts.forms.quote, *facts.forms.binder, *facts.forms.policy)
    return [typographic(coverage.coverage_name) for coverage in coverages] + [
        form.form_number for form in forms
    ]


def in_state(state: str, product: P, kind: D) -> DocumentFacts:
    def moved(body: dict[str, Any]) -> None:
        body["client"]["address"] |= {"state": state}

    return facts_of(product, moved, binding=ISSUED if kind is D.POLICY else CONDITIONAL)


def papers_of_states() -> list[tuple[str, P, D]]:
    """Every state with one product and one paper in turn, or with all of them."""
    if SWEEP:
        return list(every(state_names(), P, KINDS))
    pairs = list(every(P, SAMPLED))
    return [(state, *pairs[place % len(pairs)]) for place, state in enumerate(state_names())]


@pytest.mark.long
def test_papers_of_every_state_break_where_they_may() -> None:
    found: list[str] = []
    for state, product, kind in papers_of_states():
        facts = in_state(state, product, kind)
        found += [
            f"{state} {product} {kind}: {flaw}" for flaw in flaws(render(kind, facts), rows=rows_of(facts))
        ]

    assert found == []


@pytest.mark.parametrize(
    "name", [name for name in CASES if SWEEP or name in {"A bound", "C issued", "R TEO"}]
)
def test_papers_of_the_cases_break_where_they_may(name: str) -> None:
    rows = rows_of(case(name))

    found = [f"{kind}: {flaw}" for kind in kinds_of(name) for flaw in flaws(made(name, kind), rows=rows)]

    assert found == []


@pytest.mark.parametrize("kind", [D.BILLING_STATEMENT, D.SECURITY_LETTER, D.BINDER_TRIA])
def test_what_is_read_at_a_glance_stands_on_one_page(kind: D) -> None:
    assert len(pages_of_lines(made("CYB bound", kind))) == 1
    assert len(pages_of_lines(made("MPL bound", kind))) == 1


def test_a_report_of_75_domains_has_one_row_for_a_finding() -> None:
    pages = pages_of_lines(made("A", D.SECURITY_REPORT))

    assert len(pages) <= 6
    assert sum(line.count("all 75 domains") for page in pages for line in page.lines) > 30
