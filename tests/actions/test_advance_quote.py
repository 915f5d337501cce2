"""The one door to a status, on a real database."""

import uuid

import asyncpg
import msgspec
import pytest

from bindery.actions.quote.advance_quote import advance_quote
from bindery.base.errors import WrongState
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.quote.lifecycle import Trigger, find_move
from bindery.domain.quote.quote import Quote
from bindery.storage.quote import quotes
from bindery.storage.quote.quotes import VersionConflict
from support.journals import check_journal
from support.service import Service, request_body
from support.telling import example_of

S, T = QuoteStatus, Trigger
PRICED = (T.SCAN, T.PRICE, T.COMPLETE_PRICING)
PUBLISHED = (*PRICED, T.PASS_SCREENING, T.PUBLISH)
REFERRED = (T.EXCEED_AUTHORITY, T.REFER)

PATHS = {
    "expires": (*PUBLISHED, T.CHANGE_CONTINGENCIES, T.EXPIRE),
    "goes stale": (T.SCAN, T.MISS_DOMAIN, T.REFER, T.GO_STALE),
    "is declined": (T.SCAN, T.FAIL_SCAN, T.REFER, T.DECLINE),
    "is revoked at the desk": (T.SCAN, T.COLLECT_NOTHING, T.REFER, T.REVOKE),
    "is approved, passed over and opened again": (
        *(T.SCAN, T.PRICE, T.FAIL_PRICING, T.REFER, T.APPROVE_REFERRAL, T.PUBLISH),
        *(T.PASS_OVER, T.REOPEN, T.REQUEST_BIND, T.DECLINE),
    ),
    "is bound conditionally and lapses": (
        *(*PRICED, T.FIND_RED_FLAGS, T.REFER, T.APPROVE_REFERRAL, T.PUBLISH),
        *(T.BIND, T.CHANGE_CONTINGENCIES, T.LAPSE),
    ),
    "is bound, issued, canceled, reinstated and ends": (
        *(*PRICED, T.FIND_BROKER_CONFLICT, T.REFER, T.APPROVE_REFERRAL, T.OFFER_RENEWAL),
        *(T.REQUEST_BIND, T.BIND, T.ISSUE, T.CANCEL, T.REINSTATE, T.END_TERM),
    ),
    "stays canceled": (*PRICED, T.FAIL_SCREENING, T.REFER, T.APPROVE_REFERRAL, T.PUBLISH, T.BIND, T.CANCEL),
    "is referred for its limit": REFERRED,
}


async def options_of(service: Service, count: int) -> list[str]:
    """Submit as many options as asked for and give their identifiers."""
    limits = [{"aggregate_limit": 1_000_000}] * count
    receipt = await service.submit(request_body(lambda body: body["policy"].update(quotes=limits)))
    return [quote["quote_identifier"] for quote in receipt["quotes"]]


async def locked(service: Service, identifier: str, trigger: Trigger) -> Quote:
    """Lock the quote, pull the trigger, and return the quote as it was saved."""
    async with service.runtime.database.transaction() as tx:
        quote = await quotes.lock(tx, uuid.UUID(identifier))
        assert quote is not None
        said = example_of(find_move(quote.status, trigger))
        return await advance_quote(tx, quote, trigger, actor="a test", said=said)


async def row_of(service: Service, identifier: str) -> asyncpg.Record:
    row = await service.runtime.database.pool.fetchrow(
        "select * from quotes where quote_id = $1", uuid.UUID(identifier)
    )
    assert row is not None
    return row


