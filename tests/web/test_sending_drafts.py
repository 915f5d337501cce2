"""A draft is checked as the API checks and sent as the API would take it, once."""

import asyncio
import html
import re
import uuid
from typing import Any

import msgspec
import pytest

from bindery.domain.drafts.draft import Draft
from bindery.domain.drafts.fields import read_fields
from bindery.domain.questions.question import QUESTIONS
from bindery.storage.submission import drafts
from support.drafts import COMPANY, colleague_of, drop, marks_of
from support.intake import changed, nothing_written, professional, technology
from support.people import Person, text_of
from support.service import BROKER, Service, request_body

FAULTY = changed(
    ("client.revenue", "lots"),
    ("client.address.zip", "1910"),
    ("client.domains", ["marble lighthouse.example"]),
    ("questions[0].value", "perhaps"),
    ("policy.quotes[0].aggregate_limit", 7),
)
_VERSION = re.compile(r'name="version" value="(\d+)"')
_FIX = re.compile(r'<li><a href="(/draft/[^"]*)">')


async def dropped(person: Person, body: dict[str, Any]) -> str:
    return await drop(person, msgspec.json.encode(body))


async def draft_at(service: Service, place: str) -> Draft:
    draft_id = uuid.UUID(place.rpartition("/")[2])
    async with service.runtime.database.reading() as tx:
        found = await drafts.find(tx, draft_id, partner_id=service.partner.partner_id)
    assert found is not None
    return found


async def sent_bodies(service: Service) -> list[str]:
    rows = await service.runtime.database.pool.fetch("select body from submissions order by created_at")
    return [row["body"] for row in rows]


async def test_the_review_lists_what_validate_lists_and_each_link_leads_to_a_field(
    service: Service, broker: Person
) -> None:
    place = await dropped(broker, FAULTY)
    draft = await draft_at(service, place)
    body = read_fields(draft.fields, await service.runtime.database.today())[0]

    page = await broker.open(f"{place}/review")

    validated = (await service.post("/v2/quotes/validate", body)).json()
    assert not validated["valid"]
    fixes = [html.unescape(address) for address in _FIX.findall(page)]
    assert len(fixes) == len(validated["errors"])
    assert f"{len(fixes)} things to fix" in text_of(page)
    for address in fixes:
        path, _, field = address.partition("#")
        if path.startswith(f"{place}/company"):
            assert f'id="{field}"' in await broker.open(path), field
    assert f"{place}/questions?check=1#questions.Q2134" in fixes
    assert f"{place}/options?check=1#policy.quotes" in fixes


async def test_a_draft_with_problems_is_not_sent_and_says_all_of_them(
    service: Service, broker: Person
) -> None:
    place = await dropped(broker, FAULTY)

    async with nothing_written(service):
        answer = await broker.post(f"{place}/review", go="send")

    assert answer.status_code == 422
    assert "Check again and send" in text_of(answer.text)
    assert (await draft_at(service, place)).sent_as is None


@pytest.mark.parametrize("body", [request_body(), technology(), professional()], ids=["CYB", "TEO", "MPL"])
async def test_what_a_draft_sends_is_byte_for_byte_what_the_api_takes_and_quotes_the_same(
    working_service: Service, broker: Person, body: dict[str, Any]
) -> None:
    place = await dropped(broker, body)
    draft = await draft_at(working_service, place)
    sent = msgspec.json.encode(read_fields(draft.fields, await working_service.runtime.database.today())[0])

    page = await broker.send(f"{place}/review", go="send")
    answer = await working_service.http.post(
        "/v2/quotes",
        content=sent,
        headers={**working_service.headers, "Content-Type": "application/json"},
    )

    assert "options are being quoted" in text_of(page) or "option is being quoted" in text_of(page)
    by_hand, by_api = await sent_bodies(working_service)
    assert by_hand == by_api == sent.decode()
    rows = await working_service.runtime.database.pool.fetch(
        "select quote_id::text, submission_id from quotes order by created_at, option_number"
    )
    quotes = [await working_service.ready(row["quote_id"]) for row in rows]
    half = len(quotes) // 2
    assert half == len(answer.json()["quotes"])
    own = ("quote_identifier", "company_id", "contingencies", "premium_worksheet")
    shown = [{key: value for key, value in quote.items() if key not in own} for quote in quotes]
    for by_draft, by_partner in zip(shown[:half], shown[half:], strict=True):
        assert by_draft["premium"] == by_partner["premium"]
        assert by_draft["client"] | {"company_id": ""} == by_partner["client"] | {"company_id": ""}
        assert by_draft["quote_status"] == by_partner["quote_status"]


