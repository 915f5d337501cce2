"""The question data itself: complete, to the letter of the specification, free of contradictions."""

import json
from collections.abc import Callable
from datetime import date
from importlib.resources import files
from typing import Any

import msgspec
import pytest

from bindery.contract.questions import QuestionsResponse, QuestionType
from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.applicant.industries import Action
from bindery.domain.applicant.risk import Answers, Term
from bindery.domain.questions.check import check_questions
from bindery.domain.questions.conditions import QuestionContext
from bindery.domain.questions.describe import describe_questions
from bindery.domain.questions.question import (
    QUESTIONS,
    Option,
    ProductKind,
    QuestionText,
    question_set,
    read_edition,
)
from bindery.domain.questions.sheet import read_answers
from support.tables import each_row

CYB, TEO, MPL = InsuranceProduct.CYB, InsuranceProduct.TEO, InsuranceProduct.MPL

YES_NO_UNKNOWN = ["Yes", "No", "Unknown"]

Change = Callable[[dict[str, Any], dict[str, Any]], object]
"""Spoils the sets of an edition or its questions by id."""

# The values that the specification prints, letter for letter.
PRINTED = {
    "Q2244": [
        "Adult Content",
        "Cannabis",
        "Cryptocurrency or Blockchain",
        "Debt collection agency",
        "Gambling",
        "Managed IT service provider (MSP or MSSP)",
        "None of the above",
    ],
    "Q2311": ["Unknown"],
    "Q2313": YES_NO_UNKNOWN,
    "Q2307": YES_NO_UNKNOWN,
    "Q2302": ["No SEG in Place", "Other/Unknown"],
    "Q2304": ["No EDR in Place", "Other/Unknown"],
    "Q2309": [
        "Managed 24/7 by a third-party provider (e.g. MSSP or external IT vendor)",
        "Managed 24/7 by in-house security team",
        "Managed within business hours by in-house security team",
        "Deployed but not actively monitored",
        "Unknown",
    ],
    "Q2315": YES_NO_UNKNOWN,
    "Q2316": ["Other"],
    "Q2326": [
        "Exclusively Cloud-based (e.g. all VPNs are SaaS)",
        "Exclusively Non Cloud-based (e.g. all VPNs are hosted On-Prem)",
        "Hybrid (some VPN infrastructure hosted in the Cloud, some hosted On-Prem)",
    ],
    "2204": ["Software", "Hardware", "Services"],
    "2210": [
        "People (e.g., consumers, patients)",
        "Organizations (e.g., businesses, non-profits, government)",
    ],
    "2209": [
        "Custom computer programming or software development",
        "Technology training or education",
        "Technology consulting (including value added reseller)",
        "IT staffing or project management",
        "Managed IT services (MSP or MSSP)",
        "Digital marketing",
        "Computing infrastructure (e.g., cloud services, web hosting, data center, or co-location services)",
        "Telecommunications or Internet Service Provider (ISP)",
        "Domain name services (DNS)",
        "Quality control / assurance (i.e., software or hardware testing)",
        "Business process outsourcing / data processing",
        "E-recycling / data destruction",
    ],
    "2211": [
        "Healthcare / medical hardware",
        "Finance / payments hardware",
        "Electrical components (e.g., semiconductors)",
        "None of the above",
    ],
    "2224": [
        "Custom computer programming or software development",
        "IT security",
        "Finance / banking (including payments and POS systems)",
        "Medical / healthcare (including electronic medical records)",
        (
            "Enterprise resource planning (ERP), Customer relationship management (CRM), "
            "Supply chain management (SCM)"
        ),
        "Emergency notification",
        "E-commerce",
        "Media broadcasting or streaming",
        "None of the above",
    ],
    "2208": [
        "Financial (e.g., payments, exchanges, portfolio management, financial reports)",
        "Health (e.g., trackers, monitors, caregiving)",
        "Cyber security or identity protection services",
        "Social media",
        "E-commerce",
        "Media broadcasting or streaming",
        "Hardware repair or installation",
        "Hardware design or manufacturing",
        "Training",
        "None of the above",
    ],
    "2227": [
        "ERP software implementation",
        "Payment systems implementation",
        "PCI/HIPAA compliance certification",
        "None of the above",
    ],
    "2226": [
        "Financial trading, investment advice, or crowdfunding applications",
        "Payment processing or money transfer systems",
        "Adult entertainment, cannabis, relationship/dating apps, video games, or gambling",
        "Flight control systems, 911 paging systems, or military warfare applications",
        "Mechanical process control technology (e.g., industrial control, machinery)",
        "Medical diagnostic applications, biometric technology, or health information exchanges (HIE)",
        "Consumer data mining/broker, consumer VPN, or domain name registry services",
        "Sharing economy platforms",
        "None of the above",
    ],
}
# Options that the specification leaves out or only paraphrases: how many of ours join those above.
OURS = {"Q2244": 1, "Q2311": 4, "Q2302": 14, "Q2304": 17, "Q2316": 21, "2226": 1}


