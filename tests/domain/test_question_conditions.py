"""Which questions are required: both sides of every condition of the three sets."""

from collections.abc import Mapping
from datetime import date

import pytest

from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.applicant.risk import FULL_PRIOR_ACTS, Term
from bindery.domain.questions.conditions import Always, QuestionContext, read_condition
from bindery.domain.questions.question import question_set
from bindery.domain.questions.sheet import read_answers
from bindery.domain.questions.values import RawValue
from support.tables import each_row

CYB, TEO, MPL = InsuranceProduct.CYB, InsuranceProduct.TEO, InsuranceProduct.MPL

EFFECTIVE, EXPIRATION = date(2026, 12, 1), date(2027, 12, 1)

OFFLINE = "Offline or air-gapped (e.g. tape or disconnected disk)"
BY_THIRD_PARTY = "Managed 24/7 by a third-party provider (e.g. MSSP or external IT vendor)"
IN_HOUSE = "Managed 24/7 by in-house security team"
PEOPLE = "People (e.g., consumers, patients)"
ORGANIZATIONS = "Organizations (e.g., businesses, non-profits, government)"
CONSULTING = "Technology consulting (including value added reseller)"
VPN = {"Q2315": "Yes"}
EDR = {"Q2304": ["CrowdStrike Falcon"]}
TECHNOLOGY = {"2246": True}
SERVICES = {**TECHNOLOGY, "2204": "Services"}
INSURED = {"Q2413": True}


def required(
    product: InsuranceProduct,
    answers: Mapping[str, RawValue],
    revenue: int,
    retroactive: date | str | None = None,
) -> set[str]:
    sheet = read_answers(
        question_set(product, "2026.1"),
        list(answers.items()),
        QuestionContext(revenue, Term(EFFECTIVE, EXPIRATION, retroactive)),
    )
    answered = {
        question.id
        for question in question_set(product, "2026.1")
        if question.bare_id in sheet.counting.values
    }
    return answered | set(sheet.missing)


BY_REVENUE = [
    (CYB, "Q2302", 5_000_000),
    (CYB, "Q2304", 5_000_000),
    (CYB, "Q2307", 5_000_000),
    (CYB, "Q2315", 5_000_000),
    (TEO, "Q2302", 5_000_000),
    (TEO, "2229", 1_000_000),
    (TEO, "2205", 1_000_000),
    (MPL, "Q2411", 1_000_000),
]


@pytest.mark.parametrize(("product", "question_id", "bound"), BY_REVENUE)
def test_some_questions_are_required_from_a_revenue_on(
    product: InsuranceProduct, question_id: str, bound: int
) -> None:
    assert question_id not in required(product, {}, bound - 1)
    assert question_id in required(product, {}, bound)


