"""Binds that come at the same time, and servers that die under them: one policy, nothing lost."""

import asyncio
import itertools
import random
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Coroutine
from contextlib import ExitStack
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from bindery.actions.policy.end_term import expire_quote, lapse_binder, let_referral_go_stale
from bindery.actions.policy.put_in_force import finish_bind
from bindery.actions.renewal.set_renewal_type import PAUSE, lock_pausable
from bindery.actions.renewal.settle_renewal import settle_renewal
from bindery.domain.policy.policy import RenewalType
from bindery.storage.policy import policies
from support.binding import (
    ask_to_bind,
    bind,
    issue,
    move_to,
    one_quoted,
    quoted,
    review,
    set_day,
    shown,
    status_of,
)
from support.intake import professional, technology
from support.journals import check_journal
from support.processes import Program
from support.service import SECRET, Service, request_body, serving
from support.waiting import eventually

pytestmark = pytest.mark.usefixtures("plain_printing")

DAY = date(2027, 3, 1)
LADDER = [
    {"aggregate_limit": limit, "aggregate_retention": retention}
    for limit, retention in itertools.product(
        (250_000, 500_000, 1_000_000, 2_000_000, 3_000_000), (10_000, 25_000, 50_000)
    )
]


@pytest.fixture
async def service(dsn: str, tmp_path: Path) -> AsyncIterator[Service]:
    """A service with as many connections as one process has."""
    async with serving(dsn, tmp_path, pool_size=10) as opened:
        await set_day(opened, DAY)
        yield opened


async def at_once(*calls: Coroutine[Any, Any, Any]) -> list[Any]:
    async with asyncio.timeout(240):
        return list(await asyncio.gather(*calls))


async def check_everything(service: Service) -> None:
    """No company has two policies of a line in force, and every journal is whole."""
    pool = service.runtime.database.pool
    doubled = await pool.fetch(
        """
        select company_id from binds where in_force
        group by company_id, case when product = 'MPL' then 1 else 0 end, effective having count(*) > 1
        """
    )
    assert doubled == []
    for row in await pool.fetch("select quote_id::text from quotes"):
        check_journal(await service.journal(row["quote_id"]))


def answers(responses: list[httpx.Response]) -> Counter[tuple[int, str]]:
    return Counter((response.status_code, response.json().get("code", "")) for response in responses)


async def test_two_hundred_binds_over_the_options_of_a_company_make_one_policy(service: Service) -> None:
    options = await quoted(service, request_body(lambda body: body["policy"].update(quotes=LADDER)))
    assert len(options) == 15
    asked = random.Random(5).choices(options, k=200)

    responses = await at_once(*(ask_to_bind(service, option) for option in asked))

    statuses = Counter([await status_of(service, option["quote_identifier"]) for option in options])
    assert statuses == {"policy_active": 1, "quote_not_bound": 14}
    (winner,) = [
        option
        for option in options
        if await status_of(service, option["quote_identifier"]) == "policy_active"
    ]
    for option, response in zip(asked, responses, strict=True):
        if option is winner:
            assert response.status_code == 200
        else:
            assert (response.status_code, response.json()["code"]) == (400, "wrong_state")
            assert response.json()["available_statuses"] == ["published", "offer_email"]
    assert len({response.content for response in responses if response.status_code == 200}) == 1
    assert await service.count("binds") == 1
    await check_everything(service)


async def test_two_lines_bound_at_once_make_two_policies(service: Service) -> None:
    first = await one_quoted(service)
    same = ("client.company_id", first["company_id"])
    tech = await quoted(service, technology(same))
    mpl = await quoted(service, professional(same, ("policy.quotes", LADDER[:5])))
    asked = [first, *tech, *mpl] * 12
    random.Random(7).shuffle(asked)

    responses = await at_once(*(ask_to_bind(service, quote) for quote in asked))

    assert {code for code, _ in answers(responses)} == {200, 400}
    lines = await service.runtime.database.pool.fetch("select product from binds where in_force")
    assert len(lines) == 2
    assert sorted(row["product"] == "MPL" for row in lines) == [False, True]
    await check_everything(service)


async def test_the_same_bind_many_times_at_once_answers_the_same_receipt(service: Service) -> None:
    quote = await one_quoted(service)

    responses = await at_once(*(ask_to_bind(service, quote) for _ in range(100)))

    assert answers(responses) == {(200, ""): 100}
    assert len({response.content for response in responses}) == 1
    entries = await service.journal(quote["quote_identifier"])
    assert [entry.type for entry in entries].count("policy.bound") == 1


