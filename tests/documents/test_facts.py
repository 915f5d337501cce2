from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import msgspec
import pytest

from bindery.contract.documents import DocumentType, PacketType
from bindery.contract.vocabulary import InsuranceProduct, QuoteStatus
from bindery.domain.applicant.us_states import state_names
from bindery.domain.documents.building import printed_answer
from bindery.domain.documents.facts import DocumentFacts
from bindery.domain.documents.forms import FORMS, FormReason, state_notice
from bindery.domain.rating.surcharges import Surcharge
from bindery.domain.scan.checks import finding_of
from bindery.domain.scan.scan import ScanOutcome, ScanResult, Severity
from documents.cases import BOUND, ISSUED, facts_of, scan_of, weak_scan

P = InsuranceProduct
EDITION = FORMS.named("2026.1")


def numbers(facts: DocumentFacts, packet: PacketType) -> list[str]:
    return [form.form_number[:-6] for form in facts.forms.of(packet)]


def test_facts_hold_what_was_priced() -> None:
    facts = facts_of(P.TEO)

    assert facts.offer is not None
    assert facts.offer.premium == 5_367
    assert facts.offer.terrorism == Decimal("17.03")
    assert facts.offer.total == Decimal("5548.01")
    assert facts.offer.tariff_edition == "2026.1"
    assert facts.period.retroactive == date(2024, 3, 1)
    assert facts.valid_until == date(2027, 1, 14)


@pytest.mark.parametrize(
    "status", [QuoteStatus.QUOTE_REFERRED, QuoteStatus.STALE, QuoteStatus.QUOTE_DECLINED]
)
def test_a_quote_without_a_persons_price_makes_no_offer(status: QuoteStatus) -> None:
    facts = facts_of(status=status)

    assert facts.offer is None
    assert facts.questions


def test_facts_survive_being_written_down() -> None:
    facts = facts_of(P.MPL, binding=ISSUED)

    assert msgspec.json.decode(msgspec.json.encode(facts), type=DocumentFacts) == facts


def test_addresses_contacts_and_industry_are_words() -> None:
    def furnished(body: dict[str, Any]) -> None:
        body["client"]["dba"] = " Harborlight "
        body["client"]["address"]["street2"] = "Suite 400"
        body["client"]["additional_contacts"] = [
            {"email": "it@harborlight.example", "contact_roles": ["security_alerts", "policy_notices"]},
            {"email": "office@harborlight.example", "contact_roles": ["policy_notices"]},
        ]

    facts = facts_of(P.CYB, furnished)

    assert facts.insured.trade_name == "Harborlight"
    assert facts.insured.address_lines == ("1200 Market Street", "Suite 400", "Philadelphia, PA 19107")
    assert facts.insured.industry == "311812 Commercial Bakeries"
    assert facts.contact is not None
    assert facts.contact.name == "Ann Example"
    assert [contact.email for contact in facts.alert_contacts] == ["it@harborlight.example"]


def test_a_bind_is_conditional_until_the_policy_is_issued() -> None:
    assert not facts_of().conditional
    assert facts_of().policy_number is None
    assert facts_of(binding=BOUND).conditional
    assert not facts_of(binding=ISSUED).conditional
    assert not facts_of(binding=replace(BOUND, fulfil_by=None)).conditional
    assert not facts_of(binding=replace(ISSUED, fulfil_by=BOUND.fulfil_by)).conditional
    assert facts_of(binding=ISSUED).policy_number == "CYB-26-0001234-7-00"


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        (True, "Yes"),
        (False, "No"),
        (1_200, "1,200"),
        (0, "0"),
        (Decimal(400_000), "$400,000.00"),
        (date(2026, 2, 3), "2026-02-03"),
        (("one", "two"), "one\ntwo"),
        ("as it is", "as it is"),
        ("", None),
        ((), None),
        (None, None),
    ],
)
def test_answers_are_printed_for_people(value: Any, printed: str | None) -> None:
    assert printed_answer(value) == printed


def test_every_document_has_one_form_for_every_product() -> None:
    missing = {(DocumentType.SECURITY_REPORT, P.MPL)}

    for document in DocumentType:
        for product in P:
            own = [form for form in EDITION.forms if form.document is document and product in form.products]
            assert len(own) == (0 if (document, product) in missing else 1), (document, product)