BY_ANSWER = [
    # product, question, answers given, revenue, whether it is required
    (CYB, "Q2311", {"Q2142": True}, 4_999_999, False),
    (CYB, "Q2311", {"Q2142": True}, 5_000_000, True),
    (CYB, "Q2311", {"Q2142": False}, 5_000_000, False),
    (CYB, "Q2311", {}, 5_000_000, False),
    (CYB, "Q2313", {"Q2142": True}, 4_999_999, False),
    (CYB, "Q2313", {"Q2142": True}, 5_000_000, True),
    (CYB, "Q2313", {"Q2142": False}, 5_000_000, False),
    (CYB, "Q2312", {"Q2142": True, "Q2311": [OFFLINE]}, 24_999_999, False),
    (CYB, "Q2312", {"Q2142": True, "Q2311": [OFFLINE]}, 25_000_000, True),
    (CYB, "Q2312", {"Q2142": True, "Q2311": ["Unknown"]}, 25_000_000, False),
    (CYB, "Q2312", {"Q2142": True}, 25_000_000, False),
    (CYB, "Q2312", {"Q2142": False, "Q2311": [OFFLINE]}, 25_000_000, False),
    (CYB, "Q2308", {"Q2307": "Yes"}, 5_000_000, True),
    (CYB, "Q2308", {"Q2307": "No"}, 5_000_000, False),
    (CYB, "Q2308", {"Q2307": "Unknown"}, 5_000_000, False),
    (CYB, "Q2303", {"Q2302": ["Other/Unknown"]}, 5_000_000, True),
    (CYB, "Q2303", {"Q2302": ["Proofpoint", "Other/Unknown"]}, 5_000_000, True),
    (CYB, "Q2303", {"Q2302": ["Proofpoint"]}, 5_000_000, False),
    (CYB, "Q2303", {"Q2302": ["No SEG in Place"]}, 5_000_000, False),
    (CYB, "Q2305", {"Q2304": ["Other/Unknown"]}, 5_000_000, True),
    (CYB, "Q2305", EDR, 5_000_000, False),
    (CYB, "Q2309", EDR, 5_000_000, True),
    (CYB, "Q2309", {"Q2304": ["Other/Unknown"]}, 5_000_000, True),
    (CYB, "Q2309", {"Q2304": ["No EDR in Place"]}, 5_000_000, False),
    (CYB, "Q2309", {}, 5_000_000, False),
    (CYB, "Q2310", {**EDR, "Q2309": BY_THIRD_PARTY}, 5_000_000, True),
    (CYB, "Q2310", {**EDR, "Q2309": IN_HOUSE}, 5_000_000, False),
    (CYB, "Q2310", {"Q2304": ["No EDR in Place"], "Q2309": BY_THIRD_PARTY}, 5_000_000, False),
    (CYB, "Q2316", VPN, 5_000_000, True),
    (CYB, "Q2316", {"Q2315": "No"}, 5_000_000, False),
    (CYB, "Q2316", {"Q2315": "Unknown"}, 5_000_000, False),
    (CYB, "Q2326", VPN, 5_000_000, True),
    (CYB, "Q2326", {"Q2315": "No"}, 5_000_000, False),
    (CYB, "Q2317", {**VPN, "Q2316": ["Other"]}, 5_000_000, True),
    (CYB, "Q2317", {**VPN, "Q2316": ["SonicWall"]}, 24_999_999, False),
    (CYB, "Q2317", {**VPN, "Q2316": ["SonicWall"]}, 25_000_000, True),
    (CYB, "Q2317", {**VPN, "Q2316": ["Tailscale", "Cisco Meraki"]}, 25_000_000, True),
    (CYB, "Q2317", {**VPN, "Q2316": ["Tailscale", "OpenVPN"]}, 25_000_000, False),
    (CYB, "Q2317", VPN, 25_000_000, False),
    (CYB, "Q2317", {"Q2315": "No", "Q2316": ["Other"]}, 25_000_000, False),
    (CYB, "Q2124", {"Q2146": True}, 1, True),
    (CYB, "Q2124", {"Q2146": False}, 1, False),
    (CYB, "Q2119", {"Q2147": True}, 1, True),
    (CYB, "Q2119", {"Q2147": False}, 1, False),
    (TEO, "Q2124", {"2146": True}, 1, True),
    (TEO, "Q2119", {"2147": True}, 1, True),
    (TEO, "2204", TECHNOLOGY, 1, True),
    (TEO, "2204", {"2246": False}, 1, False),
    (TEO, "2210", TECHNOLOGY, 1, True),
    (TEO, "2210", {"2246": False}, 1, False),
    (TEO, "2224", {**TECHNOLOGY, "2204": "Software"}, 1, True),
    (TEO, "2224", {**TECHNOLOGY, "2204": ["Software"]}, 1, True),
    (TEO, "2224", {**TECHNOLOGY, "2204": "Hardware"}, 1, False),
    (TEO, "2224", {"2246": False, "2204": "Software"}, 1, False),
    (TEO, "2211", {**TECHNOLOGY, "2204": "Hardware"}, 1, True),
    (TEO, "2211", {**TECHNOLOGY, "2204": "Services"}, 1, False),
    (TEO, "2209", SERVICES, 1, True),
    (TEO, "2209", {**TECHNOLOGY, "2204": "Software"}, 1, False),
    (TEO, "2208", {**TECHNOLOGY, "2210": PEOPLE}, 1, True),
    (TEO, "2208", {**TECHNOLOGY, "2210": ORGANIZATIONS}, 1, False),
    (TEO, "2227", {**SERVICES, "2209": ["Digital marketing", CONSULTING]}, 1, True),
    (TEO, "2227", {**SERVICES, "2209": ["Digital marketing"]}, 1, False),
    (TEO, "2227", {**TECHNOLOGY, "2204": "Software", "2209": [CONSULTING]}, 1, False),
    (TEO, "2207", {"2248": True}, 1, True),
    (TEO, "2207", {"2248": False}, 1, False),
    (TEO, "2249", {"2248": True}, 1, True),
    (TEO, "2249", {"2248": False}, 1, False),
    (MPL, "Q2402", {"Q2401": ["Interior design", "Other"]}, 1, True),
    (MPL, "Q2402", {"Q2401": ["Interior design"]}, 1, False),
    (MPL, "Q2406", {"Q2405": "Sometimes"}, 1, True),
    (MPL, "Q2406", {"Q2405": "Never"}, 1, False),
    (MPL, "Q2406", {}, 1, False),
    (MPL, "Q2409", {"Q2408": "Up to 25%"}, 1, True),
    (MPL, "Q2409", {"Q2408": "More than 25%"}, 1, True),
    (MPL, "Q2409", {"Q2408": "None"}, 1, False),
    (MPL, "Q2417", {"Q2416": "1"}, 1, True),
    (MPL, "Q2417", {"Q2416": "3 or more"}, 1, True),
    (MPL, "Q2417", {"Q2416": "0"}, 1, False),
    (MPL, "Q2418", {"Q2416": "2"}, 1, True),
    (MPL, "Q2418", {"Q2416": "0"}, 1, False),
    (MPL, "Q2420", {"Q2419": True}, 1, True),
    (MPL, "Q2420", {"Q2419": False}, 1, False),
    (MPL, "Q2422", {"Q2421": True}, 1, True),
    (MPL, "Q2422", {"Q2421": False}, 1, False),
    (MPL, "Q2424", {"Q2401": ["Property management"]}, 1, True),
    (MPL, "Q2424", {"Q2401": ["Title, escrow or closing services"]}, 1, True),
    (MPL, "Q2424", {"Q2412": ["Holding client money, escrow or trust funds"]}, 1, True),
    (MPL, "Q2424", {"Q2401": ["Interior design"], "Q2412": ["None of the above"]}, 1, False),
]


