"""Asking the client from a draft: the link, the answers, and how they come into the draft."""

import asyncio
import json
import re
import uuid
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest
import pytest_asyncio

from bindery.actions.access.add_partner import add_partner
from bindery.domain.access.users import Role
from support.drafts import ANSWERS, drop, marks_of, start
from support.intake import changed
from support.links import Client, questions_to
from support.people import Person, fields_of, new_browser, sign_in_as, text_of
from support.service import Service

pytestmark = pytest.mark.asyncio(loop_scope="module")
DANA = "dana@marble.example"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pat(office: Service) -> AsyncIterator[Person]:
    async with await sign_in_as(office, Role.BROKER) as signed_in:
        yield signed_in


async def asked(pat: Person, place: str, **changes: Any) -> str:
    """Send the form of the page «Ask the client» as it stands, with what somebody changed in it."""
    page = await pat.open(f"{place}/ask")
    ticked = re.findall(r'name="asked" value="(\w+)" checked', page)
    typed = fields_of(page, f"{place}/ask")
    return await pat.send(
        f"{place}/ask", **{**typed, "asked": ticked, "email": DANA, "name": "Dana Fox", **changes}
    )


async def link_in(office: Service, page: str) -> Client:
    """Return the client with the newest link of a page, which the demo shows."""
    found = re.search(r'href="/s/([\w-]+)">Open as the client', page)
    assert found is not None, "no link waits"
    client = Client.__new__(Client)
    Person.__init__(client, new_browser(office, address="203.0.113.7"), DANA)
    client.token, client.path = found[1], f"/s/{found[1]}"
    return client


async def answers_of(client: Client, **answers: Any) -> str:
    page = await client.open(client.path)
    given = {f"questions.{name}": value for name, value in answers.items()}
    return await client.fill(page, "answers", **given)


async def answer(pat: Person, place: str, answers: dict[str, Any]) -> None:
    page = await pat.open(f"{place}/questions")
    fields = {f"questions.{name}": value for name, value in answers.items()}
    await pat.send(f"{place}/questions", marks=marks_of(page), go="check", **fields)


async def kept(office: Service, place: str) -> dict[str, list[str]]:
    fields: dict[str, list[str]] = msgspec.json.decode(
        await office.runtime.database.pool.fetchval(
            "select fields from drafts where draft_id = $1", uuid.UUID(place.rpartition("/")[2])
        )
    )
    return fields


async def one(office: Service, what: str, place: str) -> Any:
    statement = f"select {what} from client_links where draft_id = $1 order by created_at desc limit 1"
    return await office.runtime.database.pool.fetchval(statement, uuid.UUID(place.rpartition("/")[2]))


async def test_every_open_question_is_asked_answered_and_in_the_draft(office: Service, pat: Person) -> None:
    place = await start(pat)
    later = ("Q2314", "Q2307", "Q2147")
    given: dict[str, Any] = {
        f"questions.{name}": value for name, value in ANSWERS.items() if name not in later
    }
    empty = await pat.open(f"{place}/questions")

    onward = await pat.post(f"{place}/questions", marks=marks_of(empty), go="ask", **given)
    questions = await pat.open(f"{place}/questions")
    sent = await asked(pat, place)
    client = await link_in(office, sent)
    page = await client.open(client.path)
    done = await answers_of(client, Q2314="58", Q2307="No", Q2147="false")
    review = text_of(await pat.open(f"{place}/review"))

    assert "3 questions are open." in text_of(questions)
    assert onward.headers["location"] == f"{place}/ask"
    assert f"3 questions are on the way to {DANA}." in text_of(sent)
    assert await one(office, "asked", place) == list(later)
    assert {name for name in ANSWERS if f'name="questions.{name}"' in page} == set(later)
    assert "for the insurance of Marble Lighthouse Dental Group PC" in text_of(page)
    assert "Your broker has your answers." in text_of(done)
    assert re.search(r"Dana Fox answered 3 questions on \w+ \d+\. The answers are filled in\.", review)
    assert "to fix before this can be sent" not in review
    assert (await kept(office, place))["questions.Q2314"] == ["58"]
    assert "Dana Fox answered" in text_of(await pat.open("/drafts"))
    today = text_of(await pat.open("/"))
    assert "Cyber · Dana Fox answered 3 questions" in today
    assert "Dana Fox answered 3 questions" in text_of(await pat.open("/today?list=answers"))
    mail = await office.runtime.database.pool.fetchrow(
        "select recipients, body from mails where kind like 'client_answered_%' order by mail_id desc limit 1"
    )
    assert mail is not None
    assert mail["recipients"] == [pat.email]
    assert "Dana Fox has answered 3 questions for the insurance of Marble Lighthouse" in mail["body"]
    assert f"{place}/review" in mail["body"]


