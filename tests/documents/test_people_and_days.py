"""Who documents name, and which days they tell, where the service knows more than the request says."""

from dataclasses import replace
from datetime import date
from typing import Any, Final

import pytest

from bindery.contract.documents import DocumentType
from bindery.contract.vocabulary import InsuranceProduct
from bindery.documents import render
from bindery.domain.scan.checks import finding_of
from bindery.domain.scan.scan import FirstSeen
from documents.cases import facts_of, scan_of
from documents.measuring import pages_of_lines
from documents.reading import plain_document, plain_facts, text_of
from documents.review_cases import case, located, made, read

D = DocumentType
P = InsuranceProduct
NAMED: Final = "Bo Broker, broker@example.com"
FIRM: Final = "Harbor Row Insurance Brokers"
HOSTS: Final = [f"name-{number:03}.division-{number % 7}.orchards.example" for number in range(40)]
WITH_BROKER: Final = {
    D.QUOTE_LETTER: ("Your broker is",),
    D.BINDER: ("Broker of record", "15. Broker of record"),
    D.POLICY: ("15. Broker of record", "Broker"),
    D.APPLICATION: ("Broker",),
    D.BILLING_STATEMENT: ("in care of the broker,",),
    D.CERTIFICATE: ("Broker",),
    D.CANCELLATION_NOTICE: ("Broker",),
    D.LAPSE_NOTICE: ("Ask your broker,", "Broker"),
    D.REINSTATEMENT_NOTICE: ("Broker",),
    D.NONRENEWAL_NOTICE: ("Broker",),
    D.COMPARISON: ("Broker:",),
}


@pytest.mark.parametrize("kind", WITH_BROKER)
def test_the_broker_is_named_where_the_service_knows_the_name_and_the_firm(kind: D) -> None:
    facts = plain_facts(kind, P.CYB)

    unnamed = text_of(plain_document(kind, P.CYB))
    named = text_of(render(kind, replace(facts, broker_name="Bo Broker")))
    at_a_firm = text_of(render(kind, replace(facts, broker_name="Bo Broker", broker_firm=FIRM)))
    firm_alone = text_of(render(kind, replace(facts, broker_firm=FIRM)))

    for label in WITH_BROKER[kind]:
        assert f"{label} broker@example.com" in unnamed
        assert f"{label} {NAMED}" in named
        assert f"{label} Bo Broker, {FIRM}, broker@example.com" in at_a_firm
        assert f"{label} {FIRM}, broker@example.com" in firm_alone
    assert "Bo Broker" not in unnamed


def test_florida_has_the_name_of_the_producer_in_print() -> None:
    facts = replace(facts_of(P.CYB, lambda body: located(body, "FL")), broker_name="Bo Broker")

    assert f"{NAMED} Producer, printed name" in text_of(render(D.APPLICATION, facts))


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

    assert "(form SLN 0800 01 26)" in letter
    assert "on the notice that comes with the binder, form TRIA 0500 01 26" in letter
    assert "Form SLN 0800 01 26" in application
    assert "Form FRD 0830 01 26" in application
    assert "TRIA 05" not in read("MPL", D.QUOTE_LETTER)


def test_only_who_is_scanned_consents_to_a_scan() -> None:
    assert "authorizes a non-intrusive look" in read("CYB", D.APPLICATION)
    assert "authorizes a non-intrusive look" not in read("MPL", D.APPLICATION)


@pytest.mark.parametrize("name", ["CYB", "F", "E quoted", "MPL", "TEO"])
def test_no_break_parts_one_or_two_questions_from_the_rest(name: str) -> None:
    rows = tuple(question.id for question in case(name).questions)

    pages = pages_of_lines(made(name, D.APPLICATION))

    counted = [sum(line.startswith(rows) for line in page.lines) for page in pages]
    assert all(count >= 3 for count in counted if count)


def test_the_names_of_hosts_stay_on_one_line() -> None:
    def many(body: dict[str, Any]) -> None:
        body["client"]["domains"] = HOSTS

    found = [finding_of("HTTP_HSTS", host=host, evidence="no header") for host in HOSTS[:20]]
    pages = pages_of_lines(render(D.SECURITY_REPORT, facts_of(P.CYB, many, scan=scan_of(found, HOSTS))))

    lines = [line for page in pages for line in page.lines]
    assert all(any(host in line for line in lines) for host in HOSTS[:20])
    assert not any(line.endswith(("name-", "division-")) for line in lines)


def test_recommendations_name_hosts_on_one_line() -> None:
    found = [finding_of("HTTP_HSTS", host=host, evidence="no header") for host in HOSTS[:5]]
    pages = pages_of_lines(render(D.RECOMMENDATIONS, facts_of(scan=scan_of(found, HOSTS))))

    lines = [line for page in pages for line in page.lines]
    assert all(any(host in line for line in lines) for host in HOSTS[:5])


@pytest.mark.parametrize(
    ("left_out", "said"),
    [
        (0, "all 40 domains: no header"),
        (1, f"all 40 domains but {HOSTS[39]}: no header"),
        (2, f"all 40 domains but {HOSTS[38]} and {HOSTS[39]}: no header"),
        (3, f"{HOSTS[35]}, {HOSTS[36]}: no header"),
    ],
)
def test_a_finding_on_nearly_all_domains_names_the_others(left_out: int, said: str) -> None:
    found = [
        finding_of("HTTP_HSTS", host=host, evidence="no header") for host in HOSTS[: len(HOSTS) - left_out]
    ]

    text = text_of(render(D.SECURITY_REPORT, facts_of(scan=scan_of(found, HOSTS))))

    assert said in text


def test_findings_on_many_hosts_leave_no_page_half_empty() -> None:
    checks = ("HTTP_HSTS", "DNS_CAA", "HTTP_EOL", "MAIL_DMARC_NONE", "MAIL_SPF_PERMISSIVE")
    found = [finding_of(check, host=host, evidence="seen") for check in checks for host in HOSTS[:30]]

    pages = pages_of_lines(render(D.SECURITY_REPORT, facts_of(scan=scan_of(found, HOSTS))))

    assert len(pages) <= 4
    assert all(page.filled > 0.6 for page in pages[:-1])


def test_the_application_of_a_renewal_on_signed_answers_asks_for_no_signature() -> None:
    renewal = read("R CYB", D.APPLICATION)

    assert "this application does not need to be signed for the renewal" in renewal
    assert "have the application signed" not in renewal
    assert "No signature is needed The answers above were signed with the application of quote" in renewal
    assert "Signature of an authorized officer" not in renewal
    assert "have the application signed" in read("CYB", D.APPLICATION)
