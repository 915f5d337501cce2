"""The steps Questions and Options of a draft, sent as a browser without JavaScript does."""

import json
import re
from collections.abc import AsyncIterator, Mapping
from random import Random
from typing import Any

import msgspec
import pytest
import pytest_asyncio

from bindery.contract.questions import QuestionType
from bindery.domain.access.users import Role
from bindery.domain.drafts.fields import questions_of
from support.answering import all_made_up
from support.drafts import ANSWERS, COMPANY, marks_of, start
from support.people import Person, sign_in_as, text_of
from support.service import Service

pytestmark = pytest.mark.asyncio(loop_scope="module")
Answers = Mapping[str, str | tuple[str, ...] | list[str]]
LARGEST_QUESTIONS = 60_000
ONE = '{"aggregate_limit":1000000,"aggregate_retention":5000}'


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def typist(office: Service) -> AsyncIterator[Person]:
    async with await sign_in_as(office, Role.BROKER) as signed_in:
        yield signed_in


async def answer(person: Person, place: str, answers: Answers, *, go: str = "check") -> str:
    """Send the step Questions with these answers and return the page that follows."""
    page = await person.open(f"{place}/questions")
    fields: dict[str, Any] = {f"questions.{name}": value for name, value in answers.items()}
    return await person.send(f"{place}/questions", marks=marks_of(page), go=go, **fields)


async def tick(person: Person, place: str, *options: str, go: str = "check", **more: str) -> str:
    page = await person.open(f"{place}/options")
    fields: dict[str, Any] = {"policy.quotes": list(options), **more}
    return await person.send(f"{place}/options", marks=marks_of(page), go=go, **fields)


async def kept(office: Service, place: str) -> dict[str, list[str]]:
    fields: dict[str, list[str]] = msgspec.json.decode(
        await office.runtime.database.pool.fetchval(
            "select fields from drafts where draft_id = $1::text::uuid", place.removeprefix("/draft/")
        )
    )
    return fields


def hints(page: str) -> dict[str, str]:
    """Return what the links of the steps say below their names."""
    return dict(re.findall(r'<small id="at-(\w+)">(.*?)</small>', page))


def figure(page: str) -> str:
    found = re.search(r'<p class="figure">(.*?)</p>', page)
    assert found is not None, "no price range"
    return found[1]


def hears(page: str, name: str) -> str:
    """Return the markup of one question."""
    found = re.search(rf'<(fieldset|div) class="ask[^>]*id="questions\.{name}".*?</\1>', page, re.DOTALL)
    assert found is not None, name
    return found[0]


async def test_questions_are_in_sections_with_follow_ups_below_what_opens_them(
    office: Service, typist: Person
) -> None:
    place = await start(typist)

    page = await typist.open(f"{place}/questions")

    words = text_of(page)
    assert "0 of 13 answered" in words
    assert "A price range comes once enough questions are answered." in words
    assert page.index('id="business"') < page.index('id="data-and-backups"') < page.index('id="access"')
    assert 'value="true" data-opens="a">Yes' in hears(page, "Q2142")
    below = page.partition('id="questions.Q2142"')[2].partition("</fieldset>")[2]
    assert below.strip().startswith('<div class="then a">')
    # Asked from $25,000,000 on.
    assert "Q2312" not in page
    assert len(page) < LARGEST_QUESTIONS


async def test_every_answer_is_kept_and_the_price_range_is_that_of_the_indication(
    office: Service, typist: Person
) -> None:
    place = await start(typist)

    page = await answer(typist, place, ANSWERS)

    words = text_of(page)
    assert "17 of 17 answered" in words
    assert "$2,176 to $3,075" in words
    assert re.search(r'value="None of the above" checked data-alone', page)
    assert 'name="questions.Q2314" value="58"' in page
    # Without answers it is the range of the API.
    empty = await start(typist)
    indication = await office.http.post(
        "/v2/quotes/indication",
        json={"name": "A", "revenue": 6_400_000, "state": "PA", "industry": "621210"},
        headers={"Authorization": f"Bearer {office.token}"},
    )
    premium = indication.json()["premium"]
    assert (premium["low"], premium["high"]) == (2_158, 10_672)
    assert "$2,158" not in await typist.open(f"{empty}/questions")


async def test_going_on_brings_what_the_answers_opened_and_then_goes_on(
    office: Service, typist: Person
) -> None:
    place = await start(typist)
    first = {**ANSWERS, "Q2311": "", "Q2313": ""}

    stays = await answer(typist, place, first, go="next")

    assert "Your answers bring up 2 more questions." in text_of(stays)
    assert "15 of 17 answered" in text_of(stays)
    goes = await answer(typist, place, first, go="next")
    assert "Which options should be quoted?" in text_of(goes)


