"""A question to the broker: the case waits, the clock stands still, and the answer brings it back."""

import asyncio
import uuid
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import pytest

from bindery.actions.desk.ask_broker import answer_question
from bindery.actions.desk.take_decisions import take_decision
from bindery.base.errors import InvalidRequest, NotFound
from bindery.domain.quote.broker_question import BrokerQuestion
from bindery.domain.quote.decisions import DeclineQuote
from support.binding import (
    bind,
    decide,
    one_quoted,
    quoted,
    review,
    set_day,
    shown,
    status_of,
    told,
    upload_signed,
)
from support.journals import flaws_in_journal
from support.service import Service, request_body
from support.waiting import eventually

WHAT = "Is the remote access of the branch office protected by MFA too?"
BECAUSE = "Yes, since March."
MONDAY = date(2027, 3, 1)


async def referred(service: Service, options: int = 1) -> list[dict[str, Any]]:
    body = request_body()
    body["client"]["domains"] = ["red-flags.example.com"]
    body["policy"]["quotes"] = body["policy"]["quotes"][:options]
    return await quoted(service, body)


async def item(service: Service, quote: dict[str, Any]) -> dict[str, Any]:
    row = await service.runtime.database.pool.fetchrow(
        "select d.* from desk_items d join quotes q using (submission_id) where q.quote_id = $1 "
        "order by d.closed_at nulls first limit 1",
        uuid.UUID(quote["quote_identifier"]),
    )
    assert row is not None
    return dict(row)


async def answer(
    service: Service, quote: dict[str, Any], text: str = BECAUSE, place: int = 0
) -> BrokerQuestion:
    asked = (await shown(service, quote["quote_identifier"]))["questions"][place]
    return await answer_question(
        service.runtime.database,
        service.runtime.rules,
        uuid.UUID(asked["question_id"]),
        text,
        partner_id=service.partner.partner_id,
        actor="broker@example.com",
    )


async def mails_of(service: Service, kind: str) -> list[tuple[list[str], str, str]]:
    rows = await service.runtime.database.pool.fetch(
        "select recipients, subject, body from mails where kind like $1 || '%' order by created_at", kind
    )
    return [(list(row[0]), row[1], row[2]) for row in rows]


async def test_a_question_is_shown_with_every_option_told_and_mailed(service: Service) -> None:
    first, second = await referred(service, 2)

    after = await decide(service, first, "ask", reason=f" {WHAT} ")
    other = await shown(service, second["quote_identifier"])

    (asked,) = after["questions"]
    assert after["quote_status"] == "quote_referred"
    assert (asked["status"], asked["text"], asked["answer"], asked["answered_at"]) == (
        "open",
        WHAT,
        None,
        None,
    )
    assert other["questions"] == [asked]
    assert (await told(service, first["quote_identifier"]))[-1] == "quote.question_asked"
    assert "quote.question_asked" not in await told(service, second["quote_identifier"])
    ((recipients, subject, body),) = await mails_of(service, "broker_question")
    assert "an underwriter asks" in subject
    assert first["client"]["broker_email"] in recipients
    assert WHAT in body


async def test_the_clock_stands_still_in_working_time_while_the_broker_is_asked(service: Service) -> None:
    await set_day(service, MONDAY, time(10))
    (quote,) = await referred(service)
    due = (await item(service, quote))["due_at"]
    assert due - datetime.combine(MONDAY, time(10), service.runtime.settings.zone) < timedelta(
        hours=24, minutes=1
    )

    # Friday to the Tuesday after it: 16 hours of the 24 were left.
    await set_day(service, MONDAY, time(18))
    await decide(service, quote, "ask", reason=WHAT)
    waiting = await item(service, quote)
    await set_day(service, MONDAY + timedelta(4), time(20))
    await answer(service, quote)
    back = await item(service, quote)

    assert waiting["asked_at"] is not None
    assert waiting["closed_at"] is None
    assert back["asked_at"] is None
    # 4 hours of Friday, none of the weekend, 12 of Monday.
    monday_after = datetime.combine(MONDAY + timedelta(7), time(12), service.runtime.settings.zone)
    assert abs(back["due_at"] - monday_after) < timedelta(minutes=1)