@each_row(
    ("question_id", "value"),
    [(question_id, text) for question_id, texts in PRINTED.items() for text in texts],
)
def test_every_value_that_the_specification_allows_is_accepted_to_the_letter(
    question_id: str, value: str
) -> None:
    circumstances = QuestionContext(1_000_000, Term(date(2026, 12, 1), date(2027, 12, 1)))

    sheet = read_answers(question_set(TEO, "2026.1"), [(question_id, value)], circumstances)

    assert [problem for problem in sheet.problems if problem.path != "questions"] == []
    assert Answers(sheet.given).chosen(question_id) == (value,)


def question_of(product: InsuranceProduct, question_id: str) -> QuestionText:
    question = question_set(product, "2026.1").find(question_id)
    assert question is not None
    return question


@each_row("question_id", PRINTED)
def test_a_choice_has_no_other_options_than_those_agreed(question_id: str) -> None:
    question = question_of(TEO, question_id)

    others = [option.text for option in question.options if option.text not in PRINTED[question_id]]
    assert len(others) == OURS.get(question_id, 0)


SPECIFIED_TYPES = {
    QuestionType.BOOLEAN: [
        *("Q2134", "Q2159", "Q2142", "Q2300", "Q2301", "Q2146", "Q2147"),
        *("2246", "2248", "2229", "2249", "2205"),
    ],
    QuestionType.NUMERIC: ["Q2314"],
    QuestionType.AMOUNT: ["2207"],
    QuestionType.FREE_TEXT: [
        *("Q2312", "Q2308", "Q2303", "Q2305", "Q2310", "Q2317", "Q2124", "Q2119"),
    ],
    QuestionType.SINGLE_SELECT: ["Q2313", "Q2307", "Q2309", "Q2315", "Q2326"],
    QuestionType.MULTI_SELECT: [
        *("Q2244", "Q2311", "Q2302", "Q2304", "Q2316"),
        *("2204", "2210", "2209", "2211", "2224", "2208", "2227", "2226"),
    ],
}


def test_every_question_of_the_specification_is_asked_with_its_type() -> None:
    asked = {question.id: question.type for question in question_set(TEO, "2026.1")}

    assert asked == {question_id: kind for kind, ids in SPECIFIED_TYPES.items() for question_id in ids}


def test_technology_asks_the_cyber_questions_first_and_shared_ones_once() -> None:
    cyber = [question.id for question in question_set(CYB, "2026.1")]
    technology = [question.id for question in question_set(TEO, "2026.1")]

    assert len(cyber) == 26
    assert technology == [
        *cyber,
        *("2246", "2204", "2210", "2209", "2211", "2224", "2208", "2227", "2226", "2248", "2229", "2207"),
        *("2249", "2205"),
    ]
    assert {question_of(TEO, shared).id for shared in ("2146", "2124", "2147", "2119")} == {
        *("Q2146", "Q2124", "Q2147", "Q2119")
    }


def test_professional_liability_asks_24_questions_of_its_own() -> None:
    ids = [question.id for question in question_set(MPL, "2026.1")]

    assert sorted(ids) == [f"Q{number}" for number in range(2401, 2425)]
    assert len(question_of(MPL, "Q2401").options) == 27


def chosen(product: InsuranceProduct, question_id: str, text: str) -> Option:
    (option,) = question_set(product, "2026.1").chosen_options(
        Answers({question_id.lstrip("Q"): (text,)}), question_id
    )
    return option


def test_options_carry_what_conditions_look_at() -> None:
    assert chosen(CYB, "Q2316", "WireGuard").kind is ProductKind.SOFTWARE
    assert chosen(CYB, "Q2316", "Other").kind is ProductKind.UNKNOWN


@pytest.mark.parametrize(
    ("product", "question_id", "action", "texts"),
    [
        (
            CYB,
            "Q2244",
            Action.DECLINE,
            ["Adult Content", "Cannabis", "Cryptocurrency or Blockchain", "Gambling"],
        ),
        (
            CYB,
            "Q2244",
            Action.REFER,
            [
                "Debt collection agency",
                "Managed IT service provider (MSP or MSSP)",
                "Payment processing (e.g. payment processor, merchant acquirer, or point-of-sale vendor)",
            ],
        ),
        (
            TEO,
            "2226",
            Action.DECLINE,
            [
                "Cryptocurrency, blockchain, or cryptomining",
                "Flight control systems, 911 paging systems, or military warfare applications",
            ],
        ),
        (TEO, "2226", Action.QUOTE, ["None of the above"]),
        (
            MPL,
            "Q2401",
            Action.REFER,
            ["Mortgage brokerage", "Title, escrow or closing services", "Other"],
        ),
        (
            MPL,
            "Q2412",
            Action.REFER,
            [
                "Placement of insurance",
                "Holding client money, escrow or trust funds",
                "Construction management or contractor work",
            ],
        ),
        (MPL, "Q2412", Action.QUOTE, ["None of the above"]),
    ],
)
def test_options_carry_what_screening_looks_at(
    product: InsuranceProduct, question_id: str, action: Action, texts: list[str]
) -> None:
    question = question_of(product, question_id)

    assert [option.text for option in question.options if option.action is action] == texts


