"""What a state asks of the placement: notices to sign, the producer's record, and the facts behind them."""

import csv
import io
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from importlib.resources import files

import pikepdf
import pypdfium2
import pytest

from bindery.contract.documents import DocumentType
from bindery.contract.vocabulary import InsuranceProduct
from bindery.documents import render
from bindery.domain.applicant.us_states import state_names
from bindery.domain.documents.facts import DocumentFacts, PacketForms
from bindery.domain.documents.forms import ANY_OTHER_STATE, placement_facts, state_notice
from documents.cases import Body, facts_of
from documents.reading import text_of
from documents.review_cases import CONDITIONAL, ISSUED, case, made, read

D = DocumentType
P = InsuranceProduct


def rows_of(folder: str) -> list[dict[str, str]]:
    text = files("bindery").joinpath("data", folder, "2026.1.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(io.StringIO(text)))


@cache
def bound_in(state: str) -> DocumentFacts:
    def moved(body: Body) -> None:
        body["client"]["address"] |= {"state": state}

    return facts_of(P.CYB, moved, binding=CONDITIONAL)


@cache
def binder_of(state: str) -> str:
    return text_of(render(D.BINDER, bound_in(state)))


def fields_of(pdf: bytes) -> Iterator[str]:
    with pikepdf.open(io.BytesIO(pdf)) as opened:
        yield from (str(field.T) for field in opened.Root.AcroForm.Fields)


@pytest.mark.parametrize("folder", ["placement", "notices"])
def test_every_fact_of_a_state_has_its_source_and_confidence(folder: str) -> None:
    for row in rows_of(folder):
        assert row["source"], row
        assert row["confidence"] in {"high", "medium", "low"}, row
        assert row["state"] in {ANY_OTHER_STATE, *state_names()}, row


@pytest.mark.parametrize("state", sorted(state_names()))
def test_every_state_has_its_regulator_search_and_filing(state: str) -> None:
    facts = placement_facts(state, edition="2026.1")

    assert {"regulator", "effort", "declinations", "exempt", "filing"} <= set(facts)
    assert not any("{" in facts[fact] for fact in ("regulator", "effort", "filing"))


def test_a_state_without_a_rule_on_file_is_unknown_and_not_exempt() -> None:
    assert "is not on file here: check its rule" in placement_facts("DC", edition="2026.1")["effort"]
    assert placement_facts("DC", edition="2026.1")["declinations"] == "3"


def test_a_legend_names_the_regulator_of_its_state() -> None:
    assert (
        "The Maine Bureau of Insurance has not reviewed" in state_notice("ME", edition="2026.1").paragraphs[0]
    )
    assert (
        "no guaranty association of the District of Columbia will pay claims"
        in (state_notice("DC", edition="2026.1").paragraphs[0])
    )


def test_the_legend_of_illinois_holds_no_instruction_to_who_drafts_it() -> None:
    (legend,) = state_notice("IL", edition="2026.1").paragraphs

    assert legend.endswith(
        "not authorized to do business in Illinois. It is not protected by the Illinois guaranty fund."
    )


def test_california_asks_for_a_signature_for_its_notice_alone() -> None:
    text = read("E quoted", D.APPLICATION)

    assert "call the California Department of Insurance at 1-800-927-4357" in text
    assert "you may cancel the policy within five days of receiving the notice" in text
    assert "I have received and read this notice before the insurance was bound." in text
    assert {"disclosure_signature", "disclosure_date"} < set(fields_of(made("E quoted", D.APPLICATION)))
    assert "I have received and read this notice" not in read("CYB", D.APPLICATION)


def test_a_notice_frozen_before_it_was_signed_for_has_no_line_to_sign() -> None:
    facts = case("E quoted")
    old = replace(facts, notice=replace(facts.notice, acknowledged=False))

    assert set(fields_of(render(D.APPLICATION, old))) == {"signature", "date", "name", "title"}


def test_new_york_has_its_notice_its_agreement_on_the_fee_and_a_place_for_the_stamp() -> None:
    text = binder_of("NY")
    offer = bound_in("NY").offer
    assert offer is not None

    assert "New York Notice of Excess Line Placement and Fee Agreement" in text
    assert "placed by Example Surplus Lines Brokers, LLC with an insurer that is not authorized" in text
    assert f"Total cost ${offer.total:,.2f} Agreement I agree to pay the total cost shown above" in text
    assert "Stamp of the Excess Line Association of New York" in text
    assert "Stamp of the Excess Line Association of New York" in text_of(
        render(D.POLICY, replace(bound_in("NY"), binding=ISSUED))
    )
    assert "New York Notice of Excess Line Placement and Fee Agreement this binder" in text
    assert "Excess Line" not in binder_of("NJ")


def test_new_jersey_has_a_place_for_its_transaction_number_on_the_declarations_and_the_record() -> None:
    declared = text_of(render(D.POLICY, replace(bound_in("NJ"), binding=ISSUED)))

    assert "New Jersey transaction number, assigned by the surplus lines licensee" in declared
    assert "transaction" in set(fields_of(render(D.BINDER, bound_in("NJ"))))
    assert "transaction number" not in binder_of("NY")


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ("NJ", "declined the risk first. A risk on the list of exportable coverages is exempt."),
        ("NY", "Three insurers authorized in New York"),
        ("LA", "Louisiana asks for no search among authorized insurers."),
        ("DC", "What the District of Columbia asks, and which risks it exempts, is not on file here"),
    ],
)
def test_the_last_page_of_a_binder_is_the_record_of_the_producer(state: str, said: str) -> None:
    pdf = render(D.BINDER, bound_in(state))
    last = list(pypdfium2.PdfDocument(pdf))[-1].get_textpage().get_text_range()

    assert f"Surplus Lines Placement Record: {state_names()[state]}" in last
    assert "SLP 0850 01 26" in last
    assert said in " ".join(last.split())
    assert {"producer_signature", "producer_license"} < set(fields_of(pdf))
    assert ("declined_3_day" in set(fields_of(pdf))) is (state != "LA")


@pytest.mark.parametrize(("state", "pages"), [("FL", 4), ("ID", 4), ("NJ", 4), ("NY", 5), ("TX", 4)])
def test_the_pages_of_the_placement_follow_a_binder_of_three_pages(state: str, pages: int) -> None:
    pdf = pypdfium2.PdfDocument(render(D.BINDER, bound_in(state)))
    first, _, third, *placement = [" ".join(page.get_textpage().get_text_range().split()) for page in pdf]

    assert len(pdf) == pages
    assert "Cancellation and end" in first
    assert "Forms of this binder and of the policy" in third
    assert "Surplus Lines Placement Record this binder" in third
    assert "Neglected Software Sliding Scale Exclusion (END 1030 01 26)" in third
    assert all("BND 0400" not in page for page in placement)


def test_a_binder_of_forms_frozen_before_the_record_has_none() -> None:
    facts = bound_in("NY")
    kept = tuple(form for form in facts.forms.binder if form.form_number[:3] not in {"SLP", "NYP"})
    old = replace(facts, forms=PacketForms(quote=facts.forms.quote, binder=kept, policy=facts.forms.policy))

    assert "Placement" not in text_of(render(D.BINDER, old))
