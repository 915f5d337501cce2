"""What was typed into a draft, the request that it stands for, and two who type at once."""

from datetime import date
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bindery.base.errors import Problem
from bindery.contract.questions import QuestionType
from bindery.contract.quotes import CreateQuotesRequest
from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.drafts.draft import DraftStep, field_of, step_of
from bindery.domain.drafts.fields import body_of, fields_of, is_field
from bindery.domain.drafts.merging import Merged, TypedByOther, mark_of, merged, read_form, written_marks
from bindery.domain.questions.question import QUESTIONS, QuestionText
from support.intake import PROFESSIONAL_ANSWERS, TECHNOLOGY_ANSWERS, changed
from support.tables import each_row

TODAY = date(2026, 11, 18)
ANN, BO = "Ann <ann@example.com>", "Bo <bo@example.com>"

texts = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=12)
labels = st.from_regex(r"[a-z0-9-]{1,8}\.[a-z]{2,5}", fullmatch=True)
amounts = st.sampled_from([2_500, 5_000, 10_000])
contacts = st.fixed_dictionaries(
    {"email": texts, "contact_roles": st.just(["security_alerts"])}, optional={"nickname": texts}
)
clients = st.fixed_dictionaries(
    {
        "name": texts,
        "revenue": st.integers(1, 5_000_000_000),
        "broker_email": texts,
        "address": st.fixed_dictionaries(
            {"street": texts, "city": texts, "zip": texts}, optional={"state": texts, "street2": texts}
        ),
    },
    optional={
        "company_id": st.from_regex(r"[1-9][0-9]{8}", fullmatch=True),
        "dba": texts,
        "domains": st.lists(labels, min_size=1, max_size=4),
        "industry": st.from_regex(r"[0-9]{6}", fullmatch=True),
        "insured_main_contact": st.fixed_dictionaries({"email": texts}, optional={"last_name": texts}),
        "additional_contacts": st.lists(contacts, min_size=1, max_size=2),
        "secondary_broker_email": texts,
        "metadata": st.dictionaries(texts, st.integers() | texts | st.booleans(), min_size=1, max_size=3),
        "a_field_of_tomorrow": st.integers() | texts | st.lists(st.booleans()),
    },
)
options = st.fixed_dictionaries(
    {"aggregate_limit": st.sampled_from([500_000, 1_000_000])},
    optional={"aggregate_retention": amounts, "per_claim_retention": amounts},
)


def answers_to(question: QuestionText) -> st.SearchStrategy[Any]:
    choices = st.sampled_from([option.text for option in question.options] or ["-"])
    return {
        QuestionType.BOOLEAN: st.booleans(),
        QuestionType.NUMERIC: st.integers(-5, 10**13),
        QuestionType.AMOUNT: st.integers(0, 10**13) | st.just("$1,250.50"),
        QuestionType.DATE: st.dates().map(str),
        QuestionType.FREE_TEXT: texts,
        QuestionType.SINGLE_SELECT: choices,
        QuestionType.MULTI_SELECT: st.lists(choices, min_size=1, max_size=3, unique=True),
    }[question.type]


@st.composite
def requests(draw: st.DrawFn) -> dict[str, Any]:
    product = draw(st.sampled_from(list(InsuranceProduct)))
    questions = QUESTIONS.in_force(TODAY).sets[product].questions
    asked = [question for question in questions if draw(st.booleans())]
    return {
        "client": draw(clients),
        "policy": {
            "insurance_product": product.value,
            **draw(
                st.fixed_dictionaries(
                    {},
                    optional={
                        "dates": st.fixed_dictionaries({"effective": st.dates().map(str)}),
                        "program_code": texts,
                        "quotes": st.lists(options, min_size=1, max_size=15),
                    },
                )
            ),
        },
        "questions": [{"id": question.id, "value": draw(answers_to(question))} for question in asked],
    }


@settings(max_examples=25, deadline=None)
@given(requests())
def test_a_request_becomes_fields_and_the_same_request_again(body: dict[str, Any]) -> None:
    fields = fields_of(body, TODAY)

    assert body_of(fields, TODAY) == body
    assert all(is_field(name) for name in fields)
    assert msgspec.json.decode(msgspec.json.encode(fields), type=dict[str, tuple[str, ...]]) == fields


@pytest.mark.parametrize("answers", [TECHNOLOGY_ANSWERS, PROFESSIONAL_ANSWERS])
def test_answers_by_any_spelling_of_their_ids_are_the_printed_questions(answers: dict[str, Any]) -> None:
    product = "TEO" if answers is TECHNOLOGY_ANSWERS else "MPL"
    body = changed(
        ("policy.insurance_product", product),
        ("questions", [{"id": question_id, "value": value} for question_id, value in answers.items()]),
    )

    again = body_of(fields_of(body, TODAY), TODAY)

    msgspec.convert(again, CreateQuotesRequest)
    given = {entry["id"].removeprefix("Q"): entry["value"] for entry in again["questions"]}
    assert given.keys() == {question_id.removeprefix("Q") for question_id in answers}


@each_row(
    ("text", "value"),
    [
        ("6400000", 6_400_000),
        ("6,400,000", 6_400_000),
        ("$6,400,000", 6_400_000),
        ("$ 6,400,000.00", 6_400_000),
        ("6.4 million", "6.4 million"),
        ("6,40", "6,40"),
        ("6400000.5", "6400000.5"),
    ],
)
def test_a_revenue_is_a_number_if_it_reads_as_one_and_else_what_was_typed(
    text: str, value: int | str
) -> None:
    assert body_of({"client.revenue": (text,)}, TODAY)["client"]["revenue"] == value