async def test_answers_that_no_longer_count_are_kept_and_come_back(office: Service, typist: Person) -> None:
    place = await start(typist)
    await answer(typist, place, ANSWERS)

    without = await answer(typist, place, {**ANSWERS, "Q2142": "false"})

    assert "15 of 15 answered" in text_of(without)
    assert (await kept(office, place))["questions.Q2313"] == ["Yes"]
    again = await answer(typist, place, ANSWERS)
    assert "17 of 17 answered" in text_of(again)


async def test_wrong_answers_are_said_at_their_question_and_kept(office: Service, typist: Person) -> None:
    place = await start(typist)
    both = ["Cannabis", "None of the above"]

    page = await answer(typist, place, {**ANSWERS, "Q2244": both, "Q2314": "many"})

    assert "cannot be combined with other options" in text_of(hears(page, "Q2244"))
    assert "Q2314 is answered with a whole number" in text_of(page)
    assert (await kept(office, place))["questions.Q2244"] == both
    assert "15 of 17 answered" in text_of(page)


async def test_a_higher_revenue_marks_what_it_brings(office: Service, typist: Person) -> None:
    place = await start(typist, **{"client.revenue": "900,000"})
    page = await answer(typist, place, {**ANSWERS, "seen": "900000 0"})
    assert "marked New" not in text_of(page)
    company = await typist.open(f"{place}/company")
    await typist.post(f"{place}/company", marks=marks_of(company), go="check", **COMPANY)

    page = await typist.open(f"{place}/questions")

    assert "Asked at a revenue of $6,400,000." in text_of(hears(page, "Q2307"))
    assert 'name="questions.seen" value="6400000 0"' in page
    await answer(typist, place, {**ANSWERS, "seen": "900000 0", "Q2307": ""})
    page = await typist.open(f"{place}/questions")
    assert "1 question marked New came up since you answered the others." in text_of(page)
    assert 'name="questions.seen" value="900000 0"' in page


async def test_saving_while_somebody_types_answers_with_progress_and_price(
    office: Service, typist: Person
) -> None:
    place = await start(typist)
    page = await typist.open(f"{place}/questions")
    fields: dict[str, Any] = {f"questions.{name}": value for name, value in ANSWERS.items()}

    saved = await typist.post(f"{place}/questions/save", marks=marks_of(page), **fields)

    assert saved.status_code == 200
    pieces = {"saved", "progress", "business-progress", "access-progress", "jump", "price", "sections"}
    assert pieces <= set(re.findall(r' id="([\w-]+)"', saved.text))
    assert "asks" not in saved.text
    assert "$2,176 to $3,075" in text_of(saved.text)


async def test_options_are_ticked_in_a_grid_and_all_are_kept(office: Service, typist: Person) -> None:
    place = await start(typist)
    await answer(typist, place, ANSWERS)
    odd = '{"aggregate_limit":1234567}'

    page = await tick(typist, place, ONE, odd)

    words = text_of(page)
    assert "2 of 15" in words
    assert "$2,176 to $3,075" in words
    assert "$5,000,000 underwriter decides" in words
    assert "$1,234,567 aggregate" in words
    assert (await kept(office, place))["policy.quotes"] == [ONE, odd]
    page = await tick(typist, place, ONE)
    assert "Your 1 option" in text_of(page)


async def test_a_sixteenth_option_is_said_and_none_is_lost(office: Service, typist: Person) -> None:
    place = await start(typist)
    retentions = (2_500, 5_000, 10_000, 15_000, 25_000, 50_000, 75_000, 100_000)
    many = [
        json.dumps({"aggregate_limit": limit, "aggregate_retention": retention}, separators=(",", ":"))
        for limit in (1_000_000, 2_000_000)
        for retention in retentions
    ]

    page = await tick(typist, place, *many)

    assert "16 options are ticked, and one request takes at most 15." in text_of(page)
    assert (await kept(office, place))["policy.quotes"] == many
    review = await typist.send(f"{place}/review", status=422, go="send")
    assert "Options Must have at most 15 items." in text_of(review)
    assert hints(review)["options"] == "1 to fix"
    assert await office.count("submissions") == 0
    # One less is enough.
    assert "Untick" not in text_of(await tick(typist, place, *many[1:]))


