"""The same of what comes with a bind, and small points of all papers."""

import msgspec
import pytest

from bindery.contract.documents import DocumentType
from bindery.contract.vocabulary import InsuranceProduct
from bindery.documents import render
from bindery.documents.wording import typographic
from bindery.domain.applicant.us_states import state_names
from bindery.domain.documents.facts import DocumentFacts
from bindery.domain.documents.forms import FormKind, state_notice
from documents.cases import Body, facts_of
from documents.reading import text_of
from documents.review_cases import CASES, SCRIPTS, answered, case, kinds_of, located, read

D = DocumentType
P = InsuranceProduct


def test_the_terrorism_form_is_unmarked_priced_and_can_be_returned_in_time() -> None:
    text = read("CYB bound", D.BINDER_TRIA)

    assert "✓" not in text
    assert "Certified acts of terrorism 1% $16.70" in text
    assert "through your broker, broker@example.com, by December 15, 2026" in text
    assert "by December 15, 2026: coverage for certified acts is then removed" in text
    assert "before the policy is issued" not in text
    assert "Your policy runs to December 1, 2028, beyond that day." in read("R CYB issued", D.BINDER_TRIA)
    assert "beyond that day" not in text
    assert "1% of the cyber part, $1,703.00 $17.03" in read("D", D.BINDER_TRIA)


ALERTS = [
    {"email": "ciso@harborlight.example", "contact_roles": ["security_alerts"]},
    {"email": "a,b@harborlight.example", "contact_roles": ["security_alerts"]},
]


def test_the_security_letter_says_how_often_we_look_and_names_those_who_get_the_mail() -> None:
    bound = case("CYB bound").binding

    named = text_of(
        render(
            D.SECURITY_LETTER,
            facts_of(change=lambda body: body["client"].update(additional_contacts=ALERTS), binding=bound),
        )
    )
    main = text_of(render(D.SECURITY_LETTER, facts_of(binding=bound)))

    promise = "While coverage is in force we check your domains every 30 days, and write to these people when"
    assert promise in named
    assert promise in main
    assert "ciso@harborlight.example" in named
    assert "a,b@harborlight.example" not in named
    assert "ann@harborlight.example" not in named
    assert "ann@harborlight.example" in main


def test_the_security_letter_promises_no_look_at_domains_that_nobody_named() -> None:
    def no_domain(body: Body) -> None:
        body["client"]["domains"] = []
        answered(body, Q2134=False)

    text = text_of(render(D.SECURITY_LETTER, facts_of(change=no_domain, binding=case("CYB bound").binding)))

    assert "We have no domain of yours to check while coverage is in force." in text
    assert "every 30 days" not in text


def test_the_letter_to_a_consultancy_speaks_of_its_practice() -> None:
    text = read("MPL bound", D.SECURITY_LETTER)

    assert "Your practice and your insurance" in text
    for alien in ("what we saw", "attacker", "machines", "off the network", "see something"):
        assert alien not in text


def test_what_is_to_be_signed_for_the_insurer_or_the_licensee_is_signed() -> None:
    text = read("D", D.POLICY)

    assert "has signed below" not in text
    assert "signs below. Lee Example Example Surplus Lines Brokers, LLC" in text
    assert "Lee Example" in read("D", D.BINDER)
    assert "Lee Example" in text[text.index("Signatures In witness") :]
    endorsements = [form for form in case("D").forms.policy if form.kind is FormKind.ENDORSEMENT]
    # Each of them, the declarations and the page of signatures, where the name stands in print too.
    assert text.count("Pat Specimen") == len(endorsements) + 3


def test_a_conditional_binder_says_one_thing_about_its_end() -> None:
    binder, bill = read("A bound", D.BINDER), read("A bound", D.BILLING_STATEMENT)

    assert "treated as never having been in force: no premium is charged" in binder
    assert "If it is canceled while it is in force, premium is charged for the days in force" in binder
    assert "lapses at the end of December 15, 2026" in bill
    assert "nothing is due and any amount paid is refunded in full" in bill


@pytest.mark.parametrize("name", ["C issued", "D", "E"])
def test_nothing_received_is_listed_as_owed(name: str) -> None:
    binder, letter = read(name, D.BINDER), read(name, D.SECURITY_LETTER)

    assert "Coverage is bound without conditions" in binder
    assert "What is still owed" not in binder
    assert "(received)" not in binder + letter
    assert "is owed." in letter


@pytest.mark.parametrize("name", ["D", "E", "B bound"])
def test_a_name_that_ends_in_a_stop_has_one_stop(name: str) -> None:
    for kind in kinds_of(name):
        assert "Inc.." not in read(name, kind)