async def test_a_case_that_was_late_when_its_broker_was_asked_is_due_at_once(service: Service) -> None:
    await set_day(service, MONDAY)
    (quote,) = await referred(service)
    await set_day(service, MONDAY + timedelta(3))
    await decide(service, quote, "ask", reason=WHAT)
    await set_day(service, MONDAY + timedelta(8))
    await answer(service, quote)

    back = await item(service, quote)

    assert abs(back["due_at"] - datetime.now(UTC) - await ahead(service)) < timedelta(minutes=1)


async def ahead(service: Service) -> timedelta:
    moved: timedelta = await service.runtime.database.pool.fetchval("select ahead from service_clock")
    return moved


async def test_the_answer_is_told_and_shown_and_comes_once(service: Service) -> None:
    (quote,) = await referred(service)
    await decide(service, quote, "ask", reason=WHAT)

    first = await answer(service, quote)
    second = await answer(service, quote, "No.")

    (asked,) = (await shown(service, quote["quote_identifier"]))["questions"]
    assert (first.answer, second.answer) == (BECAUSE, BECAUSE)
    assert (asked["status"], asked["answer"]) == ("answered", BECAUSE)
    types = await told(service, quote["quote_identifier"])
    assert types.count("quote.question_closed") == 1
    assert await mails_of(service, "late_answer") == []


async def test_of_two_questions_the_last_answer_brings_the_case_back(service: Service) -> None:
    (quote,) = await referred(service)
    await decide(service, quote, "ask", reason=WHAT)
    await decide(service, quote, "ask", reason="How many employees work from home?")

    await answer(service, quote)
    still = await item(service, quote)
    await answer(service, quote, "Six.", place=1)

    assert still["asked_at"] is not None
    assert (await item(service, quote))["asked_at"] is None


async def test_an_underwriter_goes_on_without_the_answer(service: Service) -> None:
    (quote,) = await referred(service)
    await decide(service, quote, "ask", reason=WHAT)

    await decide(service, quote, "go_on")
    await decide(service, quote, "go_on")
    late = await answer(service, quote)

    (asked,) = (await shown(service, quote["quote_identifier"]))["questions"]
    assert (asked["status"], asked["answer"], late.answer) == ("withdrawn", None, "")
    assert (await told(service, quote["quote_identifier"])).count("quote.question_closed") == 1
    assert (await item(service, quote))["asked_at"] is None


async def test_an_answer_to_a_case_that_was_decided_is_kept_and_whoever_asked_is_told(
    service: Service,
) -> None:
    (quote,) = await referred(service)
    await decide(service, quote, "ask", reason=WHAT)
    await decide(service, quote, "decline", reason="Too many open ports.")
    (overtaken,) = (await shown(service, quote["quote_identifier"]))["questions"]

    await answer(service, quote)

    after = await shown(service, quote["quote_identifier"])
    assert overtaken["status"] == "overtaken"
    assert (after["quote_status"], after["questions"][0]["status"]) == ("quote_declined", "answered")
    assert (await item(service, quote))["closed_at"] is not None
    ((recipients, subject, body),) = await mails_of(service, "late_answer")
    assert recipients == ["demo underwriter"]
    assert "answered after the decision" in subject
    assert BECAUSE in body


