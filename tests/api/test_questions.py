"""GET `/questions/{product}`."""

from typing import Any

import pytest

from support.service import Service

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def questions_of(service: Service, product: str) -> dict[str, dict[str, Any]]:
    answer = await service.get(f"/v2/questions/{product}")
    assert answer.status_code == 200
    return {question["id"]: question for question in answer.json()["questions"]}


@pytest.mark.parametrize("product", ["CYB", "TEO", "MPL"])
async def test_a_product_has_its_questions_with_their_edition(shared: Service, product: str) -> None:
    answer = await shared.get(f"/v2/questions/{product}")

    body = answer.json()
    assert answer.status_code == 200
    assert set(body) == {"edition", "product", "questions", "missing"}
    assert body["missing"] is None
    assert (body["edition"], body["product"]) == ("2026.1", product)
    # As in a request's body.
    small = await shared.get(f"/v2/questions/{product.lower()}")
    assert (small.status_code, small.json()["code"]) == (404, "not_found")
    assert product in small.json()["message"]
    for question in body["questions"]:
        assert set(question) == {
            "id",
            "section",
            "text",
            "help",
            "type",
            "options",
            "exclusive_options",
            "required_when",
            "limits",
        }
        assert question["text"]
        assert bool(question["options"]) is question["type"].endswith("_select")


async def test_the_cyber_set_is_that_of_the_specification(shared: Service) -> None:
    types = {name: question["type"] for name, question in (await questions_of(shared, "CYB")).items()}

    assert types == {
        "Q2134": "boolean",
        "Q2314": "numeric",
        "Q2244": "multi_select",
        "Q2159": "boolean",
        "Q2142": "boolean",
        "Q2311": "multi_select",
        "Q2312": "free_text",
        "Q2313": "single_select",
        "Q2300": "boolean",
        "Q2301": "boolean",
        "Q2307": "single_select",
        "Q2308": "free_text",
        "Q2302": "multi_select",
        "Q2303": "free_text",
        "Q2304": "multi_select",
        "Q2305": "free_text",
        "Q2309": "single_select",
        "Q2310": "free_text",
        "Q2315": "single_select",
        "Q2316": "multi_select",
        "Q2317": "free_text",
        "Q2326": "single_select",
        "Q2146": "boolean",
        "Q2124": "free_text",
        "Q2147": "boolean",
        "Q2119": "free_text",
    }


async def test_teo_asks_everything_that_cyb_asks_and_its_own(shared: Service) -> None:
    cyber, technology = await questions_of(shared, "CYB"), await questions_of(shared, "TEO")

    assert cyber.items() <= technology.items()
    assert list(technology)[len(cyber) :] == [
        "2246",
        "2204",
        "2210",
        "2209",
        "2211",
        "2224",
        "2208",
        "2227",
        "2226",
        "2248",
        "2229",
        "2207",
        "2249",
        "2205",
    ]


async def test_conditions_and_options_are_given_as_data(shared: Service) -> None:
    questions = await questions_of(shared, "CYB")

    assert questions["Q2134"]["required_when"] == {"always": True}
    assert questions["Q2124"]["required_when"] == {"answer": "Q2146", "is": True}
    assert questions["Q2124"]["limits"] == {"min_length": 1, "max_length": 4000}
    assert questions["Q2307"]["required_when"] == {"revenue": {"at_least": 5_000_000}}
    assert questions["Q2313"]["options"] == ["Yes", "No", "Unknown"]
    assert questions["Q2244"]["exclusive_options"] == ["None of the above"]
    assert len(questions["Q2302"]["options"]) == 16


@pytest.mark.parametrize("product", ["GL", "CYBER", "%20", "C%00B"])
async def test_another_product_is_answered_404(shared: Service, product: str) -> None:
    answer = await shared.get(f"/v2/questions/{product}")

    assert answer.status_code == 404
    assert answer.json()["code"] == "not_found"


async def test_as_many_answers_as_a_quote_has_are_taken_and_one_more_is_not(shared: Service) -> None:
    def asked(count: int) -> str:
        return "/v2/questions/CYB?" + "&".join(f"answer.Z{number}=yes" for number in range(count))

    most = await shared.get(asked(200))
    more = await shared.get(asked(201))

    assert (most.status_code, more.status_code) == (400, 400)
    assert {error["code"] for error in most.json()["errors"]} == {"unknown_question"}
    assert more.json()["errors"] == [
        {"path": "answer.", "code": "too_many_items", "message": "must not be more than 200"}
    ]
