"""An underwriter offers an option in addition to those that were asked for, without JavaScript."""

import re
import uuid
from typing import Any

import httpx
import pytest

from bindery.actions.desk.offer_option import offer_option
from bindery.base.errors import InvalidRequest, WrongState
from bindery.domain.applicant.risk import OptionAsk
from bindery.domain.quote.decisions import OfferOption
from bindery.domain.quote.journal_check import flaws_of
from bindery.storage.quote import journal
from support.binding import bind, decide, one_quoted
from support.intake import professional
from support.people import Person, fields_of, text_of
from support.service import Service, request_body

WHY = "A higher limit needs a higher retention"


def red_flags(body: dict[str, Any]) -> None:
    body["client"]["domains"] = ["red-flags.example.com"]
    body["policy"]["quotes"] = [{"aggregate_limit": 1_000_000}]


async def submission_of(service: Service, quote: dict[str, Any]) -> uuid.UUID:
    found: uuid.UUID = await service.runtime.database.pool.fetchval(
        "select submission_id from quotes where quote_id = $1", uuid.UUID(quote["quote_identifier"])
    )
    return found


async def options_of(service: Service, submission_id: uuid.UUID) -> list[str]:
    rows = await service.runtime.database.pool.fetch(
        "select quote_id from quotes where submission_id = $1 order by option_number", submission_id
    )
    return [str(row["quote_id"]) for row in rows]


async def told(service: Service, quote_id: str) -> list[str]:
    return [entry.type for entry in await service.journal(quote_id) if entry.type is not None]


async def test_an_offer_is_priced_on_the_page_and_open_at_once_beside_what_was_asked_for(
    working_service: Service, underwriter: Person, broker: Person
) -> None:
    asked = await working_service.quote(request_body(red_flags))
    submission_id = await submission_of(working_service, asked)
    path = f"/desk/case/{submission_id}"
    before = await working_service.journal(asked["quote_identifier"])
    form = fields_of(await underwriter.open(path), f"{path}/offer")
    typed = {**form, "aggregate_limit": "2000000", "aggregate_retention": "50000", "reason": WHY}

    unseen = await underwriter.send(f"{path}/offer", status=422, **typed)
    assert "premium was not on the page; it is now" in text_of(unseen)
    assert WHY in unseen
    seen = fields_of(await underwriter.send(f"{path}/preview", **typed), f"{path}/offer")
    page = text_of(await underwriter.send(f"{path}/offer", **seen))

    (_, offered) = await options_of(working_service, submission_id)
    body = await working_service.ready(offered)
    assert f"Option 2 is offered and open at ${body['premium']:,}." in page
    assert "our offer" in page
    assert (body["quote_status"], body["aggregate_limit"], body["aggregate_retention"]) == (
        *("published", 2_000_000, 50_000),
    )
    assert str(body["premium"]) == seen["shown_premium"]
    assert await told(working_service, offered) == ["quote.published"]
    assert [
        (entry.trigger, entry.actor == underwriter.email) for entry in await working_service.journal(offered)
    ] == [("create", True), ("offer_option", True), ("publish", False)]
    async with working_service.runtime.database.reading() as tx:
        assert list(flaws_of(await journal.read_one(tx, uuid.UUID(offered)))) == []
    # What was asked for is as it was.
    assert await working_service.journal(asked["quote_identifier"]) == before
    # A broker sees it next to the other, reads its letter and binds it.
    shown = text_of(await broker.open(f"/company/{asked['company_id']}"))
    assert re.search("Option 2 (Selected )?our offer Open", shown)
    assert f"Option 2 was offered by the underwriter: {WHY}." in shown
    assert "Option 2 was submitted" not in shown
    letter = await broker.http.get(f"/quote/{offered}/document/quote_letter")
    assert letter.headers["content-type"] == "application/pdf"
    await bind(working_service, body)
    assert (await working_service.ready(offered))["quote_status"] == "policy_active"


async def test_the_terms_that_an_offer_begins_with_have_their_price(
    service: Service, underwriter: Person
) -> None:
    quote = await one_quoted(service, red_flags)
    submission_id = await submission_of(service, quote)
    path = f"/desk/case/{submission_id}"
    page = await underwriter.open(path)
    form = fields_of(page, f"{path}/offer")

    done = text_of(await underwriter.send(f"{path}/offer", **{**form, "reason": WHY}))

    price = f"${int(form['shown_premium']):,}"
    assert '<details class="card next" id="offer-head">' in page, "nobody has begun yet"
    assert f"{price} by the tariff" in text_of(page)
    assert f"Option 2 is offered and open at {price}." in done
    (_, offered) = await options_of(service, submission_id)
    body = (await service.get(f"/v2/quotes/{offered}")).json()
    assert (str(body["aggregate_limit"]), str(body["aggregate_retention"]), str(body["premium"])) == (
        *(form["aggregate_limit"], form["aggregate_retention"], form["shown_premium"]),
    )


