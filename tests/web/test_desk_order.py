"""Finding one's way from case to case: sorting, the next one, keys, and a queue with nothing in it."""

import html
import re
import uuid
from typing import Any

import pytest

from support.binding import one_quoted
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
    assert page.count("autofocus") == 1, "a browser gives the focus to the first that asks"
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
    assert "Decided in the meantime" not in page
    approvals = [entry for entry in before if entry.trigger == "approve_referral"]
    after = await working_service.journal(quote["quote_identifier"])
    assert [entry for entry in after if entry.trigger == "approve_referral"] == approvals


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ({"percent": "10"}, "Percent"),
        ({"premium": "4,321"}, "4,321"),
        ({"reason": "For another reason"}, "For another reason"),
        ({"contingency_text": "Loss runs"}, "Loss runs"),
    ],
)
async def test_who_decides_otherwise_in_another_tab_in_the_same_moment_is_told_and_keeps_what_was_typed(
    service: Service, underwriter: Person, typed: dict[str, str], shown: str
) -> None:
    quote = await one_quoted(service, lambda body: body["client"].update(domains=["red-flags.example.com"]))
    submission_id = await service.runtime.database.pool.fetchval(
        "select submission_id from quotes where quote_id = $1", uuid.UUID(quote["quote_identifier"])
    )
    path = f"/desk/case/{submission_id}"
    form = {**fields_of(await underwriter.open(path), f"{path}/decide"), "reason": "Known"}
    other = fields_of(await underwriter.send(f"{path}/preview", **{**form, **typed}), f"{path}/decide")
    await underwriter.send(f"{path}/decide", **{**form, "decision": "approve"})
    before = await service.journal(quote["quote_identifier"])

    page = await underwriter.send(f"{path}/decide", status=422, **{**other, "decision": "approve"})
    again = await underwriter.post(f"{path}/decide", **{**form, "decision": "approve"})

    assert "Option 1 was" in text_of(page)
    assert shown in page
    assert again.status_code == 303
    assert await service.journal(quote["quote_identifier"]) == before


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


async def test_the_part_of_the_queue_that_is_worked_through_goes_along_from_case_to_case(
    working_service: Service, underwriter: Person
) -> None:
    paths = [
        (await referred(working_service, name))[1] for name in ("Alder Works", "Birch Works", "Cedar Works")
    ]
    for number, path in enumerate(paths):
        await working_service.runtime.database.pool.execute(
            "update desk_items set at_stake = $2 where submission_id = $1",
            uuid.UUID(path.rpartition("/")[2]),
            1_000 * (number % 2),
        )
    alder, birch, cedar = paths
    part = "?view=mine&sort=stake"
    for path in paths:
        await underwriter.send(f"{path}/take", take="take")
    await underwriter.send(f"{cedar}/take", take="release")

    async def ways(path: str) -> dict[str, str]:
        page = html.unescape(await underwriter.open(path))
        return {key: way for way, key in re.findall(r'href="([^"]+)" data-key="([jku])"', page)}

    # By stake Birch comes first; Cedar is nobody's.
    assert await ways(f"{birch}{part}") == {"j": f"{alder}{part}", "u": f"/desk{part}"}
    assert await ways(f"{alder}{part}") == {"k": f"{birch}{part}", "u": f"/desk{part}"}
    assert await ways(f"{cedar}{part}") == {"k": f"{alder}{part}", "u": f"/desk{part}"}
    assert await ways(f"{cedar}?taken=nobody") == {"u": "/desk?taken=nobody"}
    queue = html.unescape(await underwriter.open(f"/desk{part}"))
    assert f'href="{birch}{part}"' in queue

    form = fields_of(await underwriter.open(f"{birch}{part}"), f"{birch}/decide")
    answer = await underwriter.post(f"{birch}/decide{part}&option=1", **{**form, "decision": "approve"})
    assert answer.headers["location"] == f"/desk{part}"
    page = html.unescape(await underwriter.open(answer.headers["location"]))
    assert f'href="{alder}{part}" autofocus>Next: Alder Works</a>' in page
    taken = await underwriter.post("/desk/next?kind=referral&taken=nobody")
    assert taken.headers["location"] == f"{cedar}?kind=referral&taken=nobody"


async def test_a_reason_leads_to_what_it_rests_on_and_says_how_grave_it_is(
    working_service: Service, underwriter: Person
) -> None:
    def change(body: dict[str, Any]) -> None:
        body["client"].update(name="Alder Works", domains=["red-flags.example.com"])
        body["policy"]["quotes"] = body["policy"]["quotes"][:1]
        for question in body["questions"]:
            if question["id"] in {"Q2300", "Q2301"}:
                question["value"] = False

    quote = await working_service.quote(request_body(change))
    codes = {reason["code"] for reason in quote["referral_reasons"]}
    assert {"red_flags", "no_mfa_anywhere"} <= codes
    submission_id = await working_service.runtime.database.pool.fetchval(
        "select submission_id from quotes where quote_id = $1", uuid.UUID(quote["quote_identifier"])
    )

    page = await underwriter.open(f"/desk/case/{submission_id}")

    why = page.partition('<h2 id="why">')[2].partition("</ul>")[0]
    lines = re.findall(r"<li\b.*?</li>", why, re.DOTALL)
    findings = [line for line in lines if ">evidence</a>" in line]
    reasons = [line for line in lines if line not in findings]
    assert len(reasons) == len(codes)
    said = [text_of(reason) for reason in reasons]
    assert said[0].startswith("severe The scan found severe weaknesses red_flags")
    assert all(text.startswith("to look at ") for text in said[1:])
    remote, database = map(text_of, findings)
    assert remote.startswith("critical Remote Desktop reachable from the internet ")
    assert remote.endswith(" points · evidence")
    assert database.startswith("high Database reachable from the internet ")
    for reason in [*findings, *reasons[1:]]:
        grounds = re.findall(r'href="#([^"]+)"', reason)
        assert grounds, reason
        assert [page.count(f'id="{ground}"') for ground in grounds] == [1] * len(grounds), reason
    (mfa,) = [reason for reason in reasons if "no_mfa_anywhere" in reason]
    assert set(re.findall(r'href="#([^"]+)"', mfa)) == {"answer-2300", "answer-2301"}
    row = text_of(await underwriter.open("/desk")).rpartition("Alder Works")[2]
    assert row.index("severe: red flags") < row.index("no ")


async def test_lines_that_other_terms_change_are_marked(
    working_service: Service, underwriter: Person
) -> None:
    _, path = await referred(working_service, "Alder Works")
    page = await underwriter.open(path)
    assert "changed</span>" not in page
    form = fields_of(page, f"{path}/decide")

    again = await underwriter.send(f"{path}/preview?option=1", **{**form, "aggregate_retention": "25000"})

    marked = re.findall(r'<tr class="[^"]*changed"><th scope="row">(.*?)<', again)
    assert marked == ["Retention "]