async def test_the_same_key_many_times_at_once_binds_once(service: Service) -> None:
    quote = await one_quoted(service)

    responses = await at_once(*(ask_to_bind(service, quote, key="once") for _ in range(100)))
    last = await ask_to_bind(service, quote, key="once")

    assert {status for status, _ in answers(responses)} <= {200, 409}
    assert len({response.content for response in (*responses, last) if response.status_code == 200}) == 1
    assert last.status_code == 200
    assert await service.count("binds") == await service.count("idempotency_keys where key = 'once'") == 1


async def test_a_bind_and_a_change_of_the_submission_exclude_each_other(service: Service) -> None:
    seen = set()
    for round_number in range(8):
        quote, sibling = await quoted(service)
        changed = request_body()
        changed["client"].update(company_id=quote["company_id"], revenue=4_000_000)
        calls = [ask_to_bind(service, quote), service.post("/v2/quotes", changed)]
        bound, submitted = await at_once(*(calls if round_number % 2 else reversed(calls)))
        if not round_number % 2:
            bound, submitted = submitted, bound

        outcome = (
            bound.status_code,
            await status_of(service, quote["quote_identifier"]),
            await status_of(service, sibling["quote_identifier"]),
        )

        assert submitted.status_code == 200
        assert outcome in {
            (200, "policy_active", "quote_not_bound"),
            (400, "quote_revoked", "quote_revoked"),
        }
        seen.add(outcome)
    assert seen
    await check_everything(service)


async def test_a_bind_and_the_expiry_of_its_quote_exclude_each_other(service: Service) -> None:
    for round_number in range(6):
        await set_day(service, DAY)
        quote = await one_quoted(service)
        await set_day(service, date(2027, 4, 30))

        async def expire(quote: dict[str, Any] = quote) -> None:
            await set_day(service, date(2027, 5, 1))
            await expire_quote(service.runtime.database, uuid.UUID(quote["quote_identifier"]))

        calls = [ask_to_bind(service, quote, dates={"effective": "2027-05-01"}), expire()]
        first, second = await at_once(*(calls if round_number % 2 else reversed(calls)))
        response = first or second

        status = await status_of(service, quote["quote_identifier"])
        assert (response.status_code, status) in {(200, "policy_active"), (400, "quote_expired")}
    await check_everything(service)


async def test_an_underwriter_approves_and_another_declines_and_one_of_them_wins(service: Service) -> None:
    quote, sibling = await quoted(
        service, request_body(lambda body: body["client"].update(name="Careful (prebind)"))
    )
    await bind(service, quote)

    responses = await at_once(
        *(review(service, quote, decision, reason="Mine.") for decision in ("approve", "decline") * 10)
    )

    assert answers(responses) == {(200, ""): 1, (400, "wrong_state"): 19}
    outcome = [await status_of(service, option["quote_identifier"]) for option in (quote, sibling)]
    assert outcome in (["policy_active", "quote_not_bound"], ["quote_declined", "published"])
    await check_everything(service)


async def test_a_lapse_and_the_last_contingency_exclude_each_other(service: Service) -> None:
    quote = await one_quoted(service)
    await bind(service, quote)
    await set_day(service, date(2027, 3, 31))
    (owed,) = quote["contingencies"]

    async def lapse() -> None:
        await set_day(service, date(2027, 4, 1))
        await lapse_binder(
            service.runtime.database, service.runtime.rules, uuid.UUID(quote["quote_identifier"])
        )

    closing, _ = await at_once(
        review(service, quote, "close_contingency", contingency_id=owed["contingency_id"]), lapse()
    )

    after = await shown(service, quote["quote_identifier"])
    assert (closing.status_code, after["quote_status"]) in {(200, "policy_active"), (400, "quote_expired")}
    await check_everything(service)


async def test_a_renewal_bound_by_hand_and_by_the_clock_at_once_is_bound_once(service: Service) -> None:
    policy = await issue(service, await one_quoted(service))
    await move_to(service, date(2028, 3, 1))
    identifier = (await shown(service, policy["quote_identifier"]))["renewal"]["renewed_by"]
    offer = await shown(service, identifier)
    await set_day(service, date(2028, 3, 2))

    await at_once(
        *(ask_to_bind(service, offer) for _ in range(10)),
        *(
            settle_renewal(
                service.runtime.database, service.runtime.rules, uuid.UUID(policy["quote_identifier"])
            )
            for _ in range(10)
        ),
    )

    entries = await service.journal(identifier)
    assert [entry.type for entry in entries].count("policy.bound") == 1
    assert await service.count("binds") == 2
    await check_everything(service)