@each_row(("product", "question_id", "answers", "revenue", "expected"), BY_ANSWER)
def test_some_questions_are_required_by_earlier_answers(
    product: InsuranceProduct, question_id: str, answers: Mapping[str, RawValue], revenue: int, expected: bool
) -> None:
    assert (question_id in required(product, answers, revenue)) is expected


BY_PRIOR_ACTS = [
    ("Q2414", INSURED, FULL_PRIOR_ACTS, True),
    ("Q2414", INSURED, date(2026, 11, 30), True),
    ("Q2414", INSURED, EFFECTIVE, False),
    ("Q2414", INSURED, None, False),
    ("Q2414", {"Q2413": False}, FULL_PRIOR_ACTS, False),
    ("Q2415", {**INSURED, "Q2414": "2019-03-01"}, FULL_PRIOR_ACTS, True),
    ("Q2415", INSURED, FULL_PRIOR_ACTS, False),
    ("Q2415", {**INSURED, "Q2414": "2019-03-01"}, None, False),
]


@pytest.mark.parametrize(("question_id", "answers", "retroactive", "expected"), BY_PRIOR_ACTS)
def test_the_cover_in_force_is_asked_about_where_prior_acts_are(
    question_id: str, answers: Mapping[str, RawValue], retroactive: date | str | None, expected: bool
) -> None:
    assert (question_id in required(MPL, answers, 1, retroactive)) is expected


@pytest.mark.parametrize("product", [CYB, TEO, MPL])
def test_each_conditional_question_is_tested_on_both_sides(product: InsuranceProduct) -> None:
    tested = {(row[0], row[1], row[4]) for row in BY_ANSWER}
    tested |= {(row[0], row[1], side) for row in BY_REVENUE for side in (True, False)}
    tested |= {(MPL, row[0], row[3]) for row in BY_PRIOR_ACTS}
    own = [
        question
        for question in question_set(product, "2026.1")
        if product is not TEO or question.id[0] != "Q"
    ]

    untested = [
        (question.id, side)
        for question in own
        for side in (True, False)
        if question.required_when != Always() and (product, question.id, side) not in tested
    ]

    assert untested == []


def test_the_questions_required_of_everybody_are_these() -> None:
    always = {
        product: [
            question.id for question in question_set(product, "2026.1") if question.required_when == Always()
        ]
        for product in InsuranceProduct
    }

    cyber = ["Q2134", "Q2314", "Q2244", "Q2159", "Q2142", "Q2300", "Q2301", "Q2146", "Q2147"]
    assert always[CYB] == cyber
    assert always[TEO] == [*cyber, "2246", "2226", "2248"]
    assert always[MPL] == [
        *("Q2401", "Q2403", "Q2404", "Q2412", "Q2405", "Q2407", "Q2408", "Q2410"),
        *("Q2413", "Q2416", "Q2419", "Q2421", "Q2423"),
    ]


def test_an_answer_without_effect_does_not_make_further_questions_required() -> None:
    small = required(CYB, {"Q2304": ["Other/Unknown"], "Q2315": "Yes"}, 4_999_999)

    assert small.isdisjoint({"Q2304", "Q2305", "Q2309", "Q2315", "Q2316", "Q2326"})


def test_an_answer_that_cannot_be_read_does_not_make_further_questions_required() -> None:
    assert "Q2308" not in required(CYB, {"Q2307": "yes"}, 5_000_000)


@each_row(
    "data",
    [
        {},
        {"always": False},
        {"sometimes": True},
        {"always": True, "all": []},
        {"revenue": {"at_least": "5000000"}},
        {"revenue": {"at_most": 5_000_000}},
        {"revenue": {"at_least": 1, "at_most": 2}},
        {"answer": "Q2142"},
        {"answer": "Q2142", "is": 1},
        {"answer": "Q2142", "is": True, "answered": True},
        {"answer": "Q2302", "any_of": "Mimecast"},
        {"answer": "Q2302", "any_of": [1]},
        {"all": [{"answer": "Q2142"}]},
        "always",
        None,
    ],
)
def test_a_condition_of_unknown_form_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"no condition has the form|options are texts"):
        read_condition(data, {})