def test_options_of_questions_that_the_product_does_not_ask_are_none() -> None:
    assert (
        question_set(CYB, "2026.1").chosen_options(Answers({"2209": ("Digital marketing",)}), "2209", "Q2244")
        == ()
    )


def test_the_current_edition_contradicts_nothing() -> None:
    assert check_questions(QUESTIONS.named("2026.1")) == []


def plain_edition() -> dict[str, Any]:
    text = files("bindery").joinpath("data", "questions", "2026.1.json").read_text()
    plain: dict[str, Any] = json.loads(text)
    return plain


def seeded(change: Change) -> bytes:
    plain = plain_edition()
    questions = {
        question["id"]: question for rows in plain["sets"].values() for question in rows["questions"]
    }
    change(plain["sets"], questions)
    return json.dumps(plain).encode()


FAULTS: list[tuple[Change, str]] = [
    (
        lambda _, q: q["Q2311"].update(required_when={"answer": "Q2313", "is": "Yes"}),
        "CYB Q2311 depends on 2313, which is not listed before it",
    ),
    (
        lambda _, q: q["Q2311"].update(required_when={"answer": "Q2311", "answered": True}),
        "CYB Q2311 depends on 2311, which is not listed before it",
    ),
    (
        lambda _, q: q["Q2402"].update(required_when={"any": [{"answer": "Q2142", "is": True}]}),
        "MPL Q2402 depends on 2142, which is not listed before it",
    ),
    (
        lambda _, q: q["Q2303"].update(required_when={"answer": "Q2302", "any_of": ["Other"]}),
        "CYB Q2303 depends on Q2302, which has no option 'Other'",
    ),
    (
        lambda _, q: q["Q2303"].update(required_when={"answer": "Q2302", "of_kind": "appliance"}),
        "CYB Q2303 depends on Q2302, but on none of its options",
    ),
    (
        lambda _, q: q["Q2303"].update(required_when={"answer": "Q2302", "is": "Other/Unknown"}),
        "CYB Q2303 depends on Q2302, which is not a single choice",
    ),
    (
        lambda _, q: q["Q2308"].update(required_when={"answer": "Q2307", "is": "yes"}),
        "CYB Q2308 depends on Q2307, which has no option 'yes'",
    ),
    (
        lambda _, q: q["Q2308"].update(required_when={"answer": "Q2307", "is": True}),
        "CYB Q2308 depends on Q2307, which is not answered with true or false",
    ),
    (
        lambda _, q: q["Q2124"].update(required_when={"answer": "Q2146", "none_of": ["No"]}),
        "CYB Q2124 depends on Q2146, which is not a choice",
    ),
    (
        lambda _, q: q["Q2402"].update(id="2401"),
        "MPL 2401 is listed twice",
    ),
    (
        lambda _, q: q["Q2424"].update(id="Q24x4"),
        "MPL Q24x4 has an id that is not four digits with or without a Q",
    ),
    (lambda _, q: q["Q2424"].update(text=" "), "MPL Q2424 has no text"),
    (lambda _, q: q["Q2424"].update(section=" "), "MPL Q2424 has no section"),
    (
        lambda _, q: q["Q2402"].update(minimum=3),
        "MPL Q2402 has a smallest number but is not a number",
    ),
    (
        lambda _, q: q["Q2402"].update(options=[{"text": "Yes"}]),
        "MPL Q2402 has options but is not a choice",
    ),
    (
        lambda _, q: q["Q2407"].update(options=[{"text": "All"}]),
        "MPL Q2407 is a choice with fewer than two options",
    ),
    (
        lambda _, q: q["Q2407"]["options"].append({"text": "Up to 25%"}),
        "MPL Q2407 lists an option twice",
    ),
    (
        lambda _, q: q["Q2407"]["options"].append({"text": "All "}),
        "MPL Q2407 has the option 'All ', which no answer can match",
    ),
    (
        lambda _, q: q["Q2407"]["options"][0].update(exclusive=True),
        "MPL Q2407 has exclusive options but takes only one anyway",
    ),
    (
        lambda _, q: [option.update(exclusive=True) for option in q["Q2412"]["options"]],
        "MPL Q2412 has nothing but exclusive options",
    ),
    (
        lambda _, q: q["Q2316"]["options"].append({"text": "Carrier pigeon"}),
        "CYB Q2316 has options without kind: Carrier pigeon",
    ),
]


