"""Reading answers, type by type, and what is said about answers that are wrong."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bindery.base.errors import Problem
from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.applicant.risk import AnswerValue, Term
from bindery.domain.questions.conditions import QuestionContext
from bindery.domain.questions.question import question_set
from bindery.domain.questions.sheet import AnswerSheet, read_answers
from bindery.domain.questions.values import RawValue
from support.tables import each_row

CYB, TEO, MPL = InsuranceProduct.CYB, InsuranceProduct.TEO, InsuranceProduct.MPL

Given = Sequence[tuple[str, RawValue]]

SMALL_FIRM: Given = (
    ("Q2134", True),
    ("Q2314", 25),
    ("Q2244", ["None of the above"]),
    ("Q2159", False),
    ("Q2142", True),
    ("Q2300", True),
    ("Q2301", True),
    ("Q2146", False),
    ("Q2147", False),
)
SMALL_TECHNOLOGY_FIRM: Given = (
    *SMALL_FIRM,
    ("2246", True),
    ("2204", "Software"),
    ("2210", "Organizations (e.g., businesses, non-profits, government)"),
    ("2224", ["E-commerce"]),
    ("2226", ["None of the above"]),
    ("2248", True),
    ("2207", "$250,000"),
    ("2249", True),
)
CONSULTANT: Given = (
    ("Q2401", ["Management or business consulting"]),
    ("Q2403", 12),
    ("Q2404", 3),
    ("Q2412", ["None of the above"]),
    ("Q2405", "Always"),
    ("Q2406", True),
    ("Q2407", "Up to 25%"),
    ("Q2408", "None"),
    ("Q2410", False),
    ("Q2413", True),
    ("Q2416", "0"),
    ("Q2419", False),
    ("Q2421", False),
    ("Q2423", False),
)
COMPLETE = {CYB: SMALL_FIRM, TEO: SMALL_TECHNOLOGY_FIRM, MPL: CONSULTANT}


def read(
    given_answers: Given, *, product: InsuranceProduct = CYB, revenue: int = 900_000, **options: Any
) -> AnswerSheet:
    circumstances = QuestionContext(revenue, Term(date(2026, 12, 1), date(2027, 12, 1)))
    return read_answers(question_set(product, "2026.1"), given_answers, circumstances, **options)


def answering(question_id: str, value: Any, *, product: InsuranceProduct) -> AnswerSheet:
    """Read a complete sheet in which one answer, the first, is replaced or added."""
    others = [(other, kept) for other, kept in COMPLETE[product] if other != question_id]
    return read([(question_id, value), *others], product=product)


@pytest.mark.parametrize("product", [CYB, TEO, MPL])
def test_a_complete_sheet_has_no_problems_and_every_answer_counts(product: InsuranceProduct) -> None:
    sheet = read(COMPLETE[product], product=product)

    assert sheet.problems == ()
    assert sheet.missing == ()
    assert sheet.edition == "2026.1"
    assert set(sheet.counting.values) == {question_id.lstrip("Q") for question_id, _ in COMPLETE[product]}
    assert sheet.given == sheet.counting.values


READ = [
    # boolean: JSON, or text in any case
    (CYB, "Q2134", True, True),
    (CYB, "Q2134", False, False),
    (CYB, "Q2134", "true", True),
    (CYB, "Q2134", "FALSE", False),
    (CYB, "Q2134", " True ", True),
    # numeric: a whole number, or its digits
    (CYB, "Q2314", 1, 1),
    (CYB, "Q2314", "1", 1),
    (CYB, "Q2314", " 0250 ", 250),
    (CYB, "Q2314", 10**12, 10**12),
    (CYB, "Q2314", "1000000000000", 10**12),
    (MPL, "Q2403", 0, 0),
    # amount: a number, `$` and thousands separators tolerated
    (TEO, "2207", 0, Decimal(0)),
    (TEO, "2207", 1_250_000, Decimal(1_250_000)),
    (TEO, "2207", "1250000", Decimal(1_250_000)),
    (TEO, "2207", "1,250,000", Decimal(1_250_000)),
    (TEO, "2207", "$1,250,000.50", Decimal("1250000.50")),
    (TEO, "2207", " $ 99 ", Decimal(99)),
    (TEO, "2207", "$1,000,000,000,000", Decimal(10**12)),
    # single choice: the option, or a list of one
    (MPL, "Q2405", "Never", "Never"),
    (MPL, "Q2405", ["Usually"], "Usually"),
    (MPL, "Q2405", "  Usually\n", "Usually"),
    (TEO, "2204", "Hardware", ("Hardware",)),
    (TEO, "2204", ["Hardware"], ("Hardware",)),
    (TEO, "2204", ["Services", "Hardware", "Services"], ("Hardware", "Services")),
    # multi-select: a list of options in printed order, each once, or a bare option
    (CYB, "Q2244", ["Gambling", "Cannabis"], ("Cannabis", "Gambling")),
    (CYB, "Q2244", ["Gambling", "Gambling"], ("Gambling",)),
    (CYB, "Q2244", "Gambling", ("Gambling",)),
    (CYB, "Q2244", [" Gambling "], ("Gambling",)),
    (TEO, "2226", "Sharing economy platforms", ("Sharing economy platforms",)),
    # free text: trimmed and composed
    (CYB, "Q2312", "  Backups of São\n", "Backups of São"),
    (CYB, "Q2312", "Cafe\u0301", "Caf\u00e9"),
    (CYB, "Q2312", "first line\nsecond\tline", "first line\nsecond\tline"),
    (CYB, "Q2312", "x" * 4_000, "x" * 4_000),
    # date
    (MPL, "Q2414", "2019-02-28", date(2019, 2, 28)),
    (MPL, "Q2414", " 2020-02-29 ", date(2020, 2, 29)),
]


@each_row(("product", "question_id", "sent", "expected"), READ)
def test_an_answer_is_read_into_the_type_of_its_question(
    product: InsuranceProduct, question_id: str, sent: RawValue, expected: AnswerValue
) -> None:
    sheet = answering(question_id, sent, product=product)

    answer = sheet.given[question_id.lstrip("Q")]
    assert answer == expected
    assert type(answer) is type(expected)
    assert [problem for problem in sheet.problems if problem.path.startswith("questions[0]")] == []


REFUSED = [
    (CYB, "Q2134", "yes", "", "wrong_type"),
    (CYB, "Q2134", 1, "", "wrong_type"),
    (CYB, "Q2134", "", "", "wrong_type"),
    (CYB, "Q2134", [True], "", "wrong_type"),
    (CYB, "Q2314", 0, "", "out_of_range"),
    (CYB, "Q2314", -3, "", "out_of_range"),
    (CYB, "Q2314", "-3", "", "out_of_range"),
    (CYB, "Q2314", 10**12 + 1, "", "out_of_range"),
    (CYB, "Q2314", "9" * 40, "", "out_of_range"),
    (CYB, "Q2314", "9" * 5_000, "", "wrong_type"),
    (CYB, "Q2314", "2.5", "", "wrong_type"),
    (CYB, "Q2314", 2.0, "", "wrong_type"),
    (CYB, "Q2314", "1,000", "", "wrong_type"),
    (CYB, "Q2314", "٣", "", "wrong_type"),
    (CYB, "Q2314", "", "", "wrong_type"),
    (CYB, "Q2314", True, "", "wrong_type"),
    (CYB, "Q2314", None, "", "wrong_type"),
    (MPL, "Q2403", -1, "", "out_of_range"),
    (MPL, "Q2404", 0, "", "out_of_range"),
    (TEO, "2207", -1, "", "out_of_range"),
    (TEO, "2207", "-$1", "", "out_of_range"),
    (TEO, "2207", "$1,000,000,000,000.01", "", "out_of_range"),
    (TEO, "2207", "1,25", "", "wrong_type"),
    (TEO, "2207", "1e6", "", "wrong_type"),
    (TEO, "2207", "about 5 million", "", "wrong_type"),
    (TEO, "2207", "", "", "wrong_type"),
    (TEO, "2207", True, "", "wrong_type"),
    (MPL, "Q2405", "never", "", "not_an_option"),
    (MPL, "Q2405", "", "", "not_an_option"),
    (MPL, "Q2405", ["Never", "Always"], "", "too_many"),
    (MPL, "Q2405", ["Never", "Rarely"], "[1]", "not_an_option"),
    (MPL, "Q2405", 1, "", "wrong_type"),
    (MPL, "Q2405", True, "", "wrong_type"),
    (CYB, "Q2244", ["Gambling", "gambling"], "[1]", "not_an_option"),
    (CYB, "Q2244", "Gamblin", "", "not_an_option"),
    (CYB, "Q2244", ["Gambling", 7], "[1]", "wrong_type"),
    (CYB, "Q2244", ["Gambling", None], "[1]", "wrong_type"),
    (CYB, "Q2244", ["Gambling", ["Cannabis"]], "[1]", "wrong_type"),
    (CYB, "Q2244", {"Gambling": True}, "", "wrong_type"),
    (CYB, "Q2244", False, "", "wrong_type"),
    (CYB, "Q2312", 7, "", "wrong_type"),
    (CYB, "Q2312", ["Acme"], "", "wrong_type"),
    (CYB, "Q2312", "x" * 4_001, "", "too_long"),
    (MPL, "Q2414", "2026-02-30", "", "wrong_type"),
    (MPL, "Q2414", "20190228", "", "wrong_type"),
    (MPL, "Q2414", "2019-W09-4", "", "wrong_type"),
    (MPL, "Q2414", "02/28/2019", "", "wrong_type"),
    (MPL, "Q2414", 20190228, "", "wrong_type"),
]


@each_row(("product", "question_id", "sent", "where", "code"), REFUSED)
def test_an_answer_that_does_not_fit_is_refused_where_it_stands(
    product: InsuranceProduct, question_id: str, sent: Any, where: str, code: str
) -> None:
    sheet = answering(question_id, sent, product=product)

    found = [(problem.path, problem.code) for problem in sheet.problems]
    assert found == [(f"questions[0].value{where}", code)]
    assert question_id.lstrip("Q") not in sheet.given
    assert question_id.lstrip("Q") not in sheet.counting.values
    assert sheet.missing == ()


@each_row(
    ("product", "question_id", "exclusive", "other"),
    [
        (CYB, "Q2244", "None of the above", "Gambling"),
        (CYB, "Q2311", "Unknown", "Cloud sync service (e.g. file-sync drive)"),
        (CYB, "Q2302", "No SEG in Place", "Mimecast"),
        (CYB, "Q2304", "No EDR in Place", "Other/Unknown"),
        (TEO, "2211", "None of the above", "Finance / payments hardware"),
        (TEO, "2224", "None of the above", "E-commerce"),
        (TEO, "2208", "None of the above", "Training"),
        (TEO, "2227", "None of the above", "ERP software implementation"),
        (TEO, "2226", "None of the above", "Sharing economy platforms"),
        (MPL, "Q2412", "None of the above", "Placement of insurance"),
    ],
)
def test_an_exclusive_option_stands_alone(
    product: InsuranceProduct, question_id: str, exclusive: str, other: str
) -> None:
    alone = answering(question_id, [exclusive], product=product)
    combined = answering(question_id, [other, exclusive], product=product)

    assert alone.given[question_id.lstrip("Q")] == (exclusive,)
    message = f"{question_id}: `{exclusive}` cannot be combined with other options"
    assert combined.problems == (Problem("questions[0].value", "exclusive_option", message),)


def test_every_wrong_item_of_a_list_is_reported() -> None:
    sheet = answering("Q2244", ["Poker", "Gambling", 3, "Bingo"], product=CYB)

    options = "the options are " + ", ".join(
        f"`{option.text}`" for option in question_set(CYB, "2026.1").by_spelling["2244"].options
    )
    assert sheet.problems == (
        Problem("questions[0].value[0]", "not_an_option", f"`Poker` is not an option of Q2244; {options}"),
        Problem("questions[0].value[2]", "wrong_type", "Q2244 is answered with the texts of its options"),
        Problem("questions[0].value[3]", "not_an_option", f"`Bingo` is not an option of Q2244; {options}"),
    )


@pytest.mark.parametrize("sent", ["none of the above", "NONE OF THE ABOVE.", "None-of-the-above"])
def test_an_option_in_another_letter_case_is_named_as_the_one_meant(sent: RawValue) -> None:
    sheet = answering("Q2244", [sent], product=CYB)

    (problem,) = sheet.problems
    assert problem.code == "not_an_option"
    assert problem.message == f"`{sent}` is not an option of Q2244; did you mean `None of the above`?"


def test_of_many_options_a_message_lists_the_first_ones() -> None:
    (problem,) = answering("2226", ["Poker"], product=TEO).problems

    assert len(problem.message) < 512
    assert problem.message.endswith(" more")
    assert "`Payment processing or money transfer systems`" in problem.message


def test_several_technology_operations_ask_for_what_each_of_them_asks_for() -> None:
    software = answering("2204", ["Software"], product=TEO)
    all_three = answering("2204", ["Services", "Software", "Hardware"], product=TEO)

    assert software.problems == ()
    assert all_three.missing == ("2209", "2211")


def test_several_types_of_clients_ask_for_what_each_of_them_asks_for() -> None:
    people, organizations = (
        "People (e.g., consumers, patients)",
        "Organizations (e.g., businesses, non-profits, government)",
    )

    assert answering("2210", [organizations], product=TEO).problems == ()
    assert answering("2210", [organizations, people], product=TEO).missing == ("2208",)


@pytest.mark.parametrize("spelling", ["Q2314", "q2314", "2314"])
def test_a_leading_q_does_not_matter(spelling: str) -> None:
    sheet = read([(spelling if question_id == "Q2314" else question_id, v) for question_id, v in SMALL_FIRM])

    assert sheet.problems == ()
    assert sheet.counting.number("Q2314") == 25


@pytest.mark.parametrize("unknown", ["Q9999", "QQ2314", " Q2314", "", "2246", "Q2401"])
def test_an_id_that_the_product_does_not_ask_is_refused(unknown: str) -> None:
    sheet = read([*SMALL_FIRM, (unknown, True)])

    assert sheet.problems == (
        Problem("questions[9].id", "unknown_question", f"`{unknown}` is not a question of CYB"),
    )


def test_a_long_unknown_id_is_cut_in_the_message() -> None:
    sheet = read([*SMALL_FIRM, ("9" * 500, True)])

    assert sheet.problems[0].message == f"`{'9' * 60}…` is not a question of CYB"


@pytest.mark.parametrize("again", [False, "false", "FALSE"])
def test_a_question_answered_twice_with_one_value_is_one_answer(again: bool | str) -> None:
    sheet = read([*SMALL_TECHNOLOGY_FIRM, ("2146", again)], product=TEO)

    assert sheet.problems == ()
    assert sheet.given == read(SMALL_TECHNOLOGY_FIRM, product=TEO).given


def test_a_question_answered_twice_with_different_values_is_refused() -> None:
    sheet = read([*SMALL_TECHNOLOGY_FIRM, ("2146", True)], product=TEO)

    message = "Q2146 is answered differently in questions[7]"
    assert sheet.problems == (Problem("questions[17].id", "duplicate_question", message),)
    assert sheet.given["2146"] is False


def test_every_problem_is_reported_at_once_and_in_order() -> None:
    sheet = read(
        [
            ("Q2134", "maybe"),
            ("Q2314", 0),
            ("Q9999", 1),
            ("Q2244", ["None of the above", "Gambling"]),
            ("2134", True),
            ("Q2159", False),
            ("Q2142", True),
            ("Q2146", True),
            ("Q2124", "x"),
            ("Q2147", False),
        ]
    )

    assert [(problem.path, problem.code) for problem in sheet.problems] == [
        ("questions[0].value", "wrong_type"),
        ("questions[1].value", "out_of_range"),
        ("questions[2].id", "unknown_question"),
        ("questions[3].value", "exclusive_option"),
        ("questions[4].id", "duplicate_question"),
        ("questions", "missing_answer"),
        ("questions", "missing_answer"),
    ]
    assert sheet.missing == ("Q2300", "Q2301")


def test_a_missing_answer_is_named_with_the_text_of_its_question() -> None:
    sheet = read(SMALL_FIRM[1:])

    message = "Q2134 is required: Does the applicant have a website or any other internet domain?"
    assert sheet.problems == (Problem("questions", "missing_answer", message),)
    assert sheet.missing == ("Q2134",)


def test_nothing_given_leaves_all_that_is_always_required_missing() -> None:
    sheet = read([])

    assert sheet.missing == tuple(question_id for question_id, _ in SMALL_FIRM)
    assert sheet.given == {}


@pytest.mark.parametrize("blank", ["", "   ", "\n\t"])
def test_a_blank_text_does_not_answer_a_required_question(blank: str) -> None:
    sheet = read([*SMALL_FIRM[:7], ("Q2146", True), ("Q2124", blank), ("Q2147", False)])

    assert sheet.missing == ("Q2124",)
    assert [problem.code for problem in sheet.problems] == ["missing_answer"]
    assert not sheet.counting.is_answered("Q2124")


@pytest.mark.parametrize(("product", "question_id"), [(CYB, "Q2244"), (TEO, "2204"), (MPL, "Q2405")])
def test_an_empty_list_does_not_answer_a_required_question(
    product: InsuranceProduct, question_id: str
) -> None:
    sheet = answering(question_id, [], product=product)

    assert sheet.missing == (question_id,)


@pytest.mark.parametrize(
    ("product", "question_id", "asked"),
    [
        (CYB, "Q2124", ("Q2146", True)),
        (CYB, "Q2119", ("Q2147", True)),
        (MPL, "Q2402", ("Q2401", ["Other"])),
        (MPL, "Q2417", ("Q2416", "1")),
        (MPL, "Q2420", ("Q2419", True)),
        (MPL, "Q2422", ("Q2421", True)),
    ],
)
def test_details_have_one_character_at_least(
    product: InsuranceProduct, question_id: str, asked: tuple[str, RawValue]
) -> None:
    others = [asked if other == asked[0] else (other, kept) for other, kept in COMPLETE[product]]
    if question_id == "Q2417":
        others.append(("Q2418", 0))

    blank = read([(question_id, "  "), *others], product=product)
    long_enough = read([(question_id, " x "), *others], product=product)

    assert blank.missing == (question_id,)
    assert long_enough.problems == ()


def test_an_answer_that_is_not_required_is_stored_without_effect() -> None:
    sheet = read([*SMALL_FIRM, ("Q2302", ["No SEG in Place"]), ("Q2124", "n/a"), ("Q2312", "")])

    assert sheet.problems == ()
    assert sheet.given["2302"] == ("No SEG in Place",)
    assert sheet.given["2124"] == "n/a"
    assert not sheet.counting.is_answered("Q2302")
    assert not sheet.counting.is_answered("Q2124")


def test_an_answer_of_the_wrong_type_is_refused_though_it_is_not_required() -> None:
    sheet = read([*SMALL_FIRM, ("Q2313", True)])

    assert [(problem.path, problem.code) for problem in sheet.problems] == [
        ("questions[9].value", "wrong_type")
    ]


def test_problems_name_the_places_of_the_request_where_some_answers_were_left_out() -> None:
    sheet = read([*SMALL_FIRM[:8], ("Q9999", 1)], places=[*range(1, 9), 11], unreadable=["q2147", "Q7777"])

    assert [(problem.path, problem.code) for problem in sheet.problems] == [
        ("questions[11].id", "unknown_question")
    ]
    assert sheet.missing == ()


def test_the_sheet_cannot_be_changed() -> None:
    sheet = read(SMALL_FIRM)

    with pytest.raises(TypeError):
        sheet.given["2134"] = False  # type: ignore[index] # it must not be done
    with pytest.raises(TypeError):
        sheet.counting.values["2134"] = False  # type: ignore[index] # as above


@pytest.mark.parametrize("product", [CYB, TEO, MPL])
def test_answers_that_were_stored_as_json_read_back_the_same(product: InsuranceProduct) -> None:
    extra: Given = [("Q2414", "2019-03-01"), ("Q2415", True)] if product is MPL else []
    first = read([*COMPLETE[product], *extra], product=product)

    stored: dict[str, RawValue] = msgspec.json.decode(msgspec.json.encode(dict(first.given)))
    second = read(list(stored.items()), product=product)

    assert second.given == first.given
    assert second.counting == first.counting
    assert second.problems == ()


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
IDS = st.sampled_from([question.id for question in question_set(TEO, "2026.1")]) | st.text(max_size=8)


@given(st.lists(st.tuples(IDS, JSON_VALUES), max_size=12), st.integers(1, 5_000_000_000))
def test_any_json_is_either_read_or_reported(given_answers: Given, revenue: int) -> None:
    sheet = read(given_answers, product=TEO, revenue=revenue)

    reported = {problem.path.split(".")[0] for problem in sheet.problems if problem.path != "questions"}
    known = question_set(TEO, sheet.edition).by_spelling
    read_at = [index for index in range(len(given_answers)) if f"questions[{index}]" not in reported]
    assert {known[given_answers[index][0]].bare_id for index in read_at} == set(sheet.given)
    assert set(sheet.counting.values) <= set(sheet.given)
    assert all(is_a_value(value) for value in sheet.given.values())


def is_a_value(value: AnswerValue) -> bool:
    return isinstance(value, bool | int | str | Decimal | date | tuple)