def test_checks_that_passed_are_said_to_be_in_order() -> None:
    text = read("F", D.SECURITY_REPORT)

    assert "Checked and in order" in text
    assert "SPF record is there" in text
    assert "No SPF record although" not in text
    assert "LOW Good housekeeping" in read("CYB", D.SECURITY_REPORT)


def test_florida_and_the_states_of_complaints_get_what_they_ask_for() -> None:
    florida = text_of(render(D.APPLICATION, facts_of(P.CYB, lambda body: located(body, "FL"))))

    assert typographic("Producer's license number") in florida
    assert "Department California Department of Insurance" in read("E", D.POLICY)
    assert typographic("Producer's license number") not in read("E", D.APPLICATION)


def test_legends_are_american_and_fit_the_district() -> None:
    for state in state_names():
        said = " ".join(state_notice(state, edition="2026.1").paragraphs)
        assert "authorised" not in said
        assert "that has issued" not in said
    district = state_notice("DC", edition="2026.1").paragraphs[0]
    assert "not licensed in the District of Columbia" in district
    assert "of the state" not in district
    assert "The District of Columbia Department of Insurance" in district


def test_small_wrongs_are_put_right() -> None:
    quoted, applied, bill = (
        read("H", D.QUOTE_LETTER),
        read("F", D.QUOTE_LETTER),
        read("E", D.BILLING_STATEMENT),
    )

    assert "before the bind (" not in quoted
    assert "Dear applicant," in applied
    assert "local time there" not in read("E", D.POLICY)
    assert typographic("insured's share") not in read("TEO", D.QUOTE_LETTER)
    assert "20% borne by the insured" in read("TEO", D.QUOTE_LETTER)
    assert "ERP" not in read("MPL", D.QUOTE_LETTER).replace("ERP 2040", "")
    assert "for professional liability" not in read("E", D.POLICY)
    assert "Terrorism Risk Insurance Act" not in read("C issued", D.POLICY)
    assert "Check payable and sent to Example Surplus Lines Brokers, LLC 300 Specimen Plaza" in bill
    assert "Amount enclosed" in bill


def test_the_least_that_is_earned_is_billed_in_whole_dollars() -> None:
    facts = case("CYB bound")
    assert facts.offer is not None

    assert "At least 25% of the premium, $418.00, is earned" in read("CYB bound", D.BILLING_STATEMENT)


def test_contacts_for_notices_are_printed() -> None:
    def with_contacts(body: dict[str, object]) -> None:
        client = body["client"]
        assert isinstance(client, dict)
        client["additional_contacts"] = [
            {"email": "office@harborlight.example", "contact_roles": ["policy_notices"]}
        ]

    text = text_of(render(D.APPLICATION, facts_of(P.CYB, with_contacts)))

    assert "Policy notices office@harborlight.example" in text


def test_answers_have_one_format_for_money_and_dates() -> None:
    assert "$400,000" in read("TEO", D.APPLICATION)
    assert "$400,000.00" not in read("TEO", D.APPLICATION)
    assert "January 1, 2015" in read("C", D.APPLICATION)
    assert "2015-01-01" not in read("C", D.APPLICATION)


def test_an_answer_in_part_denies_the_rest() -> None:
    def engaged(body: dict[str, object]) -> None:
        answered(body, Q2244=["Gambling"])

    text = text_of(render(D.APPLICATION, facts_of(P.CYB, engaged)))

    assert "Not these: Adult Content; Cannabis" in text


@pytest.mark.parametrize(
    "name",
    [
        name if name in {"E", "C issued", "R CYB issued"} else pytest.param(name, marks=pytest.mark.long)
        for name in CASES
        if name.startswith(("R ", "E", "C issued"))
    ],
)
def test_facts_frozen_before_papers_showed_this_still_make_every_paper(name: str) -> None:
    stored = msgspec.json.decode(msgspec.json.encode(case(name)))
    for added in ("renewal", "notice_contacts", "broker_name", "broker_firm"):
        del stored[added]
    for added in ("face", "at_application", "acknowledged"):
        del stored["notice"][added]

    old = msgspec.convert(stored, DocumentFacts, strict=False)

    assert old.renewal is None
    for kind in kinds_of(name):
        assert render(kind, old).startswith(b"%PDF-")


def test_names_in_many_scripts_stay_as_they_are() -> None:
    assert SCRIPTS.split()[0] in read("B", D.QUOTE_LETTER)