async def test_two_clicks_and_two_tabs_make_one_submission(service: Service, broker: Person) -> None:
    place = await dropped(broker, request_body())

    answers = await asyncio.gather(*(broker.post(f"{place}/review", go="send") for _ in range(5)))
    later = await broker.post(f"{place}/review", go="send")

    assert await service.count("submissions") == 1
    assert {answer.status_code for answer in answers} == {303}
    draft = await draft_at(service, place)
    assert later.headers["location"] == f"/company/{draft.company_id}"
    assert {answer.headers["location"] for answer in answers} <= {
        f"/company/{draft.company_id}",
        f"{place}/review",
    }
    key = await service.runtime.database.pool.fetchval("select key from idempotency_keys")
    assert key == f"draft-{draft.draft_id}"


async def test_an_answer_that_was_lost_is_found_again_and_changes_since_are_not_sent(
    service: Service, broker: Person
) -> None:
    place = await dropped(broker, request_body())
    await broker.send(f"{place}/review", go="send")
    await service.runtime.database.pool.execute("update drafts set sent_as = null")
    page = await broker.open(f"{place}/company")
    await broker.post(f"{place}/company", marks=marks_of(page), **{**COMPANY, "client.revenue": "wrong"})

    page = await broker.send(f"{place}/review", go="send")

    assert "It had been sent before, once" in text_of(page)
    assert await service.count("submissions") == 1
    assert (await draft_at(service, place)).sent_as is not None


async def test_a_draft_that_was_sent_leads_to_its_company_and_takes_nothing_more(
    service: Service, broker: Person
) -> None:
    place = await dropped(broker, request_body())
    page = await broker.open(f"{place}/company")
    await broker.send(f"{place}/review", go="send")
    draft = await draft_at(service, place)

    shown = await broker.http.get(f"{place}/company")
    sent = await broker.post(f"{place}/company", marks=marks_of(page), **{**COMPANY, "client.dba": "new"})
    saved = await broker.post(f"{place}/company/save", marks=marks_of(page), **COMPANY)
    await broker.send(f"{place}/delete")

    assert {shown.headers["location"], sent.headers["location"]} == {f"/company/{draft.company_id}"}
    assert 'id="saved"' not in saved.text
    assert await draft_at(service, place) == draft
    assert "Harborlight" not in await broker.open("/drafts")


async def test_the_review_says_all_that_is_asked_of_an_option(service: Service, broker: Person) -> None:
    option = {"aggregate_limit": 1_000_000, "per_claim_limit": 500_000, "per_claim_retention": 5_000}
    place = await dropped(
        broker,
        professional(
            ("policy.quotes", [option, {**option, "aggregate_retention": 10_000}]),
            ("policy.dates.mpl_retroactive_date", "full_prior_acts"),
        ),
    )

    review = text_of(await broker.open(f"{place}/review"))

    assert "$500,000 per claim, $5,000 retention" in review
    assert "$500,000 per claim, $5,000 retention, at most $10,000 a year" in review
    assert "Retroactive date Full prior acts" in review


async def test_what_a_colleague_changed_after_the_review_was_opened_is_looked_at_before_it_is_sent(
    service: Service, broker: Person
) -> None:
    place = await dropped(broker, request_body())
    seen = _VERSION.findall(await broker.open(f"{place}/review"))
    async with await colleague_of(service) as other:
        company = await other.open(f"{place}/company")
        typed = {**COMPANY, "client.revenue": "2,500,000", "client.dba": "Lighthouse"}
        await other.post(f"{place}/company", marks=marks_of(company), **typed)

        async with nothing_written(service):
            answer = await broker.post(f"{place}/review", go="send", version=seen[0])
        now = _VERSION.findall(answer.text)
        sent = await broker.post(f"{place}/review", go="send", version=now[0])

    assert answer.status_code == 409
    assert re.search(r"It was changed by .+ after this page was opened\.", text_of(answer.text))
    assert "Lighthouse" in answer.text
    assert sent.status_code == 303, text_of(sent.text)
    assert sent.headers["location"].startswith("/company/")
    assert '"Lighthouse"' in (await sent_bodies(service))[0]


