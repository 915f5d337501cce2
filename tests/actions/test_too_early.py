"""The timetable looks again under its lock: too early, or after somebody else, it changes nothing."""

import uuid
from collections.abc import Awaitable, Callable

import pytest

from bindery.actions.desk.take_decisions import play_underwriter
from bindery.actions.policy.end_term import let_referral_go_stale
from bindery.base.errors import NotFound
from bindery.worker.entrypoints import entrypoints
from support.binding import bind, decide, issue, one_quoted, status_of
from support.service import Service

Job = Callable[[uuid.UUID], Awaitable[object]]


async def check_nothing_moves(service: Service, job: Job, identifier: str) -> None:
    before = await service.journal(identifier), await status_of(service, identifier)

    await job(uuid.UUID(identifier))

    assert (await service.journal(identifier), await status_of(service, identifier)) == before


async def test_a_referral_is_set_aside_neither_early_nor_when_it_is_no_longer_one(service: Service) -> None:
    referred = await one_quoted(
        service, lambda body: body["client"].update(domains=["red-flags.example.com"])
    )
    published = await one_quoted(service)

    assert referred["quote_status"] == "quote_referred"
    await check_nothing_moves(
        service, entrypoints(service.runtime)["let_referral_go_stale"], referred["quote_identifier"]
    )
    await check_nothing_moves(
        service, entrypoints(service.runtime)["let_referral_go_stale"], published["quote_identifier"]
    )


async def test_a_term_that_is_not_over_does_not_end_and_a_binder_in_time_does_not_lapse(
    service: Service,
) -> None:
    policy = await issue(service, await one_quoted(service))
    binder = await bind(service, await one_quoted(service))

    assert binder["binder"]["conditional"] is True
    await check_nothing_moves(service, entrypoints(service.runtime)["end_term"], policy["quote_identifier"])
    await check_nothing_moves(
        service, entrypoints(service.runtime)["lapse_binder"], binder["quote_identifier"]
    )


async def test_what_is_not_bound_has_no_papers_to_finish(service: Service) -> None:
    quote = await one_quoted(service)

    await check_nothing_moves(service, entrypoints(service.runtime)["finish_bind"], quote["quote_identifier"])

    assert await service.count("documents") == 0


async def test_an_unknown_quote_is_not_found(service: Service) -> None:
    with pytest.raises(NotFound, match="no such quote"):
        await let_referral_go_stale(service.runtime.database, uuid.UUID(int=1))


async def test_an_underwriter_is_played_only_for_names_that_ask_for_it(service: Service) -> None:
    quote = await one_quoted(service)
    proof = {"type": "pre_bind", "text": "Proof that backups are kept offline"}
    await decide(service, quote, "add_contingency", contingency=proof)
    requested = await bind(service, quote)
    submission_id = await service.runtime.database.pool.fetchval(
        "select submission_id from quotes where quote_id = $1", uuid.UUID(quote["quote_identifier"])
    )
    before = await service.journal(quote["quote_identifier"])

    await play_underwriter(service.runtime.database, service.runtime.rules, submission_id)

    assert requested["quote_status"] == "quote_bind_requested"
    assert await service.journal(quote["quote_identifier"]) == before