def test_form_numbers_end_in_their_edition_and_stand_once() -> None:
    forms = EDITION.forms

    assert len({form.form_number for form in forms}) == len(forms) == 43
    for form in forms:
        assert form.form_number.endswith(f" {form.edition_date:%m %y}")
        assert form.edition_date.day == 1


def test_the_packets_of_a_plain_cyber_quote() -> None:
    facts = facts_of(P.CYB, scan=scan_of([], ["clean.example.com"]))

    assert numbers(facts, PacketType.QUOTE) == [
        "QL 0001", "CYB P 200", "CYB A 300", "SLN 0800", "FRD 0830", "SEC 0710", "SEC 0720",
    ]  # fmt: skip
    assert numbers(facts, PacketType.BINDER) == [
        "BND 0400", "CYB D 100", "TRIA 0500", "SLN 0800", "SLP 0850", "BIL 0600", "SEC 0700",
    ]  # fmt: skip
    assert numbers(facts, PacketType.POLICY) == [
        "CYB D 100", "CYB P 200", "CYB A 300", "END 1010", "ERP 2040", "SOS 0820", "TRIA 0501", "SLN 0800",
        "OFAC 0810",
    ]  # fmt: skip


def test_the_packets_of_professional_liability_have_no_terrorism_disclosure() -> None:
    facts = facts_of(P.MPL)

    assert numbers(facts, PacketType.QUOTE) == [
        "QL 0001", "MPL P 200", "MPL A 300", "SLN 0800", "FRD 0830", "REC 0730",
    ]  # fmt: skip
    assert "TRIA 0520" in numbers(facts, PacketType.BINDER)
    assert "END 2030" in numbers(facts, PacketType.POLICY)


def test_unsupported_software_attaches_its_endorsement() -> None:
    assert "END 1030" in numbers(facts_of(P.CYB, scan=weak_scan()), PacketType.POLICY)
    assert "END 1030" not in numbers(facts_of(P.CYB, scan=scan_of([], ["a.example.com"])), PacketType.POLICY)


def test_no_mfa_on_remote_access_attaches_the_ransomware_endorsement() -> None:
    def without_mfa(body: dict[str, Any]) -> None:
        next(asked for asked in body["questions"] if asked["id"] == "Q2301")["value"] = False

    assert "END 1020" in numbers(facts_of(P.CYB, without_mfa), PacketType.POLICY)
    assert "END 1020" not in numbers(facts_of(P.CYB), PacketType.POLICY)


@pytest.mark.parametrize(("limit", "attached"), [(250_000, False), (500_000, True)])
def test_a_social_engineering_limit_above_100_000_asks_for_a_call_back(limit: int, attached: bool) -> None:
    def limited(body: dict[str, Any]) -> None:
        body["policy"]["quotes"] = [{"aggregate_limit": limit}]

    assert ("END 1010" in numbers(facts_of(P.CYB, limited), PacketType.POLICY)) is attached


@pytest.mark.parametrize(("employees", "attached"), [(50, False), (51, True)])
def test_larger_firms_in_illinois_go_without_wrongful_collection(employees: int, attached: bool) -> None:
    def in_illinois(body: dict[str, Any]) -> None:
        body["client"]["address"] |= {"city": "Chicago", "zip": "60601", "state": "IL"}
        next(asked for asked in body["questions"] if asked["id"] == "Q2314")["value"] = employees

    facts = facts_of(P.CYB, in_illinois)

    assert ("END 1050" in numbers(facts, PacketType.POLICY)) is attached
    assert "CMP 0840" in numbers(facts, PacketType.POLICY)


@pytest.mark.parametrize(("day", "attached"), [("2026-12-01", False), ("2026-11-30", True)])
def test_an_earlier_retroactive_date_is_endorsed(day: str, attached: bool) -> None:
    def reaching_back(body: dict[str, Any]) -> None:
        body["policy"]["dates"]["teo_retroactive_date"] = day

    assert ("END 2010" in numbers(facts_of(P.TEO, reaching_back), PacketType.POLICY)) is attached