async def test_a_broker_of_record_block_is_said_and_nothing_is_sent(service: Service, broker: Person) -> None:
    place = await dropped(broker, changed(("client.name", "Taken LLC (bor)")))

    company = await broker.open(f"{place}/company")
    review = await broker.open(f"{place}/review")
    async with nothing_written(service):
        answer = await broker.post(f"{place}/review", go="send")

    assert answer.status_code == 422
    assert "another organization was submitted with" in text_of(review)
    assert "Another organization was submitted with the same domain and address" in text_of(company)


async def test_a_company_of_another_partner_in_a_file_is_said_and_nothing_is_sent(
    service: Service, broker: Person
) -> None:
    others = await service.new_partner("Others")
    foreign = (await others.submit())["company_id"]
    place = await dropped(broker, changed(("client.company_id", foreign)))

    review = text_of(await broker.open(f"{place}/review"))
    async with nothing_written(service):
        answer = await broker.post(f"{place}/review", go="send")

    assert answer.status_code == 422
    assert "Company number Is not a company of this partner." in review


async def test_a_file_without_a_broker_is_a_quote_of_whoever_drops_it(
    service: Service, broker: Person
) -> None:
    body = changed()
    del body["client"]["broker_email"]

    place = await dropped(broker, body)

    assert (await draft_at(service, place)).typed("client.broker_email") == BROKER
    assert "to fix" not in text_of(await broker.open(f"{place}/review"))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"{", "The body ends before its JSON does"),
        (b'{"a": 1}', "none of the fields of a request"),
        (b"[1]", "none of the fields of a request"),
        (b'{"client": {"name": "' + b"x" * 210_000 + b'"}}', "too large for a request"),
        (b"MZ\x90\x00 a program", "neither an application"),
        (b"%PDF-1.7\nnot really", "neither an application"),
    ],
    ids=["cut off", "other JSON", "a list", "too large", "a program", "no PDF"],
)
async def test_a_file_that_is_no_request_is_refused_in_a_sentence(
    service: Service, broker: Person, content: bytes, said: str
) -> None:
    answer = await broker.post("/new", files={"file": ("a file", content)})

    assert answer.status_code == 422
    assert said in text_of(answer.text)
    assert await service.count("drafts") == 0


async def test_an_application_of_ours_becomes_a_draft_with_its_answers(
    working_service: Service, broker: Person, real_printing: None
) -> None:
    quote = await working_service.quote()
    paper = await broker.http.get(f"/quote/{quote['quote_identifier']}/document/application")

    place = await drop(broker, paper.content, "application.pdf")

    draft = await draft_at(working_service, place)
    assert draft.typed("client.company_id") == quote["company_id"]
    assert draft.typed("client.name") == "Harborlight Bakery LLC"
    assert draft.typed("questions.Q2314") == "35"


async def test_questions_of_a_new_edition_are_marked_and_answers_are_kept(
    service: Service, broker: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = await dropped(broker, changed(("questions[0].id", "Q2134"), ("questions[2].id", "Q9999")))
    today = await service.runtime.database.today()
    draft = await draft_at(service, place)
    now = QUESTIONS.in_force(today)
    before = {
        product: type(found)(
            "2025.1", product, tuple(question for question in found if question.id != "Q2314")
        )
        for product, found in now.sets.items()
    }
    older = type(now)("2025.1", now.effective_from.replace(year=2000), before)
    monkeypatch.setattr(QUESTIONS, "all", (older, *QUESTIONS.all))
    await service.runtime.database.pool.execute("update drafts set question_edition = '2025.1'")

    review = text_of(await broker.open(f"{place}/review"))

    assert draft.new_questions(today) == frozenset()
    assert (await draft_at(service, place)).new_questions(today) == {"Q2314"}
    assert "There is a new edition of the questions" in review
    assert re.search(r"employees.* new 35", review) or "new 35" in review
    assert "Q9999, which is no question of this product: not sent" in review
    assert "Cyber does not ask Q9999: kept here, and not sent." in review
