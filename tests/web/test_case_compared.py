"""What a case is held against: what was before it, what is like it, and its own record."""

import uuid
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from bindery.domain.access.users import Role
from bindery.domain.documents.file_types import PaperType
from support.binding import ask_to_bind, bind, decide, one_quoted
from support.intake import changed
from support.papers import read_paper
from support.people import Person, fields_of, links_of, sign_in_as, text_of
from support.service import Service, serving
from support.statements import statements_of
from support.uploads import processed

MOST_STATEMENTS = 8


async def case_of(service: Service, quote: dict[str, Any]) -> str:
    found = await service.runtime.database.pool.fetchval(
        "select submission_id from quotes where quote_id = $1", uuid.UUID(quote["quote_identifier"])
    )
    return f"/desk/case/{found}"


async def test_a_case_shows_what_changed_and_what_is_like_it(
    working_service: Service, underwriter: Person, broker: Person
) -> None:
    one_option = ("policy.quotes", [{"aggregate_limit": 1_000_000}])
    first = await working_service.quote(changed(one_option))
    again = ("client.company_id", first["company_id"])
    revenue = 2_400_000
    second = await working_service.quote(changed(one_option, again, ("client.revenue", revenue)))
    other = await working_service.quote(
        changed(
            one_option,
            ("client.name", "Neighbor Works"),
            ("client.domains", ["neighbor.example.com"]),
            ("client.address.street_1", "77 Other Street"),
        )
    )

    page = await underwriter.open(await case_of(working_service, second))

    words = text_of(page)
    moved = "Revenue $2,500,000 $2,400,000 -4.0%"
    assert moved in words
    assert f"Premium ${first['premium']:,} ${second['premium']:,}" in words
    assert "Neighbor Works" in words
    assert await case_of(working_service, other) in links_of(page)
    assert await case_of(working_service, first) not in links_of(page)
    # A page of its own, for brokers too.
    address = next(link for link in links_of(page) if "/changes?" in link)
    assert moved in text_of(await broker.open(address))
    alone = text_of(await broker.open(f"/company/{first['company_id']}/changes"))
    assert "Option 1 compared with option 1 of the earlier submission: 2 things changed." in alone
    assert moved in alone
    assert "nothing changed" in text_of(await broker.open(f"/company/{other['company_id']}/changes"))
    wrong = f"/company/{other['company_id']}/changes?from={address[-36:]}"
    assert (await broker.http.get(wrong)).status_code == 404


async def test_a_price_is_reproduced_from_its_record_and_a_bent_record_is_found(
    working_service: Service, underwriter: Person, operator: Person
) -> None:
    quote = await working_service.quote()
    path = f"{await case_of(working_service, quote)}/reproduce"

    page = text_of(await underwriter.open(path))
    assert "The record still reproduces every price of this case" in page
    assert f"The record gives ${quote['premium']:,} again, line by line." in page
    assert "entries, none altered or removed" in page
    assert quote["client"]["name"] not in await operator.open(path)

    pool = working_service.runtime.database.pool
    await pool.execute("update submissions set revenue = revenue, facts = replace(facts, $1, $2)", *BENT)
    page = text_of(await underwriter.open(path))
    assert "The record does not reproduce what is stored" in page
    assert "line Base premium: stored " in page
    assert "line Base premium." in text_of(await operator.open(path))
    await pool.execute("update submissions set facts = replace(facts, $2, $1)", *BENT)
    await pool.execute("update quotes set premium = premium + 1")
    assert "What is charged is not what was rated, and nobody set it" in text_of(await underwriter.open(path))


BENT = ('"revenue":', '"revenue":9')
"""A digit more in the stored revenue."""


async def test_a_case_costs_few_statements_however_many_options_it_has(dsn: str, tmp_path: Path) -> None:
    async with serving(dsn, tmp_path, pool_size=1) as service:
        limits = [{"aggregate_limit": 5_000_000, "aggregate_retention": 100_000}] * 15
        quote = await processed(service, changed(("policy.quotes", limits)))
        path = await case_of(service, quote)
        async with await sign_in_as(service, Role.UNDERWRITER) as underwriter:
            await underwriter.open(path)

            async with statements_of(service) as sent:
                await underwriter.open(path)

    about_the_case = [
        statement for statement in sent if "service_clock" not in statement and "sign_ins" not in statement
    ]
    assert len(about_the_case) <= MOST_STATEMENTS, about_the_case


