"""Quotes entered by hand: whatever is typed is kept, and what two type at once."""

import asyncio
import io
import re
import uuid
from datetime import timedelta
from typing import Any

import msgspec
import pikepdf
import pytest

from bindery.actions.submission.fill_draft import fill_draft
from bindery.actions.timetable.purge import purge_drafts
from bindery.domain.access.users import Role, User
from bindery.domain.drafts.draft import KEPT_FOR, DraftGone
from bindery.worker.entrypoints import EVERY_HOUR, TIMETABLE
from support.drafts import COMPANY, address_in, colleague_of, drop, marks_of, start
from support.intake import changed
from support.papers import signed
from support.people import Person, sign_in_as, text_of
from support.service import Service, request_body
from support.telling import move_clock

GONE = "There is no such draft"


async def fields_in(service: Service) -> dict[str, list[str]]:
    fields: dict[str, list[str]] = msgspec.json.decode(
        await service.runtime.database.pool.fetchval("select fields from drafts")
    )
    return fields


async def test_whatever_is_typed_is_kept_right_or_wrong(service: Service, broker: Person) -> None:
    place = await start(broker, **{"client.revenue": "lots", "client.address.zip": "1910"})

    page = await broker.open(f"{place}/company")

    assert 'name="client.revenue" inputmode="numeric" value="lots"' in page
    assert 'value="1910"' in page
    words = text_of(page)
    assert "Must be a whole number" in words
    assert "Not answered" not in words
    assert (await fields_in(service))["client.revenue"] == ["lots"]


async def test_nothing_is_kept_before_something_is_typed(service: Service, broker: Person) -> None:
    await broker.open("/new")

    assert await service.count("drafts") == 0
    assert "No draft is open" in await broker.open("/drafts")


async def test_a_field_that_is_emptied_is_empty_and_what_other_steps_hold_stays(
    service: Service, broker: Person
) -> None:
    place = await drop(broker, msgspec.json.encode(request_body()))
    page = await broker.open(f"{place}/company")

    sent = {**COMPANY, "client.name": "", "client.address.street2": ""}
    await broker.post(f"{place}/company", marks=marks_of(page), **sent)

    kept = await fields_in(service)
    assert "client.name" not in kept
    assert "questions.Q2302" in kept or any(name.startswith("questions.") for name in kept)
    assert "policy.quotes" in kept


@pytest.mark.parametrize(
    ("go", "where"),
    [("next", "questions"), ("back", "company"), ("review", "review"), ("nonsense", "company")],
)
async def test_each_button_saves_and_goes_where_it_says(broker: Person, go: str, where: str) -> None:
    place = await start(broker)
    page = await broker.open(f"{place}/company")

    answer = await broker.post(f"{place}/company", marks=marks_of(page), go=go, **COMPANY)

    assert answer.headers["location"] == f"{place}/{where}"


async def test_a_colleague_goes_on_and_both_changes_are_kept(service: Service, broker: Person) -> None:
    place = await start(broker)
    async with await colleague_of(service) as other:
        mine, theirs = await broker.open(f"{place}/company"), await other.open(f"{place}/company")

        await other.post(
            f"{place}/company", marks=marks_of(theirs), **{**COMPANY, "client.dba": "Lighthouse"}
        )
        answer = await broker.post(
            f"{place}/company",
            marks=marks_of(mine),
            go="review",
            **{**COMPANY, "client.revenue": "7,000,000"},
        )

    kept = await fields_in(service)
    assert answer.headers["location"] == f"{place}/review"
    assert kept["client.dba"] == ["Lighthouse"]
    assert kept["client.revenue"] == ["7,000,000"]


async def test_what_both_changed_keeps_the_typed_text_and_shows_the_others_with_a_name(
    service: Service, broker: Person
) -> None:
    place = await start(broker)
    async with await colleague_of(service) as other:
        mine, theirs = await broker.open(f"{place}/company"), await other.open(f"{place}/company")

        await other.post(
            f"{place}/company", marks=marks_of(theirs), **{**COMPANY, "client.revenue": "5,000,000"}
        )
        page = await broker.send(
            f"{place}/company", marks=marks_of(mine), **{**COMPANY, "client.revenue": "7,000,000"}
        )

    words = text_of(page)
    assert 'value="7,000,000"' in page
    assert "Pat Broker typed “$5,000,000” too. What stands here is sent." in words
    assert "Yours are kept" in words


