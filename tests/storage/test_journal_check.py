"""Somebody with the keys to the database bends a journal: it shows."""

import json
import uuid
from collections.abc import Iterator
from dataclasses import replace

import pytest

from bindery.actions.documents.make_document import make_packet
from bindery.contract.documents import PacketType
from bindery.domain.quote.journal_check import flaws_of
from bindery.domain.quote.quote import JournalEntry
from bindery.storage.quote import journal, journals_checked
from support.binding import bind, one_quoted
from support.press import plain_press
from support.service import Service

FIRST = uuid.UUID(int=0)


@pytest.fixture(autouse=True)
def _press() -> Iterator[None]:
    with plain_press():
        yield


async def flaws(service: Service) -> list[tuple[int, str]]:
    """Return entry and complaint of everything that is wrong with any journal.

    The database, which checks all journals of a portfolio, has its doubts about the same ones.
    """
    async with service.runtime.database.reading() as tx:
        batch = await journal.read_batch(tx, after=FIRST, limit=100)
        checked = await journals_checked.check_some(tx, [kept.quote_id for kept in batch])
    found = [flaw for kept in batch for flaw in flaws_of(kept)]
    assert checked.journals == len(batch)
    assert {*checked.doubtful} == {flaw.quote_id for flaw in found}
    return [(flaw.entry, flaw.what) for flaw in found]


async def bend(service: Service, statement: str, *arguments: object) -> None:
    """Change what the database itself would not let anybody change."""
    async with service.runtime.database.pool.acquire() as connection, connection.transaction():
        await connection.execute("alter table journal disable trigger all")
        await connection.execute(statement, *arguments)
        await connection.execute("alter table journal enable trigger all")


async def bound(service: Service) -> list[JournalEntry]:
    quote = await one_quoted(service)
    await make_packet(service.runtime, uuid.UUID(quote["quote_identifier"]), PacketType.QUOTE)
    await bind(service, quote)
    return await service.journal(quote["quote_identifier"])


async def test_journals_as_they_were_written_have_no_flaw(service: Service) -> None:
    entries = await bound(service)
    await service.submit()

    assert len(entries) > 7
    assert await flaws(service) == []


@pytest.mark.parametrize(
    "change",
    [
        "actor = 'somebody else'",
        "at = at - interval '1 microsecond'",
        "data = '{}'",
        "status_after = 'quote_declined'",
        "type = 'quote.declined'",
        "event_id = quote_id",
    ],
)
async def test_a_changed_entry_shows(service: Service, change: str) -> None:
    await bound(service)
    await bend(service, f"update journal set {change} where entry = 6")

    found = await flaws(service)

    assert (6, "was changed: its content and its hash do not match") in found
    assert {entry for entry, _ in found} <= {6, 7}


async def test_a_status_that_there_is_not_shows(service: Service) -> None:
    await bound(service)
    await bend(service, "update journal set status_after = 'bent' where entry = 3")

    assert (3, "says something that no entry can say") in await flaws(service)


async def test_an_entry_that_was_changed_with_its_hash_breaks_the_chain(service: Service) -> None:
    entries = await bound(service)
    bent = JournalEntry(**{**{n: getattr(entries[3], n) for n in JournalEntry.__slots__}, "actor": "bent"})
    await bend(service, "update journal set actor = 'bent', hash = $1 where entry = 4", bent.hash())

    assert await flaws(service) == [
        (5, "does not follow the entry before it: the chain is broken"),
    ]


async def test_a_text_of_any_letters_is_as_it_was_written(service: Service) -> None:
    last = (await bound(service))[-1]
    odd = 'Müller & "Söhne" \\ 株式会社 🥐 \t\n\r\b\f\x01\x1f\x7f </script> \u2028'
    written = replace(last, actor=odd, data=json.dumps({"said": odd}))

    await bend(
        service,
        """
        with bent as (update journal set actor = $2, data = $3, hash = $4 where entry = $1 returning quote_id)
        update quotes set journal_hash = $4 from bent where quotes.quote_id = bent.quote_id
        """,
        *(written.entry, written.actor, written.data, written.hash()),
    )

    assert await flaws(service) == []


async def test_an_event_that_does_not_count_shows(service: Service) -> None:
    await bound(service)
    await bend(service, "update journal set level = null, sequence = null, type = null where entry = 6")

    assert (6, "was changed: its content and its hash do not match") in await flaws(service)


async def test_a_missing_entry_shows(service: Service) -> None:
    await bound(service)
    await bend(service, "delete from journal where entry = 3")

    assert await flaws(service) == [(4, "entry 3 is missing before it")]


async def test_a_missing_event_shows_in_the_counts_as_well(service: Service) -> None:
    entries = await bound(service)
    number = next(entry.entry for entry in entries if entry.type == "quote.published")
    await bend(service, "delete from journal where entry = $1", number)

    found = await flaws(service)

    assert found[0] == (number + 1, f"entry {number} is missing before it")
    assert any("counts as quote event 2, and is number 1" in what for _, what in found)


async def test_a_journal_that_was_cut_off_shows(service: Service) -> None:
    entries = await bound(service)
    await bend(service, "delete from journal where entry = $1", len(entries))

    found = await flaws(service)

    assert (0, f"the quote counts {len(entries)} entries, the journal ends with {len(entries) - 1}") in found


async def test_a_journal_that_is_gone_shows(service: Service) -> None:
    entries = await bound(service)
    await bend(service, "delete from journal")

    assert (0, f"the quote counts {len(entries)} entries, the journal ends with 0") in await flaws(service)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ("journal_hash = '\\x00'", "the quote has a different hash of the last entry"),
        ("quote_events = quote_events + 1", "quote and 1 policy events, the journal"),
        ("policy_events = 0", "0 policy events, the journal"),
        ("status = 'quote_expired'", "the quote is quote_expired, the journal ends with policy_active"),
        ("journal_entries = 99", "the quote counts 99 entries"),
    ],
)
async def test_a_quote_that_disagrees_with_its_journal_shows(
    service: Service, change: str, complaint: str
) -> None:
    await bound(service)
    await service.runtime.database.pool.execute(f"update quotes set {change}")

    ((entry, what),) = await flaws(service)

    assert entry == 0
    assert complaint in what


async def test_batches_follow_each_other_without_a_gap(service: Service) -> None:
    for _ in range(3):
        await service.submit()
    seen, last = [], FIRST
    async with service.runtime.database.reading() as tx:
        while batch := await journal.read_batch(tx, after=last, limit=2):
            assert len(batch) <= 2
            seen += [kept.quote_id for kept in batch]
            last = batch[-1].quote_id

    assert len(seen) == len(set(seen)) == await service.count("quotes") == 6
