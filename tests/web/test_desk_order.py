"""Finding one's way from case to case: sorting, the next one, keys, and a queue with nothing in it."""

import re
import uuid
from typing import Any

from support.people import Person, fields_of, text_of
from support.service import Service, request_body


async def referred(service: Service, name: str) -> tuple[dict[str, Any], str]:
    """Submit a case for the desk and return its first option, and where its case is."""

    def change(body: dict[str, Any]) -> None:
        body["client"].update(name=name, domains=["red-flags.example.com"])
        body["policy"]["quotes"] = body["policy"]["quotes"][:1]

    quote = await service.quote(request_body(change))
    submission_id = await service.runtime.database.pool.fetchval(
        "select submission_id from quotes where quote_id = $1", uuid.UUID(quote["quote_identifier"])
    )
    return quote, f"/desk/case/{submission_id}"


async def test_after_a_decision_the_next_case_is_one_key_away(
    working_service: Service, underwriter: Person
) -> None:
    _, first = await referred(working_service, "Alder Works")
    _, second = await referred(working_service, "Birch Works")
    form = fields_of(await underwriter.open(first), f"{first}/decide")
    assert "Next:" not in text_of(await underwriter.open("/desk"))

    page = await underwriter.send(f"{first}/decide?option=1", **{**form, "decision": "approve"})

    assert f'href="{second}" autofocus>Next: Birch Works</a>' in page
    assert "Next:" not in text_of(await underwriter.open("/desk"))


async def test_a_case_leads_to_those_before_and_after_it(
    working_service: Service, underwriter: Person
) -> None:
    paths = [
        (await referred(working_service, name))[1] for name in ("Alder Works", "Birch Works", "Cedar Works")
    ]

    ways = [
        dict(re.findall(r'href="([^"]+)" data-key="([jk])"', await underwriter.open(path))) for path in paths
    ]

    assert ways == [{paths[1]: "j"}, {paths[0]: "k", paths[2]: "j"}, {paths[1]: "k"}]


async def test_the_queue_is_sorted_by_its_heads_and_filtered_by_kind_and_who_has_a_case(
    working_service: Service, underwriter: Person
) -> None:
    _, path = await referred(working_service, "Alder Works")
    page = await underwriter.open("/desk?product=CYB")
    assert 'aria-sort="ascending"><a href="/desk?product=CYB&amp;sort=due">Due</a>' in page
    page = await underwriter.open("/desk?product=CYB&sort=stake")
    assert 'aria-sort="descending"><a href="/desk?product=CYB&amp;sort=stake">Stake</a>' in page
    assert page.count("aria-sort") == 1

    assert "Alder Works" in await underwriter.open("/desk?kind=referral&taken=nobody")
    assert "Alder Works" not in await underwriter.open("/desk?kind=bind")
    await underwriter.send(f"{path}/take", take="take")
    assert "Nothing waits here." in await underwriter.open("/desk?taken=nobody")
    assert "Alder Works" in await underwriter.open("/desk?taken=somebody&kind=none")


async def test_an_empty_queue_says_who_decided_last(working_service: Service, underwriter: Person) -> None:
    assert "Nothing waits." in await underwriter.open("/desk")
    _, path = await referred(working_service, "Alder Works")
    form = fields_of(await underwriter.open(path), f"{path}/decide")

    page = text_of(await underwriter.send(f"{path}/decide?option=1", **{**form, "decision": "approve"}))

    assert "Nothing waits. The last case left the desk on " in page
    assert " by Pat Underwriter." in page


async def test_a_button_that_is_pressed_twice_decides_once(
    working_service: Service, underwriter: Person
) -> None:
    quote, path = await referred(working_service, "Alder Works")
    form = fields_of(await underwriter.open(path), f"{path}/decide")
    approve = {**form, "decision": "approve"}
    first = await underwriter.post(f"{path}/decide?option=1", **approve)
    before = await working_service.journal(quote["quote_identifier"])

    page = text_of(await underwriter.send(f"{path}/decide?option=1", **approve))

    assert first.status_code == 303
    assert "Option 1 is published at" in page
    assert "Decided meanwhile" not in page
    approvals = [entry for entry in before if entry.trigger == "approve_referral"]
    after = await working_service.journal(quote["quote_identifier"])
    assert [entry for entry in after if entry.trigger == "approve_referral"] == approvals


async def test_a_cancellation_says_what_it_gives_back(
    working_service: Service, underwriter: Person, broker: Person
) -> None:
    quote = await working_service.quote()
    bind = f"/quote/{quote['quote_identifier']}/bind"
    await broker.send(bind, **{**fields_of(await broker.open(bind), bind), "step": "bind"})
    submission_id = await working_service.runtime.database.pool.fetchval(
        "select submission_id from quotes where quote_id = $1", uuid.UUID(quote["quote_identifier"])
    )
    path = f"/desk/case/{submission_id}"
    page = await underwriter.open(path)
    assert f" of ${quote['premium']:,} is returned." in text_of(page)
    said = text_of(page).partition(" is returned.")[0].rpartition("from ")[2]

    form = fields_of(page, f"{path}/decide")
    await underwriter.send(f"{path}/decide?option=1", **{**form, "decision": "cancel", "reason": "Sold"})

    canceled = await working_service.runtime.database.pool.fetchval("select returned_premium from binds")
    assert f"${canceled:,} of ${quote['premium']:,}" in said