@pytest.mark.usefixtures("real_printing")
async def test_what_has_no_price_is_offered_at_a_premium_that_a_person_set(
    working_service: Service, underwriter: Person, broker: Person
) -> None:
    quote = await working_service.quote(
        changed(
            ("client.domains", ["calc-error.example.com"]),
            ("policy.quotes", [{"aggregate_limit": 1_000_000}]),
        )
    )
    identifier, path = quote["quote_identifier"], await case_of(working_service, quote)
    # A limit that the tariff does not have.
    await working_service.runtime.database.pool.execute(
        "update quotes set aggregate_limit = 777000, aggregate_retention = 10000 where quote_id = $1",
        uuid.UUID(identifier),
    )
    form = fields_of(await underwriter.open(path), f"{path}/decide")
    typed = {**form, "premium": "4,200", "reason": "Priced from the loss runs"}

    preview = await underwriter.send(f"{path}/preview?option=1", **typed)
    assert "Price of option 1 $4,200 " in text_of(preview)
    assert "with taxes and fees Set by hand. There are no factors" in text_of(preview)
    again = fields_of(preview, f"{path}/decide")
    await underwriter.send(f"{path}/decide?option=1", **{**again, "decision": "approve"})

    body = await working_service.ready(identifier)
    assert (body["quote_status"], body["premium"]) == ("published", 4_200)
    assert body["total"] > 4_200
    assert body["coverages"]
    said = f"Set by hand by {underwriter.email}: Priced from the loss runs"
    assert said in text_of(await underwriter.open(path))
    assert f"Set by hand by {underwriter.email}" in text_of(await underwriter.open(f"{path}/reproduce"))
    letter = await broker.http.get(f"/quote/{identifier}/document/quote_letter")
    read = await read_paper(working_service.runtime.upload_reader, letter.content, PaperType.PDF)
    assert "set by an underwriter" in " ".join(read.text.split())
    # It was set for its own period.
    later = (date.fromisoformat(body["dates"]["effective"]) + timedelta(days=20)).isoformat()
    refused = await ask_to_bind(working_service, body, dates={"effective": later})
    assert refused.status_code == 400
    assert refused.json()["errors"][0]["code"] == "set_by_hand"
    await bind(working_service, body)
    assert (await working_service.ready(identifier))["premium"] == 4_200


async def test_a_premium_where_the_tariff_has_a_price_by_now_keeps_it_and_its_worksheet(
    service: Service, underwriter: Person
) -> None:
    quote = await one_quoted(service, lambda body: body["client"].update(domains=["calc-error.example.com"]))
    path = await case_of(service, quote)
    form = fields_of(await underwriter.open(path), f"{path}/decide")
    typed = {**form, "premium": "4,200", "reason": "Loss runs"}

    preview = await underwriter.send(f"{path}/preview?option=1", **typed)
    again = {**fields_of(preview, f"{path}/decide"), "decision": "approve", "sure": "1:4200"}
    await underwriter.send(f"{path}/decide?option=1", **again)

    page = text_of(await underwriter.open(path))
    for shown in (text_of(preview), page):
        assert "Set by hand" not in shown
        assert "Base premium" in shown
    assert (await service.ready(quote["quote_identifier"]))["premium"] == 4_200


async def test_what_was_declined_without_a_price_shows_that_it_has_none(
    service: Service, underwriter: Person
) -> None:
    quote = await one_quoted(service, lambda body: body["client"].update(domains=["calc-error.example.com"]))
    await decide(service, quote, "decline", reason="Nobody can price it")

    page = text_of(await underwriter.open(await case_of(service, quote)))

    assert "There is no price: pricing failed, or the tariff does not reach as far as this risk." in page
    assert "Set by hand" not in page