@pytest.mark.long
async def test_servers_killed_in_the_middle_lose_and_double_nothing(
    service: Service, dsn: str, tmp_path: Path
) -> None:
    companies = [await quoted(service) for _ in range(20)]
    program = Program(tmp_path, {"BINDERY_DATABASE_URL": dsn, "BINDERY_SECRET_KEY": SECRET})
    answered: dict[str, bytes] = {}

    with ExitStack() as stack:
        servers = [stack.enter_context(program.serving()) for _ in range(2)]

        async def insist(quote: dict[str, Any], first: int) -> None:
            """Send a bind until it is answered, to whichever server is there."""
            body = {"quote_identifier": quote["quote_identifier"], "dates": {"effective": "2027-03-02"}}
            headers = {**service.headers, "Idempotency-Key": quote["quote_identifier"]}
            for number in itertools.count(first):
                try:
                    answer = await http.post(
                        f"{servers[number % 2].url}/v2/binds", json=body, headers=headers
                    )
                except httpx.TransportError:
                    continue
                if answer.status_code in {409, 503}:
                    await asyncio.sleep(0.05)
                    continue
                assert answer.status_code in {200, 400}, answer.text
                if answer.status_code == 200:
                    answered[quote["quote_identifier"]] = answer.content
                return

        async def kill_one() -> None:
            while not answered:  # noqa: ASYNC110 - somebody's answer is what is waited for
                await asyncio.sleep(0.001)
            servers[0].kill()

        async with httpx.AsyncClient(timeout=120) as http, asyncio.timeout(240):
            options = [option for company in companies for option in company]
            await asyncio.gather(kill_one(), *(insist(option, n) for n, option in enumerate(options)))

    # What was answered stands, and every company has one policy though some answers were lost on the way.
    rows = await service.runtime.database.pool.fetch(
        "select quote_id::text, company_id from binds where in_force"
    )
    assert len(rows) == len({row["company_id"] for row in rows}) == 20
    assert {row["quote_id"] for row in rows} == answered.keys()
    await check_everything(service)


async def test_a_pause_while_a_worker_finishes_the_bind_is_no_deadlock(service: Service) -> None:
    quote = await issue(service, await one_quoted(service))
    quote_id = uuid.UUID(quote["quote_identifier"])
    database = service.runtime.database
    await finish_bind(service.runtime, quote_id)

    async with database.transaction() as tx:
        policy = await lock_pausable(tx, quote_id, PAUSE, partner_id=service.partner.partner_id)
        await tx.connection.execute("update binds set unfinished_since = now() where quote_id = $1", quote_id)
    async with database.transaction() as tx:
        # As far as a pause has come when the worker notes that the bind is finished.
        await lock_pausable(tx, quote_id, PAUSE, partner_id=service.partner.partner_id)
        finishing = asyncio.create_task(finish_bind(service.runtime, quote_id))
        await eventually(
            lambda: database.pool.fetchval(
                "select count(*) from pg_stat_activity "
                "where wait_event_type = 'Lock' and datname = current_database()"
            ),
            lambda waiting: waiting == 1,
        )
        await policies.set_renewal_type(tx, [policy.quote_id], RenewalType.MANUAL)
    await finishing

    assert await database.pool.fetchval(
        "select unfinished_since is null and renewal_type = 'manual' from binds where quote_id = $1", quote_id
    )


async def test_options_that_go_stale_at_the_same_time_leave_nothing_on_the_desk(service: Service) -> None:
    def refer(body: dict[str, Any]) -> None:
        body["client"]["domains"] = ["red-flags.example.com"]

    options = [option for _ in range(6) for option in await quoted(service, request_body(refer))]
    await set_day(service, DAY + timedelta(days=61))

    await at_once(
        *(
            let_referral_go_stale(service.runtime.database, uuid.UUID(option["quote_identifier"]))
            for option in options
        )
    )

    assert {await status_of(service, option["quote_identifier"]) for option in options} == {"stale"}
    assert await service.count("desk_items where closed_at is null") == 0
