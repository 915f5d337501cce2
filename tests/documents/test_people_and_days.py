"""Whom papers name, and which days they tell, where the service knows more than the request says."""

from dataclasses import replace
from datetime import date
from typing import Final

import pytest

from bindery.contract.documents import DocumentType
from bindery.contract.vocabulary import InsuranceProduct
from bindery.documents import render
from bindery.domain.scan.first_seen import FirstSeen
from documents.cases import facts_of
from documents.reading import plain_facts, text_of
from documents.review_cases import case, located, read

D = DocumentType
P = InsuranceProduct
NAMED: Final = "Bo Broker, broker@example.com"
WITH_BROKER: Final = {
    D.QUOTE_LETTER: ("Your broker is", "Broker"),
    D.BINDER: ("Broker of record", "15. Broker of record"),
    D.POLICY: ("15. Broker of record", "Broker"),
    D.APPLICATION: ("Broker",),
    D.BILLING_STATEMENT: ("in care of the broker,",),
    D.CERTIFICATE: ("Broker",),
    D.CANCELLATION_NOTICE: ("Broker",),
    D.LAPSE_NOTICE: ("Ask your broker,", "Broker"),
    D.REINSTATEMENT_NOTICE: ("Broker",),
}


@pytest.mark.parametrize("kind", WITH_BROKER)
def test_the_broker_is_named_where_the_service_knows_the_name(kind: D) -> None:
    facts = plain_facts(kind, P.CYB)

    unnamed = text_of(render(kind, facts))
    named = text_of(render(kind, replace(facts, broker_name="Bo Broker")))

    for label in WITH_BROKER[kind]:
        assert f"{label} broker@example.com" in unnamed
        assert f"{label} {NAMED}" in named
    assert "Bo Broker" not in unnamed


def test_florida_has_the_name_of_the_producer_in_print() -> None:
    facts = replace(facts_of(P.CYB, lambda body: located(body, "FL")), broker_name="Bo Broker")

    assert f"{NAMED} Producer, name in print" in text_of(render(D.APPLICATION, facts))


def test_a_report_says_since_when_each_finding_is_known() -> None:
    facts = facts_of()
    assert facts.scan is not None
    known = FirstSeen("MAIL_SPF_PERMISSIVE", facts.scan.findings[0].host, date(2025, 11, 3))

    text = text_of(render(D.SECURITY_REPORT, replace(facts, scan=replace(facts.scan, first_seen=(known,)))))

    assert "MAIL_SPF_PERMISSIVE, first seen November 3, 2025" in text
    assert "HTTP_HSTS, first seen November 15, 2026" in text


def test_the_letter_to_a_consultancy_is_a_form_of_its_own() -> None:
    forms = [(form.form_number, form.title) for form in case("MPL bound").forms.binder]

    assert ("REC 0740 01 26", "Practice Letter") in forms
    assert "REC 0740 01 26 · Edition 01/2026" in read("MPL bound", D.SECURITY_LETTER)
    assert "SEC 0700 01 26 · Edition 01/2026" in read("CYB bound", D.SECURITY_LETTER)
    assert "Security Letter" not in read("MPL bound", D.BINDER)


def test_forms_that_stand_within_another_paper_carry_their_numbers_there() -> None:
    letter, application = read("E quoted", D.QUOTE_LETTER), read("E quoted", D.APPLICATION)

    assert "Form SLN 0800 01 26" in letter
    assert "form TRIA 0500 01 26, comes with the binder" in letter
    assert "Form SLN 0800 01 26" in application
    assert "Fraud warning Form FRD 0830 01 26" in application
    assert "TRIA 05" not in read("MPL", D.QUOTE_LETTER)
