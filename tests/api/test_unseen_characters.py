"""Texts of a request hold no character that cannot be seen: no controls, no turned directions."""

import json
from typing import Any

import pytest

from support.intake import changed, check_is_accepted, nothing_written, refusal
from support.service import Service

pytestmark = pytest.mark.asyncio(loop_scope="module")

CONTACT = {"email": "ben@harborlight.example", "contact_roles": ["policy_notices"]}
ONE_LINE = [
    "client.name",
    "client.dba",
    "client.address.street",
    "client.address.street2",
    "client.address.city",
    "client.address.zip",
    "client.address.state",
    "client.broker_email",
    "client.secondary_broker_email",
    "client.insured_main_contact.email",
    "client.insured_main_contact.first_name",
    "client.insured_main_contact.last_name",
    "client.insured_main_contact.cell_phone",
    "client.additional_contacts[0].email",
    "client.additional_contacts[0].first_name",
    "client.additional_contacts[0].last_name",
    "client.additional_contacts[0].cell_phone",
    "client.domains[0]",
    "policy.program_code",
    "policy.dates.mpl_retroactive_date",
]
NOWHERE = {"\0": "U+0000", "\x1b": "U+001B", "\x7f": "U+007F", "\x85": "U+0085", "\u200f": "U+200F"} | {
    "\u2028": "U+2028",
    "\u202e": "U+202E",
    "\u2066": "U+2066",
    "\ufeff": "U+FEFF",
}
LINE_BREAKS = {"\n": "U+000A", "\r": "U+000D", "\t": "U+0009"}


def holding(path: str, value: Any) -> dict[str, Any]:
    return changed(
        ("client.insured_main_contact", {"email": "ann@harborlight.example"}),
        ("client.additional_contacts", [CONTACT]),
        ("client.domains", ["clean.example.com"]),
        ("policy.dates", {"effective": "2026-12-01"}),
        ("questions[9]", {"id": "Q2308", "value": "n/a"}),
        (path, value),
    )


def found(refused: dict[str, Any], path: str) -> list[tuple[str, str]]:
    return [(e["code"], e["message"]) for e in refused["errors"] if e["path"] == path]


async def test_a_text_of_one_line_is_refused_with_the_place_and_the_character(
    shared: Service, subtests: pytest.Subtests
) -> None:
    for character, name in [("\u202e", "U+202E"), ("\n", "U+000A")]:
        for path in ONE_LINE:
            with subtests.test(f"{path} {name}"):
                refused = await refusal(shared, holding(path, f"a{character}b"))

                assert ("bad_character", f"must not contain the character {name}") in found(refused, path)


async def test_every_such_character_is_refused_in_a_name_however_it_is_written(
    shared: Service, subtests: pytest.Subtests
) -> None:
    for character, name, escaped in [
        (character, name, escaped)
        for character, name in (NOWHERE | LINE_BREAKS).items()
        for escaped in (True, False)
        if escaped or character >= " "  # JSON knows the others only escaped
    ]:
        with subtests.test(f"{name} {escaped=}"):
            body = json.dumps(holding("client.name", f"Harbor{character}light"), ensure_ascii=escaped)

            async with nothing_written(shared):
                answer = await shared.http.post(
                    "/v2/quotes",
                    content=body.encode(),
                    headers={**shared.headers, "content-type": "application/json"},
                )

            assert answer.status_code == 400
            assert answer.json()["errors"] == [
                {
                    "path": "client.name",
                    "code": "bad_character",
                    "message": f"must not contain the character {name}",
                }
            ]


async def test_what_is_refused_everywhere_is_refused_in_free_texts_too(
    shared: Service, subtests: pytest.Subtests
) -> None:
    for path in ["questions[9].value", "questions[2].value[0]", "client.metadata.note", "client.extra"]:
        for character, name in NOWHERE.items():
            with subtests.test(f"{path} {name}"):
                refused = await refusal(shared, holding(path, f"a{character}b"))

                assert ("bad_character", f"must not contain the character {name}") in found(refused, path)


@pytest.mark.parametrize("path", ["questions[9].value", "client.metadata.note", "client.extra"])
async def test_free_texts_may_have_lines_and_tabs(shared: Service, path: str) -> None:
    await check_is_accepted(shared, holding(path, "one\r\n\ttwo\nthree"))


@pytest.mark.parametrize("name", ["a\nb", "a\u202eb", "\ufeff"])
async def test_names_in_metadata_are_one_line(shared: Service, name: str) -> None:
    refused = await refusal(shared, holding("client.metadata", {name: 1}))

    assert [code for code, _ in found(refused, "client.metadata")] == ["bad_character"]


async def test_letters_of_all_languages_are_taken(shared: Service) -> None:
    for name in ("Bäckerei Süd", "株式会社ベーカリー", "مخبز المرفأ", "מאפיית הנמל", "Zoës 👩🏽‍🍳 Pies"):
        await check_is_accepted(shared, holding("client.name", name))


@pytest.mark.parametrize("character", ["\u202e", "\n", "\u0085"])
async def test_an_endpoint_of_a_webhook_is_one_line(shared: Service, character: str) -> None:
    endpoint = f"http://127.0.0.1:9/ho{character}ok"

    answer = await shared.post(
        "/v2/webhooks", {"endpoint": endpoint, "quote_level": True, "policy_level": True}
    )

    assert answer.status_code == 400
    (problem,) = answer.json()["errors"]
    assert (problem["path"], problem["code"]) == ("endpoint", "bad_character")
    assert problem["message"].endswith(f"U+{ord(character):04X}")


@pytest.mark.parametrize("place", ["reason", "contingency.text"])
async def test_a_reason_may_have_lines_but_no_turned_direction(shared: Service, place: str) -> None:
    receipt = await shared.submit()
    path = f"/v2/demo/quotes/{receipt['quotes'][0]['quote_identifier']}/review"

    def asked(text: str) -> dict[str, Any]:
        if place == "reason":
            return {"decision": "decline", "reason": text}
        return {"decision": "add_contingency", "contingency": {"type": "post_bind", "text": text}}

    refused = await shared.post(path, asked("a\u202eb"))
    with_lines = await shared.post(path, asked("a\nb"))

    assert [(e["path"], e["code"]) for e in refused.json()["errors"]] == [(place, "bad_character")]
    assert "bad_character" not in with_lines.text


async def test_a_bind_names_its_contacts_in_one_line(shared: Service) -> None:
    answer = await shared.post(
        "/v2/binds",
        {
            "quote_identifier": "x",
            "dates": {"effective": "2026-12-01"},
            "client": {"insured_main_contact": {"email": "a@example.com", "first_name": "A\u202eB"}},
        },
    )

    assert answer.status_code == 400
    assert [(e["path"], e["code"]) for e in answer.json()["errors"]] == [
        ("client.insured_main_contact.first_name", "bad_character")
    ]