async def test_what_only_a_colleague_changed_is_said_and_nothing_typed_is_lost(
    service: Service, broker: Person
) -> None:
    place = await start(broker)
    async with await colleague_of(service) as other:
        mine = await broker.open(f"{place}/company")
        theirs = await other.open(f"{place}/company")
        changes = {"client.revenue": "2600000", "client.industry": ""}
        await other.post(f"{place}/company", marks=marks_of(theirs), **{**COMPANY, **changes})

        saved = await broker.post(
            f"{place}/company/save", marks=marks_of(mine), **{**COMPANY, "client.dba": "Lighthouse"}
        )
        again = await broker.post(
            f"{place}/company/save", marks=marks_of(saved.text), **{**COMPANY, "client.dba": "Lighthouses"}
        )
        sent = await broker.post(
            f"{place}/company", marks=marks_of(again.text), **{**COMPANY, "client.dba": "Light"}
        )
        banner = text_of(await broker.open(sent.headers["location"]))
        quiet = await broker.open(f"{place}/company")

    said = "Pat Broker changed Revenue, last 12 months to $2,600,000 and Pat Broker emptied Industry"
    for answer in (saved.text, again.text):
        assert f"{said} while you were typing. Show it" in text_of(answer)
        assert f'href="{place}/company">Show it' in answer
    assert f"{said} while you were typing." in banner
    assert "while you were typing" not in text_of(quiet)
    kept = await fields_in(service)
    assert kept["client.dba"] == ["Light"]
    assert kept["client.revenue"] == ["2600000"]
    assert "client.industry" not in kept


async def test_what_two_answered_and_ticked_at_once_is_told_in_words(
    service: Service, broker: Person
) -> None:
    place = await start(broker)
    name = "questions.Q2134"
    one = '{"aggregate_limit":1000000,"aggregate_retention":5000}'
    two = '{"aggregate_limit":2000000,"aggregate_retention":10000}'
    three = '{"aggregate_limit":3000000}'
    async with await colleague_of(service) as other:
        for step, field, first, mine, theirs in (
            ("questions", name, "perhaps", "true", "false"),
            ("options", "policy.quotes", one, two, three),
        ):
            page = await broker.open(f"{place}/{step}")
            await broker.post(f"{place}/{step}", marks=marks_of(page), **{field: first})
            own, others = await broker.open(f"{place}/{step}"), await other.open(f"{place}/{step}")
            await other.post(f"{place}/{step}", marks=marks_of(others), **{field: theirs})
            saved = text_of(
                (await broker.post(f"{place}/{step}/save", marks=marks_of(own), **{field: mine})).text
            )
            shown = text_of(await broker.open(f"{place}/{step}"))
            for page in (saved, shown):
                assert "aggregate_limit" not in page
            if step == "questions":
                assert "Pat Broker has “No” as “" in saved
                assert "at the same time. Yours is kept." in saved
                assert "Q2134" not in saved
                assert "typed “No” too" in shown
            else:
                assert "Pat Broker has “$3,000,000 limit, the usual retention” as Options" in saved
                assert "typed “$3,000,000 limit, the usual retention” too" in shown


async def test_saves_at_the_same_moment_lose_nothing(service: Service, broker: Person) -> None:
    place = await start(broker)
    page = await broker.open(f"{place}/company")
    names = ["client.dba", "client.address.street2", "client.insured_main_contact.email"]

    answers = await asyncio.gather(
        *(
            broker.post(f"{place}/company/save", marks=marks_of(page), **{**COMPANY, name: f"typed {name}"})
            for name in names
        )
    )

    assert [answer.status_code for answer in answers] == [200, 200, 200]
    kept = await fields_in(service)
    assert {name: kept[name] for name in names} == {name: [f"typed {name}"] for name in names}


async def test_a_page_that_is_typed_in_is_started_once_however_often_it_is_sent(
    service: Service, broker: Person
) -> None:
    page = await broker.open("/new")
    address, marks = address_in(page), marks_of(page)

    await asyncio.gather(
        broker.post(f"{address}/save", marks=marks, **{"client.name": "Marble"}),
        broker.post(address, marks=marks, **{"client.name": "Marble", "client.dba": "Lighthouse"}),
    )

    assert await service.count("drafts") == 1
    assert await fields_in(service) == {
        "client.name": ["Marble"],
        "client.dba": ["Lighthouse"],
        "policy.quotes": ['{"aggregate_limit":1000000}'],
    }


async def test_an_autosave_says_so_and_brings_the_marks_of_what_is_typed(broker: Person) -> None:
    place = await start(broker)
    page = await broker.open(f"{place}/company")

    first = await broker.post(f"{place}/company/save", marks=marks_of(page), **{**COMPANY, "client.dba": "A"})
    second = await broker.post(f"{place}/company/save", marks=marks_of(first.text), **COMPANY)

    assert "Saved" in first.text
    assert "<html" not in first.text
    assert second.status_code == 200
    assert 'value="A"' not in await broker.open(f"{place}/company")


