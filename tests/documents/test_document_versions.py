"""What later versions of documents print: what they replace, and what holds now."""

from dataclasses import replace
from datetime import date

import pytest

from bindery.contract.documents import DocumentType as D
from bindery.contract.vocabulary import ClosedAs, InsuranceProduct
from bindery.documents import render
from bindery.domain.documents.facts import DocumentFacts
from bindery.domain.documents.notices import as_noticed, notice_facts
from documents.cases import ISSUED, facts_of
from documents.later_cases import CANCELED, UNPAID
from documents.reading import plain_facts, text_of
from documents.review_cases import closed

CYB = InsuranceProduct.CYB


def read(kind: D, facts: DocumentFacts) -> str:
    return text_of(render(kind, facts))


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (D.QUOTE_LETTER, "Version 2, replaces the letter of November 12, 2026."),
        (D.COMPARISON, "Version 2, replaces the comparison of November 12, 2026."),
        (D.BINDER, "Version 2 of November 15, 2026, replaces the binder of November 12, 2026."),
        (D.BILLING_STATEMENT, "Version 2 of November 15, 2026, replaces the statement of November 12, 2026."),
        (D.SECURITY_LETTER, "Version 2 of November 15, 2026, replaces the letter of November 12, 2026."),
    ],
)
def test_a_later_version_says_what_it_replaces_and_the_first_does_not(kind: D, said: str) -> None:
    first = plain_facts(kind, CYB)

    assert said in read(kind, replace(first, version=2, replaces=date(2026, 11, 12)))
    assert "replaces the" not in read(kind, first).replace("replaces this binder", "")


def test_a_binder_of_an_issued_policy_is_not_in_draft() -> None:
    conditional, issued = (
        facts_of(CYB, binding=plain_facts(D.BINDER, CYB).binding),
        facts_of(CYB, binding=ISSUED),
    )

    assert "Declarations in draft" in read(D.BINDER, conditional)
    text = read(D.BINDER, closed(issued))
    assert "Policy CYB-26-0001234-7-00 was issued on November 21, 2026 and replaces this binder." in text
    assert "The policy has replaced this binder." in text
    assert "in draft" not in text
    assert "when that is issued" not in text


def test_the_bill_of_a_canceled_policy_does_not_ask_for_the_whole_total() -> None:
    facts = facts_of(CYB, binding=ISSUED)
    assert facts.offer is not None
    premium = facts.offer.premium
    ended = replace(ISSUED, canceled_from=date(2027, 3, 1), returned_premium=premium - 500)
    flat = replace(ISSUED, canceled_from=date(2026, 12, 1), returned_premium=premium)

    text = read(D.BILLING_STATEMENT, replace(facts, binding=ended))
    never_began = read(D.BILLING_STATEMENT, replace(facts, binding=flat))

    assert "Premium earned $500.00" in text
    assert f"Premium not earned \N{MINUS SIGN}${premium - 500:,}.00" in text
    assert "only the earned premium and the taxes and fees on it are due" in text
    assert "Nothing is due" in never_began
    for told in (text, never_began):
        assert "Total due" not in told
        assert "Remittance slip" not in told
    assert "Total due" in read(D.BILLING_STATEMENT, facts)


def test_the_bill_of_a_policy_that_was_not_paid_asks_for_what_its_notice_says() -> None:
    facts = facts_of(CYB, binding=replace(ISSUED, canceled_from=UNPAID.effective))
    assert facts.binding is not None
    noticed = replace(facts, binding=as_noticed(facts.binding, UNPAID))
    returned = replace(facts, binding=as_noticed(facts.binding, CANCELED))

    bill, notice = (
        read(D.BILLING_STATEMENT, noticed),
        read(D.CANCELLATION_NOTICE, notice_facts(facts, UNPAID)),
    )

    assert "TOTAL DUE $877.99" in bill
    assert "Premium earned $833.00" in bill
    assert "Premium not earned \N{MINUS SIGN}$837.00" in bill
    assert "with the taxes and fees on it: $877.99." in bill
    assert "We will refund" not in bill
    assert "$877.99" in notice
    assert "Of the taxes and fees of $70.10, $44.99 belongs to the earned premium" in read(
        D.BILLING_STATEMENT, returned
    )
    other_day = replace(facts.binding, canceled_from=date(2027, 3, 1))
    assert as_noticed(other_day, UNPAID) == other_day
    assert as_noticed(facts.binding, None) == facts.binding


def test_a_policy_says_that_a_signed_copy_is_on_file_only_if_one_is() -> None:
    signed = closed(facts_of(CYB, binding=ISSUED))

    assert read(D.POLICY, signed).count("The signed copy is on file with us.") == 2
    text = read(D.POLICY, replace(signed, is_signature_on_file=False))
    assert "on file with us" not in text
    assert "which was signed" not in text


def test_what_was_waived_is_not_said_to_be_received() -> None:
    open_ = plain_facts(D.QUOTE_LETTER, CYB)
    waived = tuple(replace(owed, closed_as=ClosedAs.WAIVED) for owed in closed(open_).contingencies)

    assert "Received already" in read(D.QUOTE_LETTER, closed(open_))
    assert "Received already" not in read(D.QUOTE_LETTER, replace(open_, contingencies=waived))