def test_only_some_states_have_a_notice_on_complaints() -> None:
    of_state = {
        state: [form.form_number for form in EDITION.of_packet(PacketType.POLICY, P.CYB, state)]
        for state in ("CA", "PA")
    }

    assert "CMP 0840 01 26" in of_state["CA"]
    assert "CMP 0840 01 26" not in of_state["PA"]


def test_a_circumstance_attaches_only_to_its_products() -> None:
    forms = EDITION.of_packet(PacketType.POLICY, P.CYB, "PA", [FormReason.FULL_PRIOR_ACTS])

    assert forms == EDITION.of_packet(PacketType.POLICY, P.CYB, "PA")
    assert EDITION.of_document(DocumentType.BINDER_TRIA, P.MPL).form_number == "TRIA 0520 01 26"


def test_a_scan_that_collected_nothing_is_no_ground_for_a_report() -> None:
    nothing = ScanResult(
        outcome=ScanOutcome.NOTHING_COLLECTED,
        domains=("nowhere.example.com",),
        scanned_at=weak_scan().scanned_at,
        scanner="bindery-simulated 1",
    )

    facts = facts_of(P.CYB, scan=nothing)

    assert facts.scan is not None
    assert not facts.scan.has_report
    assert "SEC 0710" not in numbers(facts, PacketType.QUOTE)


def test_recommendations_stand_worst_first_and_name_each_check_once() -> None:
    scan = scan_of(
        [
            finding_of("HTTP_HSTS", host="a.example.com", evidence="none"),
            *(finding_of("RDP_OPEN", host=f"h{n}.example.com", evidence="port 3389") for n in range(7)),
        ],
        ["a.example.com"],
    )

    facts = facts_of(P.CYB, scan=scan)

    first = facts.recommendations[0]
    assert first.id == "RDP_OPEN"
    assert first.severity is Severity.CRITICAL
    assert first.seen.startswith("port 3389 (h0.example.com, h1.example.com,")
    assert first.seen.endswith(" and 2 more)")
    assert [recommendation.id for recommendation in facts.recommendations].count("RDP_OPEN") == 1


@pytest.mark.parametrize(
    ("question", "answer", "advice"),
    [("Q2301", False, "MFA_REMOTE"), ("Q2300", False, "MFA_MAIL"), ("Q2142", False, "BACKUPS_NONE")],
)
def test_a_weak_answer_brings_its_advice(question: str, answer: bool, advice: str) -> None:
    def answered(body: dict[str, Any]) -> None:
        next(asked for asked in body["questions"] if asked["id"] == question)["value"] = answer

    assert advice in [recommendation.id for recommendation in facts_of(P.CYB, answered).recommendations]
    assert advice not in [recommendation.id for recommendation in facts_of(P.CYB).recommendations]


def test_every_state_has_a_notice_in_words() -> None:
    tax = Surcharge("Surplus lines tax", Decimal("4.85"), Decimal("89.73"))
    fee = Surcharge("Stamping fee", Decimal(0), Decimal("20.00"))

    for state, name in state_names().items():
        notice = state_notice(state, (tax, fee), edition="2026.1")
        assert notice.state_name == name
        assert all(paragraph and "{" not in paragraph for paragraph in notice.paragraphs)
    texas = state_notice("TX", (tax, fee), edition="2026.1")
    assert texas.paragraphs[0].endswith("charges: Surplus lines tax 4.85%, Stamping fee $20.00.")


@pytest.mark.parametrize(
    ("state", "points", "bold", "capitals", "signed"),
    [
        ("PA", 10, False, False, False),
        ("NY", 10, True, False, False),
        ("ID", 12, True, False, True),
        ("FL", 14, False, False, False),
        ("WV", 10, False, True, False),
        ("LA", 10, False, False, True),
    ],
)
def test_notices_are_printed_as_their_state_wants_it(
    state: str, points: int, bold: bool, capitals: bool, signed: bool
) -> None:
    notice = state_notice(state, edition="2026.1")

    assert (notice.points, notice.bold, notice.capitals, notice.signed) == (points, bold, capitals, signed)


def test_a_state_without_a_notice_of_its_own_has_the_common_one_under_its_name() -> None:
    notice = state_notice("GA", edition="2026.1")

    assert notice.paragraphs[0].startswith(
        "This insurance is placed with an insurer that is not licensed in Georgia"
    )