async def test_a_draft_that_a_colleague_deleted_is_started_again_by_whoever_still_types(
    service: Service, broker: Person
) -> None:
    place = await start(broker)
    page = await broker.open(f"{place}/company")
    await broker.send(f"{place}/delete")

    again = await broker.post(f"{place}/company", marks=marks_of(page), **COMPANY)

    assert again.status_code == 303
    assert (await fields_in(service))["client.name"] == [COMPANY["client.name"]]


async def test_another_partners_draft_is_as_if_it_were_not_there(service: Service, broker: Person) -> None:
    place = await start(broker)
    await service.new_partner("Others")
    async with await sign_in_as(service, Role.BROKER, partner="Others") as stranger:
        for path in ("", "/company", "/review"):
            assert GONE in await stranger.open(f"{place}{path}", status=404)
        for path in ("/company", "/company/save", "/review", "/delete"):
            answer = await stranger.post(f"{place}{path}", marks="client.name:0", **COMPANY)
            assert answer.status_code == 404, path
        assert "Marble" not in await stranger.open("/drafts")

    assert await service.count("drafts") == 1
    assert "Marble" in await broker.open("/drafts")


async def test_a_new_quote_for_a_company_has_its_last_request_with_the_answers(
    service: Service, broker: Person
) -> None:
    receipt = await service.submit()
    page = await broker.open(f"/new?company_id={receipt['company_id']}")

    assert f'value="{request_body()["client"]["name"]}"' in page
    assert await service.count("drafts") == 0
    fields = {"client.name": "Renamed LLC", "copies": receipt["company_id"]}
    await broker.post(address_in(page), marks="client.name:0", **fields)

    kept = await fields_in(service)
    assert kept["client.company_id"] == [receipt["company_id"]]
    assert kept["client.name"] == ["Renamed LLC"]
    asked = {f"questions.{question['id']}" for question in request_body()["questions"]}
    assert len([name for name in kept if name.startswith("questions.")]) == len(asked)


async def test_a_company_of_another_partner_cannot_be_copied_or_used(
    service: Service, broker: Person
) -> None:
    others = await service.new_partner("Others")
    foreign = (await others.submit())["company_id"]
    place = await start(broker)

    await broker.open(f"/new?company_id={foreign}", status=404)
    copied = await broker.post(f"/draft/{uuid.uuid4()}/company", copies=foreign, **COMPANY)
    used = await broker.post(f"{place}/company", go=f"use-{foreign}", **COMPANY)

    assert (copied.status_code, used.status_code) == (404, 404)
    assert await service.count("drafts") == 1


async def test_a_company_of_the_book_is_found_by_its_name_and_used_with_its_answers(
    working_service: Service, broker: Person
) -> None:
    body = changed(("client.name", "Harborlight Bakery LLC"))
    receipt = await working_service.submit(body)
    await working_service.ready(receipt["quotes"][0]["quote_identifier"])
    page = await broker.open("/new")
    address = address_in(page)
    typed: dict[str, Any] = {"client.name": "harborlight bak", "client.revenue": "3,000,000"}

    asked = await broker.post(address, marks=marks_of(page), go="next", **typed)
    shown = await broker.open(address)
    used = await broker.send(address, marks=marks_of(shown), go=f"use-{receipt['company_id']}", **typed)

    assert asked.headers["location"] == f"{address}#known"
    assert "You have Harborlight Bakery LLC in Philadelphia: new options for it?" in text_of(shown)
    kept = await fields_in(working_service)
    assert kept["client.company_id"] == [receipt["company_id"]]
    assert kept["client.name"] == ["harborlight bak"]
    assert any(name.startswith("questions.") for name in kept)
    assert f"company {receipt['company_id']}" in text_of(used)


async def test_who_saw_the_note_about_the_book_goes_on_without_being_asked_again(
    working_service: Service, broker: Person
) -> None:
    receipt = await working_service.submit(changed(("client.name", "Harborlight Bakery LLC")))
    await working_service.ready(receipt["quotes"][0]["quote_identifier"])
    page = await broker.open("/new")

    answer = await broker.post(
        address_in(page),
        marks=marks_of(page),
        go="next",
        known="1",
        **{"client.name": "Harborlight Bakery LLC"},
    )

    assert answer.headers["location"].endswith("/questions")