@pytest.mark.parametrize("is_decided_first", [True, False])
async def test_of_fifty_answers_and_a_decision_at_once_one_answer_is_kept_and_told_once(
    service: Service, is_decided_first: bool
) -> None:
    (quote,) = await referred(service)
    identifier, database = quote["quote_identifier"], service.runtime.database
    await decide(service, quote, "ask", reason=WHAT)
    declined = take_decision(
        database, service.runtime.rules, uuid.UUID(identifier), DeclineQuote("Too much."), actor="Uma"
    )
    answers = [answer(service, quote, f"Yes, says {number}.") for number in range(50)]
    first, others = ([declined], answers) if is_decided_first else (answers[:1], [*answers[1:], declined])

    # Who came first goes first; the others take every connection that is left.
    async with database.pool.acquire() as connection, connection.transaction():
        await connection.execute("select from quotes where quote_id = $1 for update", uuid.UUID(identifier))
        begun = [asyncio.create_task(each) for each in first]
        await eventually(service.waiting_for_locks, lambda waiting: waiting == 1)
        begun += [asyncio.create_task(each) for each in others]
    done = await asyncio.gather(*begun)

    after = await shown(service, identifier)
    (asked,) = after["questions"]
    assert (after["quote_status"], asked["status"]) == ("quote_declined", "answered")
    assert {each.answer for each in done if isinstance(each, BrokerQuestion)} == {asked["answer"]}
    types = await told(service, identifier)
    assert types.count("quote.question_closed") == 1
    assert (types.index("quote.declined") < types.index("quote.question_closed")) is is_decided_first
    assert len(await mails_of(service, "late_answer")) == is_decided_first
    assert (await item(service, quote))["closed_at"] is not None
    assert await flaws_in_journal(service, identifier) == []


async def test_a_decision_about_one_of_two_options_leaves_the_question_open(service: Service) -> None:
    first, second = await referred(service, 2)
    await decide(service, first, "ask", reason=WHAT)

    await decide(service, first, "decline", reason="Too much.")
    still = await shown(service, second["quote_identifier"])
    await decide(service, second, "decline", reason="Too much.")

    assert still["questions"][0]["status"] == "open"
    both = [await shown(service, quote["quote_identifier"]) for quote in (first, second)]
    assert [quote["questions"][0]["status"] for quote in both] == ["overtaken", "overtaken"]


async def test_nothing_is_asked_where_nothing_waits_or_nothing_is_said(
    service: Service, subtests: pytest.Subtests
) -> None:
    (quote,) = await referred(service)
    published = await one_quoted(service)
    await decide(service, quote, "ask", reason=WHAT)
    rows = (
        ("published", published, WHAT, 400),
        ("empty", quote, "  ", 400),
        ("twice", quote, WHAT, 400),
        ("too long", quote, "x" * 1001, 400),
    )
    for name, of, text, status in rows:
        with subtests.test(name):
            before = await told(service, of["quote_identifier"])
            refused = await review(service, of, "ask", reason=text)
            assert refused.status_code == status, refused.text
            assert await told(service, of["quote_identifier"]) == before
    assert len((await shown(service, quote["quote_identifier"]))["questions"]) == 1
    with subtests.test("no text and no file"), pytest.raises(InvalidRequest):
        await answer(service, quote, "  ")
    with subtests.test("another partner"), pytest.raises(NotFound):
        await answer_question(
            service.runtime.database,
            service.runtime.rules,
            uuid.UUID((await shown(service, quote["quote_identifier"]))["questions"][0]["question_id"]),
            "Yes",
            partner_id=service.partner.partner_id + 1,
            actor="eve@example.com",
        )


async def requested(service: Service, **asked: Any) -> list[dict[str, Any]]:
    body = request_body(lambda body: body["client"].update(name="Foxglove Ltd (prebind)"))
    body["policy"]["quotes"] = [{"aggregate_limit": limit} for limit in (1_000_000, 2_000_000)]
    first, second = await quoted(service, body)
    before = first["premium"], first["dates"]
    await bind(service, first, **asked)
    assert await status_of(service, second["quote_identifier"]) == "quote_not_bound"
    return [first | {"before": before}, second]