async def test_a_limit_that_is_not_offered_any_more_is_said_and_kept(office: Service, typist: Person) -> None:
    place = await start(typist)
    await answer(typist, place, ANSWERS)
    gone = '{"aggregate_limit":4000001,"aggregate_retention":5000}'

    page = text_of(await tick(typist, place, ONE, gone, go="next"))
    options = text_of(await typist.open(f"{place}/options"))
    sent = await typist.post(f"{place}/review", go="send")

    assert "1 thing to fix before this can be sent Options" in page
    assert "$4,000,001 aggregate It is not offered, or not any more: untick it." in options
    assert sent.status_code == 422
    assert (await kept(office, place))["policy.quotes"] == [ONE, gone]
    assert await office.count("submissions") == 0


async def test_the_steps_say_how_far_they_are(office: Service, typist: Person) -> None:
    place = await start(typist, **{"client.name": "Told & Sons"})

    begun = hints(await typist.open(f"{place}/company"))
    answered = hints(await answer(typist, place, {**ANSWERS, "Q2310": ""}))
    ticked = hints(await tick(typist, place, ONE, '{"aggregate_limit":2000000}'))
    short: dict[str, Any] = {"client.address.zip": "1"}
    await typist.send(f"{place}/company", go="check", marks="client.address.zip:1", **short)
    wrong = await typist.open(f"{place}/review")

    assert begun == {
        "company": "Who is insured",
        "questions": "13 to answer",
        "options": "1 of 15",
        "review": "Check and send",
    }
    assert answered == begun | {"company": "Told &amp; Sons", "questions": "16 of 17"}
    assert ticked == answered | {"options": "2 of 15"}
    assert hints(wrong) == ticked | {"company": "1 to fix", "review": "2 things to fix"}
    assert "2 things to fix before this can be sent" in text_of(wrong)


async def test_the_company_shows_the_price_range_once_enough_is_answered(
    office: Service, typist: Person
) -> None:
    place = await start(typist)

    before = text_of(await typist.open(f"{place}/company"))
    await answer(typist, place, ANSWERS)
    page = await typist.open(f"{place}/company")
    typed = {**COMPANY, "client.dba": "Marble"}
    other = (await typist.post(f"{place}/company/save", marks=marks_of(page), **typed)).text
    larger = typed | {"client.revenue": "7,000,000"}
    priced = (await typist.post(f"{place}/company/save", marks=marks_of(page), **larger)).text
    review = text_of(await typist.open(f"{place}/review"))

    assert "A price range comes once enough questions are answered." in before
    assert "Price range, not a quote $2,176 to $3,075" in text_of(page)
    assert 'id="price"' not in other
    assert {"saved", "at-questions", "jump", "price"} <= set(re.findall(r' id="([\w-]+)"', priced))
    assert "$2,176" not in priced
    assert f"Price range, not a quote {figure(priced)}" in review


async def test_another_option_is_added_and_all_limits_are_shown(office: Service, typist: Person) -> None:
    place = await start(typist)
    added = {"add.aggregate_limit": "500000", "add.retention": "75000", "add.per_claim_limit": "250000"}

    page = await tick(typist, place, ONE, go="add", **added)

    new = '{"aggregate_limit":500000,"aggregate_retention":75000,"per_claim_limit":250000}'
    assert (await kept(office, place))["policy.quotes"] == [ONE, new]
    assert "$500,000 aggregate, $250,000 per claim, $75,000 retention" in text_of(page)
    page = await tick(typist, place, ONE, new, go="all")
    assert "$10,000,000" in text_of(page)
    assert "All 18 limits" not in text_of(page)
    # Nothing chosen adds nothing.
    await tick(typist, place, ONE, go="add")
    assert (await kept(office, place))["policy.quotes"] == [ONE]


@pytest.mark.parametrize("product", ["CYB", "TEO", "MPL"])
async def test_questions_with_everything_opened_and_answered_keep_to_60_kilobytes(
    office: Service, typist: Person, product: str
) -> None:
    company = {
        "policy.insurance_product": product,
        "client.revenue": "4,000,000,000",
        "policy.dates.effective": "2026-12-01",
        "policy.dates.mpl_retroactive_date": "full_prior_acts",
        "policy.dates.teo_retroactive_date": "2020-01-01",
    }
    place = await start(typist, **company)
    day = await office.runtime.database.today()
    questions = questions_of({name: (value,) for name, value in company.items()}, day)
    everything = {
        question.id: list(question.places) or ("true" if question.type is QuestionType.BOOLEAN else "x" * 400)
        for question in questions
    }

    opened = await answer(typist, place, everything)
    wrong = await typist.open(f"{place}/questions?check=1")
    chance = Random(product)
    for _ in range(10):
        made_up = all_made_up(questions, chance)
        given = {
            name: list(map(_typed, value)) if isinstance(value, list) else _typed(value)
            for name, value in made_up.items()
        }
        page = await answer(typist, place, given)
        assert len(page) < LARGEST_QUESTIONS

    names = set(re.findall(r'name="questions\.([^"]+)"', opened + wrong + page))
    assert {question.id for question in questions} <= names | {"seen"}
    assert len(opened) < LARGEST_QUESTIONS
    assert len(wrong) < LARGEST_QUESTIONS