@pytest.mark.parametrize(("change", "fault"), FAULTS, ids=[fault for _, fault in FAULTS])
def test_a_contradiction_is_found(change: Change, fault: str) -> None:
    found = check_questions(read_edition(seeded(change)))

    assert fault in found


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda _, q: q["Q2244"]["options"][0].update(exclusve=True), "unknown field `exclusve`"),
        (lambda _, q: q["Q2244"].update(hint="?"), "unknown field `hint`"),
        (lambda sets, _: sets["CYB"].update(before="TEO"), "unknown field `before`"),
        (lambda _, q: q["Q2244"].update(type="essay"), "essay"),
        (lambda _, q: q["Q2316"]["options"][0].update(kind="pigeon"), "pigeon"),
        (lambda _, q: q["Q2244"].update(required_when={"never": True}), "no condition has the form"),
    ],
)
def test_data_of_the_wrong_form_is_refused(change: Change, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_edition(seeded(change))


def test_a_new_appliance_is_asked_about_without_touching_the_condition() -> None:
    new = {"text": "Acme Gate", "kind": "appliance"}
    edition = read_edition(seeded(lambda _, q: q["Q2316"]["options"].append(new)))
    given = [("Q2315", "Yes"), ("Q2316", ["Acme Gate"])]

    sheet = read_answers(
        edition.sets[CYB], given, QuestionContext(25_000_000, Term(date(2026, 12, 1), date(2027, 12, 1)))
    )

    assert "Q2317" in sheet.missing


@pytest.mark.parametrize("product", [CYB, TEO, MPL])
def test_partners_see_the_whole_set_in_the_shape_of_the_contract(product: InsuranceProduct) -> None:
    body = msgspec.json.encode(describe_questions(question_set(product, "2026.1")))

    shown = msgspec.json.decode(body, type=QuestionsResponse)
    assert (shown.edition, shown.product) == ("2026.1", product)
    assert [question.id for question in shown.questions] == [
        question.id for question in question_set(product, "2026.1")
    ]


def test_partners_see_conditions_as_data_and_limits_by_type() -> None:
    body = msgspec.to_builtins(describe_questions(question_set(TEO, "2026.1")))
    shown = {question["id"]: question for question in body["questions"]}

    assert shown["Q2134"] == {
        "id": "Q2134",
        "section": "Business",
        "text": "Does the applicant have a website or any other internet domain?",
        "help": (
            "Count domains used only for corporate email, and the sites of franchises and subsidiaries."
        ),
        "type": "boolean",
        "options": [],
        "exclusive_options": [],
        "required_when": {"always": True},
        "limits": {},
    }
    assert shown["Q2311"]["required_when"] == {
        "all": [{"answer": "Q2142", "is": True}, {"revenue": {"at_least": 5_000_000}}]
    }
    assert shown["Q2311"]["exclusive_options"] == ["Unknown"]
    assert shown["2224"]["required_when"] == {"answer": "2204", "any_of": ["Software"]}
    assert shown["Q2309"]["required_when"] == {"answer": "Q2304", "none_of": ["No EDR in Place"]}
    assert shown["Q2314"]["limits"] == {"minimum": 1, "maximum": 10**12}
    assert shown["2207"]["limits"] == {"minimum": 0, "maximum": 10**12}
    assert shown["Q2312"]["limits"] == {"min_length": 1, "max_length": 4_000}
    assert shown["Q2124"]["limits"] == {"min_length": 1, "max_length": 4_000}


def test_partners_see_products_of_a_kind_by_name() -> None:
    body = msgspec.to_builtins(describe_questions(question_set(CYB, "2026.1")))
    condition = next(q["required_when"] for q in body["questions"] if q["id"] == "Q2317")

    appliances = condition["all"][1]["any"][1]["all"][0]
    assert appliances["answer"] == "Q2316"
    assert len(appliances["any_of"]) == 12
    assert "SonicWall" in appliances["any_of"]
    assert "Tailscale" not in appliances["any_of"]


def test_partners_see_when_prior_acts_and_answers_matter() -> None:
    body = msgspec.to_builtins(describe_questions(question_set(MPL, "2026.1")))
    conditions = {question["id"]: question["required_when"] for question in body["questions"]}

    assert conditions["Q2414"] == {"all": [{"answer": "Q2413", "is": True}, {"prior_acts_asked": True}]}
    assert conditions["Q2415"] == {"answer": "Q2414", "answered": True}