async def test_quotes_walk_through_all_statuses_and_their_journals_have_no_gap(service: Service) -> None:
    identifiers = await options_of(service, len(PATHS))
    seen: set[QuoteStatus] = set()

    for identifier, path in zip(identifiers, PATHS.values(), strict=True):
        for trigger in path:
            await locked(service, identifier, trigger)

        entries = await service.journal(identifier)
        row = await row_of(service, identifier)
        assert [entry.trigger for entry in entries] == ["create", *path]
        moves = [
            find_move(QuoteStatus(entry.status_before or ""), Trigger(entry.trigger)) for entry in entries[1:]
        ]
        assert [msgspec.json.decode(entry.data) for entry in entries[1:]] == [
            msgspec.to_builtins(example_of(move) or {}) for move in moves
        ]
        assert {entry.actor for entry in entries[1:]} == {"a test"}
        check_journal(entries)
        assert row["status"] == entries[-1].status_after
        assert row["version"] == len(path)
        assert row["journal_entries"] == len(entries)
        assert row["journal_hash"] == entries[-1].hash()
        assert row["quote_events"] == sum(entry.level == "quote" for entry in entries)
        assert row["policy_events"] == sum(entry.level == "policy" for entry in entries)
        seen |= {entry.status_after for entry in entries}

    assert seen == set(S)


async def test_events_are_counted_by_level_without_gaps(service: Service) -> None:
    (identifier,) = await options_of(service, 1)
    for trigger in (*PUBLISHED, T.REQUEST_BIND, T.BIND, T.CHANGE_CONTINGENCIES, T.ISSUE):
        await locked(service, identifier, trigger)

    told = [
        (entry.type, entry.level, entry.sequence)
        for entry in await service.journal(identifier)
        if entry.type is not None
    ]

    assert told == [
        ("quote.published", "quote", 1),
        ("quote.bind_requested", "quote", 2),
        ("policy.bound", "policy", 1),
        ("quote.contingency_changed", "quote", 3),
        ("policy.issued", "policy", 2),
    ]


async def test_the_stored_hash_is_that_of_the_entry(service: Service) -> None:
    (identifier,) = await options_of(service, 1)
    for trigger in REFERRED:
        await locked(service, identifier, trigger)

    entries = await service.journal(identifier)
    stored = await service.runtime.database.pool.fetch(
        "select hash from journal where quote_id = $1 order by entry", uuid.UUID(identifier)
    )

    assert [row["hash"] for row in stored] == [entry.hash() for entry in entries]


async def test_a_move_that_is_not_in_the_table_changes_and_writes_nothing(service: Service) -> None:
    (identifier,) = await options_of(service, 1)
    before = await row_of(service, identifier)

    with pytest.raises(WrongState):
        await locked(service, identifier, T.PUBLISH)

    assert await row_of(service, identifier) == before
    assert [entry.trigger for entry in await service.journal(identifier)] == ["create"]


async def test_a_move_and_its_entry_stand_or_fall_together(service: Service) -> None:
    (identifier,) = await options_of(service, 1)

    async def move_and_fail() -> None:
        async with service.runtime.database.transaction() as tx:
            quote = await quotes.lock(tx, uuid.UUID(identifier))
            assert quote is not None
            await advance_quote(tx, quote, T.SCAN, actor="a test")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await move_and_fail()

    assert (await row_of(service, identifier))["status"] == S.CREATED
    assert [entry.trigger for entry in await service.journal(identifier)] == ["create"]


async def test_a_quote_that_was_read_before_another_moved_it_is_not_moved_again(service: Service) -> None:
    (identifier,) = await options_of(service, 1)
    async with service.runtime.database.reading() as tx:
        outdated = await quotes.find(tx, uuid.UUID(identifier), partner_id=service.partner.partner_id)
    assert outdated is not None
    await locked(service, identifier, T.SCAN)

    async def move_outdated() -> None:
        async with service.runtime.database.transaction() as tx:
            await advance_quote(tx, outdated, T.EXCEED_AUTHORITY, actor="a test")

    with pytest.raises(VersionConflict):
        await move_outdated()

    assert (await row_of(service, identifier))["status"] == S.AQ_CREATED
    assert [entry.trigger for entry in await service.journal(identifier)] == ["create", "scan"]