def _typed(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


@pytest.mark.parametrize("product", ["TEO", "MPL"])
async def test_the_other_products_have_their_questions_and_retentions(
    office: Service, typist: Person, product: str
) -> None:
    place = await start(typist, **{"policy.insurance_product": product, "client.revenue": "30,000,000"})

    questions, options = await typist.open(f"{place}/questions"), await typist.open(f"{place}/options")

    assert ("Technology" if product == "TEO" else "Services") in text_of(questions)
    assert len(questions) < LARGEST_QUESTIONS
    assert ("retentions per claim" in text_of(options)) is (product == "MPL")
    assert ("add.cap" in options) is (product == "MPL")


async def test_saving_the_options_answers_with_what_follows_from_them(
    office: Service, typist: Person
) -> None:
    place = await start(typist)
    page = await typist.open(f"{place}/options")

    fields: dict[str, Any] = {"policy.quotes": [ONE]}

    saved = await typist.post(f"{place}/options/save", marks=marks_of(page), **fields)

    pieces = {"saved", "count", "ticked", "jump", "price", "referred"}
    assert pieces <= set(re.findall(r' id="([\w-]+)"', saved.text))
    assert "checkbox" not in saved.text


async def test_a_new_quote_begins_with_the_option_that_the_api_quotes_without_any(
    office: Service, typist: Person
) -> None:
    new = await typist.open("/new")
    place = await start(typist)

    page = await typist.open(f"{place}/options")
    review = text_of(await typist.open(f"{place}/review"))
    unticked = await tick(typist, place)

    assert hints(new)["options"] == hints(page)["options"] == "1 of 15"
    (ticked,) = re.findall(r'value="([^"]*)" checked>', page)
    assert ticked == "{&#34;aggregate_limit&#34;:1000000}"
    assert "Your 1 option" in text_of(page)
    # The usual retention, whatever the revenue: $5,000 at six million.
    assert re.search(r"1 \$1,000,000 \$1,000,000 \$5,000 ", text_of(page))
    assert "$1,000,000 the usual retention" in review
    assert "No option is ticked" in text_of(unticked)
    assert "policy.quotes" not in await kept(office, place)


async def test_a_company_that_is_used_brings_its_own_options(office: Service, typist: Person) -> None:
    receipt = await office.submit()
    place = await start(typist)
    page = await typist.open(f"{place}/company")

    await typist.post(f"{place}/company", marks=marks_of(page), go=f"use-{receipt['company_id']}", **COMPANY)

    assert len((await kept(office, place))["policy.quotes"]) == len(receipt["quotes"]) == 2


async def test_the_questions_say_what_sending_will_lead_to_as_far_as_it_is_known(
    office: Service, typist: Person
) -> None:
    place = await start(typist)
    bare = await start(typist, **{"client.revenue": ""})

    first = text_of(await typist.open(f"{place}/questions"))
    done = text_of(await answer(typist, place, ANSWERS))
    page = await typist.open(f"{place}/questions")
    fields: dict[str, Any] = {f"questions.{name}": value for name, value in ANSWERS.items()}
    saved = await typist.post(
        f"{place}/questions/save", marks=marks_of(page), **{**fields, "questions.Q2244": "Cannabis"}
    )
    review = text_of(await typist.open(f"{place}/review"))
    await answer(typist, place, ANSWERS)
    five = '{"aggregate_limit":5000000}'
    await tick(typist, place, ONE, five)
    some = text_of(await typist.open(f"{place}/questions"))
    await tick(typist, place, five)
    large = text_of(await typist.open(f"{place}/questions"))

    assert "When you send it Quoted at once By the answers so far. The scan may find a reason." in first
    assert "When you send it Quoted at once By your answers. The scan may find a reason." in done
    decides = re.search(
        r"When you send it Underwriter decides An underwriter decides every option\. (.+?)\. ",
        text_of(saved.text),
    )
    assert decides is not None
    # It is what the review says, from the same rules.
    assert f"An underwriter decides {decides[1]}" in review
    assert "Quoted at once Option 2 goes to an underwriter; the others do not wait." in some
    assert "Underwriter decides Option 1 goes to an underwriter. The aggregate limit of $5,000,000" in large
    assert "When you send it" not in text_of(await typist.open(f"{bare}/questions"))
