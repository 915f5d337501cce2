import asyncpg
import pytest

from bindery.storage.quote import journal
from support.journals import check_journal
from support.service import Service

CHANGES = {
    "update": "update journal set actor = 'somebody else'",
    "update of one column of no row": "update journal set data = '{}' where entry = -1",
    "delete": "delete from journal",
    "truncate": "truncate journal cascade",
    "truncate in passing": "truncate quotes cascade",
}


@pytest.mark.parametrize("statement", CHANGES.values(), ids=CHANGES)
async def test_the_journal_takes_no_change(service: Service, statement: str) -> None:
    receipt = await service.submit()
    identifier = receipt["quotes"][0]["quote_identifier"]
    before = await service.journal(identifier)

    with pytest.raises(asyncpg.RaiseError, match="the journal is append-only"):
        await service.runtime.database.pool.execute(statement)

    assert await service.journal(identifier) == before
    assert len(before) == 1


async def test_a_quote_is_born_with_the_first_entry_of_its_journal(service: Service) -> None:
    receipt = await service.submit()

    for quote in receipt["quotes"]:
        entries = await service.journal(quote["quote_identifier"])
        (entry,) = entries
        check_journal(entries)
        assert (entry.entry, entry.trigger) == (1, "create")
        assert (entry.status_before, entry.status_after) == (None, "created")
        assert entry.actor == f"partner:{service.partner.key}"
        assert (entry.level, entry.type, entry.sequence, entry.data) == (None, None, None, "{}")


async def test_an_entry_cannot_be_written_twice(service: Service) -> None:
    receipt = await service.submit()
    (entry,) = await service.journal(receipt["quotes"][0]["quote_identifier"])

    async def write_again() -> None:
        async with service.runtime.database.transaction() as tx:
            await journal.append(tx, [entry])

    with pytest.raises(asyncpg.UniqueViolationError):
        await write_again()


async def test_an_event_has_a_level_a_type_and_a_sequence_or_none_of_them(service: Service) -> None:
    await service.submit()

    with pytest.raises(asyncpg.CheckViolationError):
        await service.runtime.database.pool.execute(
            "insert into journal (quote_id, entry, event_id, at, actor, trigger, status_after, hash, level) "
            "select quote_id, 2, event_id, at, actor, trigger, status_after, hash, 'quote' from journal"
        )

    assert await service.count("journal") == 2
