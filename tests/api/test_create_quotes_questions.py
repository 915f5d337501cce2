"""The specification's table Question and its question sets, over HTTP."""

from typing import Any

import pytest

from support.intake import (
    PROFESSIONAL_ANSWERS,
    REMOVED,
    TECHNOLOGY_ANSWERS,
    changed,
    check_is_accepted,
    problems,
    professional,
    refusal,
    technology,
)
from support.service import Service

pytestmark = pytest.mark.asyncio(loop_scope="module")

CYBER = ("Q2134", "Q2314", "Q2244", "Q2159", "Q2142", "Q2300", "Q2301", "Q2146", "Q2147")
LARGER_FIRM = {
    "Q2311": ["Unknown"],
    "Q2313": "Yes",
    "Q2307": "No",
    "Q2302": ["No SEG in Place"],
    "Q2304": ["No EDR in Place"],
    "Q2315": "No",
}


def answering(question: str, value: Any) -> dict[str, Any]:
    """Return a good CYB body with one answer replaced or added."""
    body = changed()
    kept = [item for item in body["questions"] if item["id"] != question]
    body["questions"] = [*kept, {"id": question, "value": value}]
    return body


def without(body: dict[str, Any], question: str) -> dict[str, Any]:
    return {**body, "questions": [item for item in body["questions"] if item["id"] != question]}


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("Q2134", True),
        ("Q2134", "true"),
        ("Q2134", "False"),
        ("2134", "TRUE"),
        ("q2134", False),
        ("Q2314", 1),
        ("Q2314", "35"),
        ("Q2244", ["Cannabis", "Gambling"]),
        ("Q2244", "None of the above"),
        ("2244", ["Managed IT service provider (MSP or MSSP)"]),
        ("Q2312", "A vendor, though nobody asked"),
        ("Q2313", "Unknown"),
        ("Q2313", ["Yes"]),
    ],
)
async def test_an_answer_of_the_right_kind_is_accepted(shared: Service, question: str, value: Any) -> None:
    spelled_otherwise = {"2134": "Q2134", "q2134": "Q2134", "2244": "Q2244"}.get(question)
    body = answering(question, value)

    await check_is_accepted(shared, without(body, spelled_otherwise) if spelled_otherwise else body)


@pytest.mark.parametrize(
    ("question", "value", "code"),
    [
        ("Q2134", "yes", "wrong_type"),
        ("Q2134", 1, "wrong_type"),
        ("Q2134", ["true"], "wrong_type"),
        ("Q2314", 0, "out_of_range"),
        ("Q2314", -3, "out_of_range"),
        ("Q2314", "many", "wrong_type"),
        ("Q2314", "3.5", "wrong_type"),
        ("Q2314", True, "wrong_type"),
        ("Q2314", 10**40, "out_of_range"),
        ("Q2244", "Baking", "not_an_option"),
        ("Q2244", "cannabis", "not_an_option"),
        ("Q2244", ["Cannabis", "None of the above"], "exclusive_option"),
        ("Q2244", True, "wrong_type"),
        ("Q2313", ["Yes", "No"], "too_many"),
        ("Q2313", "yes", "not_an_option"),
        ("Q2312", 5, "wrong_type"),
    ],
)
async def test_an_answer_of_the_wrong_kind_is_refused(
    shared: Service, question: str, value: Any, code: str
) -> None:
    body = answering(question, value)

    assert await problems(shared, body) == {(f"questions[{len(body['questions']) - 1}].value", code)}


@pytest.mark.parametrize("value", [None, 3.5, {"a": 1}])
async def test_a_value_that_no_question_takes_is_refused(shared: Service, value: Any) -> None:
    found = await problems(shared, changed(("questions[1].value", value)))

    assert found == {("questions[1].value", "wrong_type")}


async def test_each_item_of_a_list_is_looked_at(shared: Service) -> None:
    body = changed(("questions[2].value", ["Cannabis", 5, "Baking", None]))

    assert await problems(shared, body) == {
        ("questions[2].value[1]", "wrong_type"),
        ("questions[2].value[2]", "not_an_option"),
        ("questions[2].value[3]", "wrong_type"),
    }


@pytest.mark.parametrize(
    ("item", "where", "code"),
    [
        ({"value": True}, "questions[9].id", "required"),
        ({"id": "Q2134"}, "questions[9].value", "required"),
        ({"id": 2134, "value": True}, "questions[9].id", "wrong_type"),
        ({"id": "", "value": True}, "questions[9].id", "too_short"),
        ({"id": "Q" * 65, "value": True}, "questions[9].id", "too_long"),
        ({"id": "Q9999", "value": True}, "questions[9].id", "unknown_question"),
        ({"id": "QQ2134", "value": True}, "questions[9].id", "unknown_question"),
        ({"id": "2246", "value": True}, "questions[9].id", "unknown_question"),
        ({"id": "2134", "value": False}, "questions[9].id", "duplicate_question"),
        ("Q2134", "questions[9]", "wrong_type"),
    ],
)
async def test_an_item_that_answers_nothing_is_refused(
    shared: Service, item: Any, where: str, code: str
) -> None:
    assert (where, code) in await problems(shared, changed(("questions[9]", item)))


