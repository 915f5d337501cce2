"""What a client answered, as it comes into a draft."""

import uuid
from datetime import UTC, datetime

import pytest

from bindery.domain.drafts.client_answers import (
    answered_fields,
    answered_otherwise,
    taken_over,
    written_answers,
)
from bindery.domain.drafts.draft import Draft
from bindery.domain.drafts.draft_applicant import read_applicant
from bindery.domain.drafts.fields import Fields, body_of, fields_of, unkept_answers, unknown_answers
from bindery.domain.drafts.merging import TypedByOther
from bindery.domain.questions.layout import lay_out, part_of
from support.drafts import TODAY, typed

NOW = datetime(2026, 11, 18, 17, tzinfo=UTC)
PAT, DANA = "Pat Broker <pat@example.com>", "Dana Fox <dana@example.com>"


def a_draft(**fields: tuple[str, ...]) -> Draft:
    named = {name.replace("__", "."): values for name, values in fields.items()}
    return Draft(
        draft_id=uuid.UUID(int=1),
        partner_id=1,
        version=1,
        fields=named,
        typists=dict.fromkeys(named, PAT),
        others={},
        question_edition="2026.1",
        created_by="Pat Broker",
        changed_by="Pat Broker",
        created_at=NOW,
        changed_at=NOW,
        sent_as=None,
        company_id=None,
    )


def test_answers_are_read_back_as_they_were_written() -> None:
    given = {"Q2134": ("true",), "Q2244": ("Gambling",)}

    text = written_answers(given, several={"Q2244"})

    assert text == '[{"id":"Q2134","value":"true"},{"id":"Q2244","value":["Gambling"]}]'
    assert answered_fields(text) == {f"questions.{name}": values for name, values in given.items()}
    assert answered_fields(None) == {}


def test_an_empty_field_takes_the_answer_and_a_full_one_keeps_both() -> None:
    draft = a_draft(questions__Q2314=("58",), questions__Q2159=("false",))
    answers: Fields = {
        "questions.Q2134": ("true",),
        "questions.Q2314": ("60",),
        "questions.Q2159": ("false",),
    }

    found = taken_over(draft, answers, by=DANA)

    assert found.fields == {**draft.fields, "questions.Q2134": ("true",)}
    assert found.typists["questions.Q2134"] == DANA
    assert found.others == {"questions.Q2314": TypedByOther(("60",), DANA)}
    assert found.conflicts == answered_otherwise(draft.fields, answers) == ("questions.Q2314",)


def test_a_chosen_answer_takes_the_place_of_what_stays_beside_it() -> None:
    draft = a_draft(questions__Q2314=("58",))

    found = taken_over(draft, {"questions.Q2314": ("60",)}, by=DANA, chosen={"questions.Q2314"})

    assert (found.fields, found.conflicts) == ({"questions.Q2314": ("60",)}, ())
    assert found.others == {"questions.Q2314": TypedByOther(("58",), PAT)}


def test_the_order_of_what_was_ticked_makes_no_difference() -> None:
    draft = a_draft(questions__Q2244=("Gambling", "Cannabis"))

    found = taken_over(draft, {"questions.Q2244": ("Cannabis", "Gambling")}, by=DANA)

    assert (found.fields, found.others) == (draft.fields, {})


def asked(*wanted: str, **more: str) -> dict[str, list[str]]:
    applicant = read_applicant(body_of(typed(**more), TODAY), TODAY)
    sections = lay_out(applicant.questions, applicant.circumstances)
    return {
        section.title: [question.id for question in section] for section in part_of(sections, set(wanted))
    }


def test_a_question_is_asked_with_what_its_answers_bring_up() -> None:
    (questions,) = asked("2142").values()

    assert questions[0] == "Q2142"
    assert {"Q2311", "Q2313"} <= set(questions)


def test_a_conditional_question_is_asked_without_its_cause() -> None:
    (questions,) = asked("2311").values()

    assert questions[0] == "Q2311"
    assert "Q2142" not in questions


def test_nothing_is_asked_that_revenue_or_product_rule_out() -> None:
    assert asked("2307", client__revenue="900,000") == {}
    assert asked("9999") == {}


@pytest.mark.parametrize(
    ("answers", "unknown", "unkept"),
    [
        ([{"id": "Q2134", "value": True}], {}, ()),
        ([{"id": "Q9999", "value": "x"}], {"Q9999": ("x",)}, ()),
        ([{"id": "What else?", "value": "x"}, {"id": 7, "value": "y"}], {}, ("What else?", "7")),
        ([{"id": "Q1", "value": None}, "Q2", {}], {}, ()),
        ("none", {}, ()),
    ],
)
def test_answers_to_unknown_questions_are_kept_and_named(
    answers: object, unknown: dict[str, tuple[str, ...]], unkept: tuple[str, ...]
) -> None:
    body = {"client": {"name": "X"}, "questions": answers}

    fields = {**fields_of(body, TODAY), "questions.seen": ("0 0",)}

    assert unknown_answers(fields, TODAY) == unknown
    assert unkept_answers(body) == unkept
    assert unkept_answers([]) == ()