async def test_an_offer_does_not_begin_with_the_terms_of_an_option_that_is_there(
    service: Service, underwriter: Person
) -> None:
    quote = await one_quoted(service, red_flags)
    path = f"/desk/case/{await submission_of(service, quote)}"
    form = fields_of(await underwriter.open(path), f"{path}/offer")
    await underwriter.send(f"{path}/offer", **{**form, "reason": WHY})

    then = fields_of(await underwriter.open(path), f"{path}/offer")

    assert int(then["shown_premium"]) > 0
    assert (then["aggregate_limit"], then["aggregate_retention"]) != (
        *(form["aggregate_limit"], form["aggregate_retention"]),
    )


async def test_a_script_gets_the_part_of_the_page_that_prices_an_offer(
    service: Service, underwriter: Person
) -> None:
    quote = await one_quoted(service, red_flags)
    path = f"/desk/case/{await submission_of(service, quote)}"

    async def asked(address: str, **typed: str) -> httpx.Response:
        headers = {"Origin": underwriter.origin, "X-Part": "offer-price"}
        return await underwriter.http.post(f"{address}/preview", data=typed, headers=headers)

    terms: dict[str, Any] = {"aggregate_limit": "2000000", "aggregate_retention": "50000"}
    whole = fields_of(await underwriter.send(f"{path}/preview", **terms), f"{path}/offer")
    priced = await asked(path, **terms)
    unsaid = await asked(path, aggregate_limit="", aggregate_retention="50000")
    nowhere = await asked(f"/desk/case/{uuid.uuid4()}", **terms)
    await decide(service, quote, "approve")
    await bind(service, quote)
    over = await asked(path, **terms)

    assert priced.status_code == unsaid.status_code == 200
    assert priced.text.startswith('<div id="offer-price"')
    assert f'name="shown_premium" value="{whole["shown_premium"]}"' in priced.text
    assert f"${int(whole['shown_premium']):,} by the tariff" in text_of(priced.text)
    assert text_of(unsaid.text) == "The aggregate limit is required. Offer it"
    assert 'name="shown_premium" value=""' in unsaid.text
    assert (nowhere.status_code, over.status_code) == (404, 404)
    assert "There is no such case." in text_of(nowhere.text)
    assert "No other option can be offered here." in text_of(over.text)


@pytest.mark.parametrize(
    ("ask", "field"),
    [
        (OptionAsk(1_234_567, 10_000), "aggregate_limit"),
        (OptionAsk(1_000_000, None), "aggregate_retention"),
        (OptionAsk(1_000_000, 11_111), "aggregate_retention"),
        (OptionAsk(1_000_000, 10_000, 2_000_000), "per_claim_limit"),
        (OptionAsk(1_000_000, 100_000, 100_000), "aggregate_retention"),
    ],
)
async def test_what_cannot_be_offered_names_its_field_and_writes_nothing(
    working_service: Service, ask: OptionAsk, field: str
) -> None:
    quote = await working_service.quote()
    submission_id = await submission_of(working_service, quote)
    before = await options_of(working_service, submission_id)

    with pytest.raises(InvalidRequest) as refused:
        await offer_option(
            working_service.runtime.database,
            working_service.runtime.rules,
            submission_id,
            OfferOption(ask, "x"),
            actor="uma",
        )

    assert [problem.path for problem in refused.value.problems] == [field]
    assert await options_of(working_service, submission_id) == before


async def test_an_offer_needs_a_reason_other_terms_and_a_submission_that_is_not_over(
    working_service: Service,
) -> None:
    quote = await working_service.quote()
    submission_id = await submission_of(working_service, quote)
    runtime = working_service.runtime
    same = OptionAsk(quote["aggregate_limit"], quote["aggregate_retention"])

    with pytest.raises(InvalidRequest, match="reason"):
        await offer_option(runtime.database, runtime.rules, submission_id, OfferOption(same, ""), actor="uma")
    with pytest.raises(InvalidRequest, match="is that of option 1"):
        await offer_option(
            runtime.database, runtime.rules, submission_id, OfferOption(same, "x"), actor="uma"
        )
    await bind(working_service, quote)
    with pytest.raises(WrongState):
        await offer_option(
            runtime.database,
            runtime.rules,
            submission_id,
            OfferOption(OptionAsk(500_000, 25_000), "x"),
            actor="uma",
        )


async def test_a_professional_offer_has_its_retention_by_the_claim(
    working_service: Service, underwriter: Person
) -> None:
    quote = await working_service.quote(professional())
    submission_id = await submission_of(working_service, quote)
    path = f"/desk/case/{submission_id}"
    form = fields_of(await underwriter.open(path), f"{path}/offer")
    typed = {**form, "aggregate_limit": "500000", "per_claim_retention": "10000", "reason": WHY}

    seen = fields_of(await underwriter.send(f"{path}/preview", **typed), f"{path}/offer")
    await underwriter.send(f"{path}/offer", **seen)

    body = await working_service.ready((await options_of(working_service, submission_id))[-1])
    assert (body["per_claim_retention"], body["aggregate_retention"]) == (10_000, None)