async def test_a_bind_that_is_sent_back_can_be_asked_for_again_as_it_was_offered(service: Service) -> None:
    today = await service.runtime.database.today()
    on_other_days = {"effective": (today + timedelta(20)).isoformat()}
    first, second = await requested(service, dates=on_other_days)
    asked = await shown(service, first["quote_identifier"])
    assert asked["dates"]["effective"] == on_other_days["effective"]

    back = await decide(service, first, "send_back", reason="The cover cannot begin on that day.")

    assert (back["premium"], back["dates"]) == first["before"]
    assert (back["quote_status"], back["quote_expiration_date"]) == (
        "published",
        first["quote_expiration_date"],
    )
    assert await status_of(service, second["quote_identifier"]) == "published"
    assert (await item(service, first))["closed_at"] is not None
    newest = (await service.journal(first["quote_identifier"]))[-1]
    assert newest.type == "quote.published"
    assert "The cover cannot begin on that day." in newest.data
    ((_, subject, body),) = await mails_of(service, "bind_sent_back")
    assert "the bind of option 1 was sent back" in subject
    assert "The cover cannot begin on that day." in body

    again = await bind(service, first, dates={"effective": first["dates"]["effective"]})
    assert again["quote_status"] == "quote_bind_requested"


async def test_a_bind_is_not_sent_back_without_a_word_or_after_its_last_day(
    service: Service, subtests: pytest.Subtests
) -> None:
    first, _ = await requested(service)
    with subtests.test("without a word"):
        assert (await review(service, first, "send_back", reason=" ")).status_code == 400
    with subtests.test("after the last day"):
        last = date.fromisoformat(first["quote_expiration_date"])
        await set_day(service, last + timedelta(1))
        refused = await review(service, first, "send_back", reason="Other days, please.")
        assert refused.status_code == 400
        assert "it would have expired" in refused.text
    assert await status_of(service, first["quote_identifier"]) == "quote_bind_requested"
    with subtests.test("nothing requested"):
        published = await one_quoted(service)
        assert (await review(service, published, "send_back", reason="Why?")).status_code == 400


async def waiting(service: Service, quote: dict[str, Any]) -> dict[str, bool]:
    """Return what of a case is at the desk, by kind, and whether it waits for its broker."""
    rows = await service.runtime.database.pool.fetch(
        "select d.kind, d.asked_at is not null as waits "
        "from desk_items d join quotes q using (submission_id) where q.quote_id = $1 and d.closed_at is null",
        uuid.UUID(quote["quote_identifier"]),
    )
    return {row["kind"]: row["waits"] for row in rows}


async def test_a_file_wakes_a_paper_that_waits_for_its_broker_and_leaves_the_question_open(
    service: Service,
) -> None:
    await set_day(service, MONDAY, time(9))
    quote = await one_quoted(service)
    await bind(service, quote)
    await upload_signed(service, quote)
    await decide(service, quote, "ask", reason="Page 2 is missing: please send it again.")
    asleep = await waiting(service, quote)
    due = (await item(service, quote))["due_at"]
    await set_day(service, MONDAY + timedelta(days=1), time(9))

    await upload_signed(service, quote)

    assert (asleep, await waiting(service, quote)) == ({"paper": True}, {"paper": False})
    # As with an answer: what was left of the time is left.
    left = (await item(service, quote))["due_at"] - due
    assert abs(left - timedelta(days=1)) < timedelta(minutes=5)
    (asked,) = (await shown(service, quote["quote_identifier"]))["questions"]
    assert asked["status"] == "open"
    assert (await answer(service, quote)).status == "answered"
    again = await decide(service, quote, "ask", reason="And who signed it?")
    assert await waiting(service, quote) == {"paper": True}
    assert [each["status"] for each in again["questions"]] == ["answered", "open"]


async def test_a_file_wakes_the_paper_alone_and_a_decided_one_overtakes_its_question(
    service: Service,
) -> None:
    quote = await one_quoted(service)
    await decide(service, quote, "add_contingency", contingency={"type": "pre_bind", "text": "Loss runs"})
    await bind(service, quote)
    await upload_signed(service, quote)
    await decide(service, quote, "ask", reason=WHAT)
    asleep = await waiting(service, quote)

    await upload_signed(service, quote)
    awake = await waiting(service, quote)
    await decide(service, quote, "decline", reason="Too late.")

    assert asleep == {"bind": True, "paper": True}
    assert awake == {"bind": True, "paper": False}
    (asked,) = (await shown(service, quote["quote_identifier"]))["questions"]
    assert (asked["status"], await waiting(service, quote)) == ("overtaken", {})