async def test_going_on_with_the_draft_takes_it_off_today(office: Service, pat: Person) -> None:
    place = await start(pat, **{"client.name": "Gone On LLC"})
    client = await link_in(office, await asked(pat, place))
    await answers_of(client, Q2314="58")
    before = text_of(await pat.open("/today?list=answers"))

    await answer(pat, place, {"Q2134": "true"})

    assert "Gone On LLC" in before
    assert "Gone On LLC" not in text_of(await pat.open("/today?list=answers"))


async def test_a_conditional_question_comes_under_its_cause_and_counts_only_if_it_is_opened(
    office: Service, pat: Person
) -> None:
    place = await start(pat)
    client = await link_in(office, await asked(pat, place, asked="Q2142"))

    page = await client.open(client.path)
    await answers_of(client, Q2142="false", Q2311=ANSWERS["Q2311"])

    assert re.search(
        r'class="branch".*name="questions.Q2142".*class="then a".*name="questions.Q2311"', page, re.DOTALL
    )
    assert json.loads(await one(office, "answers", place)) == [{"id": "Q2142", "value": "false"}]


async def test_what_the_page_could_not_show_comes_before_anything_is_kept(
    office: Service, pat: Person
) -> None:
    place = await start(pat)
    client = await link_in(office, await asked(pat, place, asked="Q2142"))
    page = await client.open(client.path)
    hidden: dict[str, Any] = {"questions.Q2142": "true", "on_page": "Q2142"}
    whole: dict[str, Any] = {"questions.Q2142": "true"}

    more = await client.fill(page, "answers", **hidden)
    then = await client.fill(more, "answers", **whole)

    assert re.search(r"Your answers bring up \d+ more questions\.", text_of(more))
    assert 'value="true" checked' in more
    assert "Your broker has your answers." in text_of(then)


async def test_both_answers_are_shown_and_the_broker_chooses_once(office: Service, pat: Person) -> None:
    place = await start(pat)
    client = await link_in(office, await asked(pat, place, asked=["Q2134", "Q2314", "Q2159"]))
    await answer(pat, place, {"Q2314": "58", "Q2159": "true"})
    await answers_of(client, Q2134="true", Q2314="60", Q2159="false")

    questions = text_of(await pat.open(f"{place}/questions"))
    page = await pat.open(f"{place}/ask")
    form = fields_of(page, f"{place}/answers")
    async with await sign_in_as(office, Role.BROKER) as kim:
        theirs = {**form, "questions.Q2314": "theirs"}
        first, second = await asyncio.gather(
            pat.post(f"{place}/answers", **theirs), kim.post(f"{place}/answers", **theirs)
        )
        said = [text_of(await who.open(place)) for who in (pat, kim)]
    fields = await kept(office, place)

    assert "2 of them differ from what the draft has." in questions
    assert "Dana Fox typed “60” too. What stands here is sent." in questions
    assert "58 in the draft, by Pat Broker" in text_of(page)
    assert (first.status_code, second.status_code) == (303, 303)
    assert sum("are in the draft." in words for words in said) == 1
    assert sum("settled this before: nothing was changed." in words for words in said) == 1
    assert [fields[f"questions.{name}"] for name in ("Q2134", "Q2314", "Q2159")] == [
        ["true"],
        ["60"],
        ["true"],
    ]
    assert "Pat Broker typed “58” too." in text_of(await pat.open(f"{place}/questions"))
    assert "took the answers over." in text_of(await pat.open(f"{place}/review"))