def test_domains_come_a_line_each_or_between_commas_and_keep_what_is_wrong_with_them() -> None:
    body = body_of(
        {"client.domains": (" a.example.com \n\nmarble lighthouse.example, b.example.com;",)}, TODAY
    )

    assert body["client"]["domains"] == ["a.example.com", "marble lighthouse.example", "b.example.com"]


def test_nothing_is_added_to_what_was_typed_but_the_objects_around_it() -> None:
    assert body_of({}, TODAY) == {"client": {"address": {}}, "policy": {}, "questions": []}
    assert fields_of(["no", "request"], TODAY) == {}
    odd = {"client": {"name": None, "a.b": 1, "address": "x", "dba": "x\x00y"}, "policy": []}
    assert fields_of(odd, TODAY) == {"client.dba": ("xy",)}


@each_row(
    "name", ["client.name.x", "client.address", "questions", "questions.Q1.x", "go", "a" * 200, "client."]
)
def test_what_is_no_field_of_a_request_is_not_kept(name: str) -> None:
    assert not is_field(name)


def test_answers_to_unknown_questions_are_kept_and_go_along() -> None:
    body = changed(("questions", [{"id": "Q9", "value": "x"}, {"id": "Q8", "value": ["a", "b"]}]))

    fields = fields_of(body, TODAY)

    assert fields["questions.Q8"] == ("a", "b")
    assert body_of(fields, TODAY)["questions"] == [
        {"id": "Q8", "value": ["a", "b"]},
        {"id": "Q9", "value": "x"},
    ]


@each_row(
    ("path", "code", "message", "field", "step"),
    [
        ("client.revenue", "wrong_type", "must be an integer", "client.revenue", DraftStep.COMPANY),
        ("client.domains[1]", "not_a_domain", "is not", "client.domains", DraftStep.COMPANY),
        ("policy.quotes[3].aggregate_limit", "x", "y", "policy.quotes", DraftStep.OPTIONS),
        ("questions[0].value", "wrong_type", "Q2314 is", "questions.Q2314", DraftStep.QUESTIONS),
        ("questions", "missing_answer", "Q2134 is required: Why?", "questions.Q2134", DraftStep.QUESTIONS),
    ],
)
def test_a_problem_leads_to_its_field_and_step(
    path: str, code: str, message: str, field: str, step: DraftStep
) -> None:
    body = {"questions": [{"id": "Q2314", "value": "x"}]}

    found = field_of(Problem(path, code, message), body)

    assert found == field
    assert step_of(found) is step


def saved(
    stored: dict[str, tuple[str, ...]],
    shown: dict[str, tuple[str, ...]],
    *typed: tuple[str, str],
    by: str = ANN,
    names: tuple[str, ...] = ("client.name", "client.dba"),
) -> Merged:
    """Save a page that showed some fields over what is stored, which Bo typed."""
    form = read_form(written_marks(names, shown), typed)
    return merged(stored, dict.fromkeys(stored, BO), {}, form, by=by)


def test_what_only_one_of_two_changed_is_merged() -> None:
    changes = saved(
        {"client.name": ("Bo's",), "client.dba": ("old",)},
        {"client.name": ("old",), "client.dba": ("old",)},
        ("client.name", "old"),
        ("client.dba", "Ann's"),
    )

    assert changes.fields == {"client.name": ("Bo's",), "client.dba": ("Ann's",)}
    assert changes.typists == {"client.name": BO, "client.dba": ANN}
    assert (changes.conflicts, changes.others) == ((), {})


def test_what_both_changed_keeps_what_is_typed_and_who_typed_what_beside_it() -> None:
    changes = saved({"client.name": ("Bo's",)}, {"client.name": ("old",)}, ("client.name", "Ann's"))

    assert changes.fields == {"client.name": ("Ann's",)}
    assert changes.others == {"client.name": TypedByOther(("Bo's",), BO)}
    assert changes.conflicts == ("client.name",)


def test_the_same_change_by_both_is_no_conflict_nor_is_what_one_typed_oneself() -> None:
    same = saved({"client.name": ("new",)}, {"client.name": ("old",)}, ("client.name", "new"))
    own = saved({"client.name": ("ne",)}, {"client.name": ("old",)}, ("client.name", "new"), by=BO)

    assert (same.conflicts, own.conflicts) == ((), ())
    assert own.fields == {"client.name": ("new",)}


def test_a_field_that_was_shown_and_comes_back_empty_is_cleared_and_others_stay() -> None:
    stored = {"client.name": ("old",), "questions.Q1": ("a", "b")}

    changes = saved(stored, stored, ("client.name", ""), ("go", "next"), ("industry_q", "x"))

    assert changes.fields == {"questions.Q1": ("a", "b")}


def test_several_values_of_a_name_are_one_field_and_marked_as_such() -> None:
    changes = saved({}, {}, ("questions.Q1", "a"), ("questions.Q1", "b"), names=("questions.Q1",))

    assert changes.fields == {"questions.Q1": ("a", "b")}
    assert mark_of(("a", "b")) != mark_of(("ab",)) != mark_of(())


def test_marks_that_nobody_wrote_do_no_harm() -> None:
    form = read_form("x client.name:0 :: client.name", [("client.name", "new"), ("client..name", "x")])

    assert form.marks == {"client.name": "0"}
    assert merged({}, {}, {}, form, by=ANN).fields == {"client.name": ("new",)}
