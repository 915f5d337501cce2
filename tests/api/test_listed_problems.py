"""How much a refusal lists: a hundred problems, at most 256 KB of them, and nothing of an overlong list."""

import json
from typing import Any

import httpx
import pytest

from support.floods import floods
from support.intake import changed, check_is_accepted, nothing_written, problems, refusal, send_raw
from support.service import Service

pytestmark = pytest.mark.asyncio(loop_scope="module")

CONTACT = {"email": "ben@harborlight.example", "contact_roles": ["policy_notices"]}
STRANGER = {f"unknown_{number}": 1 for number in range(500)}


def strangers(count: int) -> dict[str, Any]:
    """Return a body in which a contact has that many fields that are not allowed there."""
    unknown = dict(list(STRANGER.items())[:count])
    return changed(("client.insured_main_contact", {"email": "ann@harborlight.example", **unknown}))


async def test_a_hundred_problems_are_listed(shared: Service) -> None:
    refused = await refusal(shared, strangers(100))

    assert len(refused["errors"]) == 100
    assert "errors_left_out" not in refused
    assert refused["message"] == (
        "client.insured_main_contact.unknown_0: is not allowed here; "
        "the fields are email, cell_phone, first_name, last_name (and 99 more)"
    )


@pytest.mark.parametrize(("count", "left_out"), [(101, 1), (150, 50)])
async def test_of_more_problems_the_rest_is_counted(shared: Service, count: int, left_out: int) -> None:
    refused = await refusal(shared, strangers(count))

    assert len(refused["errors"]) == 100
    assert refused["errors_left_out"] == left_out
    assert refused["message"] == (
        "client.insured_main_contact.unknown_0: is not allowed here; "
        "the fields are email, cell_phone, first_name, last_name "
        f"(and {count - 1} more, {left_out} of them not listed)"
    )


async def test_validate_lists_and_counts_the_same(shared: Service) -> None:
    answer = await shared.post("/v2/quotes/validate", strangers(101))
    refused = await refusal(shared, strangers(101))

    assert answer.status_code == 200
    assert answer.json()["errors"] == refused["errors"]
    assert answer.json()["errors_left_out"] == refused["errors_left_out"] == 1


@pytest.mark.parametrize(
    ("path", "item", "most"),
    [
        ("policy.quotes", {"aggregate_limit": 1_000_000}, 15),
        ("client.additional_contacts", CONTACT, 100),
        ("client.domains", "clean.example.com", 75),
    ],
)
async def test_a_list_is_taken_up_to_its_limit_and_refused_whole_beyond_it(
    shared: Service, path: str, item: Any, most: int
) -> None:
    await check_is_accepted(shared, changed((path, [item] * most)))

    refused = await refusal(shared, changed((path, [item] * (most + 1))))
    assert refused["errors"] == [
        {"path": path, "code": "too_many_items", "message": f"must have at most {most} items"}
    ]


@pytest.mark.parametrize(
    ("path", "item", "most"),
    [
        ("policy.quotes", {"aggregate_limit": 1}, 15),
        ("client.additional_contacts", {}, 100),
        ("client.domains", "not a domain", 75),
        ("questions", {}, 200),
        ("questions", {"id": "Q1", "value": 1}, 200),
        ("questions[2].value", 5, 100),
    ],
)
async def test_the_items_of_an_overlong_list_are_not_explained(
    shared: Service, path: str, item: Any, most: int
) -> None:
    within = await problems(shared, changed((path, [item] * most), ("client.revenue", 0)))
    beyond = await problems(shared, changed((path, [item] * (most + 1)), ("client.revenue", 0)))

    assert any(where.startswith(f"{path}[") for where, _ in within)
    assert beyond == {(path, "too_many_items"), ("client.revenue", "out_of_range")}


async def test_metadata_has_at_most_50_fields(shared: Service) -> None:
    await check_is_accepted(shared, changed(("client.metadata", dict.fromkeys(map(str, range(50)), "note"))))

    refused = await refusal(shared, changed(("client.metadata", dict.fromkeys(map(str, range(51)), "note"))))
    assert refused["errors"] == [
        {"path": "client.metadata", "code": "too_many_items", "message": "must have at most 50 fields"}
    ]


async def test_a_body_holds_at_most_ten_thousand_values(shared: Service) -> None:
    def with_values(count: int) -> bytes:
        empty = json.dumps(changed(("client.extra", [0]))).encode()
        taken = sum(map(empty.count, (b",", b"[", b"{")))
        return json.dumps(changed(("client.extra", [0] * (count - taken + 1)))).encode()

    assert (await send_raw(shared, with_values(10_000))).status_code == 200
    async with nothing_written(shared):
        refused = await send_raw(shared, with_values(10_001))

    assert refused.status_code == 400
    assert refused.json()["errors"] == [
        {"path": "", "code": "too_many_items", "message": "must not hold more than 10,000 values in all"}
    ]


async def test_commas_and_brackets_in_texts_are_not_counted(shared: Service) -> None:
    await check_is_accepted(shared, changed(("client.extra", '[{,"\\' * 20_000)))


async def test_long_names_and_messages_are_cut(shared: Service) -> None:
    refused = await refusal(shared, changed(("client.insured_main_contact", {"a" * 900_000: 1})))

    assert ("client.insured_main_contact." + "a" * 64 + "…", "unknown_field") in {
        (problem["path"], problem["code"]) for problem in refused["errors"]
    }
    assert len(json.dumps(refused)) < 2_000


async def test_a_long_value_given_before_the_right_one_is_cut_in_the_message(shared: Service) -> None:
    body = (
        json.dumps(changed())
        .encode()
        .replace(b'"policy": {', b'"policy": {"insurance_product": "' + b"x" * 900_000 + b'", ', 1)
    )

    refused = await send_raw(shared, body)

    assert refused.status_code == 400
    assert len(refused.content) < 3_000


@pytest.mark.parametrize("path", ["/v2/quotes", "/v2/quotes/validate"])
@pytest.mark.parametrize("name", ["fields of a contact with long names", "9,000 bad characters 60 deep"])
async def test_no_answer_holds_more_than_256_kb_of_problems(shared: Service, path: str, name: str) -> None:
    answer: httpx.Response = await shared.http.post(
        path, content=floods()[name], headers={**shared.headers, "content-type": "application/json"}
    )

    assert answer.json()["errors_left_out"] > 0
    assert len(json.dumps(answer.json()["errors"], ensure_ascii=False).encode()) <= 256 * 1024