async def test_an_industry_is_found_by_words_without_javascript(broker: Person) -> None:
    page = await broker.open("/new")
    address = address_in(page)

    found = await broker.post(address, marks=marks_of(page), go="find", industry_q="dentist")
    shown = await broker.open(found.headers["location"])
    by_code = await broker.open(f"{address}?industry_q=339116")
    nothing = await broker.open(f"{address}?industry_q=qqq")

    assert 'value="621210"' in shown
    assert "Offices of Dentists" in text_of(shown)
    assert re.search(r'value="339116" checked', by_code)
    assert "No industry has words that begin so" in text_of(nothing)


async def test_a_product_shows_its_retroactive_date(
    broker: Person,
) -> None:
    technology = await start(broker, **{"policy.insurance_product": "TEO"})
    professional = await start(
        broker, **{"policy.insurance_product": "MPL", "policy.dates.mpl_retroactive_date": "full_prior_acts"}
    )

    first, second = await broker.open(f"{technology}/company"), await broker.open(f"{professional}/company")

    assert 'class="is-TEO" data-wait="0" checked' in first
    assert 'name="policy.dates.teo_retroactive_date"' in first
    assert 'value="full_prior_acts" checked' in second


async def test_drafts_are_listed_opened_where_work_is_left_and_deleted_once(
    service: Service, broker: Person
) -> None:
    place = await start(broker)
    async with await colleague_of(service) as other:
        listed = text_of(await other.open("/drafts"))
        where = (await other.http.get(place)).headers["location"]
        first = await other.send(f"{place}/delete")
        again = await other.send(f"{place}/delete", status=404)

    assert "Marble Lighthouse Dental Group PC Cyber Pat Broker" in listed
    assert where == f"{place}/questions"
    assert "The draft is deleted." in text_of(first)
    assert GONE in text_of(again)
    assert GONE in await broker.open(f"{place}/company", status=404)


async def test_drafts_are_kept_30_days_after_the_last_change(service: Service, broker: Person) -> None:
    await start(broker)

    await move_clock(service, KEPT_FOR - timedelta(minutes=1))
    kept = await purge_drafts(service.runtime.database)
    await move_clock(service, timedelta(minutes=2))
    purged = await purge_drafts(service.runtime.database)

    assert (kept, purged) == (0, 1)
    assert TIMETABLE["purge_drafts"].cron == EVERY_HOUR


async def test_a_draft_that_is_too_large_is_refused_and_the_one_before_stays(
    service: Service, broker: Person
) -> None:
    place = await start(broker)
    page = await broker.open(f"{place}/company")
    answers = {f"questions.X{number}": "x" * 9_000 for number in range(22)}
    await broker.post(f"{place}/company", marks="", **answers)

    refused = await broker.post(
        f"{place}/company", marks=marks_of(page), **{**COMPANY, "client.dba": "x" * 9_000}
    )

    assert refused.status_code == 422
    assert "A draft holds at most 200,000 characters" in text_of(refused.text)
    assert "client.dba" not in await fields_in(service)


@pytest.mark.usefixtures("real_printing")
async def test_an_application_that_was_filled_in_says_what_was_taken_of_it_and_what_was_not(
    working_service: Service, broker: Person
) -> None:
    receipt = await working_service.submit()
    identifier = receipt["quotes"][0]["quote_identifier"]
    await working_service.ready(identifier)
    printed = await broker.http.get(f"/quote/{identifier}/document/application")
    filled = {"name": "Eve Example", "title": "Treasurer", "date": "2026-11-18"}

    place = await drop(broker, signed(printed.content, **filled), "application.pdf")
    review = text_of(await broker.open(f"{place}/review"))

    # The form has fields to sign in and none for an answer.
    with pikepdf.open(io.BytesIO(printed.content)) as pdf:
        assert {str(field.T) for field in pdf.Root.AcroForm.Fields} == {"signature", "date", "name", "title"}
    answers = len(request_body()["questions"])
    assert (
        f"The draft has what the application of quote {identifier} was printed for: the company, "
        f"{answers} answers and 2 options. What somebody filled in or wrote on it, the signature included, "
        "is not taken."
    ) in review
    kept = await fields_in(working_service)
    assert len([name for name in kept if name.startswith("questions.")]) == answers
    assert "Eve Example" not in str(kept)


async def test_a_draft_that_is_gone_is_not_filled_in(service: Service, broker: Person) -> None:
    company_id = int((await service.submit())["company_id"])
    row = await service.runtime.database.pool.fetchrow(
        "select user_id, email, name, role, partner_id from users where email = $1", broker.email
    )
    assert row is not None

    with pytest.raises(DraftGone):
        await fill_draft(service.runtime.database, User(**row), uuid.uuid4(), company_id)

    assert await service.count("drafts") == 0
