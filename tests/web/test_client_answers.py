"""Questions that a broker asks a client by a link."""

import json
from typing import Any

import pytest

from support.binding import DAY, set_day
from support.drafts import start
from support.links import Client, questions_to
from support.people import Person, text_of
from support.service import Service

ASKED = ("Q2134", "Q2314", "Q2244", "Q2207")
"""Q2207 is no question of today's."""


async def asked_client(service: Service, broker: Person, *asked: str) -> Client:
    await set_day(service, DAY)
    place = await start(broker)
    link = await questions_to(service, place, *(asked or ASKED), message="Three things,\nplease.")
    return Client(service, link)


async def kept(service: Service) -> dict[str, Any]:
    (row,) = await service.runtime.database.pool.fetch("select status, answers from client_links")
    return dict(row)


async def test_questions_are_answered_once_and_kept_as_a_request_has_them(
    service: Service, broker: Person, subtests: pytest.Subtests
) -> None:
    client = await asked_client(service, broker)
    page = await client.open(client.path)

    with subtests.test("each question with the answers that it takes"):
        said = text_of(page)
        assert "Questions for you" in said
        assert "Three things, please." in said
        for name in ("questions.Q2134", "questions.Q2314", "questions.Q2244"):
            assert f'name="{name}"' in page
    with subtests.test("nothing answered"):
        assert "Please answer at least one question." in text_of(
            await client.fill(page, "answers", status=422)
        )

    wrong = await client.fill(
        page, "answers", status=422, **{"questions.Q2134": "true", "questions.Q2314": "many"}
    )
    with subtests.test("what does not fit is said, and nothing typed is lost"):
        assert 'value="many"' in wrong
        assert 'value="true" checked' in wrong
        assert (await kept(service))["status"] == "opened"

    answers: dict[str, Any] = {
        "questions.Q2134": "true",
        "questions.Q2314": "35",
        "questions.Q2244": ["Gambling", "Cannabis"],
    }
    done = await client.fill(page, "answers", **answers)
    other: dict[str, Any] = {"questions.Q2314": "99"}
    again = await client.fill(page, "answers", **answers)
    changed = await client.fill(page, "answers", status=422, **other)

    with subtests.test("kept once"):
        assert "Your broker has your answers." in text_of(done)
        assert "Your broker has your answers." in text_of(again)
        assert "What you typed now was not sent" in text_of(changed)
        assert 'value="99"' in changed
        row = await kept(service)
        assert row["status"] == "answered"
        assert json.loads(row["answers"]) == [
            {"id": "Q2134", "value": "true"},
            {"id": "Q2314", "value": "35"},
            {"id": "Q2244", "value": ["Gambling", "Cannabis"]},
        ]


async def test_a_link_with_questions_has_nothing_to_choose_or_sign(service: Service, broker: Person) -> None:
    client = await asked_client(service, broker)
    page = await client.open(client.path)
    token = page.partition('name="form" value="')[2].partition('"')[0]

    assert (await client.http.get(f"{client.path}/sign")).status_code == 404
    assert (await client.http.get(f"{client.path}/signed")).status_code == 404
    for path, fields in (
        ("sign", {"do": "code"}),
        ("sign", {"do": "sign"}),
        ("choose", {"option": "x"}),
        ("wrong", {"text": "x"}),
    ):
        answer = await client.post(f"{client.path}/{path}", form=token, **fields)
        assert answer.status_code == 404, path
    assert (await kept(service))["status"] == "opened"


async def test_answers_to_a_link_that_was_taken_back_meanwhile_are_shown_again_and_kept_nowhere(
    service: Service, broker: Person, subtests: pytest.Subtests
) -> None:
    client = await asked_client(service, broker)
    page = await client.open(client.path)
    pool = service.runtime.database.pool
    answers: dict[str, Any] = {
        "questions.Q2134": "true",
        "questions.Q2314": "<b>35</b>",
        "questions.Q2244": ["Gambling", "Cannabis"],
        "questions.Q2310": "",
    }
    ends = {
        "taken back": "update client_links set status = 'revoked', settled_at = now()",
        "ended": "update client_links set status = 'opened', settled_at = null, expires_at = created_at",
        "the draft was deleted": "delete from drafts",
    }

    for name, statement in ends.items():
        await pool.execute(statement)
        with subtests.test(name):
            said = await client.fill(page, "answers", status=404, **answers)
            words = text_of(said)
            assert "This link does not work" in words
            assert "Nobody has received this." in words
            assert "call or write to your broker" in words
            assert "<b>Yes</b>" in said
            assert "<b>Gambling</b></p><p><b>Cannabis</b>" in said
            assert "&lt;b&gt;35&lt;/b&gt;" in said
            assert "Marble Lighthouse" not in words
            assert "broker@example.com" not in words
            assert "Q2310" not in said
    assert await pool.fetchval("select count(*) from client_links where answers is not null") == 0
    assert await service.count("drafts") == 0


async def test_answers_to_questions_that_nobody_asks_any_more_are_shown_again(
    service: Service, broker: Person
) -> None:
    client = await asked_client(service, broker, "Q2314")
    page = await client.open(client.path)
    await service.runtime.database.pool.execute(
        """update drafts set fields = fields || '{"policy.insurance_product": ["MPL"]}'"""
    )

    answers: dict[str, Any] = {"questions.Q2314": "35"}
    words = text_of(await client.fill(page, "answers", **answers))

    assert "Nothing is left to answer" in words
    assert "Nobody has received this." in words
    assert " 35" in words