async def test_answers_that_a_draft_has_no_room_for_wait_and_are_said(
    office: Service, pat: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = await start(pat)
    client = await link_in(office, await asked(pat, place, asked="Q2314"))
    with monkeypatch.context() as tight:
        tight.setattr("bindery.actions.submission.start_draft.LARGEST", 10)
        await answers_of(client, Q2314="58")
        page = await pat.open(f"{place}/ask")
        full = text_of(await pat.send(f"{place}/answers", **fields_of(page, f"{place}/answers")))

    await pat.send(f"{place}/answers", **fields_of(page, f"{place}/answers"))

    assert "The answers are to be taken over." in text_of(page)
    assert "Not taken over. A draft holds at most 10 characters." in full
    assert (await kept(office, place))["questions.Q2314"] == ["58"]


async def test_the_form_pressed_twice_is_one_link_and_a_second_one_replaces_it(
    office: Service, pat: Person
) -> None:
    place = await start(pat)
    page = await pat.open(f"{place}/ask")
    form = {**fields_of(page, f"{place}/ask"), "asked": ["Q2134"], "email": DANA}

    again = [text_of(await pat.send(f"{place}/ask", **form)) for _ in range(2)]
    client = await link_in(office, await pat.open(f"{place}/ask"))
    await asked(pat, place)

    assert "1 question is on the way" in again[0]
    assert f"The link was sent to {DANA} already." in again[1]
    assert "This link does not work" in await client.open(client.path, status=404)
    assert await office.runtime.database.pool.fetchval(
        "select array_agg(status order by created_at) from client_links where draft_id = $1",
        uuid.UUID(place.rpartition("/")[2]),
    ) == ["revoked", "sent"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"email": "dana"}, "Email must be an email address."),
        ({"asked": []}, "The questions must be chosen: at least one."),
        ({"asked": ["Q9999"]}, "The questions must be chosen: at least one."),
        ({"message": "x" * 1001}, "Message"),
    ],
)
async def test_a_form_that_is_wrong_says_so_and_keeps_what_was_typed(
    pat: Person, changes: dict[str, Any], said: str
) -> None:
    place = await start(pat)
    typed = {"email": DANA, "name": "Dana Fox", "asked": ["Q2134"], "message": "Hello", **changes}

    page = await pat.send(f"{place}/ask", status=422, **typed)

    assert said in text_of(page)
    assert 'value="Dana Fox"' in page


async def test_what_was_answered_meanwhile_is_left_out_and_nothing_is_left_to_ask(
    office: Service, pat: Person
) -> None:
    place = await start(pat)
    await answer(pat, place, {"Q2134": "true"})

    said = text_of(await asked(pat, place, asked=["Q2134", "Q2314"]))
    await answer(pat, place, dict(ANSWERS))

    assert "1 question is on the way" in said
    assert "1 question was answered meanwhile, and left out." in said
    assert await one(office, "asked", place) == ["Q2314"]
    assert "nothing is left to ask" in text_of(await pat.open(f"{place}/ask"))


async def test_a_link_that_is_taken_back_does_not_work_and_one_that_was_answered_stays(
    office: Service, pat: Person
) -> None:
    place = await start(pat)
    client = await link_in(office, await asked(pat, place))
    link_id = await one(office, "link_id", place)

    page = text_of(await pat.send(f"/link/{link_id}/take-back"))
    gone = await client.open(client.path, status=404)
    other = await link_in(office, await asked(pat, place))
    await answers_of(other, Q2314="58")
    late = text_of(await pat.send(f"/link/{await one(office, 'link_id', place)}/take-back"))

    assert f"The link to {DANA} is taken back" in page
    assert "Taken back" in page
    assert "This link does not work" in gone
    assert "Not taken back: Dana Fox was faster." in late
    assert (await pat.post(f"/link/{link_id}/again")).status_code == 404