async def test_both_question_tables_filled_in_with_the_same_answers_are_taken(shared: Service) -> None:
    twice = [{"id": "2146", "value": False}, {"id": "2147", "value": "false"}]

    await check_is_accepted(shared, changed(("questions[9]", twice[0]), ("questions[10]", twice[1])))


async def test_fields_beyond_id_and_value_are_ignored(shared: Service) -> None:
    await check_is_accepted(shared, changed(("questions[0].label", "Website?")))


async def test_two_hundred_answers_are_read_and_one_more_is_refused(shared: Service) -> None:
    filler = [{"id": f"Q9{number:03}", "value": True} for number in range(200)]

    unknown = await problems(shared, changed(("questions", filler)))
    too_many = await problems(shared, changed(("questions", [*filler, filler[0]])))

    assert ("questions", "too_many_items") not in unknown
    assert ("questions", "too_many_items") in too_many


@pytest.mark.parametrize("question", CYBER)
async def test_a_missing_answer_is_named(shared: Service, question: str) -> None:
    refused = await refusal(shared, without(changed(), question))

    (problem,) = refused["errors"]
    assert (problem["path"], problem["code"]) == ("questions", "missing_answer")
    assert problem["message"].startswith(f"{question} is required")


async def test_all_missing_answers_are_named_at_once(shared: Service) -> None:
    refused = await refusal(shared, changed(("questions", [])))

    assert [problem["message"].split(" ")[0] for problem in refused["errors"]] == list(CYBER)


@pytest.mark.parametrize("question", ["Q2134", "Q2147", "2246", "2204", "2226", "2248", "2207"])
async def test_teo_requires_the_cyber_questions_and_its_own(shared: Service, question: str) -> None:
    refused = await refusal(shared, without(technology(), question))

    assert {problem["code"] for problem in refused["errors"]} == {"missing_answer"}
    assert refused["errors"][0]["message"].startswith(f"{question} is required")


@pytest.mark.parametrize("question", ["Q2401", "Q2404", "Q2405", "Q2423"])
async def test_mpl_has_questions_of_its_own(shared: Service, question: str) -> None:
    refused = await refusal(shared, without(professional(), question))

    assert refused["errors"][0]["message"].startswith(f"{question} is required")


async def test_a_complete_set_of_each_product_is_accepted(shared: Service) -> None:
    assert len(TECHNOLOGY_ANSWERS) == 10
    assert len(PROFESSIONAL_ANSWERS) == 15
    for body in (changed(), technology(), professional()):
        await check_is_accepted(shared, body)


async def test_ids_of_teo_are_taken_with_and_without_the_letter(shared: Service) -> None:
    body = technology()
    for item in body["questions"]:
        item["id"] = item["id"].removeprefix("Q") if item["id"].startswith("Q") else f"Q{item['id']}"

    await check_is_accepted(shared, body)


async def test_from_five_million_of_revenue_more_is_asked(shared: Service) -> None:
    just_below = changed(("client.revenue", 4_999_999))
    at_the_bound = changed(("client.revenue", 5_000_000))

    await check_is_accepted(shared, just_below)
    refused = await refusal(shared, at_the_bound)

    assert {problem["message"].split(" ")[0] for problem in refused["errors"]} == set(LARGER_FIRM)
    at_the_bound["questions"] += [{"id": name, "value": value} for name, value in LARGER_FIRM.items()]
    await check_is_accepted(shared, at_the_bound)


async def test_yes_to_a_past_claim_asks_for_details_of_any_length(shared: Service) -> None:
    body = answering("Q2146", value=True)
    assert await problems(shared, body) == {("questions", "missing_answer")}

    body["questions"].append({"id": "2124", "value": " "})
    assert await problems(shared, body) == {("questions", "missing_answer")}

    body["questions"][9]["value"] = "?"
    await check_is_accepted(shared, body)


async def test_answers_are_read_though_the_revenue_is_not(shared: Service) -> None:
    body = changed(("client.revenue", REMOVED), ("questions[0].value", "perhaps"), ("questions[8]", REMOVED))

    assert await problems(shared, body) == {
        ("client.revenue", "required"),
        ("questions[0].value", "wrong_type"),
        ("questions", "missing_answer"),
    }


async def test_an_unreadable_answer_is_not_missing_as_well(shared: Service) -> None:
    found = await problems(shared, changed(("questions[0].value", None), ("client.name", "")))

    assert found == {("questions[0].value", "wrong_type"), ("client.name", "too_short")}