async def test_a_draft_that_is_sent_or_deleted_ends_its_links(office: Service, pat: Person) -> None:
    sent = await drop(pat, msgspec.json.encode(changed()))
    await questions_to(office, sent, "Q2134")
    answered = await questions_to(office, sent, "Q2314", name="Dana Fox")
    await answers_of(Client(office, answered), Q2314="36")
    deleted = await start(pat)
    link = await questions_to(office, deleted, "Q2134")

    await pat.post(f"{sent}/review", go="send")
    await pat.post(f"{deleted}/delete")
    statuses = await office.runtime.database.pool.fetch(
        "select status from client_links where draft_id = any($1) order by status",
        [uuid.UUID(place.rpartition("/")[2]) for place in (sent, deleted)],
    )
    gone = await Client(office, link).open(f"/s/{link.url.rpartition('/')[2]}", status=404)
    form: dict[str, Any] = {"email": DANA, "asked": ["Q2134"]}
    late = [
        text_of(await pat.send(f"{sent}/answers", link=str(answered.link_id))),
        text_of(await pat.send(f"{sent}/ask", **form)),
        text_of(await pat.open(f"{sent}/ask")),
    ]

    assert [row["status"] for row in statuses] == ["answered", "revoked", "revoked"]
    assert "This link does not work" in gone
    assert all("This quote was sent before: here is what came of it." in words for words in late)


async def test_another_product_leaves_nothing_to_answer_and_says_so_to_both(
    office: Service, pat: Person
) -> None:
    place = await start(pat)
    client = await link_in(office, await asked(pat, place, asked="Q2314"))
    page = await pat.open(f"{place}/company")
    await pat.post(
        f"{place}/company", marks=marks_of(page), go="check", **{"policy.insurance_product": "MPL"}
    )

    said = text_of(await client.open(client.path))

    assert "Your broker does not need these answers any more." in said
    assert "is not asked any more, and left out there." in text_of(await pat.open(f"{place}/ask"))


async def test_another_partners_broker_finds_neither_the_form_nor_the_answers(
    office: Service, pat: Person
) -> None:
    place = await start(pat)
    await asked(pat, place)
    link_id = await one(office, "link_id", place)
    await add_partner(office.runtime.database, "Other", contact=None, may_exist=True)
    async with await sign_in_as(office, Role.BROKER, partner="Other") as stranger:
        answers = [
            await stranger.http.get(f"{place}/ask"),
            await stranger.post(f"{place}/ask", email=DANA, asked="Q2134"),
            await stranger.post(f"{place}/answers", link=str(link_id)),
            await stranger.post(f"/link/{link_id}/take-back"),
        ]

    assert [found.status_code for found in answers] == [404, 404, 404, 404]
    assert (await pat.post(f"{place}/answers", link="x")).headers["location"] == f"{place}/ask"
    assert (await pat.post(f"{place}/answers", link=str(link_id))).status_code == 404


async def test_unknown_questions_of_a_file_are_named_and_kept(office: Service, pat: Person) -> None:
    body = changed(("questions[0].id", "Q9999"))
    body["questions"].append({"id": "And else?", "value": "x"})
    place = await drop(pat, msgspec.json.encode(body))

    review = text_of(await pat.open(f"{place}/review"))

    assert "Cyber does not ask Q9999: kept here, and not sent." in review
    assert "Answers without the id of a question were left out: And else?." in review
    assert "questions.Q9999" in await kept(office, place)
    assert "Cyber does not ask Q9999" in text_of(await pat.open(f"{place}/questions"))
